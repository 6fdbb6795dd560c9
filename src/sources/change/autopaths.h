/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * autopaths - --call-graph auto: frame pointers as long as they lead somewhere, and copies of
 * stacks beside them once there are objects where they end after one function, or lead to no code.
 *
 *   each second: objects with shallow stacks (names/resolve/fpcheck.h), bytes of samples
 *                    ─▶ how much is copied ─▶ eventchange_copy
 *
 * The bytes that samples with copies may take of the rings are bounded by a budget in bytes a
 * second: where it is too small less is copied of each stack, and at last nothing.  While samples
 * have both, workers choose for each (fpcheck_path).
 *
 * Threads: one owner, the tick's.
 */
#ifndef RINGTOP_SOURCES_CHANGE_AUTOPATHS_H
#define RINGTOP_SOURCES_CHANGE_AUTOPATHS_H

#include <stdbool.h>
#include <stdint.h>

#include "sources/change/eventchange.h"
#include "names/resolve/fpcheck.h"

#define AUTOPATHS_BUDGET (16u << 20) /* bytes a second, for each watched CPU: the default */
#define AUTOPATHS_DOWN   2u   /* seconds above the budget before less is copied */
#define AUTOPATHS_UP     10u  /* seconds with room for more until more is copied */
#define AUTOPATHS_IDLE   30u  /* seconds without need of a copy until none is made */

struct autopaths {
	uint64_t budget;
	uint32_t stack, wanted; /* bytes of a stack that are copied now, and that shall be */
	bool over;            /* nothing is copied, for the budget is too small */
	bool failed;          /* copying failed for good; the log has the reason */
	bool busy_said;
	bool shallow_said;
	unsigned above, room, idle; /* seconds */
	uint64_t span_ns, samples, bytes; /* of the second under way */
	uint64_t rate;        /* bytes of samples a second, in the last one */
	uint64_t per_second;  /* samples, in the last one */
	char names[80];       /* objects with shallow stacks; not escaped */
};

/* budget: bytes a second; 0: AUTOPATHS_BUDGET for each of `cpus`. */
void autopaths_init(struct autopaths *a, uint64_t budget, unsigned cpus);

/*
 * Return how many bytes of a stack may be copied with so many samples a second and a budget in
 * bytes a second.  `now`: bytes copied at present; more is allowed only with room to spare.  0:
 * none.
 */
uint32_t autopaths_stack(uint64_t per_second, uint64_t budget, uint32_t now);

/*
 * Add a slice of span_ns: its samples, their bytes, and the copies that were unwound.  Return true
 * if a second is over.
 */
bool autopaths_take(struct autopaths *a, uint64_t span_ns, uint64_t samples, uint64_t bytes,
		    uint64_t unwound);

/*
 * Decide a->wanted after that second.  `shallow`: in some objects frame pointers ended after one
 * function, or led to no code.
 */
void autopaths_judge(struct autopaths *a, bool shallow);

#endif
