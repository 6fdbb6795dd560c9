/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/live/tick.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/atomics.h"
#include "base/clock.h"
#include "base/thread.h"
#include "names/code/codejob.h"
#include "measure/consumers/samplesums.h"
#include "sources/consumers/reader_fields.h"
#include "sources/live/tick_parts.h"
#include "kernel/capture/threadsched.h"
#include "measure/session/measure_config.h"
#include "measure/session/slicer.h"

#define TICK_NS    (100 * NSEC_PER_MSEC)
#define LAST_STACKS_NS NSEC_PER_SEC /* how long the last tick waits for unwinding to end */
#define EAGER_NS   (300 * NSEC_PER_MSEC) /* of the session: its first screen */
#define MANY_COUNTERS 128 /* with more, counters are read once a second */
#define ALL_NS     NSEC_PER_SEC /* how long a CPU may sleep without a request */
#define ALL_EARLY_NS (TICK_NS / 4)
#define TRICKLE    10 /* samples a CPU and second that an idle machine still has */
#define REST_NS    (500 * NSEC_PER_MSEC) /* most time that a late tick leaves to the front end */
#define LATE_TICKS 100 /* ended processes are kept for at most as long, however late a reader is */
#define GONE_TICKS 10 /* ticks between checks for an ended target, and with checks after an EXIT */

/* The first ticks come early: a first screen must not wait for a whole one. */
static const unsigned first_ticks_ms[] = {10, 15, 20, 25, 30, 50};

struct tick {
	const struct tick_parts *p;
	void **parts; /* of the table in tick_parts.c */
	struct slicer slicer;
	int wake_fd;
	pthread_t thread;
	bool running;
	_Atomic bool stop, paused, closing; /* from the front end */
	_Atomic bool over; /* to the front end: the last slice is on its way */

	/* Used by the thread alone. */
	struct tick_now now;
	uint32_t self;      /* ringtop's pid */
	uint32_t late;      /* ticks since all readers were on time */
	uint64_t sideband;  /* perf's clock: the newest sideband record of this tick, or 0 */
	uint64_t settled;   /* perf's clock: the newest record that the last tick saw */
	uint64_t all_due;   /* session time when all readers get a request, with news or not */
	size_t ncounters;
	unsigned gone_until; /* ticks before this one check whether the target has exited */
	uint64_t others;   /* samples in the slice, except the idle task's and ringtop's */
	bool quiet;        /* nothing happens: see is_quiet */
	struct session_end end;
};

/* --- waiting ------------------------------------------------------------------------------ */

enum { POLL_WAKE, POLL_DONE, POLL_NAMES, POLL_CPUS, POLL_FDS };

static void poll_set(struct tick *t, struct pollfd fds[POLL_FDS])
{
	fds[POLL_WAKE] = (struct pollfd){.fd = t->wake_fd, .events = POLLIN};
	fds[POLL_DONE] = (struct pollfd){.fd = t->p->readers->done_fd, .events = POLLIN};
	/* Results awaited on the screen, the first names above all, make a tick of their own. */
	fds[POLL_NAMES] = (struct pollfd){.fd = t->slicer.last_end < EAGER_NS ||
							    codejob_pending(t->p->resolver)
						       ? resolver_fd(t->p->resolver)
						       : -1,
					  .events = POLLIN};
	fds[POLL_CPUS] =
		(struct pollfd){.fd = t->quiet ? hotplug_fd(t->p->hotplug) : -1, .events = POLLIN};
}

/* Sleep until `deadline` or a wake-up; while nothing happens, a reader's wake-up ends it, too. */
static void wait_until(struct tick *t, uint64_t deadline)
{
	struct readers *rs = t->p->readers;
	struct pollfd fds[POLL_FDS];
	uint64_t now;

	if (!t->quiet)
		atomic_store_relaxed(&rs->dozing, false);
	while ((now = clock_ns()) < deadline && !t->stop && !table_pressed(rs->table) &&
	       !unwinding_pressed(rs->unwinding) && !offcpu_pressed(rs->offcpu) &&
	       !between_pressed(rs->between) && atomic_load_relaxed(&rs->dozing) == t->quiet) {
		struct timespec left = clock_timespec(deadline - now);
		eventfd_t count;

		poll_set(t, fds);
		if (ppoll(fds, POLL_FDS, &left, NULL) <= 0)
			continue;
		if (fds[POLL_WAKE].revents)
			eventfd_read(t->wake_fd, &count);
		if (fds[POLL_WAKE].revents || fds[POLL_NAMES].revents ||
		    (fds[POLL_CPUS].revents && hotplug_told(t->p->hotplug)))
			return;
		if (fds[POLL_DONE].revents)
			eventfd_read(rs->done_fd, &count);
	}
}

static bool is_early(const struct tick *t)
{
	return clock_ns() < t->p->scope->zero + t->p->config->start_ns;
}

/*
 * Return true if nothing happens that the front end must see soon: no process came or changed its
 * maps, hardly a sample but the idle task's and ringtop's, and no part has work under way.
 */
static bool is_quiet(const struct tick *t, bool looking)
{
	const struct readers *rs = t->p->readers;
	const struct slice *s = t->now.s;
	uint64_t trickle = TRICKLE * rs->nr * (s->end - s->start) / NSEC_PER_SEC;

	return t->p->config->doze_ns > TICK_NS && !is_early(t) && !t->sideband && !looking &&
	       t->others <= trickle && readers_settled(rs) && !recording_busy(t->p->recording) &&
	       !(rs->unwinding && unwinding_busy(rs->unwinding));
}

/* --- contents of the slice --------------------------------------------------------------- */

static void apply_record(void *arg, const struct record *rec)
{
	struct tick *t = arg;

	if (rec->h->type == PERF_RECORD_FORK)
		accounting_fork(t->p->accounting);
	if (rec->h->type == PERF_RECORD_EXIT)
		t->gone_until = t->now.nr + GONE_TICKS;
	if (t->p->readers->unwinding)
		unwinding_changed(t->p->readers->unwinding, rec);
	if (rec->h->type == PERF_RECORD_EXIT && rec->whole && t->p->readers->offcpu)
		offcpu_exit(t->p->readers->offcpu, rec->task.tid, rec->time);
	if (rec->h->type == PERF_RECORD_EXIT && rec->whole && t->p->readers->between)
		between_exit(t->p->readers->between, rec->task.tid, rec->time);
	resolver_record(t->p->resolver, rec);
	attach_record(t->p->attach, rec);
	snapshots_keep(t->p->snapshots, rec);
}

/* Return the time of the newest record that readers report. */
static uint64_t newest_sample(const struct readers *rs)
{
	uint64_t newest = 0;

	for (unsigned i = 0; i < rs->nr; i++)
		if (rs->reader[i].answered && reader_report(rs->reader[i].reader)->newest > newest)
			newest = reader_report(rs->reader[i].reader)->newest;
	return newest;
}

static struct slicer_sums *sums_of_row(void *arg, struct table_row *row)
{
	struct tick *t = arg;
	unsigned reader = row->key.cpu;
	int cpu = t->p->readers->reader[reader].cpu;

	if (t->p->scope->events.events[row->key.event].role == EVENT_FTRACE)
		row->key.pid = samplesums_process(t->p->resolver, row->key.tid);
	if (row->key.pid && row->key.pid != t->self)
		t->others += row->count.samples;
	row->key.cpu = cpu < 0 ? 0 : (uint16_t)cpu;
	return accounting_sums(t->p->accounting, reader, row->key.event);
}

/* --- one tick ----------------------------------------------------------------------------- */

/* Add a generation's rows and sums by fields, the tick's until the table recycles it. */
static void take_generation(struct tick *t, struct table_gen *gen, struct slice *s)
{
	struct readers *rs = t->p->readers;

	for (unsigned i = 0; i < rs->nr; i++)
		reader_fields_tell(rs->reader[i].reader, table_number(rs->table, gen),
				   t->p->resolver, s);
	slicer_rows(&t->slicer, gen, sums_of_row, t);
}

/* Leave nothing to be unwound: wait for the maps that are being read, and the workers. */
static void finish_unwinding(struct tick *t)
{
	struct unwinding *u = t->p->readers->unwinding;
	uint64_t until = clock_ns() + LAST_STACKS_NS;

	if (unwinding_finish(u, false, until))
		return;
	resolver_collect(t->p->resolver, until);
	unwinding_finish(u, true, until);
}

/* Take the sideband, then all of the generation. */
static void take_tick_rows(struct tick *t)
{
	struct readers *rs = t->p->readers;
	struct tick_now *n = &t->now;
	struct table_gen *gen;

	tick_parts_walk(t->parts, TICK_TAKE, &t->now);
	gen = table_rotate(rs->table);
	if (rs->unwinding)
		unwinding_take(rs->unwinding);
	readers_take_sideband(rs);
	slicer_begin(&t->slicer);
	t->sideband = sideband_apply(rs->sideband, t, apply_record);
	resolver_ready(t->p->resolver);
	requestqueue_pass(t->p->requestqueue, t->p->resolver);
	if (rs->unwinding)
		unwinding_go(rs->unwinding, n->nr);
	take_generation(t, gen, n->s);
	if (!n->last || (!rs->unwinding && !rs->offcpu))
		return;
	/* Ended threads are known by now; events counted until the last request. */
	if (rs->offcpu)
		offcpu_lend(rs->offcpu);
	if (rs->unwinding)
		finish_unwinding(t);
	if (rs->offcpu)
		offcpu_step(rs->offcpu, 0, n->paused ? 0 : n->asked, true);
	take_generation(t, table_rotate(rs->table), n->s);
}

/* Return the time up to which all is in.  `settled`: that of the readers; 0: one is late. */
static uint64_t settled_until(struct tick *t, uint64_t settled)
{
	const struct unwinding *u = t->p->readers->unwinding;
	uint64_t oldest = UINT64_MAX;
	uint32_t ticks = 0;

	if (u)
		oldest = unwinding_oldest(u, t->now.nr, &ticks);
	/* Processes are kept while a late reader still has samples and records of them. */
	t->late = settled ? 0 : t->late + 1;
	ticks = ticks > t->late ? ticks : t->late;
	resolver_hold(t->p->resolver, ticks < LATE_TICKS ? ticks : LATE_TICKS);
	return settled < oldest ? settled : oldest;
}

static __attribute__((format(printf, 3, 4))) void fail(struct tick *t, int error, const char *fmt,
						       ...)
{
	va_list ap;

	if (t->end.error)
		return;
	t->end.error = error;
	va_start(ap, fmt);
	vsnprintf(t->end.text, sizeof(t->end.text), fmt, ap);
	va_end(ap);
}

/*
 * Return true once a second, however idle CPUs are, so that counts are at most that old.  A bit
 * early: an interval of whole seconds, which ends with the first slice beyond it, has just one.
 */
static bool all_are_due(struct tick *t)
{
	uint64_t now = clock_ns() - t->p->scope->zero;

	if (t->now.nr && now + ALL_EARLY_NS < t->all_due)
		return false;
	t->all_due = (now + ALL_EARLY_NS) / ALL_NS * ALL_NS + ALL_NS;
	return true;
}

/*
 * Plan the tick's requests, to all or to readers with news.  Idle times are read before counters.
 */
static void plan_reports(struct tick *t)
{
	struct readers *rs = t->p->readers;
	unsigned what = READER_DRAIN;
	bool any = true;

	if (t->now.all || t->ncounters <= MANY_COUNTERS)
		what |= READER_COUNT;
	if (t->now.all)
		readers_plan(rs, what);
	else
		any = readers_plan_news(rs, what);
	if (any && what & READER_COUNT)
		accounting_look(t->p->accounting, t->now.counted);
}

/* Switch the events.  The last counts are exact when they stand still.  True: that changed. */
static bool switch_events(struct tick *t)
{
	struct readers *rs = t->p->readers;
	struct tick_now *n = &t->now;

	n->counted = !rs->off;
	n->paused = t->paused || is_early(t) || (n->last && rs->off);
	rs->off = n->last || n->paused;
	if (rs->off == !n->counted)
		return false;
	tick_parts_walk(t->parts, TICK_SWITCH, &t->now);
	return true;
}

/* Send the last request.  A reader that is busy with an older one can get it only after that. */
static bool ask_last(struct tick *t)
{
	uint64_t until = clock_ns() + TICK_LAST_NS - READERS_LATE_NS, now;

	readers_wait(t->p->readers, TICK_LAST_NS - READERS_LATE_NS);
	now = clock_ns();
	return readers_ask(t->p->readers, READERS_LATE_NS + (until > now ? until - now : 0));
}

/* Do the work before the slice and send the requests. */
static void ask_readers(struct tick *t)
{
	struct readers *rs = t->p->readers;
	struct tick_now *n = &t->now;

	n->all = switch_events(t) || n->last;
	/* A ring that fills up from here on is not in this slice: no reason to doze behind it. */
	atomic_store_relaxed(&rs->dozing, true);
	tick_parts_walk(t->parts, TICK_CHANGE, &t->now);
	n->all |= all_are_due(t);
	plan_reports(t);
	tick_parts_walk(t->parts, TICK_PLAN, &t->now);
	n->asked = clock_ns();
	n->on_time = n->last ? ask_last(t) : readers_ask(rs, READERS_LATE_NS);
	n->answered = clock_ns();
	if (n->recount)
		t->ncounters = readers_counters(rs);
	n->recount = false;
	if (n->on_time)
		n->horizon = t->settled;
}

/* Close the slice.  Return true if names are still being resolved. */
static bool end_tick_slice(struct tick *t)
{
	uint64_t newest = newest_sample(t->p->readers);
	struct tick_now *n = &t->now;
	bool looking;

	/* All up to the previous tick's newest time is in, unless a reader is late. */
	t->slicer.idle = t->p->readers->off;
	looking = slicer_end(&t->slicer, settled_until(t, n->on_time ? t->settled : 0),
			     clock_ns() - t->p->scope->zero);
	if (n->on_time) {
		t->settled = t->sideband > newest ? t->sideband : newest;
		n->seen = n->asked;
	}
	n->borne = owncost_borne(&t->slicer.own);
	return looking;
}

static void make_tick_slice(struct tick *t, bool last)
{
	const struct readers *rs = t->p->readers;
	/* Rows without their accounts would contradict each other: room for these first. */
	struct slice *s = slicer_open(&t->slicer, (size_t)rs->nr * t->p->scope->events.nr,
				      (t->p->tracing ? 3 : 2) * rs->nr);
	bool looking;

	if (!s) {
		t->quiet = false;
		if (last)
			fail(t, -ENOMEM, "out of memory: the last data is missing");
		return; /* everything stays where it is until the next tick */
	}
	t->now.s = s;
	t->now.last = s->last = last;
	if (!t->now.nr && *t->p->first_log)
		slice_log(s, SLICE_INFO, "%s", t->p->first_log);
	ask_readers(t);
	take_tick_rows(t);
	tick_parts_walk(t->parts, TICK_TELL, &t->now);
	s->nfields = slice_fields_fold(s->fields, s->nfields);
	looking = end_tick_slice(t);
	tick_parts_walk(t->parts, TICK_END, &t->now);
	t->quiet = is_quiet(t, looking);
	t->others = 0;
	t->now.nr++;
	slicer_put(&t->slicer);
}

static void put_to_outbox(void *arg, struct slice *s)
{
	outbox_put(arg, s);
}

/* --- the thread --------------------------------------------------------------------------- */

static bool is_time_over(const struct tick *t)
{
	return t->p->config->end_ns && clock_ns() >= t->p->scope->zero + t->p->config->end_ns;
}

static bool ended_by_itself(struct tick *t)
{
	const struct tick_parts *p = t->p;

	if (is_time_over(t))
		return true;
	if (p->command->pid && command_ended(p->command)) {
		t->end.command = true;
		t->end.command_status = p->command->status;
		return true;
	}
	/* EXIT comes shortly before the target's end; a lost one costs a second. */
	if ((t->now.nr <= t->gone_until || t->now.nr % GONE_TICKS == 0) &&
	    !target_alive(&p->scope->target)) {
		snprintf(t->end.text, sizeof(t->end.text), "all of %s ended",
			 p->scope->target.text);
		return true;
	}
	return false;
}

/*
 * Leave a part of the time that the last tick took to the front end.  Slices wait for it when it
 * gets no CPU beside ringtop's own load: slices made meanwhile would only be merged into them, and
 * the longer that takes the more of them wait.
 */
static void rest(struct tick *t, uint64_t took)
{
	uint64_t until = clock_ns() + (took / 2 < REST_NS ? took / 2 : REST_NS), now;
	struct pollfd fd = {.fd = t->wake_fd, .events = POLLIN};

	while (!t->stop && !is_time_over(t) && outbox_waiting(t->p->outbox) > 1 &&
	       (now = clock_ns()) < until) {
		struct timespec left = clock_timespec(until - now);

		if (ppoll(&fd, 1, &left, NULL) > 0)
			return; /* the wake-up is left to the next wait */
	}
}

/* Return when the next tick is due, after the one at `last`. */
static uint64_t next_deadline(const struct tick *t, uint64_t last)
{
	uint64_t zero = t->p->scope->zero;

	/* The tick that lets the events count is at the requested time. */
	if (is_early(t) && zero + t->p->config->start_ns < last + TICK_NS)
		return zero + t->p->config->start_ns;
	if (t->quiet)
		return zero +
		       ((clock_ns() - zero) / t->p->config->doze_ns + 1) * t->p->config->doze_ns;
	if (t->now.nr < sizeof(first_ticks_ms) / sizeof(*first_ticks_ms))
		return last + first_ticks_ms[t->now.nr] * NSEC_PER_MSEC;
	return last + TICK_NS;
}

static void beat(struct tick *t)
{
	uint64_t deadline = clock_ns(), begun = deadline;

	while (!t->stop) {
		deadline = next_deadline(t, deadline);
		if (deadline < clock_ns()) {
			rest(t, clock_ns() - begun);
			deadline = clock_ns(); /* late: do not catch up with a burst of ticks */
		}
		wait_until(t, deadline);
		if (clock_ns() < deadline)
			deadline = clock_ns(); /* woken early: the beat starts anew */
		if (t->stop || ended_by_itself(t))
			break;
		begun = clock_ns();
		make_tick_slice(t, false);
	}
	t->over = true;
	make_tick_slice(t, true);
}

static void *tick_thread(void *arg)
{
	struct tick *t = arg;
	const struct err *recording = recording_failure(t->p->recording);
	struct err err;

	pthread_setname_np(pthread_self(), "ringtop-tick");
	/* The tick may run ahead of other threads, for its work is bounded. */
	threadsched_hurry(0, &err);
	beat(t);
	if (recording->code)
		fail(t, -recording->code, "%s", recording->text);
	if (t->p->outbox->lost)
		fail(t, -ENOMEM, "out of memory: %u slices are missing", t->p->outbox->lost);
	outbox_end(t->p->outbox, -ESHUTDOWN);
	slicer_linger(&t->slicer, t->wake_fd, &t->closing);
	return NULL;
}

struct tick *tick_create(const struct tick_parts *p, struct err *err)
{
	const struct slicer_config slicer = {.resolver = p->resolver, .table = p->readers->table,
					     .asks = p->requestqueue, .put = put_to_outbox,
					     .arg = p->outbox};
	struct tick *t = calloc(1, sizeof(*t));

	if (t) {
		t->p = p;
		t->self = (uint32_t)getpid();
		t->now = (struct tick_now){.parts = p, .recount = true};
		slicer_init(&t->slicer, &slicer);
		t->parts = tick_parts_create(p);
		t->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	}
	if (t && t->parts && t->wake_fd >= 0)
		return t;
	err_room(err, errno, "the tick");
	tick_free(t);
	return NULL;
}

int tick_start(struct tick *t, struct err *err)
{
	int ret = thread_start(&t->thread, tick_thread, t);

	t->running = !ret;
	return ret ? err_set(err, -ret, "cannot start the tick's thread: %s", strerror(-ret)) : 0;
}

void tick_wake(struct tick *t)
{
	eventfd_write(t->wake_fd, 1);
}

void tick_pause(struct tick *t, bool paused)
{
	t->paused = paused;
}

void tick_stop(struct tick *t)
{
	t->stop = true;
	tick_wake(t);
}

bool tick_stopped(const struct tick *t)
{
	return t->stop || t->over || !t->running;
}

void tick_end(struct tick *t)
{
	if (!t || !t->running)
		return;
	t->stop = t->closing = true;
	tick_wake(t);
	pthread_join(t->thread, NULL);
	t->running = false;
}

void tick_how_ended(const struct tick *t, struct session_end *end)
{
	*end = t->end;
}

void tick_free(struct tick *t)
{
	if (!t)
		return;
	tick_end(t);
	tick_parts_free(t->parts);
	slicer_clear(&t->slicer);
	if (t->wake_fd > 0)
		close(t->wake_fd);
	free(t);
}
