/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracingdata - the tracepoint section of a perf.data file (TRACING_DATA): formats, as tracefs had
 * them on the recording machine.
 *
 * Format: tools/perf/util/trace-event-info.c and trace-event-read.c of the kernel, versions 0.5 and
 * 0.6.
 * Threads: pure.
 */
#ifndef RINGTOP_FILES_DECODE_TRACINGDATA_H
#define RINGTOP_FILES_DECODE_TRACINGDATA_H

#include <stddef.h>
#include <stdint.h>

#define TRACINGDATA_FORMAT_MOST (64u << 10) /* bytes of one format; longer ones are skipped */

struct tracingdata_format { /* pointers into the section; text is not NUL-terminated */
	const char *system; /* NUL-terminated */
	const char *text;
	size_t len;
	uint64_t id; /* from its line "ID: n"; 0: none */
};

/*
 * Call `on` for each format until it returns a value other than 0, which is returned. Return 0, or
 * -EBADMSG: malformed or truncated; the formats before that are good.
 */
int tracingdata_walk(const char *bytes, size_t len,
		 int (*on)(void *arg, const struct tracingdata_format *f), void *arg);

/* Parts after the formats, pointers into the section; not NUL-terminated. */
struct tracingdata_rest {
	const char *kallsyms, *printk; /* copies of /proc/kallsyms and of tracefs' printk_formats */
	size_t nkallsyms, nprintk;     /* bytes; 0: none */
	unsigned long_size;            /* bytes of a long of the recorded kernel: 4 or 8 */
};

/*
 * Find the parts after the formats. Return 0, or -EBADMSG: malformed or truncated; the parts before
 * that are good.
 */
int tracingdata_rest(const char *bytes, size_t len, struct tracingdata_rest *rest);

#endif
