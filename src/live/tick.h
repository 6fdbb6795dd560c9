/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tick - the thread behind a live session: one slice every 100 ms, sooner at the start and when
 * the table fills.
 *
 * Threads: tick_start and tick_free from the front end's thread; the rest is said by atomics.
 */
#ifndef RINGTOP_LIVE_TICK_H
#define RINGTOP_LIVE_TICK_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "aux/auxset.h"
#include "capture/cpus.h"
#include "capture/ringset.h"
#include "live/account.h"
#include "live/attach.h"
#include "live/callgraph.h"
#include "live/command.h"
#include "live/idle.h"
#include "live/reader.h"
#include "live/recording.h"
#include "live/sideband.h"
#include "live/target.h"
#include "record/snapshot.h"
#include "resolve/resolver.h"
#include "session/askbox.h"
#include "session/outbox.h"
#include "session/session.h"
#include "session/slicer.h"
#include "table/combine.h"
#include "table/table.h"

#define TICK_NS (100 * 1000000ull)

struct tick_reader {
	struct reader *reader;
	struct auxreader *aux; /* the set's; NULL: none there */
	int cpu; /* -1: of one thread */
	pid_t tid;
	struct account_state *account; /* per event */
	struct account_input *input;   /* per event: as last told by the reader */
	struct slicer_sums *sums;      /* per event: of its rows so far */
	struct lost_rows {
		struct combine_total backlog; /* of it, so far */
		struct combine_total owed[RESOLVER_LOSSES]; /* in no row yet */
	} *lost_rows; /* per event */
	struct idle_watch idle;        /* of its CPU, while a clock is measured */
	struct slice_gauge sideband;   /* of this tick */
	uint64_t lost_before;
	bool asked;                    /* in this tick */
	bool answered;                 /* in this tick, before the table was rotated */
	bool off;                      /* was told not to count */
	char *hold;                    /* where its ring is copied to for a snapshot, or NULL */
	size_t hold_size;
	unsigned reopened, failed;     /* of the last report */
	bool failing;                  /* to open, and the log says so */
};

struct tick {
	/* Set up by live.c before the start. */
	struct callgraph callgraph;
	struct ringset_config rings; /* as the session was opened */
	const struct ringset_config *now; /* as its rings are open now */
	bool no_overwrite;   /* by the user's wish, recording or not */
	struct event_list events;
	struct target target;
	struct attach attach;
	struct command command;
	struct table *table;
	struct split split;
	struct resolver *resolver;
	struct sideband *sideband;
	struct unwinding *unwinding; /* NULL: samples carry no stacks */
	struct auxset *aux;  /* NULL: no AUX event */
	struct snapshots *snapshots;
	struct tick_reader *readers;
	unsigned nfirst;     /* readers of the start */
	unsigned nreaders, capacity; /* there is room for CPUs that were never online yet */
	struct cpus watched; /* CPUs wanted, online or not */
	bool any_cpu;        /* those that come online later are wanted too */
	int realtime;
	struct slicer slicer;
	struct outbox outbox;
	struct askbox askbox;
	struct recording recording;
	struct cputimes *cputimes; /* NULL: no clock is measured */
	uint64_t births;     /* of those measured: each has its own period under way */
	int wake_fd, done_fd;
	uint64_t zero;       /* CLOCK_MONOTONIC of the session's start */
	char *first_log;     /* for the first slice, or NULL */

	/* From the front end. */
	_Atomic bool stop, paused, closing;

	int outstanding; /* shared: readers asked that have not answered */

	/* The thread's own. */
	pthread_t thread;
	bool shallow_said;
	bool running, off; /* off: the events shall not count */
	struct cpus online;
	struct cpus_watch *hotplug;
	uint64_t started, count_due, settled;
	uint64_t answered; /* CLOCK_MONOTONIC: counters were read by then */
	size_t ncounters;
	bool ncounters_stale;
	bool newcomers; /* CPUs that wait for the recording's end */
	unsigned ticks;
	struct flight *flight; /* the snapshot that is being taken in this tick, or NULL */
	struct session_end end;
};

int tick_start(struct tick *t, struct err *err);
void tick_wake(struct tick *t);

/* A snapshot of the AUX areas, as auxset_snapshot; in the tick's thread. */
int tick_copy_aux(struct tick *t, struct aux_copies **copies, struct err *err);

/*
 * The tick's thread: ask all readers that are free for a set of enum reader_request, and wait for
 * them at most `patience` ns.  False: one is late.
 */
bool tick_ask(struct tick *t, unsigned what, uint64_t patience);

/* One more reader, of a CPU or a thread; t->capacity allows it.  It is neither opened nor started. */
int tick_add_reader(struct tick *t, int cpu, pid_t tid, bool offline, struct err *err);

/* Undo the last tick_add_reader. */
void tick_drop_reader(struct tick *t);

/* The readers and their table: to open again with other rings, and in tick_free. */
void tick_free_readers(struct tick *t);

/* Stop, and wait for the thread: the last slice was made, a recording is finished. */
void tick_end(struct tick *t);

/* The same, and free what it used. */
void tick_free(struct tick *t);

#endif
