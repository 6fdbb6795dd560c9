/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/reader.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/thread.h"
#include "capture/cursor.h"
#include "decode/record.h"
#include "session/path.h"
#include "table/combine.h"

#define FROZEN_TIMES 2 /* reads in which a living event's time cannot stand still */

struct reader_event {
	struct record_layout layout;
	uint64_t period;
	uint64_t base_counted, base_lost; /* of counters that were closed */
	uint64_t cut;                     /* of base_counted: in periods that did not end */
	uint64_t throttles, lost_records;
	uint64_t idle;                    /* of a clock: weight of the idle task's samples */
	struct combine_total taken, backlog; /* where stacks are unwound: of all; refused there */
};

struct id_slot {
	uint64_t id; /* 0: empty */
	uint16_t event;
};

struct reader {
	struct reader_config config;
	struct ringset set;
	struct sidequeue side;
	struct ringset before; /* of a reopening: the sideband ring, the owner's to read and close */
	const struct ringset_config *next; /* for READER_REOPEN */
	struct lane *next_lane;
	const struct ringset_config *shut; /* the old ones, while nothing could be opened in their place */
	bool off;                  /* the events shall not count */
	struct combine *combine;
	struct reader_report report; /* the owner's between requests */
	struct slice_gauge gauge;    /* since the last request */
	uint64_t newest, bad_records;
	struct id_slot *ids;         /* of the counters, hashed; a power of two, half empty */
	size_t nids;
	struct reader_tasks join;    /* for READER_JOIN */
	pid_t *joining;              /* what its lists are in: our own, however late we answer */
	size_t held_back; /* index of the first counter that was joined and not let go */
	char *hold;
	struct ring_batch held;
	struct reader_event *event;
	unsigned nevents;
	uint64_t ips[TABLE_PATH_MAX]; /* room for a path that no record has as it is */
	char *buf; /* a copy of the ring's news */
	int wake_fd;
	pthread_t thread;
	bool running;
	size_t polled; /* which counter's fd is polled: the first that has not hung up */
	size_t side_polled; /* the same of the sideband's */
	uint64_t overwritten_samples;
	bool dies_with_cpu;    /* events of a whole CPU: the kernel ends them with it */
	uint64_t enabled_ns;   /* of the first counter, when last read */
	unsigned frozen;       /* times it stood still since */
	unsigned request;           /* shared: written by the owner (release), read by us (acquire) */
	unsigned requested, done; /* shared, numbers; done: release by us, acquire by the owner */
};

static void lay_out(struct reader *r)
{
	struct perf_event_attr attr;

	for (unsigned i = 0; i < r->nevents; i++) {
		ringset_sample_attr(r->config.rings, i, &attr);
		record_layout_init_attr(&r->event[i].layout, &attr);
	}
}

struct reader *reader_create(const struct reader_config *c, struct err *err)
{
	struct reader *r = calloc(1, sizeof(*r));
	size_t room;
	int code;

	if (!r)
		goto nomem;
	r->config = *c;
	room = 2 * c->rings->sideband_bytes; /* what the ring holds, and one that was open before it */
	room = c->side_room > room ? c->side_room : room;
	r->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	r->nevents = c->rings->events->nr;
	r->report.state = c->offline ? RING_OFFLINE : RING_LIVE;
	r->dies_with_cpu = c->rings->tids[0] < 0;
	r->event = calloc(r->nevents, sizeof(*r->event));
	r->report.input = calloc(r->nevents, sizeof(*r->report.input));
	r->combine = combine_create(c->table, c->writer);
	/* Touched only as far as a burst reaches: an idle machine keeps its memory. */
	r->buf = mmap(NULL, c->rings->sample_bytes, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (r->buf == MAP_FAILED)
		r->buf = NULL;
	if (sidequeue_init(&r->side, room) || r->wake_fd < 0 || !r->event || !r->report.input || !r->combine ||
	    !r->buf)
		goto nomem;
	for (unsigned i = 0; i < r->nevents; i++) {
		const struct event *e = &c->rings->events->events[i];

		r->event[i].period = event_fixed_period(e);
		r->report.input[i].period = r->event[i].period;
		r->report.input[i].clock = e->clock;
		r->report.input[i].task = !r->dies_with_cpu;
		r->report.input[i].excludes = e->attr.exclude_user || e->attr.exclude_kernel ||
					      c->rings->exclude_kernel;
	}
	lay_out(r);
	return r;
nomem:
	code = errno;
	reader_free(r);
	err_room(err, code, "the reader of cpu %d", c->cpu);
	return NULL;
}

static int map_ids(struct reader *r, struct err *err)
{
	size_t nr = 16;

	while (nr < 2 * r->set.ncounters)
		nr *= 2;
	free(r->ids);
	r->ids = calloc(nr, sizeof(*r->ids));
	r->nids = r->ids ? nr : 0;
	if (!r->ids)
		return err_set(err, ENOMEM, "out of memory");
	for (size_t i = 0; i < r->set.ncounters; i++) {
		const struct counter *c = &r->set.counters[i];
		size_t at = hash_u64(c->id) & (nr - 1);

		while (r->ids[at].id)
			at = (at + 1) & (nr - 1);
		r->ids[at] = (struct id_slot){c->id, c->event};
	}
	return 0;
}

static int open_set(struct reader *r, pid_t tid, struct err *err)
{
	struct ringset_config one = *r->config.rings;
	int ret;

	if (r->config.cpu < 0) {
		one.tids = &tid;
		one.ntids = 1;
	}
	one.aux = r->config.aux ? auxreader_event(r->config.aux) : NULL;
	ret = ringset_open(&r->set, &one, r->config.cpu, err);
	sidequeue_open(&r->side, &r->set.sideband);
	r->polled = r->side_polled = 0;
	r->held_back = r->set.ncounters; /* none where they come by task */
	return ret ? ret : map_ids(r, err);
}

int reader_open(struct reader *r, struct err *err)
{
	/* The AUX event first: it may lead the others. */
	int ret = r->config.aux ? auxreader_open(r->config.aux, err) : 0;

	if (!ret) {
		ret = open_set(r, r->config.tid, err);
		if (ret && r->config.aux)
			auxreader_close(r->config.aux);
	}
	r->report.state = ret ? RING_OFFLINE : RING_LIVE;
	return ret;
}

/* --- records ------------------------------------------------------------------------------ */

/* Which event wrote the record; a single one needs no id. */
static unsigned event_of(const struct reader *r, uint64_t id)
{
	size_t at = hash_u64(id) & (r->nids - 1);

	if (r->nevents == 1)
		return 0;
	while (r->ids[at].id && r->ids[at].id != id)
		at = (at + 1) & (r->nids - 1);
	return r->ids[at].id ? r->ids[at].event : r->nevents;
}

static unsigned event_of_sample(const void *arg, const struct perf_event_header *h)
{
	const struct reader *r = arg;
	uint64_t id;

	if (r->nevents == 1)
		return 0;
	if (h->size < sizeof(*h) + sizeof(id))
		return r->nevents;
	memcpy(&id, h + 1, sizeof(id)); /* IDENTIFIER comes first in all of them */
	return event_of(r, id);
}

/* True: it is the unwinders' now, or had no room there. */
static bool take_stack(struct reader *r, struct reader_event *e, const struct perf_event_header *h,
		       const struct sample *s, const struct table_key *key, uint64_t weight)
{
	e->taken.samples++;
	e->taken.weight += weight;
	switch (unwinding_put(r->config.unwinding, r->config.writer, &e->layout, h, s, key, weight)) {
	case UNWINDING_TAKEN:
		return true;
	case UNWINDING_FULL:
		e->backlog.samples++;
		e->backlog.weight += weight;
		return true;
	default:
		return false;
	}
}

/* Samples without any, of which the driver had none to give, are told by their number. */
static void take_trace(struct reader *r, const struct record_layout *l, const struct perf_event_header *h)
{
	struct sample_fields f;

	if (!record_sample_fields(l, h, &f))
		r->bad_records++;
	else if (f.span[SAMPLE_AUX].len)
		auxreader_sampled(r->config.aux, f.span[SAMPLE_AUX].len);
}

static void take_sample(struct reader *r, const struct perf_event_header *h)
{
	unsigned event = event_of_sample(r, h);
	struct table_key key;
	struct path path;
	struct sample s;
	uint64_t weight;

	if (event >= r->nevents || !record_sample(&r->event[event].layout, h, &s)) {
		r->bad_records++;
		return;
	}
	/* Our number for the CPU: it tells per-thread rings apart, too. */
	key = (struct table_key){.pid = s.pid, .tid = s.tid, .event = event,
				 .cpu = (uint16_t)r->config.writer,
				 .mode = h->misc & PERF_RECORD_MISC_CPUMODE_MASK,
				 .epoch = split_epoch(r->config.split, s.pid, s.time)};
	weight = r->event[event].period ? r->event[event].period : s.period;
	if (!s.pid && !s.tid && key.mode == PERF_RECORD_MISC_KERNEL)
		r->event[event].idle += weight;
	if (r->config.aux && r->event[event].layout.sample_type & PERF_SAMPLE_AUX)
		take_trace(r, &r->event[event].layout, h);
	if (r->config.unwinding && take_stack(r, &r->event[event], h, &s, &key, weight))
		return;
	path = path_of(&r->event[event].layout, h, &s, r->ips);
	key.nr = path.nr;
	combine_add(r->combine, &key, path.ips, weight, s.time);
}

static void take_other(struct reader *r, const struct perf_event_header *h)
{
	struct record_lost lost;
	uint64_t id;
	unsigned event;

	if (h->type == PERF_RECORD_LOST && record_lost(&r->event[0].layout, h, &lost)) {
		event = event_of(r, lost.id);
		if (event < r->nevents)
			r->event[event].lost_records += lost.lost;
		r->gauge.lost += lost.lost;
	} else if (h->type == PERF_RECORD_THROTTLE && record_throttle(&r->event[0].layout, h, &id)) {
		event = event_of(r, id);
		if (event < r->nevents)
			r->event[event].throttles++;
	}
}

/* The time of a record, where it has one. */
static uint64_t time_of(const struct reader *r, const struct perf_event_header *h)
{
	struct sample s;

	if (h->type == PERF_RECORD_SAMPLE)
		return record_sample(&r->event[0].layout, h, &s) ? s.time : 0;
	return record_time(&r->event[0].layout, h);
}

struct walk {
	size_t records, bytes;
	const struct perf_event_header *first, *last;
	bool corrupt;
};

static void walk_batch(struct reader *r, const struct ring_batch *b, struct walk *w)
{
	struct cursor c = {.data = b->data, .len = b->len};
	const struct perf_event_header *h;
	enum cursor_step step;

	*w = (struct walk){0};
	while ((step = cursor_next(&c, &h)) == CURSOR_RECORD) {
		if (h->type == PERF_RECORD_SAMPLE)
			take_sample(r, h);
		else
			take_other(r, h);
		if (!w->first)
			w->first = h;
		w->last = h;
		w->records++;
	}
	w->bytes = c.pos;
	w->corrupt = step == CURSOR_CORRUPT;
}

static void gauge_batch(struct reader *r, const struct ring_batch *b, const struct walk *w)
{
	struct slice_gauge *g = &r->gauge;
	uint64_t lost = b->overwritten + (b->len - w->bytes), newest, oldest, watermark;

	g->unread = b->unread;
	if (b->unread > g->unread_max)
		g->unread_max = b->unread;
	g->bytes += w->bytes;
	g->records += w->records;
	if (r->set.sample.overwrite && b->unread)
		g->overwritten_bytes += lost;
	if (lost && w->records)
		/* Rounded up: an upper bound, which the counters make exact. */
		r->overwritten_samples += (lost * w->records + w->bytes - 1) / w->bytes;
	else if (lost)
		r->overwritten_samples += lost / sizeof(struct perf_event_header);
	if (!w->records)
		return;
	newest = time_of(r, r->set.sample.overwrite ? w->first : w->last);
	oldest = time_of(r, r->set.sample.overwrite ? w->last : w->first);
	g->oldest_ns = newest > oldest ? newest - oldest : 0;
	r->newest = newest;
	watermark = g->size / 4;
	if (b->unread > watermark && newest > oldest) {
		/* Taking the rate as even: how long ago was the watermark passed? */
		uint64_t late = (uint64_t)((double)(newest - oldest) *
					   (double)(b->unread - watermark) / (double)w->bytes);

		if (g->late_ns == GAUGE_UNKNOWN || late > g->late_ns)
			g->late_ns = late;
	}
}

/* Not on the ring's CPU: records could be half written, so stop the kernel from writing. */
static void pause_output(const struct reader *r, bool on)
{
	uint32_t arg = on;

	if (!r->report.pinned && r->set.sample.overwrite && ringset_fd(&r->set) >= 0)
		ioctl(ringset_fd(&r->set), PERF_EVENT_IOC_PAUSE_OUTPUT, arg);
}

static void drain(struct reader *r)
{
	struct ring_batch b;
	struct walk w;

	if (!r->set.sample.page)
		return;
	pause_output(r, true);
	ring_take(&r->set.sample, r->buf, &b);
	pause_output(r, false);
	table_enter(r->config.table, r->config.writer);
	walk_batch(r, &b, &w);
	combine_flush(r->combine);
	table_leave(r->config.table, r->config.writer);
	if (r->config.lane)
		lane_put(r->config.lane, b.data, w.bytes, event_of_sample, r);
	gauge_batch(r, &b, &w);
}

/* --- counters ----------------------------------------------------------------------------- */

/* The time of an event that lives goes on, whatever the CPU does. */
static void watch_time(struct reader *r, uint64_t enabled_ns)
{
	r->frozen = enabled_ns == r->enabled_ns && !r->off ? r->frozen + 1 : 0;
	r->enabled_ns = enabled_ns;
}

static void read_counters(struct reader *r)
{
	const struct perf_features *f = &r->config.rings->features;

	for (unsigned i = 0; i < r->nevents; i++) {
		r->report.input[i].counted = r->event[i].base_counted;
		r->report.input[i].lost_samples = r->event[i].base_lost;
		r->report.input[i].open = 0;
	}
	for (size_t i = 0; i < r->set.ncounters; i++) {
		struct account_input *in = &r->report.input[r->set.counters[i].event];
		struct perf_count c;

		if (perf_read(r->set.counters[i].fd, f, &c))
			continue; /* a counter in error state: its last value is in the base */
		if (i == 0)
			watch_time(r, c.enabled);
		in->open++;
		in->counted += c.value;
		in->lost_samples += c.lost;
	}
}

static void sum_up(struct reader *r)
{
	const struct combine_total *dropped = combine_dropped(r->combine);

	for (unsigned i = 0; i < r->nevents; i++) {
		struct account_input *in = &r->report.input[i];

		in->taken = r->event[i].taken.weight;
		in->backlog_samples = r->event[i].backlog.samples;
		in->backlog = r->event[i].backlog.weight;
		in->dropped_samples = dropped[i].samples + in->backlog_samples;
		in->dropped = dropped[i].weight + in->backlog;
		in->cut = r->event[i].cut;
		in->idle_sampled = r->event[i].idle;
		in->overwritten_samples = r->overwritten_samples;
		in->throttles = r->event[i].throttles;
		in->pausing = !r->report.pinned && r->set.sample.overwrite;
		if (!r->config.rings->features.format_lost)
			in->lost_samples = r->event[i].lost_records;
	}
}

/* --- hotplug ------------------------------------------------------------------------------ */

/* What the counters counted and lost stays, when they are closed. */
static void keep_counts(struct reader *r)
{
	for (size_t i = 0; i < r->set.ncounters; i++) {
		struct reader_event *e = &r->event[r->set.counters[i].event];
		struct perf_count c;

		/* A period that is cut short gives no sample any more. */
		if (e->period && !perf_read(r->set.counters[i].fd, &r->config.rings->features, &c))
			e->cut += c.value % e->period;
	}
	for (unsigned i = 0; i < r->nevents; i++) {
		r->event[i].base_counted = r->report.input[i].counted;
		r->event[i].base_lost = r->report.input[i].lost_samples;
	}
}

static void close_dead(struct reader *r)
{
	/* Nobody writes the ring any more: no pin and no pause is needed for its rest. */
	r->report.pinned = true;
	read_counters(r);
	drain(r);
	keep_counts(r);
	sidequeue_close(&r->side, &r->set.sideband);
	ringset_close(&r->set);
	if (r->config.aux)
		auxreader_close(r->config.aux);
}

static void open_anew(struct reader *r)
{
	if (reader_open(r, &r->report.failure)) {
		log_msg(LOG_READER, "cpu %d: %s", r->config.cpu, r->report.failure.text);
		r->report.failed++;
		return;
	}
	r->report.reopened++;
	r->shut = NULL;
	r->enabled_ns = r->frozen = 0;
	ringset_enable(&r->set, !r->off);
	if (r->config.aux)
		auxreader_enable(r->config.aux, !r->off);
}

static void go_offline(struct reader *r)
{
	r->report.state = RING_OFFLINE;
	if (r->dies_with_cpu)
		close_dead(r);
	else
		r->report.pinned = false; /* the kernel moved us elsewhere */
}

static void go_online(struct reader *r)
{
	r->report.state = RING_LIVE;
	r->report.pinned = !sched_pin(r->config.cpu);
	if (r->dies_with_cpu)
		open_anew(r);
}

/* Gone and back between two looks at who is online. */
static void revive(struct reader *r)
{
	if (r->frozen < FROZEN_TIMES || r->report.state != RING_LIVE || !r->dies_with_cpu)
		return;
	close_dead(r);
	go_online(r);
}

/* What is held back stays so. */
static void enable(struct reader *r)
{
	struct ringset let = r->set;

	let.ncounters = r->held_back < let.ncounters ? r->held_back : let.ncounters;
	ringset_enable(&let, !r->off);
}

static int open_as(struct reader *r, const struct ringset_config *rings, struct lane *lane)
{
	int ret;

	r->config.rings = rings;
	r->config.lane = lane;
	lay_out(r);
	ret = open_set(r, r->config.tid, &r->report.failure); /* the AUX area stays as it is */
	r->report.state = ret ? RING_OFFLINE : RING_LIVE;
	if (ret)
		log_msg(LOG_READER, "cpu %d: %s", r->config.cpu, r->report.failure.text);
	return ret;
}

/*
 * The old sideband ring stays open beside the new one, so that no map is missed in between; the
 * events themselves do not count from one to the other.
 */
static void shut(struct reader *r)
{
	ringset_enable(&r->set, false);
	read_counters(r);
	drain(r);
	keep_counts(r);
	ringset_close_samples(&r->set);
	sidequeue_open(&r->side, NULL);
	r->before = r->set;
	sidequeue_open(&r->side, &r->before.sideband);
	r->shut = r->config.rings;
}

/* Again, where the first time left nothing open. */
static void reopen(struct reader *r)
{
	bool again = r->shut != NULL;

	r->report.reopen_error = 0;
	if (!r->next)
		return;
	if (!again && r->report.state == RING_OFFLINE && !r->set.ncounters) {
		r->config.rings = r->next;
		r->config.lane = r->next_lane;
		lay_out(r);
		return;
	}
	if (!again)
		shut(r);
	r->report.reopen_error = open_as(r, r->next, r->next_lane);
	/* Room for the old and the new may be missing: first the owner closes what is left of the old. */
	if (r->report.reopen_error && !again)
		return;
	/* As they were, but for no recording: none has begun, or it is over. */
	if (r->report.reopen_error && open_as(r, r->shut, NULL))
		r->report.failed++;
	r->shut = NULL;
	enable(r);
}

/* --- the thread --------------------------------------------------------------------------- */

static void new_gauge(struct reader *r)
{
	struct slice_gauge *g = &r->gauge;
	bool overwrite = r->config.rings->overwrite;

	*g = (struct slice_gauge){
		.cpu = (int16_t)r->config.cpu, .kind = RING_SAMPLE, .tid = r->config.tid,
		.mode = overwrite ? RING_OVERWRITE : RING_FORWARD,
		.size = r->config.rings->sample_bytes,
		.oldest_ns = GAUGE_UNKNOWN, .late_ns = GAUGE_UNKNOWN,
		/* An overwritable ring never says LOST, a forward one never overwrites. */
		.lost = 0,
		.overwritten_bytes = overwrite ? 0 : GAUGE_UNKNOWN,
	};
}

/* A thread that is gone is no failure. */
static int join_each(struct reader *r, const struct reader_tasks *tasks,
		     const struct ringset_config *rings, bool count, struct err *err)
{
	const pid_t *tids = count ? tasks->count : tasks->watch;
	size_t nr = count ? tasks->ncount : tasks->nwatch;
	int ret = 0, one;

	for (size_t i = 0; i < nr; i++) {
		if (tasks->missing && ringset_has(&r->set, tids[i], count))
			continue;
		if (!count && tasks->aux && r->config.aux)
			auxreader_join(r->config.aux, tids[i]);
		one = (count ? ringset_count : ringset_watch)(&r->set, rings, tids[i], err);
		if (one && one != -ESRCH && !ret) {
			ret = one;
			r->report.failure = *err;
			log_msg(LOG_READER, "cpu %d: %s", r->config.cpu, err->text);
		}
	}
	return ret;
}

static int join(struct reader *r, const struct reader_tasks *tasks)
{
	struct ringset_config rings = *r->config.rings;
	struct err err;
	int ret, more;

	rings.aux = r->config.aux ? auxreader_event(r->config.aux) : NULL;
	rings.enable_on_exec = false;
	ringset_drop(&r->set, r->held_back, tasks->drop, tasks->ndrop);
	ret = join_each(r, tasks, &rings, false, &err);
	more = join_each(r, tasks, &rings, true, &err);
	ret = ret ? ret : more;
	more = map_ids(r, &err);
	sidequeue_open(&r->side, &r->set.sideband);
	return ret ? ret : more;
}

int reader_join_now(struct reader *r, const struct reader_tasks *tasks, struct err *err)
{
	int ret = join(r, tasks);

	if (ret)
		*err = r->report.failure;
	return ret;
}

static void let_go(struct reader *r)
{
	if (r->off)
		return;
	r->held_back = r->set.ncounters;
	ringset_enable(&r->set, true);
}

static void hold(struct reader *r)
{
	r->held = (struct ring_batch){.data = r->hold};
	if (!r->set.sample.page || !r->hold)
		return;
	pause_output(r, true);
	ring_hold(&r->set.sample, r->hold, &r->held);
	pause_output(r, false);
}

/* What the owner may read until its next request. */
static void publish(struct reader *r)
{
	bool pausing = !r->report.pinned && r->set.sample.overwrite;

	r->gauge.state = r->report.state == RING_OFFLINE ? RING_OFFLINE
			 : pausing ? RING_PAUSING : RING_LIVE;
	r->gauge.mode = r->config.rings->overwrite ? RING_OVERWRITE : RING_FORWARD;
	r->gauge.size = r->config.rings->sample_bytes;
	r->report.gauge = r->gauge;
	r->report.newest = r->newest;
	r->report.bad_records = r->bad_records;
	r->newest = 0;
	new_gauge(r);
}

static void serve(struct reader *r, unsigned what)
{
	if (what & READER_OFFLINE && r->report.state != RING_OFFLINE)
		go_offline(r);
	else if (what & READER_ONLINE && r->report.state == RING_OFFLINE)
		go_online(r);
	r->report.join_error = what & READER_JOIN && r->report.state == RING_LIVE ? join(r, &r->join) : 0;
	if (what & READER_REOPEN)
		reopen(r);
	if (what & READER_LET)
		let_go(r);
	if (what & (READER_ENABLE | READER_DISABLE)) {
		r->off = what & READER_DISABLE;
		enable(r);
		if (r->config.aux)
			auxreader_enable(r->config.aux, !r->off);
	}
	if (what & READER_COUNT) {
		read_counters(r);
		revive(r);
	}
	if (what & READER_DRAIN) {
		drain(r);
		if (r->config.unwinding)
			unwinding_flush(r->config.unwinding, r->config.writer);
	}
	if (r->config.aux)
		auxreader_tick(r->config.aux);
	if (what & READER_HOLD)
		hold(r);
	sum_up(r);
	r->report.shut = r->shut != NULL;
	if (what & READER_DRAIN)
		publish(r); /* else the gauge goes on */
}

/* POLLHUP: the task is gone, and polling on would return at once for ever. */
static void after_poll(struct reader *r, short revents)
{
	if (revents & (POLLHUP | POLLERR | POLLNVAL))
		r->polled++;
	else if (revents & POLLIN)
		r->gauge.wakeups++;
	if (revents & POLLIN)
		drain(r);
	if (r->config.unwinding && unwinding_pressed(r->config.unwinding))
		eventfd_write(r->config.done_fd, 1);
}

static void after_side_poll(struct reader *r, short revents)
{
	if (revents & (POLLHUP | POLLERR | POLLNVAL))
		r->side_polled++;
	else if (revents & POLLIN)
		sidequeue_wake(&r->side);
}

static bool step(struct reader *r)
{
	bool live = r->report.state == RING_LIVE;
	int ring = live && r->set.anchored			 ? r->set.anchor
		   : live && r->polled < r->set.ncounters ? r->set.counters[r->polled].fd
							 : -1;
	struct auxreader *aux = r->config.aux;
	struct pollfd fd[] = {
		{.fd = r->wake_fd, .events = POLLIN},
		{.fd = ring, .events = POLLIN},
		{.fd = aux ? auxreader_fd(aux) : -1, .events = POLLIN},
		{.fd = aux ? auxreader_room_fd(aux) : -1, .events = POLLIN},
		{.fd = live && r->side_polled < r->set.ndummies ? r->set.dummies[r->side_polled] : -1,
		 .events = POLLIN},
	};
	unsigned what = 0;
	eventfd_t n;

	if (poll(fd, 5, aux ? auxreader_timeout(aux) : -1) < 0)
		return true;
	after_poll(r, fd[1].revents);
	if (aux && (fd[2].revents || auxreader_timeout(aux) >= 0))
		auxreader_wake(aux, fd[2].revents);
	if (fd[3].revents)
		auxreader_room(aux);
	after_side_poll(r, fd[4].revents);
	if (!(fd[0].revents & POLLIN) || eventfd_read(r->wake_fd, &n))
		return true;
	what = atomic_load_acquire(&r->request);
	if (what & READER_COPY && aux)
		auxreader_help(aux);
	if (what & ~(unsigned)READER_COPY)
		serve(r, what);
	atomic_store_release(&r->done, atomic_load_relaxed(&r->requested));
	/* One that answers late may take the place of another: then both write. */
	if (atomic_add_relaxed(r->config.outstanding, -1) <= 1)
		eventfd_write(r->config.done_fd, 1);
	return !(what & READER_STOP);
}

static void *reader_thread(void *arg)
{
	struct reader *r = arg;
	char name[16];

	snprintf(name, sizeof(name), "ringtop-cpu%d", r->config.cpu);
	pthread_setname_np(pthread_self(), name);
	r->report.pinned = r->config.cpu >= 0 && !sched_pin(r->config.cpu);
	r->report.sched = sched_hurry(r->config.realtime, NULL);
	while (step(r))
		;
	return NULL;
}

int reader_start(struct reader *r, struct err *err)
{
	int ret;

	new_gauge(r);
	r->held_back = r->set.ncounters; /* the session lets them go itself */
	ret = thread_start(&r->thread, reader_thread, r);
	r->running = !ret;
	return ret ? err_set(err, -ret, "no thread for the reader of cpu %d: %s", r->config.cpu,
			     strerror(-ret)) : 0;
}

void reader_request(struct reader *r, unsigned what)
{
	atomic_add_relaxed(&r->requested, 1);
	atomic_store_release(&r->request, what);
	eventfd_write(r->wake_fd, 1);
}

bool reader_done(const struct reader *r)
{
	return atomic_load_acquire(&r->done) == atomic_load_relaxed(&r->requested);
}

/* A copy of the list at `to`; what is behind it. */
static pid_t *keep_tids(const pid_t **list, size_t nr, pid_t *to)
{
	if (nr)
		memcpy(to, *list, nr * sizeof(*to));
	*list = to;
	return to + nr;
}

int reader_join(struct reader *r, const struct reader_tasks *tasks)
{
	pid_t *at = malloc((tasks->ndrop + tasks->nwatch + tasks->ncount) * sizeof(*at) + 1);

	free(r->joining);
	r->joining = at;
	r->join = (struct reader_tasks){.drop = NULL};
	if (!at)
		return -ENOMEM;
	r->join = *tasks;
	at = keep_tids(&r->join.drop, tasks->ndrop, at);
	at = keep_tids(&r->join.watch, tasks->nwatch, at);
	keep_tids(&r->join.count, tasks->ncount, at);
	return 0;
}

const struct lane *reader_lane(const struct reader *r)
{
	return r->config.lane;
}

void reader_record(struct reader *r, struct lane *lane)
{
	r->config.lane = lane;
}

void reader_reopen(struct reader *r, const struct ringset_config *rings, struct lane *lane)
{
	r->next = rings;
	r->next_lane = lane;
}

struct sidequeue *reader_sideband(struct reader *r)
{
	return &r->side;
}

struct ringset *reader_before(struct reader *r)
{
	return &r->before;
}

void reader_hold(struct reader *r, char *buf)
{
	r->hold = buf;
	r->held = (struct ring_batch){.data = NULL};
}

const struct ring_batch *reader_held(const struct reader *r)
{
	return &r->held;
}

const struct reader_report *reader_report(const struct reader *r)
{
	return &r->report;
}

struct ringset *reader_set(struct reader *r)
{
	return &r->set;
}

void reader_free(struct reader *r)
{
	if (!r)
		return;
	if (r->running) {
		reader_request(r, READER_STOP);
		pthread_join(r->thread, NULL);
	}
	sidequeue_clear(&r->side);
	ringset_close(&r->set);
	ringset_close(&r->before);
	combine_free(r->combine);
	if (r->buf)
		munmap(r->buf, r->config.rings->sample_bytes);
	if (r->wake_fd > 0)
		close(r->wake_fd);
	free(r->joining);
	free(r->ids);
	free(r->event);
	free(r->report.input);
	free(r);
}
