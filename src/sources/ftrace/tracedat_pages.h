/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracedat_pages - the records of a trace.dat: the pages of its CPUs walked beside each other, the oldest record first.
 *
 * Memory: a page for each CPU of each buffer, and of what is packed a chunk of its pages; from the head's budget.
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
	const char *data; /* from common_type on; until the next call */
	uint32_t len;	  /* 8 at least, a multiple of 4 */
	uint32_t buffer, cpu;
	uint64_t time; /* ns, as far as the clock counts them */
	uint64_t lost; /* before it in the CPU's buffer */
};

struct tracedat_stream;

struct tracedat_pages {
	struct tracedat_head *head;
	struct tracedat_stream *streams;
	struct tracedat_stream **heap; /* of those that have a record, the oldest first */
	size_t nr, nheap;
	struct tracedat_stream *given; /* whose record was given out last */
	struct perfdata_unpack unpack;
	char *packed; /* a chunk, in the budget */
	size_t packed_cap;
	bool again; /* what is wrong has been said, what is lost is known */
};

struct tracedat_loss { /* of one CPU of a buffer */
	uint32_t buffer, cpu;
	uint64_t all;	 /* events */
	uint64_t behind; /* of them, with no record behind them */
	uint64_t guessed; /* of them, one for each time that neither its page nor the kernel's statistics tell how many */
};

/* 0, or -errno with err.  To be closed in any case. */
int tracedat_pages_open(struct tracedat_pages *p, struct tracedat_head *h, struct err *err);
void tracedat_pages_close(struct tracedat_pages *p);

/* From the beginning.  What is wrong with pages is said the first time.  0 or -errno. */
int tracedat_pages_rewind(struct tracedat_pages *p);

/* What stream i of p->nr lost: known once all was read; `behind` once it was read a second time. */
void tracedat_pages_loss(const struct tracedat_pages *p, size_t i, struct tracedat_loss *loss);

/* 1 and *r, 0: there is none any more, -errno. */
int tracedat_pages_next(struct tracedat_pages *p, struct tracedat_record *r);

#endif
