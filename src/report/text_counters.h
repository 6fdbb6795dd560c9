/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text_counters - events that are counted without samples, in a report to be read by people.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_REPORT_TEXT_COUNTERS_H
#define RINGTOP_REPORT_TEXT_COUNTERS_H

#include "report/headless.h"
#include "report/out.h"

/* Append the counters and their ratios; nothing if there are no counters. */
void text_counters(struct out *o, const struct headless_view *v);

#endif
