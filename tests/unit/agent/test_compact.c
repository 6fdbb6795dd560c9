/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A model is told the same by a session's slices and by what thin makes of them. */
#include "link/agent/compact.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "link/agent/recentcode.h"
#include "model/rows/codes.h"
#include "model/core/model.h"
#include "core/slice/merge.h"
#include "tests/fieldstacks.h"
#include "tests/synth.h"
#include "tests/synth_code.h"
#include "tests/compactpeer.h"

struct stage {
	struct session *a, *b; /* twins */
	struct model *full, *small;
	struct compact *thin;
	struct peer peer;
	size_t rows_full, rows_small;
	bool lines; /* compact_lines from the start */
};

static struct slice *take(struct session *s, unsigned ticks)
{
	struct slice *all = NULL, *one;

	synth_advance(s, ticks);
	for (; ticks; ticks--) {
		assert_int_equal(session_next(s, &one), 0);
		if (all)
			assert_int_equal(slice_merge(all, one), 0);
		else
			all = one;
	}
	return all;
}

static void stage_open(struct stage *g, const struct synth_config *c)
{
	memset(g, 0, sizeof(*g));
	g->a = synth_session_create(c);
	g->b = synth_session_create(c);
	g->thin = compact_create();
	assert_true(g->a && g->b && g->thin);
	g->full = model_create(&g->a->info, MODEL_BUDGET);
	g->small = model_create(&g->b->info, MODEL_BUDGET);
	assert_true(g->full && g->small);
}

static void stage_close(struct stage *g)
{
	model_free(g->full);
	model_free(g->small);
	compact_free(g->thin);
	session_close(g->a);
	session_close(g->b);
}

/* `beat` ticks in one slice. */
static void advance(struct stage *g, unsigned beats, unsigned beat, struct compact_folded *folded)
{
	for (; beats; beats--) {
		struct slice *s = take(g->a, beat);

		g->rows_full += s->nrows;
		assert_int_equal(model_add(g->full, s), 0);
		s = take(g->b, beat);
		assert_int_equal(compact_run(g->thin, s, folded), 0);
		peer_take(&g->peer, s);
		g->rows_small += s->nrows;
		assert_int_equal(model_add(g->small, s), 0);
	}
}

static const struct row *row_named(const struct rows *rows, const struct row *like)
{
	for (size_t i = 0; i < rows->nr; i++)
		if (!strcmp(rows->row[i].name, like->name) && !strcmp(rows->row[i].object, like->object) &&
		    rows->row[i].pid == like->pid && rows->row[i].tid == like->tid)
			return &rows->row[i];
	return NULL;
}

static void assert_same_rows(struct stage *g, enum group_by group, uint16_t event)
{
	struct query q = {.group = group, .event = event, .show_self = true};
	const struct rows *a = model_rows(g->full, &q, WINDOW_ALL), *b = model_rows(g->small, &q, WINDOW_ALL);

	assert_true(a && b);
	assert_int_equal(a->nr, b->nr);
	for (size_t i = 0; i < a->nr; i++) {
		const struct row *r = row_named(b, &a->row[i]);

		if (!r)
			fail_msg("no row %s of %s", a->row[i].name, a->row[i].object);
		assert_int_equal(r->self, a->row[i].self);
		assert_int_equal(r->total, a->row[i].total);
		assert_int_equal(r->samples, a->row[i].samples);
		assert_int_equal(r->flags, a->row[i].flags);
	}
}

static const struct row *row_of_line(const struct rows *rows, const struct row *like)
{
	for (size_t i = 0; i < rows->nr; i++)
		if (rows->row[i].line == like->line && !strcmp(rows->row[i].file, like->file) &&
		    !strcmp(rows->row[i].function, like->function) && !strcmp(rows->row[i].name, like->name) &&
		    !strcmp(rows->row[i].object, like->object))
			return &rows->row[i];
	return NULL;
}

/* Where lines travel, they are there what they are here. */
static void assert_same_lines(struct stage *g, uint16_t event)
{
	struct query q = {.group = GROUP_LINE, .event = event, .show_self = true};
	const struct rows *a = model_rows(g->full, &q, WINDOW_ALL), *b = model_rows(g->small, &q, WINDOW_ALL);

	assert_true(a && b);
	assert_int_equal(a->nr, b->nr);
	for (size_t i = 0; i < a->nr; i++) {
		const struct row *r = row_of_line(b, &a->row[i]);

		if (!r)
			fail_msg("no row %s of %s", a->row[i].name, a->row[i].function);
		assert_int_equal(r->self, a->row[i].self);
		assert_int_equal(r->total, a->row[i].total);
		assert_int_equal(r->samples, a->row[i].samples);
	}
	assert_false(model_unlined(g->small));
}

/* A line in a function does not travel: what has one there is its function's here. */
static void assert_same_sums(struct stage *g, uint16_t event)
{
	struct query q = {.group = GROUP_LINE, .event = event, .show_self = true};
	const struct rows *a = model_rows(g->full, &q, WINDOW_ALL), *b = model_rows(g->small, &q, WINDOW_ALL);

	assert_true(a && b);
	assert_int_equal(a->shown, b->shown);
	assert_int_equal(a->attributed, b->attributed);
}

static void assert_same(struct stage *g)
{
	for (int group = 0; group < GROUP_NR; group++)
		for (uint16_t e = 0; e < g->a->info.nevents; e++)
			(group != GROUP_LINE ? assert_same_rows(g, group, e)
			 : g->lines	     ? assert_same_lines(g, e)
					     : assert_same_sums(g, e));
	if (*g->a->info.events[0].by) {
		fieldstacks_same(g->full, &g->small, 1);
		fieldstacks_same(g->small, &g->full, 1);
	}
}

static const struct synth_config busy = {
	.functions = 20, .tasks = 9, .forks = 6, .strangers = 4, .second_event = 3, .losses = true,
	.callchains = true, .deep = true, .hostile = true, .doubt = true, .fields = true, .stacks = true,
};

static void run(const struct synth_config *c, unsigned beat)
{
	struct stage g;

	stage_open(&g, c);
	g.lines = c->lines;
	if (g.lines)
		compact_lines(g.thin);
	advance(&g, 60 / beat, beat, NULL);
	assert_same(&g);
	stage_close(&g);
}

static void test_same(void **state)
{
	(void)state;
	run(&busy, 1);
	run(&(struct synth_config){.cpus = 4, .code = true}, 1);
}

/* Ids that meant two things inside one slice. */
static void test_same_merged(void **state)
{
	(void)state;
	run(&busy, 10);
	run(&busy, 7);
}

static void test_same_lines(void **state)
{
	struct synth_config c = busy;

	(void)state;
	c.lines = true;
	run(&c, 1);
	run(&c, 7);
	run(&(struct synth_config){.cpus = 4, .code = true, .lines = true, .callchains = true}, 1);
}

/* Of a function's addresses there is one row; of an object that is not sampled nothing is said. */
static void test_rows(void **state)
{
	struct stage g;

	(void)state;
	stage_open(&g, &(struct synth_config){.code = true});
	advance(&g, 1, 1, NULL);
	assert_in_range(g.rows_small, 1, g.rows_full - 2);
	assert_int_equal(g.peer.nlive[DICT_OBJECT], 7); /* /opt/app/libextra.so is not sampled */
	advance(&g, 9, 1, NULL);
	assert_true(g.peer.nlive[DICT_FRAME] <= 14);
	stage_close(&g);
}

/* What the session let go of is let go of. */
static void test_lets_go(void **state)
{
	uint32_t tasks, entries;
	struct stage g;

	(void)state;
	stage_open(&g, &(struct synth_config){.forks = 20, .strangers = 20});
	advance(&g, 20, 1, NULL);
	tasks = g.peer.nlive[DICT_TASK];
	advance(&g, 100, 1, NULL);
	assert_int_equal(g.peer.nlive[DICT_TASK], tasks);
	entries = g.peer.nlive[DICT_FRAME] + g.peer.nlive[DICT_PATH] + g.peer.nlive[DICT_STRING];
	advance(&g, 100, 1, NULL);
	assert_int_equal(g.peer.nlive[DICT_FRAME] + g.peer.nlive[DICT_PATH] + g.peer.nlive[DICT_STRING], entries);
	stage_close(&g);
}

static uint64_t heat_at(const struct code_sheet *s, uint64_t addr)
{
	for (size_t i = 0; i < s->nr; i++)
		if (s->heat[i].addr == addr)
			return s->heat[i].weight;
	return 0;
}

static void ask(struct stage *g, struct code_place *place)
{
	struct session_request rq = {.command = SESSION_CODE, .code = place};

	assert_int_equal(g->a->ops->command(g->a, &rq, NULL), 0);
	assert_int_equal(g->b->ops->command(g->b, &rq, NULL), 0);
	compact_watch(g->thin, place);
	advance(g, 1, 1, NULL);
}

/* Of a function that is looked into, addresses come from then on; how much came before is told. */
static void test_watched(void **state)
{
	struct query q = {.group = GROUP_FUNCTION};
	struct code_place p, place;
	const struct code_sheet *a, *b;
	const struct rows *rows;
	struct window since;
	uint64_t function = 0, self = 0;
	struct stage g;

	(void)state;
	stage_open(&g, &(struct synth_config){.code = true});
	advance(&g, 10, 1, NULL);
	rows = model_rows(g.small, &q, WINDOW_ALL);
	for (size_t i = 0; i < rows->nr; i++)
		if (!strcmp(rows->row[i].name, "compress_block"))
			function = rows->row[i].key;
	assert_true(model_code_place(g.small, &q, function, WINDOW_ALL, &p));
	assert_true(code_place_copy(&place, &p));
	since = (struct window){model_now(g.small), UINT64_MAX};
	ask(&g, &place);
	advance(&g, 20, 1, NULL);
	a = model_code(g.full, &q, &place, since);
	b = model_code(g.small, &q, &place, since);
	assert_true(a && b && a->nr > 2);
	assert_int_equal(a->nr, b->nr);
	for (size_t i = 0; i < a->nr; i++)
		assert_int_equal(a->heat[i].weight, heat_at(b, a->heat[i].addr));
	assert_int_equal(b->whole, 0);
	b = model_code(g.small, &q, &place, WINDOW_ALL);
	assert_true(b->whole > 0);
	rows = model_rows(g.full, &q, WINDOW_ALL);
	for (size_t i = 0; i < rows->nr; i++)
		if (!strcmp(rows->row[i].name, "compress_block"))
			self = rows->row[i].self;
	assert_int_equal(b->whole + b->weight, self);
	assert_same(&g);
	code_place_clear(&place);
	stage_close(&g);
}

static uint64_t line_self(struct model *m, struct window w, uint32_t line)
{
	struct query q = {.group = GROUP_LINE};
	const struct rows *rows = model_rows(m, &q, w);
	uint64_t self = 0;

	for (size_t i = 0; i < rows->nr; i++)
		self += rows->row[i].line == line && !strcmp(rows->row[i].function, "compress_block") ? rows->row[i].self : 0;
	return self;
}

/* Of a watched function the lines come, too: all of them from then on, none before. */
static void test_watched_lines(void **state)
{
	struct code_place place = {.kind = OBJECT_FILE, .object = (char *)"/usr/lib/x86_64-linux-gnu/libz.so.1.2.13", .addr = 0x3a10};
	struct window since;
	struct stage g;

	(void)state;
	stage_open(&g, &(struct synth_config){.code = true, .lines = true});
	place.build_id.len = 20;
	memset(place.build_id.bytes, 1, 20);
	advance(&g, 10, 1, NULL);
	since = (struct window){model_now(g.small), UINT64_MAX};
	compact_watch(g.thin, &place);
	advance(&g, 20, 1, NULL);
	for (unsigned i = 0; i < 3; i++) { /* the last is another function's, too */
		assert_true(line_self(g.full, since, synth_code_line[i]) > 0);
		assert_int_equal(line_self(g.small, since, synth_code_line[i]), line_self(g.full, since, synth_code_line[i]));
		assert_int_equal(line_self(g.small, (struct window){0, since.from}, synth_code_line[i]), 0);
	}
	stage_close(&g);
}

/* Asked for late, lines are there from then on: what stood for frames until then stands for functions. */
static void test_lines_late(void **state)
{
	struct window since;
	struct stage g;

	(void)state;
	stage_open(&g, &(struct synth_config){.code = true, .lines = true, .callchains = true, .deep = true});
	advance(&g, 10, 1, NULL);
	assert_same_sums(&g, 0);
	assert_true(model_unlined(g.small));
	since = (struct window){model_now(g.small), UINT64_MAX};
	compact_lines(g.thin);
	advance(&g, 10, 1, NULL);
	compact_lines(g.thin); /* once more: nothing begins anew */
	advance(&g, 10, 1, NULL);
	for (unsigned i = 0; i < 3; i++) {
		assert_true(line_self(g.full, since, synth_code_line[i]) > 0);
		assert_int_equal(line_self(g.small, since, synth_code_line[i]), line_self(g.full, since, synth_code_line[i]));
		assert_int_equal(line_self(g.small, (struct window){0, since.from}, synth_code_line[i]), 0);
	}
	assert_same(&g);
	stage_close(&g);
}

static uint64_t line_heat(const struct code_sheet *s, uint32_t line)
{
	uint64_t heat = 0;

	for (size_t i = 0; i < s->nr; i++) {
		long at = code_find(s->code, s->heat[i].addr);

		heat += at >= 0 && s->code->insns[at].line == line ? s->heat[i].weight : 0;
	}
	for (size_t i = 0; i < s->nlined; i++)
		heat += s->lined[i].line == line ? s->lined[i].weight : 0;
	return heat;
}

/* What came by line is its line's in the code, too; without an address it stays. */
static void test_lined_code(void **state)
{
	struct code_place place = {.kind = OBJECT_FILE, .object = (char *)"/usr/lib/x86_64-linux-gnu/libz.so.1.2.13", .addr = 0x3a10};
	struct query q = {.group = GROUP_FUNCTION};
	const struct code_sheet *a, *b;
	struct code_sheet by;
	struct window before;
	struct stage g;

	(void)state;
	stage_open(&g, &(struct synth_config){.code = true, .lines = true});
	place.build_id.len = 20;
	memset(place.build_id.bytes, 1, 20);
	compact_lines(g.thin);
	advance(&g, 20, 1, NULL);
	before = (struct window){0, model_now(g.small)};
	ask(&g, &place);
	a = model_code(g.full, &q, &place, before);
	b = model_code(g.small, &q, &place, before);
	assert_true(a && b && a->code && b->code);
	assert_true(a->weight > 0 && a->nlined == 0 && a->whole == 0);
	assert_int_equal(b->nr, 0);
	assert_int_equal(b->weight, 0);
	assert_int_equal(b->whole, a->weight);
	assert_int_equal(b->nlined, 4);
	for (unsigned i = 0; i < SYNTH_CODE_HEATS; i++)
		assert_int_equal(line_heat(b, synth_code_line[i]), line_heat(a, synth_code_line[i]));
	by = code_sheet_by_line(b);
	assert_int_equal(by.weight, a->weight);
	assert_int_equal(by.samples, a->samples);
	assert_int_equal(by.whole, 0);
	/* Beside what came with addresses once the function was opened. */
	advance(&g, 9, 1, NULL);
	a = model_code(g.full, &q, &place, WINDOW_ALL);
	b = model_code(g.small, &q, &place, WINDOW_ALL);
	by = code_sheet_by_line(b);
	assert_true(b->weight > 0 && b->whole > 0);
	assert_int_equal(by.weight, a->weight);
	for (unsigned i = 0; i < SYNTH_CODE_HEATS; i++)
		assert_int_equal(line_heat(b, synth_code_line[i]), line_heat(a, synth_code_line[i]));
	stage_close(&g);
}

/* Old ones give way: addresses of the function asked for first are not sent any more. */
static void test_watched_few(void **state)
{
	struct code_place place = {.kind = OBJECT_FILE, .object = (char *)"/x"};
	struct stage g;
	uint32_t frames;

	(void)state;
	stage_open(&g, &(struct synth_config){.code = true});
	advance(&g, 10, 1, NULL);
	frames = g.peer.nlive[DICT_FRAME];
	place = (struct code_place){.kind = OBJECT_FILE, .object = (char *)"/usr/lib/x86_64-linux-gnu/libz.so.1.2.13",
				    .addr = 0x3a10};
	place.build_id.len = 20;
	memset(place.build_id.bytes, 1, 20);
	compact_watch(g.thin, &place);
	for (unsigned i = 0; i < RECENTCODE_MAX; i++) {
		place.addr = 0x9000000 + i;
		compact_watch(g.thin, &place);
	}
	advance(&g, 5, 1, NULL);
	assert_int_equal(g.peer.nlive[DICT_FRAME], frames);
	stage_close(&g);
}

static uint64_t self_of(struct model *m, const char *name)
{
	struct query q = {.group = GROUP_FUNCTION, .show_self = true};
	const struct rows *rows = model_rows(m, &q, WINDOW_ALL);
	uint64_t self = 0;

	for (size_t i = 0; i < rows->nr; i++)
		self += strcmp(rows->row[i].name, name) ? 0 : rows->row[i].self;
	return self;
}

/* Samples whose function is not known there any more. */
static uint64_t left_out_of(const struct model *m)
{
	struct account a;

	model_account(m, 0, ALL_CPUS, WINDOW_ALL, &a);
	return a.left_out;
}

/* Paths that were seen once are one row, and every count is still there. */
static void test_folded(void **state)
{
	struct compact_folded folded = {.most = 1}, none = {.most = 0};
	struct query q = {.group = GROUP_FUNCTION, .show_self = true};
	struct stage g;
	uint32_t paths;

	(void)state;
	stage_open(&g, &(struct synth_config){.strangers = 30, .callchains = true, .deep = true});
	advance(&g, 4, 1, NULL);
	advance(&g, 1, 1, &none);
	assert_int_equal(none.samples, 0);
	paths = g.peer.entries;
	advance(&g, 10, 1, &folded);
	assert_int_equal(folded.samples, 10 * 2 * 30); /* of two CPUs */
	assert_int_equal(folded.rows, folded.samples);
	assert_true(g.peer.entries - paths < 60);
	assert_int_equal(model_rows(g.full, &q, WINDOW_ALL)->attributed, model_rows(g.small, &q, WINDOW_ALL)->attributed);
	assert_int_equal(model_rows(g.full, &q, WINDOW_ALL)->samples, model_rows(g.small, &q, WINDOW_ALL)->samples);
	assert_true(self_of(g.small, "[folded]") > 0);
	assert_int_equal(left_out_of(g.small), folded.samples);
	assert_int_equal(left_out_of(g.full), 0);
	assert_int_equal(self_of(g.full, "main"), self_of(g.small, "main"));
	for (int group = GROUP_TASK; group < GROUP_LINE; group++)
		assert_same_rows(&g, group, 0);
	stage_close(&g);
}

/* Places without a name that are met once are one row of their object, however many; others stay. */
static void test_nameless(void **state)
{
	struct query q = {.group = GROUP_FUNCTION, .show_self = true};
	const struct rows *rows;
	struct stage g;
	uint32_t entries;

	(void)state;
	stage_open(&g, &(struct synth_config){.addresses = 50});
	advance(&g, 10, 1, NULL);
	entries = g.peer.entries;
	advance(&g, 15, 1, NULL);
	assert_true(g.peer.entries < entries + 2 * 15);
	rows = model_rows(g.full, &q, WINDOW_ALL);
	assert_int_equal(self_of(g.small, "[nameless]"), 25 * 2 * 50 * (rows->attributed / rows->samples));
	assert_int_equal(model_rows(g.full, &q, WINDOW_ALL)->attributed, model_rows(g.small, &q, WINDOW_ALL)->attributed);
	assert_int_equal(self_of(g.full, "0x1b0e4"), self_of(g.small, "0x1b0e4"));
	for (int group = GROUP_OBJECT; group < GROUP_LINE; group++)
		assert_same_rows(&g, group, 0);
	stage_close(&g);
}

/* g in f, and g in h in f: an inlined function is as deep as it is, at each place. */
static void test_levels(void **state)
{
	static struct peer peer;
	struct compact *t = compact_create();
	struct slice *s = slice_create();

	(void)state;
	assert_true(t && s);
	put(s, DICT_STRING, &(struct dict_string){1, 1, "f"});
	put(s, DICT_OBJECT, &(struct dict_object){.id = 1, .name = 1, .kind = OBJECT_FILE, .state = OBJECT_READY});
	for (uint32_t i = 1; i <= 3; i++)
		put(s, DICT_SYMBOL, &(struct dict_symbol){.id = i, .name = 1, .object = 1, .addr = 16 * i, .size = 16});
	put(s, DICT_FRAME, &(struct dict_frame){.id = 1, .object = 1, .symbol = 1, .addr = 17, .flags = FRAME_INLINED, .level = 2});
	put(s, DICT_FRAME, &(struct dict_frame){.id = 2, .object = 1, .symbol = 2, .addr = 17, .flags = FRAME_INLINED, .level = 1, .inner = 1});
	put(s, DICT_FRAME, &(struct dict_frame){.id = 3, .object = 1, .symbol = 3, .addr = 17, .inner = 2});
	put(s, DICT_FRAME, &(struct dict_frame){.id = 4, .object = 1, .symbol = 1, .addr = 19, .flags = FRAME_INLINED, .level = 1});
	put(s, DICT_FRAME, &(struct dict_frame){.id = 5, .object = 1, .symbol = 3, .addr = 19, .inner = 4});
	put(s, DICT_PATH, &(struct dict_path){1, 0, 3});
	put(s, DICT_PATH, &(struct dict_path){2, 0, 5});
	put(s, DICT_TASK, &(struct dict_task){.id = 1, .comm = 1, .pid = 7, .tid = 7});
	for (uint32_t path = 1; path <= 2; path++)
		*slice_add_row(s) = (struct slice_row){.path = path, .task = 1, .samples = 1, .weight = 1};
	assert_int_equal(compact_run(t, s, NULL), 0);
	peer_take(&peer, s);
	assert_int_equal(s->dict.nr[DICT_FRAME], 5);
	for (size_t i = 0; i < 5; i++)
		for (size_t j = 0; j < 5; j++)
			if (s->dict.frames[i].inner == s->dict.frames[j].id)
				assert_int_equal(s->dict.frames[j].level, s->dict.frames[i].level + 1);
	slice_free(s);
	compact_free(t);
}

/* Keys whose paths are the same functions are one, before those that find no room are the rest, of which nothing is said. */
static void test_fields(void **state)
{
	enum { KEYS = SLICE_FIELDS_MESSAGE + 100 };
	struct compact *t = compact_create();
	struct slice *s = slice_create();
	struct peer peer = {.nlive = {0}};
	uint64_t count = 0;

	(void)state;
	assert_non_null(t);
	s->end = 1;
	put(s, DICT_STRING, &(struct dict_string){1, 1, "f"});
	put(s, DICT_OBJECT, &(struct dict_object){.id = 1, .name = 1, .kind = OBJECT_FILE, .state = OBJECT_READY});
	put(s, DICT_SYMBOL, &(struct dict_symbol){.id = 1, .name = 1, .object = 1, .addr = 16, .size = 16});
	for (uint32_t i = 1; i <= 2; i++) {
		put(s, DICT_FRAME, &(struct dict_frame){.id = i, .object = 1, .symbol = 1, .addr = 16 + i});
		put(s, DICT_PATH, &(struct dict_path){i, 0, i});
	}
	for (uint32_t i = 3; i < 3 + KEYS; i++) {
		put(s, DICT_SYMBOL, &(struct dict_symbol){.id = i, .name = 1, .object = 1, .addr = 16 * i, .size = 16});
		put(s, DICT_FRAME, &(struct dict_frame){.id = i, .object = 1, .symbol = i, .addr = 16 * i});
		put(s, DICT_PATH, &(struct dict_path){i, 0, i});
	}
	for (uint32_t path = 1; path < 3 + KEYS; path++)
		*slice_add_field(s) = (struct slice_field){.path = path, .count = path < 3 ? 5 : 1};
	assert_int_equal(compact_run(t, s, NULL), 0);
	assert_int_equal(s->nfields, SLICE_FIELDS_MESSAGE + 1);
	for (size_t i = 0; i < s->nfields; i++) {
		const struct slice_field *f = &s->fields[i];

		assert_true(f->rest == !f->path);
		assert_true(f->rest || f->count == 1 || f->count == 10);
		count += f->count;
	}
	assert_int_equal(count, 10 + KEYS);
	assert_int_equal(s->dict.nr[DICT_PATH], SLICE_FIELDS_MESSAGE);
	s->nfields--;
	assert_true(s->fields[s->nfields].rest);
	peer_take(&peer, s);
	slice_free(s);
	/* What nobody knows is none. */
	s = slice_create();
	s->start = s->end = 1;
	*slice_add_field(s) = (struct slice_field){.path = 77777, .count = 1};
	*slice_add_field(s) = (struct slice_field){.path = 1, .count = 1};
	assert_int_equal(compact_run(t, s, NULL), 0);
	assert_int_equal(s->nfields, 2);
	assert_int_equal(s->fields[0].path, 0);
	assert_int_equal(s->dict.nr[DICT_PATH], 0); /* it was said */
	assert_true(peer.live[DICT_PATH][s->fields[1].path]);
	slice_free(s);
	/* To who knows nothing it is said again. */
	compact_restart(t);
	s = slice_create();
	s->start = s->end = 1;
	*slice_add_field(s) = (struct slice_field){.path = 2, .count = 1};
	assert_int_equal(compact_run(t, s, NULL), 0);
	assert_int_equal(s->dict.nr[DICT_PATH], 1);
	assert_int_equal(s->fields[0].path, s->dict.paths[0].id);
	slice_free(s);
	compact_free(t);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same),
		cmocka_unit_test(test_same_merged),
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_lets_go),
		cmocka_unit_test(test_watched), cmocka_unit_test(test_watched_lines),
		cmocka_unit_test(test_watched_few),
		cmocka_unit_test(test_folded),
		cmocka_unit_test(test_nameless),
		cmocka_unit_test(test_levels),
		cmocka_unit_test(test_same_lines), cmocka_unit_test(test_lines_late), cmocka_unit_test(test_lined_code),
		cmocka_unit_test(test_fields),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
