/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This process maps a file, puts anonymous code into the middle of it, and is scanned. */
#include "names/objects/copied.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#define PAGES 8

static char path[64];
static size_t page;
static unsigned char *area;

/* The file, mapped whole to be read, with `code` anonymous pages in the place of its second ones. */
static void map(size_t code, bool at_end)
{
	size_t bytes = (at_end ? code + 1 : PAGES) * page;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	area = mmap(NULL, PAGES * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(area, MAP_FAILED);
	assert_ptr_equal(mmap(area, bytes, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0), area);
	assert_ptr_equal(mmap(area + page, code * page, PROT_READ | PROT_WRITE | PROT_EXEC,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0), area + page);
	close(fd);
}

static void copy_text(size_t code)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	assert_int_equal(pread(fd, area + page, code * page, (off_t)page), code * page);
	close(fd);
}

/* Return how many copied maps the scan finds; *m: the one behind the area's first page. */
static unsigned scan(struct scan *s, struct scan_map **m, bool copied)
{
	unsigned n = 0;

	assert_int_equal((copied ? procscan_read_copied : procscan_read)(getpid(), s), 0);
	*m = NULL;
	for (size_t i = 0; i < s->nmaps; i++) {
		n += s->maps[i].copied;
		if (s->maps[i].start == (uint64_t)(uintptr_t)area + page)
			*m = &s->maps[i];
	}
	assert_non_null(*m);
	return n;
}

static void test_copy(void **state)
{
	struct scan_map *m;
	struct scan s;

	(void)state;
	map(3, false);
	copy_text(3);
	assert_int_equal(scan(&s, &m, true), 1);
	assert_string_equal(m->path, path);
	assert_int_equal(m->pgoff, page);
	assert_true(m->copied && copied_is(getpid(), m));
	procscan_clear(&s);
	/* A caller that does not look at the bytes is told of none. */
	assert_int_equal(scan(&s, &m, false), 0);
	assert_string_equal(m->path, "");
	procscan_clear(&s);
	munmap(area, PAGES * page);
}

/* A JIT's code has taken the place of what was unmapped: here all of it, there a part. */
static void test_other_code(void **state)
{
	struct scan_map *m;
	struct scan s;

	(void)state;
	map(3, false);
	memset(area + page, 0xc3, 3 * page);
	assert_int_equal(scan(&s, &m, true), 1);
	assert_false(copied_is(getpid(), m));
	procscan_anonymous(m);
	assert_string_equal(m->path, "");
	assert_false(m->copied || m->ino || m->pgoff);
	procscan_clear(&s);
	copy_text(3);
	memset(area + 2 * page, 0x90, page);
	assert_int_equal(scan(&s, &m, true), 1);
	assert_false(copied_is(getpid(), m));
	procscan_clear(&s);
	munmap(area, PAGES * page);
}

/* Nothing of the file is behind it: it may be anywhere of it, or of another. */
static void test_no_hole(void **state)
{
	struct scan_map *m;
	struct scan s;

	(void)state;
	map(3, true);
	copy_text(3);
	assert_int_equal(scan(&s, &m, true), 0);
	assert_string_equal(m->path, "");
	procscan_clear(&s);
	munmap(area, PAGES * page);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_copy),
		cmocka_unit_test(test_other_code),
		cmocka_unit_test(test_no_hole),
	};
	FILE *f;
	int ret;

	page = (size_t)sysconf(_SC_PAGESIZE);
	snprintf(path, sizeof(path), "/tmp/test_copied.%d", (int)getpid());
	f = fopen(path, "we");
	for (size_t i = 0; f && i < PAGES * page; i++)
		fputc((int)(i * 2654435761u >> 13 & 0xff), f);
	if (!f || fclose(f))
		return 1;
	ret = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return ret;
}
