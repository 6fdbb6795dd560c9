/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What perf before 3.0 wrote, in either byte order, and events that a file has no names of. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "files/decode/perfdata.h"
#include "tests/perfimage.h"

static struct perfimage im;
static struct err err;
static struct perfdata_source source = {.read = image_read, .arg = &im};

static struct perfdata *open_image(void)
{
	struct perfdata *p = perfdata_open(&source, &err);

	if (!p)
		fail_msg("%s", err.text);
	return p;
}

#define OLD_ATTR 64
#define OLD_TYPE (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME)

/* A tracepoint of user code, without sample_id_all: its size was not said in 2.6.31. */
static void put_old_attr(void)
{
	uint8_t flags[8] = {im.swap ? 0x06 : 0x60}; /* exclude_kernel, exclude_hv */

	image_put32(&im, PERF_TYPE_TRACEPOINT);
	image_put32(&im, 0);
	image_put64(&im, 7);
	image_put64(&im, 1);
	image_put64(&im, OLD_TYPE);
	image_put64(&im, 0);
	image_put(&im, flags, 8);
	for (int i = 0; i < 2; i++)
		image_put64(&im, 0);
}

static void put_old_type(uint64_t id, const char *name)
{
	image_put64(&im, id);
	image_put_text(&im, name, 64);
}

static void put_old_records(void)
{
	size_t at = image_begin(&im, PERF_RECORD_MMAP, PERF_RECORD_MISC_USER);

	image_put32(&im, 42);
	image_put32(&im, 43);
	image_put64(&im, 0x400000);
	image_put64(&im, 0x1000);
	image_put64(&im, 0x2000);
	image_put_text(&im, "/usr/bin/thing", 16);
	image_end(&im, at);
	at = image_begin(&im, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	image_put64(&im, 0x400100);
	image_put32(&im, 42);
	image_put32(&im, 43);
	image_put64(&im, 102);
	image_end(&im, at);
}

/* Before there was a pid in it. */
static void put_old_build_id(const char *id, const char *name, uint16_t misc)
{
	size_t at = image_begin(&im, 0, misc);

	image_put_text(&im, id, 24);
	image_put_text(&im, name, 24);
	image_end(&im, at);
}

static void start_old(bool swap, bool pipe, size_t header)
{
	im.size = 0;
	im.swap = swap;
	source.seekable = !pipe;
	image_put(&im, "PERFFILE", 8);
	image_put64(&im, header);
}

/* Header, types, attribute, records, and with the longer header the build-ids behind them. */
static void put_old_file(bool swap, size_t header)
{
	const size_t types = header, attrs = types + 2 * 72, data = attrs + OLD_ATTR + 16;

	start_old(swap, false, header);
	image_put64(&im, OLD_ATTR + 16);
	image_put64(&im, attrs);
	image_put64(&im, OLD_ATTR + 16);
	image_put64(&im, data);
	image_put64(&im, 0); /* the size of the data, later */
	image_put64(&im, types);
	image_put64(&im, 2 * 72);
	while (im.size < header)
		image_put64(&im, im.size == 72 ? 1u << 2 : 0);
	put_old_type(8, "sched:sched_wakeup");
	put_old_type(7, "sched:sched_switch");
	put_old_attr();
	image_put64(&im, 0);
	image_put64(&im, 0);
	assert_int_equal(im.size, data);
	put_old_records();
	image_put_at(&im, 48, im.size - data, 8);
	if (header == 72)
		return;
	image_put64(&im, im.size + 16);
	image_put64(&im, 2 * (8 + 48));
	put_old_build_id("0123456789abcdefghij", "[kernel.kallsyms]", PERF_RECORD_MISC_KERNEL);
	put_old_build_id("abcdefghijklmnopqrst", "/usr/bin/thing", PERF_RECORD_MISC_USER);
}

static void expect_old(struct perfdata *p)
{
	struct perfdata_record rec;
	struct record_mmap m;
	struct sample s;

	assert_int_equal(perfdata_events(p), 1);
	assert_string_equal(perfdata_event(p, 0)->name, "sched:sched_switch:u");
	assert_int_equal(perfdata_next(p, &rec, &err), 1);
	assert_int_equal(rec.time, 0);
	assert_true(record_mmap(&perfdata_event(p, 0)->layout, rec.h, &m));
	assert_string_equal(m.filename, "/usr/bin/thing");
	assert_int_equal(perfdata_next(p, &rec, &err), 1);
	assert_int_equal(rec.time, 102);
	assert_true(record_sample(&perfdata_event(p, 0)->layout, rec.h, &s));
	assert_int_equal(s.ip, 0x400100);
	assert_int_equal(s.tid, 43);
	assert_int_equal(perfdata_next(p, &rec, &err), 0);
	assert_int_equal(perfdata_problem(p, NULL)->code, 0);
}

static void old_format(void **state)
{
	(void)state;
	for (int way = 0; way < 4; way++) {
		size_t header = way & 2 ? 104 : 72;
		struct perfdata *p;

		put_old_file(way & 1, header);
		p = open_image();
		expect_old(p);
		assert_int_equal(perfdata_build_ids(p), header == 104 ? 2 : 0);
		if (header == 104) {
			assert_string_equal(perfdata_build_id(p, 0)->path, "[kernel.kallsyms]");
			assert_true(perfdata_build_id(p, 0)->kernel);
			assert_memory_equal(perfdata_build_id(p, 0)->id.bytes, "0123456789abcdefghij", 20);
			assert_string_equal(perfdata_build_id(p, 1)->path, "/usr/bin/thing");
			assert_memory_equal(perfdata_build_id(p, 1)->id.bytes, "abcdefghijklmnopqrst", 20);
		}
		perfdata_close(p);
	}
}

/* The name's field is as long as the name needs (24 bytes in all for a short one), or has all of its 64 bytes. */
static void old_stream(void **state)
{
	(void)state;
	for (int way = 0; way < 4; way++) {
		struct perfdata *p;
		size_t at;

		start_old(way & 1, true, 16);
		at = image_begin(&im, 64, 0);
		put_old_attr();
		image_end(&im, at);
		at = image_begin(&im, 65, 0);
		image_put64(&im, 8);
		image_put_text(&im, "s:other", 8);
		image_end(&im, at);
		assert_int_equal(im.size - at, 24);
		at = image_begin(&im, 65, 0);
		image_put64(&im, 7);
		image_put_text(&im, "sched:sched_switch", way & 2 ? 64 : 24);
		image_end(&im, at);
		put_old_records();
		p = open_image();
		expect_old(p);
		perfdata_close(p);
	}
}

/* --- names of events that the file has none of --------------------------------------------- */

static void modifiers(void **state)
{
	static const struct {
		uint64_t flags; /* bits 4 to 6: exclude_user, _kernel, _hv; 15: precise_ip; 19: exclude_host */
		const char *name;
	} cases[] = {
		{0, "cpu-clock"},
		{1u << 5 | 1u << 6, "cpu-clock:u"},
		{1u << 4 | 1u << 6, "cpu-clock:k"},
		{1u << 6, "cpu-clock:ku"},
		{1u << 4 | 1u << 5, "cpu-clock:h"},
		{3u << 15, "cpu-clock:ppp"},
		{2u << 15 | 1u << 5 | 1u << 6, "cpu-clock:upp"},
		{1u << 20, "cpu-clock"}, /* the host alone, as perf does by itself */
		{1u << 19, "cpu-clock:G"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct perfdata *p;

		image_start(&im, false, PERF_SAMPLE_IP);
		image_put_at(&im, 104 + 40, cases[i].flags, 8);
		image_finish(&im);
		source.seekable = true;
		p = open_image();
		assert_string_equal(perfdata_event(p, 0)->name, cases[i].name);
		perfdata_close(p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(old_format), cmocka_unit_test(old_stream), cmocka_unit_test(modifiers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
