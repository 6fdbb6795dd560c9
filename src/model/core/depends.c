/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/core/depends.h"

#include "model/rows/rowfilter.h"
#include "model/core/state.h"

struct depends depends_of(const struct model *m, const struct rowfilter *filter,
			  struct window window, bool tasks)
{
	return (struct depends){
		.window = window,
		.filter = rowfilter_serial(filter),
		.slices = window_is_all(window) ? m->added : history_serial(&m->history, window),
		.changes = m->dict.changes,
		.exits = tasks ? m->dict.exits : 0,
		.collections = m->collections,
	};
}
