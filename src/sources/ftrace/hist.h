/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hist - what the kernel sums up itself: a hist trigger's words, and what its `hist` file says.
 *
 * Source: Documentation/trace/histogram.rst; kernel/trace/trace_events_hist.c, hist_trigger_entry_print.  A number is
 * printed "%10llu" (with its sign extended to 64 bits), .hex "%llx", a text "%-50s", .execname "%-16s[%10llu]".  Texts
 * are raw: a name may hold what ends an entry.  So names and widths are held against the trigger's, and of a text only what is
 * longer than its width can end where it likes: it harms no other tracepoint's sums, and never the totals.
 *
 * Pure.  Threads: any.
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
		const char *name; /* as the file has it: "id", "common_pid" */
		enum hist_kind kind;
	} key[HIST_KEYS];
	unsigned nkeys;
	const char *sum; /* a field that is added up; NULL: hits alone */
};

struct hist_value {
	uint64_t number;
	const char *text; /* HIST_TEXT, HIST_COMM: len bytes, without the spaces behind them; raw */
	size_t len;
};

struct hist_entry {
	struct hist_value key[HIST_KEYS];
	uint64_t hits, sum;
};

struct hist_totals {
	uint64_t hits;    /* that found their entry */
	uint64_t entries; /* keys */
	uint64_t dropped; /* hits that found no room for a new one */
};

/*
 * All of a file.  0; -EINVAL: it is none of this shape (entries before that place were taken); what `take` returns, if
 * not 0.
 */
int hist_parse(const char *text, size_t len, const struct hist_shape *shape,
	       int (*take)(void *arg, const struct hist_entry *e), void *arg, struct hist_totals *totals);

/*
 * The trigger that makes such a file: "hist:keys=id,common_pid.execname:vals=hitcount,ret:size=8192 if EXPR"; `filter` may be
 * NULL.  `size`: entries, a power of two.  `what`: "", or ":pause" (it is made so, or one that is there stops counting) or ":cont".
 * malloc'ed; NULL: out of memory.
 */
char *hist_trigger(const struct hist_shape *shape, unsigned size, const char *what, const char *filter);

#endif
