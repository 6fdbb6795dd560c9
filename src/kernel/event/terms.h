/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * terms - what may stand between the slashes of any event, whatever counts it: cycles/period=1000,call-graph=dwarf/.
 *
 *   period=N freq=HZ name=TEXT         how often, and what it is called
 *   call-graph=MODE stack-size=BYTES max-stack=N   its call paths, where they are others than the session's
 *   inherit no-inherit                 children count, too
 *   overwrite no-overwrite             how its ring is kept: one ring takes all events' samples, so all must agree
 *   percore aux-output time            taken as perf takes them; time= changes nothing, samples have theirs always
 *   weight=FIELD                       a tracepoint's samples weigh this of its record
 *   aux-sample-size=BYTES aux-action=ACTION   with an AUX event
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_KERNEL_EVENT_TERMS_H
#define RINGTOP_KERNEL_EVENT_TERMS_H

#include "base/err.h"
#include "kernel/event/event.h"

#define TERMS_WORDS                                                                                      \
	"config, config1, config2, period, freq, name, call-graph, stack-size, max-stack, inherit, "     \
	"no-inherit, overwrite, no-overwrite, percore, aux-output, weight, aux-sample-size, aux-action"

/*
 * Apply one; value NULL: none was given.  `of` is whose, for words.  0; -ENOENT: it is none of these, err untouched;
 * -EINVAL.
 */
int terms_apply(struct event *e, const char *of, const char *name, const char *value, struct err *err);

/* A number in any base of C's, without a sign; value NULL: 1.  0 or -EINVAL. */
int terms_number(const char *of, const char *name, const char *value, uint64_t *n, struct err *err);

#endif
