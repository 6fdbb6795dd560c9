/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * explained - the findings in ten lines (model/judge/explain.h), instead of reports: --explain.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_REPORT_EXPLAINED_H
#define RINGTOP_REPORT_EXPLAINED_H

#include "report/headless.h"

extern const struct headless_format explained_text, explained_json;

#endif
