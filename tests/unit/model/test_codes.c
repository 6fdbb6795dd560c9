/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Answers kept, and the heat of functions: it adds up to what the rows say. */
#include "model/rows/codes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/rows/rowfilter.h"
#include "tests/synth.h"
#include "tests/synth_code.h"

static const struct synth_config config = {.functions = 5, .callchains = true, .code = true};

struct stage {
	struct session *session;
	struct model *model;
};

static void advance(struct stage *g, unsigned ticks)
{
	struct slice *s;

	for (; ticks; ticks--) {
		synth_advance(g->session, 1);
		assert_int_equal(session_next(g->session, &s), 0);
		assert_non_null(s);
		assert_int_equal(model_add(g->model, s), 0);
	}
}

static void stage_open(struct stage *g)
{
	g->session = synth_session_create(&config);
	assert_non_null(g->session);
	g->model = model_create(&g->session->info, MODEL_BUDGET);
	assert_non_null(g->model);
	advance(g, 30);
}

static void stage_close(struct stage *g)
{
	model_free(g->model);
	session_close(g->session);
}

static struct row row_of(struct model *m, const struct query *q, struct window w, const char *name)
{
	const struct rows *rows = model_rows(m, q, w);

	assert_non_null(rows);
	for (size_t i = 0; i < rows->nr; i++)
		if (!strcmp(rows->row[i].name, name))
			return rows->row[i];
	fail_msg("no row %s", name);
	return rows->row[0];
}

static void ask(struct stage *g, const struct code_place *place)
{
	struct session_request rq = {.command = SESSION_CODE, .code = place};

	assert_int_equal(g->session->ops->command(g->session, &rq, NULL), 0);
	advance(g, 1);
}

static void place_of(struct stage *g, const char *name, struct window w, struct code_place *place)
{
	struct query q = {.group = GROUP_FUNCTION};
	struct code_place p;

	assert_true(model_code_place(g->model, &q, row_of(g->model, &q, w, name).key, w, &p));
	assert_true(code_place_copy(place, &p));
}

static void test_sums(void **state)
{
	struct window windows[] = {{0, UINT64_MAX}, {500000000, 2000000000}, {0, 2900000000}};
	struct query q = {.group = GROUP_FUNCTION};
	struct code_place place;
	struct stage g;

	(void)state;
	stage_open(&g);
	place_of(&g, "compress_block", WINDOW_ALL, &place);
	assert_string_equal(place.object, "/usr/lib/x86_64-linux-gnu/libz.so.1.2.13");
	assert_int_equal(place.addr, 0x3a10 + synth_code_heat[0]); /* where most samples are */
	ask(&g, &place);
	for (size_t i = 0; i < sizeof(windows) / sizeof(windows[0]); i++) {
		struct row row = row_of(g.model, &q, windows[i], "compress_block");
		const struct code_sheet *s = model_code(g.model, &q, &place, windows[i]);
		uint64_t sum = 0;

		assert_non_null(s);
		assert_non_null(s->code);
		assert_string_equal(s->code->name, "compress_block");
		assert_int_equal(s->nr, SYNTH_CODE_HEATS);
		for (size_t h = 0; h < s->nr; h++) {
			assert_int_equal(s->heat[h].addr, 0x3a10 + synth_code_heat[h]);
			sum += s->heat[h].weight;
		}
		assert_int_equal(sum, s->weight);
		assert_int_equal(s->weight, row.self);
		assert_int_equal(s->samples, row.samples);
		assert_true(s->attributed > s->weight);
		assert_float_equal((double)s->weight / (double)s->attributed, row.self_share, 1e-9);
	}
	code_place_clear(&place);
	stage_close(&g);
}

/* Any place of the function will do, and a place of another function finds nothing. */
static void test_places(void **state)
{
	struct query q = {.group = GROUP_FUNCTION};
	struct code_place place, other;
	struct stage g;

	(void)state;
	stage_open(&g);
	place_of(&g, "compress_block", WINDOW_ALL, &place);
	place_of(&g, "longest_match", WINDOW_ALL, &other);
	assert_null(model_code(g.model, &q, &place, WINDOW_ALL)->code);
	ask(&g, &place);
	place.addr = 0x3a10;
	assert_non_null(model_code(g.model, &q, &place, WINDOW_ALL)->code);
	place.addr = model_code(g.model, &q, &place, WINDOW_ALL)->code->to;
	assert_null(model_code(g.model, &q, &place, WINDOW_ALL)->code);
	assert_null(model_code(g.model, &q, &other, WINDOW_ALL)->code);
	place.addr = 0x3a10;
	memset(place.build_id.bytes, 0xff, 20);
	assert_null(model_code(g.model, &q, &place, WINDOW_ALL)->code);
	assert_int_equal(model_code(g.model, &q, &place, WINDOW_ALL)->nr, 0);
	code_place_clear(&place);
	code_place_clear(&other);
	stage_close(&g);
}

/* Callers only, nothing in the window, the kernel, an address: each has its place. */
static void test_place_of(void **state)
{
	struct query q = {.group = GROUP_FUNCTION};
	struct window later = {1ull << 60, UINT64_MAX - 1};
	struct code_place place;
	struct stage g;

	(void)state;
	stage_open(&g);
	place_of(&g, "do_syscall_64", WINDOW_ALL, &place);
	assert_int_equal(place.kind, OBJECT_KERNEL);
	assert_string_equal(place.object, "[kernel]");
	code_place_clear(&place);
	place_of(&g, "[0x7f21c3a1b0f4]", WINDOW_ALL, &place);
	assert_int_equal(place.kind, OBJECT_ANON);
	assert_int_equal(place.pid, 5000);
	assert_int_equal(model_code(g.model, &q, &place, WINDOW_ALL)->nr, 1);
	place.pid = 1; /* the same address of another process */
	assert_int_equal(model_code(g.model, &q, &place, WINDOW_ALL)->nr, 0);
	code_place_clear(&place);
	assert_true(model_code_place(g.model, &q, row_of(g.model, &q, WINDOW_ALL, "main").key, later,
				     &place));
	assert_int_equal(place.addr, 0x2410);
	assert_false(model_code_place(g.model, &q, 12345, WINDOW_ALL, &place));
	assert_true(model_code_named(g.model, "longest_match", &place));
	assert_int_equal(place.addr, 0x41d0);
	assert_false(model_code_named(g.model, "never_seen", &place));
	stage_close(&g);
}

static void test_filter(void **state)
{
	struct query q = {.group = GROUP_FUNCTION};
	struct rowfilter *none = NULL;
	struct code_place place;
	struct stage g;

	(void)state;
	stage_open(&g);
	place_of(&g, "do_syscall_64", WINDOW_ALL, &place);
	ask(&g, &place);
	q.hide_kernel = true; /* it was asked for */
	assert_true(model_code(g.model, &q, &place, WINDOW_ALL)->weight > 0);
	assert_non_null(model_code(g.model, &q, &place, WINDOW_ALL)->code->why);
	assert_int_equal(rowfilter_compile("task:gzip", &none, NULL), 0);
	q.filter = none; /* clang's */
	assert_int_equal(model_code(g.model, &q, &place, WINDOW_ALL)->weight, 0);
	rowfilter_free(none);
	code_place_clear(&place);
	stage_close(&g);
}

/* The last few are kept; the same asked again takes its own place. */
static void test_bounds(void **state)
{
	struct query q = {.group = GROUP_FUNCTION};
	struct code_place place = {.kind = OBJECT_FILE, .object = (char *)"/opt/app/libextra.so"};
	unsigned found = 0;
	struct stage g;

	(void)state;
	stage_open(&g);
	for (unsigned i = 0; i < 3 * CODES_KEPT; i++) {
		place.addr = 0x100000 + i * 0x1000;
		ask(&g, &place);
		ask(&g, &place);
		assert_non_null(model_code(g.model, &q, &place, WINDOW_ALL)->code);
	}
	for (unsigned i = 0; i < 3 * CODES_KEPT; i++) {
		place.addr = 0x100000 + i * 0x1000;
		found += model_code(g.model, &q, &place, WINDOW_ALL)->code != NULL;
	}
	assert_int_equal(found, CODES_KEPT);
	stage_close(&g);
}

/* An answer of many bytes pushes others out, not itself. */
static void test_bytes(void **state)
{
	struct query q = {.group = GROUP_FUNCTION};
	struct code_place place = {.kind = OBJECT_FILE, .object = (char *)"/big"};
	struct stage g;

	(void)state;
	stage_open(&g);
	for (unsigned i = 0; i < 3; i++) {
		struct slice *s = slice_create();
		struct code *c;

		place.addr = 0x1000000ull * (i + 1);
		c = code_create(&place);
		assert_non_null(c);
		assert_true(code_add_text(c, "x", 1));
		c->texts = realloc(c->texts, CODES_BYTES);
		c->cap_texts = CODES_BYTES;
		assert_int_equal(slice_add_code(s, c), 0);
		s->start = s->end = model_now(g.model);
		assert_int_equal(model_add(g.model, s), 0);
		assert_non_null(model_code(g.model, &q, &place, WINDOW_ALL)->code);
	}
	place.addr = 0x1000000;
	assert_null(model_code(g.model, &q, &place, WINDOW_ALL)->code);
	stage_close(&g);
}

/* Idle time is no part of 100 % where it is none of the rows'. */
static void test_idle(void **state)
{
	static const struct synth_config idle = {.functions = 5, .callchains = true, .code = true, .idle = 10};
	struct query q = {.group = GROUP_FUNCTION, .hide_idle = true};
	struct code_place place;
	struct stage g;

	(void)state;
	g.session = synth_session_create(&idle);
	assert_non_null(g.session);
	g.model = model_create(&g.session->info, MODEL_BUDGET);
	assert_non_null(g.model);
	advance(&g, 30);
	place_of(&g, "compress_block", WINDOW_ALL, &place);
	ask(&g, &place);
	for (int i = 0; i < 2; i++) {
		struct row row = row_of(g.model, &q, WINDOW_ALL, "compress_block");
		const struct code_sheet *s = model_code(g.model, &q, &place, WINDOW_ALL);

		assert_true(s && !s->missing);
		assert_float_equal((double)s->weight / (double)s->attributed, row.self_share, 1e-9);
		q.hide_idle = false;
	}
	code_place_clear(&place);
	stage_close(&g);
}

/* A session of one slice that says of the object with that build-id. */
static struct model *model_of_object(const struct session_info *info, uint8_t kind, const char *name, const char *build)
{
	struct model *m = model_create(info, MODEL_BUDGET);
	struct slice *s = slice_create();
	struct slice_row *r;

	assert_true(m && s);
	assert_int_equal(slice_upsert(s, DICT_STRING, &(struct dict_string){1, (uint32_t)strlen(name), name}), 0);
	assert_int_equal(slice_upsert(s, DICT_OBJECT,
				      &(struct dict_object){.id = 1, .name = 1, .kind = kind, .state = OBJECT_READY,
							    .build_id = build_id_of(build, strlen(build))}),
			 0);
	assert_int_equal(slice_upsert(s, DICT_FRAME, &(struct dict_frame){.id = 1, .object = 1, .addr = 0x3a20}), 0);
	assert_int_equal(slice_upsert(s, DICT_PATH, &(struct dict_path){.id = 1, .frame = 1}), 0);
	r = slice_add_row(s);
	assert_non_null(r);
	*r = (struct slice_row){.path = 1, .samples = 5, .weight = 500};
	s->end = 100000000;
	assert_int_equal(model_add(m, s), 0);
	return m;
}

/* The heat of another window stands beside now's; of another session's only where it is the same code. */
static void test_beside(void **state)
{
	static const struct {
		uint8_t kind;
		const char *name, *build;
		enum code_same same;
	} cases[] = {
		{OBJECT_FILE, "/lib/libz.so", "one", CODE_SAME},
		{OBJECT_FILE, "/lib/libz.so", "two", CODE_OTHER_BUILD},
		{OBJECT_FILE, "/lib/libz.so", "", CODE_UNKNOWN_BUILD},
		{OBJECT_FILE, "/lib/libc.so", "one", CODE_UNMET},
		{OBJECT_KERNEL, "/lib/libz.so", "one", CODE_UNMET},
	};
	struct window was = {500000000, 2000000000};
	struct code_place place, file = {.kind = OBJECT_FILE, .build_id = build_id_of("one", 3), .object = (char *)"/lib/libz.so", .addr = 0x3a20};
	struct query q = {.group = GROUP_FUNCTION};
	const struct code_sheet *now, *beside;
	struct code_heat heat[SYNTH_CODE_HEATS];
	enum code_same same;
	struct stage g;

	(void)state;
	stage_open(&g);
	place_of(&g, "compress_block", WINDOW_ALL, &place);
	ask(&g, &place);
	beside = model_code(g.model, &q, &place, was);
	assert_true(beside && beside->nr == SYNTH_CODE_HEATS);
	memcpy(heat, beside->heat, sizeof(heat));
	now = model_code(g.model, &q, &place, WINDOW_ALL);
	beside = model_code_beside(g.model, &q, g.model, &place, now, was, &same);
	assert_true(beside && same == CODE_SAME && beside->code == now->code && beside->nr == SYNTH_CODE_HEATS);
	assert_memory_equal(beside->heat, heat, sizeof(heat));
	assert_true(now->nr == SYNTH_CODE_HEATS && now->weight > beside->weight && now->heat[0].weight > heat[0].weight);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct model *m = model_of_object(&g.session->info, cases[i].kind, cases[i].name, cases[i].build);

		now = model_code(g.model, &q, &file, WINDOW_ALL);
		beside = model_code_beside(m, &q, g.model, &file, now, WINDOW_ALL, &same);
		assert_true(beside && same == cases[i].same);
		assert_int_equal(beside->nr, same == CODE_SAME);
		assert_int_equal(beside->weight, same == CODE_SAME ? 500 : 0);
		model_free(m);
	}
	/* whatever the addresses are, they are of this boot */
	file.kind = OBJECT_KERNEL;
	beside = model_code_beside(g.model, &q, NULL, &file, model_code(g.model, &q, &file, WINDOW_ALL), WINDOW_ALL, &same);
	assert_true(beside && same == CODE_OF_BOOT && !beside->nr);
	code_place_clear(&place);
	stage_close(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums),   cmocka_unit_test(test_places),
		cmocka_unit_test(test_place_of), cmocka_unit_test(test_filter),
		cmocka_unit_test(test_bounds), cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_beside), cmocka_unit_test(test_idle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
