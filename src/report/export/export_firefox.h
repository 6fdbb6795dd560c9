/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export_firefox - the Firefox Profiler's processed profile format: one event over time.
 *
 * A thread per task with its samples by slice, and beside them counters: how full each sample ring
 * was, and how many samples were lost.  Newer viewers upgrade the version that is pinned here.
 */
#ifndef RINGTOP_REPORT_EXPORT_EXPORT_FIREFOX_H
#define RINGTOP_REPORT_EXPORT_EXPORT_FIREFOX_H

#include "report/export/export.h"

#define FIREFOX_VERSION 60 /* meta.preprocessedProfileVersion: tables shared by all threads */

extern const struct export_format export_firefox;

#endif
