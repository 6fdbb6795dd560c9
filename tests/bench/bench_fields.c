/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench_fields [KEYS [EACH]]: what the Fields view costs where an event has KEYS (100000) values (--by).
 *
 * A model gets slices of 100 ms with EACH (KEYS) of them each, as a storm brings them that has no value twice, one after
 * the other; the screen shows the last 5 s.
 *
 *   take      ms to take a slice
 *   slice     ms to sorted rows, when a slice has come
 *   sort      ms to rows sorted by their keys, and nothing has come
 *   filter    ms to rows that a filter leaves
 *   again     ms to the same rows once more, as a key that moves the selection asks for them
 *
 * The median of RUNS, of CPU time, and the most memory.  Rows that are not KEYS many end it with an error.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "model/fields/fieldquery.h"
#include "model/rows/rowfilter.h"
#include "model/core/model.h"
#include "core/slice/slice.h"

#define TICK	(100 * NSEC_PER_MSEC)
#define WINDOW	(50 * TICK)
#define RUNS	15

static struct session_event event = {.name = "raw_syscalls:sys_enter", .unit = "", .period = 1, .by = "args[0]", .by_kinds = "n"};
static const struct session_info info = {.host = "bench", .target = "made up", .cpus = 2, .nevents = 1, .events = &event,
					 .live = true};

enum { TAKE, SLICE, SORT, FILTER, AGAIN, STAGES };

static void check(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "bench_fields: %s\n", what);
	exit(1);
}

static struct slice *make_slice(uint32_t keys, uint32_t each, uint64_t tick)
{
	struct slice *s = slice_create();

	check(s, "out of memory");
	s->start = tick * TICK;
	s->end = s->start + TICK;
	for (uint32_t i = 0; i < each; i++) {
		struct slice_field *f = slice_add_field(s);

		check(f, "out of memory");
		snprintf(f->key, sizeof(f->key), "%u", (uint32_t)((tick * each + i) % keys) + 1);
		f->count = f->sum = 1 + i % 7;
		f->min = f->max = f->hist[1] = 1;
	}
	s->nfields = slice_fields_fold(s->fields, s->nfields);
	return s;
}

static double ms_since(uint64_t *began)
{
	uint64_t before = *began;

	*began = clock_read(CLOCK_THREAD_CPUTIME_ID);
	return (double)(*began - before) / 1e6;
}

static size_t rows(struct model *m, const struct field_query *q, uint64_t tick)
{
	uint64_t now = (tick + 1) * TICK;
	const struct field_rows *r = model_fields(m, q, (struct window){now > WINDOW ? now - WINDOW : 0, now});

	check(r, "out of memory");
	return r->nr;
}

static void run(struct model *m, uint32_t keys, uint32_t each, uint64_t tick, double took[STAGES])
{
	struct field_query q = {.by = FIELDS_NEWEST, .sort = SORT_COUNT};
	struct slice *s = make_slice(keys, each, tick);
	struct err err = {0};
	uint64_t began = clock_read(CLOCK_THREAD_CPUTIME_ID);
	struct rowfilter *filter;
	size_t nr;

	check(!model_add(m, s), "out of memory");
	took[TAKE] = ms_since(&began);
	nr = rows(m, &q, tick);
	took[SLICE] = ms_since(&began);
	q.sort = SORT_KEY;
	rows(m, &q, tick);
	took[SORT] = ms_since(&began);
	check(!rowfilter_compile_keys("77", event.by, &filter, &err), "the filter");
	q.filter = filter;
	rows(m, &q, tick);
	took[FILTER] = ms_since(&began);
	rows(m, &q, tick);
	took[AGAIN] = ms_since(&began);
	rowfilter_free(filter);
	check(tick < 50 || nr == keys, "rows are missing");
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	uint32_t keys = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 100000;
	uint32_t each = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : keys;
	struct model *m = model_create(&info, MODEL_BUDGET);
	double all[STAGES][RUNS];
	struct rusage used;

	setlocale(LC_CTYPE, "C.UTF-8"); /* as a terminal's is */
	check(keys && each && m, "usage: bench_fields [KEYS [EACH]]");
	for (uint64_t tick = 0; tick < 60 + RUNS; tick++) {
		double took[STAGES];

		run(m, keys, each, tick, took);
		for (int s = 0; s < STAGES && tick >= 60; s++)
			all[s][tick - 60] = took[s];
	}
	for (int s = 0; s < STAGES; s++)
		qsort(all[s], RUNS, sizeof(double), compare_doubles);
	getrusage(RUSAGE_SELF, &used);
	printf("%u keys, %u in a slice: take %.1f ms; rows: slice %.1f ms, sort %.1f ms, filter %.1f ms, again %.3f ms; %ld MB\n", keys,
	       each, all[TAKE][RUNS / 2], all[SLICE][RUNS / 2], all[SORT][RUNS / 2], all[FILTER][RUNS / 2],
	       all[AGAIN][RUNS / 2], used.ru_maxrss >> 10);
	model_free(m);
	return 0;
}
