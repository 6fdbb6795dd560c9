/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export_svg - one event's flame graph as an SVG file: a title at each frame, losses above the
 * graph, no script, nothing loaded from outside.
 */
#ifndef RINGTOP_REPORT_EXPORT_EXPORT_SVG_H
#define RINGTOP_REPORT_EXPORT_EXPORT_SVG_H

#include "report/export/export.h"

extern const struct export_format export_svg;

#endif
