/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * auxinfo - properties of an AUX event that a decoder of its bytes needs: perf.data's
 * AUXTRACE_INFO, and the CPU that wrote them.
 *
 * Source: tools/perf/util/intel-pt.h, intel-bts.h, arm-spe.h, hisi-ptt.h of the kernel (order of
 * the words); coresight.h. Checked with files of perf 6.1 and by perf 6.1 and 7.3 reading
 * ringtop's. Threads: any; reads sysfs.
 */
#ifndef RINGTOP_SOURCES_AUX_AUXINFO_H
#define RINGTOP_SOURCES_AUX_AUXINFO_H

#include <stdbool.h>
#include <stdint.h>

#include "sources/aux/auxset.h"
#include "names/pt/ptdecode.h"

struct auxinfo {
	/* Perf's number of the decoder, 1: Intel PT; 0: perf has none for this PMU. */
	uint32_t type;
	unsigned nr;
	uint64_t *words;
	size_t cap;
	bool failed; /* out of memory */
};

/*
 * Fill *out; clear it with auxinfo_clear(), also when it failed. per_cpu: areas belong to CPUs, not
 * to threads.
 */
void auxinfo_make(const struct auxset_info *info, bool per_cpu, struct auxinfo *out);
void auxinfo_clear(struct auxinfo *info);

/*
 * Append a word; get the bits of a term of the PMU's format in attr.config, 0: none. For makers of
 * an auxinfo.
 */
void auxinfo_put(struct auxinfo *out, uint64_t word);
uint64_t auxinfo_term_bits(const char *pmu, const char *term);

/* Return true if it is Intel PT, which ptdecode reads; *cpu and *clock get its parameters. */
bool auxinfo_pt(const struct auxset_info *info, struct ptdecode_cpu *cpu,
		struct ptdecode_clock *clock);

#endif
