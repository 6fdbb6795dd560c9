/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * readings - samples that carry the counts of their group (PERF_SAMPLE_READ): what each counter counted since
 * the sample before.
 *
 * A counter starts at 0, so the first sample that carries it stands for all it counted by then.  Where events
 * are inherited each thread counts for itself, under its ancestor's id (Linux 6.13), so what was read last is
 * kept by counter and thread.
 *
 * Threads: one owner.  Allocates as threads come, up to a bound and the budget.
 */
#ifndef RINGTOP_FILES_DECODE_READINGS_H
#define RINGTOP_FILES_DECODE_READINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define READINGS_MOST (1u << 20) /* counters of threads: 48 MB, of --max-memory */

struct reading {
	uint64_t id, value; /* id 0: empty */
	uint32_t tid, gap;
};

struct readings {
	struct reading *slot; /* hashed; a power of two, at most half full; NULL: none came yet */
	size_t slots, used;
	uint32_t gap; /* how often samples were missed */
};

/* From here on a counter's next sample may stand for others that were missed before it. */
void readings_gap(struct readings *r);

/*
 * What the counter counted since its sample before, for the thread (0: whichever it is).  *gap: samples in between
 * may have been missed; a first sample can only have missed some where `fresh_gap` says so.  False: there is
 * no room to keep it, and how much it stands for is not known.
 */
bool readings_since(struct readings *r, uint64_t id, uint32_t tid, uint64_t value, bool fresh_gap, uint64_t *since,
		    bool *gap);

/* The value of the reading before, 0: there was none. */
uint64_t readings_last(const struct readings *r, uint64_t id, uint32_t tid);

/* All counters start at 0 again. */
void readings_clear(struct readings *r);

#endif
