/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export_pprof - google/pprof's profile.proto, gzipped: go tool pprof, Pyroscope, Parca.
 *
 * All events, two values each: samples and weight.  Addresses are in the objects' own address
 * spaces (ELF vaddr), so every mapping begins at 0 of its file.
 */
#ifndef RINGTOP_REPORT_EXPORT_EXPORT_PPROF_H
#define RINGTOP_REPORT_EXPORT_EXPORT_PPROF_H

#include "report/export/export.h"

extern const struct export_format export_pprof;

#endif
