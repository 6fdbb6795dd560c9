/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench_model [SECONDS]: what the front end's thread does with slices.
 *
 * Slices of 100 ms with 100, 2700 and 20000 rows go into a model of the default size; each row is
 * another (task, path), drawn from four times as many paths.  Nine of ten addresses have names, of
 * 400 functions; the others, at most 2000, are functions of their own.  Every tenth slice is
 * followed by the report of the second, as `--json -d 1` makes it.
 *
 *   add     ns a row, all that model_add does: translate, count, keep, merge, forget, collect
 *   report  us an interval's report: rows of functions and tasks, gauges, JSON
 *   total   us the report over the whole run, of all that came in
 *   line    us the time line of one function over all of the history, as its first draw makes it
 *   kB      memory of the model at the end
 *
 * SECONDS: of the session's time, after a tenth of it to warm up; the history is full after some 30
 * at 2700 rows.  The samples of the total are compared with what went in: a difference ends the
 * benchmark with an error.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "report/headless.h"
#include "report/jsonreport.h"
#include "model/core/model.h"
#include "core/slice/slice.h"
#include "tests/scatter.h"

#define TICK	  (100 * NSEC_PER_MSEC)
#define TICKS	  10 /* a report */
#define FUNCTIONS 400
#define NAMELESS  2000
#define OBJECTS	  8
#define PROCESSES 6
#define TASKS	  12
#define CPUS	  2
#define DEPTH	  12 /* frames of a call chain */
#define OTHERS	  (4u << 20) /* bytes that other work touches between two ticks */

static struct session_event event = {.name = "cpu-clock", .unit = "ns", .period = 50000};
static const struct session_info info = {.host = "bench", .target = "made up", .cpus = CPUS,
					 .nevents = 1, .events = &event, .live = true};

static const struct load {
	const char *name;
	uint32_t rows;
	bool chains, storm;
} loads[] = {
	{"100 rows", 100, false, false},
	{"2700 rows", 2700, false, false},
	{"20000 rows", 20000, false, false},
	{"2700, -g", 2700, true, false},
};

struct result {
	double add, report, total, line;
	size_t bytes, functions, out;
};

struct bench {
	const struct load *load;
	struct model *m;
	struct out out;
	uint64_t tick, samples, seed;
	uint32_t npaths;
};

static void check(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "bench_model: %s\n", what);
	exit(1);
}

static void put(struct slice *s, enum dict_kind kind, const void *entry)
{
	check(!slice_upsert(s, kind, entry), "out of memory");
}

static void put_string(struct slice *s, uint32_t id, const char *text)
{
	put(s, DICT_STRING, &(struct dict_string){id, (uint32_t)strlen(text), text});
}

static uint64_t draw(struct bench *b)
{
	return scatter(++b->seed * 0x9e3779b97f4a7c15ull);
}

/* --- what slices are about -------------------------------------------------------------- */

static void put_objects(struct slice *s)
{
	char text[64];

	for (uint32_t i = 1; i <= OBJECTS; i++) {
		snprintf(text, sizeof(text), "/usr/lib/x86_64-linux-gnu/libbench-%u.so.1", i);
		put_string(s, i, text);
		put(s, DICT_OBJECT, &(struct dict_object){.id = i, .name = i, .kind = OBJECT_FILE,
							  .state = OBJECT_READY});
	}
	for (uint32_t i = 1; i <= TASKS; i++) {
		uint32_t pid = 1000 + i % PROCESSES;

		snprintf(text, sizeof(text), "worker-%u", pid);
		put_string(s, 100 + pid, text);
		put(s, DICT_TASK, &(struct dict_task){.id = i, .comm = 100 + pid, .pid = (int)pid,
						      .tid = (int)(2000 + i)});
	}
}

static void put_functions(struct slice *s)
{
	char text[96];

	for (uint32_t i = 1; i <= FUNCTIONS; i++) {
		snprintf(text, sizeof(text), "bench::some_function_%u(std::string const&, int)", i);
		put_string(s, 10000 + i, text);
		put(s, DICT_SYMBOL, &(struct dict_symbol){.id = i, .name = 10000 + i,
							  .object = 1 + i % OBJECTS});
	}
}

/* Frame i, and a path to it: alone, or called through DEPTH - 1 others. */
static void put_path(struct bench *b, struct slice *s, uint32_t i)
{
	bool named = i % 10 || i / 10 > NAMELESS;
	uint32_t symbol = named ? 1 + (uint32_t)(draw(b) % FUNCTIONS) : 0;
	uint32_t parent = 0;

	put(s, DICT_FRAME, &(struct dict_frame){.id = i, .symbol = symbol, .addr = 0x1000 + i * 4,
						.object = 1 + symbol % OBJECTS});
	/* chains branch at the end, as most do: 64 of them up to the last three frames */
	for (uint32_t at = 1; b->load->chains && i > 512 && at < DEPTH; at++)
		parent = at < DEPTH - 3 ? 1 + (i % 64) * 8 + at % 8 : i - at * 37;
	put(s, DICT_PATH, &(struct dict_path){.id = i, .frame = i, .parent = parent < i ? parent : 0});
}

static struct slice *make_slice(struct bench *b)
{
	struct slice *s = slice_create();
	struct slice_account *a;
	uint32_t at = (uint32_t)draw(b) % b->npaths;

	check(s, "out of memory");
	s->start = b->tick++ * TICK;
	s->end = b->tick * TICK;
	if (b->tick == 1) {
		put_objects(s);
		put_functions(s);
		for (uint32_t i = 1; i <= b->npaths; i++)
			put_path(b, s, i);
	}
	for (uint32_t i = 0; i < b->load->rows; i++) {
		struct slice_row *r = slice_add_row(s);

		check(r, "out of memory");
		at = (at + 40503) % b->npaths; /* prime to it: all differ */
		*r = (struct slice_row){.path = 1 + at, .task = 1 + (at + i % 2) % TASKS,
					.cpu = at % CPUS, .samples = 1 + i % 7 / 6,
					.weight = 50000u * (1 + i % 7 / 6)};
		b->samples += r->samples;
	}
	for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
		a = slice_add_account(s);
		check(a, "out of memory");
		*a = (struct slice_account){.cpu = (int16_t)cpu, .counted = TICK, .attributed = TICK,
					    .samples = b->load->rows / CPUS, .exact = true};
	}
	return s;
}

/* --- measuring -------------------------------------------------------------------------- */

/* Between two ticks the CPU does what is measured, and its caches hold that. */
static void others_work(void)
{
	static volatile unsigned char work[OTHERS];

	for (size_t i = 0; i < OTHERS; i += 64)
		work[i]++;
}

static double report(struct bench *b, struct window w, bool total, size_t *len)
{
	struct session_end end = {0};
	struct headless_view v = {.model = b->m, .window = w, .time = 1, .seconds = 1, .end = &end};
	uint64_t start;

	others_work();
	start = clock_read(CLOCK_THREAD_CPUTIME_ID);
	b->out.len = 0;
	if (total)
		json_format.total(&b->out, &v);
	else
		json_format.interval(&b->out, &v);
	check(!b->out.error, "a report failed");
	*len = b->out.len;
	return (double)(clock_read(CLOCK_THREAD_CPUTIME_ID) - start);
}

/* Of the largest row. */
static double row_line(struct bench *b, const struct query *q)
{
	struct window all = {model_first(b->m), model_now(b->m)};
	const struct rows *rows = model_rows(b->m, q, all);
	const struct timeline_part line = {.bins = all, .until = all.to};
	double bins[60] = {0}, sum = 0;
	uint64_t start;

	check(rows && rows->nr, "the history has no rows");
	others_work();
	start = clock_read(CLOCK_THREAD_CPUTIME_ID);
	model_row_timeline(b->m, q, rows->row[0].id, &line, bins, 60);
	start = clock_read(CLOCK_THREAD_CPUTIME_ID) - start;
	for (int i = 0; i < 60; i++)
		sum += bins[i];
	check(fabs(sum - (double)rows->row[0].self) < 1, "the line is not all of its row");
	return (double)start / 1000;
}

static double add_second(struct bench *b)
{
	struct slice *s[TICKS];
	uint64_t start, sum = 0;

	for (int i = 0; i < TICKS; i++)
		s[i] = make_slice(b);
	for (int i = 0; i < TICKS; i++) {
		others_work();
		start = clock_read(CLOCK_THREAD_CPUTIME_ID);
		check(!model_add(b->m, s[i]), "out of memory");
		sum += clock_read(CLOCK_THREAD_CPUTIME_ID) - start;
	}
	return (double)sum;
}

static struct result run(const struct load *load, unsigned seconds)
{
	struct bench b = {.load = load, .m = model_create(&info, 0), .npaths = load->rows * 4};
	const struct query q = {.show_self = true};
	struct result r = {0};
	struct model_memory mem;
	unsigned warm = 1 + seconds / 10;
	const struct rows *rows;

	check(b.m, "out of memory");
	out_init(&b.out, -1, -1);
	for (unsigned i = 0; i < warm; i++)
		add_second(&b);
	for (unsigned i = 0; i < seconds; i++) {
		r.add += add_second(&b);
		r.report += report(&b, (struct window){(b.tick - TICKS) * TICK, b.tick * TICK}, false,
				   &r.out);
	}
	r.total = report(&b, WINDOW_ALL, true, &(size_t){0}) / 1000;
	r.add /= (double)seconds * TICKS * load->rows;
	r.report /= (double)seconds * 1000;
	model_memory(b.m, &mem);
	r.bytes = mem.bytes;
	r.line = row_line(&b, &q);
	rows = model_rows(b.m, &q, WINDOW_ALL);
	check(rows && rows->samples == b.samples, "the total lacks samples");
	r.functions = rows->nr;
	out_clear(&b.out);
	model_free(b.m);
	return r;
}

int main(int argc, char **argv)
{
	unsigned seconds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 20;

	if (!seconds) {
		fprintf(stderr, "usage: bench_model [SECONDS]\n");
		return 2;
	}
	printf("%-12s %9s %10s %9s %9s %9s %10s %8s\n", "a slice", "add ns", "report us", "total us",
	       "line us", "functions", "report B", "kB");
	for (size_t i = 0; i < sizeof(loads) / sizeof(loads[0]); i++) {
		struct result r = run(&loads[i], seconds);

		printf("%-12s %9.1f %10.0f %9.0f %9.0f %9zu %10zu %8zu\n", loads[i].name, r.add, r.report,
		       r.total, r.line, r.functions, r.out, r.bytes / 1024);
	}
	return 0;
}
