/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/tick.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "code/codejob.h"
#include "live/accounting.h"
#include "live/hotplug.h"
#include "live/taking.h"

#define LATE_NS    (100 * 1000000ull) /* how long a tick waits for a reader */
#define LAST_NS    (2 * 1000000000ull) /* the same for the last one, which nothing can follow */
#define LAST_STACKS_NS NSEC_PER_SEC /* how long it waits for stacks that are being unwound */
#define LAST_NAMES_NS (500 * 1000000ull) /* how long it waits for names */
#define EAGER_NS   (300 * 1000000ull)  /* of the session: its first screen */
#define SHALLOW_NS (2 * 1000000000ull) /* before it is said how deep stacks are */
#define SNAPSHOT_NS (10 * 1000000000ull) /* how long the end waits for one that is being written */
#define SIDE_MOST (64u << 20) /* bytes of sideband that may wait for a tick, of all rings */
#define SIDE_ROOM (4u << 20)  /* and of one */
#define SIDE_UNIT (64u << 10)
#define MANY_COUNTERS 128 /* above it counters are read once a second */

/* The first ticks come early: a first screen must not wait for a whole one. */
static const unsigned first_ticks_ms[] = {10, 15, 20, 25, 30, 50};

/* --- waiting ------------------------------------------------------------------------------ */

enum { POLL_WAKE, POLL_DONE, POLL_NAMES, POLL_FDS };

static void poll_set(struct tick *t, struct pollfd fds[POLL_FDS])
{
	fds[POLL_WAKE] = (struct pollfd){.fd = t->wake_fd, .events = POLLIN};
	fds[POLL_DONE] = (struct pollfd){.fd = t->done_fd, .events = POLLIN};
	/* What is waited for on the screen, the first names above all, makes a tick of its own. */
	fds[POLL_NAMES] = (struct pollfd){.fd = t->slicer.last_end < EAGER_NS || codejob_pending(t->resolver)
						       ? resolver_fd(t->resolver)
						       : -1,
					  .events = POLLIN};
}

static void take_sideband(struct tick *t)
{
	for (unsigned i = 0; i < t->nreaders; i++) {
		struct tick_reader *tr = &t->readers[i];

		if (sideband_take(t->sideband, reader_sideband(tr->reader), &tr->sideband))
			log_msg(LOG_SESSION, "sideband of cpu %d: out of memory", tr->cpu);
	}
}

/* Sleep until `deadline` or a wake-up. */
static void wait_until(struct tick *t, uint64_t deadline)
{
	struct pollfd fds[POLL_FDS];
	uint64_t now;

	while ((now = clock_ns()) < deadline && !t->stop && !table_pressed(t->table) &&
	       !unwinding_pressed(t->unwinding)) {
		struct timespec left = {(time_t)((deadline - now) / NSEC_PER_SEC),
					(long)((deadline - now) % NSEC_PER_SEC)};
		eventfd_t count;

		poll_set(t, fds);
		if (ppoll(fds, POLL_FDS, &left, NULL) <= 0)
			continue;
		if (fds[POLL_WAKE].revents)
			eventfd_read(t->wake_fd, &count);
		if (fds[POLL_WAKE].revents || fds[POLL_NAMES].revents)
			return;
		if (fds[POLL_DONE].revents)
			eventfd_read(t->done_fd, &count);
	}
}

/* --- the readers -------------------------------------------------------------------------- */

/* What a reader is asked: `what`, to follow its CPU, and to stop or start the counting. */
static unsigned requests_of(const struct tick *t, struct tick_reader *tr, unsigned what)
{
	if (tr->off != t->off)
		what |= t->off ? READER_DISABLE : READER_ENABLE;
	tr->off = t->off;
	if (tr->cpu >= 0)
		what |= cpus_has(&t->online, tr->cpu) ? READER_ONLINE : READER_OFFLINE;
	return what;
}

static bool all_done(const struct tick *t)
{
	for (unsigned i = 0; i < t->nreaders; i++)
		if (!reader_done(t->readers[i].reader))
			return false;
	return true;
}

/*
 * Who has answered by now.  One that answers from here on drains into the next generation: its
 * counts must wait for that, too.
 */
static bool note_answers(struct tick *t)
{
	bool all = true;

	for (unsigned i = 0; i < t->nreaders; i++) {
		t->readers[i].answered = t->readers[i].asked && reader_done(t->readers[i].reader);
		all &= t->readers[i].answered;
	}
	return all;
}

static void wait_for_all(struct tick *t, uint64_t patience)
{
	uint64_t deadline = clock_ns() + patience, now;
	struct pollfd fd = {.fd = t->done_fd, .events = POLLIN};
	eventfd_t n;

	while (!all_done(t) && (now = clock_ns()) < deadline) {
		struct timespec left = {(time_t)((deadline - now) / NSEC_PER_SEC),
					(long)((deadline - now) % NSEC_PER_SEC)};

		if (ppoll(&fd, 1, &left, NULL) > 0)
			eventfd_read(t->done_fd, &n);
	}
}

/* Those that are free: they are the ones asked next. */
static void choose_free(struct tick *t)
{
	int asked = 0;

	for (unsigned i = 0; i < t->nreaders; i++) {
		t->readers[i].asked = reader_done(t->readers[i].reader);
		asked += t->readers[i].asked;
	}
	atomic_store_relaxed(&t->outstanding, asked);
}

bool tick_ask(struct tick *t, unsigned what, uint64_t patience)
{
	choose_free(t);
	for (unsigned i = 0; i < t->nreaders; i++)
		if (t->readers[i].asked)
			reader_request(t->readers[i].reader, requests_of(t, &t->readers[i], what));
	wait_for_all(t, patience);
	return note_answers(t);
}

/* One that is busy with what it was asked before can be asked for its last counts only then. */
static bool ask_last(struct tick *t, unsigned what)
{
	uint64_t until = clock_ns() + LAST_NS - LATE_NS, now;

	wait_for_all(t, LAST_NS - LATE_NS);
	now = clock_ns();
	return tick_ask(t, what, LATE_NS + (until > now ? until - now : 0));
}

/* All that are free help with a copy of the AUX areas. */
static void call_helpers(void *arg)
{
	struct tick *t = arg;

	choose_free(t);
	for (unsigned i = 0; i < t->nreaders; i++)
		if (t->readers[i].asked)
			reader_request(t->readers[i].reader, READER_COPY);
}

int tick_copy_aux(struct tick *t, struct aux_copies **copies, struct err *err)
{
	int ret;

	if (!t->aux)
		return err_set(err, EOPNOTSUPP, "no AUX event is open: -A EVENT opens one");
	ret = auxset_snapshot(t->aux, copies, err);
	/* Those whose copy somebody else took are free again before they are asked for more. */
	wait_for_all(t, LATE_NS);
	return ret;
}

/* --- what goes into the slice ------------------------------------------------------------- */

static void new_sideband_gauge(struct tick *t, struct tick_reader *tr)
{
	tr->sideband = (struct slice_gauge){
		.cpu = (int16_t)tr->cpu, .tid = tr->tid, .kind = RING_SIDEBAND, .mode = RING_FORWARD,
		.size = t->now->sideband_bytes, .overwritten_bytes = GAUGE_UNKNOWN,
		.oldest_ns = GAUGE_UNKNOWN, .late_ns = GAUGE_UNKNOWN,
	};
}

static uint64_t sample_ring_lost(struct tick_reader *tr, const struct reader_report *rep,
				 unsigned nevents)
{
	uint64_t lost = 0, fresh;

	for (unsigned e = 0; e < nevents; e++)
		lost += rep->input[e].lost_samples;
	fresh = lost > tr->lost_before ? lost - tr->lost_before : 0;
	tr->lost_before += fresh;
	return fresh;
}

static void add_gauges(struct tick *t, struct tick_reader *tr, struct slice *s)
{
	const struct reader_report *rep = reader_report(tr->reader);
	struct slice_gauge *g = slice_add_gauge(s);

	if (g) {
		*g = rep->gauge;
		/* The events' own count goes on while a full ring has no room for a LOST record. */
		if (t->now->features.format_lost)
			g->lost = sample_ring_lost(tr, rep, t->events.nr);
	}
	g = slice_add_gauge(s);
	if (g) {
		tr->sideband.state = rep->gauge.state == RING_OFFLINE ? RING_OFFLINE : RING_LIVE;
		*g = tr->sideband;
	}
	new_sideband_gauge(t, tr);
}

/* A reader that is late says nothing this time, but its rings keep their places. */
static void add_late_gauges(struct tick *t, struct tick_reader *tr, struct slice *s)
{
	struct slice_gauge *g = slice_add_gauge(s);

	if (g)
		*g = (struct slice_gauge){
			.cpu = (int16_t)tr->cpu, .tid = tr->tid, .kind = RING_SAMPLE,
			.mode = t->now->overwrite ? RING_OVERWRITE : RING_FORWARD,
			.size = t->now->sample_bytes, .late_ns = LATE_NS,
			.oldest_ns = GAUGE_UNKNOWN,
		};
	g = slice_add_gauge(s);
	if (g)
		*g = tr->sideband;
}

static void apply_record(void *arg, const struct record_layout *l,
			 const struct perf_event_header *h)
{
	struct tick *t = arg;

	t->births += h->type == PERF_RECORD_FORK;
	resolver_record(t->resolver, l, h);
	attach_record(&t->attach, l, h);
	snapshots_keep(t->snapshots, l, h);
}

/* --- one tick ----------------------------------------------------------------------------- */

static bool due(uint64_t *when, uint64_t now, uint64_t every)
{
	if (now < *when)
		return false;
	*when = now + every;
	return true;
}

static size_t count_counters(struct tick *t)
{
	size_t n = 0;

	for (unsigned i = 0; i < t->nreaders; i++)
		n += reader_set(t->readers[i].reader)->ncounters;
	return n;
}

static struct slicer_sums *whose(void *arg, struct table_key *key)
{
	struct tick *t = arg;
	struct tick_reader *tr = &t->readers[key->cpu];

	key->cpu = tr->cpu < 0 ? 0 : (uint16_t)tr->cpu;
	return &tr->sums[key->event];
}

/* Accounts and gauges of these readers.  Returns the newest time any of them saw. */
static uint64_t add_reports(struct tick *t, unsigned from, unsigned to, struct slice *s)
{
	uint64_t newest = 0;

	for (unsigned i = from; i < to; i++) {
		struct tick_reader *tr = &t->readers[i];

		accounting_add(t, tr, s);
		if (!tr->answered) {
			add_late_gauges(t, tr, s);
			continue;
		}
		hotplug_tell(tr, s);
		if (reader_report(tr->reader)->newest > newest)
			newest = reader_report(tr->reader)->newest;
		add_gauges(t, tr, s);
	}
	return newest;
}

/* What waits with a late reader for the next slice has none any more. */
static void say_missing(const struct tick *t, struct slice *s)
{
	for (unsigned i = 0; i < t->nreaders; i++)
		if (!t->readers[i].answered)
			slice_log(s, SLICE_WARNING, "the reader of cpu %d gave no answer in %u s: what it "
				  "had counted and read since its last one is missing here",
				  t->readers[i].cpu, (unsigned)(LAST_NS / NSEC_PER_SEC));
}

static void add_aux(struct tick *t, unsigned from, unsigned to, struct slice *s)
{
	unsigned nr = 0;

	for (unsigned i = 0; i < to && t->aux; i++) {
		if (t->readers[i].aux && i >= from)
			auxset_report(t->aux, nr, !t->readers[i].answered, s);
		nr += t->readers[i].aux != NULL;
	}
}

/* A gauge keeps its place: CPUs that come later stand behind all others. */
static uint64_t add_all(struct tick *t, struct slice *s)
{
	uint64_t newest = add_reports(t, 0, t->nfirst, s), late;

	add_aux(t, 0, t->nfirst, s);
	for (unsigned i = t->nfirst; i < t->nreaders; i++) {
		late = add_reports(t, i, i + 1, s);
		newest = late > newest ? late : newest;
		add_aux(t, i, i + 1, s);
	}
	return newest;
}

/* Once, of the stacks that frame pointers gave in the first seconds and since. */
static void say_shallow(struct tick *t, struct slice *s)
{
	char text[1024];

	if (t->shallow_said || s->end < SHALLOW_NS || !resolver_shallow(t->resolver, text, sizeof(text)))
		return;
	t->shallow_said = true;
	slice_log(s, SLICE_WARNING, "%s", text);
}

static void say_first(struct tick *t, struct slice *s)
{
	if (t->first_log)
		slice_log(s, SLICE_INFO, "%s", t->first_log);
	free(t->first_log);
	t->first_log = NULL;
}

/* Nothing may be left to be unwound: wait for the maps that are being read, and the workers. */
static void finish_unwinding(struct tick *t)
{
	uint64_t until = clock_ns() + LAST_STACKS_NS;

	if (unwinding_finish(t->unwinding, false, until))
		return;
	resolver_collect(t->resolver, until);
	unwinding_finish(t->unwinding, true, until);
}

/* Sideband, then the rows of the generation.  Returns the newest sideband's time. */
static uint64_t resolve(struct tick *t, bool last)
{
	struct table_gen *gen = table_rotate(t->table);
	uint64_t newest;

	if (t->unwinding)
		unwinding_take(t->unwinding);
	take_sideband(t);
	slicer_begin(&t->slicer);
	newest = sideband_apply(t->sideband, t, apply_record);
	resolver_ready(t->resolver);
	askbox_pass(&t->askbox, t->resolver);
	if (t->unwinding)
		unwinding_go(t->unwinding, t->ticks);
	slicer_rows(&t->slicer, gen, whose, t);
	if (!t->unwinding || !last)
		return newest;
	finish_unwinding(t);
	slicer_rows(&t->slicer, table_rotate(t->table), whose, t);
	return newest;
}

/* Up to when nothing can come any more, with `settled` said by the readers. */
static uint64_t settle(struct tick *t, uint64_t settled)
{
	uint64_t oldest = UINT64_MAX;
	uint32_t ticks = 0;

	if (t->unwinding)
		oldest = unwinding_oldest(t->unwinding, t->ticks, &ticks);
	resolver_hold(t->resolver, ticks);
	return settled < oldest ? settled : oldest;
}

static __attribute__((format(printf, 2, 3))) void miss(struct tick *t, const char *fmt, ...)
{
	va_list ap;

	t->end.error = -ENOMEM;
	va_start(ap, fmt);
	vsnprintf(t->end.text, sizeof(t->end.text), fmt, ap);
	va_end(ap);
}

static void make_slice(struct tick *t, bool last)
{
	/* Rows without their accounts would contradict each other: room for these first. */
	struct slice *s = slicer_open(&t->slicer, (size_t)t->nreaders * t->events.nr, 2 * t->nreaders);
	unsigned what = READER_DRAIN;
	uint64_t newest, sideband;
	bool join, on_time;

	if (!s) {
		if (last)
			miss(t, "out of memory: what came last is missing");
		return; /* everything stays where it is until the next tick */
	}
	if (last || t->ncounters <= MANY_COUNTERS || due(&t->count_due, clock_ns(), NSEC_PER_SEC))
		what |= READER_COUNT;
	if (what & READER_COUNT)
		accounting_look(t, !t->off);
	/* The last counts are exact when the events stand still. */
	if (t->off && !t->paused)
		attach_again_soon(&t->attach);
	t->off = last || t->paused;
	say_first(t, s);
	if (hotplug_follow(t, s))
		t->ncounters_stale = true;
	recording_step(t, s);
	join = attach_find(t);
	if (!t->off && attach_sweep(&t->attach))
		what |= READER_LET;
	what |= taking_begin(t);
	on_time = last ? ask_last(t, what) : tick_ask(t, what, LATE_NS);
	t->answered = clock_ns();
	if (join || t->ticks == 0 || t->ncounters_stale)
		t->ncounters = count_counters(t);
	t->ncounters_stale = false;
	sideband = resolve(t, last);
	taking_end(t, s);
	if (last)
		resolver_last(t->resolver, LAST_NAMES_NS);
	s->last = last;
	recording_tell(t, s, on_time);
	if (last)
		recording_last(t, s);
	newest = add_all(t, s); /* a recording's end has taken the last AUX bytes */
	if (last)
		say_missing(t, s);
	/*
	 * Everything up to the previous tick's newest time is in: readers drained since.  One
	 * that is late may still hold older samples.
	 */
	slicer_end(&t->slicer, settle(t, on_time ? t->settled : 0), clock_ns() - t->zero);
	if (on_time)
		t->settled = sideband > newest ? sideband : newest;
	if (t->unwinding)
		unwinding_gauge(t->unwinding, &s->self.unwind);
	attach_tell(&t->attach, s);
	say_shallow(t, s);
	if (last)
		snapshots_stop(t->snapshots, SNAPSHOT_NS, false);
	snapshots_report(t->snapshots, s);
	t->ticks++;
	slicer_put(&t->slicer);
}

static void put_slice(void *arg, struct slice *s)
{
	outbox_put(&((struct tick *)arg)->outbox, s);
}

/* --- the thread --------------------------------------------------------------------------- */

static bool ended_by_itself(struct tick *t)
{
	if (t->command.pid && command_ended(&t->command)) {
		t->end.command = true;
		t->end.command_status = t->command.status;
		return true;
	}
	if (!target_alive(&t->target)) {
		snprintf(t->end.text, sizeof(t->end.text), "all of %s ended", t->target.text);
		return true;
	}
	return false;
}

static uint64_t next_delay(const struct tick *t)
{
	if (t->ticks < sizeof(first_ticks_ms) / sizeof(*first_ticks_ms))
		return first_ticks_ms[t->ticks] * NSEC_PER_MSEC;
	return TICK_NS;
}

static void *tick_thread(void *arg)
{
	struct tick *t = arg;
	uint64_t deadline = clock_ns();
	struct err err;

	pthread_setname_np(pthread_self(), "ringtop-tick");
	/* What waits for it is bounded. */
	sched_hurry(0, &err);
	while (!t->stop) {
		deadline += next_delay(t);
		if (deadline < clock_ns())
			deadline = clock_ns(); /* late: do not catch up with a burst of ticks */
		wait_until(t, deadline);
		if (clock_ns() < deadline)
			deadline = clock_ns(); /* woken early: the beat starts anew */
		if (t->stop || ended_by_itself(t))
			break;
		make_slice(t, false);
	}
	make_slice(t, true);
	if (t->outbox.lost)
		miss(t, "out of memory: %u slices are missing", t->outbox.lost);
	outbox_end(&t->outbox, -ESHUTDOWN);
	slicer_linger(&t->slicer, t->wake_fd, &t->closing);
	return NULL;
}

int tick_start(struct tick *t, struct err *err)
{
	const struct slicer_config slicer = {.resolver = t->resolver, .table = t->table,
					     .asks = &t->askbox, .put = put_slice, .arg = t};
	int ret;

	if (t->aux)
		auxset_caller(t->aux, call_helpers, t);
	t->nfirst = t->nreaders;
	slicer_init(&t->slicer, &slicer);
	t->hotplug = cpus_watch();
	ret = thread_start(&t->thread, tick_thread, t);
	t->running = !ret;
	return ret ? err_set(err, -ret, "no thread for the tick: %s", strerror(-ret)) : 0;
}

void tick_wake(struct tick *t)
{
	eventfd_write(t->wake_fd, 1);
}

static void free_reader(struct tick_reader *tr)
{
	reader_free(tr->reader);
	flight_buffer_free(tr->hold, tr->hold_size);
	free(tr->account);
	free(tr->sums);
	free(tr->lost_rows);
	free(tr->input);
	*tr = (struct tick_reader){0};
}

/* The rings share it; a reader takes as much as its rings hold, at least. */
static size_t side_room(const struct tick *t)
{
	size_t share = SIDE_MOST / (t->capacity + 1) & ~(SIDE_UNIT - 1);

	return share < SIDE_ROOM ? share : SIDE_ROOM;
}

int tick_add_reader(struct tick *t, int cpu, pid_t tid, bool offline, struct err *err)
{
	struct reader_config rc = {.rings = t->now, .table = t->table, .split = &t->split, .unwinding = t->unwinding,
				   .side_room = side_room(t),
				   .writer = t->nreaders, .cpu = cpu, .tid = tid, .realtime = t->realtime,
				   .offline = offline,
				   .done_fd = t->done_fd, .outstanding = &t->outstanding};
	struct tick_reader *tr = &t->readers[t->nreaders];
	int ret;

	if (t->aux && auxset_add(t->aux, cpu, tid, &rc.aux))
		return err_room(err, errno, "the AUX area of cpu %d", cpu);
	*tr = (struct tick_reader){.cpu = cpu, .tid = tid, .aux = rc.aux, .reader = reader_create(&rc, err)};
	tr->account = calloc(t->events.nr, sizeof(*tr->account));
	tr->sums = calloc(t->events.nr, sizeof(*tr->sums));
	tr->input = calloc(t->events.nr, sizeof(*tr->input));
	tr->lost_rows = calloc(t->events.nr, sizeof(*tr->lost_rows));
	if (!tr->reader || !tr->account || !tr->sums || !tr->input || !tr->lost_rows) {
		ret = tr->reader || !err ? err_room(err, ENOMEM, "cpu %d", cpu) : -err->code;
		free_reader(tr);
		if (rc.aux)
			auxset_drop(t->aux);
		return ret;
	}
	new_sideband_gauge(t, tr);
	t->nreaders++;
	return 0;
}

void tick_drop_reader(struct tick *t)
{
	struct tick_reader *tr = &t->readers[--t->nreaders];
	bool aux = tr->aux;

	free_reader(tr);
	if (aux)
		auxset_drop(t->aux);
}

void tick_free_readers(struct tick *t)
{
	for (unsigned i = 0; i < t->nreaders; i++)
		free_reader(&t->readers[i]);
	auxset_clear(t->aux);
	free(t->readers);
	unwinding_free(t->unwinding);
	table_free(t->table);
	t->unwinding = NULL;
	t->readers = NULL;
	t->table = NULL;
	t->nreaders = t->capacity = 0;
}

void tick_end(struct tick *t)
{
	if (!t->running)
		return;
	t->stop = t->closing = true;
	tick_wake(t);
	pthread_join(t->thread, NULL);
	t->running = false;
}

void tick_free(struct tick *t)
{
	if (!t)
		return;
	tick_end(t);
	if (t->snapshots)
		snapshots_stop(t->snapshots, 0, false); /* their copies go with the readers */
	recording_end(&t->recording);
	tick_free_readers(t);
	auxset_free(t->aux);
	recording_clear(&t->recording);
	command_close(&t->command);
	resolver_free(t->resolver);
	sideband_free(t->sideband);
	snapshots_free(t->snapshots);
	outbox_clear(&t->outbox);
	askbox_clear(&t->askbox);
	event_list_clear(&t->events);
	target_clear(&t->target);
	attach_clear(&t->attach);
	cpus_unwatch(t->hotplug);
	cputimes_close(t->cputimes);
	cpus_clear(&t->watched);
	cpus_clear(&t->online);
	free(t->first_log);
	if (t->wake_fd > 0)
		close(t->wake_fd);
	if (t->done_fd > 0)
		close(t->done_fd);
	free(t);
}
