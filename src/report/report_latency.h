/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_latency - how long it took from one tracepoint to another (--between), in both forms of a report;
 * ringtop-json(5) has the members.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_REPORT_REPORT_LATENCY_H
#define RINGTOP_REPORT_REPORT_LATENCY_H

#include "report/headless.h"
#include "report/out.h"

/* A report's member `latencies`, behind others; nothing where no pairs are wanted. */
void json_latency(struct out *o, const struct headless_view *v);
void text_latency(struct out *o, const struct headless_view *v);

#endif
