/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each rule from slices made by hand: when it speaks, what it says, and that it is silent else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/clock.h"
#include "model/judge/explain.h"
#include "tests/hand.h"

#define TICK_NS (100 * NSEC_PER_MSEC)

enum { MAIN = 1, WORK, SYSCALL, ADDRESS, TRUNCATED, FUNCTIONS };

/* Of each tick: ns by function on each of two CPUs, and what else an account says. */
struct scenario {
	uint32_t copied; /* bytes of stacks, with auto */
	uint64_t ns[FUNCTIONS];
	uint64_t idle_cpu; /* 1: CPU 1 has nothing */
	uint64_t lost;
	uint32_t throttles;
	uint64_t off, on; /* of off-cpu and on-cpu */
};

static struct session_event events[3] = {
	{.name = "cpu-clock", .unit = "ns", .period = 1}, {.name = "off-cpu", .unit = "ns", .period = 1},
	{.name = "on-cpu", .unit = "ns", .period = 1},
};
static struct session_info info = {.nevents = 3, .events = events, .live = true, .cpus = 2};
static struct explain_line line[EXPLAIN_MOST];
static size_t nr;

static uint32_t add_string(struct slice *s, uint32_t id, const char *text)
{
	struct dict_string e = {.id = id, .len = (uint32_t)strlen(text), .text = text};

	assert_int_equal(slice_upsert(s, DICT_STRING, &e), 0);
	return id;
}

static void add_names(struct slice *s)
{
	static const char *const names[FUNCTIONS] = {"", "main", "work", "sys_read", "", "[truncated]"};
	static const uint32_t objects[FUNCTIONS] = {0, 1, 1, 2, 3, 1}, parents[FUNCTIONS] = {0, 0, MAIN, 0, TRUNCATED, 0};

	const struct dict_object of[] = {
		{.id = 1, .name = add_string(s, 11, "/usr/bin/app"), .state = OBJECT_READY},
		{.id = 2, .name = add_string(s, 12, "[kernel]"), .kind = OBJECT_KERNEL, .state = OBJECT_READY},
		{.id = 3, .name = add_string(s, 13, "/opt/blob.so"), .why = add_string(s, 14, "no symbols are in it"),
		 .state = OBJECT_NAMELESS},
	};
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(slice_upsert(s, DICT_OBJECT, &of[i]), 0);
	assert_int_equal(slice_upsert(s, DICT_TASK, &(struct dict_task){.id = 1, .pid = 42, .tid = 42, .comm = 11,
									.proc_comm = 11}), 0);
	for (uint32_t i = MAIN; i < FUNCTIONS; i++) {
		struct dict_symbol y = {.id = i, .object = objects[i], .addr = i * 4096, .size = 64};
		struct dict_frame f = {.id = i, .object = objects[i], .symbol = i == ADDRESS ? 0 : i, .addr = i * 4096};
		struct dict_path p = {.id = i, .frame = i};

		if (i != ADDRESS) {
			y.name = add_string(s, 20 + i, names[i]);
			assert_int_equal(slice_upsert(s, DICT_SYMBOL, &y), 0);
		}
		f.flags = i == SYSCALL ? FRAME_KERNEL : 0;
		assert_int_equal(slice_upsert(s, DICT_FRAME, &f), 0);
		p.parent = 0;
		assert_int_equal(slice_upsert(s, DICT_PATH, &p), 0);
	}
	for (uint32_t i = MAIN; i < FUNCTIONS; i++)
		assert_int_equal(slice_upsert(s, DICT_PATH, &(struct dict_path){.id = FUNCTIONS + i, .frame = i,
										.parent = parents[i]}), 0);
}

static void add_row(struct slice *s, uint16_t event, int16_t cpu, uint32_t path, uint64_t ns)
{
	if (ns)
		*slice_add_row(s) = (struct slice_row){.event = event, .cpu = (uint16_t)cpu, .path = path, .task = 1,
						       .samples = (uint32_t)(ns / NSEC_PER_MSEC), .weight = ns};
}

static void add_account(struct slice *s, uint16_t event, int16_t cpu, uint64_t ns, const struct scenario *of)
{
	struct slice_account *a = slice_add_account(s);

	a->event = event;
	a->cpu = cpu;
	a->exact = true;
	a->attributed = ns;
	a->samples = ns / NSEC_PER_MSEC;
	a->lost[LOST_OVERWRITTEN] = event ? 0 : of->lost;
	a->lost_samples[LOST_OVERWRITTEN] = event ? 0 : of->lost / NSEC_PER_MSEC;
	a->throttles = event ? 0 : of->throttles;
	a->counted = ns + a->lost[LOST_OVERWRITTEN];
}

static void tick(struct model *m, const struct scenario *of)
{
	struct slice *s = slice_create();

	s->start = model_now(m);
	s->end = s->start + TICK_NS;
	if (!s->start)
		add_names(s);
	for (int16_t cpu = 0; cpu < 2; cpu++) {
		uint64_t sum = 0;

		for (uint32_t i = MAIN; i < FUNCTIONS && !(cpu && of->idle_cpu); i++) {
			add_row(s, 0, cpu, FUNCTIONS + i, of->ns[i] * NSEC_PER_MSEC);
			sum += of->ns[i] * NSEC_PER_MSEC;
		}
		add_account(s, 0, cpu, sum, of);
		add_row(s, 1, cpu, WORK, of->off * NSEC_PER_MSEC);
		add_account(s, 1, cpu, of->off * NSEC_PER_MSEC, of);
		add_row(s, 2, cpu, WORK, of->on * NSEC_PER_MSEC);
		add_account(s, 2, cpu, of->on * NSEC_PER_MSEC, of);
	}
	s->self.unwind.auto_stack = of->copied;
	assert_int_equal(model_add(m, s), 0);
}

static void after(const struct scenario *of, unsigned ticks, const struct scenario *then, unsigned more)
{
	struct model *m = model_create(&info, MODEL_BUDGET);
	const struct query q = {.hide_idle = true};

	while (ticks--)
		tick(m, of);
	while (more--)
		tick(m, then);
	nr = explain(m, &q, WINDOW_ALL, line);
	assert_in_range(nr, 1, EXPLAIN_MOST);
	model_free(m);
}

static const struct explain_line *of_rule(const char *rule)
{
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(line[i].rule, rule))
			return &line[i];
	return NULL;
}

/* A value of a rule's line; NAN: it has none of that name. */
static double value_of(const char *rule, const char *name)
{
	const struct explain_line *l = of_rule(rule);

	for (unsigned i = 0; l && i < l->nvalues; i++)
		if (!strcmp(l->value[i].name, name))
			return l->value[i].value;
	return NAN;
}

static void says(const char *rule, const char *text, bool warns)
{
	const struct explain_line *l = of_rule(rule);

	if (!l)
		fail_msg("nothing is said of %s", rule);
	assert_string_equal(l->text, text);
	assert_int_equal(l->warns, warns);
	assert_true(l->nvalues > 0);
}

static void silent(const char *rule)
{
	if (of_rule(rule))
		fail_msg("%s says: %s", rule, of_rule(rule)->text);
}

/* A calm half-busy machine: where the time goes, that nothing changed, and nothing else. */
static void test_calm(void **state)
{
	const struct scenario calm = {.ns = {[MAIN] = 10, [WORK] = 40}};

	(void)state;
	info.call_graph[0] = '\0';
	after(&calm, 60, NULL, 0);
	assert_int_equal(nr, 3);
	says("used", "It uses 1.0 of 2 CPUs: 6.0 s of CPU time in 6.0 s (6.00k samples).", false);
	says("hottest", "work (app) has 80.0% of the time (4.80k samples), then main (app) 20.0% (1.20k).", false);
	assert_true(fabs(value_of("hottest", "share") - 0.8) < 0.01 && value_of("hottest", "samples") == 4800);
	says("changes", "Nothing changed by more than chance from the first half to the second (3.0 s): no function by more than "
			"2.0 points (95%; 3000 samples, were 3000).", false);
}

static void test_empty(void **state)
{
	const struct scenario nothing = {.lost = 0};

	(void)state;
	after(&nothing, 20, NULL, 0);
	assert_int_equal(nr, 1);
	says("empty", "Nothing was sampled in these 2.0 s: the target did not run, or the event did not occur.", true);
}

static void test_lost(void **state)
{
	const struct scenario lossy = {.ns = {[WORK] = 40}, .lost = 10 * NSEC_PER_MSEC, .throttles = 3};

	(void)state;
	after(&lossy, 10, NULL, 0);
	says("lost", "20.0% of the counted events have no sample (200 lost): shares may be off by as much.", true);
	says("throttled", "The kernel throttled the event 60 times: lower -F or raise -c.", true);
	assert_string_equal(line[0].rule, "lost");
	assert_string_equal(line[0].key, "6 Buffers");
}

static void test_kernel(void **state)
{
	struct scenario kernel = {.ns = {[WORK] = 30, [SYSCALL] = 30}};

	(void)state;
	after(&kernel, 10, NULL, 0);
	says("kernel", "The kernel has 50% of the time that is not idle (600 samples, 600 ms of 1.2 s).", false);
	kernel.ns[SYSCALL] = 10;
	after(&kernel, 10, NULL, 0);
	silent("kernel");
}

static void test_saturated(void **state)
{
	struct scenario full = {.ns = {[WORK] = 100}};

	(void)state;
	after(&full, 10, NULL, 0);
	says("saturated", "The CPUs are busy: 100% on average of 2.", false);
	full.idle_cpu = 1;
	after(&full, 10, NULL, 0);
	says("saturated", "CPU 0 is busy 100% of the time (1.00k samples), all 2 on average 50%: one CPU is the bottleneck.", false);
	full.ns[WORK] = 90;
	after(&full, 10, NULL, 0);
	silent("saturated");
}

static void test_nameless(void **state)
{
	struct scenario blob = {.ns = {[WORK] = 40, [ADDRESS] = 10}};

	(void)state;
	after(&blob, 10, NULL, 0);
	says("nameless", "20% of the time (200 samples) is in blob.so, where functions have no names: no symbols are in it.", true);
	blob.ns[ADDRESS] = 60;
	after(&blob, 10, NULL, 0);
	says("hottest", "Of functions with names, work (app) has 40.0% of the time (800 samples).", false);
	blob.ns[WORK] = 0;
	after(&blob, 10, NULL, 0);
	says("hottest", "The hottest function cannot be determined: no function has a name.", false);
	blob.ns[WORK] = 40;
	blob.ns[ADDRESS] = 1;
	after(&blob, 10, NULL, 0);
	silent("nameless");
}

static void test_paths(void **state)
{
	struct scenario deep = {.ns = {[MAIN] = 5, [WORK] = 45, [ADDRESS] = 10}};

	(void)state;
	snprintf(info.call_graph, sizeof(info.call_graph), "fp");
	after(&deep, 10, NULL, 0);
	says("path", "The hottest path has 75.0% (900 samples): main > work.", false);
	says("cut-paths", "17% of the time (of 1.20k samples) has call paths that are cut short: programs without frame pointers; try "
			  "--call-graph dwarf.", true);
	snprintf(info.call_graph, sizeof(info.call_graph), "dwarf, 8192 bytes");
	after(&deep, 10, NULL, 0);
	assert_non_null(strstr(of_rule("cut-paths")->text, "try --call-graph dwarf,BYTES."));
	snprintf(info.call_graph, sizeof(info.call_graph), "auto");
	after(&deep, 10, NULL, 0);
	assert_non_null(strstr(of_rule("cut-paths")->text, "try --call-graph dwarf."));
	deep.copied = 1024;
	after(&deep, 10, NULL, 0);
	assert_non_null(strstr(of_rule("cut-paths")->text, "try --call-graph dwarf,BYTES."));
	deep.ns[ADDRESS] = 1;
	after(&deep, 10, NULL, 0);
	silent("cut-paths");
	info.call_graph[0] = '\0';
	after(&deep, 10, NULL, 0);
	silent("path");
}

/* Most paths by frame pointers end after one function where code keeps none; copies of stacks would tell. */
static void test_one_function(void **state)
{
	struct scenario flat = {.ns = {[MAIN] = 40, [WORK] = 10}};

	(void)state;
	snprintf(info.call_graph, sizeof(info.call_graph), "fp");
	after(&flat, 10, NULL, 0);
	says("cut-paths", "80% of the time (of 1.00k samples) has call paths that end after one function: programs without frame pointers; try "
			  "--call-graph dwarf.", true);
	snprintf(info.call_graph, sizeof(info.call_graph), "dwarf, 8192 bytes");
	after(&flat, 10, NULL, 0);
	silent("cut-paths");
	snprintf(info.call_graph, sizeof(info.call_graph), "fp");
	flat.ns[WORK] = 60;
	after(&flat, 10, NULL, 0);
	silent("cut-paths");
	info.call_graph[0] = '\0';
}

static void test_off_cpu(void **state)
{
	struct scenario waits = {.ns = {[WORK] = 40}, .off = 75, .on = 25};

	(void)state;
	after(&waits, 10, NULL, 0);
	says("off-cpu", "Threads wait 75% of their time (1.5 s). Most of it (100%, 1.50k waits) is in work.", false);
	waits.off = 0;
	after(&waits, 10, NULL, 0);
	silent("off-cpu");
}

static void test_changes(void **state)
{
	const struct scenario was = {.ns = {[MAIN] = 10, [WORK] = 40}}, now = {.ns = {[MAIN] = 25, [WORK] = 25}};

	(void)state;
	after(&was, 100, &now, 100);
	assert_non_null(of_rule("changes"));
	assert_non_null(strstr(of_rule("changes")->text, "from the first half to the second (10 s): "));
	assert_non_null(strstr(of_rule("changes")->text, "main +30.0 points (95%: +"));
	assert_non_null(strstr(of_rule("changes")->text, "work -30.0 points (95%: -"));
	after(&was, 15, &now, 15);
	silent("changes"); /* a second and a half tells nothing */
}

/*
 * The rows that changed are named, and no others, whatever order rows lie in: most of a hundred functions have too few
 * samples to be judged, and one comes that was not there.
 */
static void test_known_change(void **state)
{
	static const char *const movers[] = {"hotA@/bin/tog", "hotB@/bin/tog", "hotC@/bin/tog"};
	static const uint32_t ms[2][3] = {{65, 28, 0}, {38, 28, 27}}; /* ms of each in ticks of 93 ms; 7 of others */
	const struct query q = {.hide_idle = true};
	struct hand h;
	char name[40];

	(void)state;
	hand_begin(&h, 1);
	for (unsigned tick = 0; tick < 200; tick++) {
		uint32_t task = hand_task(&h, "tog", 42, 42, NULL);

		for (unsigned i = 0; i < 7; i++) {
			snprintf(name, sizeof(name), "rare%u@/bin/tog", tick * 7 % 100 + i);
			hand_add(&h, &(struct hand_row){.task = task, .path = hand_path(&h, name), .samples = 1, .ns = 1000000});
		}
		for (size_t i = 0; i < 3; i++)
			if (ms[tick >= 100][i])
				hand_add(&h, &(struct hand_row){.task = task, .path = hand_path(&h, movers[i]),
								.samples = ms[tick >= 100][i],
								.ns = ms[tick >= 100][i] * 1000000ull});
		hand_end(&h);
	}
	nr = explain(h.m, &q, WINDOW_ALL, line);
	assert_non_null(of_rule("changes"));
	assert_non_null(strstr(of_rule("changes")->text, "hotA -27.0 points (95%: -"));
	assert_non_null(strstr(of_rule("changes")->text, "hotC +27.0 points (95%: +"));
	assert_null(strstr(of_rule("changes")->text, "hotB"));
	assert_null(strstr(of_rule("changes")->text, "rare"));
	assert_true(value_of("changes", "significant") == 2);
	assert_true(fabs(fabs(value_of("changes", "delta")) - 0.27) < 1e-9);
	assert_true(value_of("changes", "low") < value_of("changes", "delta"));
	assert_true(value_of("changes", "high") > value_of("changes", "delta"));
	hand_free(&h);
}

/* --- a change at a known moment ------------------------------------------------------------- */

#define PART_A	  700 /* samples of 1000, before */
#define PART_B	  300
#define RUNS	  200 /* runs without a change; one in a hundred may name something */
#define SURE	  5   /* seconds that a side of it takes to be named */
#define PART_LESS 430 /* samples of hotA, from the moment on: hotC has what it had more */

static uint32_t lot_state;

/* A number below 1000, the same row of them in every run. */
static uint32_t lot(void)
{
	lot_state = lot_state * 1664525 + 1013904223;
	return (uint32_t)((uint64_t)lot_state * 1000 >> 32);
}

/* A program whose samples are drawn by lot: 1000 a second, of three functions whose parts change at a moment. */
static void changing(struct hand *h, unsigned ticks, unsigned moment)
{
	hand_begin(h, 1);
	lot_state = 1 + moment;
	for (unsigned tick = 0; tick < ticks; tick++) {
		static const char *const names[] = {"hotA@/bin/tog", "hotB@/bin/tog", "hotC@/bin/tog"};
		uint32_t task = hand_task(h, "tog", 42, 42, NULL), nr_of[3] = {0};

		for (int i = 0; i < 100; i++) {
			uint32_t x = lot();

			nr_of[x >= PART_A ? 1 : tick >= moment && x >= PART_LESS ? 2 : 0]++;
		}
		for (size_t i = 0; i < 3; i++)
			if (nr_of[i])
				hand_add(h, &(struct hand_row){.task = task, .path = hand_path(h, names[i]), .samples = nr_of[i],
							       .ns = nr_of[i] * 1000000ull});
		hand_end(h);
	}
}

/* Both of the two that changed are named, or at least one is. */
static void named_at(double moment, bool both)
{
	const char *text = of_rule("changes")->text;
	double delta = fabs(value_of("changes", "delta")), at = value_of("changes", "at");

	bool less = strstr(text, "hotA -"), more = strstr(text, "hotC +");

	if (!(both ? less && more : less || more) || strstr(text, "hotB"))
		fail_msg("changed at %.1f s: %s", moment, text);
	if ((both && value_of("changes", "significant") != 2) || delta < 0.22 || delta > 0.32)
		fail_msg("changed at %.1f s: a delta of %f: %s", moment, delta, text);
	if (!isnan(at) && fabs(at - moment) > 1.01)
		fail_msg("changed at %.1f s, said to be at %f: %s", moment, at, text);
}

/*
 * A change of 27 points, wherever in the stretch it comes, in the middle of a second or not, is named with its size, or
 * where one side of it is too short, it is said that this cannot be told.  It is never said that nothing changed.
 */
static void test_moments(void **state)
{
	const struct query q = {.hide_idle = true};

	(void)state;
	for (unsigned seconds = 8; seconds <= 40; seconds = seconds * 9 / 4)
		for (unsigned half = 2; half < 2 * seconds - 1; half++) {
			struct hand h;

			changing(&h, 10 * seconds, 5 * half);
			/* The last half of it, whose other half is before it and which may be looked at again; and all of it. */
			for (int all = 0; all < 2; all++) {
				struct window w = {seconds / 2 * NSEC_PER_SEC, seconds * NSEC_PER_SEC};

				nr = explain(h.m, &q, all ? WINDOW_ALL : w, line);
				assert_non_null(of_rule("changes"));
				if (half >= 2 * SURE && half <= 2 * (seconds - SURE))
					named_at(half / 2.0, all);
				else if (strncmp(of_rule("changes")->text, "Cannot tell", 11) != 0)
					named_at(half / 2.0, false);
			}
			hand_free(&h);
		}
}

/* A restless one: its parts are others in each half a second or so, and are the same on average. */
static void restless(struct hand *h, unsigned ticks, unsigned seed, unsigned swing)
{
	uint32_t part = PART_A;

	hand_begin(h, 1);
	lot_state = seed;
	for (unsigned tick = 0; tick < ticks; tick++) {
		uint32_t task = hand_task(h, "tog", 42, 42, NULL), a = 0;

		if (swing && lot() < 200)
			part = PART_B + lot() % swing;
		for (int i = 0; i < 100; i++)
			a += lot() < part;
		if (a)
			hand_add(h, &(struct hand_row){.task = task, .path = hand_path(h, "hotA@/bin/tog"), .samples = a,
						       .ns = a * 1000000ull});
		if (a < 100)
			hand_add(h, &(struct hand_row){.task = task, .path = hand_path(h, "hotB@/bin/tog"), .samples = 100 - a,
						       .ns = (100 - a) * 1000000ull});
		hand_end(h);
	}
}

/* The rate of false ones that is promised holds although the moment that separates best was looked for. */
static void test_false_moments(void **state)
{
	const struct query q = {.hide_idle = true};
	unsigned named[2] = {0};

	(void)state;
	for (unsigned run = 0; run < 2 * RUNS; run++) {
		struct hand h;

		restless(&h, 200, 77 + run, run < RUNS ? 0 : 400);
		nr = explain(h.m, &q, WINDOW_ALL, line);
		named[run >= RUNS] += value_of("changes", "significant") > 0;
		hand_free(&h);
	}
	print_message("of %d runs %u calm ones and %u restless ones name something\n", RUNS, named[0], named[1]);
	assert_in_range(named[0], 0, RUNS / 40);
	assert_in_range(named[1], 0, RUNS / 40);
}

/* Without a change nothing is named, and how much may have changed is said; of few samples it cannot be told. */
static void test_no_moment(void **state)
{
	const struct query q = {.hide_idle = true};
	struct hand h;

	(void)state;
	changing(&h, 400, 400);
	nr = explain(h.m, &q, WINDOW_ALL, line);
	assert_true(!strncmp(of_rule("changes")->text, "Nothing changed by more than chance", 35));
	assert_true(value_of("changes", "significant") == 0 && value_of("changes", "reach") < EXPLAIN_WORTH);
	nr = explain(h.m, &q, (struct window){36 * NSEC_PER_SEC, 40 * NSEC_PER_SEC}, line);
	assert_non_null(of_rule("changes"));
	hand_free(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_calm),	 cmocka_unit_test(test_empty),	   cmocka_unit_test(test_lost),
		cmocka_unit_test(test_kernel),	 cmocka_unit_test(test_saturated), cmocka_unit_test(test_nameless),
		cmocka_unit_test(test_paths), cmocka_unit_test(test_one_function),	 cmocka_unit_test(test_off_cpu),   cmocka_unit_test(test_changes),
		cmocka_unit_test(test_known_change), cmocka_unit_test(test_moments), cmocka_unit_test(test_no_moment),
		cmocka_unit_test(test_false_moments),
	};

	setenv("TZ", "UTC", 1);
	tzset();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
