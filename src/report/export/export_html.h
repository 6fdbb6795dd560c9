/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export_html - a page in one file: of each event what was counted and lost, in words and numbers, a flame graph
 * with zoom and search, the functions and tasks.
 *
 * It asks for nothing from outside and has no way to: its policy (CSP) allows one script and one style, by their
 * hashes.  Without the script all is there but zoom and search.
 */
#ifndef RINGTOP_REPORT_EXPORT_EXPORT_HTML_H
#define RINGTOP_REPORT_EXPORT_EXPORT_HTML_H

#include "report/export/export.h"

extern const struct export_format export_html;

#endif
