/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/live/reader_readings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sources/live/reader_samples.h"
#include "sources/live/reader_state.h"

/*
 * Less than any sample that carries a group's counts: the header, id, ip, tid, time, and two counts
 * with their ids.
 */
#define CARRIER_LEAST 64

int reader_readings_init(struct reader *r)
{
	bool any = false;

	if (r->carriers)
		return 0;
	for (unsigned i = 0; i < r->config.rings->events->nr; i++)
		any |= r->config.rings->events->events[i].sample_read;
	if (!any)
		return 0;
	r->carriers =
		calloc(r->config.rings->sample_bytes / CARRIER_LEAST + 1, sizeof(*r->carriers));
	return r->carriers ? 0 : -ENOMEM;
}

void reader_readings_keep(struct reader *r, const struct perf_event_header *h)
{
	if (r->carriers && h->size >= CARRIER_LEAST)
		r->carriers[r->ncarriers++] = h;
}

/*
 * Return why samples are missing between two readings.  `lost`: the ring or the kernel reported
 * missing records; else the reason is unknown, such as a driver that missed that its counter had
 * wrapped.
 */
static enum lost_cause cause_of(const struct reader *r, bool throttled, bool lost)
{
	if (throttled)
		return LOST_THROTTLED;
	if (!lost)
		return LOST_UNKNOWN;
	if (reader_pauses(r))
		return LOST_PAUSED;
	return r->set.sample.overwrite ? LOST_OVERWRITTEN : LOST_FULL;
}

struct carrier {
	struct sample s;
	struct path path;
	const struct reader_event *leader;
	bool fresh_gap; /* also for counters that are read for the first time */
	enum lost_cause cause;
};

/*
 * Return true if the carrier's own count is more than one period, so that samples are missing.  Not
 * for a clock, whose timer may sleep.
 */
static bool skips_periods(const struct reader *r, const struct carrier *c, uint64_t since)
{
	unsigned event = (unsigned)(c->leader - r->event);

	return c->leader->period && !r->report.input[event].clock && since >= 2 * c->leader->period;
}

static void take_reading(struct reader *r, struct carrier *c, const struct sample_value *v,
			 bool *skipped)
{
	unsigned event = reader_samples_event(r, v->id);
	struct reader_event *e = &r->event[event];
	struct table_key key;
	uint64_t since;
	bool gap;

	if (event >= r->nevents)
		return;
	if (!readings_since(&r->readings, v->id, c->leader->inherits ? c->s.tid : 0, v->value,
			    c->fresh_gap, &since, &gap)) {
		e->unkept++;
		return;
	}
	if (e == c->leader) {
		*skipped = skips_periods(r, c, since);
	} else if (since && (gap || *skipped)) {
		e->missed[c->cause].samples++;
		e->missed[c->cause].weight += since;
	} else if (since) {
		key = reader_samples_key(r, event, &c->s, &c->path);
		reader_samples_put(r, &c->leader->layout, &c->s, &key, &c->path, since);
	}
}

static void take_one(struct reader *r, struct carrier *c, const struct perf_event_header *h)
{
	uint64_t id, ips[TABLE_PATH_MAX];
	struct sample_value v;
	bool skipped = false;

	memcpy(&id, h + 1, sizeof(id)); /* like event_of_sample: a group means several events */
	c->leader = &r->event[reader_samples_event(r, id)];
	if (!record_sample(&c->leader->layout, h, &c->s))
		return; /* counted as bad when it was kept */
	c->path = reader_samples_path(r, &c->leader->layout, &c->s, ips);
	for (uint64_t i = 0; sample_value(&c->leader->layout, &c->s, i, &v); i++)
		take_reading(r, c, &v, &skipped);
}

/* Return true if the kernel reported discarded samples or throttling since the last call. */
static bool was_told_loss(struct reader *r, bool *throttled)
{
	uint64_t throttles = 0, lost = 0;
	bool told;

	for (unsigned i = 0; i < r->nevents; i++) {
		throttles += r->event[i].throttles;
		lost += r->event[i].lost_records;
	}
	*throttled = throttles > r->throttles;
	told = *throttled || lost > r->lost_records;
	r->throttles = throttles;
	r->lost_records = lost;
	return told;
}

void reader_readings_take(struct reader *r, bool lost)
{
	bool throttled, backward = r->set.sample.overwrite;
	struct carrier c;

	c.fresh_gap = was_told_loss(r, &throttled) || lost;
	c.cause = cause_of(r, throttled, c.fresh_gap);
	if (c.fresh_gap)
		readings_gap(&r->readings);
	for (size_t i = 0; i < r->ncarriers; i++)
		take_one(r, &c, r->carriers[backward ? r->ncarriers - 1 - i : i]);
	r->ncarriers = 0;
}
