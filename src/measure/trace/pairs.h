/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pairs - which half belongs to which (--between): by equal keys, in order of time.
 *
 *   halves of all CPUs, in any order ─put─▶ held ─step: in order─▶ open `from`s by key ─▶ latencies
 *
 * A `from` is open until the `to` of its key comes.  Where another `from` comes before, the first is unpaired; a `to`
 * without one is, too.  Records that were lost on a CPU from one time to another may have been halves of any key: what
 * was open then, and what comes in between, is lost, never paired by a guess.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_MEASURE_TRACE_PAIRS_H
#define RINGTOP_MEASURE_TRACE_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/slice/latency.h"

#define PAIRS_WORDS 4u		   /* the most of a key */
#define PAIRS_OPEN  (1u << 18) /* that can be open at once; then the oldest are lost */
#define PAIRS_HELD  (2u << 20) /* that can wait for their turn */

/* In order of what comes first at the same time. */
enum pairs_kind { PAIRS_GAP_END, PAIRS_FROM, PAIRS_TO, PAIRS_ENDED, PAIRS_GAP };

#define PAIRS_KIND_BITS 3

/* A half is words: time << PAIRS_KIND_BITS | kind, then the key's. */
static inline uint64_t pairs_stamp(uint64_t time, enum pairs_kind kind)
{
	return time << PAIRS_KIND_BITS | kind;
}

/* The thread is not known: there is no other half. */
#define PAIRS_NOBODY UINT64_MAX

struct pairs;

/* Of keys of so many words, up to PAIRS_WORDS; 0: of threads, in one, some of them PAIRS_NOBODY.  NULL: out of memory. */
struct pairs *pairs_create(unsigned nwords);
void pairs_free(struct pairs *p);

/* Room for so many halves more?  False: PAIRS_HELD, or out of memory. */
bool pairs_room(struct pairs *p, size_t nr);

/* Its stamp, then its key; there is room. */
void pairs_put(struct pairs *p, const uint64_t *half);

/* Take what is not younger than `time` (UINT64_MAX: all). */
void pairs_step(struct pairs *p, uint64_t time, struct slice_latency *to);

/* What is open is lost: nobody looked what came. */
void pairs_break(struct pairs *p, struct slice_latency *to);

/* Nothing comes any more: what is open is unpaired. */
void pairs_end(struct pairs *p, struct slice_latency *to);

size_t pairs_open(const struct pairs *p);
size_t pairs_held(const struct pairs *p); /* wait for their turn */

#endif
