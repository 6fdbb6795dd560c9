/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jsonout - the values of a JSON report.
 *
 * Members: the name comes with its punctuation, `,"name":`.  Threads: one owner.
 */
#ifndef RINGTOP_REPORT_JSONOUT_H
#define RINGTOP_REPORT_JSONOUT_H

#include <stdint.h>

#include "report/headless.h"
#include "report/out.h"

/* A text in quotes, escaped. */
void jsonout_name(struct out *o, const char *text);

void jsonout_string(struct out *o, const char *name, const char *text);
void jsonout_text(struct out *o, const char *name, const char *text); /* NULL: null */
void jsonout_number(struct out *o, const char *name, uint64_t n);
void jsonout_known(struct out *o, const char *name, uint64_t n); /* GAUGE_UNKNOWN: null */

/* What is counted from 1: 0 means not known, and -1 too. */
void jsonout_id(struct out *o, const char *name, int32_t id);

/* A share with six decimals; printf takes ten times as long. */
void jsonout_share(struct out *o, const char *name, double share);

/* Begins an object with the CPU it is of; of several hosts, with the host whose CPU that is. */
void jsonout_place(struct out *o, const struct headless_view *v, bool first, int cpu);

#endif
