/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text_counters - what was only counted, in a report for people.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_REPORT_TEXT_COUNTERS_H
#define RINGTOP_REPORT_TEXT_COUNTERS_H

#include "report/headless.h"
#include "report/out.h"

/* Nothing where nothing was. */
void text_counters(struct out *o, const struct headless_view *v);

#endif
