/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * markup - names from outside as text or attributes of XML and HTML: nothing in them is markup, and no
 * character is one that XML does not allow.  Threads: one owner of `o`.
 */
#ifndef RINGTOP_REPORT_EXPORT_MARKUP_H
#define RINGTOP_REPORT_EXPORT_MARKUP_H

#include "report/out.h"

void markup_text(struct out *o, const char *name);

/* The same in at most `columns` columns (at least 3), ".." behind what was cut. */
void markup_cut(struct out *o, const char *name, unsigned columns);

#endif
