/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json_counters - the elements of a report's `counters` and `ratios`; ringtop-json(5) has their
 * members.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_REPORT_JSON_COUNTERS_H
#define RINGTOP_REPORT_JSON_COUNTERS_H

#include "report/headless.h"
#include "report/out.h"

/* Append the elements of `counters` and of `ratios`, without the brackets. */
void json_counters(struct out *o, const struct headless_view *v);
void json_ratios(struct out *o, const struct headless_view *v);

#endif
