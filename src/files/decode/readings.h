/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * readings - samples with the counts of their group (PERF_SAMPLE_READ): computes what each counter
 * counted since the previous sample.
 *
 * A counter starts at 0, so the first sample with it stands for everything counted until then.
 * Inherited events count by thread, under the ancestor's id (Linux 6.13), so the last value is kept
 * by counter and thread.
 *
 * Threads: one owner.  Allocates for new threads, up to a bound and the budget.
 */
#ifndef RINGTOP_FILES_DECODE_READINGS_H
#define RINGTOP_FILES_DECODE_READINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define READINGS_MOST (1u << 20) /* pairs of counter and thread: 48 MB, of --max-memory */

struct reading {
	uint64_t id, value; /* id 0: empty */
	uint32_t tid, gap;
};

struct readings {
	struct reading *slot; /* hashed; a power of two, at most half full; NULL: empty */
	size_t slots, used;
	uint32_t gap; /* number of times samples were missed */
};

/* Note that samples were missed: each counter's next sample may also stand for these. */
void readings_gap(struct readings *r);

/*
 * Store in *since what the counter counted since its previous sample in the thread (0: any). *gap:
 * samples in between may have been missed; for a first sample it is fresh_gap. Return false if
 * there is no room to keep the value, and *since is not known.
 */
bool readings_since(struct readings *r, uint64_t id, uint32_t tid, uint64_t value, bool fresh_gap,
		    uint64_t *since, bool *gap);

/* Return the previous value, 0: there was none. */
uint64_t readings_last(const struct readings *r, uint64_t id, uint32_t tid);

/* Forget all values: all counters start at 0 again. */
void readings_clear(struct readings *r);

#endif
