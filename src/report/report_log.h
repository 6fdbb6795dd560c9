/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_log - the event log (--log-events) in both forms of a report; ringtop-json(5) has the
 * members.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_REPORT_REPORT_LOG_H
#define RINGTOP_REPORT_REPORT_LOG_H

#include "report/headless.h"
#include "report/out.h"

/* Append a line for each logged record of the slice that passes the view's filter. */
void json_logged(struct out *o, const struct headless_view *v, const struct slice *s);
void text_logged(struct out *o, const struct headless_view *v, const struct slice *s);

/*
 * Append the counts of records shown, not shown and lost to a report; nothing without --log-events.
 */
void json_logging(struct out *o, const struct headless_view *v);
void text_logging(struct out *o, const struct headless_view *v);

#endif
