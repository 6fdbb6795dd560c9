/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of ringtop itself: from a helper the same as from this process, in order and at random, with the file kept. */
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

#include "files/elf/elfsym.h"
#include "files/elf/linecache.h"
#include "tests/sandboxed.h"

#define NR 4000

static uint64_t addrs[NR];
static struct linecache_found here, there;
static int fd = -1;

static struct image image(void)
{
	return image_from_fd(fd, "/proc/self/exe", NULL, NULL);
}

/* Every function's beginning and middle. */
static int setup(void **state)
{
	struct image im;
	struct elfsym e;
	size_t nr;

	(void)state;
	fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	im = image();
	if (elfsym_read(&im, &e, NULL))
		return -1;
	nr = symtab_count(e.symtab);
	for (size_t i = 0; i < NR; i++) {
		struct symtab_entry s;

		symtab_at(e.symtab, i * nr / NR, &s);
		addrs[i] = s.addr + (i % 2 ? s.size / 2 : 0);
	}
	elfsym_clear(&e);
	image_close(&im);
	return 0;
}

static void find(struct linecache_found *f)
{
	struct image im = image();
	struct err err;

	assert_int_equal(linecache_find(&im, addrs, NR, addrs[NR / 2], addrs[NR / 2 + 200], f, &err), 0);
	image_close(&im);
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static void compare(void)
{
	assert_int_equal(here.nframes, there.nframes);
	assert_memory_equal(here.depth, there.depth, NR);
	for (size_t i = 0; i < here.nframes; i++) {
		const struct lines_frame *a = &here.frames[i], *b = &there.frames[i];

		assert_true(same_text(a->name, b->name) && same_text(a->file, b->file) && a->line == b->line);
	}
	assert_int_equal(here.nrows, there.nrows);
	for (size_t i = 0; i < here.nrows; i++) {
		const struct lines_row *a = &here.rows[i], *b = &there.rows[i];

		assert_true(a->addr == b->addr && same_text(a->file, b->file) && a->line == b->line);
	}
}

static void test_same(void **state)
{
	size_t named = 0;

	(void)state;
	find(&here);
	for (size_t i = 0; i < here.nframes; i++)
		named += here.frames[i].file != NULL;
	assert_true(named > NR / 4);
	assert_true(here.nrows);
	sandboxed_setup_all(NULL);
	for (unsigned again = 0; again < 2; again++) {
		find(&there);
		compare();
		linecache_clear(&there);
	}
	linecache_clear(&here);
}

static void test_no_lines(void **state)
{
	int none = open("/dev/null", O_RDONLY | O_CLOEXEC);
	struct image im = image_from_fd(none, "/dev/null", NULL, NULL);
	struct linecache_found f;
	struct err err;

	(void)state;
	assert_true(linecache_find(&im, addrs, NR, 0, 0, &f, &err) < 0);
	assert_true(*err.text);
	image_close(&im);
	close(none);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_same), cmocka_unit_test(test_no_lines)};

	return cmocka_run_group_tests(tests, setup, sandboxed_teardown);
}
