/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * coresight - properties of each CPU's trace unit that a decoder needs: registers that sysfs shows.
 *
 * All CPUs that have a unit are listed, also untraced ones: a per-thread trace may have been on
 * any. Units before ETMv4 (32-bit Arm's) are not listed.
 *
 * Source: tools/perf/util/cs-etm.h of the kernel (the words' order), and
 * Documentation/ABI/testing/sysfs-bus-coresight-devices-etm4x. Threads: any; reads sysfs.
 */
#ifndef RINGTOP_SOURCES_AUX_CORESIGHT_H
#define RINGTOP_SOURCES_AUX_CORESIGHT_H

#include "sources/aux/auxinfo.h"

/* Append the words of AUXTRACE_INFO to out. */
void coresight_info(const struct auxset_info *info, struct auxinfo *out);

#endif
