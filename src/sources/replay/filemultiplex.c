/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/replay/filemultiplex.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "sources/replay/fileevents.h"

#define TIME_MOST (1ull << 55) /* ns, a year: limit for an event's total */
#define TIME_BLUR 1000 /* times without a counter below this fraction are ignored as inexact */

struct filemultiplex_event {
	uint64_t enabled, running; /* so far */
	uint64_t told_enabled, told_starved;
	uint64_t id; /* id of the counters of threads that ended */
	bool own;    /* the times are valid: counters of a CPU or of a thread */
	bool bad;    /* some times are missing or invalid */
};

bool filemultiplex_init(struct filemultiplex *t, struct perfdata *file, unsigned nevents)
{
	unsigned n = 0;

	*t = (struct filemultiplex){.file = file, .nevents = nevents,
				.event = calloc(nevents, sizeof(*t->event)),
				.index = calloc(perfdata_events(file), sizeof(*t->index))};
	for (unsigned i = 0; t->index && i < perfdata_events(file); i++)
		t->index[i] = fileevents_number(file, i, &n);
	return t->event && t->index;
}

void filemultiplex_clear(struct filemultiplex *t)
{
	readings_clear(&t->enabled);
	readings_clear(&t->running);
	readings_clear(&t->seen);
	free(t->weight);
	free(t->event);
	free(t->index);
	*t = (struct filemultiplex){.event = NULL};
}

bool filemultiplex_counted(struct filemultiplex *t, unsigned event, uint32_t cpu, uint64_t counted)
{
	size_t had = t->cap_weight, need = ((size_t)cpu + 1) * t->nevents;

	if (need > had) {
		if (!vec_reserve(&t->weight, &t->cap_weight, need, sizeof(*t->weight)))
			return false;
		memset(t->weight + had, 0, (t->cap_weight - had) * sizeof(*t->weight));
	}
	t->cpus = cpu + 1 > t->cpus ? cpu + 1 : t->cpus;
	t->weight[cpu * t->nevents + event] += counted;
	return true;
}

/* --- times read --------------------------------------------------------------------------- */

/* Fill *since with the time since the previous reading. False: no room for more readings. */
static bool passed(struct readings *r, uint64_t id, uint32_t tid, uint64_t now, uint64_t *since)
{
	bool gap;

	return readings_since(r, id, tid, now, false, since, &gap);
}

static void add_counter_times(struct filemultiplex *t, struct filemultiplex_event *e, uint64_t id,
			      uint32_t tid,
			      const struct sample_times *at, uint64_t offset)
{
	uint64_t enabled, running;

	if (at->running > at->enabled || at->enabled > TIME_MOST ||
	    !passed(&t->enabled, id, tid, at->enabled, &enabled) ||
	    !passed(&t->running, id, tid, at->running, &running) ||
	    enabled > TIME_MOST - e->enabled || running > TIME_MOST - e->running) {
		e->bad = true;
		perfdata_complain(t->file, offset,
				  "invalid or too many counter times");
		return;
	}
	e->enabled += enabled;
	e->running += running;
}

/*
 * Return the times of the session's event. NULL: the event is not shown, or the id is of no event.
 */
static struct filemultiplex_event *times_of_event(struct filemultiplex *t, uint32_t event,
						  uint64_t id)
{
	if (!id || event == PERFDATA_NO_EVENT || t->index[event] >= t->nevents)
		return NULL;
	return &t->event[t->index[event]];
}

/*
 * Return true if the counter is known to be a CPU's or a thread's: one of a task on one CPU has
 * samples of one thread on one CPU only; one with samples of the idle task is the CPU's.
 */
static bool is_own_counter(struct filemultiplex *t, const struct record_layout *l,
			   const struct sample *s,
			   uint64_t id)
{
	uint64_t who = (uint64_t)s->tid << 32 | s->cpu, before = readings_last(&t->seen, id, 0),
		 since;

	if (l->tid && !s->tid)
		return true;
	if (before)
		return before != who;
	passed(&t->seen, id, 0, who, &since);
	return false;
}

void filemultiplex_sample(struct filemultiplex *t, uint32_t event,
			  const struct perfdata_event *from, const struct sample *s, uint64_t id,
			  uint64_t offset)
{
	struct filemultiplex_event *e = times_of_event(t, event, id);
	struct sample_times at;

	if (!e || from->attr.inherit || !sample_times(&from->layout, s, &at))
		return;
	e->own = e->own || is_own_counter(t, &from->layout, s, id);
	add_counter_times(t, e, id, 0, &at, offset);
}

void filemultiplex_read(struct filemultiplex *t, const struct record_layout *l,
		    const struct perf_event_header *h, uint64_t offset)
{
	struct filemultiplex_event *e;
	struct sample_value v;
	struct sample_times at;
	struct sample read;

	if (!record_read(l, h, &read)) {
		perfdata_complain(t->file, offset, "an invalid counter reading");
		return;
	}
	for (uint64_t i = 0; sample_times(l, &read, &at) && sample_value(l, &read, i, &v); i++) {
		e = times_of_event(t, perfdata_find(t->file, v.id), v.id);
		if (!e)
			continue;
		e->bad |= e->id && e->id != v.id;
		e->id = v.id;
		e->own = true;
		add_counter_times(t, e, v.id, read.tid, &at, offset);
	}
}

/* --- times reported ----------------------------------------------------------------------- */

struct telling {
	unsigned event;
	uint64_t enabled, starved;
	void (*add)(void *arg, unsigned event, uint32_t cpu, uint64_t enabled, uint64_t starved);
	void *arg;
};

static uint64_t fraction_of(uint64_t n, double part)
{
	uint64_t some = (uint64_t)((double)n * part);

	return some < n ? some : n;
}

/* Spread times over CPUs as counts are; the CPU with most counts gets what rounding leaves. */
static void spread(const struct filemultiplex *t, const struct telling *now)
{
	uint64_t left = now->enabled, left_starved = now->starved;
	uint32_t most = 0;
	double all = 0;

	for (uint32_t cpu = 0; cpu < t->cpus; cpu++) {
		uint64_t weight = t->weight[cpu * t->nevents + now->event];

		most = weight > t->weight[most * t->nevents + now->event] ? cpu : most;
		all += (double)weight;
	}
	for (uint32_t cpu = 0; cpu < t->cpus; cpu++) {
		double part = (double)t->weight[cpu * t->nevents + now->event] / all;
		uint64_t enabled, starved;

		if (cpu == most || !(part > 0))
			continue;
		enabled = fraction_of(left, part < 1 ? part : 1);
		starved = fraction_of(left_starved, part < 1 ? part : 1);
		starved = starved < enabled ? starved : enabled;
		now->add(now->arg, now->event, cpu, enabled, starved);
		left -= enabled;
		left_starved -= starved;
	}
	now->add(now->arg, now->event, most, left, left_starved < left ? left_starved : left);
}

static void report_event_times(const struct filemultiplex *t, struct filemultiplex_event *e,
			       struct telling *now)
{
	uint64_t enabled = e->enabled > e->running ? e->enabled : e->running;
	uint64_t starved = enabled - e->running;

	starved = starved < enabled / TIME_BLUR ? 0 : starved;
	now->enabled = enabled - e->told_enabled;
	now->starved = starved > e->told_starved ? starved - e->told_starved : 0;
	now->starved = now->starved < now->enabled ? now->starved : now->enabled;
	e->told_enabled = enabled;
	e->told_starved += now->starved;
	if (now->enabled)
		spread(t, now);
}

void filemultiplex_tell(struct filemultiplex *t,
		    void (*add)(void *arg, unsigned event, uint32_t cpu, uint64_t enabled,
				uint64_t starved),
		    void *arg)
{
	for (unsigned i = 0; i < t->nevents; i++) {
		struct filemultiplex_event *e = &t->event[i];

		if (!e->bad && e->own)
			report_event_times(t, e,
					   &(struct telling){.event = i, .add = add, .arg = arg});
	}
}
