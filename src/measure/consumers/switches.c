/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/consumers/switches.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/event/parse.h"
#include "kernel/event/tracepoint.h"

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

/* Sort a bit by its letter: { 0x00000001, "S" }.  Parked (P) and noload (N) count as idle. */
static void take_letter(struct switches_states *to, int bit, char letter)
{
	uint64_t *set = strchr("XZx", letter) ? &to->ended : strchr("IPN", letter) ? &to->idle :
			letter == 'D' ? &to->disk : letter == 'S' ? &to->sleeping :
			strchr("Tt", letter) ? &to->stopped : NULL;

	if (set)
		*set |= (uint32_t)bit;
}

/*
 * Return the bit that prints as "+": prev_state & 4096 ? "+" : "", since 4.14 computed from all
 * reported states: prev_state & (((0x00000000 | 0x00000001 | ...) + 1) << 1) ? "+" : "".
 */
static uint64_t preempted_bit(const char *format)
{
	const char *end = strstr(format, " ? \"+\""), *at = NULL;
	uint64_t bits = 0;
	char *behind;

	for (const char *next = end ? strstr(format, "prev_state & ") : NULL; next && next < end;
	     next = strstr(next + 1, "prev_state & "))
		at = next + strlen("prev_state & ");
	if (!at)
		return 0;
	for (; at < end && *at != '+'; at = behind) {
		if (*at < '0' || *at > '9') {
			behind = (char *)at + 1;
			continue;
		}
		bits |= strtoull(at, &behind, 0);
	}
	if (at >= end || *at != '+')
		return bits;
	return strncmp(at, "+ 1) << 1", 9) ? 0 : (bits + 1) << 1;
}

bool switches_take_state(struct switches *sw, const char *format)
{
	char letter;
	int bit;

	sw->states = (struct switches_states){0};
	sw->state_size = 8;
	sw->prev_state = switches_field(format, "prev_state", 8);
	if (!sw->prev_state) {
		sw->state_size = 4;
		sw->prev_state = switches_field(format, "prev_state", 4);
	}
	for (const char *at = strchr(format, '{'); at; at = strchr(at + 1, '{'))
		if (sscanf(at, "{ %i, \"%c\" }", &bit, &letter) == 2)
			take_letter(&sw->states, bit, letter);
	/* a format without letters: assume the bits of kernels since 4.14 */
	if (!sw->states.sleeping)
		sw->states = (struct switches_states){0x30, 0xc0, 0x02, 0x01, 0x0c, 0x100};
	else
		sw->states.preempted = preempted_bit(format);
	return sw->prev_state;
}

static int read_formats(struct switches *sw, struct err *err)
{
	char *text = malloc(FORMAT_MAX);
	int ret = text ? tracepoint_format(SWITCH_NAME, text, FORMAT_MAX) : -ENOMEM;

	if (!ret) {
		sw->prev_pid = switches_field(text, "prev_pid", 4);
		switches_take_state(sw, text);
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

/* Callers of the scheduler that do not wait, of kernels since 3.10, of all architectures. */
static const struct {
	const char *end; /* end of the name: architectures put prefixes before it */
	uint8_t state;
} callers[] = {
	{"do_sched_yield", WAIT_YIELDED},
	{"sys_sched_yield", WAIT_YIELDED},
	{"SyS_sched_yield", WAIT_YIELDED},
	{" exit_to_user_mode_loop", WAIT_PREEMPTED},
	{" exit_to_user_mode_prepare", WAIT_PREEMPTED},
	{" irqentry_exit_to_user_mode", WAIT_PREEMPTED},
	{" syscall_exit_to_user_mode", WAIT_PREEMPTED},
	{" do_syscall_64", WAIT_PREEMPTED}, /* where the exit path is inlined */
	{" exit_to_usermode_loop", WAIT_PREEMPTED},
	{" prepare_exit_to_usermode", WAIT_PREEMPTED},
	{" schedule_user", WAIT_PREEMPTED},
	{" do_notify_resume", WAIT_PREEMPTED},
	{" do_work_pending", WAIT_PREEMPTED},
};

static uint8_t state_of_caller(const char *line, size_t len)
{
	for (size_t i = 0; i < sizeof(callers) / sizeof(*callers); i++) {
		size_t n = strlen(callers[i].end);

		if (len > n && !strncmp(line + len - n, callers[i].end, n))
			return callers[i].state;
	}
	return WAIT_RUNNABLE;
}

/* Names with the same address are one function, which ends at the next address. */
static void take_caller(struct switches *sw, const char *line)
{
	struct switches_caller *last = sw->ncallers ? &sw->caller[sw->ncallers - 1] : NULL;
	size_t len = strcspn(line, "\n");
	char *type;
	uint64_t address = strtoull(line, &type, 16);
	uint8_t state;

	if (!address || (strncmp(type, " t ", 3) && strncmp(type, " T ", 3)))
		return;
	if (last && last->from == address)
		return;
	if (last && !last->to)
		last->to = address;
	state = state_of_caller(line, len);
	if (state != WAIT_RUNNABLE && sw->ncallers < SWITCHES_CALLERS)
		sw->caller[sw->ncallers++] = (struct switches_caller){address, 0, state};
}

/* "ffffffff82265800 T __sched_text_start\n" */
bool switches_take_line(struct switches *sw, const char *line)
{
	const char *name = strstr(line, " __sched_text_");

	take_caller(sw, line);
	if (name && !strcmp(name, " __sched_text_start\n"))
		sw->sched_from = strtoull(line, NULL, 16);
	else if (name && !strcmp(name, " __sched_text_end\n"))
		sw->sched_to = strtoull(line, NULL, 16);
	return !strstr(line, " _etext\n");
}

/* If the kernel hides its addresses the scheduler stays unknown, and paths begin inside of it. */
void switches_find_scheduler(struct switches *sw)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	char *line = NULL;
	size_t size = 0;

	while (f && getline(&line, &size, f) > 0 && switches_take_line(sw, line))
		;
	free(line);
	if (f)
		fclose(f);
}

int switches_open(struct switches *sw, const struct event_list *list, struct err *err)
{
	*sw = (struct switches){.prev_pid = 0};
	for (unsigned i = 0; i < list->nr; i++) {
		if (list->events[i].role != EVENT_SWITCH)
			continue;
		if (list->events[i].attr.type != PERF_TYPE_TRACEPOINT)
			return 0;
		switches_find_scheduler(sw);
		return read_formats(sw, err);
	}
	return 0;
}

/* --- records ------------------------------------------------------------------------------ */

uint8_t switches_state(const struct switches_states *states, uint64_t prev_state, bool *ended)
{
	*ended = false;
	if (prev_state & states->preempted) /* whatever its state was to become */
		return WAIT_PREEMPTED;
	*ended = prev_state & states->ended;
	if (*ended)
		return WAIT_UNKNOWN;
	if (prev_state & states->idle) /* tested before D, which is set, too, before 4.14 */
		return WAIT_IDLE;
	if (prev_state & states->disk)
		return WAIT_DISK;
	if (prev_state & states->sleeping)
		return WAIT_SLEEPING;
	return prev_state & states->stopped ? WAIT_STOPPED : WAIT_RUNNABLE;
}

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
	to->state = switches_state(&sw->states, state, &to->ended);
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

static bool is_path_mark(uint64_t ip)
{
	return ip >= (uint64_t)PERF_CONTEXT_MAX;
}

static bool is_scheduler(const struct switches *sw, uint64_t ip)
{
	return ip >= sw->sched_from && ip < sw->sched_to;
}

/*
 * Return the index in the path of the scheduler's caller; 0: there is no scheduler in it, or no
 * caller.  If another program uses the tracepoint, too, the kernel function that calls all its
 * users comes before the scheduler.
 */
static uint16_t behind_scheduler(const struct switches *sw, const struct path *p)
{
	uint16_t first = 1, n;

	if (p->nr < 3 || p->ips[0] != (uint64_t)PERF_CONTEXT_KERNEL)
		return 0;
	while (first < p->nr && !is_path_mark(p->ips[first]) && !is_scheduler(sw, p->ips[first]))
		first++;
	for (n = first; n < p->nr && is_scheduler(sw, p->ips[n]);)
		n++;
	return n == first || n == p->nr || is_path_mark(p->ips[n]) ? 0 : n;
}

void switches_tell_path(const struct switches *sw, const struct path *p, struct switch_said *said)
{
	bool asked = said->kind == SWITCH_OUT && said->state == WAIT_RUNNABLE;
	uint16_t n = asked ? behind_scheduler(sw, p) : 0;

	for (unsigned i = 0; n && i < sw->ncallers; i++)
		if (p->ips[n] > sw->caller[i].from && p->ips[n] <= sw->caller[i].to)
			said->state = sw->caller[i].state;
}

struct path switches_path(const struct switches *sw, const struct path *p,
			  uint64_t ips[TABLE_PATH_MAX])
{
	uint16_t n = behind_scheduler(sw, p);

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
	switches_tell_path(sw, p, said);
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
