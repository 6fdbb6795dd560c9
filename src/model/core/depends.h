/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * depends - everything beside the query that a result of the model depends on: while it is
 * unchanged, so is the result.
 *
 * Threads: as model.h.
 */
#ifndef RINGTOP_MODEL_CORE_DEPENDS_H
#define RINGTOP_MODEL_CORE_DEPENDS_H

#include "model/core/model.h"

struct depends {
	struct window window;
	uint64_t filter, slices, changes, exits, collections;
};

/*
 * Return the current state for a window and filter.  `tasks`: the result also depends on which
 * tasks have ended.  May be compared with memcmp().
 */
struct depends depends_of(const struct model *m, const struct rowfilter *filter,
			  struct window window, bool tasks);

#endif
