/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracing - what a perf.data file says of its tracepoints (TRACING_DATA): their formats, as tracefs had them where it
 * was recorded.
 *
 * Format: tools/perf/util/trace-event-info.c and trace-event-read.c of the kernel, versions 0.5 and 0.6.
 * Threads: pure.
 */
#ifndef RINGTOP_FILES_DECODE_TRACING_H
#define RINGTOP_FILES_DECODE_TRACING_H

#include <stddef.h>
#include <stdint.h>

#define TRACING_FORMAT_MOST (64u << 10) /* bytes of one format; longer ones are passed over */

struct tracing_format { /* where it stands in the section; ended by nothing */
	const char *system; /* a text */
	const char *text;
	size_t len;
	uint64_t id; /* of its line "ID: n"; 0: it has none */
};

/*
 * Calls `on` for each format up to the first for which it says something else than 0, which is then returned.  0;
 * -EBADMSG: it is no such section, or it ends before it should; what came before holds.
 */
int tracing_walk(const char *bytes, size_t len, int (*on)(void *arg, const struct tracing_format *f), void *arg);

struct tracing_rest { /* the parts that stand behind the formats, in place; no NUL ends them */
	const char *kallsyms, *printk; /* copies of /proc/kallsyms and of tracefs' printk_formats */
	size_t nkallsyms, nprintk;     /* bytes; 0: there is none */
	unsigned long_size;            /* bytes of a long where it was recorded: 4 or 8 */
};

/*
 * Find the parts behind the formats.  0; -EBADMSG: it is no such section, or it ends before it should; the parts before
 * that hold.
 */
int tracing_rest(const char *bytes, size_t len, struct tracing_rest *rest);

#endif
