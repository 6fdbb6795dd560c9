/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hist - sums made by the kernel: the text of a hist trigger, and a parser of its `hist` file.
 *
 * Source: Documentation/trace/histogram.rst; kernel/trace/trace_events_hist.c,
 * hist_trigger_entry_print. A number is printed "%10llu" (with its sign extended to 64 bits), .hex
 * "%llx", a text "%-50s", .execname "%-16s[%10llu]". Texts are raw: a name may contain the end of
 * an entry. So names and widths are checked against the trigger's; only a text longer than its
 * width can end an entry early, which harms no other tracepoint's sums, and never the totals.
 *
 * Pure. Threads: any.
 */
#ifndef RINGTOP_SOURCES_FTRACE_HIST_H
#define RINGTOP_SOURCES_FTRACE_HIST_H

#include <stddef.h>
#include <stdint.h>

#define HIST_KEYS 3 /* TRACING_MAP_KEYS_MAX */

enum hist_kind {
	HIST_NUMBER,
	HIST_HEX,
	HIST_TEXT,
	HIST_COMM, /* the name of common_pid, and its number */
};

struct hist_shape {
	struct {
		const char *name; /* as in the file: "id", "common_pid" */
		enum hist_kind kind;
	} key[HIST_KEYS];
	unsigned nkeys;
	const char *sum; /* field to sum; NULL: hits only */
};

struct hist_value {
	uint64_t number;
	/*
	 * HIST_TEXT, HIST_COMM: len raw bytes, without trailing spaces; borrowed from the file's
	 * text
	 */
	const char *text;
	size_t len;
};

struct hist_entry {
	struct hist_value key[HIST_KEYS];
	uint64_t hits, sum;
};

struct hist_totals {
	uint64_t hits;    /* hits that found their entry */
	uint64_t entries; /* keys */
	uint64_t dropped; /* hits that found no room for a new one */
};

/*
 * Parse a whole file; `take` gets each entry. Return 0; -EINVAL: not of this shape (`take` got the
 * entries before that place); the value that `take` returned, if not 0.
 */
int hist_parse(const char *text, size_t len, const struct hist_shape *shape,
	       int (*take)(void *arg, const struct hist_entry *e), void *arg,
	       struct hist_totals *totals);

/*
 * Return the trigger for such a file, malloc'ed:
 * "hist:keys=id,common_pid.execname:vals=hitcount,ret:size=8192 if EXPR"; `filter` may be NULL.
 * `size`: entries, a power of two. `what`: "", ":pause" (create paused, or pause the existing one)
 * or ":cont". NULL: out of memory.
 */
char *hist_trigger(const struct hist_shape *shape, unsigned size, const char *what,
		   const char *filter);

#endif
