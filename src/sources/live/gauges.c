/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/live/gauges.h"

#include <stdlib.h>

#include "sources/live/reader_ftrace.h"

struct gauges {
	struct readers *readers;
	uint64_t lost[]; /* by reader: samples that the kernel lost, as reported so far */
};

void *gauges_create(const struct tick_parts *p)
{
	struct gauges *g = calloc(1, sizeof(*g) + p->readers->capacity * sizeof(*g->lost));

	if (g)
		g->readers = p->readers;
	return g;
}

/*
 * Return new losses by the events' own count, which goes on while a full ring has no room for LOST.
 */
static uint64_t fresh_lost(struct gauges *g, unsigned reader, const struct reader_report *rep)
{
	uint64_t lost = 0, fresh;

	for (unsigned e = 0; e < g->readers->scope->events.nr; e++)
		if (event_is_opened(&g->readers->scope->events.events[e]) ||
		    g->readers->scope->events.events[e].off)
			lost += rep->input[e].lost_samples;
	fresh = lost > g->lost[reader] ? lost - g->lost[reader] : 0;
	g->lost[reader] += fresh;
	return fresh;
}

/* Return the gauge of a late reader: it has no report, but its rings keep their places. */
static struct slice_gauge late_sample(const struct ringset_config *rings,
				      const struct live_reader *lr)
{
	struct slice_gauge gauge = {
		.cpu = (int16_t)lr->cpu, .tid = lr->tid, .kind = RING_SAMPLE,
		.mode = rings->overwrite ? RING_OVERWRITE : RING_FORWARD,
		.size = rings->sample_bytes, .late_ns = READERS_LATE_NS,
	};

	slice_gauge_unread(&gauge);
	return gauge;
}

/* Return the gauge of a reader without a request: its ring stood still. */
static struct slice_gauge quiet_sample(const struct live_reader *lr)
{
	struct slice_gauge gauge = reader_report(lr->reader)->gauge;

	gauge.unread = gauge.unread_max = gauge.bytes = gauge.records = gauge.wakeups = gauge.lost =
		0;
	gauge.overwritten_bytes = gauge.mode == RING_OVERWRITE ? 0 : GAUGE_UNKNOWN;
	gauge.oldest_ns = gauge.late_ns = GAUGE_UNKNOWN;
	return gauge;
}

static struct slice_gauge sample(struct gauges *g, unsigned reader, const struct live_reader *lr)
{
	const struct ringset_config *rings = g->readers->scope->now;
	const struct reader_report *rep = reader_report(lr->reader);
	struct slice_gauge gauge;

	if (lr->late)
		return late_sample(rings, lr);
	if (!lr->answered)
		return quiet_sample(lr);
	gauge = rep->gauge;
	if (rings->features.format_lost)
		gauge.lost = fresh_lost(g, reader, rep);
	return gauge;
}

static struct slice_gauge ftrace(const struct reader_ftrace *f, const struct live_reader *lr)
{
	struct slice_gauge gauge = *reader_ftrace_gauge(f);

	if (!lr->answered) {
		gauge.unread = gauge.unread_max = gauge.bytes = gauge.records = gauge.wakeups =
			gauge.lost = 0;
		gauge.oldest_ns = GAUGE_UNKNOWN;
	}
	if (lr->late)
		slice_gauge_unread(&gauge);
	return gauge;
}

static struct slice_gauge sideband(const struct ringset_config *rings, const struct live_reader *lr)
{
	struct slice_gauge gauge = lr->sideband;

	gauge.cpu = (int16_t)lr->cpu;
	gauge.tid = lr->tid;
	gauge.kind = RING_SIDEBAND;
	gauge.mode = RING_FORWARD;
	gauge.size = rings->sideband_bytes;
	gauge.overwritten_bytes = gauge.oldest_ns = gauge.late_ns = GAUGE_UNKNOWN;
	gauge.state = !lr->late && reader_report(lr->reader)->gauge.state == RING_OFFLINE
			      ? RING_OFFLINE
			      : RING_LIVE;
	return gauge;
}

/* Return the gauge; a ring of a CPU that is offline has figures only where it was read before. */
static struct slice_gauge unread_if_offline(struct slice_gauge gauge)
{
	if (gauge.state == RING_OFFLINE)
		slice_gauge_unread(&gauge);
	return gauge;
}

void gauges_add(struct gauges *g, unsigned reader, struct slice *s)
{
	struct live_reader *lr = &g->readers->reader[reader];
	const struct reader_ftrace *f = reader_tracing(lr->reader);
	struct slice_gauge *to = slice_add_gauge(s);

	if (to)
		*to = unread_if_offline(sample(g, reader, lr));
	to = slice_add_gauge(s);
	if (to)
		*to = unread_if_offline(sideband(g->readers->scope->now, lr));
	if (f && (to = slice_add_gauge(s)))
		*to = unread_if_offline(ftrace(f, lr));
	lr->sideband = (struct slice_gauge){.cpu = 0};
}

static void add_aux(const struct readers *rs, unsigned from, unsigned to, struct slice *s)
{
	unsigned nr = 0;

	for (unsigned i = 0; i < to && rs->aux; i++) {
		if (rs->reader[i].aux && i >= from)
			auxset_report(rs->aux, nr, rs->reader[i].late, s);
		nr += rs->reader[i].aux != NULL;
	}
}

void gauges_tell(void *gauges, struct tick_now *n)
{
	struct gauges *g = gauges;
	const struct readers *rs = g->readers;

	for (unsigned i = 0; i < rs->first; i++)
		gauges_add(g, i, n->s);
	add_aux(rs, 0, rs->first, n->s);
	for (unsigned i = rs->first; i < rs->nr; i++) {
		gauges_add(g, i, n->s);
		add_aux(rs, i, i + 1, n->s);
	}
}
