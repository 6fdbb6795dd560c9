/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The names of rows that tasks share: of a window and of the whole run, by threads made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "model/core/model.h"
#include "core/slice/slice.h"
#include "tests/synth_dict.h"

#define TASKS 12

struct shared {
	const char *function;
	struct {
		const char *comm, *process;
		int32_t pid, tid;
	} task[TASKS];
	const char *window, *total; /* TASK in a window; in the whole run, NULL: the same */
};

static const struct shared cases[] = {
	{"one", {{"price-1", "shopd", 10, 11}}, "price-1", NULL},
	{"numbered", {{"price-0", "shopd", 10, 11}, {"price-1", "shopd", 10, 12}, {"price-2", "shopd", 10, 13}}, "price-* (3)",
	 "price-*"},
	{"named", {{"price-0", "shopd", 10, 11}, {"logger", "shopd", 10, 14}}, "shopd (2)", "shopd"},
	{"alike", {{"pool", "shopd", 10, 11}, {"pool", "shopd", 10, 12}}, "pool", NULL},
	/* A thread that is called by several names is not several threads. */
	{"renamed", {{"bash", "spin", 20, 20}, {"spin", "spin", 20, 20}}, "spin", NULL},
	{"processes", {{"nginx", "nginx", 30, 30}, {"nginx", "nginx", 31, 31}}, "nginx", NULL},
	{"workers", {{"w-1", "nginx", 30, 32}, {"log", "nginx", 31, 33}, {"nginx", "nginx", 31, 31}}, "nginx (3)", "nginx"},
	{"kernel", {{"kworker/0:1", "kworker/0:1", 40, 40}, {"kworker/1:0", "kworker/1:0", 41, 41}}, "kworker/*:* (2)", "kworker/*:*"},
	{"several", {{"price-0", "shopd", 10, 11}, {"price-1", "shopd", 10, 12}, {"gzip", "gzip", 50, 50}}, "(2)", NULL},
	/* More than the model remembers at once. */
	{"many",
	 {{"p0", "d", 60, 61}, {"p1", "d", 60, 62}, {"p2", "d", 60, 63}, {"p3", "d", 60, 64}, {"p4", "d", 60, 65}, {"p5", "d", 60, 66},
	  {"p6", "d", 60, 67}, {"p7", "d", 60, 68}, {"p8", "d", 60, 69}, {"p9", "d", 60, 70}, {"p10", "d", 60, 71}, {"p11", "d", 60, 72}},
	 "p* (12)", "p*"},
};

#define CASES (sizeof(cases) / sizeof(*cases))

/* All threads of a case run its function, in turn, `rounds` times. */
static void put_case(struct synth_dict *d, struct slice *s, uint32_t object, const struct shared *c, unsigned rounds)
{
	uint32_t symbol = synth_put_symbol(d, s, c->function, object, 0x1000), tasks[TASKS];
	uint32_t path = synth_put_path(d, s, 0, synth_put_frame(d, s, object, symbol, 0x1000, 0));
	unsigned nr = 0;

	for (; nr < TASKS && c->task[nr].comm; nr++) {
		struct dict_task t = {.id = synth_id(d, DICT_TASK), .pid = c->task[nr].pid, .tid = c->task[nr].tid};

		t.comm = synth_put_string(d, s, c->task[nr].comm);
		t.proc_comm = synth_put_string(d, s, c->task[nr].process);
		synth_put(d, s, DICT_TASK, &t);
		tasks[nr] = t.id;
	}
	for (unsigned i = 0; i < nr * rounds; i++)
		*slice_add_row(s) = (struct slice_row){.samples = 1, .weight = 1, .path = path, .task = tasks[i % nr]};
}

static struct model *make(const struct session_info *info)
{
	struct model *m = model_create(info, 1 << 20);
	struct slice *s = slice_create();
	struct synth_dict d = {0};
	struct dict_object o = {.id = synth_id(&d, DICT_OBJECT), .kind = OBJECT_FILE, .state = OBJECT_READY};

	o.name = synth_put_string(&d, s, "prog");
	synth_put(&d, s, DICT_OBJECT, &o);
	for (size_t i = 0; i < CASES; i++)
		put_case(&d, s, o.id, &cases[i], 3);
	assert_false(d.broken);
	s->end = NSEC_PER_SEC;
	assert_int_equal(model_add(m, s), 0);
	synth_dict_clear(&d);
	return m;
}

static const struct row *find(const struct rows *rows, const char *name)
{
	for (size_t i = 0; i < rows->nr; i++)
		if (!strcmp(rows->row[i].name, name))
			return &rows->row[i];
	fail_msg("no row %s", name);
	return NULL;
}

static void test_shared(void **state)
{
	struct session_event event = {.name = "cpu-clock", .unit = "ns"};
	const struct session_info info = {.nevents = 1, .events = &event, .cpus = 1};
	const struct query q = {.group = GROUP_FUNCTION};
	struct model *m = make(&info);
	char task[64];

	(void)state;
	for (size_t i = 0; i < 2 * CASES; i++) {
		const struct shared *c = &cases[i / 2];
		struct window w = i % 2 ? WINDOW_ALL : (struct window){0, NSEC_PER_SEC};

		model_row_task(find(model_rows(m, &q, w), c->function), task, sizeof(task));
		if (strcmp(task, i % 2 && c->total ? c->total : c->window) != 0)
			fail_msg("%s, %s: '%s'", c->function, i % 2 ? "whole run" : "window", task);
	}
	model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_shared)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
