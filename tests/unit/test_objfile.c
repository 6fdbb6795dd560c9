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
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "resolve/objfile.h"
#include "tests/skip.h"

static char dir[] = "/tmp/ringtop-test-XXXXXX";
static char path[64];

static uint64_t make_file(const char *text)
{
	struct stat st;
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fstat(fileno(f), &st), 0);
	assert_int_equal(fclose(f), 0);
	return (uint64_t)st.st_ino;
}

static int setup(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/object", dir);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(dir);
}

static int clean(void **state)
{
	(void)state;
	unlink(path);
	rmdir(path);
	return 0;
}

static void check_opens(const struct objfile *f, const char *text)
{
	struct err err;
	char buf[32] = "";
	int fd = objfile_open(f, &err);

	assert_true(fd >= 0);
	assert_int_equal(read(fd, buf, sizeof(buf) - 1), strlen(text));
	assert_string_equal(buf, text);
	close(fd);
}

static void check_fails(const struct objfile *f, int code)
{
	struct err err = {0};

	assert_int_equal(objfile_open(f, &err), -code);
	assert_int_equal(err.code, code);
	assert_non_null(strstr(err.text, f->path));
	assert_int_equal(objfile_open(f, NULL), -code);
}

static void test_by_path(void **state)
{
	uint64_t ino = make_file("first");
	struct objfile f = {.pid = getpid(), .ino = ino, .path = path};

	(void)state;
	check_opens(&f, "first");
	f.ino = 0;
	check_opens(&f, "first");
	f.ino = ino + 1;
	check_fails(&f, ESTALE);
	f.pid = 0; /* the process is not known */
	check_fails(&f, ESTALE);
	f.ino = ino;
	check_opens(&f, "first");
}

static void test_deleted(void **state)
{
	uint64_t ino = make_file("kept");
	char deleted[80], other[80];
	struct objfile f = {.pid = getpid(), .ino = ino, .path = deleted};

	(void)state;
	snprintf(deleted, sizeof(deleted), "%s (deleted)", path);
	check_opens(&f, "kept"); /* has another name, or was put back: the inode tells */
	f.ino = 0;
	check_fails(&f, ENOENT);
	snprintf(other, sizeof(other), "%s/other", dir);
	f.ino = ino;
	assert_int_equal(rename(path, other), 0); /* keeps the inode number in use */
	make_file("replaced");
	check_fails(&f, ESTALE);
	unlink(path);
	check_fails(&f, ENOENT);
	unlink(other);
}

/* A mapped file that was deleted and replaced is found through the mapping. */
static void test_mapping(void **state)
{
	uint64_t ino = make_file("mapped");
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct objfile f = {.pid = getpid(), .ino = ino, .path = path};
	char link[96];
	void *map;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	(void)state;
	map = mmap(NULL, page, PROT_READ, MAP_PRIVATE, fd, 0);
	assert_ptr_not_equal(map, MAP_FAILED);
	close(fd);
	unlink(path);
	make_file("replaced");
	f.start = (uintptr_t)map;
	f.end = f.start + page;
	snprintf(link, sizeof(link), "/proc/self/map_files/%llx-%llx",
		 (unsigned long long)f.start, (unsigned long long)f.end);
	fd = open(link, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		munmap(map, page);
		SKIP("no right to open map_files");
	}
	close(fd);
	check_opens(&f, "mapped");
	munmap(map, page);
	check_fails(&f, ESTALE);
}

static void test_not_files(void **state)
{
	static const char *const names[] = {"[heap]", "[vdso]", "//anon", "", "relative"};
	struct objfile f = {.pid = getpid()};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		f.path = names[i];
		check_fails(&f, ENOENT);
	}
	f.path = "/dev/null";
	check_fails(&f, EINVAL);
	f.path = path;
	assert_int_equal(mkfifo(path, 0600), 0);
	check_fails(&f, EINVAL); /* and does not wait for a writer */
	unlink(path);
	assert_int_equal(mkdir(path, 0700), 0);
	check_fails(&f, EINVAL);
}

/* Regular files all, and none on a disk: to read some of them does something, or never ends. */
static void test_kernels_own(void **state)
{
	static const char *const names[] = {"/proc/version", "/proc/self/status", "/sys/kernel/notes"};
	struct objfile f = {.pid = getpid()};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (access(names[i], R_OK))
			SKIP("no %s here", names[i]);
		f.path = names[i];
		check_fails(&f, EINVAL);
		f.path = path; /* as a debuglink's name may be a link */
		assert_int_equal(symlink(names[i], path), 0);
		check_fails(&f, EINVAL);
		unlink(path);
	}
}

static void test_gone_process(void **state)
{
	uint64_t ino = make_file("left");
	struct objfile f = {.pid = 0x3ffffff0, .ino = ino, .start = 0x1000, .end = 0x2000,
			    .path = path};

	(void)state;
	check_opens(&f, "left");
	f.ino = ino + 1;
	check_fails(&f, ESTALE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_by_path, clean),
		cmocka_unit_test_teardown(test_deleted, clean),
		cmocka_unit_test_teardown(test_mapping, clean),
		cmocka_unit_test_teardown(test_not_files, clean),
		cmocka_unit_test_teardown(test_kernels_own, clean),
		cmocka_unit_test_teardown(test_gone_process, clean),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
