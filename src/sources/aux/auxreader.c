/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/aux/auxreader.h"

#include <errno.h>
#include <poll.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/atomics.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/vec.h"
#include "kernel/capture/cursor.h"
#include "files/decode/record.h"

#define PROOF_MAX   64 /* most ticks between two restarts of an event that makes no progress */
#define MEASURE_NS  NSEC_PER_SEC
#define MEASURE_FOR (2 * NSEC_PER_MSEC)

struct auxreader {
	struct auxreader_config config;
	int cpu;
	pid_t tid;
	struct auxevent ev;
	struct record_layout layout;
	char *buf; /* copy of the ring's new records */
	struct slice_aux now, report;
	struct slice_gauge gauge, gauge_report;
	size_t polled; /* index of the event whose fd is polled: the first that has not hung up */
	bool taken;    /* the report was taken: the next one begins from 0 */
	bool on;       /* the event should run */
	uint64_t seen; /* clock_ns when the newest AUX record was found, 0: none */

	/* After an overrun. */
	bool due;      /* a restart is due */
	bool unproved; /* restarted, the head has not moved since */
	uint64_t stood_at;
	unsigned waited, patience; /* ticks */

	uint64_t head; /* full mode: head up to which bytes were counted */
	/* Snapshot mode: does the head move while the event runs? */
	uint16_t moved;    /* a bit per tick, for the last ones */
	unsigned stops, stops_told; /* number of copies at the last look and in the last report */
	uint64_t measure_due, measure_from, measure_head; /* from 0: not between the two stops */

	uint64_t *ids; /* ids of all events ever opened */
	size_t nids, cap_ids;

	/* Full mode, shared with the consumer of the bytes: */
	sem_t bytes;           /* held by the thread that has the area */
	int room_fd;           /* eventfd: there is room again */
	_Atomic bool starved;  /* waits for room */
	_Atomic uint64_t kept, lost, cuts; /* since the last report */

	/* Shared with the threads that take copies: */
	sem_t control; /* held by the thread that stops or starts the event */
	struct aux_work work;
	bool offered; /* shared */
	_Atomic unsigned copies; /* taken since the start */
	_Atomic uint8_t kind;    /* enum aux_head */
	_Atomic uint64_t flags;  /* flags of AUX records since the last copy */
	_Atomic uint64_t copied; /* perf's time of the AUX record that the last copy's stop wrote */
};

static bool is_snapshot(const struct auxreader *r)
{
	return r->config.mode == AUX_SNAPSHOT;
}

static void begin_report(struct auxreader *r)
{
	r->now = (struct slice_aux){
		.cpu = (int16_t)r->cpu, .tid = r->tid, .mode = (uint8_t)r->config.mode,
		.size = r->config.size, .age_ns = GAUGE_UNKNOWN, .measured = GAUGE_UNKNOWN,
		.unread = is_snapshot(r) ? GAUGE_UNKNOWN : 0,
	};
	r->gauge = (struct slice_gauge){
		.cpu = (int16_t)r->cpu, .tid = r->tid, .kind = RING_AUX,
		.mode = is_snapshot(r) ? RING_OVERWRITE : RING_FORWARD, .size = r->config.size,
		.unread = is_snapshot(r) ? GAUGE_UNKNOWN : 0,
		.unread_max = is_snapshot(r) ? GAUGE_UNKNOWN : 0,
		.overwritten_bytes = GAUGE_UNKNOWN, .oldest_ns = GAUGE_UNKNOWN,
		.late_ns = GAUGE_UNKNOWN,
	};
}

struct auxreader *auxreader_create(const struct auxreader_config *c, int cpu, pid_t tid)
{
	struct auxreader *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->config = *c;
	r->cpu = cpu;
	r->tid = tid;
	r->on = true;
	r->buf = malloc(AUXEVENT_RING);
	record_layout_init(&r->layout, AUXEVENT_TYPE);
	sem_init(&r->control, 0, 1);
	sem_init(&r->bytes, 0, 1);
	r->room_fd = is_snapshot(r) ? -1 : eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	begin_report(r);
	r->report = r->now;
	r->gauge_report = r->gauge;
	r->taken = true;
	if (r->buf && (is_snapshot(r) || r->room_fd >= 0))
		return r;
	auxreader_free(r);
	return NULL;
}

void auxreader_free(struct auxreader *r)
{
	if (!r)
		return;
	auxevent_close(&r->ev);
	sem_destroy(&r->control);
	sem_destroy(&r->bytes);
	if (r->room_fd >= 0)
		close(r->room_fd);
	free(r->ids);
	free(r->buf);
	free(r);
}

static void wait_for_sem(sem_t *sem)
{
	while (sem_wait(sem) && errno == EINTR)
		;
}

static void control_take(struct auxreader *r)
{
	wait_for_sem(&r->control);
}

/* Note the ids of the events from index `from` on. */
static void note_ids(struct auxreader *r, size_t from)
{
	for (size_t i = from; i < r->ev.nfds; i++) {
		uint64_t id = auxevent_id(&r->ev, i);

		if (id && vec_reserve(&r->ids, &r->cap_ids, r->nids + 1, sizeof(id)))
			r->ids[r->nids++] = id;
	}
}

int auxreader_open(struct auxreader *r, struct err *err)
{
	struct ringset_config one = *r->config.rings;
	int ret = 0;

	if (r->ev.area.page)
		return 0;
	if (r->cpu < 0) {
		one.tids = &r->tid;
		one.ntids = 1;
	}
	control_take(r);
	wait_for_sem(&r->bytes);
	ret = auxevent_open(&r->ev, r->config.event, &one, r->cpu, r->config.size, is_snapshot(r),
			    err);
	note_ids(r, 0);
	r->head = 0;
	r->polled = 0;
	r->due = r->unproved = false;
	r->measure_from = 0;
	sem_post(&r->bytes);
	sem_post(&r->control);
	begin_report(r);
	return ret;
}

/* --- records ------------------------------------------------------------------------------ */

static void note_aux_record(struct auxreader *r, const struct record_aux *a)
{
	struct slice_aux *n = &r->now;
	bool cut = a->flags & (PERF_AUX_FLAG_TRUNCATED | PERF_AUX_FLAG_PARTIAL);

	n->records++;
	n->truncated += !!(a->flags & PERF_AUX_FLAG_TRUNCATED);
	n->collision += !!(a->flags & PERF_AUX_FLAG_COLLISION);
	n->partial += !!(a->flags & PERF_AUX_FLAG_PARTIAL);
	n->overwrite += !!(a->flags & PERF_AUX_FLAG_OVERWRITE);
	/* Offsets prove nothing: padding that no record covers moves them on, too. */
	n->gaps += cut;
	/* The kernel does not report the amount. */
	if (cut)
		n->lost_bytes = GAUGE_UNKNOWN;
	r->due |= !!(a->flags & PERF_AUX_FLAG_TRUNCATED);
	r->seen = clock_ns();
	/* A total is never less than what was written last. */
	if (a->flags & PERF_AUX_FLAG_OVERWRITE && a->size > a->offset)
		atomic_store(&r->kind, AUX_HEAD_POSITION);
}

static void note_ring_record(struct auxreader *r, const struct perf_event_header *h)
{
	struct record_aux a;
	struct record_lost lost;

	if (h->type == PERF_RECORD_AUX && record_aux(&r->layout, h, &a)) {
		note_aux_record(r, &a);
		/*
		 * The record of a copy's stop is reported with the copy, by the thread that takes
		 * it.
		 */
		if (record_time(&r->layout, h) != atomic_load(&r->copied))
			atomic_fetch_or(&r->flags, a.flags);
	} else if (h->type == PERF_RECORD_ITRACE_START) {
		r->now.starts++;
	} else if (h->type == PERF_RECORD_LOST && record_lost(&r->layout, h, &lost)) {
		r->now.lost_records += lost.lost;
		/* A lost record may have reported that the event was stopped. */
		r->due = true;
	}
}

void auxreader_sampled(struct auxreader *r, uint32_t bytes)
{
	r->now.samples++;
	r->now.sample_bytes += bytes;
}

static const struct aux_sink *sink_of(const struct auxreader *r)
{
	/* Pairs with the release in auxset_sink. */
	return atomic_load_acquire(r->config.sink);
}

static void drain_records(struct auxreader *r)
{
	const struct aux_sink *sink = sink_of(r);
	const struct perf_event_header *h;
	struct ring_batch b;
	struct cursor c;

	ring_take(&r->ev.ring, r->buf, &b);
	c = (struct cursor){.data = b.data, .len = b.len};
	while (cursor_next(&c, &h) == CURSOR_RECORD) {
		note_ring_record(r, h);
		r->gauge.records++;
	}
	if (sink && c.pos)
		sink->records(sink->arg, r->cpu, r->tid, b.data, c.pos);
}

/* --- full mode ---------------------------------------------------------------------------- */

/* Count the new bytes, and return the number of unread ones. */
static size_t look_at_bytes(struct auxreader *r)
{
	uint64_t head = auxarea_written(&r->ev.area), len = auxarea_unread(&r->ev.area);

	r->now.bytes += head - r->head;
	r->head = head;
	r->now.unread = r->gauge.unread = len;
	if (len > r->gauge.unread_max)
		r->gauge.unread_max = len;
	return len;
}

/* Discard the unread bytes: there is no consumer. */
static void drop_bytes(struct auxreader *r, bool lost)
{
	struct auxarea_span span;
	size_t len;

	if (!auxreader_claim(r, &span))
		/*
		 * A recording that has just ended writes its last bytes: the next call drops them.
		 */
		return;
	len = span.len[0] + span.len[1];
	if (lost)
		auxreader_count(r, 0, len);
	auxreader_release(r, len);
}

static void offer_bytes(struct auxreader *r)
{
	const struct aux_sink *sink = sink_of(r);
	size_t len = look_at_bytes(r);

	if (len && !(sink && sink->ready(sink->arg, r->cpu, r->tid, len)))
		drop_bytes(r, sink);
}

/*
 * Hand over the last bytes before the area is closed. The consumer is waited for, but for one write
 * at most.
 */
static void take_last_bytes(struct auxreader *r)
{
	const struct aux_sink *sink = sink_of(r);
	struct auxarea_span span;
	size_t len;

	look_at_bytes(r);
	len = auxarea_peek(&r->ev.area, &span);
	if (sink && len && !sink->rest(sink->arg, r->cpu, r->tid, &span))
		auxreader_count(r, 0, len);
}

bool auxreader_claim(struct auxreader *r, struct auxarea_span *span)
{
	if (is_snapshot(r) || sem_trywait(&r->bytes))
		return false;
	if (r->ev.area.page && auxarea_peek(&r->ev.area, span))
		return true;
	sem_post(&r->bytes);
	return false;
}

void auxreader_release(struct auxreader *r, size_t len)
{
	auxarea_give(&r->ev.area, len);
	sem_post(&r->bytes);
	/* Ordered against wait_for_room: either it sees the room, or this thread sees `starved`. */
	if (atomic_exchange(&r->starved, false))
		eventfd_write(r->room_fd, 1);
}

void auxreader_count(struct auxreader *r, size_t taken, size_t lost)
{
	atomic_fetch_add(&r->kept, taken);
	if (!lost)
		return;
	atomic_fetch_add(&r->lost, lost);
	atomic_fetch_add(&r->cuts, 1);
}

static bool area_has_room(struct auxreader *r)
{
	return is_snapshot(r) || auxarea_unread(&r->ev.area) <= r->config.size / 2;
}

/* Return true if there is room. Otherwise auxreader_release wakes the reader. */
static bool wait_for_room(struct auxreader *r)
{
	if (area_has_room(r))
		return true;
	atomic_store(&r->starved, true);
	atomic_fence_seq();
	return area_has_room(r);
}

/* Restart only with room in the area: a driver that is still full stops again at once. */
static void restart(struct auxreader *r)
{
	if (!r->on || !wait_for_room(r) || sem_trywait(&r->control))
		return; /* a copy is being taken: the next call will do it */
	r->due = false;
	r->unproved = !is_snapshot(r);
	r->stood_at = auxarea_head(&r->ev.area);
	auxevent_enable(&r->ev, false);
	auxevent_enable(&r->ev, true);
	sem_post(&r->control);
	r->now.restarts++;
}

static void drain_event(struct auxreader *r)
{
	if (!r->ev.area.page)
		return;
	drain_records(r);
	if (!is_snapshot(r))
		offer_bytes(r);
	if (!r->due)
		return;
	r->waited = 0;
	r->patience = 1;
	restart(r);
}

/*
 * Restart again if the head has not moved: the event may have been stopped between the ENABLE here
 * and the kernel's own, late, stop, or just have nothing to write. The two cannot be told apart, so
 * it is retried, with growing intervals.
 */
static void prove(struct auxreader *r)
{
	if (!r->unproved || !r->ev.area.page)
		return;
	if (auxarea_head(&r->ev.area) != r->stood_at) {
		r->unproved = false;
		return;
	}
	if (++r->waited < r->patience)
		return;
	r->waited = 0;
	if (r->patience < PROOF_MAX)
		r->patience *= 2;
	restart(r);
}

/* --- snapshot mode ------------------------------------------------------------------------ */

/*
 * Find out if the head moves while the event runs: with some drivers it moves only when the event
 * stops. Now and then the kernel stops it for other reasons, so one move is no proof.
 */
static void watch_head(struct auxreader *r)
{
	uint64_t head = auxarea_head(&r->ev.area);
	unsigned stops = atomic_load(&r->copies);
	bool moved = head != r->head && stops == r->stops && !r->config.measure;

	r->moved = (uint16_t)(r->moved << 1 | moved);
	if (__builtin_popcount(r->moved) >= 2)
		r->now.bytes += auxarea_distance(&r->ev.area, r->head, head);
	else
		r->now.bytes = GAUGE_UNKNOWN;
	r->head = head;
	r->stops = stops;
}

static uint64_t short_stop(struct auxreader *r)
{
	uint64_t head;

	auxevent_enable(&r->ev, false);
	head = auxarea_head(&r->ev.area);
	if (r->on)
		auxevent_enable(&r->ev, true);
	return head;
}

/*
 * Measure the rate with two stops, MEASURE_FOR apart: too short for more than one round at any real
 * rate.
 */
static void measure_aux_rate(struct auxreader *r)
{
	uint64_t now = clock_ns(), head;

	if (!r->config.measure || !is_snapshot(r) || !r->ev.area.page || !r->on)
		return;
	if (r->measure_from ? now < r->measure_from + MEASURE_FOR : now < r->measure_due)
		return;
	if (sem_trywait(&r->control)) {
		r->measure_from = 0; /* a copy stops it too: begin again */
		return;
	}
	head = short_stop(r);
	sem_post(&r->control);
	if (r->measure_from) {
		r->now.measured = (uint64_t)(
			(double)auxarea_distance(&r->ev.area, r->measure_head, head) *
			(double)NSEC_PER_SEC / (double)(now - r->measure_from));
		r->measure_from = 0;
		return;
	}
	r->measure_head = head;
	r->measure_from = clock_ns();
	r->measure_due = now + MEASURE_NS;
}

/* --- the reader's thread ------------------------------------------------------------------ */

int auxreader_fd(const struct auxreader *r)
{
	return r->ev.area.page && r->polled < r->ev.nfds ? r->ev.fds[r->polled] : -1;
}

int auxreader_timeout(const struct auxreader *r)
{
	return r->measure_from ? (int)(MEASURE_FOR / NSEC_PER_MSEC) : -1;
}

int auxreader_room_fd(const struct auxreader *r)
{
	return r->room_fd;
}

void auxreader_room(struct auxreader *r)
{
	eventfd_t n;

	if (!eventfd_read(r->room_fd, &n))
		drain_event(r);
}

void auxreader_wake(struct auxreader *r, short revents)
{
	/* POLLHUP: the task has ended, and further polling would return at once for ever. */
	if (revents & (POLLHUP | POLLERR | POLLNVAL))
		r->polled++;
	else if (revents & POLLIN)
		r->gauge.wakeups++;
	drain_event(r);
	if (r->measure_from)
		measure_aux_rate(r);
}

void auxreader_enable(struct auxreader *r, bool on)
{
	control_take(r);
	r->on = on;
	auxevent_enable(&r->ev, on);
	sem_post(&r->control);
}

void auxreader_open_new(struct auxreader *r, pid_t tid)
{
	size_t before = r->ev.nfds;
	struct err err;

	if (!r->ev.area.page)
		return;
	control_take(r);
	if (auxevent_add(&r->ev, r->config.event, r->config.rings, tid, &err))
		log_msg(LOG_READER, "cpu %d: %s", r->cpu, err.text);
	else if (r->on)
		auxevent_enable(&r->ev, true);
	note_ids(r, before);
	sem_post(&r->control);
}

void auxreader_close(struct auxreader *r)
{
	control_take(r);
	wait_for_sem(&r->bytes);
	if (r->ev.area.page) {
		drain_records(r);
		if (!is_snapshot(r))
			take_last_bytes(r);
	}
	auxevent_close(&r->ev);
	sem_post(&r->bytes);
	sem_post(&r->control);
}

static void publish_report(struct auxreader *r)
{
	struct slice_aux *n = &r->now;
	uint64_t taken = atomic_load(&r->copies);

	n->state = r->gauge.state = r->ev.area.page ? RING_LIVE : RING_OFFLINE;
	n->head = atomic_load(&r->kind);
	n->snapshots = taken - r->stops_told;
	r->stops_told = taken;
	if (r->seen)
		n->age_ns = clock_ns() - r->seen;
	if (n->state == RING_OFFLINE && !n->records && !(n->bytes && n->bytes != GAUGE_UNKNOWN))
		slice_aux_unread(n);
	if (r->taken)
		r->report = *n;
	else
		slice_aux_add(&r->report, n);
	if (!r->taken) {
		r->gauge.records = gauge_sum(r->gauge.records, r->gauge_report.records);
		r->gauge.wakeups = gauge_sum(r->gauge.wakeups, r->gauge_report.wakeups);
	}
	r->gauge.bytes = r->report.bytes;
	r->gauge.lost = r->report.lost_records;
	if (r->gauge.state == RING_OFFLINE)
		slice_gauge_unread(&r->gauge);
	r->gauge_report = r->gauge;
	r->taken = false;
	begin_report(r);
}

void auxreader_tick(struct auxreader *r)
{
	drain_event(r);
	prove(r);
	if (is_snapshot(r) && r->ev.area.page)
		watch_head(r);
	measure_aux_rate(r);
	publish_report(r);
}

bool auxreader_ids(struct auxreader *r, uint64_t **ids, size_t *nr, size_t *cap)
{
	bool ok;

	control_take(r);
	ok = vec_reserve(ids, cap, *nr + r->nids, sizeof(**ids));
	if (ok && r->nids)
		memcpy(*ids + *nr, r->ids, r->nids * sizeof(**ids));
	if (ok)
		*nr += r->nids;
	sem_post(&r->control);
	return ok;
}

int auxreader_cpu(const struct auxreader *r)
{
	return r->cpu;
}

pid_t auxreader_tid(const struct auxreader *r)
{
	return r->tid;
}

void auxreader_take(struct auxreader *r, struct slice_aux *a, struct slice_gauge *g)
{
	uint64_t lost = atomic_exchange(&r->lost, 0), kept = atomic_exchange(&r->kept, 0),
		 cuts = atomic_exchange(&r->cuts, 0);

	*a = r->report;
	*g = r->gauge_report;
	r->taken = true;
	/* The consumer may have ended after the reader: a recording is finished last. */
	if (kept)
		a->consumed = gauge_sum(a->consumed, kept);
	if (cuts)
		a->gaps = gauge_sum(a->gaps, cuts);
	if (a->lost_bytes != GAUGE_UNKNOWN)
		a->lost_bytes += lost;
}

const struct auxevent *auxreader_event(const struct auxreader *r)
{
	return &r->ev;
}

/* --- copies ------------------------------------------------------------------------------- */

bool auxreader_stop(struct auxreader *r)
{
	control_take(r);
	if (!r->ev.area.page) {
		sem_post(&r->control);
		return false;
	}
	auxevent_enable(&r->ev, false);
	return true;
}

void auxreader_offer(struct auxreader *r, const struct aux_work *w)
{
	r->work = *w;
	/* Pairs with the exchange in auxreader_help. */
	atomic_store_release(&r->offered, true);
}

/* Keep the time of the last restart. */
static void note_start(const struct aux_work *w)
{
	uint64_t now = clock_ns(), was = atomic_load(w->started);

	while (was < now && !atomic_compare_exchange_weak(w->started, &was, now))
		;
}

/*
 * Copy the record that the stop wrote: the last one in the event's ring, drained or not, as none
 * follows before the event starts again. The reader may drain it meanwhile, which changes no byte.
 */
static void copy_record(struct auxreader *r, struct aux_copy *copy)
{
	const struct ring *ring = &r->ev.ring;
	uint64_t raw[AUX_RECORD_WORDS], head = atomic_load_acquire(&ring->page->data_head);
	const struct perf_event_header *h = (const void *)raw;
	struct record_aux a;

	memset(copy->record, 0, sizeof(copy->record));
	if (head < sizeof(raw))
		return;
	for (size_t i = 0; i < AUX_RECORD_WORDS; i++)
		memcpy(&raw[i], ring->data + ((head - sizeof(raw) + i * 8) & (ring->size - 1)), 8);
	if (h->type != PERF_RECORD_AUX || h->size != sizeof(raw) ||
	    !record_aux(&r->layout, h, &a) || record_time(&r->layout, h) == atomic_load(&r->copied))
		return;
	raw[3] = a.flags | atomic_exchange(&r->flags, 0);
	atomic_store(&r->copied, record_time(&r->layout, h));
	memcpy(copy->record, raw, sizeof(raw));
}

void auxreader_help(struct auxreader *r)
{
	const struct auxarea *area = &r->ev.area;
	struct aux_work w;

	if (!atomic_take_flag(&r->offered))
		return;
	w = r->work;
	auxarea_copy(&r->ev.area, w.copy);
	copy_record(r, w.copy);
	if (r->on)
		auxevent_enable(&r->ev, true);
	note_start(&w);
	auxarea_compare(&r->ev.area, w.copy, w.before);
	if (area->total || area->position)
		atomic_store(&r->kind, area->total ? AUX_HEAD_TOTAL : AUX_HEAD_POSITION);
	atomic_fetch_add(&r->copies, 1);
	sem_post(&r->control);
	/* Pairs with the wait in copy_all: the copied bytes can be read there. */
	if (atomic_sub_last(w.left))
		eventfd_write(w.done_fd, 1);
}
