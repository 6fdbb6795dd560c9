/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jumps as lines beside the instructions. */
#include "ui/code/arrows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Instructions of one byte; to[i]: where i jumps, -1: nowhere. */
static struct code *code_of(const int *to, size_t nr)
{
	struct code_place place = {.object = (char *)"test"};
	struct code *c = code_create(&place);

	assert_non_null(c);
	c->addr = c->from = 0x1000;
	c->size = nr;
	for (size_t i = 0; i < nr; i++) {
		struct code_insn *in = code_add_insn(c);

		assert_non_null(in);
		in->addr = 0x1000 + i;
		in->len = 1;
		in->flow = to[i] < 0 ? CODE_PLAIN : CODE_JUMP;
		in->target = to[i] < 0 ? 0 : 0x1000 + (uint64_t)to[i];
	}
	return c;
}

static void looks(const struct arrows *a, const char *const *want, size_t nr)
{
	char text[64];

	for (size_t i = 0; i < nr; i++) {
		arrows_text(a, i, text, sizeof(text));
		assert_string_equal(text, want[i]);
	}
}

static void test_nested(void **state)
{
	static const int to[] = {-1, 6, -1, -1, 2, 6, -1};
	static const char *const want[] = {"   ", "┌──", "│┌→", "││ ", "│└─", "├──", "└─→"};
	struct arrows a = {.nr = 0};
	struct code *c = code_of(to, 7);
	char text[64];

	(void)state;
	assert_true(arrows_build(&a, c, 1, 2));
	looks(&a, want, 7);
	arrows_text_above(&a, 4, text, sizeof(text));
	assert_string_equal(text, "││ ");
	arrows_text_above(&a, 2, text, sizeof(text));
	assert_string_equal(text, "│  ");
	arrows_text_above(&a, 99, text, sizeof(text));
	arrows_text(&a, 99, text, sizeof(text));
	assert_string_equal(text, "   ");
	arrows_free(&a);
	code_free(c);
}

static void test_crossing(void **state)
{
	static const int to[] = {2, 3, -1, -1};
	static const char *const want[] = {" ┌─", "┌┼─", "│└→", "└─→"};
	struct arrows a = {.nr = 0};
	struct code *c = code_of(to, 4);

	(void)state;
	assert_true(arrows_build(&a, c, 1, 2));
	looks(&a, want, 4);
	arrows_free(&a);
	code_free(c);
}

/* What finds no lane says which way it goes; a jump to itself, and out of the function. */
static void test_no_room(void **state)
{
	static const int to[] = {3, 4, 5, -1, -1, 1, 6, 2000};
	static const char *const want[] = {"┌─", "│↓", "│↓", "└→", "  ", " ↑", "─→", "  "};
	struct arrows a = {.nr = 0};
	struct code *c = code_of(to, 8);

	(void)state;
	assert_true(arrows_build(&a, c, 1, 1));
	looks(&a, want, 8);
	/* another answer, more lanes; then the same again */
	assert_true(arrows_build(&a, c, 2, 8));
	assert_int_equal(a.row[1].marks & (ARROWS_UPWARDS | ARROWS_DOWNWARDS), 0);
	assert_true(arrows_build(&a, c, 2, 8));
	arrows_free(&a);
	code_free(c);
}

/* Many jumps: every lane's lines are closed, and no two share a cell. */
static void test_many(void **state)
{
	enum { NR = 3000 };
	static int to[NR];
	struct arrows a = {.nr = 0};
	struct code *c;
	unsigned drawn = 0;

	(void)state;
	srand(1);
	for (int i = 0; i < NR; i++)
		to[i] = rand() % 3 ? -1 : rand() % 5 ? i + rand() % 20 - 10 : rand() % NR;
	for (int i = 0; i < NR; i++)
		to[i] = to[i] >= NR ? NR - 1 : to[i] < -1 ? 0 : to[i];
	c = code_of(to, NR);
	assert_true(arrows_build(&a, c, 1, ARROWS_LANES));
	for (size_t i = 0; i < NR; i++) {
		const struct arrows_row *r = &a.row[i];

		assert_int_equal(r->down, i + 1 < NR ? a.row[i + 1].up : 0);
		/* a line that ends here joins */
		assert_int_equal((r->up ^ r->down) & ~r->join, 0);
		if (to[i] >= 0 && !(r->marks & (ARROWS_UPWARDS | ARROWS_DOWNWARDS))) {
			assert_true(r->join & a.row[to[i]].join);
			drawn++;
		}
	}
	assert_true(drawn > 300);
	arrows_free(&a);
	code_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nested), cmocka_unit_test(test_crossing),
		cmocka_unit_test(test_no_room), cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
