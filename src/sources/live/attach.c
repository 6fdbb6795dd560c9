/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/live/attach.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/log.h"
#include "base/vec.h"
#include "kernel/capture/perfclock.h"
#include "sources/live/pidset.h"
#include "system/proc/procscan.h"

#define ROUNDS	    6 /* rounds in which parents are opened anew */
#define ROUNDS_MOST 16
#define GRACE_NS    (1 * NSEC_PER_MSEC) /* a clone hardly takes longer */
#define EARLY_NS    (10 * NSEC_PER_MSEC) /* and where it was preempted */
#define SWEEPS	    3
#define LATE_SWEEPS 30 /* in as many ticks: a fork in any of them may undo it for all relatives */
#define PATIENCE_NS (2 * NSEC_PER_SEC)

struct attach {
	struct scope *scope;
	struct readers *readers;
	struct resolver *resolver;
	struct counting *counting;
	uint64_t unsure, told;  /* forks so far that may not be measured */
	struct pidset early;    /* threads whose first fork between these times is unsure */
	uint64_t from, until;   /* perf's clock; 0: none */
	bool forks;            /* forks were seen in the last run */
	unsigned sweeps;        /* ticks that are still to enable all events again */
	bool late;              /* a reader did not reply: nothing is open on its CPU */
	uint64_t scan_due;      /* CLOCK_MONOTONIC when to look for a user's new processes */
	pid_t *found;           /* their threads, to be opened in the next tick */
	size_t nfound;
	bool found_late;        /* some of them were opened, on some of the CPUs */
	struct err failure;     /* last failure of a running session, to be logged; code 0: none */
};

struct pids {
	pid_t *pid;
	size_t nr, cap;
};

struct work {
	struct attach *a;
	bool running;         /* the readers get requests; else their part is done in this thread */
	bool again_only;      /* all, or their parents, are measured: AUX events stay */
	bool late;            /* a reader did not reply in time: forks on its CPU are not seen */
	bool failed;          /* out of memory */
	bool aux;             /* threads watched in this round have no AUX event yet */
	bool rest;            /* open what is missing: some were opened, on some CPUs */
	struct pids pids;     /* processes whose threads are looked for in /proc */
	bool finds;           /* look for processes that are new to the target, too */
	struct pidset known;  /* threads that were given counters of their own */
	struct pidset forked; /* seen in FORK records */
	struct pidset forking; /* threads that were seen to fork after their counters were opened */
	struct pids watch, drop, count; /* of this round */
	struct pidset counted;          /* `count` as a set */
	struct pids missed;             /* threads without counters */
	struct pidset missing;
	struct pids again;              /* threads that may have some counters */
	struct pidset doubtful, unknown; /* `again` as a set; threads that may lack counters */
	struct pidset seen;             /* forks of this round that were judged */
	struct pidset first_forks;      /* threads whose first fork after `after` was seen */
	uint64_t unsure;                /* forks in doubt in this round */
	size_t from, open, after;       /* sideband indexes: round, counters, after these */
};

/* --- lists -------------------------------------------------------------------------------- */

static void push_thread(struct work *w, struct pids *list, struct pidset *set, pid_t pid)
{
	int new = set ? pidset_add(set, pid) : 1;

	w->failed |= new < 0 || (new && !VEC_PUSH(list->pid, list->nr, list->cap, pid));
}

static void note_thread(struct work *w, struct pidset *set, pid_t pid)
{
	if (pidset_add(set, pid) < 0)
		w->failed = true;
}

static void clear_round(struct work *w)
{
	w->watch.nr = w->drop.nr = w->count.nr = 0;
	pidset_clear(&w->counted);
}

static void clear_found(struct work *w)
{
	w->missed.nr = w->again.nr = 0;
	w->unsure = 0;
	pidset_clear(&w->missing);
	pidset_clear(&w->doubtful);
	pidset_clear(&w->unknown);
	pidset_clear(&w->seen);
	pidset_clear(&w->first_forks);
}

static void clear_work(struct work *w)
{
	clear_round(w);
	clear_found(w);
	pidset_clear(&w->known);
	pidset_clear(&w->forked);
	pidset_clear(&w->forking);
	free(w->pids.pid);
	free(w->watch.pid);
	free(w->drop.pid);
	free(w->count.pid);
	free(w->missed.pid);
	free(w->again.pid);
}

/* Plan to open a thread in the next round. */
static void plan(struct work *w, pid_t tid)
{
	push_thread(w, pidset_has(&w->known, tid) ? &w->drop : &w->watch, NULL, tid);
	push_thread(w, &w->count, &w->counted, tid);
}

/* --- the readers -------------------------------------------------------------------------- */

static int open_running(struct work *w, const struct reader_tasks *tasks, struct err *err)
{
	struct readers *rs = w->a->readers;
	int ret = 0;

	for (unsigned i = 0; i < rs->nr; i++)
		if (reader_done(rs->reader[i].reader) &&
		    reader_open_new(rs->reader[i].reader, tasks))
			w->failed = true;
	w->late |= !readers_call(rs, READER_OPEN_NEW, PATIENCE_NS);
	for (unsigned i = 0; i < rs->nr; i++) {
		const struct reader_report *rep = reader_report(rs->reader[i].reader);

		if (!rs->reader[i].answered || !rep->open_error)
			continue;
		ret = rep->open_error;
		*err = rep->failure;
	}
	return ret;
}

static int open_tasks(struct work *w, const struct reader_tasks *tasks, struct err *err)
{
	int ret = 0;

	if (w->running)
		return open_running(w, tasks, err);
	for (unsigned i = 0; i < w->a->readers->nr && !ret; i++)
		ret = reader_open_new_now(w->a->readers->reader[i].reader, tasks, err);
	return ret;
}

static size_t take_waiting_sideband(struct work *w)
{
	readers_take_rest(w->a->readers);
	return sideband_waiting(w->a->readers->sideband);
}

/* --- finding threads ---------------------------------------------------------------------- */

/* List threads in /proc.  Those without a FORK record were there before sideband was. */
static void list_threads(struct work *w)
{
	for (size_t i = 0; i < w->pids.nr; i++) {
		size_t nr;
		pid_t *tids = procscan_tids(w->pids.pid[i], &nr);

		for (size_t k = 0; k < nr; k++)
			if (!pidset_has(&w->known, tids[k]))
				push_thread(w, &w->missed, &w->missing, tids[k]);
		free(tids);
	}
}

static void list_found(struct work *w)
{
	const pid_t *fresh;
	size_t nr = target_rescan(&w->a->scope->target, &fresh);

	for (size_t i = 0; i < nr; i++)
		push_thread(w, &w->missed, &w->missing, fresh[i]);
	for (size_t i = 0; i < w->a->scope->target.nfresh_pids; i++)
		push_thread(w, &w->pids, NULL, w->a->scope->target.fresh_pids[i]);
}

/* Drop forked threads: children of threads with sideband are judged by their FORK records. */
static void drop_forked(struct work *w, struct pids *list, struct pidset *set)
{
	struct pids kept = {.pid = NULL};

	pidset_clear(set);
	for (size_t i = 0; i < list->nr; i++)
		if (!pidset_has(&w->forked, list->pid[i]))
			push_thread(w, &kept, set, list->pid[i]);
	free(list->pid);
	*list = kept;
}

/* --- times of forks ----------------------------------------------------------------------- */

static void judge_fork(struct work *w, const struct sideband_fork *f)
{
	bool counted = pidset_has(&w->counted, f->parent);

	if (f->process && w->a->scope->threads_only) { /* it never has counters */
		if (w->a->scope->target.kind == TARGET_USER)
			push_thread(w, &w->missed, &w->missing, f->tid);
		return;
	}
	if (pidset_has(&w->missing, f->parent) || (counted && f->at < w->open)) {
		push_thread(w, &w->missed, &w->missing, f->tid);
		return;
	}
	if (!counted || f->at >= w->after)
		note_thread(w, &w->forking, f->parent);
	/* A child may lack counters that were opened while its parent ran. */
	if (pidset_has(&w->unknown, f->parent) ||
	    (counted && (f->at < w->after || pidset_add(&w->first_forks, f->parent)))) {
		note_thread(w, &w->unknown, f->tid);
		push_thread(w, &w->again, &w->doubtful, f->parent);
		w->unsure++;
	}
	/* Children that a parent in doubt has forked are opened anew with it. */
	if (pidset_has(&w->doubtful, f->parent))
		push_thread(w, &w->again, &w->doubtful, f->tid);
}

/* Judge all by time: a parent's FORK comes first.  Two sideband rings may have the same fork. */
static void judge_all(struct work *w)
{
	size_t nr;
	struct sideband_fork *forks = sideband_forks(w->a->readers->sideband, &nr);

	w->failed |= nr == SIZE_MAX;
	for (size_t i = 0; forks && i < nr; i++)
		if (forks[i].at >= w->from)
			note_thread(w, &w->forked, forks[i].tid);
	w->a->forks = w->forked.nr > 0;
	drop_forked(w, &w->missed, &w->missing);
	for (size_t i = 0; forks && i < nr; i++)
		if (forks[i].at >= w->from && !pidset_has(&w->missing, forks[i].tid) &&
		    !pidset_has(&w->doubtful, forks[i].tid) && pidset_add(&w->seen, forks[i].tid))
			judge_fork(w, &forks[i]);
	free(forks);
}

static void grace(void)
{
	const struct timespec ts = {.tv_nsec = GRACE_NS};

	nanosleep(&ts, NULL);
}

/* --- rounds ------------------------------------------------------------------------------- */

static int round_once(struct work *w, struct err *err)
{
	const struct reader_tasks watch = {.watch = w->watch.pid, .nwatch = w->watch.nr,
					   .missing = w->rest, .aux = w->aux};
	const struct reader_tasks count = {.drop = w->drop.pid, .ndrop = w->drop.nr,
					   .count = w->count.pid, .ncount = w->count.nr,
					   .missing = w->rest};
	int ret = open_tasks(w, &watch, err);

	w->open = take_waiting_sideband(w);
	if (w->rest)
		w->open = w->from; /* threads forked since may have some */
	w->rest = false;
	if (!ret)
		ret = open_tasks(w, &count, err);
	if (!ret && !w->again_only)
		ret = counting_tasks(w->a->counting, &count, err);
	for (size_t i = 0; i < w->count.nr; i++)
		note_thread(w, &w->known, w->count.pid[i]);
	w->after = take_waiting_sideband(w);
	clear_found(w);
	if (w->finds) {
		list_found(w);
		/* A scan of /proc takes long enough for many forks to fill a ring. */
		take_waiting_sideband(w);
	}
	list_threads(w);
	if (w->after > w->open || w->missed.nr) {
		grace();
		take_waiting_sideband(w);
	}
	judge_all(w);
	return w->failed ? -ENOMEM : ret;
}

/* Forget forks of threads that are opened anew: they have not forked with the new counters. */
static void keep_forking(struct work *w)
{
	struct pidset kept = {.slot = NULL};

	for (size_t i = 0; i < w->forking.nslots; i++)
		if (w->forking.slot[i] && !pidset_has(&w->counted, w->forking.slot[i]))
			note_thread(w, &kept, w->forking.slot[i]);
	pidset_clear(&w->forking);
	w->forking = kept;
}

/*
 * Return how many threads that were missed may be opened.  Children that ran already take their
 * room at most, and as many again may be forked while they are opened; threads of a storm of forks
 * beyond that take half of the descriptors that are left, so that counters of threads that have
 * ended since keep no other from being opened.
 */
static size_t room_left(const struct work *w)
{
	size_t room = w->a->scope->target.room, open, each;
	struct rlimit files;

	if (!room || w->known.nr + w->missed.nr < 2 * room || getrlimit(RLIMIT_NOFILE, &files))
		return SIZE_MAX;
	open = procscan_descriptors();
	each = files.rlim_cur / 2 / room + 1;
	return files.rlim_cur > open ? (files.rlim_cur - open) / 2 / each : 0;
}

/* Plan the next round.  Return false if it has nothing to do. */
static bool plan_next(struct work *w, unsigned round)
{
	struct attach *a = w->a;
	size_t room = room_left(w);

	clear_round(w);
	w->aux = !w->again_only;
	if (round >= ROUNDS)
		a->unsure += w->unsure;
	for (size_t i = 0; i < w->missed.nr; i++)
		if (round < ROUNDS_MOST && i < room)
			plan(w, w->missed.pid[i]);
		else
			a->unsure++;
	for (size_t i = 0; i < w->again.nr && round < ROUNDS; i++)
		plan(w, w->again.pid[i]);
	keep_forking(w);
	return w->count.nr;
}

/* Remember the threads that have not been seen to fork since, and may be about to. */
static void watch_early(struct work *w)
{
	struct attach *a = w->a;
	struct clock_relation relation;

	pidset_clear(&a->early);
	a->from = a->until = 0;
	if (perfclock_relate(&relation))
		return;
	a->from = clock_from_monotonic(&relation, clock_ns());
	a->until = a->from + EARLY_NS;
	for (size_t i = 0; i < w->known.nslots; i++)
		if (w->known.slot[i] && !pidset_has(&w->forking, w->known.slot[i]))
			note_thread(w, &a->early, w->known.slot[i]);
}

static int run_rounds(struct work *w, const pid_t *tids, size_t nr, struct err *err)
{
	bool more = true;
	int ret = 0;

	for (size_t i = 0; i < nr; i++)
		plan(w, tids[i]);
	for (unsigned round = 0; more && !ret; round++) {
		ret = round_once(w, err);
		log_msg(LOG_SESSION,
			"attach %u: %zu opened, %zu of them reopened; %zu without events, %zu in "
			"doubt, %llu forks unsure%s",
			round, w->count.nr, w->drop.nr, w->missed.nr, w->again.nr,
			(unsigned long long)w->unsure, w->late ? "; a reader is late" : "");
		w->from = sideband_waiting(w->a->readers->sideband);
		more = plan_next(w, round);
	}
	if (w->failed)
		ret = err_set(err, ENOMEM, "out of memory");
	watch_early(w);
	w->a->late = w->late;
	return ret;
}

/* --- from outside ------------------------------------------------------------------------- */

static void keep_known_threads(struct work *w)
{
	struct target *target = &w->a->scope->target;
	struct pidset there = {.slot = NULL};

	for (size_t i = 0; i < target->ntids; i++)
		note_thread(w, &there, target->tids[i]);
	for (size_t i = 0; i < w->known.nslots; i++)
		if (w->known.slot[i] && !pidset_has(&there, w->known.slot[i]) &&
		    target_add(target, w->known.slot[i]))
			w->failed = true;
	pidset_clear(&there);
}

/* Events that come by ftrace alone have no counters of threads. */
static bool opens_any(const struct event_list *list)
{
	for (unsigned i = 0; i < list->nr; i++)
		if (event_is_opened(&list->events[i]))
			return true;
	return false;
}

int attach_start(struct attach *a, struct err *err)
{
	const struct target *target = &a->scope->target;
	struct work w = {.a = a, .finds = target_finds(target),
			 .from = sideband_waiting(a->readers->sideband)};
	pid_t *tids = malloc(target->ntids * sizeof(*tids) + 1);
	size_t nr = target->ntids;
	int ret;

	if (!tids)
		return err_set(err, ENOMEM, "out of memory");
	counting_clear(a->counting); /* of a try that failed */
	memcpy(tids, target->tids, nr * sizeof(*tids));
	for (size_t i = 0; i < target->npids; i++)
		push_thread(&w, &w.pids, NULL, target->pids[i]);
	for (size_t i = 0; i < target->nfresh_pids; i++)
		push_thread(&w, &w.pids, NULL, target->fresh_pids[i]);
	ret = run_rounds(&w, tids, nr, err);
	keep_known_threads(&w);
	if (!ret && w.failed)
		ret = err_set(err, ENOMEM, "out of memory");
	if (!ret && opens_any(&a->scope->events) && !readers_counters(a->readers))
		ret = err_set(err, ESRCH, "none of the processes to measure exists any more");
	free(tids);
	clear_work(&w);
	return ret;
}

static int finish_running(struct work *w, int ret, const struct err *err)
{
	w->a->failure = ret ? *err : (struct err){.code = 0};
	clear_work(w);
	return ret;
}

/*
 * Find all of these again, not only the threads searched for: others found on the way are open on
 * some CPUs, too.
 */
static void find_again(struct work *w)
{
	struct attach *a = w->a;
	struct pids found = {.pid = NULL};

	for (size_t i = 0; i < w->known.nslots; i++)
		if (w->known.slot[i])
			push_thread(w, &found, NULL, w->known.slot[i]);
	free(a->found);
	a->found = found.pid;
	a->nfound = found.nr;
}

/*
 * Open threads that are not measured yet, and others that their processes have.  Where a reader was
 * late (attach.late) it is to be done again, for the rest.
 */
static void open_more(struct attach *a, const pid_t *tids, size_t nr, const pid_t *pids,
		      size_t npids, bool rest)
{
	struct work w = {.a = a, .running = true, .aux = true, .rest = rest};
	struct err err = {.code = 0};
	int ret;

	for (size_t i = 0; i < npids; i++)
		push_thread(&w, &w.pids, NULL, pids[i]);
	ret = run_rounds(&w, tids, nr, &err);
	keep_known_threads(&w);
	attach_enable(a);
	if (w.late)
		find_again(&w);
	finish_running(&w, ret, &err);
}

/* Open the threads found, except those with inherited events, which are counted already. */
static bool open_found(struct attach *a)
{
	const struct target *target = &a->scope->target;
	bool nobody_has = a->scope->threads_only;
	size_t nr = 0;

	for (size_t i = 0; i < a->nfound; i++)
		if (a->found_late || nobody_has || !resolver_saw_fork(a->resolver, a->found[i]))
			a->found[nr++] = a->found[i];
	a->nfound = 0;
	if (!nr)
		return false;
	open_more(a, a->found, nr, target->fresh_pids, target->nfresh_pids, a->found_late);
	a->found_late = a->late;
	return true;
}

void attach_find(void *attach, struct tick_now *n)
{
	struct attach *a = attach;
	uint64_t now = clock_ns();
	const pid_t *fresh;
	size_t nr;

	/* A late reader can get no request: all at once when it has replied. */
	if (a->scope->target.kind != TARGET_USER || !a->scope->now->by_task ||
	    !readers_all_done(a->readers))
		return;
	if (a->nfound) {
		n->recount |= open_found(a);
		return;
	}
	if (now < a->scan_due)
		return;
	a->scan_due = now + NSEC_PER_SEC;
	nr = target_rescan(&a->scope->target, &fresh);
	free(a->found);
	a->found = nr ? malloc(nr * sizeof(*fresh)) : NULL;
	if (a->found) {
		memcpy(a->found, fresh, nr * sizeof(*fresh));
		a->nfound = nr;
	}
}

int attach_again(struct attach *a, const pid_t *tids, size_t nr, size_t from, bool rest)
{
	struct work w = {.a = a, .running = true, .again_only = true, .rest = rest, .from = from};
	struct err err = {.code = 0};

	return finish_running(&w, run_rounds(&w, tids, nr, &err), &err);
}

bool attach_late(const struct attach *a)
{
	return a->late;
}

void attach_enable(struct attach *a)
{
	for (unsigned i = 0; i < (a->forks ? SWEEPS : 1); i++) {
		if (i)
			grace();
		readers_call(a->readers, READER_ENABLE_NEW, PATIENCE_NS);
		counting_enable_again(a->counting);
	}
	a->sweeps = a->forks ? LATE_SWEEPS : 1;
}

void attach_enable_now(struct attach *a)
{
	for (unsigned i = 0; i < (a->forks ? SWEEPS : 1); i++) {
		if (i)
			grace();
		for (unsigned k = 0; k < a->readers->nr; k++)
			ringset_enable(reader_set(a->readers->reader[k].reader), true);
		counting_enable_again(a->counting);
	}
	a->sweeps = a->forks ? LATE_SWEEPS : 1;
}

void attach_switch(void *attach, struct tick_now *n)
{
	struct attach *a = attach;

	if (!n->parts->readers->off)
		a->sweeps = SWEEPS;
}

void attach_plan(void *attach, struct tick_now *n)
{
	struct attach *a = attach;

	if (n->parts->readers->off || !a->sweeps)
		return;
	a->sweeps--;
	readers_plan(a->readers, READER_ENABLE_NEW);
	counting_enable_again(a->counting);
}

void attach_record(struct attach *a, const struct record *rec)
{
	pid_t parent;

	if (!a->until || rec->h->type != PERF_RECORD_FORK || !rec->whole ||
	    (a->scope->threads_only && rec->task.pid != rec->task.ppid))
		return;
	if (rec->time > a->until) {
		pidset_clear(&a->early);
		a->until = 0;
		return;
	}
	parent = (pid_t)rec->task.ptid;
	if (rec->time <= a->from || !pidset_has(&a->early, parent) ||
	    pidset_has(&a->early, -parent))
		return;
	/* Later forks of this thread began after this one. */
	if (pidset_add(&a->early, -parent) >= 0)
		a->unsure++;
}

void attach_tell(void *attach, struct tick_now *n)
{
	struct attach *a = attach;
	uint64_t fresh = a->unsure - a->told;
	struct slice *s = n->s;

	if (fresh)
		slice_log(s, SLICE_WARNING,
			  "%llu thread%s forked while the events of their parents were opened: it "
			  "is unknown whether they are measured", (unsigned long long)fresh,
			  fresh == 1 ? " was" : "s were");
	s->self.births_unsure = fresh;
	a->told = a->unsure;
	if (a->failure.code)
		slice_log(s, SLICE_WARNING, "not all threads are measured: %s", a->failure.text);
	a->failure.code = 0;
}

struct attach *attach_create(struct scope *scope, struct readers *rs, struct resolver *r,
			     struct counting *c)
{
	struct attach *a = malloc(sizeof(*a));

	if (a)
		*a = (struct attach){.scope = scope, .readers = rs, .resolver = r, .counting = c};
	return a;
}

void attach_free(struct attach *a)
{
	if (!a)
		return;
	pidset_clear(&a->early);
	free(a->found);
	free(a);
}
