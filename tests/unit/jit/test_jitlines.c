/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "files/jit/jitlines.h"
#include "tests/sandboxed.h"
#include "tests/jitdumps.h"

static struct jitdumps dump;
static struct jitdump_place place;
static struct jitdump_file file;

/* Two functions with lines; *records: where. */
static void make(uint64_t records[2])
{
	const struct jitdumps_line first[] = {{0x1004, 10, 0, "a.js"}, {0x1010, 11, 0, "b.js"}};
	const struct jitdumps_line second[] = {{0x2000, 20, 0, "c.js"}, {0x2008, 0, 0, "c.js"}};
	struct jitdump_batch b = {0};

	jitdumps_begin(&dump, false, 0, 0);
	jitdumps_debug(&dump, 1, 0x1000, first, 2);
	jitdumps_load(&dump, 2, 0x1000, 32, 0xc3, 1, "first");
	jitdumps_debug(&dump, 3, 0x2000, second, 2);
	jitdumps_load(&dump, 4, 0x2000, 32, 0xc3, 2, "second");
	file = (struct jitdump_file){.fd = memfd_create("dump", MFD_CLOEXEC), .size = dump.len};
	assert_int_equal(write(file.fd, dump.data, dump.len), dump.len);
	place = (struct jitdump_place){0};
	assert_int_equal(jitdump_read(&file, &place, &b, NULL), 0);
	assert_int_equal(b.nr, 2);
	records[0] = b.event[0].lines;
	records[1] = b.event[1].lines;
	jitdump_batch_clear(&b);
}

static int teardown(void **state)
{
	(void)state;
	return close(file.fd);
}

static void add(struct jitlines *l, uint32_t frame, uint64_t offset, uint64_t record, uint8_t of)
{
	jitlines_add(l, &(struct jitlines_ask){.frame = frame, .offset = offset, .size = 32,
					       .record = record, .dump = of});
}

static void expect(const struct jitlines *l, uint32_t frame, const char *name, uint32_t line)
{
	for (size_t i = 0; i < l->nr; i++) {
		if (l->ask[i].frame != frame)
			continue;
		assert_true(l->ask[i].done);
		assert_int_equal(l->ask[i].line, line);
		if (line)
			assert_string_equal(l->names + l->ask[i].file, name);
		return;
	}
	fail_msg("frame %u is not there", frame);
}

static void test_answers(void **state)
{
	struct jitlines wanted = {0}, l = {0};
	uint64_t record[2];

	(void)state;
	make(record);
	add(&wanted, 1, 4, record[0], 0);
	add(&wanted, 2, 7, record[1], 0);
	add(&wanted, 3, 31, record[0], 0);
	add(&wanted, 4, 0, record[0], 0);  /* before the first line */
	add(&wanted, 5, 8, record[1], 0);  /* line 0: not known */
	add(&wanted, 6, 8, record[1] + 4, 0); /* no record */
	add(&wanted, 7, 4, record[0], 1);  /* another dump's */
	assert_true(jitlines_take(&wanted, &l));
	assert_int_equal(wanted.nr, 0);
	jitlines_read(&l, 0, &file, &place);
	expect(&l, 1, "a.js", 10);
	expect(&l, 2, "c.js", 20);
	expect(&l, 3, "b.js", 11);
	expect(&l, 4, NULL, 0);
	expect(&l, 5, NULL, 0);
	expect(&l, 6, NULL, 0);
	assert_false(l.ask[6].done);
	assert_int_equal(l.ask[6].frame, 7);
	jitlines_clear(&l);
	assert_false(jitlines_take(&wanted, &l));
	jitlines_clear(&wanted);
}

/* A pass has its bounds: what it takes, and how much it reads. */
static void test_bounds(void **state)
{
	struct jitlines wanted = {0}, l = {0};
	uint64_t record[2];

	(void)state;
	make(record);
	for (uint32_t i = 0; i < JITLINES_MAX + 10; i++)
		add(&wanted, i + 1, 4, record[0], 0);
	assert_int_equal(wanted.nr, JITLINES_MAX);
	assert_true(jitlines_take(&wanted, &l));
	assert_int_equal(l.nr, JITLINES_BATCH);
	assert_int_equal(wanted.nr, JITLINES_MAX - JITLINES_BATCH);
	l.bytes = JITLINES_BYTES;
	jitlines_read(&l, 0, &file, &place);
	assert_false(l.ask[0].done);
	l.bytes = 0;
	jitlines_read(&l, 0, &file, &place);
	for (size_t i = 0; i < l.nr; i++)
		assert_int_equal(l.ask[i].line, 10);
	assert_true(l.bytes > 0);
	jitlines_clear(&l);
	jitlines_clear(&wanted);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test_teardown(test_answers, teardown),
					   cmocka_unit_test_teardown(test_bounds, teardown)};
	int failed = cmocka_run_group_tests_name("in this process", tests, NULL, NULL);

	return failed + cmocka_run_group_tests_name("by a helper", tests, sandboxed_setup_all, sandboxed_teardown);
}
