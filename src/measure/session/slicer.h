/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slicer - puts rows of the table into slices, for rings and files alike, with ringtop's own
 * figures.
 *
 * Calls per slice, in this order: slicer_open; slicer_begin; the resolver's, for maps and other
 * inputs of names; slicer_rows for each generation; slicer_end; slicer_put.  In between the caller
 * adds accounts, gauges and logs, and sets `last` before the end.  An open slice stays open until
 * it is put, whatever fails.
 *
 * Threads: one owner, the resolver's.
 */
#ifndef RINGTOP_MEASURE_SESSION_SLICER_H
#define RINGTOP_MEASURE_SESSION_SLICER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "names/resolve/resolver.h"
#include "measure/session/requestqueue.h"
#include "measure/session/owncost.h"
#include "core/slice/slice.h"
#include "core/table/combine.h"
#include "core/table/table.h"

struct slicer_config {
	struct resolver *resolver;
	struct table *table;
	struct requestqueue *asks; /* for slicer_linger */
	bool recorded;       /* times are of a file; else slices end now */
	uint64_t start_wall; /* recorded: CLOCK_REALTIME of time 0 */
	void (*put)(void *arg, struct slice *s); /* owns the slice from then on; may block */
	void *arg;
};

struct slicer {
	struct slicer_config config;
	struct slice *slice; /* the open one, or NULL */
	uint64_t last_end;   /* of the last slice, session time */
	uint64_t age;        /* sum of slices with measurements, see resolver_begin */
	/* the open slice has no measurements; set by the owner before its end */
	bool idle;
	/* Figures of the last slice. */
	uint64_t cpu_ns, refusals, maps_forgotten, names_given_up, rss, rss_time;
	struct sandbox_figures helpers[SANDBOX_PROCESSES];
	struct owncost own;
	char memory[sizeof(((struct slice_self *)0)->memory)];
	uint32_t rows_max; /* of a generation, in this slice */
};

/* Running sums of an event's samples on one CPU. */
struct slicer_sums {
	struct combine_total attributed; /* in rows of slices */
	struct combine_total refused;    /* dropped for lack of memory */
};

/* Return the sums in which a row counts, and set its key.cpu for the slice. */
typedef struct slicer_sums *slicer_whose(void *arg, struct table_row *row);

void slicer_init(struct slicer *s, const struct slicer_config *c);
void slicer_clear(struct slicer *s);

/* Open a slice, with room for this many accounts and gauges to add.  NULL: out of memory. */
struct slice *slicer_open(struct slicer *s, size_t accounts, size_t gauges);

/* Let the resolver write to the open slice from now on. */
void slicer_begin(struct slicer *s);

/*
 * Add all rows of a generation, and recycle it.  Return 0, or -ENOMEM: some were dropped, which
 * sums and log have.
 */
int slicer_rows(struct slicer *s, struct table_gen *gen, slicer_whose *whose, void *arg);

/*
 * End the slice at `end`, session time; no row from before `settled`, on perf's clock, will follow.
 * Return true if names are still being resolved.
 */
bool slicer_end(struct slicer *s, uint64_t settled, uint64_t end);

/* Hand the slice to config.put. */
void slicer_put(struct slicer *s);

/*
 * Reply to requests for code after measuring has ended, until `closing` is set and wake_fd
 * readable; wake_fd is also readable when there is a request.
 */
void slicer_linger(struct slicer *s, int wake_fd, const _Atomic bool *closing);

#endif
