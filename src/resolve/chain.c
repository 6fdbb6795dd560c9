/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "resolve/chain.h"

#include <string.h>

#include "resolve/resolver_task.h"
#include "resolve/shallow.h"

/* Where a callchain's addresses are: the sample's mode says it, then the marks between them. */
enum context {
	CONTEXT_USER, CONTEXT_UNWOUND, CONTEXT_KERNEL, CONTEXT_GUEST_KERNEL, CONTEXT_GUEST_USER,
	CONTEXT_HYPERVISOR, CONTEXT_EVENT, CONTEXT_OTHER,
};

static enum context context_of_mode(uint64_t mode)
{
	static const enum context contexts[PERF_RECORD_MISC_CPUMODE_MASK + 1] = {
		[PERF_RECORD_MISC_KERNEL] = CONTEXT_KERNEL,
		[PERF_RECORD_MISC_HYPERVISOR] = CONTEXT_HYPERVISOR,
		[PERF_RECORD_MISC_GUEST_KERNEL] = CONTEXT_GUEST_KERNEL,
		[PERF_RECORD_MISC_GUEST_USER] = CONTEXT_GUEST_USER,
		[TABLE_MODE_EVENT] = CONTEXT_EVENT,
	};

	return contexts[mode & PERF_RECORD_MISC_CPUMODE_MASK];
}

static enum context context_of_mark(uint64_t mark)
{
	static const struct {
		uint64_t mark;
		enum context context;
	} marks[] = {
		{(uint64_t)PERF_CONTEXT_KERNEL, CONTEXT_KERNEL},
		{(uint64_t)PERF_CONTEXT_USER, CONTEXT_USER},
		{TABLE_MARK_UNWOUND, CONTEXT_UNWOUND},
		{(uint64_t)PERF_CONTEXT_HV, CONTEXT_HYPERVISOR},
		{(uint64_t)PERF_CONTEXT_GUEST_KERNEL, CONTEXT_GUEST_KERNEL},
		{(uint64_t)PERF_CONTEXT_GUEST_USER, CONTEXT_GUEST_USER},
	};

	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++)
		if (marks[i].mark == mark)
			return marks[i].context;
	return CONTEXT_OTHER;
}

static struct frame_found frame_in(struct resolver *r, enum context ctx, struct process *p,
				   struct space *s, uint64_t ip, uint64_t time)
{
	switch (ctx) {
	case CONTEXT_KERNEL:
		return frames_kernel(r, ip, time);
	case CONTEXT_GUEST_KERNEL:
		return frames_outside(r, FRAMES_GUEST_KERNEL, ip);
	case CONTEXT_GUEST_USER:
		return frames_outside(r, FRAMES_GUEST, ip);
	case CONTEXT_HYPERVISOR:
		return frames_outside(r, FRAMES_HYPERVISOR, ip);
	case CONTEXT_EVENT:
		return frames_event(r, ip);
	default:
		return frames_user(r, p, s, ip, time);
	}
}

struct frame_found chain_leaf(struct resolver *r, const struct table_row *row, struct process *p,
			      struct space *s)
{
	return frame_in(r, context_of_mode(row->key.mode), p, s, row->ips[0], row->count.first);
}

static uint32_t end_of(struct resolver *r, uint64_t mark)
{
	if (mark == TABLE_MARK_TRUNCATED)
		return frames_own(r, FRAMES_TRUNCATED);
	return mark == TABLE_MARK_BROKEN ? frames_own(r, FRAMES_BROKEN) : 0;
}

/*
 * Who keeps no frame pointers has stacks of one function: the kernel finds no second frame, or an
 * address where nothing is mapped.
 */
static void count_depth(struct resolver *r, const struct table_row *row, const struct space *s,
			size_t leaf)
{
	uint64_t time = row->count.first;
	const struct map *map = maps_find(s->maps, row->ips[leaf], time);
	bool alone = leaf + 1 >= row->key.nr || !maps_find(s->maps, row->ips[leaf + 1] - 1, time);

	if (!map)
		return;
	shallow_count(&r->chains, row->count.samples, alone);
	shallow_count(&map->object->chains, row->count.samples, alone);
}

/* Whose addresses those of a part of a path are, and where. */
struct part {
	enum context ctx;
	struct process *p;
	struct space *s;
	size_t first; /* the part's first address */
};

/* The task that woke the row's; what follows is its path. */
static uint32_t enter_waker(struct resolver *r, const struct table_row *row, size_t at, struct part *part)
{
	uint64_t who = row->ips[at];
	struct task *t;

	part->first = at + 1;
	if (who == TABLE_NOBODY)
		return frames_own(r, FRAMES_NO_WAKER);
	t = tasks_get(r->tasks, (pid_t)(who >> 32), (pid_t)(uint32_t)who);
	if (!t)
		return 0;
	part->p = t->process;
	part->s = process_space_at(t->process, row->count.first);
	if (r->config.scan)
		resolver_task_ask(r, t);
	return frames_task(r, t, row->count.first);
}

/*
 * The first address of each context is where execution was; the others are where it goes on when
 * a call returns, so the call is before them.
 */
uint32_t chain_path(struct resolver *r, const struct table_row *row, struct process *p,
			      struct space *s)
{
	uint32_t frame[TABLE_PATH_MAX + 1], end;
	struct part part = {context_of_mode(row->key.mode), p, s, 0};
	size_t nr = 0;

	for (size_t i = 0; i < row->key.nr; i++) {
		uint64_t ip = row->ips[i], back = i > part.first && part.ctx != CONTEXT_UNWOUND && ip;

		if (ip == TABLE_MARK_WAKER && i + 1u < row->key.nr) {
			frame[nr++] = enter_waker(r, row, ++i, &part);
		} else if (ip == TABLE_MARK_WAIT && i + 1u < row->key.nr) {
			frame[nr++] = frames_own(r, FRAMES_WOKEN);
			part = (struct part){context_of_mode(row->ips[++i]), p, s, i + 1};
		} else if (ip >= (uint64_t)PERF_CONTEXT_MAX && (end = end_of(r, ip))) {
			frame[nr++] = end;
		} else if (ip >= (uint64_t)PERF_CONTEXT_MAX) {
			part.ctx = context_of_mark(ip);
			part.first = i + 1;
		} else if (part.ctx != CONTEXT_OTHER) {
			if (i == part.first && part.ctx == CONTEXT_USER)
				count_depth(r, row, part.s, i);
			frame[nr++] = frame_in(r, part.ctx, part.p, part.s, ip - back, row->count.first).frame;
		}
	}
	/* Nothing but marks, or all of it behind one that nobody knows: a sample there was. */
	if (!nr)
		frame[nr++] = frames_own(r, FRAMES_BROKEN);
	return dictout_whole_path(r->names, frame, nr);
}
