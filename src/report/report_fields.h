/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_fields - what tracepoints' samples came to by fields (--by), in both forms of a report; ringtop-json(5) has the
 * members.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_REPORT_REPORT_FIELDS_H
#define RINGTOP_REPORT_REPORT_FIELDS_H

#include "report/headless.h"
#include "report/out.h"

/* A report's member `fields`, behind others; nothing where no event is summed up so. */
void json_fields(struct out *o, const struct headless_view *v);
void text_fields(struct out *o, const struct headless_view *v);

#endif
