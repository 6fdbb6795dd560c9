/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench_compare [FUNCTIONS [SECONDS]]: what the key that compares costs.
 *
 * A model of FUNCTIONS (100000) named functions gets two windows of SECONDS (10), in slices of 100 ms, in which each
 * function is met; one is the baseline, the other is now.
 *
 *   baseline  ms to take the one, when the key is hit
 *   now       ms to take the other
 *   compare   ms from there to sorted rows
 *   key       ms of all three: from the key to what the screen draws
 *
 * The median of RUNS, of CPU time.  Rows that are not FUNCTIONS many end it with an error.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "model/compare/compare.h"
#include "model/core/model.h"
#include "tests/manynames.h"
#include "tests/scatter.h"

#define TICK	(100 * NSEC_PER_MSEC)
#define RUNS	9

static struct session_event event = {.name = "cpu-clock", .unit = "ns", .period = 1000000};
static const struct session_info info = {.host = "bench", .target = "made up", .cpus = 2, .nevents = 1, .events = &event,
					 .live = true};

enum { BASELINE, NOW, COMPARE, KEY, STAGES };

static void check(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "bench_compare: %s\n", what);
	exit(1);
}

static void add_slice(struct model *m, uint32_t functions, uint64_t tick, uint32_t ticks)
{
	struct slice *s = slice_create();
	uint32_t each = (functions + ticks - 1) / ticks;

	check(s, "out of memory");
	s->start = tick * TICK;
	s->end = s->start + TICK;
	if (!tick)
		check(manynames_put(s, functions), "out of memory");
	for (uint32_t i = 0; i < each; i++) {
		struct slice_row *r = slice_add_row(s);
		uint32_t samples = 1 + (uint32_t)(scatter(tick * each + i) % 4);

		check(r, "out of memory");
		*r = (struct slice_row){.path = 1 + (uint32_t)((tick * each + i) % functions), .task = 1,
					.samples = samples, .weight = samples * event.period};
	}
	check(!model_add(m, s), "out of memory");
}

static double ms_since(uint64_t *began)
{
	uint64_t before = *began;

	*began = clock_read(CLOCK_THREAD_CPUTIME_ID);
	return (double)(*began - before) / 1e6;
}

static void run(struct model *m, uint32_t functions, uint32_t ticks, double took[STAGES])
{
	const struct query q = {.show_self = true};
	const struct compare_how how = {.again = true, .growing = true};
	struct comparison c;
	struct profile was, now;
	uint64_t began = clock_read(CLOCK_THREAD_CPUTIME_ID);

	check(!profile_take(m, &q, (struct window){0, ticks * TICK}, &was), "out of memory");
	took[BASELINE] = ms_since(&began);
	check(!profile_take(m, &q, (struct window){ticks * TICK, 2 * ticks * TICK}, &now), "out of memory");
	took[NOW] = ms_since(&began);
	check(!compare(&was, &now, &how, &c), "out of memory");
	took[COMPARE] = ms_since(&began);
	took[KEY] = took[BASELINE] + took[NOW] + took[COMPARE];
	check(c.nr == functions, "the comparison lacks rows");
	compare_clear(&c);
	profile_clear(&was);
	profile_clear(&now);
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	uint32_t functions = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 100000;
	uint32_t ticks = 10 * (argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 10);
	struct model *m = model_create(&info, 1ull << 30);
	double all[STAGES][RUNS];

	check(functions && ticks && m, "usage: bench_compare [FUNCTIONS [SECONDS]]");
	for (uint32_t tick = 0; tick < 2 * ticks; tick++)
		add_slice(m, functions, tick, ticks);
	for (int i = 0; i < RUNS; i++) {
		double took[STAGES];

		run(m, functions, ticks, took);
		for (int s = 0; s < STAGES; s++)
			all[s][i] = took[s];
	}
	for (int s = 0; s < STAGES; s++)
		qsort(all[s], RUNS, sizeof(double), compare_doubles);
	printf("compare %u functions: baseline %.1f ms, now %.1f ms, compare %.1f ms: key %.1f ms\n", functions,
	       all[BASELINE][RUNS / 2], all[NOW][RUNS / 2], all[COMPARE][RUNS / 2], all[KEY][RUNS / 2]);
	model_free(m);
	return 0;
}
