/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/consumers/waitstate.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

bool waitstate_take_format(struct switches *sw, const char *format)
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
bool waitstate_take_line(struct switches *sw, const char *line)
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
void waitstate_find_scheduler(struct switches *sw)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	char *line = NULL;
	size_t size = 0;

	while (f && getline(&line, &size, f) > 0 && waitstate_take_line(sw, line))
		;
	free(line);
	if (f)
		fclose(f);
}

uint8_t waitstate_of(const struct switches_states *states, uint64_t prev_state, bool *ended)
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

static bool is_path_mark(uint64_t ip)
{
	return ip >= (uint64_t)PERF_CONTEXT_MAX;
}

static bool is_scheduler(const struct switches *sw, uint64_t ip)
{
	return ip >= sw->sched_from && ip < sw->sched_to;
}

/*
 * If another program uses the tracepoint, too, the kernel function that calls all its users comes
 * before the scheduler.
 */
uint16_t waitstate_behind_scheduler(const struct switches *sw, const struct path *p)
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

void waitstate_tell_path(const struct switches *sw, const struct path *p, struct switch_said *said)
{
	bool asked = said->kind == SWITCH_OUT && said->state == WAIT_RUNNABLE;
	uint16_t n = asked ? waitstate_behind_scheduler(sw, p) : 0;

	for (unsigned i = 0; n && i < sw->ncallers; i++)
		if (p->ips[n] > sw->caller[i].from && p->ips[n] <= sw->caller[i].to)
			said->state = sw->caller[i].state;
}
