/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_latency - times from one tracepoint to another (--between), in both forms of a report;
 * ringtop-json(5) has the members.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_REPORT_REPORT_LATENCY_H
#define RINGTOP_REPORT_REPORT_LATENCY_H

#include "report/headless.h"
#include "report/out.h"

/*
 * Append a report's member `latencies`, behind others, or the text; nothing if no pairs are wanted.
 */
void json_latency(struct out *o, const struct headless_view *v);
void text_latency(struct out *o, const struct headless_view *v);

#endif
