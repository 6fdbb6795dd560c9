/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/replay/filewaits.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sources/replay/fileevents.h"
#include "measure/consumers/waitstate.h"

struct filewaits {
	const struct filewaits_plan *plan;
	struct waits *waits;
	unsigned cpus;
	struct waitrows rows;
	/* Time of the newest record; and of the last report of waits under way. */
	uint64_t time, told;
	uint64_t broken;     /* records that did not fit their format, or came too late */
	struct {
		uint64_t waits, ns;
	} * lost; /* lost waits that were reported, by CPU */
};

/* --- the plan -------------------------------------------------------------------------------- */

static bool is_sched_event(const struct recorded_format *f, const char *name)
{
	return f && !strcmp(f->system, "sched") && !strcmp(f->format.name, name);
}

static int take_switch_fields(struct filewaits_plan *p, const struct recorded_format *f,
			      struct err *err)
{
	p->says.prev_pid = switches_field(f->text, "prev_pid", 4);
	waitstate_take_format(&p->says, f->text);
	p->next_pid = switches_field(f->text, "next_pid", 4);
	if (p->says.prev_pid && p->says.prev_state && p->next_pid)
		return EVENT_SWITCH;
	return err_set(
	    err, EINVAL,
	    "--off-cpu: sched:sched_switch of the recorded kernel lacks a field that is needed");
}

/* Return an event's role, or -errno. */
static int find_role(struct filewaits_plan *p, const struct perfdata_event *e,
		     const struct recorded_format *f, struct err *err)
{
	bool whole = e->attr.sample_type & PERF_SAMPLE_RAW &&
		     e->attr.sample_type & PERF_SAMPLE_TIME && !e->attr.freq &&
		     e->attr.sample_period == 1;

	if (e->attr.type != PERF_TYPE_TRACEPOINT || !f)
		return EVENT_PLAIN;
	if (is_sched_event(f, "sched_switch") && !whole)
		return err_set(err, EINVAL,
			       "--off-cpu: sched:sched_switch was not recorded completely: each "
			       "hit is needed, with time and fields");
	if (is_sched_event(f, "sched_switch"))
		return take_switch_fields(p, f, err);
	if (whole && is_sched_event(f, "sched_waking") &&
	    (p->says.woken = switches_field(f->text, "pid", 4)))
		return EVENT_WAKING;
	if (whole && is_sched_event(f, "sched_wakeup") &&
	    (p->wakeup = switches_field(f->text, "pid", 4)))
		return EVENT_WAKING;
	return EVENT_PLAIN;
}

static int find_roles(struct filewaits_plan *p, const struct perfdata *file,
		      const struct fileformats *formats, struct err *err)
{
	unsigned n = 0;

	for (unsigned i = 0; i < perfdata_events(file); i++) {
		const struct perfdata_event *e = perfdata_event(file, i);
		const struct recorded_format *f = fileformats_find(formats, e->attr.config);
		uint32_t index = fileevents_number(file, i, &n);
		int role = find_role(p, e, f, err);

		if (role < 0)
			return role;
		p->records |= e->attr.context_switch;
		if (index == PERFDATA_NO_EVENT || role == EVENT_PLAIN)
			continue;
		p->role[index] = (uint8_t)role;
		p->woken[index] = is_sched_event(f, "sched_wakeup");
	}
	return 0;
}

/*
 * Return true if wakings were recorded; else a thread that was not runnable may be asleep or
 * runnable.
 */
static bool tells_states(const struct filewaits_plan *p)
{
	return p->says.prev_pid && (p->says.woken || p->wakeup);
}

/* Add the made events. Wakers are known only from sched_waking; sched_wakeup follows it. */
static void describe_made_events(struct filewaits_plan *p, struct session_info *info,
				 struct session_event *events)
{
	for (unsigned i = 0; i < SWITCHES_MADE; i++) {
		const struct switches_made *m = &switches_made[i];
		struct session_event *e = &events[info->nevents];

		if (m->told && !tells_states(p))
			continue;
		if ((m->role == EVENT_WAKERS || m->role == EVENT_WOKEN) && !p->says.woken)
			continue;
		*e = (struct session_event){.unit = "ns", .period = 1};
		snprintf(e->name, sizeof(e->name), "%s", m->name);
		p->made[m->role] = (uint16_t)info->nevents++;
	}
}

int filewaits_plan_make(struct filewaits_plan *p, const struct perfdata *file,
			const struct fileformats *formats, bool here, struct session_info *info,
			struct session_event *events, struct err *err)
{
	int ret = find_roles(p, file, formats, err);

	if (ret)
		return ret;
	if (perfdata_info(file)->swapped && p->says.prev_pid)
		return err_set(
		    err, EINVAL,
		    "--off-cpu: the recording has the other byte order: its switch records cannot "
		    "be read");
	if (!p->says.prev_pid && !p->records)
		return err_set(
		    err, EINVAL,
		    "--off-cpu: the recording has no context switches: use perf sched record, "
		    "perf record -e sched:sched_switch -a -g or perf record --switch-events");
	if (info->nevents + SWITCHES_MADE > COMBINE_EVENTS)
		return err_set(err, EINVAL, "--off-cpu: the recording has too many events");
	if (here)
		waitstate_find_scheduler(&p->says);
	p->wanted = true;
	describe_made_events(p, info, events);
	return 0;
}

/* --- records --------------------------------------------------------------------------------- */

/* Return false if the record is older than the one before, so out of order. */
static bool follows(struct filewaits *f, uint64_t time)
{
	if (!time || time < f->time) {
		f->broken++;
		return false;
	}
	f->time = time;
	return true;
}

static uint16_t cpu_in(const struct filewaits *f, uint32_t cpu)
{
	return (uint16_t)(cpu < f->cpus ? cpu : 0);
}

static bool copy_raw32(const struct sample *s, uint16_t at, uint32_t *to)
{
	const struct sample_span *raw = &s->span[SAMPLE_RAW];

	if (!raw->offset || raw->len < at + sizeof(*to))
		return false;
	memcpy(to, (const char *)sample_at(s, SAMPLE_RAW) + at, sizeof(*to));
	return true;
}

/* The thread's process becomes known when it is switched out. */
static void note_switch_in(struct filewaits *f, const struct sample *s)
{
	uint32_t next;

	if (f->plan->records)
		return;
	if (!copy_raw32(s, f->plan->next_pid, &next))
		f->broken++;
	else if (next)
		waits_in(f->waits, &(struct waits_in){.time = s->time,
						      .thread = next,
						      .pid = UINT32_MAX,
						      .tid = UINT32_MAX,
						      .cpu = cpu_in(f, s->cpu)});
}

static void take_wakeup(struct filewaits *f, const struct sample *s)
{
	struct waits_waking k = {.time = s->time};

	if (copy_raw32(s, f->plan->wakeup, &k.thread))
		waits_wake(f->waits, &k);
	else
		f->broken++;
}

static bool take_wait_sample(void *of, const struct consumer_sample *c)
{
	const struct sample *s = c->s;
	struct filewaits *f = of;
	const uint8_t role = f->plan->role[c->event];
	uint64_t ips[TABLE_PATH_MAX];
	struct switch_seen seen;

	if (!follows(f, s->time))
		return true;
	/* The idle task runs on CPUs that were recorded whole: so were the wakings. */
	if (!s->tid && role == EVENT_WAKING)
		waits_all_wakings(f->waits);
	if (f->plan->woken[c->event]) {
		take_wakeup(f, s);
	} else if (!switches_see_sample(&f->plan->says, role, s, c->path, ips, &seen)) {
		f->broken++;
	} else {
		switches_tell(&f->plan->says, &seen, cpu_in(f, s->cpu), f->waits);
		if (seen.said.kind == SWITCH_OUT)
			note_switch_in(f, s);
	}
	return true;
}

static void take_switch(void *of, unsigned cpu, const struct record_layout *l,
			const struct perf_event_header *h, uint64_t time)
{
	struct filewaits *f = of;
	struct switch_seen seen;

	if (!f->plan->records || !follows(f, time))
		return;
	if (switches_see_record(&f->plan->says, l, h, time, &seen))
		switches_tell(&f->plan->says, &seen, cpu_in(f, cpu), f->waits);
	else
		f->broken++;
}

const struct consumer_ops filewaits_consumer = {.sample = take_wait_sample, .other = take_switch};

/*
 * In a recording of the whole machine the thread is switched once more after its exit, under a
 * number that may be unknown by then.
 */
void filewaits_exit(struct filewaits *f, uint32_t tid, uint64_t time)
{
	if (f && follows(f, time))
		waits_exit(f->waits, tid, time, true);
}

/* --- slices ---------------------------------------------------------------------------------- */

static void log_missing(const struct filewaits *f, struct slice *s)
{
	const struct waits_sum sum = waits_total(f->waits);

	slice_log(
		s, sum.lost + sum.headless + sum.untracked + f->broken ? SLICE_WARNING : SLICE_INFO,
		"off-cpu: %llu waits started before the recording and are not counted; %llu "
		"waits lasted beyond its end and are counted up to there; %llu waits have no "
		"start, %llu no end%s; dropped switch records: %llu (thread table full), %llu "
		"(damaged or out of order)",
		(unsigned long long)waits_begun_before(f->waits), (unsigned long long)sum.under_way,
		(unsigned long long)sum.headless, (unsigned long long)sum.lost,
		sum.lost && !f->plan->records
			? " (ends are recorded only with all CPUs' switches, perf record -a, or "
			  "with --switch-events)"
			: "",
		(unsigned long long)sum.untracked, (unsigned long long)f->broken);
}

void filewaits_tell(struct filewaits *f, uint64_t time, bool last, struct slice *s)
{
	if (!f)
		return;
	if (last)
		waits_tell(f->waits, time > f->time ? time : f->time);
	else if (f->time > f->told)
		waits_tell_some(f->waits, f->time, f->told ? f->time - f->told : 0);
	f->told = f->time;
	if (last)
		log_missing(f, s);
}

bool filewaits_lost(struct filewaits *f, unsigned cpu, uint64_t *waits, uint64_t *ns)
{
	const struct waits_sum *sum = f && cpu < f->cpus ? waits_sum(f->waits, cpu) : NULL;

	if (!sum || sum->lost == f->lost[cpu].waits)
		return false;
	*waits = sum->lost - f->lost[cpu].waits;
	*ns = sum->lost_ns - f->lost[cpu].ns;
	f->lost[cpu].waits = sum->lost;
	f->lost[cpu].ns = sum->lost_ns;
	return true;
}

/* --- all of it ------------------------------------------------------------------------------- */

int filewaits_create(const struct filewaits_plan *plan, unsigned cpus, const struct waitrows *rows,
		     struct filewaits **to)
{
	struct waits_sink sink;
	struct filewaits *f;

	*to = NULL;
	if (!plan || !plan->wanted)
		return 0;
	f = calloc(1, sizeof(*f));
	if (!f)
		return -ENOMEM;
	f->plan = plan;
	f->cpus = cpus;
	f->rows = *rows;
	sink = waitrows_sink(&f->rows);
	f->waits = waits_create(cpus, &sink);
	f->lost = calloc(cpus, sizeof(*f->lost));
	if (f->waits && f->lost) {
		*to = f;
		return 0;
	}
	filewaits_free(f);
	return -ENOMEM;
}

void filewaits_free(struct filewaits *f)
{
	if (!f)
		return;
	waits_free(f->waits);
	free(f->lost);
	free(f);
}
