/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a thread's time goes: by switches made by hand, and by a schedule drawn at random whose truth is known. */
#include "measure/consumers/waits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"

#define MAX 64

struct seen {
	struct wait wait[MAX];
	uint64_t leaf[MAX];
	size_t nr;
	uint64_t ran, runs, waited, ended;
	uint64_t waker_leaf[MAX];
};

static void on_wait(void *arg, const struct wait *w)
{
	struct seen *s = arg;

	s->waited += w->in - w->out;
	s->ended += w->ended;
	if (s->nr == MAX)
		return;
	s->leaf[s->nr] = w->path.nr ? w->path.ips[0] : 0;
	s->waker_leaf[s->nr] = w->waker.nr ? w->waker.ips[0] : 0;
	s->wait[s->nr++] = *w;
}

static void on_ran(void *arg, const struct run *r)
{
	struct seen *s = arg;

	s->ran += r->to - r->from;
	s->runs += r->first;
}

static struct waits *open_waits(struct seen *s)
{
	const struct waits_sink sink = {on_wait, on_ran, s};
	struct waits *w;

	memset(s, 0, sizeof(*s));
	w = waits_create(4, &sink);
	assert_non_null(w);
	return w;
}

static void out(struct waits *w, uint32_t thread, uint64_t time, uint8_t state, uint64_t leaf)
{
	const struct waits_out o = {.time = time, .thread = thread, .pid = 100, .tid = thread, .cpu = 1,
				    .state = state, .path = {1, 1, &leaf}};

	waits_out(w, &o);
}

static void in(struct waits *w, uint32_t thread, uint16_t cpu, uint64_t time)
{
	waits_in(w, &(struct waits_in){.time = time, .thread = thread, .pid = 100, .tid = thread, .cpu = cpu});
}

static void wake(struct waits *w, uint32_t thread, uint64_t time, uint32_t waker)
{
	const uint64_t leaf = 1000 + waker;
	const struct waits_waking k = {.time = time, .thread = thread, .pid = waker ? 200 : 0, .tid = waker,
				       .path = {1, 1, &leaf}};

	waits_wake(w, &k);
}

/* A sleep: who woke it and when, and how long it stood in line then. */
static void test_sleep(void **state)
{
	struct seen s;
	struct waits *w = open_waits(&s);

	(void)state;
	in(w, 7, 1, 1000);
	out(w, 7, 1500, WAIT_SLEEPING, 0xabc);
	assert_int_equal(waits_under_way(waits_sum(w, 1), 1600), 100);
	wake(w, 7, 2500, 9);
	wake(w, 7, 2600, 11); /* it was awake */
	in(w, 7, 1, 2700);
	assert_int_equal(s.nr, 1);
	assert_int_equal(s.wait[0].out, 1500);
	assert_int_equal(s.wait[0].woken, 2500);
	assert_int_equal(s.wait[0].in, 2700);
	assert_int_equal(s.waker_leaf[0], 1009);
	assert_int_equal(s.wait[0].waker_pid, 200);
	assert_int_equal(s.wait[0].waker_tid, 9);
	assert_int_equal(s.leaf[0], 0xabc);
	assert_true(s.wait[0].ended && s.wait[0].first);
	assert_int_equal(s.ran, 500);
	assert_int_equal(waits_sum(w, 1)->ns, 1200);
	assert_int_equal(waits_sum(w, 1)->waits, 1);
	assert_int_equal(waits_sum(w, 1)->under_way, 0);
	assert_int_equal(waits_under_way(waits_sum(w, 1), 9999), 0);
	assert_int_equal(waits_begun_before(w), 1);
	waits_free(w);
}

/* Preempted: it was runnable all the time, and nobody had to wake it. */
static void test_preempted(void **state)
{
	struct seen s;
	struct waits *w = open_waits(&s);

	(void)state;
	out(w, 7, 100, WAIT_RUNNABLE, 1);
	wake(w, 7, 150, 9);
	in(w, 7, 1, 400);
	assert_int_equal(s.wait[0].woken, 100);
	assert_int_equal(s.waker_leaf[0], 0);
	/* A timer's interrupt. */
	out(w, 7, 500, WAIT_DISK, 1);
	wake(w, 7, 600, 0);
	in(w, 7, 1, 700);
	assert_int_equal(s.waker_leaf[1], 1000);
	assert_int_equal(s.wait[1].waker_tid, 0);
	/* The waking was lost: the whole of it is the wait's. */
	out(w, 7, 800, WAIT_SLEEPING, 1);
	in(w, 7, 1, 900);
	assert_int_equal(s.wait[2].woken, 900);
	assert_int_equal(s.waker_leaf[2], 0);
	assert_int_equal(waits_sum(w, 1)->unwoken, 1);
	waits_free(w);
}

/* A half that is missing is counted by name, and its neighbours are right. */
static void test_halves(void **state)
{
	struct seen s;
	struct waits *w = open_waits(&s);

	(void)state;
	out(w, 7, 100, WAIT_SLEEPING, 1);
	out(w, 7, 400, WAIT_SLEEPING, 2); /* in between it ran, at some time */
	assert_int_equal(waits_sum(w, 1)->lost, 1);
	assert_int_equal(waits_sum(w, 1)->lost_ns, 300);
	in(w, 7, 1, 500);
	assert_int_equal(s.nr, 1);
	assert_int_equal(s.wait[0].out, 400);
	in(w, 7, 1, 900); /* in between it waited */
	assert_int_equal(waits_sum(w, 1)->headless, 1);
	out(w, 7, 950, WAIT_SLEEPING, 1);
	assert_int_equal(s.ran, 50);
	waits_break(w, 1000);
	assert_int_equal(waits_sum(w, 1)->lost, 1);
	assert_int_equal(waits_sum(w, 1)->cut, 1);
	assert_int_equal(waits_sum(w, 1)->cut_ns, 50);
	assert_int_equal(waits_sum(w, 1)->under_way, 0);
	in(w, 7, 1, 1200);
	assert_int_equal(s.nr, 1);
	assert_int_equal(waits_begun_before(w), 1);
	waits_free(w);
}

/* What goes on can be told of; its end tells the rest. */
static void test_tell(void **state)
{
	struct seen s;
	struct waits *w = open_waits(&s);

	(void)state;
	in(w, 8, 1, 0);
	out(w, 7, 100, WAIT_SLEEPING, 1);
	waits_tell(w, 300);
	assert_int_equal(s.nr, 1);
	assert_true(s.wait[0].first && !s.wait[0].ended);
	assert_int_equal(s.wait[0].in - s.wait[0].out, 200);
	assert_int_equal(waits_sum(w, 1)->ns, 200);
	assert_int_equal(waits_under_way(waits_sum(w, 1), 350), 50);
	wake(w, 7, 320, 9);
	waits_tell(w, 360);
	assert_int_equal(s.wait[1].woken, 320);
	in(w, 7, 1, 400);
	assert_int_equal(s.nr, 3);
	assert_true(s.wait[2].ended && !s.wait[2].first);
	assert_int_equal(s.wait[2].out, 360);
	assert_int_equal(s.wait[2].woken, 360); /* runnable all along */
	assert_int_equal(waits_sum(w, 1)->waits, 1);
	assert_int_equal(waits_sum(w, 1)->ns, 300);
	assert_false(s.wait[0].awake);
	assert_true(s.wait[1].awake); /* once */
	assert_int_equal(s.wait[1].slept, 220);
	assert_false(s.wait[2].awake);
	/* Thread 8 runs on: it is told of too, as one run. */
	assert_int_equal(s.ran, 360);
	assert_int_equal(s.runs, 1);
	out(w, 8, 500, WAIT_SLEEPING, 1);
	assert_int_equal(s.ran, 500);
	assert_int_equal(s.runs, 1);
	waits_free(w);
}

/* A waking that was not seen: asleep or runnable, unless all wakings are said, and even then where the wait ends. */
static void test_unsure(void **state)
{
	struct seen s;
	struct waits *w = open_waits(&s);

	(void)state;
	out(w, 7, 100, WAIT_SLEEPING, 1);
	waits_tell(w, 200);
	assert_true(s.wait[0].unsure);
	wake(w, 7, 250, 9);
	waits_tell(w, 240); /* it slept until 250 */
	assert_false(s.wait[1].unsure);
	in(w, 7, 1, 300);
	assert_false(s.wait[2].unsure);
	waits_all_wakings(w);
	out(w, 7, 400, WAIT_DISK, 1);
	waits_tell(w, 500);
	assert_false(s.wait[3].unsure);
	in(w, 7, 1, 600);
	assert_true(s.wait[4].unsure);
	out(w, 7, 700, WAIT_RUNNABLE, 1);
	waits_tell(w, 750);
	in(w, 7, 1, 800);
	assert_false(s.wait[5].unsure || s.wait[6].unsure);
	assert_int_equal(waits_sum(w, 1)->unsure_ns, 100 + 100);
	assert_int_equal(waits_sum(w, 1)->unwoken, 1);
	assert_true(waits_has(w, 7));
	assert_false(waits_has(w, 8));
	waits_free(w);
}

/* What is told may be older than what is known: who was woken since slept until then. */
static void test_tell_late(void **state)
{
	struct seen s;
	struct waits *w = open_waits(&s);

	(void)state;
	out(w, 7, 100, WAIT_SLEEPING, 1);
	wake(w, 7, 500, 9);
	waits_tell(w, 300);
	assert_int_equal(s.wait[0].in, 300);
	assert_int_equal(s.wait[0].woken, 300);
	assert_false(s.wait[0].awake);
	in(w, 7, 1, 600);
	assert_int_equal(s.wait[1].out, 300);
	assert_int_equal(s.wait[1].woken, 500);
	assert_int_equal(s.wait[1].in, 600);
	assert_true(s.wait[1].awake);
	assert_int_equal(s.wait[1].slept, 400);
	waits_free(w);
}

/* Of what lasts, by and by: each is told once a second, and what is short is left alone. */
static void test_tell_some(void **state)
{
	const uint64_t ms = 1000000;
	struct seen s;
	struct waits *w = open_waits(&s);

	(void)state;
	for (uint32_t i = 1; i <= 50; i++)
		out(w, i, i * ms, WAIT_SLEEPING, i);
	in(w, 60, 1, 1 * ms); /* one that runs on without a switch is told of as often */
	for (uint64_t t = 1100; t <= 2000; t += 100)
		waits_tell_some(w, t * ms, 100 * ms);
	waits_tell_some(w, 2004 * ms, 4 * ms); /* the rest of the round */
	assert_int_equal(s.nr, 50);
	assert_int_equal(s.ended, 0);
	assert_in_range(s.ran, 1000 * ms, 2003 * ms);
	assert_int_equal(s.runs, 1);
	waits_tell_some(w, 2050 * ms, 1000 * ms);
	for (uint32_t i = 1; i <= 50; i++)
		in(w, i, 1, 3000 * ms);
	assert_int_equal(s.ended, 50);
	assert_int_equal(s.waited, 50 * 3000 * ms - 50 * 51 / 2 * ms);
	assert_int_equal(waits_sum(w, 1)->ns, s.waited);
	waits_free(w);
}

/* The order of reports is that of the threads' first switches, whatever the secret of the hashes. */
static void test_tell_in_order(void **state)
{
	const struct hash_secret mine = hash_secret;
	const uint64_t ms = 1000000;

	(void)state;
	for (uint64_t n = 1; n <= 5; n++) {
		struct seen s;
		struct waits *w;

		hash_secret = (struct hash_secret){mine.start * (2 * n + 1), mine.factor * (2 * n + 1)};
		w = open_waits(&s);
		for (uint32_t i = 1; i <= 40; i++)
			out(w, i, i * ms, WAIT_SLEEPING, i);
		waits_tell_some(w, 500 * ms, 80 * ms);
		assert_int_equal(s.nr, 3);
		waits_exit(w, 4, 550 * ms, false); /* the next one */
		waits_tell_some(w, 600 * ms, 300 * ms);
		assert_int_equal(s.nr, 14);
		for (uint32_t i = 0; i < s.nr; i++)
			assert_int_equal(s.wait[i].tid, i < 3 ? i + 1 : i + 2);
		waits_free(w);
	}
	hash_secret = mine;
}

static void stands(struct waits *w, uint32_t thread, uint64_t since, bool runs)
{
	const uint64_t leaf = 0xdef;

	waits_stands(w, &(struct waits_standing){.since = since, .thread = thread, .pid = 100, .tid = thread, .cpu = 2,
						 .runs = runs, .state = WAIT_SLEEPING, .path = {1, 1, &leaf}});
}

/* Who was not switched did the same all along; of who was, nothing is believed. */
static void test_standing(void **state)
{
	struct seen s;
	struct waits *w = open_waits(&s);

	(void)state;
	assert_false(waits_know(w, 7));
	stands(w, 7, 1000, false);
	stands(w, 8, 1000, true);
	assert_true(waits_know(w, 7));
	waits_tell(w, 3000);
	assert_int_equal(s.waited, 2000);
	assert_int_equal(s.leaf[0], 0xdef);
	assert_int_equal(s.wait[0].cpu, 2);
	assert_int_equal(s.ran, 2000);
	stands(w, 7, 2500, true);
	stands(w, 8, 2500, false);
	in(w, 7, 1, 4000);
	out(w, 8, 4500, WAIT_SLEEPING, 1);
	assert_int_equal(s.waited, 3000);
	assert_int_equal(s.ran, 3500);
	assert_int_equal(waits_sum(w, 2)->ns, 3000);
	assert_int_equal(waits_sum(w, 2)->under_way, 0);
	/* Who was known before a pause is not behind it. */
	waits_break(w, 5000);
	assert_false(waits_know(w, 8));
	stands(w, 8, 6000, true);
	waits_tell(w, 6100);
	assert_int_equal(s.ran, 3600);
	waits_free(w);
}

/* An end is no wait. */
static void test_end(void **state)
{
	const uint64_t ip = 1;
	const struct waits_out last = {.time = 200, .thread = 7, .pid = 100, .tid = 7, .ended = true,
				       .path = {1, 1, &ip}};
	struct seen s;
	struct waits *w = open_waits(&s);

	(void)state;
	in(w, 7, 1, 100);
	waits_out(w, &last);
	assert_int_equal(s.ran, 100);
	assert_int_equal(waits_sum(w, 0)->under_way, 0);
	in(w, 7, 1, 300); /* the number is somebody else's now */
	assert_int_equal(waits_begun_before(w), 2);
	out(w, 7, 400, WAIT_SLEEPING, 1);
	in(w, 7, 1, 500);
	assert_int_equal(s.ran, 200);
	/* Events of a task end with it: it is not seen to go. */
	waits_exit(w, 7, 550, false);
	assert_int_equal(s.ran, 250);
	waits_tell(w, 1000);
	assert_int_equal(s.ran, 250);
	/* Those of a CPU go on; what it still does is its own. */
	out(w, 8, 1000, WAIT_SLEEPING, 1);
	in(w, 8, 1, 1100);
	waits_exit(w, 8, 1200, true);
	waits_tell(w, 1250);
	assert_int_equal(s.ran, 350);
	out(w, 8, 1300, WAIT_UNKNOWN, 1);
	assert_int_equal(s.ran, 450);
	assert_int_equal(waits_sum(w, 1)->under_way, 0);
	/* A number that is given out again though its last switch was lost. */
	in(w, 9, 1, 2000);
	waits_exit(w, 9, 2100, true);
	in(w, 9, 1, 2200);
	assert_int_equal(waits_sum(w, 1)->headless, 0);
	waits_free(w);
}

/* Preempted while it ends, it comes back without its number, and goes by the one that it had. */
static void test_nameless(void **state)
{
	const uint64_t ip = 1;
	const struct waits_out last = {.time = 460, .thread = 7, .pid = -1, .tid = -1, .cpu = 1, .ended = true,
				       .path = {1, 1, &ip}};
	struct seen s;
	struct waits *w = open_waits(&s);

	(void)state;
	in(w, 7, 1, 100);
	out(w, 7, 200, WAIT_RUNNABLE, 1);
	in(w, (uint32_t)-1, 1, 450);
	waits_out(w, &last);
	assert_int_equal(s.ran, 110);
	assert_int_equal(s.waited, 250);
	assert_int_equal(waits_sum(w, 1)->lost, 0);
	assert_int_equal(waits_sum(w, 1)->under_way, 0);
	/* Somebody else's coming, and one that has gone, are nobody's. */
	out(w, 8, 500, WAIT_SLEEPING, 1);
	in(w, (uint32_t)-1, 2, 550);
	in(w, (uint32_t)-1, 1, 560);
	out(w, 9, 570, WAIT_SLEEPING, 1);
	out(w, 8, 600, WAIT_SLEEPING, 1);
	assert_int_equal(waits_sum(w, 1)->lost, 1);
	waits_free(w);
}

/* Who came by a number alone is told of once it goes: all that it ran, as one run. */
static void test_named_late(void **state)
{
	const uint64_t ip = 1;
	const struct waits_out last = {.time = 900, .thread = 7, .pid = 100, .tid = 7, .cpu = 1, .ended = true,
				       .tells_end = true, .path = {1, 1, &ip}};
	struct seen s;
	struct waits *w = open_waits(&s);

	(void)state;
	waits_in(w, &(struct waits_in){.time = 100, .thread = 7, .pid = -1, .tid = -1, .cpu = 1});
	waits_tell(w, 400);
	waits_exit(w, 7, 700, true);
	assert_int_equal(s.ran, 0);
	waits_out(w, &last);
	assert_int_equal(s.ran, 800);
	assert_int_equal(s.runs, 1);
	/* Of who is known each part is told, and they are one run. */
	in(w, 7, 1, 1000);
	waits_exit(w, 7, 1200, true);
	assert_int_equal(s.ran, 1000);
	out(w, 7, 1300, WAIT_RUNNABLE, 1);
	assert_int_equal(s.ran, 1100);
	assert_int_equal(s.runs, 2);
	waits_free(w);
}

static void out_and_end(struct waits *w, uint32_t thread, uint64_t time, uint8_t state, bool ended)
{
	const uint64_t ip = 1;

	waits_out(w, &(struct waits_out){.time = time, .thread = thread, .pid = 100, .tid = thread, .cpu = 1, .state = state,
					 .ended = ended, .tells_end = true, .path = {1, 1, &ip}});
}

/* Preempted while it ends: whether its end was said before that or is said late, all its time is told and none is lost. */
static void test_exit_late(void **state)
{
	(void)state;
	for (int late = 0; late < 2; late++) {
		struct seen s;
		struct waits *w = open_waits(&s);

		in(w, 7, 1, 100);
		if (!late)
			waits_exit(w, 7, 150, true);
		out_and_end(w, 7, 200, WAIT_RUNNABLE, false);
		if (late)
			waits_exit(w, 7, 150, true);
		waits_tell(w, 300);
		assert_int_equal(s.waited, 100);
		in(w, 7, 1, 500);
		assert_int_equal(s.waited, 300);
		out_and_end(w, 7, 540, WAIT_UNKNOWN, true);
		assert_int_equal(s.ran, 140);
		assert_false(waits_know(w, 7));
		assert_int_equal(waits_sum(w, 1)->lost, 0);
		assert_int_equal(waits_sum(w, 1)->headless, 0);
		assert_int_equal(waits_sum(w, 1)->under_way, 0);
		waits_free(w);
	}
}

/* It is gone where it does not come again for so long: its last switches were lost. */
static void test_exit_unseen(void **state)
{
	const uint64_t s_ns = 1000000000;
	struct seen s;
	struct waits *w = open_waits(&s);

	(void)state;
	in(w, 7, 1, 100);
	waits_exit(w, 7, 150, true);
	out_and_end(w, 7, 200, WAIT_RUNNABLE, false);
	waits_tell(w, 9 * s_ns);
	assert_int_equal(s.waited, 9 * s_ns - 200);
	waits_tell(w, 11 * s_ns);
	assert_int_equal(waits_sum(w, 1)->lost, 1);
	assert_int_equal(waits_sum(w, 1)->lost_ns, 2 * s_ns);
	waits_tell(w, 90 * s_ns);
	assert_int_equal(s.waited, 9 * s_ns - 200);
	assert_int_equal(waits_sum(w, 1)->under_way, 0);
	waits_free(w);
}

/* The same of a source that does not say which switch is the last. */
static void test_exit_late_untold(void **state)
{
	struct seen s;
	struct waits *w = open_waits(&s);

	(void)state;
	in(w, 7, 1, 100);
	out(w, 7, 200, WAIT_UNKNOWN, 1);
	waits_exit(w, 7, 150, true);
	waits_tell(w, 300);
	assert_int_equal(s.ran, 100);
	assert_int_equal(s.waited, 0);
	assert_false(waits_know(w, 7));
	assert_int_equal(waits_sum(w, 1)->lost, 0);
	assert_int_equal(waits_sum(w, 1)->under_way, 0);
	/* One that ends while it waits, killed, has lost its end. */
	out(w, 8, 400, WAIT_SLEEPING, 1);
	waits_exit(w, 8, 450, true);
	assert_int_equal(waits_sum(w, 1)->lost, 1);
	assert_int_equal(waits_sum(w, 1)->lost_ns, 50);
	waits_free(w);
}

/* Above the bound they are counted, and those below it go on. */
static void test_bound(void **state)
{
	struct seen s;
	struct waits *w = open_waits(&s);

	(void)state;
	for (uint32_t i = 1; i <= WAITS_THREADS_MAX + 10; i++)
		out(w, i, i, WAIT_SLEEPING, i);
	assert_int_equal(waits_sum(w, 1)->untracked, 10);
	in(w, 5, 1, 100000);
	assert_int_equal(s.nr, 1);
	assert_int_equal(s.wait[0].in - s.wait[0].out, 100000 - 5);
	assert_int_equal(waits_sum(w, 1)->under_way, WAITS_THREADS_MAX - 1);
	waits_free(w);
}

/* Threads on one CPU, drawn at random: all time is somebody's, and waits are what the schedule says. */
static void test_schedule(void **state)
{
	uint64_t waited[MAX] = {0}, left[MAX] = {0}, truth = 0, time = 1000, began = 0, ends = 0;
	uint32_t runs = 1;
	struct seen s;
	struct waits *w = open_waits(&s);

	(void)state;
	srandom(1);
	in(w, runs, 1, time);
	began = time;
	for (unsigned i = 0; i < 100000; i++) {
		uint32_t next = 1 + (uint32_t)random() % 40;

		if (next == runs)
			continue;
		time += (uint64_t)random() % 1000;
		out(w, runs, time, random() & 1 ? WAIT_SLEEPING : WAIT_RUNNABLE, runs);
		left[runs] = time;
		in(w, next, 1, time);
		if (left[next]) {
			waited[next] += time - left[next];
			truth += time - left[next];
			ends++;
		}
		left[next] = 0;
		runs = next;
	}
	assert_int_equal(s.waited, truth);
	assert_int_equal(s.ended, ends);
	assert_int_equal(waits_sum(w, 1)->ns, truth);
	waits_tell(w, time);
	for (unsigned i = 1; i < MAX; i++)
		truth += left[i] ? time - left[i] : 0;
	assert_int_equal(s.waited, truth);
	assert_int_equal(s.ran, time - began);
	waits_free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sleep), cmocka_unit_test(test_preempted),
		cmocka_unit_test(test_halves), cmocka_unit_test(test_tell),
		cmocka_unit_test(test_tell_late), cmocka_unit_test(test_unsure), cmocka_unit_test(test_tell_some), cmocka_unit_test(test_tell_in_order), cmocka_unit_test(test_standing), cmocka_unit_test(test_end), cmocka_unit_test(test_nameless),
		cmocka_unit_test(test_named_late), cmocka_unit_test(test_exit_late),
		cmocka_unit_test(test_exit_late_untold), cmocka_unit_test(test_exit_unseen), cmocka_unit_test(test_bound),
		cmocka_unit_test(test_schedule),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
