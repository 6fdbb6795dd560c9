/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * auxinfo - what a decoder must know of an AUX event's bytes: perf.data's AUXTRACE_INFO, and the CPU
 * that wrote them.
 *
 * Source: tools/perf/util/intel-pt.h, intel-bts.h, arm-spe.h, hisi-ptt.h of the kernel (the words'
 * order); coresight.h.  Checked with files of perf 6.1 and by perf 6.1 and 7.3 reading ours.
 * Threads: any; reads sysfs.
 */
#ifndef RINGTOP_SOURCES_AUX_AUXINFO_H
#define RINGTOP_SOURCES_AUX_AUXINFO_H

#include <stdbool.h>
#include <stdint.h>

#include "sources/aux/auxset.h"
#include "names/pt/ptdecode.h"

struct auxinfo {
	uint32_t type; /* of perf's decoders, 1: Intel PT; 0: perf has none for this PMU */
	unsigned nr;
	uint64_t *words;
	size_t cap;
	bool failed; /* out of memory */
};

/* To be cleared, also when it failed. */
void auxinfo_make(const struct auxset_info *info, bool per_cpu, struct auxinfo *out);
void auxinfo_clear(struct auxinfo *info);

/* For those who make one: append a word; the bits of a term of the PMU's format in attr.config, 0: none. */
void auxinfo_put(struct auxinfo *out, uint64_t word);
uint64_t auxinfo_term_bits(const char *pmu, const char *term);

/* Is it Intel PT, which ptdecode reads?  Then *cpu and *clock are what that needs. */
bool auxinfo_pt(const struct auxset_info *info, struct ptdecode_cpu *cpu, struct ptdecode_clock *clock);

#endif
