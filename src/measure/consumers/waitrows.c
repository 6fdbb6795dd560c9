/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/consumers/waitrows.h"

#include <linux/perf_event.h>

/* The event of each state, and the event for a part of it. */
static const struct {
	uint8_t role, part;
} of_state[WAIT_STATES] = {
    [WAIT_RUNNABLE] = {EVENT_RUNNABLE, EVENT_PLAIN},
    [WAIT_PREEMPTED] = {EVENT_RUNNABLE, EVENT_PREEMPTED},
    [WAIT_YIELDED] = {EVENT_RUNNABLE, EVENT_YIELDED},
    [WAIT_SLEEPING] = {EVENT_SLEEPING, EVENT_PLAIN},
    [WAIT_DISK] = {EVENT_DISK, EVENT_PLAIN},
    [WAIT_STOPPED] = {EVENT_RESTING, EVENT_STOPPED},
    [WAIT_IDLE] = {EVENT_RESTING, EVENT_IDLE},
    [WAIT_UNKNOWN] = {EVENT_UNKNOWN, EVENT_PLAIN},
};

/*
 * Copy as much of a path as fits, with a mark at the end if it is cut.  Return the number of words.
 */
static unsigned copy_path_words(uint64_t *to, const struct waits_path *p, unsigned room)
{
	unsigned n = p->nr < room ? p->nr : room;

	for (unsigned i = 0; i < n; i++)
		to[i] = p->ips[i];
	if (n < p->nr)
		to[n - 1] = TABLE_MARK_TRUNCATED;
	return n;
}

/*
 * If the two paths do not fit together, each gets half of the room, and what the other one leaves.
 */
static void add_woken(waitrows_add *add, void *arg, const struct table_key *whose,
		      const struct wait *w)
{
	enum { ROOM = TABLE_PATH_MAX - 4 };
	unsigned of_wait = w->path.nr < ROOM / 2 ? w->path.nr : ROOM / 2, n = 0;
	uint64_t ips[TABLE_PATH_MAX];

	ips[n++] = TABLE_MARK_WAKER;
	ips[n++] = w->waker.nr ? (uint64_t)w->waker_pid << 32 | w->waker_tid : TABLE_NOBODY;
	n += copy_path_words(ips + n, &w->waker, ROOM - of_wait);
	ips[n++] = TABLE_MARK_WAIT;
	ips[n++] = w->path.mode;
	n += copy_path_words(ips + n, &w->path, TABLE_PATH_MAX - n);
	add(arg, EVENT_WOKEN, whose, &(struct waits_path){w->waker.mode, (uint8_t)n, ips}, w->slept,
	    w->in, true);
}

static void add_wait_rows(void *of, const struct wait *w)
{
	const struct waitrows *to = of;
	waitrows_add *add = to->add;
	void *arg = to->arg;
	const struct table_key whose = {.pid = w->pid, .tid = w->tid, .cpu = w->cpu};
	const bool ran_on = wait_could_run(w->state);
	const uint64_t until = ran_on ? w->in : w->woken; /* end of the time in its state */
	const struct table_key waker = {.pid = w->waker_pid, .tid = w->waker_tid, .cpu = w->cpu};

	add(arg, EVENT_OFFCPU, &whose, &w->path, w->in - w->out, w->in, w->first);
	add(arg, w->unsure ? EVENT_UNKNOWN : of_state[w->state].role, &whose, &w->path,
	    w->woken - w->out, w->in, w->first);
	if (!w->unsure && of_state[w->state].part)
		add(arg, of_state[w->state].part, &whose, &w->path, until - w->out, w->in,
		    w->first);
	add(arg, EVENT_RUNNABLE, &whose, &w->path, w->in - w->woken, w->in, w->awake);
	if (w->awake && w->waker.nr)
		add(arg, EVENT_WAKERS, &waker, &w->waker, w->slept, w->in, true);
	if (w->awake && !ran_on)
		add_woken(add, arg, &whose, w);
}

static void add_run_row(void *of, const struct run *r)
{
	const struct waitrows *to = of;
	static const uint64_t nowhere;
	const struct waits_path unknown = {PERF_RECORD_MISC_USER, 1, &nowhere};
	const struct table_key whose = {.pid = r->pid, .tid = r->tid, .cpu = r->cpu};

	to->add(to->arg, EVENT_ONCPU, &whose, r->path.nr ? &r->path : &unknown, r->to - r->from,
		r->to, r->first);
}

struct waits_sink waitrows_sink(const struct waitrows *to)
{
	return (struct waits_sink){add_wait_rows, add_run_row, (void *)to};
}
