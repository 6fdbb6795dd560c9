/* SPDX-License-Identifier: GPL-2.0-or-later */
/* export_parts - the formats, each in a file of its own; export.c has their order. */
#ifndef RINGTOP_REPORT_EXPORT_EXPORT_PARTS_H
#define RINGTOP_REPORT_EXPORT_EXPORT_PARTS_H

#include "report/export/export.h"

#define FIREFOX_VERSION 60 /* meta.preprocessedProfileVersion: tables shared by all threads */

extern const struct export_format export_csv, export_firefox, export_html, export_json,
	export_pprof, export_speedscope, export_svg, export_text;

#endif
