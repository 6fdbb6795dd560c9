/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/live/readers.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/atomics.h"
#include "base/clock.h"
#include "base/log.h"
#include "kernel/capture/perfclock.h"
#include "sources/consumers/logevents.h"
#include "sources/consumers/reader_fields.h"
#include "files/unwind/unwind.h"

#define TABLE_ROWS  65536
#define TABLE_ARENA (16u << 20)
#define UNSURE_NS   (NSEC_PER_MSEC / 10) /* most error of perf's clock against others */
#define SIDE_MOST (64u << 20) /* bytes of sideband that may wait for a tick, of all rings */
#define SIDE_ROOM (4u << 20)  /* and of one */
#define SIDE_UNIT (64u << 10)

int readers_init(struct readers *rs, const struct scope *scope)
{
	*rs = (struct readers){.scope = scope, .done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
	return rs->done_fd < 0 ? -errno : 0;
}

void readers_clear(struct readers *rs)
{
	readers_drop_all(rs);
	auxset_free(rs->aux);
	sideband_free(rs->sideband);
	if (rs->done_fd > 0)
		close(rs->done_fd);
}

/* --- one more, one less ------------------------------------------------------------------- */

/* Return a ring's share of the room; a reader takes at least as much as its rings hold. */
static size_t side_room(const struct readers *rs)
{
	size_t share = SIDE_MOST / (rs->capacity + 1) & ~(SIDE_UNIT - 1);

	return share < SIDE_ROOM ? share : SIDE_ROOM;
}

int readers_add(struct readers *rs, int cpu, pid_t tid, bool offline, struct err *err)
{
	struct reader_config rc = {.rings = rs->scope->now, .table = rs->table, .split = &rs->split,
				   .unwinding = rs->unwinding, .offcpu = rs->offcpu,
				   .between = rs->between,
				   .field_keys = reader_fields_keys(rs->capacity),
				   .log_most = logevents_share(rs->scope->log_lines, rs->capacity),
				   .log_bytes = logevents_bytes(rs->scope->log_lines, rs->capacity),
				   .room = scope_room(rs->scope),
				   .side_room = side_room(rs),
				   .writer = rs->nr, .cpu = cpu, .tid = tid,
				   .realtime = rs->scope->realtime, .tracing = rs->tracing,
				   .offline = offline, .done_fd = rs->done_fd,
				   .outstanding = &rs->outstanding,
				   .dozing = &rs->dozing};
	struct reader *r;

	if (rs->aux && auxset_add(rs->aux, cpu, tid, &rc.aux))
		return err_room(err, errno, "the AUX area of cpu %d", cpu);
	r = reader_create(&rc, err);
	if (!r) {
		if (rc.aux)
			auxset_drop(rs->aux);
		return err ? -err->code : -ENOMEM;
	}
	rs->reader[rs->nr++] =
		(struct live_reader){.reader = r, .aux = rc.aux, .cpu = cpu, .tid = tid};
	return 0;
}

void readers_drop(struct readers *rs)
{
	struct live_reader *lr = &rs->reader[--rs->nr];

	reader_free(lr->reader);
	if (lr->aux)
		auxset_drop(rs->aux);
}

/* --- all of them -------------------------------------------------------------------------- */

static int create_unwinding(struct readers *rs, struct resolver *r, struct err *err)
{
	const struct ringset_config *rings = rs->scope->now;
	const struct unwinding_config uc = {
		.resolver = r, .table = rs->table, .readers = rs->capacity,
		.expected = rs->expected, .writer = rs->capacity, .workers = rs->unwinders,
		.events = scope_room(rs->scope),
		.stack_bytes = rings->most_stack,
	};

	rs->unwinding = unwinding_create(&uc, err);
	return rs->unwinding ? 0 : -ENOMEM;
}

int readers_unwind(struct readers *rs, struct resolver *r, uint32_t stack_bytes, struct err *err)
{
	int ret = rs->unwinding ? 0 : create_unwinding(rs, r, err);

	for (unsigned i = 0; i < rs->nr; i++)
		reader_unwinding(rs->reader[i].reader, rs->unwinding);
	if (rs->unwinding)
		unwinding_copies(rs->unwinding, stack_bytes);
	if (rs->offcpu)
		offcpu_unwind(rs->offcpu, rs->unwinding);
	return ret;
}

/* Return true if an event of whole CPUs sees wakings, on all of them. */
static bool sees_all_wakings(const struct ringset_config *rings, const struct event_list *events)
{
	bool whole =
		rings->all_wakings || (rings->ntids && rings->tids[0] < 0 && !rings->by_cgroup);

	for (unsigned i = 0; i < events->nr; i++)
		if (events->events[i].role == EVENT_WAKING && !events->events[i].off)
			return whole;
	return false;
}

static struct offcpu *make_offcpu(const struct readers *rs, const struct event_list *events,
				  const pid_t *tids, size_t ntids, struct err *err)
{
	const struct offcpu_config oc = {
		.events = events, .table = rs->table, .split = &rs->split, .readers = rs->capacity,
		.expected = rs->expected, .writer = rs->offcpu_writer,
		.overwrite = !rs->scope->no_overwrite, .by_task = rs->by_task, .tids = tids,
		.ntids = ntids,
		.of_all = rs->scope->now->all_wakings,
		.all_wakings = rs->scope->any_cpu && sees_all_wakings(rs->scope->now, events),
	};

	return offcpu_create(&oc, err);
}

/* Threads to watch are set when all events are open (readers_unseen). */
struct offcpu *readers_make_offcpu(const struct readers *rs, const struct event_list *events,
				   struct err *err)
{
	return make_offcpu(rs, events, NULL, 0, err);
}

void readers_offcpu(struct readers *rs, struct offcpu *o)
{
	rs->offcpu = o;
	if (o)
		offcpu_unwind(o, rs->unwinding);
	for (unsigned i = 0; i < rs->nr; i++)
		reader_offcpu(rs->reader[i].reader, o);
}

static int create_offcpu(struct readers *rs, struct err *err)
{
	const struct target *target = &rs->scope->target;
	size_t ntids = target->by_cgroup || target->kind == TARGET_COMMAND ? 0 : target->ntids;

	rs->offcpu = make_offcpu(rs, rs->scope->now->events, target->tids, ntids, err);
	if (!rs->offcpu)
		return -err->code;
	offcpu_unwind(rs->offcpu, rs->unwinding);
	return 0;
}

int readers_create(struct readers *rs, bool per_thread, unsigned more, struct resolver *r,
		   struct err *err)
{
	const struct scope *sc = rs->scope;
	unsigned nr = per_thread ? (unsigned)sc->target.ntids : sc->watched.nr;
	bool changes = scope_room(sc) > sc->events.nr; /* events may come that copy stacks */
	int ret = 0;

	rs->capacity = nr + more;
	rs->expected = nr;
	rs->by_task = sc->now->tids[0] >= 0;
	rs->unwinders = changes || sc->now->most_stack || sc->now->piece
				? unwinding_workers(sc->online.nr)
				: 0;
	rs->offcpu_writer = rs->capacity + rs->unwinders; /* behind all others */
	rs->reader = calloc(rs->capacity, sizeof(*rs->reader));
	rs->table = table_create(rs->offcpu_writer + 1, TABLE_ROWS, TABLE_ARENA);
	if (!rs->reader || !rs->table)
		return err_set(err, ENOMEM, "out of memory for the table");
	if (rs->aux && auxset_reserve(rs->aux, rs->capacity))
		return err_set(err, ENOMEM, "out of memory");
	if (sc->now->most_stack || sc->now->piece)
		ret = create_unwinding(rs, r, err);
	if (!ret && offcpu_wanted(&sc->events))
		ret = create_offcpu(rs, err);
	if (!ret && sc->between.wanted &&
	    !(rs->between = between_create(&sc->between, rs->capacity, nr)))
		ret = err_room(err, ENOMEM, "--between");
	for (unsigned i = 0; i < nr && !ret; i++)
		ret = per_thread ? readers_add(rs, -1, sc->target.tids[i], false, err)
				 : readers_add(rs, sc->watched.cpu[i], 0, false, err);
	rs->first = rs->nr;
	return ret;
}

void readers_drop_all(struct readers *rs)
{
	for (unsigned i = 0; i < rs->nr; i++)
		reader_free(rs->reader[i].reader);
	auxset_clear(rs->aux);
	free(rs->reader);
	offcpu_free(rs->offcpu);
	unwinding_free(rs->unwinding);
	between_free(rs->between);
	table_free(rs->table);
	rs->unwinding = NULL;
	rs->offcpu = NULL;
	rs->between = NULL;
	rs->reader = NULL;
	rs->table = NULL;
	rs->nr = rs->capacity = rs->first = 0;
}

size_t readers_counters(const struct readers *rs)
{
	size_t n = 0;

	/* A late reader may be opening them. */
	for (unsigned i = 0; i < rs->nr; i++)
		if (reader_done(rs->reader[i].reader))
			n += reader_set(rs->reader[i].reader)->ncounters;
	return n;
}

/* --- asking ------------------------------------------------------------------------------- */

bool readers_all_done(const struct readers *rs)
{
	for (unsigned i = 0; i < rs->nr; i++)
		if (!reader_done(rs->reader[i].reader))
			return false;
	return true;
}

void readers_wait(struct readers *rs, uint64_t patience)
{
	uint64_t deadline = clock_ns() + patience, now;
	struct pollfd fd = {.fd = rs->done_fd, .events = POLLIN};
	eventfd_t n;

	while (!readers_all_done(rs) && (now = clock_ns()) < deadline) {
		struct timespec left = clock_timespec(deadline - now);

		if (ppoll(&fd, 1, &left, NULL) > 0)
			eventfd_read(rs->done_fd, &n);
	}
}

void readers_plan(struct readers *rs, unsigned what)
{
	for (unsigned i = 0; i < rs->nr; i++)
		rs->reader[i].plan |= what;
}

/* Return true if only the ring could be a reason for a request.  Of a reader that is done. */
static bool is_settled(const struct readers *rs, const struct live_reader *lr)
{
	bool online = lr->cpu < 0 || cpus_has(&rs->scope->online, lr->cpu);

	return lr->drained && lr->off == rs->off &&
	       online == (reader_report(lr->reader)->state == RING_LIVE) &&
	       reader_settled(lr->reader);
}

static bool has_news(const struct readers *rs, const struct live_reader *lr)
{
	return reader_done(lr->reader) && (!is_settled(rs, lr) || reader_has_news(lr->reader));
}

bool readers_settled(const struct readers *rs)
{
	for (unsigned i = 0; i < rs->nr; i++)
		if (!reader_done(rs->reader[i].reader) || !is_settled(rs, &rs->reader[i]))
			return false;
	return true;
}

bool readers_plan_news(struct readers *rs, unsigned what)
{
	bool any = false;

	for (unsigned i = 0; i < rs->nr; i++) {
		if (!has_news(rs, &rs->reader[i]))
			continue;
		rs->reader[i].plan |= what;
		any = true;
	}
	return any;
}

/* Return the part of every request: to follow its CPU, and to stop or start the counting. */
static unsigned always(const struct readers *rs, struct live_reader *lr)
{
	unsigned what = 0;

	if (lr->off != rs->off)
		what |= rs->off ? READER_DISABLE : READER_ENABLE;
	lr->off = rs->off;
	if (lr->cpu >= 0)
		what |= cpus_has(&rs->scope->online, lr->cpu) ? READER_ONLINE : READER_OFFLINE;
	return what;
}

/* Choose readers that have replied, of all or of those with a plan. */
static void choose_readers(struct readers *rs, bool all)
{
	int asked = 0;

	for (unsigned i = 0; i < rs->nr; i++) {
		struct live_reader *lr = &rs->reader[i];

		lr->late = !reader_done(lr->reader);
		lr->asked = !lr->late && (all || lr->plan);
		asked += lr->asked;
	}
	atomic_store_relaxed(&rs->outstanding, asked);
}

/*
 * Note the readers that have replied by now.  One that replies from here on drains into the next
 * generation: its counts must wait for that, too.
 */
static bool note_answers(struct readers *rs)
{
	bool all = true;

	for (unsigned i = 0; i < rs->nr; i++) {
		struct live_reader *lr = &rs->reader[i];

		lr->answered = lr->asked && reader_done(lr->reader);
		lr->late |= lr->asked && !lr->answered;
		lr->drained &= !lr->late;
		all &= !lr->late;
	}
	return all;
}

bool readers_ask(struct readers *rs, uint64_t patience)
{
	choose_readers(rs, false);
	for (unsigned i = 0; i < rs->nr; i++) {
		struct live_reader *lr = &rs->reader[i];

		if (lr->asked) {
			lr->drained = lr->plan & READER_DRAIN;
			reader_request(lr->reader, lr->plan | always(rs, lr));
		}
		lr->plan = 0;
	}
	readers_wait(rs, patience);
	return note_answers(rs);
}

bool readers_call(struct readers *rs, unsigned what, uint64_t patience)
{
	readers_plan(rs, what);
	return readers_ask(rs, patience);
}

/* --- shared parts ------------------------------------------------------------------------ */

void readers_take_sideband(struct readers *rs)
{
	for (unsigned i = 0; i < rs->nr; i++) {
		struct live_reader *lr = &rs->reader[i];

		if (sideband_take(rs->sideband, reader_sideband(lr->reader), &lr->sideband))
			log_msg(LOG_SESSION, "sideband of cpu %d: out of memory", lr->cpu);
	}
}

void readers_take_rest_of(struct readers *rs, struct live_reader *lr)
{
	struct sidequeue *q = reader_sideband(lr->reader);

	/* Records that find no memory stay in the ring, for later. */
	sideband_take(rs->sideband, q, &lr->sideband); /* makes room */
	sidequeue_read(q, &reader_before(lr->reader)->sideband);
	sideband_take(rs->sideband, q, &lr->sideband);
}

void readers_take_rest(struct readers *rs)
{
	for (unsigned i = 0; i < rs->nr; i++)
		if (reader_done(rs->reader[i].reader))
			readers_take_rest_of(rs, &rs->reader[i]);
}

/* Let all readers that are free help with a copy of the AUX areas; their plans wait. */
static void call_helpers(void *arg)
{
	struct readers *rs = arg;

	choose_readers(rs, true);
	for (unsigned i = 0; i < rs->nr; i++)
		if (rs->reader[i].asked)
			reader_request(rs->reader[i].reader, READER_COPY);
}

int readers_start(struct readers *rs, struct err *err)
{
	int ret = 0;

	if (rs->aux)
		auxset_caller(rs->aux, call_helpers, rs);
	for (unsigned i = 0; i < rs->nr && !ret; i++)
		ret = reader_start(rs->reader[i].reader, err);
	return ret;
}

int readers_copy_aux(struct readers *rs, struct aux_copies **copies, struct err *err)
{
	int ret;

	if (!rs->aux)
		return err_set(err, EOPNOTSUPP, "no AUX event is open: -A EVENT opens one");
	ret = auxset_snapshot(rs->aux, copies, err);
	/* Readers whose copy another one took are free again before their next request. */
	readers_wait(rs, READERS_LATE_NS);
	return ret;
}

/* Report to off-CPU times, of all threads measured now, that switches were missed. */
static void unseen_waits(struct readers *rs, const struct clock_relation *c, uint64_t since)
{
	bool known = !rs->scope->target.by_cgroup;

	offcpu_watch(rs->offcpu, rs->scope->now->tids, known ? rs->scope->now->ntids : 0);
	if (c)
		offcpu_unseen(rs->offcpu, clock_from_monotonic(c, since) - UNSURE_NS,
			      clock_from_monotonic(c, clock_ns()) + UNSURE_NS);
	else
		offcpu_resume(rs->offcpu);
}

void readers_unseen(struct readers *rs, uint64_t since)
{
	struct clock_relation c;
	bool known = (rs->between || rs->offcpu) && !perfclock_relate(&c);

	if (rs->offcpu)
		unseen_waits(rs, known ? &c : NULL, since);
	if (rs->between && !known)
		between_resume(rs->between);
	else if (rs->between)
		between_unseen(rs->between, clock_from_monotonic(&c, since) - UNSURE_NS,
			       clock_from_monotonic(&c, clock_ns()) + UNSURE_NS);
}
