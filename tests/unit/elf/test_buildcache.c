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
#include <unistd.h>

#include <cmocka.h>

#include "files/elf/buildcache.h"
#include "files/elf/elfhead.h"
#include "files/elf/objfile.h"
#include "tests/shell.h"

static char dir[] = "/tmp/ringtop-test-XXXXXX";
static struct build_id id;
static char kept[160]; /* the directory of that build */

#define run(...) shell_run(dir, __VA_ARGS__)

static int fd_of(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* Two builds of a program, the first one in the cache of a home that is dir. */
static int setup(void **state)
{
	size_t at;
	int fd;

	(void)state;
	if (!mkdtemp(dir) || setenv("HOME", dir, 1) ||
	    !run("echo 'int main(void) { return N; }' >a.c && "
		 "cc -DN=1 -Wl,--build-id=sha1 -o first a.c && "
		 "cc -DN=2 -Wl,--build-id=sha1 -o second a.c"))
		return -1;
	fd = fd_of("first");
	id = elfhead_build_id(fd, "/proc/self/exe");
	close(fd);
	at = (size_t)snprintf(kept, sizeof(kept), ".debug/.build-id/%02x/", id.bytes[0]);
	for (unsigned i = 1; i < id.len; i++)
		at += (size_t)snprintf(kept + at, sizeof(kept) - at, "%02x", id.bytes[i]);
	/* perf's entries are links to where it keeps the files of a path */
	return id.len == 20 && run("mkdir -p files .debug/.build-id/%02x && cp first files/elf && "
				   "echo text >files/kallsyms && ln -s ../../../files %s",
				   id.bytes[0], kept) ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	return run("rm -rf \"$PWD\"") ? 0 : -1;
}

static bool same_bytes(int fd, const char *name)
{
	char a[4096], b[4096];
	int other = fd_of(name);
	ssize_t n = pread(fd, a, sizeof(a), 0), m = pread(other, b, sizeof(b), 0);

	close(other);
	return n > 0 && n == m && !memcmp(a, b, (size_t)n);
}

static void test_open(void **state)
{
	struct build_id other = build_id_of(id.bytes, 19), none = {0};
	char text[16] = "";
	int fd = buildcache_open(&id, "elf");

	(void)state;
	assert_true(fd >= 0);
	assert_true(same_bytes(fd, "first"));
	close(fd);
	fd = buildcache_open(&id, "kallsyms");
	assert_int_equal(read(fd, text, sizeof(text)), 5);
	close(fd);
	assert_int_equal(buildcache_open(&id, "vdso"), -ENOENT);
	assert_int_equal(buildcache_open(&other, "elf"), -ENOENT);
	assert_int_equal(buildcache_open(&none, "elf"), -ENOENT);
	assert_true(run("rm files/kallsyms && mkfifo files/kallsyms"));
	assert_int_equal(buildcache_open(&id, "kallsyms"), -EINVAL);
}

static int open_object(const char *name, const struct build_id *want)
{
	char path[128];
	struct objfile f = {.path = path, .id = *want};

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return objfile_open(&f, NULL, NULL);
}

static void test_object(void **state)
{
	struct build_id unknown = {.len = 20, .bytes = {1}}, any = {0};
	int fd = open_object("first", &id);

	(void)state;
	assert_true(same_bytes(fd, "first"));
	close(fd);
	fd = open_object("second", &id); /* built anew since */
	assert_true(same_bytes(fd, "first"));
	close(fd);
	fd = open_object("third", &id); /* gone */
	assert_true(same_bytes(fd, "first"));
	close(fd);
	fd = open_object("second", &any); /* whatever it is */
	assert_true(same_bytes(fd, "second"));
	close(fd);
	assert_int_equal(open_object("second", &unknown), -ESTALE);
	assert_int_equal(open_object("third", &unknown), -ENOENT);
}

/* What lies in the cache is believed for its own build-id, not for its name. */
static void test_lying(void **state)
{
	(void)state;
	assert_true(run("cp second files/elf"));
	assert_int_equal(open_object("third", &id), -ENOENT);
	assert_int_equal(open_object("second", &id), -ESTALE);
	assert_true(run("echo nonsense >files/elf"));
	assert_int_equal(open_object("third", &id), -ENOENT);
	unsetenv("HOME");
	assert_int_equal(buildcache_open(&id, "elf"), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_open), cmocka_unit_test(test_object),
		cmocka_unit_test(test_lying),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
