/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_fields - sums of tracepoints' samples by fields (--by), in both forms of a report;
 * ringtop-json(5) has the members.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_REPORT_REPORT_FIELDS_H
#define RINGTOP_REPORT_REPORT_FIELDS_H

#include "report/headless.h"
#include "report/out.h"

/* Append a report's member `fields`, behind others, or the text; nothing if no event has fields. */
void json_fields(struct out *o, const struct headless_view *v);
void text_fields(struct out *o, const struct headless_view *v);

#endif
