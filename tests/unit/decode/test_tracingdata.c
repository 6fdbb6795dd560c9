/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Formats in TRACING_DATA: of either byte order, and sections that end early or lie. */
#include "files/decode/tracingdata.h"

#include <byteswap.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct {
	char bytes[4096];
	size_t len;
	bool swap;
} section;

static void put(const void *bytes, size_t len)
{
	memcpy(section.bytes + section.len, bytes, len);
	section.len += len;
}

static void put4(uint32_t n)
{
	n = section.swap ? bswap_32(n) : n;
	put(&n, sizeof(n));
}

static void put_file(const char *text)
{
	uint64_t len = strlen(text), n = section.swap ? bswap_64(len) : len;

	put(&n, sizeof(n));
	put(text, len);
}

static void make(bool swap)
{
	const char big = (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) != swap;

	section.len = 0;
	section.swap = swap;
	put("\027\010\104tracing0.6", 14);
	put(&big, 1);
	put("\010", 1);
	put4(4096);
	put("header_page", 12);
	put_file("page");
	put("header_event", 13);
	put_file("event");
	put4(1);
	put_file("name: function\nID: 1\nformat:\n");
	put4(2);
	put("raw_syscalls", 13);
	put4(2);
	put_file("name: sys_enter\nID: 348\nformat:\n");
	put_file("name: none\n");
	put("sched", 6);
	put4(1);
	put_file("name: sched_switch\nID: 4294967295\n");
}

static char seen[512];

static int on(void *arg, const struct tracingdata_format *f)
{
	size_t pos = strlen(seen);

	snprintf(seen + pos, sizeof(seen) - pos, "%s %.*s %llu;", f->system, (int)(strcspn(f->text, "\n") - 6), f->text + 6,
		 (unsigned long long)f->id);
	return arg && f->id == 348 ? -ENOMEM : 0;
}

static void both_orders(void **state)
{
	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		make(swap);
		*seen = '\0';
		assert_int_equal(tracingdata_walk(section.bytes, section.len, on, NULL), 0);
		assert_string_equal(seen, "ftrace function 1;raw_syscalls sys_enter 348;raw_syscalls none 0;"
					  "sched sched_switch 4294967295;");
	}
}

static void ends_where_it_is_told(void **state)
{
	(void)state;
	make(false);
	*seen = '\0';
	assert_int_equal(tracingdata_walk(section.bytes, section.len, on, seen), -ENOMEM);
	assert_string_equal(seen, "ftrace function 1;raw_syscalls sys_enter 348;");
}

static int count(void *arg, const struct tracingdata_format *f)
{
	const char *end = section.bytes + section.len;

	assert_true(f->text >= section.bytes && f->text + f->len <= end && f->system + strlen(f->system) < end);
	++*(int *)arg;
	return 0;
}

/* Of each length, in memory of just that. */
static void cut(void **state)
{

	(void)state;
	make(false);
	for (size_t len = 0; len <= section.len; len++) {
		char *copy = malloc(len + 1);
		int n = 0, ret;

		memcpy(copy, section.bytes, len);
		*seen = '\0';
		ret = tracingdata_walk(copy, len, on, NULL);
		for (const char *p = seen; (p = strchr(p, ';')); p++)
			n++;
		assert_int_equal(ret, len == section.len ? 0 : -EBADMSG);
		assert_true(n <= 4);
		free(copy);
	}
}

/* The parts behind the formats are found in either byte order, and in memory of just so many bytes. */
static void rest(void **state)
{
	static const char page[] = "\tfield: local_t commit;\toffset:8;\tsize:4;\tsigned:1;\n";
	struct tracingdata_rest r;

	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		make(swap);
		assert_int_equal(tracingdata_rest(section.bytes, section.len, &r), -EBADMSG); /* it ends with the formats */
		assert_int_equal(r.nkallsyms + r.nprintk, 0);
		assert_int_equal(r.long_size, 8);
		put4(4);
		put("kall", 4);
		put4(3);
		put("pri", 3);
		assert_int_equal(tracingdata_rest(section.bytes, section.len, &r), 0);
		assert_int_equal(r.nkallsyms, 4);
		assert_memory_equal(r.kallsyms, "kall", 4);
		assert_int_equal(r.nprintk, 3);
		assert_memory_equal(r.printk, "pri", 3);
		for (size_t len = section.len - 14; len < section.len; len++) {
			char *copy = malloc(len);

			memcpy(copy, section.bytes, len);
			assert_int_equal(tracingdata_rest(copy, len, &r), -EBADMSG);
			assert_int_equal(r.nprintk, 0);
			free(copy);
		}
	}
	/* The kernel's longs, not those of who recorded. */
	section.len = 0;
	section.swap = false;
	put("\027\010\104tracing0.6", 14);
	put("\0\010", 2);
	put4(4096);
	put("header_page", 12);
	put_file(page);
	put("header_event", 13);
	put_file("event");
	put4(0);
	put4(0);
	assert_int_equal(tracingdata_rest(section.bytes, section.len, &r), -EBADMSG);
	assert_int_equal(r.long_size, 4);
}

static void lies(void **state)
{
	int n = 0;

	(void)state;
	/* No such section. */
	make(false);
	section.bytes[3] = 'x';
	assert_int_equal(tracingdata_walk(section.bytes, section.len, count, &n), -EBADMSG);
	assert_int_equal(n, 0);
	/* As many as there can be; a size that turns over. */
	make(false);
	section.len = 14 + 2 + 4 + 12 + 8 + 4 + 13 + 8 + 5;
	put4(UINT32_MAX);
	put(&(uint64_t){UINT64_MAX}, 8);
	assert_int_equal(tracingdata_walk(section.bytes, section.len, count, &n), -EBADMSG);
	assert_int_equal(n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_orders), cmocka_unit_test(ends_where_it_is_told), cmocka_unit_test(cut),
		cmocka_unit_test(rest), cmocka_unit_test(lies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
