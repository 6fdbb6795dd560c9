/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * synth - a session made up from a recipe, for tests: no kernel, no clock, the same every time.
 *
 * Slices appear when the test says so (synth_advance) and hold functions, tasks, gauges, accounts
 * whose arithmetic holds, an object that loads and whose frames get names later, ids that are
 * released and given out again, and, where asked, losses, storms and hostile names.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_TESTS_SYNTH_H
#define RINGTOP_TESTS_SYNTH_H

#include <stdbool.h>
#include <stdint.h>

#include "measure/session/session.h"
#include "tests/synth_aux.h"

struct synth_config {
	unsigned cpus;          /* 0: 2 */
	unsigned functions;     /* names besides the fixed cast, spread over objects and tasks */
	unsigned tasks;         /* threads besides the fixed cast */
	unsigned forks;         /* short-lived tasks a tick, each with its ids released 3 ticks later */
	unsigned addresses;     /* addresses a tick that never get a name, new ones every time */
	unsigned strangers;     /* named functions a tick, new ones every time */
	unsigned load_ticks;    /* ticks until the loading object's names come, 0: 5 */
	unsigned second_event;  /* not 0: a tracepoint with this period beside cpu-clock */
	unsigned second_from;   /* the tick from which it has samples */
	bool off_cpu;           /* where threads wait, too; not with second_event */
	uint64_t end_ticks;     /* the session ends by itself after so many, 0: never */
	bool losses;            /* overwritten records on cpu 1 (of several hosts: the last CPU) in every fourth tick, throttles, logs */
	bool hostile;           /* names with escape sequences, bad UTF-8, overlong names */
	bool callchains;        /* call paths, recursion among them; else leaf frames only */
	bool auto_paths;        /* call graph auto, with copies of stacks for two files */
	bool unwind;            /* stacks are copied and unwound, with a backlog that drops some */
	bool costly;            /* measuring costs more than it may, and the rate was stepped down for that */
	bool greedy;            /* what is read of files nears its limit, and some was refused */
	bool astray;            /* with callchains: most paths begin where no map is */
	const char *event;      /* the first event's name, NULL: cpu-clock */
	bool deep;              /* with callchains: recursion 12 deep, inlined, truncated ones */
	bool several;           /* a function has other names at its address, one of them hostile */
	bool doubt;             /* one object has no names, one others' perhaps, one is not known */
	bool jit;               /* generated code that nothing names is one row of its process */
	bool code;              /* the first function's samples are at several addresses */
	bool lines;             /* of some of the cast source lines are known, one of them of two functions */
	bool by_line;           /* with lines: without addresses, as from who sends or saves lines */
	bool by_function;       /* with lines: only their files came, as from who sends or saves functions */
	enum synth_aux aux;     /* AUX areas too */
	bool queued;            /* with off_cpu: a part of each wait was runnable, waiting for a CPU */
	bool unread;            /* nobody read the last CPU's rings and AUX area */
	bool counters;          /* events that are only counted, too */
	bool ftrace;            /* an ftrace ring beside the others */
	bool fields;            /* sums by fields and pairs of tracepoints, too */
	bool stacks;            /* with fields: by CPU and call path instead, each row of the first event */
	bool in_kernel;         /* the sums are the kernel's: without least, most and histogram */
	bool logged;            /* an event log, too: the events are tracepoints */
	bool command;           /* the target is a COMMAND that exits with 3 when the session ends */
	bool file;              /* a file that is being read: a slice in a hundred */
	unsigned hosts;         /* machines that are not this one, each with `cpus`, and the cast's pids on all */
	unsigned cut_from, cut_to; /* ticks in which the last of them is cut off */
	unsigned shift;         /* from this tick on functions have other shares, one is gone, one new; 0: never */
	bool host_shift;        /* the same of the last host, from the start on */
	unsigned idle;          /* of 100 samples so many are the kernel's idle loop; at most 10 */
	bool owned;             /* users, cgroups and parents of tasks are known, but for some */
	bool one;               /* one process is measured, and /proc/stat says what all CPUs did: 3/4 busy, the last 1/4 */
	unsigned nodes;         /* NUMA nodes, each of two runs of CPUs; those of odd nodes are less busy, and a host steals */
	unsigned shared;        /* events take turns on the hardware: the first has a counter for so many of 100 ns, the second for the rest */
	bool barred;            /* the second event never has a counter */
	bool quiet;             /* no rows at all: an idle machine */
	int fail;               /* next() fails with this -errno after end_ticks */
};

/* NULL config: all defaults.  NULL: out of memory.  Close with session_close. */
struct session *synth_session_create(const struct synth_config *config);

/* Make the next `ticks` slices (100 ms each, times exact) ready to be taken. */
void synth_advance(struct session *s, unsigned ticks);

/* What went in so far, to compare with what comes out. */
struct synth_truth {
	uint64_t ticks, samples, weight, self_weight;
	uint64_t lost_weight, lost_samples;
	uint64_t tasks; /* threads that ever had a sample */
};

void synth_truth(const struct session *s, struct synth_truth *t);

#endif
