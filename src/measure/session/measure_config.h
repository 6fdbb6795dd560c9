/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * measure_config - what is to be measured or read, and how: one struct from the command line, whose
 * options fill it in, to the session that carries it out, live (sources/live/live.h) or of a file
 * (sources/replay/filesession.h).  All 0 is the default.
 */
#ifndef RINGTOP_MEASURE_SESSION_MEASURE_CONFIG_H
#define RINGTOP_MEASURE_SESSION_MEASURE_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

struct perf_source; /* kernel/capture/open.h */

#define COUNTED_DEFAULT "default"

/* A --filter, for the events of one text, or of aux_event. */
struct measure_filter {
	char letter; /* e: of `events`, S: `counted`, f: `ftraces`, A: aux_event */
	unsigned nr; /* index of the text */
	const char *text;
};

struct measure_config {
	/* targets; lists are texts as written */
	bool all_cpus;          /* -a */
	const char *pids;       /* -p */
	const char *tids;       /* -t */
	const char *user;       /* -u, name or number */
	const char *cgroup;     /* -G, a path */
	const char *cpus;       /* -C */
	bool per_thread;        /* --per-thread */
	bool no_inherit;        /* --no-inherit */
	char *const *command;   /* COMMAND [ARG...], NULL: none */
	const char *input;      /* -i: a perf.data file; "-": the standard input, in pipe format */
	/* events; texts in the order in which they were given */
	const char *const *events; /* -e; none: the default event */
	unsigned nevents;
	const char *const *counted; /* -S; COUNTED_DEFAULT: the usual */
	unsigned ncounted;
	const char *const *ftraces; /* --ftrace */
	unsigned nftraces;
	const struct measure_filter *filters; /* --filter */
	unsigned nfilters;
	const char *between;    /* --between, two tracepoints; NULL: none */
	const char *by;         /* --by, fields of tracepoints' records; NULL: none */
	bool in_kernel;         /* --in-kernel: the kernel makes the sums of `by` */
	bool off_cpu;           /* --off-cpu: measure where threads wait, too */
	uint32_t frequency;     /* -F Hz, EVENT_FREQUENCY_MAX; 0: default */
	uint64_t period;        /* -c; 0: by frequency */
	const char *call_graph; /* --call-graph, -g: auto; NULL: none */
	bool log_events;        /* --log-events; else they are logged where records may be read */
	/* names */
	bool no_lines;          /* --no-lines: neither source lines nor inlined functions */
	bool debuginfod;        /* --debuginfod: get debug files from servers; of a file, wait */
	const char *vmlinux;    /* --vmlinux FILE, of a file's kernel; NULL: not given */
	const char *kallsyms;   /* --kallsyms FILE, instead of /proc/kallsyms; NULL: not given */
	const char *symfs;      /* --symfs DIR, look for files below it, too; NULL: not given */
	/* rings */
	uint64_t ring_bytes;    /* -m: bytes (pages already multiplied); 0: default */
	uint64_t sideband_pages; /* 0: default */
	bool no_overwrite;      /* --no-overwrite */
	int realtime;           /* --realtime PRIO; 0: not given */
	uint64_t max_cpu;       /* --max-cpu, percent of one CPU for each watched CPU, above which
				 * events are sampled less often; 0: no limit */
	uint64_t start_ns;      /* --delay-start, ns after the start when events begin to count */
	/* hardware trace */
	const char *aux_event;  /* -A; NULL: none */
	uint64_t aux_bytes;     /* --aux-size; 0: default */
	uint64_t aux_sample_bytes; /* --aux-sample-size: bytes of trace with every sample */
	bool aux_full;          /* --aux-mode full */
	bool aux_measure;       /* --aux-measure: stop for a short time to know the rate */
	/* files */
	const char *record;     /* -w: a perf.data file to record to; NULL: none */
	const char *snapshot_dir; /* --snapshot-dir; NULL: the current directory */

	/* No options, but what the front end needs. */
	struct perf_source *source; /* NULL: the kernel */
	bool screen;            /* the terminal is the screen's: COMMAND must not write to it */
	int stop_fd;            /* readable: give up opening, which may take long; 0, -1: none */
	unsigned log_lines;     /* event log lines in 100 ms at most; 0: none */
	bool log_fields;        /* log lines have the records' fields */
	/*
	 * Slice interval on an idle machine, ns: while nothing happens, slices end at multiples of
	 * it in the session's time; at most a second.  0: slices always come every 100 ms.
	 */
	uint64_t doze_ns;
	uint64_t end_ns;        /* ns after the start when the session ends by itself, however late
				 * its slices are; 0: never */
};

#endif
