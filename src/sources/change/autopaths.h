/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * autopaths - --call-graph auto: frame pointers as long as they lead somewhere, and copies of stacks beside them once there
 * are objects where they end after one function, or lead to no code.
 *
 *   each second: whose stacks are shallow (names/resolve/shallow.h), what samples take ─▶ how much is copied ─▶ eventchange_copy
 *
 * What samples may take of the rings with copies is bounded by a budget in bytes a second: where it is not enough less is
 * copied of each stack, and at last nothing.  While samples have both, workers choose for each (shallow_path).
 *
 * Threads: one owner, the tick's.
 */
#ifndef RINGTOP_SOURCES_CHANGE_AUTOPATHS_H
#define RINGTOP_SOURCES_CHANGE_AUTOPATHS_H

#include <stdbool.h>
#include <stdint.h>

#include "sources/change/eventchange.h"
#include "names/resolve/resolver.h"
#include "names/resolve/shallow.h"
#include "core/slice/slice.h"

#define AUTOPATHS_BUDGET (16u << 20) /* bytes a second, for each CPU that is watched: where the user gave none */
#define AUTOPATHS_DOWN   2u   /* seconds above the budget before less is copied */
#define AUTOPATHS_UP     10u  /* of room for more before more is */
#define AUTOPATHS_IDLE   30u  /* in which no copy was needed before none is made */

struct autopaths {
	uint64_t budget;
	uint32_t stack, wanted; /* bytes that are copied now, and that are to be */
	bool over;            /* nothing is copied, for the budget is too small */
	bool failed;          /* it cannot be: the log says why */
	bool busy_said;
	unsigned above, room, idle; /* seconds */
	uint64_t span_ns, samples, bytes; /* of the second under way */
	uint64_t rate;        /* of the last one: bytes a second of samples */
	uint64_t per_second;  /* and samples */
	char names[80];       /* raw: whose stacks are shallow */
};

/* budget: bytes a second, 0: AUTOPATHS_BUDGET for each of `cpus`. */
void autopaths_init(struct autopaths *a, uint64_t budget, unsigned cpus);

/*
 * How much of a stack may be copied with so many samples a second, where it is `now`: that becomes more only with room to
 * spare.  0: none.
 */
uint32_t autopaths_stack(uint64_t per_second, uint64_t budget, uint32_t now);

/* A slice of so long has so many samples, of so many bytes, and so many copies were unwound.  True: a second is over. */
bool autopaths_take(struct autopaths *a, uint64_t span_ns, uint64_t samples, uint64_t bytes, uint64_t unwound);

/*
 * Decide what is wanted after that second; `shallow`: in some objects frame pointers ended after one function, or led
 * to no code.
 */
void autopaths_judge(struct autopaths *a, bool shallow);

/* Take what the slice says, with its gauges and what was unwound, and say in it how it stands.  `on`: some event is auto. */
void autopaths_look(struct autopaths *a, struct resolver *r, bool on, struct slice *s);

/* Do what is wanted; to be called where eventchange_step is. */
void autopaths_step(struct autopaths *a, struct eventchange *c, bool on, struct slice *s);

#endif
