/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/consumers/waits.h"

#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "base/hash.h"

#define CHAINS_LEAST 1024
#define TELL_EACH_NS (1000 * 1000000ull) /* between reports of a wait or run in progress */
#define TELL_LEAST_NS (200 * 1000000ull) /* shorter times are not reported */
#define ENDS_NS	      (10000 * 1000000ull) /* an ending thread that waits longer has ended unseen */

enum thread_is { THREAD_NEW, THREAD_RUNS, THREAD_WAITS };

/* An owned path. */
struct kept {
	uint8_t mode, nr, room;
	uint64_t *ips;
};

struct thread {
	struct thread *next; /* in its hash chain */
	struct thread *before, *after; /* by first sight: an order that no hash decides */
	uint32_t number, pid, tid;
	uint8_t is;    /* enum thread_is */
	bool named;    /* pid and tid are known */
	/* The wait or run in progress. */
	uint64_t told; /* time up to which it was reported */
	uint8_t state;
	bool woken, begun, exits;
	bool tells_end; /* waits_out's, of this wait */
	bool awake;     /* the waking was reported */
	uint64_t began; /* start of the wait */
	uint16_t cpu;
	uint32_t waker_pid, waker_tid;
	uint64_t woken_at;
	struct kept path, waker; /* waker.nr 0: not known */
};

struct waits {
	struct waits_sink sink;
	bool wakings; /* waits_all_wakings was called */
	struct budget budget;
	struct thread **chain;
	struct thread *first, *last;
	size_t nchains, nthreads;
	struct waits_sum *sum; /* by CPU */
	/* by CPU: switch-in of a thread without a number that still runs; 0: none */
	uint64_t *came;
	unsigned cpus;
	uint64_t begun_before;
	/* waits_tell_some: its next thread, NULL: the first; threads times ns not taken yet */
	struct thread *cursor;
	uint64_t due;
};

struct waits *waits_create(unsigned cpus, const struct waits_sink *sink)
{
	struct waits *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->sink = *sink;
	w->cpus = cpus;
	w->nchains = CHAINS_LEAST;
	w->chain = calloc(w->nchains, sizeof(struct thread *));
	w->sum = calloc(cpus, sizeof(*w->sum));
	w->came = calloc(cpus, sizeof(*w->came));
	if (w->chain && w->sum && w->came)
		return w;
	waits_free(w);
	return NULL;
}

void waits_all_wakings(struct waits *w)
{
	w->wakings = true;
}

static void thread_free(struct thread *t)
{
	budget_free(t->path.ips);
	budget_free(t->waker.ips);
	budget_free(t);
}

void waits_free(struct waits *w)
{
	if (!w)
		return;
	for (struct thread *t = w->first, *after; t; t = after) {
		after = t->after;
		thread_free(t);
	}
	free(w->chain);
	free(w->sum);
	free(w->came);
	free(w);
}

/* --- the threads -------------------------------------------------------------------------- */

static struct thread **find_thread_slot(const struct waits *w, uint32_t number)
{
	struct thread **at = &w->chain[hash_u64(number) & (w->nchains - 1)];

	while (*at && (*at)->number != number)
		at = &(*at)->next;
	return at;
}

/* Double the chains; without memory they get longer. */
static void grow_thread_chains(struct waits *w)
{
	size_t nr = 2 * w->nchains;
	struct thread **chain = calloc(nr, sizeof(struct thread *));

	if (!chain)
		return;
	for (struct thread *t = w->first; t; t = t->after) {
		struct thread **to = &chain[hash_u64(t->number) & (nr - 1)];

		t->next = *to;
		*to = t;
	}
	free(w->chain);
	w->chain = chain;
	w->nchains = nr;
}

/* Find or add a thread.  NULL: no room, which is counted. */
static struct thread *thread_get(struct waits *w, uint32_t number, uint16_t cpu)
{
	struct thread **at = find_thread_slot(w, number), *t = *at;

	if (t)
		return t;
	if (w->nthreads < WAITS_THREADS_MAX)
		t = budget_zalloc(&w->budget, BUDGET_NAMES, 1, sizeof(*t));
	if (!t) {
		w->sum[cpu].untracked++;
		return NULL;
	}
	t->number = number;
	*at = t;
	t->before = w->last;
	*(w->last ? &w->last->after : &w->first) = t;
	w->last = t;
	if (++w->nthreads > w->nchains)
		grow_thread_chains(w);
	return t;
}

static void thread_drop(struct waits *w, struct thread *t)
{
	struct thread **at = find_thread_slot(w, t->number);

	*at = t->next;
	*(t->before ? &t->before->after : &w->first) = t->after;
	*(t->after ? &t->after->before : &w->last) = t->before;
	w->cursor = w->cursor == t ? t->after : w->cursor;
	w->nthreads--;
	thread_free(t);
}

/* Copy a path.  False: no memory. */
static bool keep_path(struct waits *w, struct kept *to, const struct waits_path *p)
{
	to->nr = 0;
	if (p->nr > to->room) {
		uint64_t *ips = budget_alloc(&w->budget, BUDGET_NAMES, p->nr * sizeof(*ips));

		if (!ips)
			return false;
		budget_free(to->ips);
		to->ips = ips;
		to->room = p->nr;
	}
	if (p->nr)
		memcpy(to->ips, p->ips, p->nr * sizeof(*to->ips));
	to->nr = p->nr;
	to->mode = p->mode;
	return true;
}

static struct waits_path borrow_kept_path(const struct kept *k)
{
	return (struct waits_path){k->mode, k->nr, k->ips};
}

/* --- waits and runs ----------------------------------------------------------------------- */

static uint64_t elapsed_ns(uint64_t from, uint64_t to)
{
	return to > from ? to - from : 0;
}

/* Report a run.  A thread whose tid is not known yet is reported later, when it is switched out. */
static void tell_run(const struct waits *w, struct thread *t, uint64_t time, uint16_t cpu,
		     const struct waits_path *path)
{
	const struct run run = {.pid = t->pid, .tid = t->tid, .cpu = cpu, .first = !t->begun,
				.from = t->told, .to = time, .path = *path};

	if (!t->named || time <= t->told)
		return;
	w->sink.ran(w->sink.arg, &run);
	t->told = time;
	t->begun = true;
}

static void tell_wait(struct waits *w, struct thread *t, uint64_t time, bool ended)
{
	struct waits_sum *sum = &w->sum[t->cpu];
	bool woken = t->woken && t->woken_at <= time; /* a late report may come after the waking */
	const struct wait wait = {
		.pid = t->pid,
		.tid = t->tid,
		.cpu = t->cpu,
		.state = t->state,
		.ended = ended,
		.first = !t->begun,
		.path = borrow_kept_path(&t->path),
		.waker = borrow_kept_path(&t->waker),
		.waker_pid = t->waker_pid,
		.waker_tid = t->waker_tid,
		.out = t->told,
		.woken = !woken			 ? time
			 : t->woken_at > t->told ? t->woken_at
						 : t->told,
		.in = time > t->told ? time : t->told,
		.awake = (woken || ended) && !t->awake,
		.slept = elapsed_ns(t->began, woken ? t->woken_at : time),
		.unsure = !t->woken && (ended || !w->wakings),
	};

	t->awake |= woken;
	sum->ns += wait.in - wait.out;
	sum->waits += ended;
	sum->unwoken += ended && !woken;
	sum->unsure_ns += wait.unsure ? wait.in - wait.out : 0;
	w->sink.wait(w->sink.arg, &wait);
}

/* Take a thread out of the sums of waits in progress. */
static void uncount_wait(struct waits *w, const struct thread *t)
{
	w->sum[t->cpu].under_way--;
	w->sum[t->cpu].under_way_since -= t->told;
}

static void lose_wait_end(struct waits *w, struct thread *t, uint64_t time)
{
	uncount_wait(w, t);
	w->sum[t->cpu].lost++;
	w->sum[t->cpu].lost_ns += elapsed_ns(t->told, time);
}

/* Set pid and tid, if known: an ended thread may have its number only. */
static void set_thread_ids(struct thread *t, uint32_t pid, uint32_t tid)
{
	if ((int32_t)tid < 0)
		return;
	t->pid = pid;
	t->tid = tid;
	t->named = true;
}

static void begin_wait(struct waits *w, struct thread *t, const struct waits_out *o)
{
	struct waits_sum *sum = &w->sum[o->cpu];

	t->is = THREAD_WAITS;
	t->told = o->time;
	t->state = o->state;
	t->waker.nr = 0;
	t->waker_pid = t->waker_tid = 0;
	t->woken = wait_could_run(o->state);
	t->woken_at = o->time;
	t->begun = t->awake = false;
	t->began = o->time;
	t->cpu = o->cpu;
	t->tells_end = o->tells_end;
	sum->under_way++;
	sum->under_way_since += o->time;
}

static void take_switch_in(struct waits *w, struct thread *t, uint64_t time, uint16_t cpu)
{
	if (t->is == THREAD_WAITS) {
		uncount_wait(w, t);
		tell_wait(w, t, time, true);
	} else if (t->is == THREAD_RUNS && !t->exits) {
		w->sum[cpu].headless++;
	} else {
		w->begun_before++;
	}
	/* The time around a missing switch is not all running: begin the run anew. */
	t->is = THREAD_RUNS;
	t->begun = false;
	t->cpu = cpu;
	t->told = time;
}

/* Assign a switch-in without a number to the thread that is switched out on that CPU. */
static void find_coming(struct waits *w, struct thread *t, uint16_t cpu)
{
	if (t->is == THREAD_WAITS && w->came[cpu] > t->told)
		take_switch_in(w, t, w->came[cpu], cpu);
	w->came[cpu] = 0;
}

void waits_out(struct waits *w, const struct waits_out *o)
{
	struct thread *t = thread_get(w, o->thread, o->cpu);

	if (!t)
		return;
	set_thread_ids(t, o->pid, o->tid);
	find_coming(w, t, o->cpu);
	if (t->is == THREAD_WAITS)
		lose_wait_end(w, t, o->time);
	else if (t->is == THREAD_RUNS)
		tell_run(w, t, o->time, o->cpu, &o->path);
	if (o->ended || (t->exits && !o->tells_end)) {
		thread_drop(w, t);
	} else if (!keep_path(w, &t->path, &o->path)) {
		w->sum[o->cpu].untracked++;
		thread_drop(w, t);
	} else {
		begin_wait(w, t, o);
	}
}

void waits_in(struct waits *w, const struct waits_in *in)
{
	struct thread *t;

	if ((int32_t)in->thread < 0) {
		w->came[in->cpu] = in->time;
		return;
	}
	t = thread_get(w, in->thread, in->cpu);
	if (!t)
		return;
	take_switch_in(w, t, in->time, in->cpu);
	t->exits = false; /* the number belongs to another thread now */
	set_thread_ids(t, in->pid, in->tid);
}

/* A thread that runs or is runnable already cannot be woken. */
void waits_wake(struct waits *w, const struct waits_waking *k)
{
	struct thread *t = *find_thread_slot(w, k->thread);

	if (!t || t->is != THREAD_WAITS || t->woken)
		return;
	t->woken = true;
	t->woken_at = k->time;
	t->waker_pid = k->pid;
	t->waker_tid = k->tid;
	keep_path(w, &t->waker, &k->path); /* without memory the waker is unknown */
}

/* Note an exit before the switch-out: no end is missing, the thread comes back or has ended. */
static void exit_late(struct waits *w, struct thread *t)
{
	t->exits = true;
	if (t->tells_end)
		return;
	uncount_wait(w, t);
	thread_drop(w, t);
}

void waits_exit(struct waits *w, uint32_t thread, uint64_t time, bool again)
{
	struct thread *t = *find_thread_slot(w, thread);

	if (!t)
		return;
	if (again && t->is == THREAD_WAITS && time < t->began) {
		exit_late(w, t);
		return;
	}
	if (t->is == THREAD_WAITS) {
		lose_wait_end(w, t, time);
		t->is = THREAD_NEW;
	} else if (t->is == THREAD_RUNS) {
		tell_run(w, t, time, t->cpu, &(struct waits_path){.nr = 0});
	}
	t->exits = true;
	if (!again)
		thread_drop(w, t);
}

bool waits_has(const struct waits *w, uint32_t thread)
{
	return *find_thread_slot(w, thread) != NULL;
}

bool waits_know(const struct waits *w, uint32_t thread)
{
	const struct thread *t = *find_thread_slot(w, thread);

	return t && (t->is != THREAD_NEW || t->exits);
}

void waits_stands(struct waits *w, const struct waits_standing *s)
{
	const struct waits_out out = {.time = s->since, .cpu = s->cpu, .state = s->state};
	struct thread *t = waits_know(w, s->thread) ? NULL : thread_get(w, s->thread, s->cpu);

	if (!t)
		return;
	set_thread_ids(t, s->pid, s->tid);
	if (s->runs) {
		t->is = THREAD_RUNS;
		t->begun = false;
		t->cpu = s->cpu;
		t->told = s->since;
	} else if (keep_path(w, &t->path, &s->path)) {
		begin_wait(w, t, &out);
	} else {
		w->sum[s->cpu].untracked++;
		thread_drop(w, t);
	}
}

static void report_progress(struct waits *w, struct thread *t, uint64_t time)
{
	if (time <= t->told || t->is == THREAD_NEW || (t->exits && t->is == THREAD_RUNS))
		return;
	if (t->exits && time - t->began > ENDS_NS) {
		lose_wait_end(w, t, time);
		t->is = THREAD_NEW;
		return;
	}
	if (t->is == THREAD_RUNS) {
		tell_run(w, t, time, t->cpu, &(struct waits_path){.nr = 0});
		return;
	}
	uncount_wait(w, t);
	tell_wait(w, t, time, false);
	w->sum[t->cpu].under_way++;
	w->sum[t->cpu].under_way_since += time;
	t->begun = true;
	t->told = time;
}

static void cut_thread(struct waits *w, struct thread *t, uint64_t time)
{
	struct waits_sum *sum = &w->sum[t->cpu];

	if (t->is == THREAD_WAITS) {
		uncount_wait(w, t);
		sum->cut++;
		sum->cut_ns += elapsed_ns(t->told, time);
	}
	t->is = THREAD_NEW;
}

static void each(struct waits *w, uint64_t time,
		 void (*call)(struct waits *w, struct thread *t, uint64_t time))
{
	for (struct thread *t = w->first; t; t = t->after)
		call(w, t, time);
}

void waits_tell(struct waits *w, uint64_t time)
{
	each(w, time, report_progress);
}

void waits_tell_some(struct waits *w, uint64_t time, uint64_t since)
{
	w->due += w->nthreads * (since < TELL_EACH_NS ? since : TELL_EACH_NS);
	for (; w->due >= TELL_EACH_NS && w->nthreads; w->due -= TELL_EACH_NS) {
		struct thread *t = w->cursor ? w->cursor : w->first;

		w->cursor = t->after;
		if (t->told + TELL_LEAST_NS <= time)
			report_progress(w, t, time);
	}
}

void waits_break(struct waits *w, uint64_t time)
{
	each(w, time, cut_thread);
}

/* --- figures ------------------------------------------------------------------------------ */

uint64_t waits_under_way(const struct waits_sum *sum, uint64_t time)
{
	uint64_t ns = sum->under_way * time - sum->under_way_since;

	return (int64_t)ns < 0 ? 0 : ns;
}

const struct waits_sum *waits_sum(const struct waits *w, unsigned cpu)
{
	return &w->sum[cpu];
}

struct waits_sum waits_total(const struct waits *w)
{
	struct waits_sum all = {.waits = 0};

	for (unsigned i = 0; i < w->cpus; i++) {
		const struct waits_sum *sum = &w->sum[i];

		all.lost += sum->lost;
		all.headless += sum->headless;
		all.untracked += sum->untracked;
		all.under_way += sum->under_way;
		all.unwoken += sum->unwoken;
		all.unsure_ns += sum->unsure_ns;
	}
	return all;
}

uint64_t waits_begun_before(const struct waits *w)
{
	return w->begun_before;
}
