/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "files/jit/jitdump_sandbox.h"
#include "tests/sandboxed.h"
#include "tests/jitdumps.h"

static struct jitdumps dump;

static void make(bool swapped)
{
	const struct jitdumps_line lines[] = {
		{0x1000, 10, 1, "/src/a.js"}, {0x1008, 11, 2, "\xff"}, {0x1010, 5, 0, "/src/b.js"},
		{0x1040, 99, 0, "beyond"},
	};

	jitdumps_begin(&dump, swapped, 0, 0);
	jitdumps_debug(&dump, 90, 0x1000, lines, 4);
	jitdumps_load(&dump, 100, 0x1000, 32, 0xc3, 1, "first");
	jitdumps_record(&dump, 77, 101, "later version", 14);
	jitdumps_load(&dump, 110, 0x2000, 16, 0x90, 2, "second");
	jitdumps_move(&dump, 120, 0x2000, 0x3000, 16, 2);
	jitdumps_record(&dump, 3, 130, "", 0);
}

static struct jitdump_file in_memory(size_t len)
{
	return (struct jitdump_file){.fd = -1, .mem = dump.data, .size = len};
}

/* By a file where a helper reads it. */
static struct jitdump_file copy_of(const struct jitdump_file *f)
{
	struct jitdump_file copy = {.fd = memfd_create("jit", MFD_CLOEXEC), .size = f->size};

	assert_int_equal(write(copy.fd, f->mem, f->size), f->size);
	return copy;
}

static int load(const struct jitdump_file *f, struct jitdump_place *at, struct jitdump_batch *b)
{
	struct jitdump_file copy = copy_of(f);
	int ret = jitdump_load(sandbox_allowed() ? &copy : f, at, b, NULL);

	close(copy.fd);
	return ret;
}

static int load_lines(const struct jitdump_file *f, const struct jitdump_place *at, uint64_t offset,
		      uint64_t size, struct jitdump_lines *l)
{
	struct jitdump_file copy = copy_of(f);
	int ret = jitdump_load_lines(sandbox_allowed() ? &copy : f, at, offset, size, l);

	close(copy.fd);
	return ret;
}

static void check_events(const struct jitdump_batch *b)
{
	assert_int_equal(b->nr, 3);
	assert_int_equal(b->bad, 0);
	assert_false(b->more);
	assert_int_equal(b->event[0].kind, JITDUMP_LOAD);
	assert_string_equal(b->names + b->event[0].name, "first");
	assert_int_equal(b->event[0].time, 100);
	assert_int_equal(b->event[0].addr, 0x1000);
	assert_int_equal(b->event[0].size, 32);
	assert_int_equal(b->event[0].index, 1);
	assert_int_equal(dump.data[b->event[0].code], 0xc3);
	assert_int_equal(dump.data[b->event[0].code + 31], 0xc3);
	assert_int_equal(b->event[0].lines, 40);
	assert_string_equal(b->names + b->event[1].name, "second");
	assert_int_equal(dump.data[b->event[1].code], 0x90);
	assert_int_equal(b->event[1].lines, 0);
	assert_int_equal(b->event[2].kind, JITDUMP_MOVE);
	assert_int_equal(b->event[2].from, 0x2000);
	assert_int_equal(b->event[2].addr, 0x3000);
	assert_int_equal(b->event[2].size, 16);
	assert_int_equal(b->event[2].index, 2);
	assert_int_equal(b->event[2].time, 120);
}

static void test_records(void **state)
{
	(void)state;
	for (int swapped = 0; swapped < 2; swapped++) {
		struct jitdump_place at = {0};
		struct jitdump_batch b = {0};
		struct jitdump_file f;

		make(swapped);
		f = in_memory(dump.len);
		assert_int_equal(load(&f, &at, &b), 0);
		check_events(&b);
		assert_true(at.closed);
		assert_int_equal(at.machine, 62);
		assert_int_equal(at.swapped, swapped);
		assert_false(at.arch_time);
		assert_int_equal(at.offset, dump.len);
		jitdump_batch_clear(&b);
	}
}

/* Cut anywhere, it is read on from there, and all comes to the same. */
static void test_grows(void **state)
{
	(void)state;
	make(false);
	for (size_t cut = 0; cut <= dump.len; cut++) {
		struct jitdump_place at = {0};
		struct jitdump_batch b = {0};
		struct jitdump_file f = in_memory(cut);

		assert_int_equal(jitdump_read(&f, &at, &b, NULL), 0);
		f.size = dump.len;
		assert_int_equal(jitdump_read(&f, &at, &b, NULL), 0);
		check_events(&b);
		jitdump_batch_clear(&b);
	}
}

/* What a pass has no memory for is no event, and comes with the next one. */
static void test_no_room(void **state)
{
	struct jitdump_place at = {0};
	struct jitdump_batch b = {0};
	struct budget_figures before, after;
	struct jitdump_file f;
	struct err err;

	(void)state;
	make(false);
	f = in_memory(dump.len);
	budget_figures(&before);
	for (uint64_t room = 0; room < 4096; room += 16) {
		at = (struct jitdump_place){0};
		budget_set_limit(room);
		if (!jitdump_read(&f, &at, &b, NULL))
			break;
		assert_true(budget_refused(&b.budget));
		assert_int_equal(budget_say(&b.budget, "x", &err), -ENOBUFS);
		assert_true(at.offset < dump.len);
		budget_set_limit(BUDGET_DEFAULT);
		assert_int_equal(jitdump_read(&f, &at, &b, NULL), 0);
		check_events(&b);
		jitdump_batch_clear(&b);
	}
	assert_false(budget_refused(&b.budget));
	check_events(&b);
	jitdump_batch_clear(&b);
	budget_set_limit(BUDGET_DEFAULT);
	budget_figures(&after);
	assert_true(after.refusals > before.refusals);
	assert_int_equal(after.taken, before.taken);
}

static void test_file(void **state)
{
	int fd = memfd_create("jit", MFD_CLOEXEC);
	struct jitdump_file f = {.fd = fd};
	struct jitdump_place at = {0};
	struct jitdump_batch b = {0};

	(void)state;
	assert_true(fd >= 0);
	make(false);
	assert_int_equal(write(fd, dump.data, dump.len), (ssize_t)dump.len);
	f.size = dump.len;
	assert_int_equal(jitdump_read(&f, &at, &b, NULL), 0);
	check_events(&b);
	jitdump_batch_clear(&b);

	/* It says to be longer than it is: what is not there is waited for. */
	at = (struct jitdump_place){0};
	f.size = dump.len + 4096;
	assert_int_equal(jitdump_read(&f, &at, &b, NULL), 0);
	check_events(&b);
	jitdump_batch_clear(&b);
	assert_int_equal(ftruncate(fd, 60), 0);
	at = (struct jitdump_place){0};
	assert_int_equal(jitdump_read(&f, &at, &b, NULL), 0);
	assert_int_equal(b.nr, 0);
	jitdump_batch_clear(&b);
	close(fd);
}

static void test_bounds(void **state)
{
	static char name[8192];
	struct jitdump_place at = {0};
	struct jitdump_batch b = {0};
	struct jitdump_file f;

	(void)state;
	memset(name, 'n', sizeof(name) - 1);
	jitdumps_begin(&dump, false, 0, 1);
	jitdumps_load(&dump, 1, 0x1000, 8, 0, 1, name);
	jitdumps_load(&dump, 2, UINT64_MAX - 3, 8, 0, 2, "wraps");
	jitdumps_load(&dump, 3, 0x3000, 0, 0, 3, "empty");
	jitdumps_record(&dump, 0, 4, "short", 6);
	jitdumps_move(&dump, 5, 0x1000, 0x2000, 0, 1);
	jitdumps_record(&dump, 1, 6, "short", 6);
	jitdumps_record(&dump, 2, 7, "short", 6);
	f = in_memory(dump.len);
	assert_int_equal(load(&f, &at, &b), 0);
	assert_true(at.arch_time);
	assert_int_equal(b.nr, 1);
	assert_int_equal(strlen(b.names + b.event[0].name), JITDUMP_NAME_MAX);
	assert_int_equal(b.bad, 5);
	jitdump_batch_clear(&b);
}

static void test_refused(void **state)
{
	struct jitdump_file f = in_memory(40);
	struct jitdump_place at = {0};
	struct jitdump_batch b = {0};

	(void)state;
	make(false);
	dump.data[0] ^= 1;
	assert_int_equal(load(&f, &at, &b), -EPROTO);
	jitdump_batch_clear(&b);
	make(false);
	dump.data[4] = 2; /* version */
	assert_int_equal(load(&f, &at, &b), -EPROTO);
	jitdump_batch_clear(&b);
	make(false);
	dump.data[8] = 16; /* a header shorter than its fields */
	assert_int_equal(load(&f, &at, &b), -EPROTO);
	jitdump_batch_clear(&b);
	jitdumps_begin(&dump, false, 0, 0);
	memset(dump.data + dump.len, 0, 16); /* a record of 0 bytes would never end */
	f = in_memory(dump.len + 16);
	assert_int_equal(load(&f, &at, &b), -EPROTO);
	jitdump_batch_clear(&b);
}

static void test_lines(void **state)
{
	struct jitdump_place at = {0};
	struct jitdump_batch b = {0};
	struct jitdump_lines l = {0};
	struct jitdump_file f;

	(void)state;
	make(true);
	f = in_memory(dump.len);
	assert_int_equal(load(&f, &at, &b), 0);
	assert_int_equal(load_lines(&f, &at, b.event[0].lines, 32, &l), 0);
	assert_int_equal(l.nr, 3);
	assert_int_equal(l.line[0].offset, 0);
	assert_int_equal(l.line[0].line, 10);
	assert_int_equal(l.line[0].column, 1);
	assert_string_equal(l.names + l.line[0].file, "/src/a.js");
	assert_int_equal(l.line[1].offset, 8);
	assert_string_equal(l.names + l.line[1].file, "/src/a.js");
	assert_int_equal(l.line[2].line, 5);
	assert_string_equal(l.names + l.line[2].file, "/src/b.js");
	jitdump_lines_clear(&l);
	assert_int_equal(load_lines(&f, &at, b.event[0].code, 32, &l), -EINVAL);
	assert_int_equal(load_lines(&f, &at, dump.len, 32, &l), -EINVAL);
	jitdump_lines_clear(&l);
	jitdump_batch_clear(&b);
}

/* What Node 18 writes instead of names: not one of such a record's lines is believed. */
static void test_lines_without_names(void **state)
{
	static const char *const names[] = {"\xb9=\x01", "", "a\x7f"};
	struct jitdumps_line lines[] = {{0x1000, 7, 3, "/src/c.js"}, {0x1004, 8, 3, NULL}};
	struct jitdump_place at = {0};
	struct jitdump_batch b = {0};
	struct jitdump_lines l = {0};
	struct jitdump_file f;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		lines[1].file = names[i];
		at = (struct jitdump_place){0};
		jitdumps_begin(&dump, false, 0, 0);
		jitdumps_debug(&dump, 1, 0x1000, lines, 2);
		jitdumps_load(&dump, 1, 0x1000, 16, 0, 1, "JS:*c");
		f = in_memory(dump.len);
		assert_int_equal(load(&f, &at, &b), 0);
		assert_int_equal(load_lines(&f, &at, b.event[0].lines, 16, &l), -EINVAL);
		assert_int_equal(l.nr, 0);
		jitdump_lines_clear(&l);
		jitdump_batch_clear(&b);
	}
}

/* V8 moves all lines by the size of an ELF header. */
static void test_lines_of_v8(void **state)
{
	const struct jitdumps_line line = {0x1044, 7, 3, "/src/c.js"};
	struct jitdump_place at = {0};
	struct jitdump_batch b = {0};
	struct jitdump_lines l = {0};
	struct jitdump_file f;

	(void)state;
	jitdumps_begin(&dump, false, 0xdeadbeef, 0);
	jitdumps_debug(&dump, 1, 0x1000, &line, 1);
	jitdumps_load(&dump, 1, 0x1000, 16, 0, 1, "JS:*c");
	f = in_memory(dump.len);
	assert_int_equal(load(&f, &at, &b), 0);
	assert_int_equal(load_lines(&f, &at, b.event[0].lines, 16, &l), 0);
	assert_int_equal(l.nr, 1);
	assert_int_equal(l.line[0].offset, 4);
	jitdump_lines_clear(&l);
	jitdump_batch_clear(&b);
}

/* 3 ns a count, by the kernel's shift and factor; what would overflow in one product, too. */
static void test_counter(void **state)
{
	struct clock_relation c = {.counter = true, .shift = 10, .mult = 3 << 10, .zero = 1000,
				   .offset = -50};

	(void)state;
	assert_int_equal(clock_from_counter(&c, 0), 1000);
	assert_int_equal(clock_from_counter(&c, 7), 1021);
	assert_int_equal(clock_from_counter(&c, 1ull << 60), 1000 + (3ull << 60));
	assert_int_equal(clock_from_monotonic(&c, 80), 30);
}

static void test_names(void **state)
{
	uint32_t pid = 0;

	(void)state;
	assert_true(jitdump_is_name("/tmp/x/jit-123.dump", &pid));
	assert_int_equal(pid, 123);
	assert_true(jitdump_is_name("jit-7.dump", &pid));
	assert_int_equal(pid, 7);
	assert_false(jitdump_is_name("/tmp/jit-.dump", &pid));
	assert_false(jitdump_is_name("/tmp/jit-12.dump2", &pid));
	assert_false(jitdump_is_name("/tmp/jit-12.dump (deleted)", &pid));
	assert_false(jitdump_is_name("/tmp/jit-12x.dump", &pid));
	assert_false(jitdump_is_name("/tmp/xjit-12.dump", &pid));
	assert_false(jitdump_is_name("/tmp/jit-99999999999999999999.dump", &pid));
	assert_false(jitdump_is_name("/tmp/jit--1.dump", &pid));
}

/* A reply to a request of records from `from` on: one event that was changed, without its last `cut` bytes. */
static bool refuses(uint64_t from, const struct jitdump_event *e, size_t cut, const char *names, size_t len)
{
	struct jitdump_batch b = {.nr = 0};
	struct jitdump_batch there = {
		.event = (struct jitdump_event *)e, .nr = 1, .names = (char *)names, .nnames = len};
	struct jitdump_place at = {.offset = from}, place = {.offset = 100};
	struct wire_out o = {.len = 0};
	struct wire_in in;

	helper_put_error(&o, 0, &(struct err){.code = 0});
	jitdump_put(&o, &place, &there);
	in = (struct wire_in){o.data, o.data + o.len - cut, false};
	jitdump_take(&in, &at, &b, NULL);
	assert_int_equal(at.offset, in.failed ? from : 100);
	assert_int_equal(b.nr, !in.failed);
	jitdump_batch_clear(&b);
	wire_clear(&o);
	return in.failed;
}

static void test_nonsense(void **state)
{
	const struct jitdump_event good = {.kind = JITDUMP_LOAD, .addr = 8, .size = 8, .name = 2};
	struct jitdump_event e;
	static char longer[JITDUMP_NAME_MAX + 2];

	(void)state;
	memset(longer, 'x', sizeof(longer) - 1);
	assert_false(refuses(40, &good, 0, "a\0b", 4));
	assert_false(refuses(40, &good, 0, "a\0bc", 4)); /* ends where the names do */
	assert_true(refuses(101, &good, 0, "a\0b", 4)); /* it goes back */
	assert_true(refuses(40, &good, 0, "a", 2));
	assert_true(refuses(40, &good, 0, "", 0));
	assert_true(refuses(40, &good, 1, "a\0b", 4));
	e = good, e.name = 0;
	assert_true(refuses(40, &e, 0, longer, sizeof(longer)));
	e = good, e.kind = JITDUMP_MOVE + 1;
	assert_true(refuses(40, &e, 0, "a\0b", 4));
	e = good, e.size = 0;
	assert_true(refuses(40, &e, 0, "a\0b", 4));
	e = good, e.size = UINT64_MAX;
	assert_true(refuses(40, &e, 0, "a\0b", 4));
	e = good, e.kind = JITDUMP_MOVE, e.name = 99; /* has none */
	assert_false(refuses(40, &e, 0, "a\0b", 4));
}

/* As people read them, at once. */
static void test_mangled(void **state)
{
	struct jitdump_place at = {0};
	struct jitdump_batch b = {0};
	struct jitdump_file f;

	(void)state;
	jitdumps_begin(&dump, false, 0, 0);
	jitdumps_load(&dump, 1, 0x1000, 16, 0, 1, "_ZN1a1bEv");
	jitdumps_load(&dump, 1, 0x2000, 16, 0, 1, "_ZN1");
	f = in_memory(dump.len);
	assert_int_equal(load(&f, &at, &b), 0);
	assert_int_equal(b.nr, 2);
	assert_string_equal(b.names + b.event[0].name, "a::b");
	assert_string_equal(b.names + b.event[1].name, "_ZN1");
	jitdump_batch_clear(&b);
}

/* A helper without memory for its answer says just that. */
static void test_answer_without_memory(void **state)
{
	struct jitdump_place at = {.offset = 40};
	struct jitdump_batch b = {.nr = 0};
	struct err err = {.code = ENOMEM, .text = "out of memory"};
	struct wire_out out = {.len = 0};
	struct wire_in in;

	(void)state;
	helper_put_error(&out, -ENOMEM, &err);
	in = (struct wire_in){out.data, out.data + out.len, false};
	assert_int_equal(jitdump_take(&in, &at, &b, &err), -ENOMEM);
	assert_false(in.failed);
	assert_int_equal(at.offset, 40);
	assert_string_equal(err.text, "out of memory");
	jitdump_batch_clear(&b);
	wire_clear(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_records), cmocka_unit_test(test_grows),
		cmocka_unit_test(test_no_room), cmocka_unit_test(test_file),    cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_refused), cmocka_unit_test(test_lines),
		cmocka_unit_test(test_lines_of_v8), cmocka_unit_test(test_lines_without_names), cmocka_unit_test(test_counter),
		cmocka_unit_test(test_names), cmocka_unit_test(test_nonsense), cmocka_unit_test(test_mangled),
		cmocka_unit_test(test_answer_without_memory),
	};
	int failed = cmocka_run_group_tests_name("in this process", tests, NULL, NULL);

	return failed + cmocka_run_group_tests_name("by a helper", tests, sandboxed_setup_all, sandboxed_teardown);
}
