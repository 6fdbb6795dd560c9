/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slicer - rows of the table to slices, for rings and files alike, and what a slice says of ourselves.
 *
 * Per slice, in this order: slicer_open; slicer_begin; what the rows' names depend on, to the resolver;
 * slicer_rows of each generation; slicer_end; slicer_put.  In between the caller adds accounts, gauges and
 * logs, and sets `last` before the end.  A slice that is open stays so until it is put, whatever fails.
 *
 * Threads: one owner, the resolver's.
 */
#ifndef RINGTOP_MEASURE_SESSION_SLICER_H
#define RINGTOP_MEASURE_SESSION_SLICER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "names/resolve/resolver.h"
#include "measure/session/askbox.h"
#include "measure/session/owncost.h"
#include "core/slice/slice.h"
#include "core/table/combine.h"
#include "core/table/table.h"

struct slicer_config {
	struct resolver *resolver;
	struct table *table;
	struct askbox *asks; /* for slicer_linger */
	bool recorded;       /* else slices end now */
	uint64_t start_wall; /* recorded: CLOCK_REALTIME of time 0 */
	void (*put)(void *arg, struct slice *s); /* takes the slice; may wait */
	void *arg;
};

struct slicer {
	struct slicer_config config;
	struct slice *slice; /* that is open, or NULL */
	uint64_t last_end;   /* of the slice before, session time */
	uint64_t age;        /* of all slices before in which something was measured: see resolver_begin */
	bool idle;           /* nothing is measured in the one that is open; the owner sets it before its end */
	/* As they were told last. */
	uint64_t cpu_ns, refusals, maps_forgotten, names_given_up, rss, rss_time;
	struct fence_figures helpers[FENCE_PROCESSES];
	struct owncost own;
	char memory[sizeof(((struct slice_self *)0)->memory)];
	uint32_t rows_max; /* of a generation, in this slice */
};

/* What became of an event's samples on one CPU: running sums. */
struct slicer_sums {
	struct combine_total attributed; /* in rows of slices */
	struct combine_total refused;    /* for which there was no memory */
};

/* Whose sums a row counts in, and its key.cpu as the slice shall have it. */
typedef struct slicer_sums *slicer_whose(void *arg, struct table_row *row);

void slicer_init(struct slicer *s, const struct slicer_config *c);
void slicer_clear(struct slicer *s);

/* A slice with room for so many accounts and gauges: adding them does not fail.  NULL: out of memory. */
struct slice *slicer_open(struct slicer *s, size_t accounts, size_t gauges);

/* What the resolver says from here on goes into it. */
void slicer_begin(struct slicer *s);

/* All rows of a generation, which is recycled.  0, or -ENOMEM: not of all, as sums and log say. */
int slicer_rows(struct slicer *s, struct table_gen *gen, slicer_whose *whose, void *arg);

/*
 * It ends at `end`, session time; no row from before `settled`, perf's clock, will come any more.
 * True: names are still being looked for.
 */
bool slicer_end(struct slicer *s, uint64_t settled, uint64_t end);

void slicer_put(struct slicer *s);

/*
 * Nothing is measured any more, but what was can be asked about: put answers, until `closing` is set
 * and wake_fd readable, which is readable too when something is asked.
 */
void slicer_linger(struct slicer *s, int wake_fd, const _Atomic bool *closing);

#endif
