/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Source lines that debug information names: which are read, how much of them, and which are not. */
#include "names/code/source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char dir[] = "/tmp/ringtop-source-XXXXXX";

static void write_file(const char *name, const void *bytes, size_t len, mode_t mode)
{
	char path[200];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(chmod(path, mode), 0);
}

static uint32_t add_file(struct code *c, const char *name)
{
	char path[200];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return code_add_text(c, path, sizeof(path));
}

static void add_line(struct code *c, uint32_t file, uint32_t line)
{
	struct code_insn *in = code_add_insn(c);

	assert_non_null(in);
	in->addr = c->ninsns;
	in->len = 1;
	in->file = file;
	in->line = line;
}

static struct code *empty(void)
{
	struct code_place place = {.object = (char *)"test"};
	struct code *c = code_create(&place);

	assert_non_null(c);
	return c;
}

static void is(const struct code *c, uint32_t file, uint32_t line, const char *want)
{
	const struct code_source *s = code_find_source(c, file, line);

	assert_non_null(s);
	assert_string_equal(code_text(c, s->text), want);
}

static int setup(void **state)
{
	(void)state;
	return mkdtemp(dir) ? 0 : -1;
}

static int teardown(void **state)
{
	char command[100];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", dir);
	return system(command);
}

static void test_lines(void **state)
{
	struct source_from from = {.user = (uid_t)-1};
	struct code *c = empty();
	uint32_t a, b;
	bool newer;

	(void)state;
	write_file("a.c", "one\n\n\tthree\r\nfour\nfive", 23, 0644);
	write_file("b.c", "x\0y\nsecond\n", 11, 0644);
	a = add_file(c, "a.c");
	b = add_file(c, "b.c");
	/* out of order, twice, beyond the end */
	add_line(c, a, 5);
	add_line(c, b, 2);
	add_line(c, a, 1);
	add_line(c, a, 3);
	add_line(c, a, 3);
	add_line(c, a, 2);
	add_line(c, a, 1900);
	add_line(c, b, 1);
	add_line(c, a, 5);
	add_line(c, 0, 7);
	assert_int_equal(source_add(c, &from, &newer), 0);
	assert_false(newer);
	assert_int_equal(c->nsources, 7);
	is(c, a, 1, "one");
	is(c, a, 2, "");
	is(c, a, 3, "\tthree");
	is(c, a, 5, "five"); /* which has no end */
	is(c, a, 1900, "");
	is(c, b, 1, "x");
	is(c, b, 2, "second");
	assert_null(code_find_source(c, a, 4));
	code_free(c);
}

/* What stands between in the function's own file comes too, not that of what is inlined, nor of too long a function. */
static void test_between(void **state)
{
	struct source_from from = {.user = (uid_t)-1};
	struct code *c = empty();
	uint32_t own, other;
	bool newer;

	(void)state;
	write_file("own.c", "1\n2\n3\n4\n5\n6\n", 12, 0644);
	own = add_file(c, "own.c");
	other = add_file(c, "a.c");
	add_line(c, other, 1);
	c->insns[0].inlined = own;
	add_line(c, own, 5);
	add_line(c, own, 2);
	add_line(c, other, 3);
	c->insns[3].inlined = own;
	assert_int_equal(source_add(c, &from, &newer), 0);
	assert_int_equal(c->nsources, 6);
	for (uint32_t line = 2; line <= 5; line++)
		assert_non_null(code_find_source(c, own, line));
	is(c, own, 4, "4");
	assert_null(code_find_source(c, own, 6));
	assert_null(code_find_source(c, other, 2));
	c->nsources = 0;
	c->insns[1].line = SOURCE_SPAN_MAX + 2;
	assert_int_equal(source_add(c, &from, &newer), 0);
	assert_int_equal(c->nsources, 4);
	code_free(c);
}

static void test_long_lines(void **state)
{
	struct source_from from = {.user = (uid_t)-1};
	static char text[200000];
	struct code *c = empty();
	uint32_t file;
	bool newer;

	(void)state;
	memset(text, 'x', sizeof(text));
	text[150000] = '\n';
	write_file("long.c", text, sizeof(text), 0644);
	file = add_file(c, "long.c");
	add_line(c, file, 1);
	add_line(c, file, 2);
	assert_int_equal(source_add(c, &from, &newer), 0);
	for (uint32_t line = 1; line <= 2; line++)
		assert_int_equal(strlen(code_text(c, code_find_source(c, file, line)->text)),
				 CODE_TEXT_MAX);
	code_free(c);
}

/* Debug information may name any file. */
static void test_whose(void **state)
{
	struct source_from from = {.user = (uid_t)-1};
	struct code *c = empty();
	uint32_t secret, fifo, none, relative, up;
	char path[200];
	bool newer;

	(void)state;
	write_file("secret", "secret\n", 7, 0600);
	snprintf(path, sizeof(path), "%s/fifo", dir);
	assert_int_equal(mkfifo(path, 0644), 0); /* opened, it would wait for ever */
	secret = add_file(c, "secret");
	fifo = add_file(c, "fifo");
	none = add_file(c, "none");
	relative = code_add_text(c, "a.c", 3);
	up = code_add_text(c, "/../../../../etc/hostname", 100);
	add_line(c, secret, 1);
	add_line(c, fifo, 1);
	add_line(c, none, 1);
	add_line(c, relative, 1);
	add_line(c, up, 1);
	from.root = dir;
	assert_int_equal(source_add(c, &from, &newer), 0);
	for (size_t i = 0; i < c->nsources; i++)
		assert_int_equal(c->sources[i].text, 0);
	from.root = NULL;
	c->nsources = 0;
	assert_int_equal(source_add(c, &from, &newer), 0);
	is(c, secret, 1, "");
	is(c, fifo, 1, "");
	from.user = geteuid(); /* its own */
	c->nsources = 0;
	assert_int_equal(source_add(c, &from, &newer), 0);
	is(c, secret, 1, "secret");
	code_free(c);
}

/* Below a root, links lead where they lead a process that has that root. */
static void test_root(void **state)
{
	struct source_from from = {.user = (uid_t)-1, .root = dir};
	struct code *c = empty();
	uint32_t inside, link;
	char path[200];
	bool newer;

	(void)state;
	write_file("in.c", "inside\n", 7, 0644);
	snprintf(path, sizeof(path), "%s/link.c", dir);
	assert_int_equal(symlink("/in.c", path), 0);
	inside = code_add_text(c, "/in.c", 100);
	link = code_add_text(c, "/link.c", 100);
	add_line(c, inside, 1);
	add_line(c, link, 1);
	assert_int_equal(source_add(c, &from, &newer), 0);
	is(c, inside, 1, "inside");
	is(c, link, 1, "inside");
	code_free(c);
}

static void test_newer(void **state)
{
	struct source_from from = {.user = (uid_t)-1, .built_ns = 1};
	struct code *c = empty();
	bool newer;

	(void)state;
	write_file("new.c", "new\n", 4, 0644);
	add_line(c, add_file(c, "new.c"), 1);
	assert_int_equal(source_add(c, &from, &newer), 0);
	assert_true(newer);
	from.built_ns = UINT64_MAX;
	c->nsources = 0;
	assert_int_equal(source_add(c, &from, &newer), 0);
	assert_false(newer);
	code_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines), cmocka_unit_test(test_between), cmocka_unit_test(test_long_lines),
		cmocka_unit_test(test_whose), cmocka_unit_test(test_root),
		cmocka_unit_test(test_newer),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
