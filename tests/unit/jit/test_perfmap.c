/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "files/jit/perfmap.h"
#include "tests/sandboxed.h"
#include "tests/skip.h"

static struct symtab *parse(const char *text, size_t bad)
{
	struct symtab *t = NULL;
	size_t found;

	assert_int_equal(perfmap_parse(text, strlen(text), &t, &found), 0);
	assert_int_equal(found, bad);
	return t;
}

static void check(const struct symtab *t, uint64_t addr, const char *name)
{
	struct symtab_entry e;
	bool found = symtab_find(t, addr, &e);

	assert_int_equal(found, name != NULL);
	if (name)
		assert_string_equal(e.name, name);
}

static void test_lines(void **state)
{
	struct symtab *t = parse("7f00 10 plain\n"
				 "0x8000 0x20 with prefix and spaces\n"
				 "9000\t8\ttabs\r\n"
				 "A0F0 8 LazyCompile:~foo /a b.js:1:2\n"
				 "b000 10 no newline", 0);

	(void)state;
	assert_int_equal(symtab_count(t), 5);
	check(t, 0x7eff, NULL);
	check(t, 0x7f0f, "plain");
	check(t, 0x7f10, NULL);
	check(t, 0x801f, "with prefix and spaces");
	check(t, 0x9007, "tabs");
	check(t, 0xa0f0, "LazyCompile:~foo /a b.js:1:2");
	check(t, 0xb000, "no newline");
	symtab_free(t);
}

static void test_bad_lines(void **state)
{
	struct symtab *t = parse("nonsense\n\n7f00\n7f00 10\n7f00 10 \n7f00 0 sizeless\n"
				 "ffffffffffffffff 10 wraps\n12345678901234567 10 long\n"
				 "7f00 zz bad\n 7f00 10 blank\n0x 10 prefix\n"
				 "7f00 10 good\n", 11);
	struct symtab *none = NULL;
	size_t bad;

	(void)state;
	assert_int_equal(symtab_count(t), 1);
	check(t, 0x7f00, "good");
	symtab_free(t);
	assert_int_equal(perfmap_parse("", 0, &none, &bad), -EINVAL);
	assert_int_equal(perfmap_parse("x\n", 2, &none, &bad), -EINVAL);
	assert_int_equal(bad, 1);
	assert_null(none);
}

static void test_later_wins(void **state)
{
	struct symtab *t = parse("1000 100 old\n"
				 "1000 100 new\n"
				 "2000 100 under\n"
				 "2040 20 middle\n"
				 "3000 100 first\n"
				 "2f80 100 left\n"
				 "4000 10 a\n"
				 "4010 10 b\n"
				 "3ff0 100 over all\n", 0);

	(void)state;
	check(t, 0x1000, "new");
	check(t, 0x10ff, "new");
	check(t, 0x203f, "under");
	check(t, 0x2040, "middle");
	check(t, 0x205f, "middle");
	check(t, 0x2060, "under");
	check(t, 0x20ff, "under");
	check(t, 0x2100, NULL);
	check(t, 0x2f80, "left");
	check(t, 0x307f, "left");
	check(t, 0x3080, "first");
	check(t, 0x3ff0, "over all");
	check(t, 0x4005, "over all");
	check(t, 0x4015, "over all");
	check(t, 0x40ef, "over all");
	check(t, 0x40f0, NULL);
	symtab_free(t);
}

/* Against painting a small space line by line. */
static void test_random(void **state)
{
	uint64_t x = 88172645463325252ull;
	struct symtab_entry e;

	(void)state;
	for (unsigned round = 0; round < 50; round++) {
		int canvas[512];
		char text[200 * 32], name[16];
		size_t pos = 0;
		struct symtab *t;

		memset(canvas, 0xff, sizeof(canvas));
		for (int i = 0; i < 150; i++) {
			unsigned start, size;

			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			start = x % 400;
			size = 1 + (x >> 20) % (round % 2 ? 100 : 10);
			for (unsigned a = start; a < start + size; a++)
				canvas[a] = i;
			pos += (size_t)snprintf(text + pos, sizeof(text) - pos, "%x %x f%d\n",
						start, size, i);
		}
		t = parse(text, 0);
		for (unsigned a = 0; a < 512; a++) {
			assert_int_equal(symtab_find(t, a, &e), canvas[a] >= 0);
			snprintf(name, sizeof(name), "f%d", canvas[a]);
			if (canvas[a] >= 0)
				assert_string_equal(e.name, name);
		}
		symtab_free(t);
	}
}

static void write_file(const char *path, const char *mode, const char *text)
{
	FILE *f = fopen(path, mode);

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static void own_path(char *path, size_t size)
{
	snprintf(path, size, "/tmp/perf-%d.map", (int)getpid());
	unlink(path);
}

/* Our own map, of which there is none at first, at path. */
static void load_first(__typeof__(perfmap_load) *load, struct perfmap_stamp *stamp, char *path,
		       size_t size)
{
	struct symtab *t = NULL;
	struct err err;

	own_path(path, size);
	assert_int_equal(load(getpid(), stamp, &t, &err), -ENOENT);
	write_file(path, "w", "1000 10 one\n");
	assert_int_equal(load(getpid(), stamp, &t, &err), 0);
	check(t, 0x1000, "one");
	symtab_free(t);
}

static void test_file(void **state)
{
	struct perfmap_stamp stamp = {0};
	struct symtab *t = NULL;
	struct err err;
	char path[64];

	(void)state;
	load_first(perfmap_load, &stamp, path, sizeof(path));
	assert_int_equal(perfmap_load(getpid(), &stamp, &t, &err), -EALREADY);
	write_file(path, "a", "1000 10 two\n");
	assert_int_equal(perfmap_load(getpid(), &stamp, &t, &err), 0);
	check(t, 0x1000, "two");
	symtab_free(t);
	unlink(path);
	write_file(path, "w", "1000 10 two and a half\n"); /* another file of its name */
	assert_int_equal(perfmap_load(getpid(), &stamp, &t, &err), 0);
	symtab_free(t);
	write_file(path, "w", "not a map\n");
	assert_int_equal(perfmap_load(getpid(), &stamp, &t, &err), -EINVAL);
	assert_non_null(strstr(err.text, path));
	unlink(path);
}

/* Of one that was recorded only ours and root's counts, whoever runs under its number now. */
static void test_recorded(void **state)
{
	struct perfmap_stamp stamp = {0};
	struct symtab *t = NULL;
	struct err err;
	char path[64];

	(void)state;
	load_first(perfmap_load_recorded, &stamp, path, sizeof(path));
	if (geteuid() == 0) {
		assert_int_equal(chown(path, 1, 1), 0);
		memset(&stamp, 0, sizeof(stamp));
		assert_int_equal(perfmap_load_recorded(getpid(), &stamp, &t, &err), -EPERM);
	}
	unlink(path);
}

static void test_types(void **state)
{
	struct perfmap_stamp stamp = {0};
	struct symtab *t = NULL;
	struct err err;
	char path[64], target[80];

	(void)state;
	own_path(path, sizeof(path));
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(perfmap_load(getpid(), &stamp, &t, &err), -EPERM);
	unlink(path);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(perfmap_load(getpid(), &stamp, &t, &err), -EPERM);
	rmdir(path);
	snprintf(target, sizeof(target), "%s.target", path);
	write_file(target, "w", "1000 10 linked\n");
	assert_int_equal(symlink(target, path), 0);
	assert_int_equal(perfmap_load(getpid(), &stamp, &t, &err), -EPERM);
	assert_int_equal(err.code, EPERM);
	unlink(path);
	unlink(target);
}

/* A process of user 1 with a map of user 2, then of its own, then of root. */
static void test_owner(void **state)
{
	struct perfmap_stamp stamp = {0};
	struct symtab *t = NULL;
	int ready[2], done[2], status;
	char path[64], c = 0;
	pid_t pid;

	(void)state;
	if (geteuid() != 0)
		SKIP("only root can give a file away");
	assert_int_equal(pipe(ready), 0);
	assert_int_equal(pipe(done), 0);
	pid = fork();
	if (pid == 0) {
		close(done[1]);
		if (setresuid(1, 1, 1) || write(ready[1], &c, 1) != 1)
			_exit(1);
		_exit(read(done[0], &c, 1) != 0);
	}
	close(done[0]);
	assert_int_equal(read(ready[0], &c, 1), 1);
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)pid);
	unlink(path);
	write_file(path, "w", "1000 10 one\n");
	assert_int_equal(chown(path, 2, 2), 0);
	assert_int_equal(perfmap_load(pid, &stamp, &t, NULL), -EPERM);
	assert_int_equal(chown(path, 1, 1), 0);
	assert_int_equal(perfmap_load(pid, &stamp, &t, NULL), 0);
	symtab_free(t);
	memset(&stamp, 0, sizeof(stamp));
	assert_int_equal(chown(path, 0, 0), 0);
	assert_int_equal(perfmap_load(pid, &stamp, &t, NULL), 0);
	symtab_free(t);
	unlink(path);
	close(done[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	close(ready[0]);
	close(ready[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),	   cmocka_unit_test(test_bad_lines),
		cmocka_unit_test(test_later_wins), cmocka_unit_test(test_random),
		cmocka_unit_test(test_file),	   cmocka_unit_test(test_recorded), cmocka_unit_test(test_types),
		cmocka_unit_test(test_owner),
	};
	int failed = cmocka_run_group_tests_name("in this process", tests, NULL, NULL);

	return failed + cmocka_run_group_tests_name("by a helper", tests, sandboxed_setup_all, sandboxed_teardown);
}
