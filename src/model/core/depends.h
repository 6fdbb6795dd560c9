/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * depends - all that an answer of the model depends on beside the question: as long as it is the same, so is the answer.
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

/* `tasks`: the answer tells of tasks whether they have ended.  May be compared by memcmp. */
struct depends depends_of(const struct model *m, const struct filter *filter, struct window window, bool tasks);

#endif
