/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/live/reader_rings.h"

#include <errno.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/log.h"
#include "kernel/capture/counterset.h"
#include "kernel/event/event.h"
#include "sources/consumers/logevents.h"
#include "sources/consumers/logkeep.h"
#include "sources/consumers/reader_fields.h"
#include "sources/live/reader_ftrace.h"
#include "sources/live/reader_readings.h"
#include "sources/live/reader_samples.h"
#include "sources/live/reader_state.h"
#include "sources/live/reader_multiplex.h"

#define FROZEN_TIMES 2 /* reads in which a living event's time cannot stand still */

/* Set the properties that the event's accounts depend on. */
static void set_account_properties(const struct reader *r, const struct event *e, unsigned i)
{
	const struct ringset_config *rings = r->config.rings;
	struct loss_input *in = &r->report.input[i];

	in->period = r->event[i].period;
	in->weighed = r->event[i].weigh != NULL;
	in->whole = e->own_count && !r->event[i].period && !e->attr.freq;
	in->clock = e->clock;
	in->task = !r->dies_with_cpu || rings->by_cgroup;
	in->targeted =
		e->targeted && !r->dies_with_cpu && r->config.cpu >= 0 && !ringset_of_all(rings, e);
	in->excludes = e->attr.exclude_user || e->attr.exclude_kernel || rings->exclude_kernel;
}

static void lay_out_one(struct reader *r, unsigned i)
{
	const struct event *e = &r->config.rings->events->events[i];
	struct reader_event *to = &r->event[i];
	struct perf_event_attr attr;

	ringset_sample_attr(r->config.rings, i, &attr);
	record_layout_init_attr(&to->layout, &attr);
	to->period = event_fixed_period(e);
	to->weigh = tracefields_weight(r->config.rings->events->fields, i);
	to->key = tracefields_key(r->config.rings->events->fields, i);
	to->carries = e->sample_read;
	to->led = e->led;
	to->inherits = attr.inherit;
	to->always_runs = event_always_runs(r->config.rings->events, i);
	to->group = e->group;
	to->of_all = ringset_of_all(r->config.rings, e);
	set_account_properties(r, e, i);
}

/* Take the consumers that are in use, and find those of each event's samples. */
static void choose_consumers(struct reader *r)
{
	const struct reader_config *c = &r->config;
	struct consumer *of = r->consumer;

	of[CONSUMER_SUMS] = (struct consumer){&reader_fields_consumer, r};
	of[CONSUMER_OFFCPU] = (struct consumer){c->offcpu ? &offcpu_consumer : NULL, c->offcpu};
	of[CONSUMER_PAIRS] = (struct consumer){c->between ? &between_consumer : NULL, c->between};
	of[CONSUMER_LOG] = (struct consumer){r->log ? &logkeep_consumer : NULL, r->log};
	for (unsigned i = 0; i < r->nevents; i++) {
		const struct event *e = &c->rings->events->events[i];

		r->event[i].consumers =
			(r->event[i].key != NULL) << CONSUMER_SUMS |
			(c->offcpu && offcpu_takes(e)) << CONSUMER_OFFCPU |
			(c->between && between_takes(c->between, i)) << CONSUMER_PAIRS |
			(r->log && logevents_wants(e) && e->raw) << CONSUMER_LOG;
	}
}

int reader_rings_lay_out(struct reader *r)
{
	r->nevents = r->config.rings->events->nr;
	for (unsigned i = 0; i < r->nevents; i++)
		lay_out_one(r, i);
	choose_consumers(r);
	return reader_readings_init(r);
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
	r->not_enabled = r->set.ncounters; /* none where they come by task */
	return ret ? ret : map_ids(r, err);
}

int reader_rings_open(struct reader *r, struct err *err)
{
	int ret = r->ftrace ? reader_ftrace_open(r->ftrace, err) : 0;

	/* The AUX event first: it may lead the others. */
	if (!ret && r->config.aux)
		ret = auxreader_open(r->config.aux, err);

	if (!ret) {
		ret = open_set(r, r->config.tid, err);
		if (ret && r->config.aux)
			auxreader_close(r->config.aux);
	}
	r->report.state = ret ? RING_OFFLINE : RING_LIVE;
	return ret;
}

/* --- counters ----------------------------------------------------------------------------- */

/*
 * An event that was opened while its CPU came and went may never be put on it (6.18): its time goes
 * on, and it does not run.  Software events wait for no counter, so one that has not run yet never
 * will.
 */
static bool never_runs(const struct reader *r, unsigned event, const struct perf_count *c)
{
	const struct ringset_config *rings = r->config.rings;

	return c->enabled && !c->running && !c->value && !rings->by_cgroup && !r->config.aux &&
	       event_counts_alone(&rings->events->events[event]);
}

/*
 * Count reads in which an event's time stands still: a living one's goes on, whatever the CPU does.
 */
static void watch_time(struct reader *r, uint64_t enabled_ns, bool idle)
{
	r->frozen = (enabled_ns == r->enabled_ns || idle) && !r->off ? r->frozen + 1 : 0;
	r->enabled_ns = enabled_ns;
}

/* Return true if there is an event of all tasks beside others: it alone ends with its CPU. */
static bool has_of_all(const struct reader *r)
{
	for (unsigned i = 0; i < r->nevents; i++)
		if (r->event[i].of_all && event_is_opened(&r->config.rings->events->events[i]))
			return true;
	return false;
}

/* Return true if the counter's time shows whether the events that end with the CPU still live. */
static bool counter_shows_life(const struct reader *r, size_t counter, bool of_all)
{
	return of_all ? r->event[r->set.counters[counter].event].of_all : !counter;
}

void reader_rings_count(struct reader *r)
{
	struct reader_multiplex times = {.looked = false};
	bool of_all = has_of_all(r);

	for (unsigned i = 0; i < r->nevents; i++) {
		r->report.input[i].counted_before = r->report.input[i].counted;
		r->report.input[i].counted = r->event[i].base_counted;
		r->report.input[i].lost_samples = r->event[i].base_lost;
		r->report.input[i].open = 0;
		r->event[i].under_way = 0;
	}
	for (size_t i = 0; i < r->set.ncounters; i++) {
		struct loss_input *in = &r->report.input[r->set.counters[i].event];
		struct reader_event *e = &r->event[r->set.counters[i].event];
		struct perf_count c;
		bool failed = ringset_read(&r->set, r->config.rings, i, &c) != 0;

		reader_multiplex_add(r, &times, i, failed ? NULL : &c);
		if (failed)
			continue; /* the event is in error: the sums do not fall (loss.c) */
		if (counter_shows_life(r, i, of_all))
			watch_time(r, c.enabled, never_runs(r, r->set.counters[i].event, &c));
		in->open++;
		in->counted += c.value;
		in->lost_samples += c.lost;
		e->under_way += e->period ? c.value % e->period : 0;
	}
}

void reader_rings_sum(struct reader *r)
{
	const struct combine_total *dropped = combine_dropped(r->combine);

	for (unsigned i = 0; i < r->nevents; i++) {
		struct loss_input *in = &r->report.input[i];

		in->taken = loss_amount(in, &r->event[i].taken);
		in->dropped_samples = dropped[i].samples + r->event[i].unkept;
		in->dropped = loss_amount(in, &dropped[i]);
		/* A clock's timer keeps no step with what it counts. */
		in->cut = r->event[i].cut + (in->clock ? 0 : r->event[i].under_way);
		in->idle_sampled = r->event[i].idle;
		in->overwritten_samples = r->event[i].led ? 0 : r->overwritten_samples;
		for (int c = 0; c < LOST_NR; c++) {
			in->missed[c] = r->event[i].missed[c].weight;
			in->missed_samples[c] = r->event[i].missed[c].samples;
		}
		in->throttles = r->event[i].throttles;
		in->enabled = r->event[i].time.enabled;
		in->running = r->event[i].time.running;
		in->pausing = reader_pauses(r);
		in->elsewhere = !r->report.pinned;
		if (!r->config.rings->features.format_lost)
			in->lost_samples = r->event[i].lost_records;
	}
	if (r->ftrace)
		reader_ftrace_sum(r->ftrace, r);
}

/* --- hotplug ------------------------------------------------------------------------------ */

/* Keep counts and losses of the counters, read last, which are about to be closed. */
static void keep_counts(struct reader *r)
{
	for (unsigned i = 0; i < r->nevents; i++) {
		/* A period that is cut short gives no sample any more. */
		r->event[i].cut += r->event[i].under_way;
		r->event[i].under_way = 0;
		r->event[i].base_counted = r->report.input[i].counted;
		r->event[i].base_lost = r->report.input[i].lost_samples;
	}
}

static void close_dead(struct reader *r)
{
	/* The ring has no writer any more: no pin and no pause is needed for its rest. */
	r->report.pinned = true;
	reader_rings_count(r);
	reader_samples_drain(r);
	keep_counts(r);
	sidequeue_close(&r->side, &r->set.sideband);
	ringset_close(&r->set);
	if (r->counts)
		counterset_close(r->counts);
	if (r->config.aux)
		auxreader_close(r->config.aux);
}

static void open_anew(struct reader *r)
{
	if (reader_rings_open(r, &r->report.failure)) {
		log_msg(LOG_READER, "cpu %d: %s", r->config.cpu, r->report.failure.text);
		r->report.failed++;
		return;
	}
	r->report.reopened++;
	r->shut = NULL;
	r->enabled_ns = r->frozen = 0;
	ringset_enable(&r->set, !r->off);
	if (r->counts && !counterset_open(r->counts))
		counterset_enable(r->counts, !r->off);
	if (r->config.aux)
		auxreader_enable(r->config.aux, !r->off);
}

/* Drop the events of all tasks, which ended with the CPU; their counts and records stay. */
static void drop_of_all(struct reader *r)
{
	size_t nr = ringset_drop_of_all(&r->set, r->config.rings);

	for (unsigned i = 0; i < r->nevents; i++)
		if (r->event[i].of_all)
			r->event[i].base_counted = r->report.input[i].counted;
	r->not_enabled -= nr < r->not_enabled ? nr : r->not_enabled;
}

static void renew_of_all(struct reader *r)
{
	bool all = r->not_enabled == r->set.ncounters;

	reader_samples_drain(r); /* records are read by the ids that they were written with */
	if (ringset_open_of_all(&r->set, r->config.rings, &r->report.failure) ||
	    map_ids(r, &r->report.failure)) {
		log_msg(LOG_READER, "cpu %d: %s", r->config.cpu, r->report.failure.text);
		r->report.failed++;
		return;
	}
	if (all)
		r->not_enabled = r->set.ncounters;
	reader_rings_enable(r);
}

void reader_rings_offline(struct reader *r)
{
	r->report.state = RING_OFFLINE;
	if (r->dies_with_cpu) {
		close_dead(r);
		return;
	}
	r->report.pinned = false; /* the kernel moved the thread elsewhere */
	drop_of_all(r);
}

void reader_rings_online(struct reader *r)
{
	r->report.pinned = !ringset_pin(r->config.rings, r->config.cpu);
	if (r->dies_with_cpu)
		open_anew(r);
	else if (r->set.ncounters || r->set.anchored) /* else they could not be opened anew */
		r->report.state = RING_LIVE;
	if (!r->dies_with_cpu && r->report.state == RING_LIVE && has_of_all(r))
		renew_of_all(r);
}

void reader_rings_revive(struct reader *r)
{
	if (r->frozen < FROZEN_TIMES || r->report.state != RING_LIVE)
		return;
	if (r->dies_with_cpu) {
		close_dead(r);
		reader_rings_online(r);
	} else if (has_of_all(r)) {
		drop_of_all(r);
		renew_of_all(r);
		r->frozen = 0;
	}
}

/* Events that were opened since stay disabled until READER_ENABLE_NEW. */
void reader_rings_enable(struct reader *r)
{
	ringset_enable_first(&r->set, r->not_enabled, !r->off);
}

/* Take over the unwinders.  Samples read before became rows, or found no room: none waits. */
static void take_unwinding(struct reader *r)
{
	const struct combine_total *added = combine_added(r->combine),
				   *dropped = combine_dropped(r->combine);

	for (unsigned i = 0; !r->config.unwinding && r->next_unwinding && i < r->nevents; i++)
		if (!r->event[i].of_all)
			r->event[i].taken =
				(struct combine_total){added[i].samples + dropped[i].samples,
						       added[i].weight + dropped[i].weight};
	r->config.unwinding = r->next_unwinding;
}

/*
 * Copy the rings: the owner changes its own when rings are opened anew again, and the reader may
 * read these at any time.
 */
static int adopt(struct reader *r, const struct ringset_config *rings, struct recqueue *queue)
{
	struct ringset_config *own = r->own;
	int ret;

	while (own == r->config.rings || own == r->shut)
		own++;
	*own = *rings;
	r->config.rings = own;
	r->config.queue = queue;
	r->config.between = own->events->between;
	take_unwinding(r);
	ret = reader_fields_adopt(r);
	return ret ? ret : reader_rings_lay_out(r);
}

static int open_as(struct reader *r, const struct ringset_config *rings, struct recqueue *queue)
{
	int ret = adopt(r, rings, queue);

	if (!ret)
		ret = open_set(r, r->config.tid, &r->report.failure); /* the AUX area stays */
	r->report.state = ret ? RING_OFFLINE : RING_LIVE;
	if (ret)
		log_msg(LOG_READER, "cpu %d: %s", r->config.cpu, r->report.failure.text);
	return ret;
}

/*
 * Close the old rings, except the sideband ring, which stays open beside the new one, so that no
 * map is missed in between; the events themselves do not count from one to the other.
 */
static void shut(struct reader *r)
{
	ringset_enable(&r->set, false);
	reader_rings_count(r);
	reader_samples_drain(r);
	keep_counts(r);
	ringset_close_samples(&r->set);
	sidequeue_open(&r->side, NULL);
	r->before = r->set;
	sidequeue_open(&r->side, &r->before.sideband);
	r->shut = r->config.rings;
}

void reader_rings_reopen(struct reader *r)
{
	bool again = r->shut != NULL;

	r->report.reopen_error = 0;
	r->config.offcpu = r->next_offcpu;
	choose_consumers(r);
	if (!r->next)
		return;
	if (!again && r->report.state == RING_OFFLINE && !r->set.ncounters) {
		r->report.reopen_error = adopt(r, r->next, r->next_queue);
		return;
	}
	if (!again)
		shut(r);
	r->report.reopen_error = open_as(r, r->next, r->next_queue);
	/* Both may not fit into memory: first the owner closes the old rest. */
	if (r->report.reopen_error && !again)
		return;
	/* Open them as they were, without a recording: none has begun, or it is over. */
	if (r->report.reopen_error && open_as(r, r->shut, NULL))
		r->report.failed++;
	r->shut = NULL;
	reader_rings_enable(r);
}

/* --- tasks -------------------------------------------------------------------------------- */

/* A thread that is gone is no failure; nor one that changed its user since it was found. */
static bool is_failure(const struct ringset_config *rings, int ret)
{
	return ret && ret != -ESRCH && !(rings->found && (ret == -EACCES || ret == -EPERM));
}

static int open_each(struct reader *r, const struct reader_tasks *tasks,
		     const struct ringset_config *rings, bool count, struct err *err)
{
	const pid_t *tids = count ? tasks->count : tasks->watch;
	size_t nr = count ? tasks->ncount : tasks->nwatch;
	int ret = 0, one;

	for (size_t i = 0; i < nr; i++) {
		if (tasks->missing && ringset_has(&r->set, tids[i], count))
			continue;
		if (!count && tasks->aux && r->config.aux)
			auxreader_open_new(r->config.aux, tids[i]);
		one = (count ? ringset_count : ringset_watch)(&r->set, rings, tids[i], err);
		if (is_failure(rings, one) && !ret) {
			ret = one;
			r->report.failure = *err;
			log_msg(LOG_READER, "cpu %d: %s", r->config.cpu, err->text);
		}
	}
	return ret;
}

int reader_rings_open_new(struct reader *r, const struct reader_tasks *tasks)
{
	struct ringset_config rings = *r->config.rings;
	struct err err;
	int ret, more;

	rings.aux = r->config.aux ? auxreader_event(r->config.aux) : NULL;
	rings.enable_on_exec = false;
	ringset_drop(&r->set, r->not_enabled, tasks->drop, tasks->ndrop);
	ret = open_each(r, tasks, &rings, false, &err);
	more = open_each(r, tasks, &rings, true, &err);
	ret = ret ? ret : more;
	more = map_ids(r, &err);
	sidequeue_open(&r->side, &r->set.sideband);
	return ret ? ret : more;
}

void reader_rings_enable_new(struct reader *r)
{
	if (r->off)
		return;
	r->not_enabled = r->set.ncounters;
	ringset_enable(&r->set, true);
}
