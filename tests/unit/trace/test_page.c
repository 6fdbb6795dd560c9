/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pages of ftrace's ring buffer, made by hand: which records there are, when, and what is lost or
 * damaged. */
#include "measure/trace/page.h"

#include <endian.h>
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

#define SIZE	4096u
#define PADDING 29u
#define EXTEND	30u
#define STAMP	31u
#define MISSED	0x80000000u
#define STORED	0x40000000u
#define BEGIN	1000000u

static uint64_t room[SIZE / 8];
static char *const bytes = (char *)room;
static struct page_layout layout;
static struct page page;
static struct err err;
static size_t fill; /* of the data */

static void put32(size_t at, uint32_t v)
{
	v = layout.big_endian ? htobe32(v) : htole32(v);
	memcpy(bytes + at, &v, 4);
}

static void put64(size_t at, uint64_t v)
{
	v = layout.big_endian ? htobe64(v) : htole64(v);
	memcpy(bytes + at, &v, 8);
}

static void put_long(size_t at, uint64_t v)
{
	if (layout.long_size == 8)
		put64(at, v);
	else
		put32(at, (uint32_t)v);
}

static void begin(bool big_endian, uint8_t long_size)
{
	layout = (struct page_layout){
	    .long_size = long_size, .big_endian = big_endian, .data = 8u + long_size, .size = SIZE};
	memset(room, 0, sizeof(room));
	put64(0, BEGIN);
	fill = 0;
	page_close(&page);
	assert_int_equal(page_open(&page, &layout, &err), 0);
}

static void word(uint32_t v)
{
	put32(layout.data + fill, v);
	fill += 4;
}

static void head(uint32_t type, uint32_t delta)
{
	word(layout.big_endian ? type << 27 | delta : delta << 5 | type);
}

static void data(uint32_t delta, uint32_t words, uint32_t first)
{
	head(words, delta);
	for (uint32_t i = 0; i < words; i++)
		word(first + i);
}

static int load(uint32_t flags)
{
	put_long(8, (fill & 0x07ffffff) | flags);
	memset(&err, 0, sizeof(err));
	return page_load(&page, bytes, SIZE, &err);
}

static void expect(uint64_t time, uint32_t len, uint32_t first)
{
	struct page_record r;
	uint32_t v = 0;

	assert_true(page_next(&page, &r));
	assert_int_equal(r.time, time);
	assert_int_equal(r.len, len);
	assert_ptr_equal(r.data, bytes + layout.data + r.at);
	if (len)
		memcpy(&v, r.data, 4);
	assert_int_equal(layout.big_endian ? be32toh(v) : le32toh(v), first);
}

static void expect_end(void)
{
	struct page_record r;

	assert_false(page_next(&page, &r));
	assert_false(page_next(&page, &r));
}

static int clear(void **state)
{
	(void)state;
	page_close(&page);
	return 0;
}

/* --- what the kernel writes ------------------------------------------------------------------- */

static void whole(bool big_endian, uint8_t long_size)
{
	uint64_t stamp = 0x0234567812345678ull, top = 0xa8ull << 56;

	begin(big_endian, long_size);
	put64(0, top | BEGIN);
	data(0, 2, 11);
	data(5, 28, 22);
	head(PADDING, 7); /* a record that was discarded: its time counts */
	word(8);
	word(0xffffffff);
	data(1, 1, 33);
	head(EXTEND, 3);
	word(4); /* times 2^27 */
	data(2, 1, 44);
	head(STAMP, stamp & 0x07ffffff);
	word((uint32_t)(stamp >> 27));
	data(9, 1, 55);
	head(0, 1);
	word(4 + 120); /* longer than a header can say */
	for (uint32_t i = 0; i < 30; i++)
		word(66 + i);
	assert_int_equal(load(0), 0);
	assert_int_equal(page.records, 6);
	assert_int_equal(page.missed, 0);
	assert_int_equal(page.committed, fill);
	expect(top + BEGIN, 8, 11);
	expect(top + BEGIN + 5, 112, 22);
	expect(top + BEGIN + 13, 4, 33);
	expect(top + BEGIN + 18 + (4ull << 27), 4, 44);
	expect((top | (stamp & ~(0xf8ull << 56))) + 9, 4, 55);
	expect((top | (stamp & ~(0xf8ull << 56))) + 10, 120, 66);
	expect_end();
}

static void records(void **state)
{
	(void)state;
	whole(false, 8);
	whole(true, 8);
	whole(false, 4);
	whole(true, 4);
}

static void nothing(void **state)
{
	(void)state;
	begin(false, 8);
	assert_int_equal(load(0), 0);
	expect_end();
	head(EXTEND, 1);
	word(1);
	assert_int_equal(load(0), 0);
	expect_end();
}

/* Padding without a time: the rest of the page was never written, whatever stands there. */
static void rest(void **state)
{
	(void)state;
	begin(false, 8);
	data(1, 1, 1);
	head(PADDING, 0);
	fill = SIZE - layout.data;
	memset(bytes + layout.data + 12, 0xff, fill - 12);
	assert_int_equal(load(0), 0);
	expect(BEGIN + 1, 4, 1);
	expect_end();
}

static void missed(void **state)
{
	static const uint8_t sizes[] = {8, 4};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		begin(i, sizes[i]);
		data(1, 1, 1);
		assert_int_equal(load(MISSED), 0);
		assert_int_equal(page.missed, PAGE_MISSED_UNKNOWN);
		put_long(layout.data + fill, 4000000000u);
		assert_int_equal(load(MISSED | STORED), 0);
		assert_int_equal(page.missed, 4000000000u);
		expect(BEGIN + 1, 4, 1);
		expect_end();
	}
}

/* The kernel goes on writing behind what was committed when the page was loaded. */
static void grows(void **state)
{
	(void)state;
	begin(false, 8);
	data(1, 1, 1);
	assert_int_equal(load(0), 0);
	data(1, 1, 2);
	put_long(8, fill);
	expect(BEGIN + 1, 4, 1);
	expect_end();
	assert_int_equal(load(0), 0);
	expect(BEGIN + 1, 4, 1);
	expect(BEGIN + 2, 4, 2);
	expect_end();
}

/* --- what is damaged ----------------------------------------------------------------------------
 */

static void no_page(void **state)
{
	(void)state;
	begin(false, 8);
	assert_int_equal(page_load(&page, bytes, 15, &err), -EBADMSG);
	assert_non_null(strstr(err.text, "15 bytes ends within its header"));
	fill = SIZE - layout.data + 4;
	assert_int_equal(load(0), -EBADMSG);
	assert_non_null(strstr(err.text, "claims to have 4084 of data"));
	expect_end();
	fill = 0;
	data(1, 1, 1);
	fill = SIZE - layout.data - 4;
	assert_int_equal(load(MISSED | STORED), -EBADMSG);
	assert_non_null(strstr(err.text, "missed events lies beyond the end"));
	expect_end();
}

static void damaged_at(size_t at)
{
	char where[32];

	assert_int_equal(load(0), -EBADMSG);
	snprintf(where, sizeof(where), "at %zu a record", layout.data + at);
	assert_non_null(strstr(err.text, where));
	assert_int_equal(page.records, 1);
	expect(BEGIN + 1, 4, 1);
	expect_end();
}

static void damaged(void **state)
{
	static const uint32_t heads[] = {0, PADDING, 0, 0, PADDING};
	static const uint32_t arrays[] = {3, 0xffffffff, 0xffffffff, 40, 2};

	(void)state;
	for (unsigned i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		begin(false, 8);
		data(1, 1, 1);
		head(heads[i], 1);
		word(arrays[i]);
		word(0);
		damaged_at(8);
	}
	/* Headers and records that the committed data cut. */
	for (uint32_t type = 0; type <= STAMP; type++) {
		begin(false, 8);
		data(1, 1, 1);
		head(type, 1);
		damaged_at(8);
		fill -= 2;
		damaged_at(8);
	}
}

/* --- header_page --------------------------------------------------------------------------------
 */

static int parse(const char *text)
{
	memset(&err, 0, sizeof(err));
	return page_layout_parse(text, strlen(text), true, &layout, &err);
}

static void header(void **state)
{
	(void)state;
	assert_int_equal(parse("\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
			       "\tfield: local_t commit;\toffset:8;\tsize:4;\tsigned:1;\n"
			       "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
			       "\tfield: char data;\toffset:12;\tsize:65524;\tsigned:1;\n"),
			 0);
	assert_int_equal(layout.long_size, 4);
	assert_int_equal(layout.data, 12);
	assert_int_equal(layout.size, 65536);
	assert_true(layout.big_endian);
}

static void no_header(void **state)
{
	char longest[2000];

	(void)state;
	assert_int_equal(parse(""), -EINVAL);
	assert_int_equal(
	    parse(
		"field: u64 timestamp; offset:0; size:8; field: local_t commit; offset:8; size:8;"),
	    -EINVAL);
	assert_non_null(strstr(err.text, "lacks timestamp"));
	assert_int_equal(
	    parse("field: u64 timestamp; offset:0; size:8; field: local_t commit; offset:8; size:8;"
		  "field: char data; offset:24; size:4072;"),
	    -EINVAL);
	assert_non_null(strstr(err.text, "data at 24"));
	assert_int_equal(
	    parse("field: u64 timestamp; offset:0; size:8; field: local_t commit; offset:8; size:8;"
		  "field: char data; offset:16; size:999999999;"),
	    -EINVAL);
	memset(longest, ' ', sizeof(longest));
	longest[sizeof(longest) - 1] = '\0';
	assert_int_equal(parse(longest), -EINVAL);
}

/* What this machine's kernel says is what page_layout_host assumes. */
static void header_here(void **state)
{
	char text[1024];
	int fd = open("/sys/kernel/tracing/events/header_page", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text));
	struct page_layout host;

	(void)state;
	if (fd >= 0)
		close(fd);
	if (n <= 0) {
		print_message("no /sys/kernel/tracing/events/header_page is readable here\n");
		skip();
	}
	host = page_layout_host(0);
	assert_int_equal(page_layout_parse(text, (size_t)n, host.big_endian, &layout, &err), 0);
	assert_int_equal(layout.long_size, host.long_size);
	assert_int_equal(layout.data, host.data);
	assert_int_equal(layout.size % 4096, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_teardown(records, clear),
	    cmocka_unit_test_teardown(nothing, clear),
	    cmocka_unit_test_teardown(rest, clear),
	    cmocka_unit_test_teardown(missed, clear),
	    cmocka_unit_test_teardown(grows, clear),
	    cmocka_unit_test_teardown(no_page, clear),
	    cmocka_unit_test_teardown(damaged, clear),
	    cmocka_unit_test(header),
	    cmocka_unit_test(no_header),
	    cmocka_unit_test(header_here),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
