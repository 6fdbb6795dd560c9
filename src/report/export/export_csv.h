/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export_csv - a line a function (and host), for spreadsheets and programs: RFC 4180, all events.
 *
 * Cells of names are quoted, and a name that a spreadsheet could take for a formula has a ' in
 * front.
 */
#ifndef RINGTOP_REPORT_EXPORT_EXPORT_CSV_H
#define RINGTOP_REPORT_EXPORT_EXPORT_CSV_H

#include "report/export/export.h"

extern const struct export_format export_csv;

/* Append a raw name as a cell: escaped (base/text.h), quoted, no formula. */
void csv_name(struct out *o, const char *name);

#endif
