/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/session/waits.h"

#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "base/hash.h"

#define CHAINS_LEAST 1024
#define TELL_EACH_NS (1000 * 1000000ull) /* how often what lasts is told of */
#define TELL_LEAST_NS (200 * 1000000ull) /* what is not worth it */
#define ENDS_NS	      (10000 * 1000000ull) /* one that ends stands in line no longer: it is gone, which was not seen */

enum thread_is { THREAD_NEW, THREAD_RUNS, THREAD_WAITS };

/* A path of our own. */
struct kept {
	uint8_t mode, nr, room;
	uint64_t *ips;
};

struct thread {
	struct thread *next; /* in its hash chain */
	uint32_t number, pid, tid;
	uint8_t is;    /* enum thread_is */
	bool named;    /* pid and tid are known */
	/* Of what it does now. */
	uint64_t told; /* what came before was told */
	uint8_t state;
	bool woken, begun, exits;
	bool tells_end; /* as its source said of this wait */
	bool awake;     /* that it was woken was told */
	uint64_t began; /* of a wait: all of it */
	uint16_t cpu;
	uint32_t waker_pid, waker_tid;
	uint64_t woken_at;
	struct kept path, waker; /* waker.nr 0: not known */
};

struct waits {
	struct waits_sink sink;
	bool wakings; /* all are said */
	struct budget budget;
	struct thread **chain;
	size_t nchains, nthreads;
	struct waits_sum *sum; /* by CPU */
	uint64_t *came; /* by CPU: when somebody without a number did, who is still there; 0: nobody */
	unsigned cpus;
	uint64_t begun_before;
	size_t cursor; /* of waits_tell_some */
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
	for (size_t i = 0; w->chain && i < w->nchains; i++) {
		for (struct thread *t = w->chain[i], *next; t; t = next) {
			next = t->next;
			thread_free(t);
		}
	}
	free(w->chain);
	free(w->sum);
	free(w->came);
	free(w);
}

/* --- the threads -------------------------------------------------------------------------- */

static struct thread **place_of(const struct waits *w, uint32_t number)
{
	struct thread **at = &w->chain[hash_u64(number) & (w->nchains - 1)];

	while (*at && (*at)->number != number)
		at = &(*at)->next;
	return at;
}

/* Chains stay short; where there is no memory for that, they are longer. */
static void grow(struct waits *w)
{
	size_t nr = 2 * w->nchains;
	struct thread **chain = calloc(nr, sizeof(struct thread *));

	if (!chain)
		return;
	for (size_t i = 0; i < w->nchains; i++) {
		for (struct thread *t = w->chain[i], *next; t; t = next) {
			struct thread **to = &chain[hash_u64(t->number) & (nr - 1)];

			next = t->next;
			t->next = *to;
			*to = t;
		}
	}
	free(w->chain);
	w->chain = chain;
	w->nchains = nr;
}

/* NULL: no room, as is counted. */
static struct thread *thread_get(struct waits *w, uint32_t number, uint16_t cpu)
{
	struct thread **at = place_of(w, number), *t = *at;

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
	if (++w->nthreads > w->nchains)
		grow(w);
	return t;
}

static void thread_drop(struct waits *w, struct thread *t)
{
	struct thread **at = place_of(w, t->number);

	*at = t->next;
	w->nthreads--;
	thread_free(t);
}

/* False: no memory for its path. */
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

static struct waits_path path_of(const struct kept *k)
{
	return (struct waits_path){k->mode, k->nr, k->ips};
}

/* --- what they do ------------------------------------------------------------------------- */

static uint64_t since(uint64_t from, uint64_t to)
{
	return to > from ? to - from : 0;
}

/* Of who is not known yet it is told later, when it goes. */
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
	bool woken = t->woken && t->woken_at <= time; /* who is told of late may have been woken since */
	const struct wait wait = {
		.pid = t->pid, .tid = t->tid, .cpu = t->cpu, .state = t->state, .ended = ended, .first = !t->begun,
		.path = path_of(&t->path), .waker = path_of(&t->waker), .waker_pid = t->waker_pid, .waker_tid = t->waker_tid,
		.out = t->told, .woken = !woken ? time : t->woken_at > t->told ? t->woken_at : t->told,
		.in = time > t->told ? time : t->told, .awake = (woken || ended) && !t->awake,
		.slept = since(t->began, woken ? t->woken_at : time),
		.unsure = !t->woken && (ended || !w->wakings),
	};

	t->awake |= woken;
	sum->ns += wait.in - wait.out;
	sum->waits += ended;
	sum->unwoken += ended && !woken;
	sum->unsure_ns += wait.unsure ? wait.in - wait.out : 0;
	w->sink.wait(w->sink.arg, &wait);
}

/* It does not count as waiting any more. */
static void leave(struct waits *w, const struct thread *t)
{
	w->sum[t->cpu].under_way--;
	w->sum[t->cpu].under_way_since -= t->told;
}

static void lose(struct waits *w, struct thread *t, uint64_t time)
{
	leave(w, t);
	w->sum[t->cpu].lost++;
	w->sum[t->cpu].lost_ns += since(t->told, time);
}

/* Who has ended may be known by its number alone. */
static void name(struct thread *t, uint32_t pid, uint32_t tid)
{
	if ((int32_t)tid < 0)
		return;
	t->pid = pid;
	t->tid = tid;
	t->named = true;
}

static void begin(struct waits *w, struct thread *t, const struct waits_out *o)
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

static void come(struct waits *w, struct thread *t, uint64_t time, uint16_t cpu)
{
	if (t->is == THREAD_WAITS) {
		leave(w, t);
		tell_wait(w, t, time, true);
	} else if (t->is == THREAD_RUNS && !t->exits) {
		w->sum[cpu].headless++;
	} else {
		w->begun_before++;
	}
	/* What came before the missing half, and after it, is not all running. */
	t->is = THREAD_RUNS;
	t->begun = false;
	t->cpu = cpu;
	t->told = time;
}

/* Where it goes, it came. */
static void find_coming(struct waits *w, struct thread *t, uint16_t cpu)
{
	if (t->is == THREAD_WAITS && w->came[cpu] > t->told)
		come(w, t, w->came[cpu], cpu);
	w->came[cpu] = 0;
}

void waits_out(struct waits *w, const struct waits_out *o)
{
	struct thread *t = thread_get(w, o->thread, o->cpu);

	if (!t)
		return;
	name(t, o->pid, o->tid);
	find_coming(w, t, o->cpu);
	if (t->is == THREAD_WAITS)
		lose(w, t, o->time);
	else if (t->is == THREAD_RUNS)
		tell_run(w, t, o->time, o->cpu, &o->path);
	if (o->ended || (t->exits && !o->tells_end)) {
		thread_drop(w, t);
	} else if (!keep_path(w, &t->path, &o->path)) {
		w->sum[o->cpu].untracked++;
		thread_drop(w, t);
	} else {
		begin(w, t, o);
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
	come(w, t, in->time, in->cpu);
	t->exits = false; /* the number is somebody else's now */
	name(t, in->pid, in->tid);
}

/* Whoever runs, or is on its way to a CPU already, is not woken. */
void waits_wake(struct waits *w, const struct waits_waking *k)
{
	struct thread *t = *place_of(w, k->thread);

	if (!t || t->is != THREAD_WAITS || t->woken)
		return;
	t->woken = true;
	t->woken_at = k->time;
	t->waker_pid = k->pid;
	t->waker_tid = k->tid;
	keep_path(w, &t->waker, &k->path); /* else it is not known */
}

/* It had said that it ends before it left its CPU: no end of that wait is missing, it comes again or is gone. */
static void exit_late(struct waits *w, struct thread *t)
{
	t->exits = true;
	if (t->tells_end)
		return;
	leave(w, t);
	thread_drop(w, t);
}

void waits_exit(struct waits *w, uint32_t thread, uint64_t time, bool again)
{
	struct thread *t = *place_of(w, thread);

	if (!t)
		return;
	if (again && t->is == THREAD_WAITS && time < t->began) {
		exit_late(w, t);
		return;
	}
	if (t->is == THREAD_WAITS) {
		lose(w, t, time);
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
	return *place_of(w, thread) != NULL;
}

bool waits_know(const struct waits *w, uint32_t thread)
{
	const struct thread *t = *place_of(w, thread);

	return t && (t->is != THREAD_NEW || t->exits);
}

void waits_stands(struct waits *w, const struct waits_standing *s)
{
	const struct waits_out out = {.time = s->since, .cpu = s->cpu, .state = s->state};
	struct thread *t = waits_know(w, s->thread) ? NULL : thread_get(w, s->thread, s->cpu);

	if (!t)
		return;
	name(t, s->pid, s->tid);
	if (s->runs) {
		t->is = THREAD_RUNS;
		t->begun = false;
		t->cpu = s->cpu;
		t->told = s->since;
	} else if (keep_path(w, &t->path, &s->path)) {
		begin(w, t, &out);
	} else {
		w->sum[s->cpu].untracked++;
		thread_drop(w, t);
	}
}

static void tell(struct waits *w, struct thread *t, uint64_t time)
{
	if (time <= t->told || t->is == THREAD_NEW || (t->exits && t->is == THREAD_RUNS))
		return;
	if (t->exits && time - t->began > ENDS_NS) {
		lose(w, t, time);
		t->is = THREAD_NEW;
		return;
	}
	if (t->is == THREAD_RUNS) {
		tell_run(w, t, time, t->cpu, &(struct waits_path){.nr = 0});
		return;
	}
	leave(w, t);
	tell_wait(w, t, time, false);
	w->sum[t->cpu].under_way++;
	w->sum[t->cpu].under_way_since += time;
	t->begun = true;
	t->told = time;
}

static void stop(struct waits *w, struct thread *t, uint64_t time)
{
	struct waits_sum *sum = &w->sum[t->cpu];

	if (t->is == THREAD_WAITS) {
		leave(w, t);
		sum->cut++;
		sum->cut_ns += since(t->told, time);
	}
	t->is = THREAD_NEW;
}

static void each(struct waits *w, uint64_t time, void (*call)(struct waits *w, struct thread *t, uint64_t time))
{
	for (size_t i = 0; i < w->nchains; i++)
		for (struct thread *t = w->chain[i]; t; t = t->next)
			call(w, t, time);
}

void waits_tell(struct waits *w, uint64_t time)
{
	each(w, time, tell);
}

void waits_tell_some(struct waits *w, uint64_t time, uint64_t since)
{
	size_t nr = since >= TELL_EACH_NS ? w->nchains : w->nchains * since / TELL_EACH_NS;

	for (size_t i = 0; i < nr; i++, w->cursor++)
		for (struct thread *t = w->chain[w->cursor & (w->nchains - 1)]; t; t = t->next)
			if (t->told + TELL_LEAST_NS <= time)
				tell(w, t, time);
}

void waits_break(struct waits *w, uint64_t time)
{
	each(w, time, stop);
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

uint64_t waits_begun_before(const struct waits *w)
{
	return w->begun_before;
}
