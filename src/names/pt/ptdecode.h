/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptdecode - decodes an Intel PT stream of one CPU: places in code with their instructions, calls
 * and time, and the stretches that are lost.  By libipt, if built in.
 *
 * The stream is the content of the AUX area, oldest byte first; it may begin and end anywhere,
 * decoding starts at the first PSB.  It is hostile, and so is the code that is read for it: both
 * cost no more than the allowed instructions, places and time, and anything left out is counted.
 *
 * Instructions are exact.  The time between two timing packets is divided among the blocks that ran
 * between them by their instructions; time in which tracing was off (TIP.PGD, TIP.PGE) is not
 * counted.
 *
 * Threads: any worker; no shared state but `cancel`.  Source of the format: Intel SDM volume 3,
 * chapter "Intel Processor Trace"; of the clock: linux/perf_event.h, struct perf_event_mmap_page.
 */
#ifndef RINGTOP_NAMES_PT_PTDECODE_H
#define RINGTOP_NAMES_PT_PTDECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "core/slice/pt.h"

#define PTDECODE_STRETCHES 256 /* kept one by one; further ones only in the sums */

/* TSC to perf's clock, from the mmap page; mult 0: not known, times stay in ticks of the TSC. */
struct ptdecode_clock {
	uint64_t zero;
	uint32_t mult;
	uint16_t shift;
};

/* The CPU that wrote the stream; zeroes if not known. */
struct ptdecode_cpu {
	bool intel;
	uint16_t family;
	uint8_t model, stepping;
	uint32_t tsc_ctc_ratio_n, tsc_ctc_ratio_d; /* CPUID 15h: EBX, EAX */
	uint8_t mtc_period; /* RTIT_CTL.MTCFreq */
	uint8_t max_ratio;  /* max non-turbo ratio */
};

/* Start of a run: from `time` (perf's clock) on `who`, a number of the caller's, ran. */
struct ptdecode_run {
	uint64_t time;
	uint32_t who;
};

#define PTDECODE_NOBODY UINT32_MAX

struct ptdecode_config {
	const uint8_t *data;
	size_t len;
	struct ptdecode_cpu cpu;
	struct ptdecode_clock clock;
	const struct ptdecode_run *runs; /* sorted by time; before the first, the first holds */
	size_t nruns;                    /* 0: `who` is always 0 */
	/* Read up to len bytes of the code of `who` at addr.  Returns the number, or -errno. */
	int (*read)(void *arg, uint32_t who, uint64_t addr, void *buf, size_t len);
	void *arg;
	uint64_t max_insns;      /* 0: a default */
	uint32_t max_places;     /* 0: a default */
	uint64_t deadline;       /* CLOCK_MONOTONIC ns, 0: none */
	const bool *cancel;      /* set by another thread (atomic_store_relaxed), or NULL */
};

struct ptdecode_place {
	uint64_t addr; /* of a block's first instruction */
	uint32_t who;
	uint64_t blocks, insns, calls; /* calls: blocks entered by a call */
	uint64_t time;  /* ns, or TSC ticks without a clock */
	uint64_t timed; /* instructions with known time: those between two timing packets */
};

struct ptdecode_stretch {
	uint8_t cause;   /* enum pt_lost */
	uint64_t offset; /* in the stream, where decoding stopped */
	uint64_t bytes;  /* of the stream not decoded; 0: an overflow, which never were in it */
	uint64_t start, end; /* last time known before and first one after; 0: not known */
	char why[48];
};

struct ptdecode_result {
	struct ptdecode_place *places;
	size_t nplaces;
	uint64_t folded_insns, folded_time; /* of blocks for which there was no place left */
	struct ptdecode_stretch stretches[PTDECODE_STRETCHES]; /* in the order of the stream */
	size_t nstretches;
	uint64_t lost[PT_LOST_NR];       /* number of stretches */
	uint64_t lost_bytes[PT_LOST_NR];
	uint64_t bytes, decoded; /* of the stream; of it, followed in code */
	uint64_t insns, time;    /* sums over the places, including the folded ones */
	uint64_t timed;          /* instructions whose time is in `time` */
	uint64_t first, last;    /* times of the first and last timing packet, 0: none */
	/* Counts of packets, known without any code. */
	uint64_t psbs, branches, targets, overflows; /* PSB; TNT bits; TIPs; OVF */
};

/*
 * Decode, in a helper process if allowed.  Return 0, and a result that the caller clears;
 * -EOPNOTSUPP without libipt; -ENOMEM, -ECANCELED; or an error of sandbox_call().
 */
int ptdecode_run(const struct ptdecode_config *c, struct ptdecode_result *out, struct err *err);

/* Like ptdecode_run(), but always in this process. */
int ptdecode_here(const struct ptdecode_config *c, struct ptdecode_result *out, struct err *err);
void ptdecode_clear(struct ptdecode_result *r);

/* Return a TSC value in ns of perf's clock, or, without that clock, unchanged. */
uint64_t ptdecode_time(const struct ptdecode_clock *c, uint64_t tsc);

#endif
