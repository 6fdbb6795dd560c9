/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whole reads, and that what the system refuses is counted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/heap.h"
#include "base/io.h"

static void reads_whole(void **state)
{
	int fd = memfd_create("test_io", MFD_CLOEXEC);
	uint64_t before = io_failures();
	char buf[8] = "";

	(void)state;
	assert_int_equal(pwrite(fd, "abcdefgh", 8, 100), 8);
	assert_int_equal(io_read_at(fd, buf, 8, 100), 0);
	assert_memory_equal(buf, "abcdefgh", 8);
	assert_int_equal(io_read_at(fd, buf, 8, 101), -ENODATA);
	assert_int_equal(io_read_at(fd, buf, 0, 4096), 0);
	assert_true(io_failures() == before); /* an end is no failure */
	close(fd);
}

static void reads_text(void **state)
{
	char name[] = "/tmp/test_io.XXXXXX", buf[8];
	int fd = mkstemp(name);

	(void)state;
	assert_int_equal(write(fd, "abcdefgh", 8), 8);
	assert_int_equal(io_read_text(name, buf, sizeof(buf)), 7);
	assert_string_equal(buf, "abcdefg");
	assert_int_equal(ftruncate(fd, 3), 0);
	assert_int_equal(io_read_text(name, buf, sizeof(buf)), 3);
	assert_string_equal(buf, "abc");
	assert_int_equal(io_read_number(name, 7), 7);
	assert_int_equal(pwrite(fd, "-12 3\n", 6, 0), 6);
	assert_int_equal(io_read_number(name, 7), -12);
	close(fd);
	unlink(name);
	assert_int_equal(io_read_text(name, buf, sizeof(buf)), -ENOENT);
	assert_int_equal(io_read_number(name, 7), 7);
	assert_string_equal(buf, "");
	assert_int_equal(io_read_text("/", buf, sizeof(buf)), -EISDIR);
}

static void counts_failures(void **state)
{
	int fd = open("/", O_RDONLY | O_CLOEXEC);
	uint64_t before = io_failures();
	char c;

	(void)state;
	assert_int_equal(io_read_at(fd, &c, 1, 0), -EISDIR);
	assert_int_equal(io_read_at(-1, &c, 1, 0), -EBADF);
	assert_true(io_failures() == before + 2);
	close(fd);
}

static void counts_allocations(void **state)
{
#if defined(HAVE_LINK_WRAP) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
	uint64_t before = heap_failures();
	volatile size_t huge = SIZE_MAX / 4;
	void *p = malloc(16), *none;

	(void)state;
	assert_non_null(p);
	free(p);
	assert_true(heap_failures() == before);
	none = calloc(huge, 1);
	assert_null(none);
	none = reallocarray(NULL, huge, 2);
	assert_null(none);
	assert_true(heap_failures() == before + 2);
#else
	(void)state;
	skip();
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_whole),
		cmocka_unit_test(reads_text),
		cmocka_unit_test(counts_failures),
		cmocka_unit_test(counts_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
