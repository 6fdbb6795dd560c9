/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export_html - a page in one file: for each event its counts and losses, in words and numbers, a
 * flame graph with zoom and search, the functions and tasks.
 *
 * The page loads nothing from outside and cannot: its policy (CSP) allows one script and one style,
 * by their hashes.  Without the script everything but zoom and search works.
 */
#ifndef RINGTOP_REPORT_EXPORT_EXPORT_HTML_H
#define RINGTOP_REPORT_EXPORT_EXPORT_HTML_H

#include "report/export/export.h"

extern const struct export_format export_html;

#endif
