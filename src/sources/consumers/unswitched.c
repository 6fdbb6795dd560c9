/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/consumers/unswitched.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/vec.h"
#include "kernel/capture/perfclock.h"
#include "system/proc/procscan.h"

#define LOOKS_MOST 256 /* in a tick, some 20 us each */

/*
 * A thread that is about to leave its CPU is shown as sleeping already: its switch is waited for.
 */
#define GRACE_NS (100 * NSEC_PER_MSEC)

#define DRIFT_NS 500000 /* most that the clocks drift apart in a second */

/* A thread that is still to be looked at, or again since it was runnable. */
struct candidate {
	pid_t pid, tid; /* pid 0: not known yet */
	uint64_t ran;   /* CPU time at the previous look; UINT64_MAX: none */
};

struct unswitched {
	pid_t *tids;
	size_t ntids;
	unsigned cpus;
	struct candidate *list;
	size_t nr, cap;
	struct clock_relation clock;
	uint64_t related; /* CLOCK_MONOTONIC when `clock` was read; 0: it is not known */
	uint64_t since, again; /* again: when the runnable ones are looked at next */
	size_t next;           /* index of the next one to be looked at */
	struct looked {
		struct waits_standing what;
		uint64_t ip;
	} *looked;
	size_t nlooked, cap_looked;
	uint64_t looked_at;
	bool listed;
};

struct unswitched *unswitched_create(const pid_t *tids, size_t nr, unsigned cpus)
{
	struct unswitched *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->cpus = cpus;
	s->listed = true; /* until it begins */
	if (unswitched_watch(s, tids, nr))
		return s;
	free(s);
	return NULL;
}

bool unswitched_watch(struct unswitched *s, const pid_t *tids, size_t nr)
{
	pid_t *copy = nr ? malloc(nr * sizeof(*tids)) : NULL;

	if (nr && !copy)
		return false;
	if (nr)
		memcpy(copy, tids, nr * sizeof(*tids));
	free(s->tids);
	s->tids = copy;
	s->ntids = nr;
	return true;
}

void unswitched_free(struct unswitched *s)
{
	if (!s)
		return;
	free(s->tids);
	free(s->list);
	free(s->looked);
	free(s);
}

/* Relate the clocks once a second.  Where they are not known no thread is looked at. */
static void relate_perf_clock(struct unswitched *s, uint64_t now)
{
	int ret;

	if (s->related && now < s->related + NSEC_PER_SEC)
		return;
	ret = perfclock_relate(&s->clock);
	s->related = ret ? 0 : now;
	if (ret)
		log_msg(LOG_SESSION, "off-cpu: perf's clock: %s", strerror(-ret));
}

static bool perf_now(struct unswitched *s, uint64_t *now)
{
	uint64_t time = clock_ns();

	relate_perf_clock(s, time);
	*now = clock_from_monotonic(&s->clock, time);
	return s->related;
}

uint64_t unswitched_clock(struct unswitched *s, uint64_t monotonic)
{
	relate_perf_clock(s, clock_ns());
	return s->related ? clock_from_monotonic(&s->clock, monotonic) - DRIFT_NS : 0;
}

void unswitched_begin(struct unswitched *s)
{
	unswitched_end(s);
	s->again = 0;
	s->listed = !perf_now(s, &s->since);
}

void unswitched_end(struct unswitched *s)
{
	s->nr = s->next = s->nlooked = 0;
	s->listed = true;
}

/* --- threads -------------------------------------------------------------------------------- */

static void add_candidate(struct unswitched *s, pid_t pid, pid_t tid)
{
	if (s->nr < WAITS_THREADS_MAX &&
	    !VEC_PUSH(s->list, s->nr, s->cap, (struct candidate){pid, tid, UINT64_MAX}))
		log_msg(LOG_SESSION, "off-cpu: out of memory for threads that are not switched");
}

static void add_all_threads(struct unswitched *s)
{
	size_t npids, ntids;
	pid_t *pids = procscan_pids(&npids);

	for (size_t i = 0; i < npids; i++) {
		pid_t *tids = procscan_tids(pids[i], &ntids);

		for (size_t k = 0; k < ntids; k++)
			add_candidate(s, pids[i], tids[k]);
		free(tids);
	}
	free(pids);
}

static void list_candidates(struct unswitched *s)
{
	s->listed = true;
	if (s->ntids && s->tids[0] < 0) {
		add_all_threads(s);
		return;
	}
	for (size_t i = 0; i < s->ntids; i++)
		add_candidate(s, 0, s->tids[i]);
}

/* --- states --------------------------------------------------------------------------------- */

static uint8_t state_of(char state)
{
	static const struct {
		char letter;
		uint8_t state;
	} states[] = {{'S', WAIT_SLEEPING}, {'D', WAIT_DISK}, {'T', WAIT_STOPPED},
		      {'t', WAIT_STOPPED},  {'I', WAIT_IDLE}, {'P', WAIT_IDLE}};

	for (size_t i = 0; i < sizeof(states) / sizeof(*states); i++)
		if (states[i].letter == state)
			return states[i].state;
	return WAIT_UNKNOWN;
}

/* Look at a thread.  Return true if it is to be looked at again. */
static bool look_at_thread(struct unswitched *s, struct candidate *c)
{
	struct looked l = {.ip = 0};
	struct proc_stand stand;
	bool grew;

	if (!procscan_stand(c->tid, &stand) || stand.state == 'Z' || stand.state == 'X')
		return false;
	if (!c->pid && (c->pid = procscan_process(c->tid)) < 0)
		return false;
	grew = c->ran != UINT64_MAX && stand.ran > c->ran;
	c->ran = stand.ran;
	if (stand.state == 'R' && !grew)
		return true;
	l.what = (struct waits_standing){.since = s->since,
					 .thread = (uint32_t)c->tid,
					 .pid = (uint32_t)c->pid,
					 .tid = (uint32_t)c->tid,
					 .cpu = stand.cpu < s->cpus ? (uint16_t)stand.cpu : 0,
					 .runs = stand.state == 'R',
					 .state = state_of(stand.state)};
	l.ip = stand.ip;
	if (!VEC_PUSH(s->looked, s->nlooked, s->cap_looked, l))
		log_msg(LOG_SESSION, "off-cpu: out of memory for threads that are not switched");
	return false;
}

/* Look at threads of which nothing is known yet; those to be looked at again stay in the list. */
static void look_at_some(struct unswitched *s, const struct waits *w)
{
	size_t kept = s->next, i = s->next;

	for (unsigned n = 0; i < s->nr && n < LOOKS_MOST; i++) {
		if (waits_know(w, (uint32_t)s->list[i].tid))
			continue;
		n++;
		if (look_at_thread(s, &s->list[i]))
			s->list[kept++] = s->list[i];
	}
	memmove(s->list + kept, s->list + i, (s->nr - i) * sizeof(*s->list));
	s->nr -= i - kept;
	s->next = kept;
	if (s->nlooked && !perf_now(s, &s->looked_at))
		s->nlooked = 0;
}

/*
 * Return true if the thread has ended: its switches may have come since, and be forgotten with it.
 */
static bool is_gone(uint32_t tid)
{
	return procscan_life((pid_t)tid, true, NULL) != PROC_ALIVE;
}

static void believe(struct unswitched *s, struct waits *w)
{
	for (size_t i = 0; i < s->nlooked; i++) {
		struct looked *l = &s->looked[i];
		const uint64_t ips[] = {l->ip, TABLE_MARK_TRUNCATED};

		if (waits_know(w, l->what.thread) || is_gone(l->what.thread))
			continue;
		l->what.path = (struct waits_path){PERF_RECORD_MISC_USER, l->ip ? 2 : 1, ips};
		waits_stands(w, &l->what);
	}
	s->nlooked = 0;
}

void unswitched_step(struct unswitched *s, struct waits *w, uint64_t time)
{
	if (s->nlooked && time < s->looked_at + GRACE_NS)
		return;
	believe(s, w);
	if (!s->listed)
		list_candidates(s);
	if (s->next == s->nr && clock_ns() >= s->again) {
		s->next = 0;
		s->again = clock_ns() + NSEC_PER_SEC;
	}
	if (s->next < s->nr)
		look_at_some(s, w);
}

size_t unswitched_unknown(const struct unswitched *s)
{
	return s->nr;
}
