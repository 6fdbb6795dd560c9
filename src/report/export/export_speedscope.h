/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export_speedscope - speedscope's own JSON (its file-format-spec), a sampled profile per event.
 *
 * Stacks begin with the process; the name of a profile has its event's losses.
 */
#ifndef RINGTOP_REPORT_EXPORT_EXPORT_SPEEDSCOPE_H
#define RINGTOP_REPORT_EXPORT_EXPORT_SPEEDSCOPE_H

#include "report/export/export.h"

extern const struct export_format export_speedscope;

#endif
