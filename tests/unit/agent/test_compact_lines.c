/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames that stand for lines, by hand: what is one row and what is two, and what goes first under pressure. */
#include "link/agent/compact.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/compactpeer.h"

enum { FILE_A = 2, FILE_B = 3, NAME_G = 4, TEXTS = 5 };

/* f and g of one object, of 256 bytes each; files a.c and b.c; one task. */
static struct slice *two_functions(void)
{
	static const char *const texts[TEXTS] = {[1] = "f", [FILE_A] = "a.c", [FILE_B] = "b.c", [NAME_G] = "g"};
	struct slice *s = slice_create();

	for (uint32_t i = 1; i < TEXTS; i++)
		put(s, DICT_STRING, &(struct dict_string){i, (uint32_t)strlen(texts[i]), texts[i]});
	put(s, DICT_OBJECT, &(struct dict_object){.id = 1, .name = 1, .kind = OBJECT_FILE, .state = OBJECT_READY});
	for (uint32_t i = 1; i <= 2; i++)
		put(s, DICT_SYMBOL, &(struct dict_symbol){.id = i, .name = i == 1 ? 1 : NAME_G, .object = 1, .addr = 256 * i, .size = 256});
	put(s, DICT_TASK, &(struct dict_task){.id = 1, .comm = 1, .pid = 7, .tid = 7});
	return s;
}

static void put_frame(struct slice *s, uint32_t id, uint32_t symbol, uint64_t addr, uint32_t file, uint32_t line)
{
	put(s, DICT_FRAME, &(struct dict_frame){.id = id, .object = 1, .symbol = symbol, .addr = addr, .file = file, .line = line});
}

static void put_row(struct slice *s, uint32_t path, uint32_t samples)
{
	*slice_add_row(s) = (struct slice_row){.path = path, .task = 1, .samples = samples, .weight = samples};
}

static const struct dict_frame *said_frame(const struct slice *s, uint32_t path)
{
	for (size_t i = 0; i < s->dict.nr[DICT_PATH]; i++)
		for (size_t j = 0; s->dict.paths[i].id == path && j < s->dict.nr[DICT_FRAME]; j++)
			if (s->dict.frames[j].id == s->dict.paths[i].frame)
				return &s->dict.frames[j];
	return NULL;
}

static uint32_t samples_of(const struct slice *s, uint32_t line)
{
	uint32_t samples = 0;

	for (size_t i = 0; i < s->nrows; i++) {
		const struct dict_frame *f = said_frame(s, s->rows[i].path);

		samples += f && f->line == line ? (uint32_t)s->rows[i].samples : 0;
	}
	return samples;
}

/*
 * Two lines of a function are two rows, two addresses of a line are one; two files' lines of one number are two; a caller's
 * line tells paths apart as well; code of no line is its function's.
 */
static void test_lines_rows(void **state)
{
	static const struct { uint32_t symbol; uint64_t addr; uint32_t file, line; } at[] = {
		{1, 260, FILE_A, 10}, {1, 264, FILE_A, 10}, {1, 268, FILE_A, 11}, {1, 272, FILE_B, 11}, {1, 276, FILE_A, 0},
		{1, 280, 0, 0}, {2, 516, FILE_A, 20}, {2, 520, FILE_A, 21},
	};
	static struct peer peer;
	struct compact *t = compact_create();
	struct slice *s = two_functions();
	uint32_t n = sizeof(at) / sizeof(*at);

	(void)state;
	assert_true(t && s);
	compact_lines(t);
	for (uint32_t i = 0; i < n; i++) {
		put_frame(s, i + 1, at[i].symbol, at[i].addr, at[i].file, at[i].line);
		put(s, DICT_PATH, &(struct dict_path){i + 1, 0, i + 1});
	}
	for (uint32_t i = 0; i < 6; i++)
		put_row(s, i + 1, 1);
	for (uint32_t caller = 7; caller <= 8; caller++) { /* f's first line, called from two lines of g */
		put(s, DICT_PATH, &(struct dict_path){caller + 2, caller, 1});
		put_row(s, caller + 2, 2);
	}
	assert_int_equal(compact_run(t, s, NULL), 0);
	peer_take(&peer, s);
	/* Line 10, and by two callers; 11 of two files; no line, of a file and of none; the lines that call. */
	assert_int_equal(s->nrows, 7);
	assert_int_equal(s->dict.nr[DICT_FRAME], 7);
	assert_int_equal(samples_of(s, 10), 2 + 2 + 2);
	assert_int_equal(samples_of(s, 11), 2);
	assert_int_equal(samples_of(s, 0), 2);
	for (size_t i = 0; i < s->dict.nr[DICT_FRAME]; i++) {
		const struct dict_frame *f = &s->dict.frames[i];

		assert_true(f->flags & FRAME_WHOLE);
		assert_int_equal(!!(f->flags & FRAME_LINE), f->file != 0);
		assert_true(f->file || !f->line);
	}
	slice_free(s);
	/* To who knows nothing, a new file's reader or a new connection, they are lines, too. */
	compact_restart(t);
	s = slice_create();
	s->start = s->end = 1;
	put_row(s, 1, 3);
	assert_int_equal(compact_run(t, s, NULL), 0);
	assert_int_equal(samples_of(s, 10), 3);
	slice_free(s);
	compact_free(t);
}

/* Of what is inlined it is the line inside that tells places apart, whatever the line of the call. */
static void test_lines_inlined(void **state)
{
	static struct peer peer;
	struct compact *t = compact_create();
	struct slice *s = two_functions();

	(void)state;
	assert_true(t && s);
	compact_lines(t);
	for (uint32_t i = 0; i < 3; i++) { /* g in f, always in line 10; of g lines 20, 20 and 21 */
		uint32_t inner = 2 * i + 1, outer = inner + 1;

		put(s, DICT_FRAME, &(struct dict_frame){.id = inner, .object = 1, .symbol = 2, .addr = 260 + 4 * i, .flags = FRAME_INLINED,
							.level = 1, .file = FILE_B, .line = 20 + i / 2});
		put(s, DICT_FRAME, &(struct dict_frame){.id = outer, .object = 1, .symbol = 1, .addr = 260 + 4 * i, .inner = inner,
							.file = FILE_A, .line = 10});
		put(s, DICT_PATH, &(struct dict_path){i + 1, 0, outer});
		put_row(s, i + 1, 1);
	}
	assert_int_equal(compact_run(t, s, NULL), 0);
	peer_take(&peer, s);
	assert_int_equal(s->nrows, 2);
	assert_int_equal(s->dict.nr[DICT_FRAME], 4);
	for (size_t i = 0; i < s->nrows; i++) {
		const struct dict_frame *outer = said_frame(s, s->rows[i].path), *inner = NULL;

		assert_true(outer && outer->line == 10 && outer->inner);
		for (size_t j = 0; j < s->dict.nr[DICT_FRAME]; j++)
			if (s->dict.frames[j].id == outer->inner)
				inner = &s->dict.frames[j];
		assert_true(inner && inner->level == 1 && inner->flags & FRAME_INLINED);
		assert_int_equal(inner->line, s->rows[i].samples == 2 ? 20 : 21);
		assert_true(inner->flags & FRAME_LINE);
	}
	slice_free(s);
	compact_free(t);
}

/* Under pressure the line goes before its function does, whether that was said as such or by other lines of it. */
static void lines_folded(bool late)
{
	struct compact_folded folded = {.most = 1};
	static struct peer peer;
	struct compact *t = compact_create();
	struct slice *s = two_functions();
	uint32_t first;

	assert_true(t && s);
	memset(&peer, 0, sizeof(peer));
	if (!late)
		compact_lines(t);
	put_frame(s, 1, 1, 260, FILE_A, 10);
	put(s, DICT_PATH, &(struct dict_path){1, 0, 1});
	put_row(s, 1, 5);
	assert_int_equal(compact_run(t, s, NULL), 0);
	peer_take(&peer, s);
	first = s->rows[0].path;
	slice_free(s);
	compact_lines(t);
	/* Line 11 was sampled once, line 12 often; of g nothing was ever said. */
	s = slice_create();
	s->start = s->end = 1;
	put_frame(s, 2, 1, 264, FILE_A, 11);
	put_frame(s, 3, 1, 268, FILE_A, 12);
	put_frame(s, 4, 2, 516, FILE_A, 20);
	put_frame(s, 5, 2, 520, FILE_A, 21);
	for (uint32_t i = 2; i <= 4; i++)
		put(s, DICT_PATH, &(struct dict_path){i, 0, i});
	put(s, DICT_PATH, &(struct dict_path){6, 0, 5});
	put(s, DICT_PATH, &(struct dict_path){5, 6, 2}); /* line 11, called from what nobody there knows */
	for (uint32_t i = 2; i <= 5; i++)
		put_row(s, i, i == 3 ? 2 : 1);
	assert_int_equal(compact_run(t, s, &folded), 0);
	peer_take(&peer, s);
	assert_int_equal(samples_of(s, 11), 0);
	assert_int_equal(samples_of(s, 12), 2);
	assert_int_equal(folded.rows, 2); /* g, and line 11's caller */
	assert_int_equal(folded.samples, 2);
	assert_int_equal(s->nrows, 4);
	for (size_t i = 0, all = 0; i < s->nrows; i++) {
		all += s->rows[i].samples;
		assert_true(i + 1 < s->nrows || all == 5);
		if (late && s->rows[i].path == first) /* the function, as it was said */
			first = 0;
	}
	assert_true(!late || !first);
	/* f itself; by [folded]; [folded]; line 12: no other frame. */
	assert_int_equal(s->dict.nr[DICT_FRAME], late ? 2 : 3);
	slice_free(s);
	compact_free(t);
}

static void test_lines_folded(void **state)
{
	(void)state;
	lines_folded(false);
	lines_folded(true);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines_rows),
		cmocka_unit_test(test_lines_inlined),
		cmocka_unit_test(test_lines_folded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
