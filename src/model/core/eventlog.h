/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * eventlog - the newest lines of the event log from the slices, and counts of all its records.
 *
 * Lines are numbered from 0 on, so that a reader recognizes a line and knows how many came before
 * it.  Lines take an eighth of the model's budget; beyond that the oldest are dropped.
 *
 * Threads: the model's owner.
 */
#ifndef RINGTOP_MODEL_CORE_EVENTLOG_H
#define RINGTOP_MODEL_CORE_EVENTLOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/rows/rowfilter.h"
#include "measure/session/session.h"
#include "core/slice/logged.h"

struct model;

struct eventlog {
	struct slice_logged *line; /* a ring of cap, a power of two: number i is at i % cap */
	size_t cap;
	uint64_t first, next;  /* numbers kept: from first to below next */
	size_t bytes, most;    /* of lines and texts; most: the limit */
	struct slice_logging total, recent;
};

/*
 * Take all lines of a slice; their texts move to the log.  Return 0 or -ENOMEM: some lines were
 * dropped then.
 */
int eventlog_take(struct eventlog *e, struct slice *s);
void eventlog_clear(struct eventlog *e);

/* --- a model's event log --------------------------------------------------------------------- */

/* Return the number after the newest line kept; *first: the oldest one's. */
uint64_t eventlog_lines(const struct model *m, uint64_t *first);

void eventlog_mark(struct model *m); /* begin a new interval for eventlog_counts() */

/* Return the line with that number; NULL: it is not kept. */
const struct slice_logged *eventlog_line(const struct model *m, uint64_t number);

/* Return counts since the start or model_zero(), or, with `recent`, since eventlog_mark(). */
const struct slice_logging *eventlog_counts(const struct model *m, bool recent);

/*
 * Return true if the line matches f, or f is NULL.  Words without a field match text, event or
 * comm; fields are event:, comm:, text:, host:, pid:, tid: and cpu:.
 */
bool eventlog_passes(const struct session_info *info, const struct slice_logged *l,
		     const struct rowfilter *f);

#endif
