/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracedat_head - what a trace.dat says of itself: formats, names of tasks, clock, and where the pages of each CPU of
 * each buffer are.
 *
 *   version 6   one part after the other; options; a table of CPUs; other instances' tables by an option each
 *   version 7   sections, found by lists of options (tracedat_sections.c), which zstd may have packed
 *
 * Nothing in it is believed: sizes are held to bounds and to the file, and memory is the budget's.  What can be done
 * without is a remark, or the first thing that is wrong.
 *
 * Format: trace-cmd.dat.v6(5), trace-cmd.dat.v7(5).
 * Threads: one owner.  No I/O but by the source's read().
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

struct tracedat_buffer { /* of one instance */
	char name[64];      /* "": the top one */
	uint32_t page_size; /* 0: as header_page says */
};

struct tracedat_cpu { /* whose pages */
	uint32_t buffer, cpu;
	uint64_t at, size; /* in the file */
	bool packed;
};

struct tracedat_stats { /* what the kernel said of a CPU's buffer at the end */
	char buffer[64];
	uint32_t cpu;
	struct ftrace_stats is;
};

struct tracedat_clock {
	uint32_t mult, shift; /* 0: its counts are ns */
	int64_t offset;	      /* ns that are added */
	char other[32];	      /* its name, where it counts no ns by itself */
};

struct tracedat_head {
	const struct perfdata_source *file;
	unsigned version;
	bool big, swap;
	struct tracedat_input in;
	const char *part; /* that is being read: for errors */
	struct budget budget;
	struct perfwrite formats; /* as perf.data files have them (files/decode/tracing.h) */
	uint64_t formats_taken;	  /* of the budget */
	struct page_layout layout;
	char *names; /* lines "TID NAME", ended by a NUL; NULL: none */
	char *printk; /* the copy of printk_formats, ended by a NUL; NULL: none */
	uint64_t kallsyms; /* where they are, their size before them; 0: there are none */
	bool kallsyms_section;
	char host[65], release[65];
	struct tracedat_clock clock;
	struct tracedat_buffer *buffers;
	struct tracedat_cpu *cpus;
	struct tracedat_stats *stats;
	size_t nbuffers, cap_buffers, ncpus, cap_cpus, nstats, cap_stats;
	char stats_of[64];  /* the buffer whose statistics come next */
	uint64_t ncpu;	    /* one more than the highest number */
	struct err problem; /* the first thing that is wrong, but did not end it */
	uint64_t problems;
	char remark[TRACEDAT_REMARK]; /* what else is to be known */
};

/* 0, or -errno with err.  To be cleared in any case. */
int tracedat_head_read(struct tracedat_head *h, const struct perfdata_source *file, struct err *err);
void tracedat_head_clear(struct tracedat_head *h);

/* What the kernel said of a CPU of a buffer; NULL: the file does not tell. */
const struct ftrace_stats *tracedat_head_stats(const struct tracedat_head *h, const struct tracedat_cpu *cpu);

/* The file's copy of kallsyms, to be freed by budget_free.  0 and NULL: it has none; -errno: they cannot be read. */
int tracedat_head_kallsyms(struct tracedat_head *h, char **text, size_t *len);

/*
 * Add the parts that stand behind the formats in perf.data files: the copies of kallsyms and of printk_formats, and an
 * end.  To be called once; a file of the other byte order gets no copies.
 */
void tracedat_head_add_rest(struct tracedat_head *h);

void tracedat_complain(struct tracedat_head *h, const char *what, uint64_t at);
void tracedat_remark(struct tracedat_head *h, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* --- for tracedat_sections.c ------------------------------------------------------------------- */

enum tracedat_option { TRACEDAT_DONE = 0, TRACEDAT_DATE = 1, TRACEDAT_CPUSTAT = 2, TRACEDAT_BUFFER = 3,
		       TRACEDAT_CLOCK = 4, TRACEDAT_UNAME = 5, TRACEDAT_OFFSET = 7, TRACEDAT_CPUCOUNT = 8, TRACEDAT_TIME_SHIFT = 12, TRACEDAT_TSC2NSEC = 14,
		       TRACEDAT_HEADER_INFO = 16, TRACEDAT_FTRACE_FORMATS, TRACEDAT_FORMATS, TRACEDAT_KALLSYMS,
		       TRACEDAT_PRINTK, TRACEDAT_CMDLINES, TRACEDAT_BUFFER_TEXT };

/* An option that both versions have; h->in is behind it afterwards, whatever it says. */
int tracedat_take_option(struct tracedat_head *h, struct tracedat_input *in, uint64_t id, uint64_t len);

/* `len` bytes of in, behind the formats that there are. */
int tracedat_add_formats(struct tracedat_head *h, struct tracedat_input *in, uint64_t len);
int tracedat_take_names(struct tracedat_head *h, struct tracedat_input *in);
int tracedat_take_printk(struct tracedat_head *h, struct tracedat_input *in);
int tracedat_add_buffer(struct tracedat_head *h, const char *name, uint32_t page_size);
int tracedat_add_cpu(struct tracedat_head *h, uint64_t cpu, uint64_t at, uint64_t size, bool packed);
void tracedat_set_clock(struct tracedat_head *h, const char *name);

#endif
