/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is said to have changed, of profiles whose truth is known: samples drawn from shares that wander as programs'
 * do, while others take their part of the machine.  The same every time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/compare/compare.h"

#define FUNCTIONS 40
#define SECONDS	  30
#define RATE	  999
#define PERIOD	  1001001 /* ns */
#define REPEAT	  100
#define STEP	  0.37 /* seconds between one mood of a program and the next: not a part of a block */

static uint64_t random_state;

static double uniform(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return ((double)(random_state >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

static void seed(uint64_t n)
{
	random_state = n * 0x9e3779b97f4a7c15u + 0x1234567;
	for (int i = 0; i < 20; i++)
		uniform();
}

/* How a program and its machine behave. */
struct behaviour {
	double share[FUNCTIONS]; /* of the program; their sum is 1 */
	double wander;		 /* standard deviation of a share's logarithm */
	double alike;		 /* of a mood and the next */
	double load;		 /* the part of the machine that neighbours take when they are busy */
	double busy;		 /* seconds that they are, and are not, on average */
};

struct mood {
	double of[FUNCTIONS], sum[FUNCTIONS + 1], left;
	bool busy;
};

static void next_mood(const struct behaviour *b, struct mood *m)
{
	double sum = 0, free = 1 - (m->busy ? b->load : b->load / 4), all = 0;

	for (int f = 0; f < FUNCTIONS; f++) {
		m->of[f] = b->alike * m->of[f] + sqrt(1 - b->alike * b->alike) * normal();
		m->sum[f] = b->share[f] * exp(b->wander * m->of[f]);
		all += m->sum[f];
	}
	for (int f = 0; f < FUNCTIONS; f++) {
		sum += m->sum[f] / all * free;
		m->sum[f] = sum;
	}
	m->sum[FUNCTIONS] = 1; /* the neighbours' */
	m->left -= STEP;
	if (m->left < 0) {
		m->busy = !m->busy;
		m->left = -log(uniform()) * b->busy;
	}
}

static int draw(const struct mood *m)
{
	double x = uniform();
	int low = 0, high = FUNCTIONS;

	while (low < high) {
		int middle = (low + high) / 2;

		if (x < m->sum[middle])
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static size_t row_of(struct profile *p, int f)
{
	char name[32];
	int64_t row;

	snprintf(name, sizeof(name), "function_%02d", f);
	row = profile_row(p, name, f < FUNCTIONS ? "/usr/bin/program" : "/usr/bin/neighbour");
	assert_true(row >= 0);
	return (size_t)row;
}

static void add_samples(struct profile *p, size_t row, uint64_t samples)
{
	if (!samples)
		return;
	assert_int_equal(profile_add(p, row, samples * PERIOD), 0);
	p->rows[row].weight += samples * PERIOD;
	p->rows[row].samples += samples;
	p->samples += samples;
	p->weight += samples * PERIOD;
}

static void run(const struct behaviour *b, unsigned seconds, struct profile *p)
{
	struct mood m = {.left = -log(uniform()) * b->busy, .busy = uniform() < 0.5};
	double mood_left = uniform() * STEP;

	assert_int_equal(profile_init(p), 0);
	p->seconds = seconds;
	for (int f = 0; f < FUNCTIONS; f++)
		m.of[f] = normal();
	next_mood(b, &m);
	for (unsigned s = 0; s < seconds; s++) {
		uint64_t n[FUNCTIONS + 1] = {0};

		for (int i = 0; i < RATE; i++) {
			mood_left -= 1.0 / RATE;
			if (mood_left < 0) {
				mood_left += STEP;
				next_mood(b, &m);
			}
			n[draw(&m)]++;
		}
		for (int f = 0; f <= FUNCTIONS; f++)
			add_samples(p, row_of(p, f), n[f]);
		assert_int_equal(profile_end_block(p, 1, (uint64_t)RATE * PERIOD), 0);
	}
	assert_int_equal(profile_finish(p), 0);
}

/* Three of some size, and a tail. */
static struct behaviour program(double wander, double alike, double load, double busy)
{
	struct behaviour b = {.share = {0.06, 0.12, 0.25}, .wander = wander, .alike = alike, .load = load, .busy = busy};
	double sum = 0;

	for (int f = 3; f < FUNCTIONS; f++)
		sum += b.share[f] = 1.0 / (f - 1);
	for (int f = 3; f < FUNCTIONS; f++)
		b.share[f] *= 0.57 / sum;
	return b;
}

/* By so much of the machine, whose neighbours take a part on average; the tail has the rest. */
static struct behaviour changed(struct behaviour b)
{
	static const double points[] = {0.01, 0.03, 0.10};
	double free = 1 - b.load * 0.625;

	for (int f = 0; f < 3; f++)
		b.share[f] += points[f] / free;
	for (int f = 3; f < FUNCTIONS; f++)
		b.share[f] *= (0.57 - 0.14 / free) / 0.57;
	return b;
}

static const struct difference *find(const struct comparison *c, int f)
{
	char name[32];

	snprintf(name, sizeof(name), "function_%02d", f);
	for (size_t i = 0; i < c->nr; i++)
		if (!strcmp(compare_either(c, i)->name, name))
			return compare_row(c, i);
	return NULL;
}

struct score {
	unsigned found[3], any, rows, covered, intervals;
	double spread; /* variance of the second function's share, by that of the binomial */
};

static void score_one(const struct comparison *c, const struct behaviour *was, const struct behaviour *now, double free,
		      struct score *s)
{
	s->any += c->significant > 0;
	s->rows += (unsigned)c->significant;
	for (int f = 0; f < FUNCTIONS; f++) {
		const struct difference *d = find(c, f);
		double truth = (now->share[f] - was->share[f]) * free;

		if (f < 3)
			s->found[f] += d->flags & DIFFERENCE_SIGNIFICANT;
		s->covered += d->low <= truth && truth <= d->high;
		s->intervals++;
	}
	s->spread += find(c, 1)->variance / (0.12 * 0.88 / (SECONDS * RATE)) / REPEAT;
}

static struct score repeat(const struct behaviour *was, const struct behaviour *now, const struct compare_how *how,
			   uint64_t from)
{
	struct score s = {.any = 0};

	for (unsigned i = 0; i < REPEAT; i++) {
		struct profile a, b;
		struct comparison c;

		seed(from + i);
		run(was, SECONDS, &a);
		run(now, SECONDS, &b);
		assert_int_equal(compare(&a, &b, how, &c), 0);
		score_one(&c, was, now, 1 - was->load * 0.625, &s);
		compare_clear(&c);
		profile_clear(&a);
		profile_clear(&b);
	}
	print_message("1, 3 and 10 points named %u, %u, %u times; any row in %u runs; %.1f%% of intervals right; %.1f times "
		      "the binomial\n", s.found[0], s.found[1], s.found[2], s.any, 100.0 * s.covered / s.intervals, s.spread);
	return s;
}

static const struct compare_how once = {.again = false};

static void known_change(void **state)
{
	struct behaviour was = program(0.10, 0.5, 0.06, 2), now = changed(was);
	struct score s = repeat(&was, &now, &once, 1);

	(void)state;
	assert_true(s.found[2] >= 99);
	assert_true(s.found[1] >= 99);
	assert_true(s.found[0] >= 30); /* as its power allows */
	assert_true(s.covered >= 0.93 * s.intervals);
}

static void no_change(void **state)
{
	static const double moods[][4] = {
		/* wander, alike, load, busy */
		{0, 0, 0, 1},	     /* by lot alone */
		{0.10, 0.5, 0.06, 2}, /* as above */
		{0.30, 0.8, 0.5, 3},  /* restless */
		{0.50, 0.95, 0.8, 8}, /* with long phases */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(moods) / sizeof(*moods); i++) {
		struct behaviour b = program(moods[i][0], moods[i][1], moods[i][2], moods[i][3]);
		struct score s = repeat(&b, &b, &once, 1000 * (i + 1));

		if (s.any > 5)
			fail_msg("mood %zu: %u of %d runs name a row", i, s.any, REPEAT);
	}
}

/* --- by hand ---------------------------------------------------------------------------- */

struct pair {
	struct profile was, now;
	struct comparison c;
};

/* Seconds of 1000 samples: `samples` of `name` in each, the rest of "rest". */
static void steady(struct profile *p, const char *name, uint64_t samples, unsigned seconds)
{
	assert_int_equal(profile_init(p), 0);
	p->seconds = seconds;
	for (unsigned s = 0; s < seconds; s++) {
		int64_t row = samples ? profile_row(p, name, "/bin/a") : 0, rest = profile_row(p, "rest", "/bin/a");

		assert_true(row >= 0 && rest >= 0);
		add_samples(p, (size_t)row, samples);
		add_samples(p, (size_t)rest, 1000 - samples);
		assert_int_equal(profile_end_block(p, 1, 1000ull * PERIOD), 0);
	}
	assert_int_equal(profile_finish(p), 0);
}

static const struct difference *compared(struct pair *p, const struct compare_how *how, const char *name)
{
	assert_int_equal(compare(&p->was, &p->now, how, &p->c), 0);
	for (size_t i = 0; i < p->c.nr; i++)
		if (!strcmp(compare_either(&p->c, i)->name, name))
			return compare_row(&p->c, i);
	fail_msg("no %s", name);
	return NULL;
}

static void pair_clear(struct pair *p)
{
	compare_clear(&p->c);
	profile_clear(&p->was);
	profile_clear(&p->now);
}

static void new_and_gone(void **state)
{
	const struct difference *d;
	struct pair p;

	(void)state;
	steady(&p.was, "old", 100, 20);
	steady(&p.now, "fresh", 50, 20);
	d = compared(&p, &once, "old");
	assert_int_equal(d->flags & (DIFFERENCE_GONE | DIFFERENCE_NEW | DIFFERENCE_SIGNIFICANT),
			 DIFFERENCE_GONE | DIFFERENCE_SIGNIFICANT);
	assert_null(d->now);
	assert_true(fabs(d->delta + 0.1) < 1e-12 && d->ratio == 0 && d->needs == 0);
	assert_true(d->low < -0.1 && d->high > -0.1 && d->high < 0);
	assert_true(fabs(d->was_rate - 100.0 * PERIOD) < 1 && d->rate == 0);
	compare_clear(&p.c);
	d = compared(&p, &once, "fresh");
	assert_int_equal(d->flags & (DIFFERENCE_GONE | DIFFERENCE_NEW | DIFFERENCE_SIGNIFICANT),
			 DIFFERENCE_NEW | DIFFERENCE_SIGNIFICANT);
	assert_true(isinf(d->ratio) && d->delta > 0);
	assert_false(p.c.rough);
	/* the most that changed comes first */
	assert_string_equal(compare_either(&p.c, 0)->name, "old");
	pair_clear(&p);
}

static void few_samples(void **state)
{
	const struct difference *d;
	struct pair p;

	(void)state;
	/* 0 against 9: never named; against 27: it may be */
	for (unsigned each = 1; each <= 3; each += 2) {
		steady(&p.was, "f", 0, 9);
		steady(&p.now, "f", each, 9);
		d = compared(&p, &once, "f");
		assert_int_equal(d->now->samples, each * 9);
		assert_true(!!(d->flags & DIFFERENCE_SIGNIFICANT) == (each == 3));
		pair_clear(&p);
	}
}

/* What came all at once may come once. */
static void one_burst(void **state)
{
	const struct difference *d;
	struct pair p;

	(void)state;
	steady(&p.was, "f", 0, 20);
	assert_int_equal(profile_init(&p.now), 0);
	p.now.seconds = 20;
	for (unsigned s = 0; s < 20; s++) {
		size_t row = (size_t)profile_row(&p.now, "f", "/bin/a"), rest = (size_t)profile_row(&p.now, "rest", "/bin/a");

		add_samples(&p.now, row, s == 7 ? 600 : 0);
		add_samples(&p.now, rest, s == 7 ? 400 : 1000);
		assert_int_equal(profile_end_block(&p.now, 1, 1000ull * PERIOD), 0);
	}
	assert_int_equal(profile_finish(&p.now), 0);
	d = compared(&p, &once, "f");
	assert_true(d->flags & DIFFERENCE_NEW);
	assert_false(d->flags & DIFFERENCE_SIGNIFICANT);
	assert_true(d->low < 0 && d->high > 0.03 && d->needs > 20 && !isinf(d->needs));
	pair_clear(&p);
}

/* All that was lost may have been the row's. */
static void lost(void **state)
{
	const struct difference *d;
	double width = 0;
	struct pair p;

	(void)state;
	for (int i = 0; i < 2; i++) {
		steady(&p.was, "f", 100, 20);
		steady(&p.now, "f", 112, 20);
		p.now.lost = i ? p.now.weight / 9 : 0; /* a tenth of all */
		d = compared(&p, &once, "f");
		assert_true(!!(d->flags & DIFFERENCE_SIGNIFICANT) == !i);
		if (!i)
			width = d->high - d->low;
		else
			assert_true(fabs(d->high - d->low - width - 0.1) < 1e-9);
		pair_clear(&p);
	}
}

/* Others went away: the share is larger, and the time is what it was. */
static void share_only(void **state)
{
	const struct difference *d;
	struct pair p;

	(void)state;
	steady(&p.was, "f", 100, 20);
	assert_int_equal(profile_init(&p.now), 0);
	p.now.seconds = 20;
	for (unsigned s = 0; s < 20; s++) {
		size_t row = (size_t)profile_row(&p.now, "f", "/bin/a"), rest = (size_t)profile_row(&p.now, "rest", "/bin/a");

		add_samples(&p.now, row, 100);
		add_samples(&p.now, rest, 400);
		assert_int_equal(profile_end_block(&p.now, 1, 500ull * PERIOD), 0);
	}
	assert_int_equal(profile_finish(&p.now), 0);
	d = compared(&p, &once, "f");
	assert_true(d->flags & DIFFERENCE_SIGNIFICANT && d->flags & DIFFERENCE_SHARE_ONLY);
	assert_true(fabs(d->share - 0.2) < 1e-9 && fabs(d->rate - d->was_rate) < 1);
	compare_clear(&p.c);
	d = compared(&p, &once, "rest");
	assert_true(d->flags & DIFFERENCE_SIGNIFICANT && !(d->flags & DIFFERENCE_SHARE_ONLY));
	pair_clear(&p);
}

/* After as many seconds more as it needs it is named, and not after half of them. */
static void seconds_needed(void **state)
{
	const struct difference *d;
	unsigned needs;
	struct pair p;

	(void)state;
	steady(&p.was, "f", 100, 10);
	steady(&p.now, "f", 104, 10);
	d = compared(&p, &once, "f");
	assert_false(d->flags & DIFFERENCE_SIGNIFICANT);
	assert_true(d->needs > 20 && d->needs < 1000);
	needs = (unsigned)ceil(d->needs) + 1;
	pair_clear(&p);
	for (unsigned part = 2; part; part--) {
		steady(&p.was, "f", 100, 10 + needs / part);
		steady(&p.now, "f", 104, 10 + needs / part);
		d = compared(&p, &once, "f");
		assert_true(!!(d->flags & DIFFERENCE_SIGNIFICANT) == (part == 1));
		pair_clear(&p);
	}
	/* a baseline of 10 s is never good enough for that */
	steady(&p.was, "f", 100, 10);
	steady(&p.now, "f", 104, 10);
	d = compared(&p, &(struct compare_how){.growing = true}, "f");
	assert_true(isinf(d->needs));
	pair_clear(&p);
}

/* Whatever has no name yet needs something, also where blocks are few and where it is looked at again. */
static void something_needed(void **state)
{
	static const struct compare_how hows[] = {{.again = false}, {.again = true}, {.again = true, .growing = true}};
	struct behaviour was = program(0.20, 0.3, 0.06, 2), now = changed(was);

	(void)state;
	for (unsigned i = 0; i < 60; i++) {
		struct pair p;

		seed(400 + i);
		run(&was, 5 + i % 8, &p.was);
		run(&now, 5 + i % 5, &p.now);
		assert_int_equal(compare(&p.was, &p.now, &hows[i % 3], &p.c), 0);
		for (size_t r = 0; r < p.c.nr; r++) {
			const struct difference *d = compare_row(&p.c, r);

			assert_true(d->flags & DIFFERENCE_SIGNIFICANT ? d->needs == 0 : d->needs >= 1);
		}
		pair_clear(&p);
	}
}

/* Looked at after every second: once is once too often. */
static void looked_at_again(void **state)
{
	static const struct compare_how how = {.again = true, .growing = true};
	struct behaviour b = program(0.05, 0.3, 0.06, 1);
	unsigned named = 0;

	(void)state;
	for (unsigned run_nr = 0; run_nr < 20; run_nr++) {
		bool any = false;

		for (unsigned seconds = 8; seconds <= 40; seconds += 2) {
			struct pair p;

			seed(7000 + run_nr);
			run(&b, 30, &p.was);
			run(&b, seconds, &p.now);
			assert_int_equal(compare(&p.was, &p.now, &how, &p.c), 0);
			any |= p.c.significant;
			pair_clear(&p);
		}
		named += any;
	}
	assert_true(named <= 1);
}

static void matched(void **state)
{
	static const char *const names[] = {"main", "parse", "render", "wait"};
	struct build_id one = build_id_of("one", 3), two = build_id_of("two", 3);
	struct pair p;

	(void)state;
	assert_int_equal(profile_init(&p.was), 0);
	assert_int_equal(profile_init(&p.now), 0);
	for (int i = 0; i < 4; i++) {
		add_samples(&p.was, (size_t)profile_row(&p.was, names[i], "/opt/app-1"), 100);
		add_samples(&p.now, (size_t)profile_row(&p.now, names[i], "/opt/app-2"), 100);
		add_samples(&p.was, (size_t)profile_row(&p.was, names[i], "/lib/libc.so.6"), 100);
		add_samples(&p.now, (size_t)profile_row(&p.now, names[i], "/usr/lib/libc.so.6"), 100);
	}
	/* one function: a name alone says nothing, a build-id does */
	add_samples(&p.was, (size_t)profile_row(&p.was, "main", "/tmp/a"), 100);
	add_samples(&p.now, (size_t)profile_row(&p.now, "main", "/tmp/b"), 100);
	add_samples(&p.was, (size_t)profile_row(&p.was, "main", "/tmp/c"), 100);
	add_samples(&p.now, (size_t)profile_row(&p.now, "main", "/tmp/d"), 100);
	assert_int_equal(profile_build(&p.was, 8, one) | profile_build(&p.now, 8, one), 0);
	assert_int_equal(profile_build(&p.was, 9, build_id_of("on", 2)) | profile_build(&p.now, 9, two), 0);
	assert_int_equal(profile_end_block(&p.was, 1, 1000ull * PERIOD), 0);
	assert_int_equal(profile_end_block(&p.now, 1, 1000ull * PERIOD), 0);
	assert_int_equal(profile_finish(&p.was), 0);
	assert_int_equal(profile_finish(&p.now), 0);
	assert_int_equal(compare(&p.was, &p.now, &once, &p.c), 0);
	assert_int_equal(p.c.nr, 11);
	assert_true(p.c.rough);
	for (size_t i = 0; i < p.c.nr; i++) {
		const struct difference *d = compare_row(&p.c, i);
		const char *object = difference_row(d)->object;
		bool apart = !strcmp(object, "/tmp/c") || !strcmp(object, "/tmp/d");

		assert_true((!d->was || !d->now) == apart);
		assert_true(apart || !strcmp(d->was->name, d->now->name));
	}
	pair_clear(&p);
}

/* Built anew, with other clones: what is one of one is the same function. */
static void clones(void **state)
{
	static const char *const was[] = {"copy.isra.0", "two.part.0", "two.cold", "a.b", "x.constprop.0", ".cold", "both"};
	static const char *const now[] = {"copy", "two", "a.c", "x.constprop.1.isra.0", ".cold.1", "both", "both.cold"};
	struct pair p;

	(void)state;
	for (unsigned builds = 1; builds <= 2; builds++) {
		unsigned matched_rows = 0;

		assert_int_equal(profile_init(&p.was), 0);
		assert_int_equal(profile_init(&p.now), 0);
		for (int i = 0; i < 7; i++) {
			add_samples(&p.was, (size_t)profile_row(&p.was, was[i], "/bin/a"), 100);
			add_samples(&p.now, (size_t)profile_row(&p.now, now[i], "/bin/a"), 100);
			assert_int_equal(profile_build(&p.was, (size_t)i, build_id_of("one", 3)), 0);
			assert_int_equal(profile_build(&p.now, (size_t)i, build_id_of(builds == 1 ? "one" : "two", 3)), 0);
		}
		assert_int_equal(profile_end_block(&p.was, 1, p.was.weight), 0);
		assert_int_equal(profile_end_block(&p.now, 1, p.now.weight), 0);
		assert_int_equal(profile_finish(&p.was), 0);
		assert_int_equal(profile_finish(&p.now), 0);
		assert_int_equal(compare(&p.was, &p.now, &once, &p.c), 0);
		for (size_t i = 0; i < p.c.nr; i++) {
			const struct difference *d = compare_row(&p.c, i);

			if (!d->was || !d->now)
				continue;
			matched_rows++;
			assert_true(d->now->name[0] == d->was->name[0] && strchr("cxb", d->now->name[0]));
		}
		assert_int_equal(matched_rows, builds == 1 ? 1 : 3);
		pair_clear(&p);
	}
}

static void nothing(void **state)
{
	const struct difference *d;
	struct pair p;

	(void)state;
	assert_int_equal(profile_init(&p.was), 0);
	assert_int_equal(profile_finish(&p.was), 0);
	assert_int_equal(profile_init(&p.now), 0);
	assert_int_equal(profile_finish(&p.now), 0);
	assert_int_equal(compare(&p.was, &p.now, &once, &p.c), 0);
	assert_int_equal(p.c.nr, 0);
	pair_clear(&p);
	/* against nothing there is nothing to say */
	assert_int_equal(profile_init(&p.was), 0);
	assert_int_equal(profile_finish(&p.was), 0);
	steady(&p.now, "f", 300, 20);
	d = compared(&p, &once, "f");
	assert_int_equal(p.c.significant, 0);
	assert_true(d->share > 0.29 && d->was_share == 0 && d->flags & DIFFERENCE_NEW);
	pair_clear(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_change),	   cmocka_unit_test(no_change),	  cmocka_unit_test(new_and_gone),
		cmocka_unit_test(few_samples),	   cmocka_unit_test(one_burst),	  cmocka_unit_test(lost),
		cmocka_unit_test(share_only),	   cmocka_unit_test(seconds_needed), cmocka_unit_test(something_needed),
		cmocka_unit_test(looked_at_again), cmocka_unit_test(matched),	  cmocka_unit_test(clones),	  cmocka_unit_test(nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
