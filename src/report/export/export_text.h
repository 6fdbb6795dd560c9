/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export_text - the report, for people (report/text.h) or for programs (report/json.h), as a file:
 * a window with all its rows.
 */
#ifndef RINGTOP_REPORT_EXPORT_EXPORT_TEXT_H
#define RINGTOP_REPORT_EXPORT_EXPORT_TEXT_H

#include "report/export/export.h"

extern const struct export_format export_text, export_json;

#endif
