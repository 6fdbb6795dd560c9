/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * eventlog - the newest lines of the event log that slices brought, and what became of all records.
 *
 * Lines have numbers that count on from 0, so that who looks at one knows it again, and how many have gone before it.
 * They take an eighth of the model's budget; then the oldest go.
 *
 * Threads: the model's owner.
 */
#ifndef RINGTOP_MODEL_CORE_EVENTLOG_H
#define RINGTOP_MODEL_CORE_EVENTLOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/rows/filter.h"
#include "measure/session/session.h"
#include "core/slice/logged.h"

struct model;

struct eventlog {
	struct slice_logged *line; /* a ring of cap, a power of two: number i is at i % cap */
	size_t cap;
	uint64_t first, next;  /* the numbers that are here: from first to below next */
	size_t bytes, most;    /* of lines and texts */
	struct slice_logging total, recent;
};

/* Take all that a slice has: its texts are the log's.  0 or -ENOMEM: then they count as not printed. */
int eventlog_take(struct eventlog *e, struct slice *s);
void eventlog_clear(struct eventlog *e);

/* --- of a model ------------------------------------------------------------------------------ */

/* The numbers of the lines that are kept: from *first on, to below what is returned. */
uint64_t eventlog_lines(const struct model *m, uint64_t *first);

void eventlog_mark(struct model *m); /* an interval begins */

/* NULL: it is not kept. */
const struct slice_logged *eventlog_line(const struct model *m, uint64_t number);

/* Since the start or model_zero; or since eventlog_mark. */
const struct slice_logging *eventlog_counts(const struct model *m, bool recent);

/* Words without a field match text, event or comm; there are event:, comm: and text:, and host:, pid:, tid: and cpu:.  NULL passes all. */
bool eventlog_passes(const struct session_info *info, const struct slice_logged *l, const struct filter *f);

#endif
