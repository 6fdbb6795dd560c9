/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracedat_head - the head of a trace.dat: formats, names of tasks, clock, and the places of the
 * pages of each CPU of each buffer.
 *
 *   version 6   parts in a row; options; a table of CPUs; other instances' tables by an option each
 *   version 7   sections, found by lists of options (tracedat_sections.c), maybe packed by zstd
 *
 * The file is not trusted: sizes are checked against limits and the file, and memory comes from the
 * budget. Faults in dispensable parts only give a remark, or are noted as the first problem.
 *
 * Format: trace-cmd.dat.v6(5), trace-cmd.dat.v7(5).
 * Threads: one owner. No I/O but by the source's read().
 */
#ifndef RINGTOP_SOURCES_FTRACE_TRACEDAT_HEAD_H
#define RINGTOP_SOURCES_FTRACE_TRACEDAT_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/budget.h"
#include "base/err.h"
#include "files/decode/perfwrite.h"
#include "sources/ftrace/stats.h"
#include "sources/ftrace/tracedat_input.h"
#include "measure/trace/page.h"

#define TRACEDAT_MAGIC_BYTES 10
#define TRACEDAT_TEXT	     512u
#define TRACEDAT_REMARK	     256u
#define TRACEDAT_BUFFERS     64u

struct tracedat_buffer { /* buffer of one instance */
	char name[64];      /* "": the top instance */
	uint32_t page_size; /* 0: size in header_page */
};

struct tracedat_cpu { /* place of a CPU's pages */
	uint32_t buffer, cpu;
	uint64_t at, size; /* in the file */
	bool packed;
};

struct tracedat_stats { /* kernel's statistics of a CPU's buffer at the end */
	char buffer[64];
	uint32_t cpu;
	struct ftrace_stats is;
};

struct tracedat_clock {
	uint32_t mult, shift; /* 0: its counts are ns */
	int64_t offset;	      /* ns to add */
	char other[32];	      /* clock's name, if it does not count ns itself */
};

struct tracedat_head {
	const struct perfdata_source *file;
	unsigned version;
	bool big, swap;
	struct tracedat_input in;
	const char *part; /* name of the part being read, for errors */
	struct budget budget;
	struct perfwrite formats; /* in perf.data's layout (files/decode/tracingdata.h) */
	uint64_t formats_taken;	  /* bytes taken from the budget */
	struct page_layout layout;
	char *names; /* lines "TID NAME", ended by a NUL; NULL: none */
	char *printk; /* the copy of printk_formats, ended by a NUL; NULL: none */
	uint64_t kallsyms; /* offset in the file of their size, which precedes them; 0: none */
	bool kallsyms_section;
	char host[65], release[65];
	struct tracedat_clock clock;
	struct tracedat_buffer *buffers;
	struct tracedat_cpu *cpus;
	struct tracedat_stats *stats;
	size_t nbuffers, cap_buffers, ncpus, cap_cpus, nstats, cap_stats;
	char stats_of[64];  /* buffer that the next statistics belong to */
	uint64_t ncpu;	    /* highest CPU number plus one */
	struct err problem; /* first problem that did not end the reading */
	uint64_t problems;
	char remark[TRACEDAT_REMARK]; /* other remarks for the user */
};

/* Read the head; file is borrowed. Return 0, or -errno with err. Clear in any case. */
int tracedat_head_read(struct tracedat_head *h, const struct perfdata_source *file,
		       struct err *err);
void tracedat_head_clear(struct tracedat_head *h);

/* Return the kernel's statistics of a CPU's buffer, borrowed; NULL: not in the file. */
const struct ftrace_stats *tracedat_head_stats(const struct tracedat_head *h,
					       const struct tracedat_cpu *cpu);

/*
 * Get the file's copy of kallsyms; the caller frees with budget_free. Return 0, with *text NULL if
 * it has none; -errno: it cannot be read.
 */
int tracedat_head_kallsyms(struct tracedat_head *h, char **text, size_t *len);

/*
 * Add the parts that follow the formats in perf.data files: the copies of kallsyms and of
 * printk_formats, and an end. Call once; a file of the other byte order gets no copies.
 */
void tracedat_head_add_rest(struct tracedat_head *h);

void tracedat_complain(struct tracedat_head *h, const char *what, uint64_t at);
void tracedat_remark(struct tracedat_head *h, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* --- for tracedat_sections.c ------------------------------------------------------------------ */

enum tracedat_option {
	TRACEDAT_DONE = 0,
	TRACEDAT_DATE = 1,
	TRACEDAT_CPUSTAT = 2,
	TRACEDAT_BUFFER = 3,
	TRACEDAT_CLOCK = 4,
	TRACEDAT_UNAME = 5,
	TRACEDAT_OFFSET = 7,
	TRACEDAT_CPUCOUNT = 8,
	TRACEDAT_TIME_SHIFT = 12,
	TRACEDAT_TSC2NSEC = 14,
	TRACEDAT_HEADER_INFO = 16,
	TRACEDAT_FTRACE_FORMATS,
	TRACEDAT_FORMATS,
	TRACEDAT_KALLSYMS,
	TRACEDAT_PRINTK,
	TRACEDAT_CMDLINES,
	TRACEDAT_BUFFER_TEXT
};

/* Read an option that both versions have; h->in is behind it afterwards, whatever it contains. */
int tracedat_take_option(struct tracedat_head *h, struct tracedat_input *in, uint64_t id,
			 uint64_t len);

/* Append `len` bytes of in to the formats. */
int tracedat_add_formats(struct tracedat_head *h, struct tracedat_input *in, uint64_t len);
int tracedat_take_names(struct tracedat_head *h, struct tracedat_input *in);
int tracedat_take_printk(struct tracedat_head *h, struct tracedat_input *in);
int tracedat_add_buffer(struct tracedat_head *h, const char *name, uint32_t page_size);
int tracedat_add_cpu(struct tracedat_head *h, uint64_t cpu, uint64_t at, uint64_t size,
		     bool packed);
void tracedat_set_clock(struct tracedat_head *h, const char *name);

#endif
