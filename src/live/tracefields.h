/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracefields - which fields of tracepoints' records the readers take: what a sample weighs (weight=FIELD).
 *
 * Found once, when the session opens; readers take values by their places (trace/format.h).
 *
 * Threads: tracefields_create and _free one owner; the others any, in between.
 */
#ifndef RINGTOP_LIVE_TRACEFIELDS_H
#define RINGTOP_LIVE_TRACEFIELDS_H

#include "base/err.h"
#include "event/event.h"
#include "trace/format.h"

struct tracefields;

/*
 * Of all events, whose rates are fixed; marks those whose samples must carry their records.  *f NULL: none must.
 * 0; -EINVAL: no such field, or one that weighs nothing; -EACCES: no format can be read; -ENOMEM.
 */
int tracefields_create(struct event_list *list, struct tracefields **f, struct err *err);
void tracefields_free(struct tracefields *f);

/* What a sample of the event weighs; NULL: its period.  f may be NULL. */
const struct trace_value *tracefields_weight(const struct tracefields *f, unsigned event);

#endif
