/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * terms - the terms between slashes that events of every kind may have:
 * cycles/period=1000,call-graph=dwarf/.
 *
 *   period=N freq=HZ name=TEXT         rate and name
 *   call-graph=MODE stack-size=BYTES max-stack=N   call paths, if other than the session's
 *   inherit no-inherit                 count children, too
 *   overwrite no-overwrite             mode of the ring: all events share one, so all must agree
 *   percore aux-output time            as in perf; time= has no effect, samples always have it
 *   weight=FIELD                       field of a tracepoint's record with a sample's weight
 *   aux-sample-size=BYTES aux-action=ACTION   with an AUX event
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_KERNEL_EVENT_TERMS_H
#define RINGTOP_KERNEL_EVENT_TERMS_H

#include "base/err.h"
#include "kernel/event/event.h"

#define TERMS_WORDS                                                                                \
	"config, config1, config2, period, freq, name, call-graph, stack-size, max-stack, "        \
	"inherit, no-inherit, overwrite, no-overwrite, percore, aux-output, weight, "              \
	"aux-sample-size, aux-action"

/*
 * Apply one term; value NULL: none was given. `of` names the event or PMU in messages. Return 0,
 * -ENOENT (not one of these; err is untouched), -EINVAL.
 */
int terms_apply(struct event *e, const char *of, const char *name, const char *value,
		struct err *err);

/* Parse a number in any of C's bases, without a sign; value NULL: 1. Return 0 or -EINVAL. */
int terms_number(const char *of, const char *name, const char *value, uint64_t *n, struct err *err);

#endif
