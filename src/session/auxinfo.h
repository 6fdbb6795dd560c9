/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * auxinfo - what a decoder must know of an AUX event's bytes: perf.data's AUXTRACE_INFO, and the CPU
 * that wrote them.
 *
 * Source: tools/perf/util/intel-pt.h, intel-bts.h, arm-spe.h, hisi-ptt.h of the kernel (the words'
 * order), checked with files of perf 6.1.
 * Threads: any; reads sysfs.
 */
#ifndef RINGTOP_SESSION_AUXINFO_H
#define RINGTOP_SESSION_AUXINFO_H

#include <stdbool.h>
#include <stdint.h>

#include "resolve/ptdecode.h"
#include "session/auxset.h"

#define AUXINFO_WORDS 32

struct auxinfo {
	uint32_t type; /* of perf's decoders, 1: Intel PT; 0: perf has none for this PMU */
	unsigned nr;
	uint64_t words[AUXINFO_WORDS];
};

void auxinfo_make(const struct auxset_info *info, bool per_cpu, struct auxinfo *out);

/* Is it Intel PT, which ptdecode reads?  Then *cpu and *clock are what that needs. */
bool auxinfo_pt(const struct auxset_info *info, struct ptdecode_cpu *cpu, struct ptdecode_clock *clock);

#endif
