/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracedat_pages - records of a trace.dat: walks the pages of all CPUs in parallel, the oldest
 * record first.
 *
 * Memory: a page for each CPU of each buffer, and a chunk of pages if they are packed; from the
 * head's budget.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_SOURCES_FTRACE_TRACEDAT_PAGES_H
#define RINGTOP_SOURCES_FTRACE_TRACEDAT_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sources/ftrace/tracedat_head.h"

struct tracedat_record {
	const char *data; /* from common_type on; valid until the next call */
	uint32_t len;	  /* at least 8, a multiple of 4 */
	uint32_t buffer, cpu;
	uint64_t time; /* ns, if the clock counts ns */
	uint64_t lost; /* events lost before it in the CPU's buffer */
};

struct tracedat_stream;

struct tracedat_pages {
	struct tracedat_head *head;
	struct tracedat_stream *streams;
	struct tracedat_stream **heap; /* streams that have a record, the oldest first */
	size_t nr, nheap;
	struct tracedat_stream *given; /* stream of the last returned record */
	struct perfdata_unpack unpack;
	char *packed; /* a chunk, in the budget */
	size_t packed_cap;
	bool again; /* second pass: problems are reported, losses are known */
};

struct tracedat_loss { /* losses of one CPU of a buffer */
	uint32_t buffer, cpu;
	uint64_t all;	 /* events */
	uint64_t behind; /* part of all with no record behind them */
	/*
	 * Part of all: one for each loss whose number neither its page nor the kernel's statistics
	 * have.
	 */
	uint64_t guessed;
};

/* Open; h is borrowed. Return 0, or -errno with err. Close in any case. */
int tracedat_pages_open(struct tracedat_pages *p, struct tracedat_head *h, struct err *err);
void tracedat_pages_close(struct tracedat_pages *p);

/*
 * Start from the beginning. Problems of pages are reported in the first pass only. Return 0 or
 * -errno.
 */
int tracedat_pages_rewind(struct tracedat_pages *p);

/* Get the losses of stream i of p->nr: known after one pass; `behind` after the second. */
void tracedat_pages_loss(const struct tracedat_pages *p, size_t i, struct tracedat_loss *loss);

/* Get the next record. Return 1; 0: no more; -errno. */
int tracedat_pages_next(struct tracedat_pages *p, struct tracedat_record *r);

#endif
