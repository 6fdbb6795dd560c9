/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench_rows [FUNCTIONS [EACH]]: what rows of FUNCTIONS (100000) functions cost the screen's thread.
 *
 * A model gets slices of 100 ms with EACH (a tenth of FUNCTIONS) samples each, of one function after the other, in no
 * order, as a storm brings them; the screen shows the last 5 s.
 *
 *   take      ms to take a slice
 *   refresh   ms to sorted rows of a window that has moved by a second
 *   trends    ms to the trends of 50 of them
 *   key       ms to the same rows once more, as a key that moves the selection asks for them
 *   line      ms to the time line of a row that has just been selected
 *   name      ms to the same window's rows, sorted by name
 *   filter    ms to rows that a filter leaves
 *   left      ms to the trends of the first 50 of these
 *   wider     ms to the rows of 10 s, after those of 5 s
 *   all       ms to the rows of the whole run
 *
 * The median and the most of RUNS, of CPU time.  Rows that are not FUNCTIONS many end it with an error.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "model/rows/rowfilter.h"
#include "model/core/model.h"
#include "tests/manynames.h"
#include "tests/scatter.h"

#define TICK	(100 * NSEC_PER_MSEC)
#define TICKS	10 /* a refresh */
#define WINDOW	(50 * TICK)
#define RUNS	15
#define WARM	10 /* refreshes before */
#define CELLS	100
#define STRIDE	7919u /* functions from one row to the next: neighbours in a slice are none in the dictionary */

static struct session_event event = {.name = "page-faults", .unit = "", .period = 1};
static const struct session_info info = {.host = "bench", .target = "made up", .cpus = 2, .nevents = 1, .events = &event,
					 .live = true};

enum { TAKE, REFRESH, TRENDS, KEY, LINE, NAME, FILTER, LEFT, WIDER, ALL, STAGES };

static const char *const stage[STAGES] = {"take", "refresh", "trends", "key", "line", "name", "filter", "left", "wider", "all"};

static void check(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "bench_rows: %s\n", what);
	exit(1);
}

static void add_slice(struct model *m, uint32_t functions, uint32_t each, uint64_t tick)
{
	struct slice *s = slice_create();

	check(s, "out of memory");
	s->start = tick * TICK;
	s->end = s->start + TICK;
	if (!tick)
		check(manynames_put(s, functions), "out of memory");
	for (uint32_t i = 0; i < each; i++) {
		uint64_t n = tick * each + i;
		struct slice_row *r = slice_add_row(s);
		uint32_t samples = 1 + (scatter(n) % 16 == 0);

		check(r, "out of memory");
		*r = (struct slice_row){.path = 1 + (uint32_t)(n * STRIDE % functions), .task = 1, .cpu = n & 1,
					.samples = samples, .weight = samples};
	}
	check(!model_add(m, s), "out of memory");
}

static double ms_since(uint64_t *began)
{
	uint64_t before = *began;

	*began = clock_read(CLOCK_THREAD_CPUTIME_ID);
	return (double)(*began - before) / 1e6;
}

/* As the screen asks: most are never looked at. */
static const struct rows *rows(struct model *m, const struct query *q, struct window w)
{
	struct query in_part = *q;
	const struct rows *r;

	in_part.in_part = true;
	r = model_rows(m, &in_part, w);

	check(r, "out of memory");
	return r;
}

/* A row's line from the beginning of what is kept, as after a key that selects another one. */
static void line(struct model *m, const struct query *q, uint32_t id, uint64_t now)
{
	double bins[CELLS] = {0};
	uint64_t first = model_first(m);
	const struct timeline_part p = {{first, first + (now - first) / CELLS * CELLS}, 0, now};

	check(model_row_timeline(m, q, id, &p, bins, CELLS) != UINT64_MAX, "no time line");
}

static void run(struct model *m, uint32_t functions, uint32_t each, uint64_t tick, double took[STAGES])
{
	struct query q = {.sort = SORT_SELF, .hide_idle = true, .show_self = true, .in_part = true};
	uint64_t began = clock_read(CLOCK_THREAD_CPUTIME_ID), now = (tick + TICKS) * TICK;
	const struct window w = {now > WINDOW ? now - WINDOW : 0, now}, wider = {now > 2 * WINDOW ? now - 2 * WINDOW : 0, now};
	struct rowfilter *filter;
	struct err err = {0};
	size_t nr;

	for (int i = 0; i < TICKS; i++)
		add_slice(m, functions, each, tick + (unsigned)i);
	took[TAKE] = ms_since(&began) / TICKS;
	nr = rows(m, &q, w)->nr;
	took[REFRESH] = ms_since(&began);
	check(tick < WINDOW / TICK || (uint64_t)each * 50 < functions || nr == functions, "rows are missing");
	check(!model_trends(m, &q, w, nr / 2, 50), "out of memory");
	took[TRENDS] = ms_since(&began);
	nr = model_rows_part(m, &q, w, nr / 2, 1)->id;
	took[KEY] = ms_since(&began);
	line(m, &q, (uint32_t)nr, now);
	took[LINE] = ms_since(&began);
	q.sort = SORT_NAME;
	rows(m, &q, w);
	took[NAME] = ms_since(&began);
	q.sort = SORT_SELF;
	check(!rowfilter_compile("77", &filter, &err), "the filter");
	q.filter = filter;
	began = clock_read(CLOCK_THREAD_CPUTIME_ID);
	rows(m, &q, w);
	took[FILTER] = ms_since(&began);
	check(!model_trends(m, &q, w, 0, 50), "out of memory");
	took[LEFT] = ms_since(&began);
	rowfilter_free(filter);
	q.filter = NULL;
	rows(m, &q, w);
	began = clock_read(CLOCK_THREAD_CPUTIME_ID);
	rows(m, &q, wider);
	took[WIDER] = ms_since(&began);
	rows(m, &q, WINDOW_ALL);
	took[ALL] = ms_since(&began);
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	uint32_t functions = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 100000;
	uint32_t each = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : functions / 10;
	struct model *m = model_create(&info, MODEL_BUDGET);
	double all[STAGES][RUNS];
	struct model_memory memory;

	setlocale(LC_CTYPE, "C.UTF-8"); /* as a terminal's is */
	check(functions && each && m, "usage: bench_rows [FUNCTIONS [EACH]]");
	for (uint64_t i = 0; i < WARM + RUNS; i++) {
		double took[STAGES];

		run(m, functions, each, i * TICKS, took);
		for (int s = 0; s < STAGES && i >= WARM; s++)
			all[s][i - WARM] = took[s];
	}
	model_memory(m, &memory);
	printf("%u functions, %u samples in a slice:", functions, each);
	for (int s = 0; s < STAGES; s++) {
		qsort(all[s], RUNS, sizeof(double), compare_doubles);
		printf(" %s %.1f (%.1f)", stage[s], all[s][RUNS / 2], all[s][RUNS - 1]);
	}
	printf(" ms, %zu MB\n", memory.bytes >> 20);
	model_free(m);
	return 0;
}
