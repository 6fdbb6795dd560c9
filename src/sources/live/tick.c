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
#include "sources/change/autopaths.h"
#include "sources/change/pace.h"
#include "measure/consumers/samplesums.h"
#include "sources/consumers/tracing.h"
#include "sources/consumers/reader_fields.h"
#include "sources/record/sched.h"
#include "measure/session/slicer.h"

#define TICK_NS    (100 * NSEC_PER_MSEC)
#define LAST_NS    (2 * NSEC_PER_SEC) /* how long the last tick, which has no next, waits */
#define LAST_STACKS_NS NSEC_PER_SEC /* how long it waits for stacks that are being unwound */
#define LAST_NAMES_NS (500 * NSEC_PER_MSEC) /* how long it waits for names */
#define EAGER_NS   (300 * NSEC_PER_MSEC) /* of the session: its first screen */
#define SHALLOW_NS (2 * NSEC_PER_SEC) /* session time after which shallow stacks are logged */
#define SNAPSHOT_NS (10 * NSEC_PER_SEC) /* how long the end waits for a snapshot's file */
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
	struct tick_parts p;
	struct slicer slicer;
	struct pace pace;
	struct autopaths autopaths;
	int wake_fd;
	pthread_t thread;
	bool running;
	_Atomic bool stop, paused, closing; /* from the front end */
	_Atomic bool over; /* to the front end: the last slice is on its way */

	/* Used by the thread alone. */
	uint32_t self;      /* ringtop's pid */
	unsigned ticks;
	uint32_t late;      /* ticks since all readers were on time */
	uint64_t answered;  /* CLOCK_MONOTONIC: counters were read by then */
	uint64_t asked;     /* CLOCK_MONOTONIC: records from before it are in, if all replied */
	uint64_t seen;      /* `asked` of the newest earlier tick in which all did */
	uint64_t settled;   /* perf's clock: the newest record that the last tick saw */
	uint64_t horizon;   /* perf's clock: older records have been read */
	uint64_t all_due;   /* session time when all readers get a request, with news or not */
	size_t ncounters;
	bool ncounters_stale;
	bool all;          /* all readers had a request in this tick */
	unsigned gone_until; /* ticks before this one check whether the target has exited */
	bool shallow_said;
	uint64_t others;   /* samples in the slice, except the idle task's and ringtop's */
	bool quiet;        /* nothing happens: see is_quiet */
	struct session_end end;
};

/* --- waiting ------------------------------------------------------------------------------ */

enum { POLL_WAKE, POLL_DONE, POLL_NAMES, POLL_CPUS, POLL_FDS };

static void poll_set(struct tick *t, struct pollfd fds[POLL_FDS])
{
	fds[POLL_WAKE] = (struct pollfd){.fd = t->wake_fd, .events = POLLIN};
	fds[POLL_DONE] = (struct pollfd){.fd = t->p.readers->done_fd, .events = POLLIN};
	/* Results awaited on the screen, the first names above all, make a tick of their own. */
	fds[POLL_NAMES] = (struct pollfd){.fd = t->slicer.last_end < EAGER_NS ||
							    codejob_pending(t->p.resolver)
						       ? resolver_fd(t->p.resolver)
						       : -1,
					  .events = POLLIN};
	fds[POLL_CPUS] = (struct pollfd){.fd = t->quiet ? hotplug_fd(t->p.hotplug) : -1, .events = POLLIN};
}

/* Sleep until `deadline` or a wake-up; while nothing happens, a reader's wake-up ends it, too. */
static void wait_until(struct tick *t, uint64_t deadline)
{
	struct readers *rs = t->p.readers;
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
		    (fds[POLL_CPUS].revents && hotplug_told(t->p.hotplug)))
			return;
		if (fds[POLL_DONE].revents)
			eventfd_read(rs->done_fd, &count);
	}
}

static bool is_early(const struct tick *t)
{
	return clock_ns() < t->p.scope->zero + t->p.start_ns;
}

/*
 * Return true if nothing happens that the front end must see soon: no process came or changed its
 * maps, hardly a sample but the idle task's and ringtop's, and no part has work under way.
 */
static bool is_quiet(const struct tick *t, const struct slice *s, uint64_t sideband, bool looking)
{
	const struct tick_parts *p = &t->p;
	uint64_t trickle = TRICKLE * p->readers->nr * (s->end - s->start) / NSEC_PER_SEC;

	return p->doze_ns > TICK_NS && !is_early(t) && !sideband && !looking && t->others <= trickle &&
	       readers_settled(p->readers) && !recording_busy(p->recording) &&
	       !(p->readers->unwinding && unwinding_busy(p->readers->unwinding));
}

/* --- contents of the slice --------------------------------------------------------------- */

static void apply_record(void *arg, const struct record *rec)
{
	struct tick *t = arg;

	if (rec->h->type == PERF_RECORD_FORK)
		accounting_fork(t->p.accounting);
	if (rec->h->type == PERF_RECORD_EXIT)
		t->gone_until = t->ticks + GONE_TICKS;
	if (rec->h->type == PERF_RECORD_EXIT && rec->whole && t->p.readers->offcpu)
		offcpu_exit(t->p.readers->offcpu, rec->task.tid, rec->time);
	if (rec->h->type == PERF_RECORD_EXIT && rec->whole && t->p.readers->between)
		between_exit(t->p.readers->between, rec->task.tid, rec->time);
	resolver_record(t->p.resolver, rec);
	attach_record(t->p.attach, rec);
	snapshots_keep(t->p.snapshots, rec);
}

/* Add accounts and gauges of readers [from, to).  Return the time of their newest record. */
static uint64_t add_reports(struct tick *t, unsigned from, unsigned to, struct slice *s)
{
	uint64_t newest = 0;

	for (unsigned i = from; i < to; i++) {
		const struct live_reader *lr = &t->p.readers->reader[i];

		accounting_add(t->p.accounting, i, t->answered, s);
		gauges_add(t->p.gauges, i, s);
		if (!lr->answered)
			continue;
		if (t->p.logging && reader_report(lr->reader)->log)
			logging_take(t->p.logging, lr->cpu, reader_report(lr->reader)->log);
		reader_log_taken(lr->reader);
		hotplug_tell(t->p.hotplug, i, s);
		if (reader_report(lr->reader)->newest > newest)
			newest = reader_report(lr->reader)->newest;
	}
	return newest;
}

static void add_aux(struct tick *t, unsigned from, unsigned to, struct slice *s)
{
	const struct readers *rs = t->p.readers;
	unsigned nr = 0;

	for (unsigned i = 0; i < to && rs->aux; i++) {
		if (rs->reader[i].aux && i >= from)
			auxset_report(rs->aux, nr, rs->reader[i].late, s);
		nr += rs->reader[i].aux != NULL;
	}
}

/* Add all reports.  A gauge keeps its place: CPUs that come later stand behind all others. */
static uint64_t add_all_reports(struct tick *t, struct slice *s)
{
	const struct readers *rs = t->p.readers;
	uint64_t newest = add_reports(t, 0, rs->first, s), later;

	add_aux(t, 0, rs->first, s);
	for (unsigned i = rs->first; i < rs->nr; i++) {
		later = add_reports(t, i, i + 1, s);
		newest = later > newest ? later : newest;
		add_aux(t, i, i + 1, s);
	}
	return newest;
}

/* Log readers that are late at the end: their records have no next slice to wait for. */
static void log_late_readers(const struct tick *t, struct slice *s)
{
	const struct readers *rs = t->p.readers;

	for (unsigned i = 0; i < rs->nr; i++)
		if (rs->reader[i].late)
			slice_log(s, SLICE_WARNING, "the reader of cpu %d gave no answer in %u s: what it "
				  "had counted and read since its last one is missing here",
				  rs->reader[i].cpu, (unsigned)(LAST_NS / NSEC_PER_SEC));
}

static bool any_auto(const struct tick *t)
{
	return callgraph_any_auto(&t->p.scope->callgraph, &t->p.scope->events);
}

/* Log once how shallow the stacks are that frame pointers have given since the start. */
static void say_shallow(struct tick *t, struct slice *s)
{
	char text[1024];

	/* Events with --call-graph auto take care of it. */
	if (any_auto(t) && !t->autopaths.failed)
		return;
	if (t->shallow_said || s->end < SHALLOW_NS || !resolver_shallow(t->p.resolver, text, sizeof(text)))
		return;
	t->shallow_said = true;
	slice_log(s, SLICE_WARNING, "%s", text);
}

static struct slicer_sums *sums_of_row(void *arg, struct table_row *row)
{
	struct tick *t = arg;
	unsigned reader = row->key.cpu;
	int cpu = t->p.readers->reader[reader].cpu;

	if (t->p.scope->events.events[row->key.event].role == EVENT_FTRACE)
		row->key.pid = samplesums_process(t->p.resolver, row->key.tid);
	if (row->key.pid && row->key.pid != t->self)
		t->others += row->count.samples;
	row->key.cpu = cpu < 0 ? 0 : (uint16_t)cpu;
	return accounting_sums(t->p.accounting, reader, row->key.event);
}

/* --- one tick ----------------------------------------------------------------------------- */

/* Add a generation's rows and sums by fields, the tick's until the table recycles it. */
static void take_generation(struct tick *t, struct table_gen *gen, struct slice *s)
{
	struct readers *rs = t->p.readers;

	for (unsigned i = 0; i < rs->nr; i++)
		reader_fields_tell(rs->reader[i].reader, table_number(rs->table, gen), t->p.resolver, s);
	slicer_rows(&t->slicer, gen, sums_of_row, t);
}

/* Leave nothing to be unwound: wait for the maps that are being read, and the workers. */
static void finish_unwinding(struct tick *t)
{
	struct unwinding *u = t->p.readers->unwinding;
	uint64_t until = clock_ns() + LAST_STACKS_NS;

	if (unwinding_finish(u, false, until))
		return;
	resolver_collect(t->p.resolver, until);
	unwinding_finish(u, true, until);
}

/* Finish: ended threads are known by now; events counted until the last request. */
static void finish_offcpu(struct tick *t)
{
	offcpu_step(t->p.readers->offcpu, 0, t->paused || is_early(t) ? 0 : t->asked, true);
}

/* Take the sideband, then all of the generation.  Return the newest sideband record's time. */
static uint64_t resolve(struct tick *t, bool last, struct slice *s)
{
	struct readers *rs = t->p.readers;
	struct table_gen *gen;
	uint64_t newest;

	if (rs->offcpu)
		offcpu_step(rs->offcpu, rs->off ? 0 : t->horizon, rs->off ? 0 : t->seen, false);
	if (rs->between)
		between_step(rs->between, t->horizon, last);
	gen = table_rotate(rs->table);
	if (rs->unwinding)
		unwinding_take(rs->unwinding);
	readers_take_sideband(rs);
	slicer_begin(&t->slicer);
	newest = sideband_apply(rs->sideband, t, apply_record);
	resolver_ready(t->p.resolver);
	askbox_pass(t->p.askbox, t->p.resolver);
	if (rs->unwinding)
		unwinding_go(rs->unwinding, t->ticks);
	take_generation(t, gen, s);
	if (!last || (!rs->unwinding && !rs->offcpu))
		return newest;
	if (rs->offcpu)
		finish_offcpu(t);
	if (rs->unwinding)
		finish_unwinding(t);
	take_generation(t, table_rotate(rs->table), s);
	return newest;
}

/* Return the time up to which all is in.  `settled`: that of the readers; 0: one is late. */
static uint64_t settled_until(struct tick *t, uint64_t settled)
{
	const struct unwinding *u = t->p.readers->unwinding;
	uint64_t oldest = UINT64_MAX;
	uint32_t ticks = 0;

	if (u)
		oldest = unwinding_oldest(u, t->ticks, &ticks);
	/* Processes are kept while a late reader still has samples and records of them. */
	t->late = settled ? 0 : t->late + 1;
	ticks = ticks > t->late ? ticks : t->late;
	resolver_hold(t->p.resolver, ticks < LATE_TICKS ? ticks : LATE_TICKS);
	return settled < oldest ? settled : oldest;
}

static __attribute__((format(printf, 3, 4))) void fail(struct tick *t, int error, const char *fmt, ...)
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
	uint64_t now = clock_ns() - t->p.scope->zero;

	if (t->ticks && now + ALL_EARLY_NS < t->all_due)
		return false;
	t->all_due = (now + ALL_EARLY_NS) / ALL_NS * ALL_NS + ALL_NS;
	return true;
}

/*
 * Plan the tick's requests, to all or to readers with news.  Idle times are read before counters.
 */
static void plan_reports(struct tick *t, bool all, bool counted)
{
	struct readers *rs = t->p.readers;
	unsigned what = READER_DRAIN;
	bool any = true;

	if (all || t->ncounters <= MANY_COUNTERS)
		what |= READER_COUNT;
	if (all)
		readers_plan(rs, what);
	else
		any = readers_plan_news(rs, what);
	if (any && what & READER_COUNT)
		accounting_look(t->p.accounting, counted);
}

/* Switch the events.  The last counts are exact when they stand still.  True: that changed. */
static bool switch_events(struct tick *t, bool last)
{
	struct readers *rs = t->p.readers;
	bool was = rs->off, paused = t->paused || is_early(t);

	if (rs->off && !paused)
		attach_again_soon(t->p.attach);
	if (rs->off && !paused && rs->offcpu)
		offcpu_resume(rs->offcpu);
	if (!rs->off && paused && rs->offcpu)
		offcpu_stop(rs->offcpu, clock_ns());
	if (rs->off && !paused && rs->between)
		between_resume(rs->between);
	rs->off = last || paused;
	if (rs->off != was)
		counting_enable(t->p.counting, !rs->off);
	if (rs->off != was && rs->tracing)
		tracing_enable(rs->tracing, !rs->off);
	if (rs->off != was && t->p.inkernel)
		inkernel_enable(t->p.inkernel, !rs->off);
	return rs->off != was;
}

/* Send the last request.  A reader that is busy with an older one can get it only after that. */
static bool ask_last(struct tick *t)
{
	uint64_t until = clock_ns() + LAST_NS - READERS_LATE_NS, now;

	readers_wait(t->p.readers, LAST_NS - READERS_LATE_NS);
	now = clock_ns();
	return readers_ask(t->p.readers, READERS_LATE_NS + (until > now ? until - now : 0));
}

/* Do the work before the slice and send the requests.  Return false if a reader is late. */
static bool ask_readers(struct tick *t, bool last, struct slice *s)
{
	struct tick_parts *p = &t->p;
	bool counted = !p->readers->off, on_time;
	bool all = switch_events(t, last) || last;

	/* A ring that fills up from here on is not in this slice: no reason to doze behind it. */
	atomic_store_relaxed(&p->readers->dozing, true);
	if (hotplug_follow(p->hotplug, !recording_has_rings(p->recording), s))
		all = t->ncounters_stale = true;
	recording_step(p->recording, s);
	eventchange_step(p->eventchange, s);
	if (p->readers->tracing)
		tracing_step(p->readers->tracing, p->readers, s);
	pace_step(&t->pace, p->eventchange, s);
	if (!last)
		autopaths_step(&t->autopaths, p->eventchange, any_auto(t), s);
	if (last)
		eventchange_end(p->eventchange, s);
	t->ncounters_stale |= attach_find(p->attach);
	t->all = all_are_due(t) || all;
	plan_reports(t, t->all, counted);
	if (!p->readers->off)
		attach_plan(p->attach);
	snapshot_take_plan(p->taking);
	t->asked = clock_ns();
	on_time = last ? ask_last(t) : readers_ask(p->readers, READERS_LATE_NS);
	t->answered = clock_ns();
	if (t->ncounters_stale)
		t->ncounters = readers_counters(p->readers);
	t->ncounters_stale = false;
	return on_time;
}

static void make_tick_slice(struct tick *t, bool last)
{
	struct tick_parts *p = &t->p;
	/* Rows without their accounts would contradict each other: room for these first. */
	struct slice *s = slicer_open(&t->slicer, (size_t)p->readers->nr * p->scope->events.nr,
				      (p->readers->tracing ? 3 : 2) * p->readers->nr);
	uint64_t newest, sideband;
	bool on_time, looking;

	if (!s) {
		t->quiet = false;
		if (last)
			fail(t, -ENOMEM, "out of memory: what came last is missing");
		return; /* everything stays where it is until the next tick */
	}
	if (!t->ticks && *p->first_log)
		slice_log(s, SLICE_INFO, "%s", p->first_log);
	on_time = ask_readers(t, last, s);
	if (on_time)
		t->horizon = t->settled;
	sideband = resolve(t, last, s);
	snapshot_take_end(p->taking, s);
	if (last)
		resolver_last(p->resolver, LAST_NAMES_NS);
	s->last = last;
	recording_tell(p->recording, s, on_time);
	if (last)
		recording_last(p->recording, s);
	counting_add(p->counting, t->all, s);
	if (t->all)
		throttling_tell(p->throttling, !p->readers->off, s);
	if (p->readers->tracing && t->all)
		tracing_check(p->readers->tracing, p->readers, s);
	newest = add_all_reports(t, s); /* a recording's end has taken the last AUX bytes */
	if (p->inkernel)
		inkernel_tell(p->inkernel, last, s);
	s->nfields = slice_fields_fold(s->fields, s->nfields);
	if (p->readers->between)
		between_tell(p->readers->between, s);
	if (p->logging)
		logging_step(p->logging, t->horizon, last, s);
	if (last)
		log_late_readers(t, s);
	if (last && p->readers->offcpu)
		offcpu_say(p->readers->offcpu, s);
	/* All up to the previous tick's newest time is in, unless a reader is late. */
	t->slicer.idle = p->readers->off;
	looking = slicer_end(&t->slicer, settled_until(t, on_time ? t->settled : 0),
			     clock_ns() - p->scope->zero);
	if (on_time) {
		t->settled = sideband > newest ? sideband : newest;
		t->seen = t->asked;
	}
	if (p->readers->unwinding)
		unwinding_gauge(p->readers->unwinding, &s->self.unwind);
	/* Since the unwinders came, other events may have brought other copies. */
	if (p->readers->unwinding && p->scope->now->most_stack)
		s->self.unwind.stack_bytes = p->scope->now->most_stack;
	autopaths_look(&t->autopaths, p->resolver, any_auto(t), s);
	if (!p->readers->off)
		pace_take(&t->pace, s->end - s->start, s->self.cpu_ns, owncost_borne(&t->slicer.own), s->self.cause);
	pace_tell(&t->pace, s);
	attach_tell(p->attach, s);
	say_shallow(t, s);
	if (last)
		snapshots_stop(p->snapshots, SNAPSHOT_NS, false);
	snapshots_report(p->snapshots, s);
	t->quiet = is_quiet(t, s, sideband, looking);
	t->others = 0;
	t->ticks++;
	slicer_put(&t->slicer);
}

static void put_to_outbox(void *arg, struct slice *s)
{
	outbox_put(arg, s);
}

/* --- the thread --------------------------------------------------------------------------- */

/* Return true if the target is gone.  EXIT comes shortly before; a lost one costs a second. */
static bool target_gone(const struct tick *t)
{
	return (t->ticks <= t->gone_until || t->ticks % GONE_TICKS == 0) &&
	       !target_alive(&t->p.scope->target);
}

static bool is_time_over(const struct tick *t)
{
	return t->p.end_ns && clock_ns() >= t->p.scope->zero + t->p.end_ns;
}

static bool ended_by_itself(struct tick *t)
{
	struct tick_parts *p = &t->p;

	if (is_time_over(t))
		return true;
	if (p->command->pid && command_ended(p->command)) {
		t->end.command = true;
		t->end.command_status = p->command->status;
		return true;
	}
	if (target_gone(t)) {
		snprintf(t->end.text, sizeof(t->end.text), "all of %s ended", p->scope->target.text);
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

	while (!t->stop && !is_time_over(t) && outbox_waiting(t->p.outbox) > 1 &&
	       (now = clock_ns()) < until) {
		struct timespec left = clock_timespec(until - now);

		if (ppoll(&fd, 1, &left, NULL) > 0)
			return; /* the wake-up is left to the next wait */
	}
}

/* Return when the next tick is due, after the one at `last`. */
static uint64_t next_deadline(const struct tick *t, uint64_t last)
{
	uint64_t zero = t->p.scope->zero;

	/* The tick that lets the events count is at the requested time. */
	if (is_early(t) && zero + t->p.start_ns < last + TICK_NS)
		return zero + t->p.start_ns;
	if (t->quiet)
		return zero + ((clock_ns() - zero) / t->p.doze_ns + 1) * t->p.doze_ns;
	if (t->ticks < sizeof(first_ticks_ms) / sizeof(*first_ticks_ms))
		return last + first_ticks_ms[t->ticks] * NSEC_PER_MSEC;
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
	const struct err *recording = recording_failure(t->p.recording);
	struct err err;

	pthread_setname_np(pthread_self(), "ringtop-tick");
	/* The tick may run ahead of other threads, for its work is bounded. */
	sched_hurry(0, &err);
	beat(t);
	if (recording->code)
		fail(t, -recording->code, "%s", recording->text);
	if (t->p.outbox->lost)
		fail(t, -ENOMEM, "out of memory: %u slices are missing", t->p.outbox->lost);
	outbox_end(t->p.outbox, -ESHUTDOWN);
	slicer_linger(&t->slicer, t->wake_fd, &t->closing);
	return NULL;
}

struct tick *tick_start(const struct tick_parts *parts, struct err *err)
{
	const struct slicer_config slicer = {.resolver = parts->resolver, .table = parts->readers->table,
					     .asks = parts->askbox, .put = put_to_outbox,
					     .arg = parts->outbox};
	struct tick *t = calloc(1, sizeof(*t));
	int ret = -ENOMEM;

	if (t) {
		t->p = *parts;
		t->self = (uint32_t)getpid();
		t->ncounters_stale = true;
		slicer_init(&t->slicer, &slicer);
		pace_init(&t->pace, parts->max_cpu, parts->scope->watched.nr);
		autopaths_init(&t->autopaths, parts->scope->callgraph.budget, parts->scope->watched.nr);
		t->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
		ret = t->wake_fd < 0 ? -errno : thread_start(&t->thread, tick_thread, t);
		t->running = !ret;
	}
	if (!ret)
		return t;
	err_set(err, -ret, "no thread for the tick: %s", strerror(-ret));
	tick_free(t);
	return NULL;
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
	slicer_clear(&t->slicer);
	if (t->wake_fd > 0)
		close(t->wake_fd);
	free(t);
}
