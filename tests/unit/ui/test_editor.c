/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which files are opened, what the editor is told, and that it is. */
#include "ui/code/editor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"

static char dir[] = "/tmp/ringtop-editor-XXXXXX";

static struct editor_file file_of(const char *name, unsigned line, const char *text)
{
	struct editor_file f = {.line = line};

	text_append(f.path, sizeof(f.path), 0, "%s/%s", dir, name);
	text_append(f.text, sizeof(f.text), 0, "%s", text);
	return f;
}

static void write_file(const char *name, const char *text, mode_t mode)
{
	struct editor_file f = file_of(name, 1, "");
	FILE *out = fopen(f.path, "w");

	assert_non_null(out);
	fputs(text, out);
	assert_int_equal(fclose(out), 0);
	assert_int_equal(chmod(f.path, mode), 0);
}

static int check(const struct editor_file *f)
{
	struct err err = {0};
	bool others;
	int ret = editor_check(f, &others, &err);

	assert_true(!ret == !err.text[0]);
	return ret;
}

static int setup(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	write_file("a.c", "one\n\ttwo\r\nthree", 0644);
	write_file("-c.c", "one\n", 0644);
	write_file("new\nline.c", "one\n", 0644);
	return 0;
}

static int teardown(void **state)
{
	char command[100];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", dir);
	return system(command);
}

static void test_check(void **state)
{
	struct editor_file f;
	char path[200];

	(void)state;
	f = file_of("a.c", 1, "one"), assert_int_equal(check(&f), 0);
	f = file_of("a.c", 2, "\ttwo"), assert_int_equal(check(&f), 0);
	f = file_of("a.c", 3, "three"), assert_int_equal(check(&f), 0);
	f = file_of("a.c", 3, ""), assert_int_equal(check(&f), 0);
	f = file_of("-c.c", 1, "one"), assert_int_equal(check(&f), 0);
	/* Another file of that name, or another state of it. */
	f = file_of("a.c", 2, "three"), assert_int_equal(check(&f), -ESTALE);
	f = file_of("a.c", 4, "three"), assert_int_equal(check(&f), -ESTALE);
	f = file_of("a.c", 4000000000u, "x"), assert_int_equal(check(&f), -ESTALE);
	f = file_of("none.c", 1, ""), assert_int_equal(check(&f), -ENOENT);
	f = file_of("new\nline.c", 1, ""), assert_int_equal(check(&f), -EINVAL);
	f = file_of("", 1, ""), assert_int_equal(check(&f), -EINVAL); /* a directory */
	f = file_of("a.c", 0, ""), assert_int_equal(check(&f), -ENOENT);
	f = (struct editor_file){.path = "+set.c", .line = 1}, assert_int_equal(check(&f), -EINVAL);
	f = (struct editor_file){.path = "/dev/zero", .line = 1, .text = "x"}, assert_int_equal(check(&f), -EINVAL);
	snprintf(path, sizeof(path), "%s/fifo", dir);
	assert_int_equal(mkfifo(path, 0644), 0); /* opened, it would wait for ever */
	f = file_of("fifo", 1, "x"), assert_int_equal(check(&f), -EINVAL);
}

static void test_words(void **state)
{
	static const struct {
		const char *command, *words;
	} cases[] = {
		{"vi", "vi|+7|/src/a b.c|"},
		{"/usr/bin/emacs -nw", "/usr/bin/emacs|-nw|+7|/src/a b.c|"},
		{"code --wait", "code|--wait|-g|/src/a b.c:7|"},
		{"/opt/hx", "/opt/hx|/src/a b.c:7|"},
		{"ed", "ed|/src/a b.c|"},
		{"'my editor' '$(x)' ;", "my editor|$(x)|;|+7|/src/a b.c|"},
	};
	struct editor_file f = {.path = "/src/a b.c", .line = 7};
	struct err err = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char **words = editor_words(cases[i].command, &f, NULL), text[200] = "";

		assert_non_null(words);
		for (char **w = words; *w; w++)
			text_append(text, sizeof(text), strlen(text), "%s|", *w);
		assert_string_equal(text, cases[i].words);
		free(words);
	}
	assert_null(editor_words("vi 'x", &f, &err));
	assert_true(err.text[0]);
	assert_null(editor_words("  ", &f, &err));
}

static void test_command(void **state)
{
	(void)state;
	setenv("VISUAL", "", 1);
	setenv("EDITOR", "nano", 1);
	assert_string_equal(editor_command(), "nano");
	setenv("VISUAL", "emacs", 1);
	assert_string_equal(editor_command(), "emacs");
	unsetenv("VISUAL");
	unsetenv("EDITOR");
	assert_string_equal(editor_command(), "vi");
}

/* It is run with just these words, whatever they contain. */
static void test_start(void **state)
{
	struct editor_file f = file_of("$(touch x); a.c", 12, ""), told = file_of("told", 1, "");
	char script[300], text[600] = "", want[600];
	struct err err = {0};
	int status;
	FILE *in;
	pid_t pid;

	(void)state;
	text_append(script, sizeof(script), 0, "#!/bin/sh\nprintf '%%s|' \"$@\" > %s\n", told.path);
	write_file("editor", script, 0755);
	snprintf(script, sizeof(script), "%s/editor -x", dir);
	setenv("EDITOR", script, 1);
	assert_int_equal(editor_start(&f, &pid, &err), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	in = fopen(told.path, "r");
	assert_non_null(in);
	assert_non_null(fgets(text, sizeof(text), in));
	fclose(in);
	text_append(want, sizeof(want), 0, "-x|+12|%s|", f.path);
	assert_string_equal(text, want);
	setenv("EDITOR", "/nowhere/editor", 1);
	assert_int_equal(editor_start(&f, &pid, &err), -ENOENT);
	assert_non_null(strstr(err.text, "/nowhere/editor"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_check),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_command),
		cmocka_unit_test(test_start),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
