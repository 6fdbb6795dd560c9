/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table - the lock-free aggregation table: (event, cpu, task, call path of raw addresses) to
 * samples and weight.
 *
 * Fixed memory in two generations.  Writers (the reader threads) add to the current one; the
 * drainer moves them to the other one and then has the old one to itself.  A row is written in
 * full in the writer's own chunk of the generation's arena and published by one compare-and-swap
 * of its slot.  Only its writer counts in it, with plain additions; writers that come to the same
 * key later, or lost that race, share a second row and add to it atomically.
 *
 * Which calls may overlap (X: yes, -: no), and the progress each guarantees:
 *
 *                       enter/leave  add(other writer)  add(same writer)  rotate  row walk  recycle
 *   table_enter/leave        X              X                  -            X        X         X
 *   table_add                X              X                  -            X        X         X
 *   table_rotate             X              X                  X            -        -         -
 *   table_next, _recycle     X              X                  X            -        -         -
 *   table_pressed            X              X                  X            X        X         X
 *
 * table_add: lock-free; a step is repeated only when another writer filled the very slot or moved
 * the very time of a shared row; wait-free in one's own row.  table_enter: lock-free; repeated only
 * when a rotate fell into it.  table_leave, table_pressed: wait-free.  table_rotate: waits for
 * writers that entered the old generation to leave it (a grace period), so blocking by nature.
 * Row walk and recycle act on a generation that rotate returned: no writer writes it any more.
 *
 * Memory orders, each with its partner, are written at each access in table.c.
 */
#ifndef RINGTOP_CORE_TABLE_TABLE_H
#define RINGTOP_CORE_TABLE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TABLE_PATH_MAX 128 /* addresses in a path (kernel.perf_event_max_stack is 127) */

/*
 * ringtop's own marks in a path, beside the kernel's PERF_CONTEXT_*, which are all among the
 * highest 4095 values too.
 */
#define TABLE_MARK_UNWOUND   ((uint64_t)-4001) /* user addresses follow, to be looked up as they
						* are: a caller's is inside its call already */
#define TABLE_MARK_TRUNCATED ((uint64_t)-4002) /* the path goes on beyond its known part */
#define TABLE_MARK_BROKEN    ((uint64_t)-4003) /* the path goes on, the next caller is lost */
#define TABLE_MARK_WAKER     ((uint64_t)-4004) /* a waker follows: pid << 32 | tid, its path */
#define TABLE_NOBODY         UINT64_MAX /* stands for a task that is not known */
#define TABLE_MARK_WAIT      ((uint64_t)-4005) /* the woken task follows: a mode, then the path of
						* the row's task */
#define TABLE_MARK_UNPROVED ((uint64_t)-4006) /* the next caller is by frame pointer alone: others
					       * may be missing before it */

/* Return true if it is one of these marks.  Chains of a file may contain these values by chance. */
static inline bool table_is_mark(uint64_t word)
{
	return word >= TABLE_MARK_UNPROVED && word <= TABLE_MARK_UNWOUND;
}

/*
 * ringtop's own mode, beside PERF_RECORD_MISC_CPUMODE's, that no record has: the path's one address
 * is the number of an event, whose hits have no address.
 */
#define TABLE_MODE_EVENT 7

struct table_key {
	uint32_t pid, tid;
	uint16_t event;
	uint16_t cpu;
	uint8_t mode; /* PERF_RECORD_MISC_CPUMODE bits of the leaf */
	uint8_t nr;   /* addresses, 1 .. TABLE_PATH_MAX; PERF_CONTEXT_* markers count */
	uint16_t epoch; /* keeps samples of different times apart (split.h); 0: they need not be */
};

struct table_count {
	uint64_t samples, weight;
	uint64_t first, last; /* times of the earliest and the latest sample, perf's clock */
};

struct table;
struct table_gen;

struct table_row {
	struct table_key key;
	struct table_count count;
	const uint64_t *ips; /* key.nr addresses, leaf first; valid until recycled */
};

/*
 * Create a table for `writers` writers (65536 at most); `capacity` rows a generation (in the last
 * 1/16 of that a writer may be refused because other writers have set rows aside); `arena` bytes of
 * row memory a generation, rounded up to at least a few 16 KiB chunks for each writer (a row takes
 * 56 + 8 * nr bytes).  Memory is reserved now and touched when used.  NULL: out of memory, or more
 * than 2^31 rows or 32 GiB wanted.
 */
struct table *table_create(unsigned writers, uint32_t capacity, size_t arena);
void table_free(struct table *t);

/* Begin and end a writer's part; keep that short (one drain): rotate waits for it. */
void table_enter(struct table *t, unsigned writer);
void table_leave(struct table *t, unsigned writer);

/*
 * Return the number, 0 or 1, of the generation that the writer has entered; for its own thread
 * only.  table_number() returns that of a generation that rotate returned.  Data that a writer
 * keeps beside the table for each generation belongs to the writer between enter and leave, and to
 * the drainer between rotate and recycle.
 */
unsigned table_entered(const struct table *t, unsigned writer);

/*
 * Add count to the row of (key, ips), between enter and leave.  False: the generation is full and
 * the row is not in it (or key->nr is out of range); nothing was added, count it as dropped.
 */
bool table_add(struct table *t, unsigned writer, const struct table_key *key, const uint64_t *ips,
	       const struct table_count *count);

/* Return true once the current generation is 3/4 full: the drainer should rotate.  Any thread. */
bool table_pressed(const struct table *t);

/*
 * Drainer only: start a fresh generation and return the old one, after every writer has left it.
 * NULL: the generation of the rotate before has not been recycled; nothing happened.
 */
struct table_gen *table_rotate(struct table *t);

/*
 * Return the rows of a rotated generation one by one: *pos starts at 0.  False: no more.  Each row
 * has been counted at least once.  A key has one row, or two where more than one writer added to
 * it: sum them up.
 */
bool table_next(const struct table_gen *g, size_t *pos, struct table_row *row);
uint32_t table_rows(const struct table_gen *g); /* number of rows, of a rotated generation */
unsigned table_number(const struct table *t, const struct table_gen *g); /* see table_entered */

/*
 * Clear a rotated generation (cost: its rows, not its capacity) and make it available to the next
 * rotate.  Memory far above the usual need of generations goes back to the system.
 */
void table_recycle(struct table *t, struct table_gen *g);

uint32_t table_capacity(const struct table *t); /* rows that fit into a generation */

#endif
