/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/consumers/switches.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/event/parse.h"
#include "kernel/event/tracepoint.h"
#include "measure/consumers/waitstate.h"

#define FORMAT_MAX 8192
#define SWITCH_NAME "sched:sched_switch"
#define WAKING_NAME "sched:sched_waking"

#define FLAGS_AT        2    /* common_flags */
#define FLAGS_INTERRUPT 0x58 /* TRACE_FLAG_HARDIRQ, _SOFTIRQ, _NMI */

/* --- the events --------------------------------------------------------------------------- */

static int add_tracepoint(struct event_list *list, const char *name, enum event_role role,
			  struct err *err)
{
	int ret = event_parse(name, list, err);

	if (ret)
		return ret;
	list->events[list->nr - 1].role = role;
	list->events[list->nr - 1].rated = true;
	list->events[list->nr - 1].attr.sample_period = 1;
	return 0;
}

/* Add an event of `role` for which the kernel counts nothing. */
static struct event *add_dummy_event(struct event_list *list, const char *name,
				     enum event_role role)
{
	struct event *e = event_list_add(list, name);

	if (!e)
		return NULL;
	event_set_kind(e, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	e->role = role;
	e->rated = true;
	e->attr.sample_period = 1;
	return e;
}

static int add_derived_event(struct event_list *list, const char *name, enum event_role role,
			     struct err *err)
{
	struct event *e = add_dummy_event(list, name, role);

	if (!e)
		return err_set(err, ENOMEM, "out of memory");
	e->unit = "ns";
	return 0;
}

const struct switches_made switches_made[SWITCHES_MADE] = {
	{"on-cpu", EVENT_ONCPU, false}, {"off-cpu", EVENT_OFFCPU, false},
	{"off-cpu:runnable", EVENT_RUNNABLE, false}, {"off-cpu:sleeping", EVENT_SLEEPING, true},
	{"off-cpu:disk", EVENT_DISK, true}, {"off-cpu:resting", EVENT_RESTING, true},
	{"off-cpu:unknown", EVENT_UNKNOWN, false},
	{"off-cpu:preempted", EVENT_PREEMPTED, true}, {"off-cpu:yielded", EVENT_YIELDED, true},
	{"off-cpu:idle", EVENT_IDLE, true}, {"off-cpu:stopped", EVENT_STOPPED, true},
	{"off-cpu:wakers", EVENT_WAKERS, true}, {"off-cpu:woken", EVENT_WOKEN, true},
};

int switches_events(struct event_list *list, bool tracepoints, struct err *err)
{
	int ret = 0;

	if (tracepoints)
		ret = add_tracepoint(list, SWITCH_NAME, EVENT_SWITCH, err);
	else if (!add_dummy_event(list, "switches", EVENT_SWITCH))
		ret = err_set(err, ENOMEM, "out of memory");
	if (ret)
		return ret;
	list->events[list->nr - 1].attr.context_switch = 1;
	ret = tracepoints ? add_tracepoint(list, WAKING_NAME, EVENT_WAKING, err) : 0;
	for (unsigned i = 0; !ret && i < SWITCHES_MADE; i++)
		if (tracepoints || !switches_made[i].told)
			ret = add_derived_event(list, switches_made[i].name, switches_made[i].role,
						err);
	return ret;
}

/* --- formats ------------------------------------------------------------------------------ */

/* "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;" */
uint16_t switches_field(const char *format, const char *name, unsigned bytes)
{
	size_t len = strlen(name);
	unsigned offset, size;

	for (const char *at = strstr(format, name); at; at = strstr(at + 1, name))
		if (at > format && at[-1] == ' ' && at[len] == ';' &&
		    sscanf(at + len, "; offset:%u; size:%u;", &offset, &size) == 2)
			return size == bytes && offset && offset < UINT16_MAX ? (uint16_t)offset
									      : 0;
	return 0;
}

static int read_formats(struct switches *sw, struct err *err)
{
	char *text = malloc(FORMAT_MAX);
	int ret = text ? tracepoint_format(SWITCH_NAME, text, FORMAT_MAX) : -ENOMEM;

	if (!ret) {
		sw->prev_pid = switches_field(text, "prev_pid", 4);
		waitstate_take_format(sw, text);
		ret = tracepoint_format(WAKING_NAME, text, FORMAT_MAX);
	}
	if (!ret)
		sw->woken = switches_field(text, "pid", 4);
	free(text);
	if (ret)
		return err_set(err, -ret,
			       "--off-cpu: cannot read the formats of " SWITCH_NAME
			       " and " WAKING_NAME ": %s", strerror(-ret));
	if (sw->prev_pid && sw->prev_state && sw->woken)
		return 0;
	return err_set(err, EOPNOTSUPP, "--off-cpu: " SWITCH_NAME " or " WAKING_NAME
		       " of this kernel lacks a field that is needed");
}

int switches_open(struct switches *sw, const struct event_list *list, struct err *err)
{
	*sw = (struct switches){.prev_pid = 0};
	for (unsigned i = 0; i < list->nr; i++) {
		if (list->events[i].role != EVENT_SWITCH)
			continue;
		if (list->events[i].attr.type != PERF_TYPE_TRACEPOINT)
			return 0;
		waitstate_find_scheduler(sw);
		return read_formats(sw, err);
	}
	return 0;
}

/* --- records ------------------------------------------------------------------------------ */

static uint32_t raw_u32_at(const struct sample *s, uint16_t at)
{
	uint32_t v;

	memcpy(&v, (const char *)sample_at(s, SAMPLE_RAW) + at, sizeof(v));
	return v;
}

static bool has_raw(const struct sample *s, size_t bytes)
{
	return s->span[SAMPLE_RAW].offset && s->span[SAMPLE_RAW].len >= bytes;
}

/* A thread that has ended has no tid within a pid namespace: then the record's is used. */
static bool said_out(const struct switches *sw, const struct sample *s, struct switch_said *to)
{
	uint64_t state = 0;

	if (!has_raw(s, (size_t)sw->prev_state + sw->state_size) || !has_raw(s, sw->prev_pid + 4u))
		return false;
	if (sw->state_size == sizeof(state))
		memcpy(&state, (const char *)sample_at(s, SAMPLE_RAW) + sw->prev_state,
		       sizeof(state));
	else
		state = raw_u32_at(s, sw->prev_state);
	*to = (struct switch_said){.kind = SWITCH_OUT};
	to->state = waitstate_of(&sw->states, state, &to->ended);
	to->thread = (int32_t)s->tid < 0 ? raw_u32_at(s, sw->prev_pid) : s->tid;
	return true;
}

static bool said_waking(const struct switches *sw, const struct sample *s, struct switch_said *to)
{
	const unsigned char *raw = sample_at(s, SAMPLE_RAW);

	if (!has_raw(s, sw->woken + 4u))
		return false;
	*to = (struct switch_said){.kind = SWITCH_WAKING, .thread = raw_u32_at(s, sw->woken),
				   .interrupt = !s->tid || raw[FLAGS_AT] & FLAGS_INTERRUPT};
	return true;
}

bool switches_sample(const struct switches *sw, enum event_role role, const struct sample *s,
		     struct switch_said *to)
{
	return role == EVENT_SWITCH ? said_out(sw, s, to) : said_waking(sw, s, to);
}

bool switches_record(const struct record_layout *l, const struct perf_event_header *h,
		     struct switch_said *to)
{
	bool out = h->misc & PERF_RECORD_MISC_SWITCH_OUT;
	uint32_t pid, tid;

	if (!record_thread(l, h, &pid, &tid))
		return false;
	*to = (struct switch_said){
		.kind = out ? SWITCH_OUT : SWITCH_IN, .thread = tid, .state = WAIT_UNKNOWN};
	if (h->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT)
		to->state = WAIT_RUNNABLE;
	return true;
}

/* --- paths -------------------------------------------------------------------------------- */

struct path switches_interrupt(const struct path *p)
{
	uint16_t n = 0;

	while (n < p->nr && p->ips[n] != (uint64_t)PERF_CONTEXT_USER)
		n++;
	return (struct path){p->ips, n};
}

struct path switches_path(const struct switches *sw, const struct path *p,
			  uint64_t ips[TABLE_PATH_MAX])
{
	uint16_t n = waitstate_behind_scheduler(sw, p);

	if (!n)
		return *p;
	memmove(ips + 1, p->ips + n, (size_t)(p->nr - n) * sizeof(*ips));
	ips[0] = (uint64_t)PERF_CONTEXT_KERNEL;
	ips[1]--; /* a return address may belong to the next function */
	return (struct path){ips, (uint16_t)(p->nr - n + 1)};
}

/* --- to waits ----------------------------------------------------------------------------- */

bool switches_see_sample(const struct switches *sw, enum event_role role, const struct sample *s,
			 const struct path *p, uint64_t ips[TABLE_PATH_MAX], struct switch_seen *to)
{
	struct switch_said *said = &to->said;
	struct path path = *p;

	if (!switches_sample(sw, role, s, said))
		return false;
	waitstate_tell_path(sw, p, said);
	if (said->kind == SWITCH_OUT)
		path = switches_path(sw, p, ips);
	else if (said->interrupt)
		path = switches_interrupt(p);
	to->time = s->time;
	to->pid = said->interrupt ? 0 : s->pid;
	to->tid = said->interrupt ? 0 : s->tid;
	to->path = (struct waits_path){s->mode, (uint8_t)path.nr, path.ips};
	return true;
}

bool switches_see_record(const struct switches *sw, const struct record_layout *l,
			 const struct perf_event_header *h, uint64_t time, struct switch_seen *to)
{
	static const uint64_t nowhere;

	if (!switches_record(l, h, &to->said) || !record_thread(l, h, &to->pid, &to->tid))
		return false;
	if (to->said.kind == SWITCH_OUT && sw->prev_pid)
		to->said.thread = 0;
	to->time = time;
	to->path = (struct waits_path){PERF_RECORD_MISC_USER, 1, &nowhere};
	return true;
}

void switches_tell(const struct switches *sw, const struct switch_seen *seen, uint16_t cpu,
		   struct waits *w)
{
	const struct switch_said *said = &seen->said;

	if (said->kind == SWITCH_WAKING)
		waits_wake(w, &(struct waits_waking){.time = seen->time,
						     .thread = said->thread,
						     .path = seen->path,
						     .pid = seen->pid,
						     .tid = seen->tid});
	else if (said->thread && said->kind == SWITCH_IN)
		waits_in(w, &(struct waits_in){.time = seen->time,
					       .thread = said->thread,
					       .pid = seen->pid,
					       .tid = seen->tid,
					       .cpu = cpu});
	else if (said->thread)
		waits_out(w, &(struct waits_out){.time = seen->time,
						 .thread = said->thread,
						 .path = seen->path,
						 .pid = seen->pid,
						 .tid = seen->tid,
						 .cpu = cpu,
						 .state = said->state,
						 .ended = said->ended,
						 .tells_end = sw->prev_pid != 0});
}
