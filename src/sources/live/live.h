/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live - the session that measures this machine: readers into the table, every 100 ms (see doze_ns)
 * a tick that drains it through the resolver into a slice.
 *
 *   tick:  request all readers to read their counters and drain  ─▶  rotate the table  ─▶  take all
 *          sideband, in time order  ─▶  resolve the rows  ─▶  accounts, gauges  ─▶  slice
 *
 * Sideband is taken after the samples: whatever map a sample of the generation needs has been
 * written by then.  Its rings are forward ones, so they can be read from this thread.
 *
 * Threads: the ops from the front end's thread; live_open blocks until the counters run.
 */
#ifndef RINGTOP_SOURCES_LIVE_LIVE_H
#define RINGTOP_SOURCES_LIVE_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "measure/session/session.h"

struct perf_source;

#define COUNTED_DEFAULT "default"

/*
 * Filter for the events of one text, which is in `events` (e), `counted` (S), `ftraces` (f) or
 * aux_event (A).
 */
struct live_filter {
	char of;
	unsigned nr; /* index of the text */
	const char *text;
};

struct live_config {
	struct perf_source *source; /* NULL: the kernel */
	bool all_cpus;
	const char *pids, *tids, *user, *cgroup, *cpus; /* as written */
	char *const *command;
	int command_output; /* fd for COMMAND's output; -1: nowhere */
	bool per_thread, no_inherit;
	const char *const *events; /* texts; none: the default event */
	unsigned nevents;
	const char *const *counted; /* texts of counted events (-S); COUNTED_DEFAULT: the usual */
	unsigned ncounted;
	const char *const *ftraces; /* texts of events that come by ftrace's ring buffer */
	unsigned nftraces;
	bool in_kernel;         /* with `by`: the kernel makes the sums, see inkernel.h */
	const char *by;         /* fields to sum up tracepoints' samples by; NULL: none */
	const struct live_filter *filters; /* in the order in which they were given */
	unsigned nfilters;
	uint64_t period;    /* 0: by frequency */
	uint32_t frequency; /* 0: default; EVENT_FREQUENCY_MAX */
	const char *between;    /* two tracepoints, measure/consumers/between.h; NULL: none */
	unsigned log_lines;     /* lines of the event log in 100 ms, at most; 0: no log */
	bool log_fields;        /* log lines have the records' fields */
	bool log_asked;         /* wanted; else only where samples may carry records */
	bool off_cpu;           /* measure where threads wait, too: sources/consumers/offcpu.h */
	const char *call_graph; /* NULL: none; see sources/change/callgraph.h */
	bool no_lines;          /* do not look for source lines and inlined functions */
	bool debuginfod;        /* get debug files from servers */
	const char *kallsyms;   /* file to read instead of /proc/kallsyms, or NULL */
	const char *symfs;      /* look for files below it, too; NULL: none; kept */
	uint64_t ring_bytes;    /* 0: default */
	uint64_t sideband_pages; /* 0: default */
	bool no_overwrite;
	int realtime;
	unsigned max_cpu;   /* percent of one CPU for each watched CPU, above which events are
			     * sampled less often; 0: no limit */
	uint64_t start_ns;  /* ns after the start when events begin to count; 0: at once */
	uint64_t end_ns;    /* ns after the start when the session ends by itself, however late
			     * its slices are; 0: never */
	const char *aux_event;  /* NULL: none */
	uint64_t aux_bytes;     /* 0: default */
	uint64_t aux_sample_bytes; /* bytes of trace with every sample; 0: none */
	enum aux_mode aux_mode;
	bool aux_measure;       /* snapshot mode: stop for a short time to know the rate */
	const char *record;     /* file to record to from the start, or NULL */
	const char *snapshot_dir; /* NULL: the current directory */
	/*
	 * Slice interval on an idle machine, ns: while nothing happens, slices end at multiples of
	 * it in the session's time; at most a second.  0: slices always come every 100 ms.
	 */
	uint64_t doze_ns;
};

/*
 * Open and start a session, which the caller closes; c's strings are borrowed for as long as it
 * lives.  NULL with err: code EINVAL or ENOENT for wrong usage, EACCES or EPERM for missing rights,
 * others for failures.
 */
struct session *live_open(const struct live_config *c, struct err *err);

#endif
