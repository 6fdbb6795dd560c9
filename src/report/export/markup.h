/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * markup - raw names as text or attributes of XML and HTML: escaped, without characters that XML
 * does not allow.  Threads: one owner of `o`.
 */
#ifndef RINGTOP_REPORT_EXPORT_MARKUP_H
#define RINGTOP_REPORT_EXPORT_MARKUP_H

#include "report/out.h"

/* Append a raw name. */
void markup_text(struct out *o, const char *name);

/* Like markup_text(), but cut to `columns` columns (at least 3; 0: all) with ".." at the end. */
void markup_cut(struct out *o, const char *name, unsigned columns);

#endif
