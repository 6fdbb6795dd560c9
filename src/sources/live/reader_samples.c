/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/live/reader_samples.h"

#include <string.h>

#include "base/hash.h"
#include "kernel/capture/cursor.h"
#include "measure/consumers/samplesums.h"
#include "sources/live/reader_readings.h"
#include "sources/live/reader_state.h"
#include "measure/session/path.h"

unsigned reader_samples_event(const struct reader *r, uint64_t id)
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
	return reader_samples_event(r, id);
}

/* Count a sample whose row is added later, by the unwinders or the tick. */
static void note_taken(struct reader_event *e, uint64_t weight)
{
	e->taken.samples++;
	e->taken.weight += weight;
}

struct table_key reader_samples_key(const struct reader *r, unsigned event, const struct sample *s,
				    const struct path *path)
{
	/* The reader's number for the CPU, which differs for per-thread rings, too. */
	return (struct table_key){
		.pid = s->pid, .tid = s->tid, .event = (uint16_t)event,
		.cpu = (uint16_t)r->config.writer, .mode = s->mode,
		.epoch = split_epoch(r->config.split, s->pid, s->time, path->ips, path->nr)};
}

void reader_samples_put(struct reader *r, const struct record_layout *l, const struct sample *s,
			struct table_key *key, const struct path *path, uint64_t weight)
{
	uint64_t ips[TABLE_PATH_MAX];
	struct path counted = *path;

	if (r->config.unwinding) {
		note_taken(&r->event[key->event], weight);
		if (unwinding_put(r->config.unwinding, r->config.writer, l, s, key, weight,
				  r->asks, &counted, ips))
			return;
	}
	key->nr = (uint8_t)counted.nr;
	combine_add(r->combine, key, counted.ips, weight, s->time);
}

struct path reader_samples_path(struct reader *r, const struct record_layout *l,
				const struct sample *s, uint64_t ips[TABLE_PATH_MAX])
{
	struct path path = path_of(l, s, r->ips);

	r->asks = l->piece && r->config.unwinding &&
		  unwinding_prove(r->config.unwinding, r->config.writer, l, s, &path, ips);
	return path;
}

/* Hand a sample to the event's consumers.  False: its record ends too early. */
static bool consume(struct reader *r, unsigned event, const struct sample *s,
		    const struct path *path, uint64_t weight)
{
	const struct consumer_sample c = {.s = s, .path = path, .layout = &r->event[event].layout,
					  .weight = weight, .event = event,
					  .reader = r->config.writer, .cpu = r->config.cpu};

	return consumers_sample(r->consumer, r->event[event].consumers, &c);
}

bool reader_samples_take(struct reader *r, unsigned event, const struct sample *s,
			 const struct path *path)
{
	struct reader_event *e = &r->event[event];
	struct table_key key = reader_samples_key(r, event, s, path);
	uint64_t weight = e->period ? e->period : s->period;

	if ((e->weigh && !samplesums_weigh(e->weigh, s, &weight)) ||
	    (e->consumers && !consume(r, event, s, path, weight))) {
		r->bad_records++;
		return false;
	}
	if (!s->pid && !s->tid && key.mode == PERF_RECORD_MISC_KERNEL)
		e->idle += weight;
	if (e->of_all)
		note_taken(e, weight);
	else
		reader_samples_put(r, &e->layout, s, &key, path, weight);
	return true;
}

static void take_ring_sample(struct reader *r, const struct perf_event_header *h)
{
	unsigned event = event_of_sample(r, h);
	uint64_t ips[TABLE_PATH_MAX];
	struct path path;
	struct sample s;

	if (event >= r->nevents || !record_sample(&r->event[event].layout, h, &s)) {
		r->bad_records++;
		return;
	}
	path = reader_samples_path(r, &r->event[event].layout, &s, ips);
	if (!reader_samples_take(r, event, &s, &path))
		return;
	/*
	 * Samples without any trace, where the driver had none to give, are found by their number.
	 */
	if (r->config.aux && s.span[SAMPLE_AUX].len)
		auxreader_sampled(r->config.aux, s.span[SAMPLE_AUX].len);
	if (r->event[event].carries)
		reader_readings_keep(r, h);
}

static void take_other_record(struct reader *r, const struct perf_event_header *h)
{
	struct record_lost lost;
	uint64_t id;
	unsigned event;

	if (h->type == PERF_RECORD_LOST && record_lost(&r->event[0].layout, h, &lost)) {
		event = reader_samples_event(r, lost.id);
		if (event < r->nevents)
			r->event[event].lost_records += lost.lost;
		r->gauge.lost += lost.lost;
		CONSUMERS_EACH(r->consumer, gap, r->config.writer, r->drained,
			       record_time(&r->event[0].layout, h));
	} else if (h->type == PERF_RECORD_THROTTLE &&
		   record_throttle(&r->event[0].layout, h, &id)) {
		event = reader_samples_event(r, id);
		if (event < r->nevents)
			r->event[event].throttles++;
	} else {
		CONSUMERS_EACH(r->consumer, other, r->config.writer, &r->event[0].layout, h,
			       record_time(&r->event[0].layout, h));
	}
}

/* Return the time of a record, 0 where it has none. */
static uint64_t time_of_record(const struct reader *r, const struct perf_event_header *h)
{
	struct sample s;

	if (h->type == PERF_RECORD_SAMPLE)
		return record_sample(&r->event[0].layout, h, &s) ? s.time : 0;
	return record_time(&r->event[0].layout, h);
}

struct walk {
	size_t records, bytes;
	const struct perf_event_header *first, *last;
};

static void walk_batch(struct reader *r, const struct ring_batch *b, struct walk *w)
{
	struct cursor c = {.data = b->data, .len = b->len};
	const struct perf_event_header *h;

	*w = (struct walk){0};
	while (cursor_next(&c, &h) == CURSOR_RECORD) {
		if (h->type == PERF_RECORD_SAMPLE)
			take_ring_sample(r, h);
		else
			take_other_record(r, h);
		if (!w->first)
			w->first = h;
		w->last = h;
		w->records++;
	}
	w->bytes = c.pos;
}

static void gauge_batch(struct reader *r, const struct ring_batch *b, const struct walk *w)
{
	struct slice_gauge *g = &r->gauge;
	uint64_t lost = b->overwritten + (b->len - w->bytes), newest, oldest, span, watermark;

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
	newest = time_of_record(r, r->set.sample.overwrite ? w->first : w->last);
	oldest = time_of_record(r, r->set.sample.overwrite ? w->last : w->first);
	span = oldest && newest > oldest ? newest - oldest : 0;
	g->oldest_ns = span;
	if (lost)
		CONSUMERS_EACH(r->consumer, gap, r->config.writer, r->drained,
			       r->set.sample.overwrite ? oldest : newest);
	r->newest = r->drained = newest;
	watermark = g->size / 4;
	if (b->unread > watermark && span) {
		/* Taking the rate as even: how long ago was the watermark passed? */
		uint64_t late = (uint64_t)((double)span * (double)(b->unread - watermark) /
					   (double)w->bytes);

		if (g->late_ns == GAUGE_UNKNOWN || late > g->late_ns)
			g->late_ns = late;
	}
}

static void pause_output(const struct reader *r, bool on)
{
	if (reader_pauses(r))
		ringset_pause(&r->set, on);
}

void reader_samples_begin(struct reader *r, bool newest_first)
{
	table_enter(r->config.table, r->config.writer);
	CONSUMERS_EACH(r->consumer, begin, newest_first);
}

void reader_samples_end(struct reader *r)
{
	CONSUMERS_EACH(r->consumer, end);
	combine_flush(r->combine);
	table_leave(r->config.table, r->config.writer);
}

void reader_samples_drain(struct reader *r)
{
	struct ring_batch b;
	struct walk w;

	if (!r->set.sample.page)
		return;
	pause_output(r, true);
	ring_take(&r->set.sample, r->buf, &b);
	pause_output(r, false);
	reader_samples_begin(r, r->set.sample.overwrite);
	walk_batch(r, &b, &w);
	if (r->carriers)
		reader_readings_take(r, b.overwritten + (b.len - w.bytes) > 0);
	reader_samples_end(r);
	if (r->config.queue)
		recqueue_put(r->config.queue, b.data, w.bytes, event_of_sample, r);
	gauge_batch(r, &b, &w);
	CONSUMERS_EACH(r->consumer, flush, r->config.writer, false);
}

void reader_samples_copy(struct reader *r)
{
	r->copied = (struct ring_batch){.data = r->copy_to};
	if (!r->set.sample.page || !r->copy_to)
		return;
	pause_output(r, true);
	ring_copy(&r->set.sample, r->copy_to, &r->copied);
	pause_output(r, false);
}

void reader_samples_gauge(struct reader *r)
{
	struct slice_gauge *g = &r->gauge;
	bool overwrite = r->config.rings->overwrite;

	*g = (struct slice_gauge){
		.cpu = (int16_t)r->config.cpu, .kind = RING_SAMPLE, .tid = r->config.tid,
		.mode = overwrite ? RING_OVERWRITE : RING_FORWARD,
		.size = r->config.rings->sample_bytes,
		.oldest_ns = GAUGE_UNKNOWN, .late_ns = GAUGE_UNKNOWN,
		/* An overwritable ring never writes LOST, a forward one never overwrites. */
		.lost = 0,
		.overwritten_bytes = overwrite ? 0 : GAUGE_UNKNOWN,
	};
}
