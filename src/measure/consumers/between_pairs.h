/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * between_pairs - pairing of tracepoint hits (--between) by equal keys, in order of time.
 *
 *   halves of all CPUs, in any order ─put─▶ held ─step: in order─▶ open `from`s by key ─▶ latencies
 *
 * A half is one hit of a pair: its `from` or its `to`.  A `from` is open until the `to` of its key
 * comes.  If another `from` comes first, the older one is unpaired; a `to` without an open `from`
 * is, too.  Records lost on a CPU during a gap may have been halves of any key: halves that were
 * open at its start or come during it count as lost, and are never paired by a guess.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_MEASURE_CONSUMERS_BETWEEN_PAIRS_H
#define RINGTOP_MEASURE_CONSUMERS_BETWEEN_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/slice/latency.h"

#define PAIRS_WORDS 4u		   /* most words of a key */
#define PAIRS_OPEN  (1u << 18) /* most open halves; beyond that the oldest are lost */
#define PAIRS_HELD  (2u << 20) /* most halves that wait to be paired */

/* Kinds of halves, in the order of processing at equal times. */
enum pairs_kind { PAIRS_GAP_END, PAIRS_FROM, PAIRS_TO, PAIRS_ENDED, PAIRS_GAP };

#define PAIRS_KIND_BITS 3

/* Return a half's first word, time << PAIRS_KIND_BITS | kind; the key's words follow it. */
static inline uint64_t pairs_stamp(uint64_t time, enum pairs_kind kind)
{
	return time << PAIRS_KIND_BITS | kind;
}

/* Key of an unknown thread: such a half is never paired. */
#define PAIRS_NOBODY UINT64_MAX

struct pairs;

/*
 * Create; keys have nwords words, at most PAIRS_WORDS.  0: keys are threads, one word each, maybe
 * PAIRS_NOBODY.  NULL: out of memory.
 */
struct pairs *pairs_create(unsigned nwords);
void pairs_free(struct pairs *p);

/* Make room for nr more halves.  False: more than PAIRS_HELD, or out of memory. */
bool pairs_room(struct pairs *p, size_t nr);

/* Add a half: its stamp, then its key.  pairs_room() must have made room. */
void pairs_put(struct pairs *p, const uint64_t *half);

/*
 * Pair the halves of times up to `time` (UINT64_MAX: all); add latencies and losses to
 * `to`.
 */
void pairs_step(struct pairs *p, uint64_t time, struct slice_latency *to);

/* Drop all open halves as lost: hits were missed. */
void pairs_break(struct pairs *p, struct slice_latency *to);

/* Drop all open halves as unpaired: no more hits will come. */
void pairs_end(struct pairs *p, struct slice_latency *to);

/* Return the number of open halves. */
size_t pairs_open(const struct pairs *p);

/* Return the number of halves that wait to be paired. */
size_t pairs_held(const struct pairs *p);

#endif
