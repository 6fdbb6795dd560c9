/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files and streams built field by field, each in our byte order and in the other: both must read
 * the same.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>
#include <zstd.h>

#include "base/budget.h"
#include "files/decode/byteswap.h"
#include "files/decode/perfdata.h"
#include "files/decode/perfdata_feature.h"
#include "files/decode/perfdata_ids.h"
#include "tests/perfimage.h"

#define TYPE_TWO   (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
		    PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN)
#define RECORDS    7 /* of put_records, the round among them */

/* --- the builder -------------------------------------------------------------------------- */

static struct perfimage im;
static bool in_pipe;
static size_t longest; /* read: at most so much at once, 0: no limit */
static struct err err;

/* The sample_id of TYPE_TWO. */
static void put_trailer(uint32_t tid, uint64_t time, uint64_t id)
{
	image_put32(&im, 42);
	image_put32(&im, tid);
	image_put64(&im, time);
	image_put32(&im, 3);
	image_put32(&im, 0);
	image_put64(&im, id);
}

static void put_sample(uint64_t time, uint64_t id, uint64_t ip)
{
	size_t at = image_begin(&im, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);

	image_put64(&im, id);
	image_put64(&im, ip);
	image_put32(&im, 42);
	image_put32(&im, 43);
	image_put64(&im, time);
	image_put32(&im, 3);
	image_put32(&im, 0);
	image_put64(&im, 4000);
	image_put64(&im, 2);
	image_put64(&im, (uint64_t)PERF_CONTEXT_USER);
	image_put64(&im, ip);
	image_end(&im, at);
}

static void put_records(void)
{
	size_t at = image_begin(&im, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);

	image_put32(&im, 42);
	image_put32(&im, 43);
	image_put_text(&im, "some comm", 16);
	put_trailer(43, 100, 11);
	image_end(&im, at);
	at = image_begin(&im, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
	image_put32(&im, 42);
	image_put32(&im, 43);
	image_put64(&im, 0x400000);
	image_put64(&im, 0x1000);
	image_put64(&im, 0x2000);
	image_put32(&im, 8);
	image_put32(&im, 1);
	image_put64(&im, 123456);
	image_put64(&im, 1);
	image_put32(&im, 5);
	image_put32(&im, 2);
	image_put_text(&im, "/usr/bin/thing", 16);
	put_trailer(43, 101, 11);
	image_end(&im, at);
	put_sample(102, 11, 0x400100);
	put_sample(103, 22, 0x400200);
	at = image_begin(&im, PERF_RECORD_LOST, 0);
	image_put64(&im, 22);
	image_put64(&im, 99);
	put_trailer(43, 104, 22);
	image_end(&im, at);
	at = image_begin(&im, PERF_RECORD_THROTTLE, 0);
	image_put64(&im, 105);
	image_put64(&im, 11);
	image_put64(&im, 11);
	put_trailer(43, 105, 11);
	image_end(&im, at);
	image_end(&im, image_begin(&im, PERFDATA_FINISHED_ROUND, 0));
}

static void put_string(const char *text)
{
	image_put32(&im, 32);
	image_put_text(&im, text, 32);
}

static void begin_section(size_t table, unsigned i)
{
	image_put_at(&im, table + 16 * i, im.size, 8);
}

static void end_section(size_t table, unsigned i)
{
	uint64_t from = 0;

	for (int k = 0; k < 8; k++)
		from |= (uint64_t)im.data[table + 16 * i + (size_t)(im.swap ? 7 - k : k)] << 8 * k;
	image_put_at(&im, table + 16 * i + 8, im.size - from, 8);
}

static void put_event_desc(void)
{
	image_put32(&im, 2);
	image_put32(&im, PERFIMAGE_ATTR);
	for (uint64_t i = 0; i < 2; i++) {
		image_put_attr(&im, i, TYPE_TWO);
		image_put32(&im, 1);
		put_string(i ? "second:u" : "first");
		image_put64(&im, i ? 22 : 11);
	}
}

static void put_build_id(void)
{
	size_t at = image_begin(&im, 67, 1u << 15 | PERF_RECORD_MISC_USER);

	image_put32(&im, UINT32_MAX);
	image_put(&im, "0123456789abcdef0123", 20);
	image_put(&im, "\x14\0\0\0", 4);
	image_put_text(&im, "/usr/bin/thing", 16);
	image_end(&im, at);
}

/* In the order of their bits: 2, 3, 4, 11, 12, 21. */
static void put_features(void)
{
	size_t table = im.size;

	for (int i = 0; i < 6 * 2; i++)
		image_put64(&im, 0);
	begin_section(table, 0);
	put_build_id();
	end_section(table, 0);
	begin_section(table, 1);
	put_string("some-host");
	end_section(table, 1);
	begin_section(table, 2);
	put_string("6.1.0");
	end_section(table, 2);
	begin_section(table, 3);
	image_put32(&im, 2);
	put_string("perf");
	put_string("record");
	end_section(table, 3);
	begin_section(table, 4);
	put_event_desc();
	end_section(table, 4);
	begin_section(table, 5);
	image_put64(&im, 102);
	image_put64(&im, 103);
	end_section(table, 5);
}

static void start_image(bool swap, bool pipe)
{
	im.size = 0;
	im.swap = swap;
	in_pipe = pipe;
	longest = 0;
	image_put64(&im, 0x32454c4946524550ull);
	image_put64(&im, pipe ? 16 : 104);
}

static void put_file_head(void)
{
	static const uint8_t counts = 2;
	size_t ids = 104, attrs = ids + 8 * counts;

	image_put64(&im, PERFIMAGE_ATTR + 16);
	image_put64(&im, attrs);
	image_put64(&im, counts * (PERFIMAGE_ATTR + 16));
	image_put64(&im, attrs + counts * (PERFIMAGE_ATTR + 16));
	image_put64(&im, 0); /* the size of the data, later */
	image_put64(&im, 0);
	image_put64(&im, 0);
	image_put64(&im, 1u << 2 | 1u << 3 | 1u << 4 | 1u << 11 | 1u << 12 | 1u << 21);
	for (int i = 0; i < 3; i++)
		image_put64(&im, 0);
	image_put64(&im, 11);
	image_put64(&im, 22);
	for (uint64_t i = 0; i < counts; i++) {
		image_put_attr(&im, i, TYPE_TWO);
		image_put64(&im, ids + 8 * i);
		image_put64(&im, 8);
	}
}

static size_t put_file(bool swap)
{
	size_t data;

	start_image(swap, false);
	put_file_head();
	data = im.size;
	put_records();
	image_put_at(&im, 48, im.size - data, 8);
	put_features();
	return data;
}

static void put_update(uint64_t id, const char *name)
{
	size_t at = image_begin(&im, 78, 0);

	image_put64(&im, 2);
	image_put64(&im, id);
	image_put_text(&im, name, 16);
	image_end(&im, at);
}

/* Formats of no tracepoint: the payload of a record, behind it. */
static void put_tracing(void)
{
	const char big = (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) != im.swap;
	size_t at = image_begin(&im, 66, 0);

	image_put32(&im, 72);
	image_put32(&im, 0);
	image_end(&im, at);
	image_put(&im, "\027\010\104tracing0.6", 14);
	image_put(&im, &big, 1);
	image_put(&im, "\010", 1);
	image_put32(&im, 4096);
	image_put(&im, "header_page", 12);
	image_put64(&im, 0);
	image_put(&im, "header_event", 13);
	image_put64(&im, 0);
	image_put32(&im, 0);
	image_put32(&im, 0);
	image_put(&im, "end", 3);
}

static void put_pipe_head(void)
{
	size_t at;

	for (uint64_t i = 0; i < 2; i++) {
		at = image_begin(&im, 64, 0);
		image_put_attr(&im, i, TYPE_TWO);
		image_put64(&im, i ? 22 : 11);
		image_end(&im, at);
	}
	put_update(22, "second:u");
	at = image_begin(&im, 80, 0);
	image_put64(&im, 3);
	put_string("some-host");
	image_end(&im, at);
	put_tracing();
	put_build_id();
}

/* --- reading ------------------------------------------------------------------------------ */

static ssize_t read_image(void *arg, void *buf, size_t len, uint64_t offset)
{
	return image_read(arg, buf, longest && len > longest ? longest : len, offset);
}

static struct perfdata_source source = {.read = read_image, .arg = &im};

static struct perfdata *open_image(void)
{
	source.seekable = !in_pipe;
	err.code = 0;
	return perfdata_open(&source, &err);
}

static void expect_comm_and_map(const struct record_layout *l, struct perfdata *p)
{
	struct perfdata_record rec;
	struct record_comm c;
	struct record_mmap m;

	assert_int_equal(perfdata_next(p, &rec, &err), 1);
	assert_int_equal(rec.time, 100);
	assert_int_equal(rec.event, 0);
	assert_true(record_comm(l, rec.h, &c));
	assert_int_equal(c.tid, 43);
	assert_true(c.exec);
	assert_string_equal(c.comm, "some comm");
	assert_int_equal(perfdata_next(p, &rec, &err), 1);
	assert_true(record_mmap(l, rec.h, &m));
	assert_int_equal(m.addr, 0x400000);
	assert_int_equal(m.pgoff, 0x2000);
	assert_int_equal(m.maj, 8);
	assert_int_equal(m.ino, 123456);
	assert_int_equal(m.prot, 5);
	assert_string_equal(m.filename, "/usr/bin/thing");
	assert_int_equal(record_cpu(l, rec.h), 3);
}

static void expect_sample(const struct record_layout *l, struct perfdata *p, uint32_t event,
			  uint64_t time, uint64_t ip)
{
	struct perfdata_record rec;
	struct sample s;

	assert_int_equal(perfdata_next(p, &rec, &err), 1);
	assert_int_equal(rec.event, event);
	assert_int_equal(rec.time, time);
	assert_int_equal((uintptr_t)rec.h & 7, 0);
	assert_true(record_sample(l, rec.h, &s));
	assert_int_equal(s.ip, ip);
	assert_int_equal(s.pid, 42);
	assert_int_equal(s.tid, 43);
	assert_int_equal(s.period, 4000);
	assert_int_equal(s.nr_chain, 2);
	assert_int_equal(s.chain[0], (uint64_t)PERF_CONTEXT_USER);
	assert_int_equal(s.chain[1], ip);
	assert_int_equal(s.cpu, 3);
}

/* All of put_records, up to the end. */
static void expect_records(struct perfdata *p)
{
	const struct record_layout *l = &perfdata_event(p, 0)->layout;
	struct perfdata_record rec;
	struct record_lost lost;
	uint64_t id;

	expect_comm_and_map(l, p);
	expect_sample(l, p, 0, 102, 0x400100);
	expect_sample(l, p, 1, 103, 0x400200);
	assert_int_equal(perfdata_next(p, &rec, &err), 1);
	assert_true(record_lost(l, rec.h, &lost));
	assert_int_equal(lost.id, 22);
	assert_int_equal(lost.lost, 99);
	assert_int_equal(rec.event, 1);
	assert_int_equal(perfdata_next(p, &rec, &err), 1);
	assert_true(record_throttle(l, rec.h, &id));
	assert_int_equal(id, 11);
	assert_int_equal(perfdata_next(p, &rec, &err), 1);
	assert_int_equal(rec.h->type, PERFDATA_FINISHED_ROUND);
	assert_int_equal(perfdata_next(p, &rec, &err), 0);
	assert_int_equal(perfdata_problem(p, NULL)->code, 0);
}

static void expect_described(struct perfdata *p)
{
	assert_int_equal(perfdata_events(p), 2);
	assert_int_equal(perfdata_event(p, 1)->attr.config, 1);
	assert_int_equal(perfdata_event(p, 1)->attr.sample_period, 4001);
	assert_true(perfdata_event(p, 1)->attr.sample_id_all);
	assert_string_equal(perfdata_event(p, 1)->name, "second:u");
	assert_string_equal(perfdata_info(p)->host, "some-host");
	assert_int_equal(perfdata_build_ids(p), 1);
	assert_string_equal(perfdata_build_id(p, 0)->path, "/usr/bin/thing");
	assert_memory_equal(perfdata_build_id(p, 0)->id.bytes, "0123456789abcdef0123", 20);
	assert_false(perfdata_build_id(p, 0)->kernel);
}

/* --- the tests ---------------------------------------------------------------------------- */

static void file_format(void **state)
{
	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		struct perfdata *p;

		put_file(swap);
		p = open_image();
		assert_non_null(p);
		expect_described(p);
		assert_string_equal(perfdata_event(p, 0)->name, "first");
		assert_string_equal(perfdata_info(p)->release, "6.1.0");
		assert_string_equal(perfdata_info(p)->command, "perf record");
		assert_int_equal(perfdata_info(p)->first, 102);
		assert_int_equal(perfdata_info(p)->last, 103);
		expect_records(p);
		perfdata_close(p);
	}
}

static void pipe_format(void **state)
{
	(void)state;
	for (int way = 0; way < 4; way++) {
		struct perfdata *p;

		start_image(way & 1, true);
		put_pipe_head();
		put_records();
		longest = way & 2 ? 3 : 0; /* a slow writer */
		p = open_image();
		assert_non_null(p);
		expect_described(p);
		assert_string_equal(perfdata_event(p, 0)->name, "cpu-clock");
		expect_records(p);
		perfdata_close(p);
	}
}

/* Packets of `each` bytes, flushed as perf does, their sizes as they come. */
static void pack(const uint8_t *bytes, size_t len, size_t each, uint32_t type)
{
	ZSTD_CStream *z = ZSTD_createCStream();

	assert_false(ZSTD_isError(ZSTD_initCStream(z, 1)));
	for (size_t from = 0; from < len; from += each) {
		char out[16384];
		ZSTD_inBuffer in = {bytes + from, len - from < each ? len - from : each, 0};
		ZSTD_outBuffer o = {out, sizeof(out), 0};
		size_t at = image_begin(&im, type, 0);

		assert_false(ZSTD_isError(ZSTD_compressStream(z, &o, &in)));
		assert_int_equal(ZSTD_flushStream(z, &o), 0);
		if (type == 83)
			image_put64(&im, o.pos);
		image_put(&im, out, o.pos);
		while (type == 83 && im.size % 8)
			image_put(&im, "", 1);
		image_end(&im, at);
	}
	ZSTD_freeCStream(z);
}

static void compressed(void **state)
{
	(void)state;
	for (int way = 0; way < 8; way++) {
		static uint8_t records[4096];
		size_t from, len;
		struct perfdata *p;

		start_image(way & 1, true);
		put_pipe_head();
		from = im.size;
		put_records();
		len = im.size - from;
		memcpy(records, im.data + from, len);
		im.size = from;
		/* a record cut by the packets' ends, or all of them in one */
		pack(records, len, way & 2 ? 100 : len, way & 4 ? 83 : 81);
		p = open_image();
		assert_non_null(p);
		expect_records(p);
		perfdata_close(p);
	}
}

/* The size that perf says of its own buffers bounds nothing. */
static void put_compressed(uint32_t mmap_len)
{
	size_t at = image_begin(&im, 80, 0);

	image_put64(&im, 27);
	for (int i = 0; i < 4; i++)
		image_put32(&im, 0);
	image_put32(&im, mmap_len);
	image_end(&im, at);
}

/* perf record -z22 on a busy machine wrote records that unpack to more than the file's COMP_MMAP_LEN. */
static void more_than_the_file_says(void **state)
{
	static uint8_t records[PERFIMAGE_MAX];
	struct perfdata_record rec;
	struct perfdata *p;
	size_t from, len;

	(void)state;
	start_image(false, true);
	put_pipe_head();
	put_compressed(4096);
	from = im.size;
	for (uint64_t i = 0; i < 500; i++)
		put_sample(1 + i, 11, 0x400000);
	len = im.size - from;
	assert_true(len > 4 * 4096);
	memcpy(records, im.data + from, len);
	im.size = from;
	pack(records, len, len, 81);
	p = open_image();
	assert_non_null(p);
	for (uint64_t i = 0; i < 500; i++) {
		assert_int_equal(perfdata_next(p, &rec, &err), 1);
		assert_int_equal(rec.time, 1 + i);
	}
	assert_int_equal(perfdata_next(p, &rec, &err), 0);
	assert_int_equal(perfdata_problem(p, NULL)->code, 0);
	perfdata_close(p);
}

/* A frame of 1 GiB and a block: each block is 128 KiB of the byte 8, records of 2056 bytes that nobody knows. */
static void zstd_bomb(void **state)
{
	const unsigned blocks = (1u << 30) / (128u << 10) + 1;
	struct perfdata_record rec;
	struct perfdata *p;
	size_t at;

	(void)state;
	start_image(false, true);
	put_pipe_head();
	put_compressed(1u << 31);
	at = image_begin(&im, 81, 0);
	image_put(&im, "\x28\xb5\x2f\xfd\x00\x38", 6); /* zstd's magic; a window of 128 KiB, no size */
	for (unsigned i = 0; i < blocks; i++) {
		uint32_t head = (128u << 10) << 3 | 1u << 1 | (i == blocks - 1);

		image_put(&im, (uint8_t[]){(uint8_t)head, (uint8_t)(head >> 8), (uint8_t)(head >> 16), 8}, 4);
	}
	image_end(&im, at);
	p = open_image();
	assert_non_null(p);
	assert_int_equal(perfdata_next(p, &rec, &err), -EBADMSG);
	assert_non_null(strstr(err.text, "unpack to more than 1073741824 bytes at offset"));
	perfdata_close(p);
}

static void unknown_and_single(void **state)
{
	struct perfdata_record rec;
	struct perfdata *p;

	(void)state;
	start_image(false, true);
	put_pipe_head();
	put_sample(1, 33, 0);
	p = open_image();
	assert_int_equal(perfdata_next(p, &rec, &err), 1);
	assert_int_equal(rec.event, PERFDATA_NO_EVENT);
	perfdata_close(p);

	start_image(false, true);
	image_end(&im, image_begin(&im, 64, 0)); /* no attribute at all */
	assert_null(open_image());
	start_image(false, true);
	{
		size_t at = image_begin(&im, 64, 0);

		image_put_attr(&im, 0, TYPE_TWO);
		image_end(&im, at);
	}
	put_sample(1, 33, 0); /* with one event there is no need to ask */
	p = open_image();
	assert_int_equal(perfdata_next(p, &rec, &err), 1);
	assert_int_equal(rec.event, 0);
	perfdata_close(p);
}

/* Cut anywhere: what was before the cut is read, and the cut is told. */
static void cut_off(void **state)
{
	size_t whole, data;
	int last = 0;

	(void)state;
	data = put_file(false);
	whole = im.size;
	for (size_t size = 0; size < whole; size++) {
		struct perfdata_record rec;
		struct perfdata *p;
		int nr = 0, ret = 0;

		im.size = size;
		p = open_image();
		if (!p) {
			assert_int_equal(err.code, EBADMSG);
			assert_true(size < data);
			continue;
		}
		while ((ret = perfdata_next(p, &rec, &err)) > 0)
			nr++;
		assert_true(nr >= last && nr <= RECORDS);
		last = nr;
		if (ret)
			assert_non_null(strstr(err.text, "cut off at offset"));
		else
			assert_int_equal(nr, RECORDS);
		/* At the least the sections behind are missing. */
		assert_non_null(strstr(perfdata_problem(p, NULL)->text, "at offset"));
		perfdata_close(p);
	}
	assert_int_equal(last, RECORDS);
}

/* Nothing describes an event: that is said, and no damage is claimed. */
static void no_events(void **state)
{
	(void)state;
	put_file(false);
	image_put_at(&im, 32, 0, 8);
	assert_null(open_image());
	assert_string_equal(err.text, "no event is described: the table of events is empty at offset 120");
}

static void broken(void **state)
{
	struct perfdata_record rec;
	char offset[32];
	struct perfdata *p;
	size_t data = put_file(false);

	(void)state;
	image_put_at(&im, data + 6, 0, 2);
	p = open_image();
	assert_int_equal(perfdata_next(p, &rec, &err), -EBADMSG);
	snprintf(offset, sizeof(offset), "at offset %zu", data);
	assert_non_null(strstr(err.text, offset));
	perfdata_close(p);

	put_file(false);
	im.data[0] = 'Q';
	assert_null(open_image());
	assert_int_equal(err.code, EBADMSG);
	put_file(false);
	image_put_at(&im, 48, UINT64_MAX / 2 + 7, 8);
	assert_null(open_image());
	put_file(false);
	image_put_at(&im, 32, UINT64_MAX, 8); /* the size of the attributes */
	assert_null(open_image());

	/* a recording that was killed: no size, no sections, but records */
	data = put_file(false);
	image_put_at(&im, 48, 0, 8);
	im.size = data + 200;
	p = open_image();
	assert_non_null(p);
	assert_int_equal(perfdata_next(p, &rec, &err), 1);
	assert_int_equal(perfdata_problem(p, NULL)->code, EBADMSG);
	perfdata_close(p);

	/* cut within the last record, or room that was claimed for more: it ends there */
	for (int zeros = 0; zeros < 2; zeros++) {
		data = put_file(false);
		image_put_at(&im, 48, 0, 8);
		im.size = data + 200 - 3;
		if (zeros) {
			im.size = data;
			put_sample(102, 11, 0x400100);
			image_put_text(&im, "", 64);
		}
		p = open_image();
		assert_int_equal(perfdata_next(p, &rec, &err), 1);
		while (perfdata_next(p, &rec, &err) > 0)
			;
		assert_int_equal(perfdata_next(p, &rec, &err), 0);
		assert_non_null(strstr(perfdata_problem(p, NULL)->text, "was killed"));
		perfdata_close(p);
	}
}

/* A sample with everything. */
static void put_full_sample(void)
{
	size_t at = image_begin(&im, PERF_RECORD_SAMPLE, 0);

	for (int i = 0; i < 3; i++)
		image_put64(&im, 1000u + (unsigned)i); /* IDENTIFIER, IP, then TID and TIME */
	im.size -= 8;
	image_put32(&im, 1);
	image_put32(&im, 2);
	image_put64(&im, 5);
	for (int i = 0; i < 3; i++)
		image_put64(&im, 6); /* ADDR, ID, STREAM_ID */
	image_put32(&im, 7);
	image_put32(&im, 0);
	image_put64(&im, 8);
	image_put64(&im, 2); /* READ: a group of two */
	image_put64(&im, 70);
	image_put64(&im, 71);
	for (uint64_t i = 0; i < 2; i++) {
		image_put64(&im, 80 + i);
		image_put64(&im, 90 + i);
		image_put64(&im, 1 + i);
	}
	image_put64(&im, 1); /* CALLCHAIN */
	image_put64(&im, 0xabc);
	image_put32(&im, 12); /* RAW */
	image_put(&im, "raw raw raw ", 12);
	image_put64(&im, 1); /* BRANCH_STACK with its index */
	image_put64(&im, 0);
	image_put64(&im, 1);
	image_put64(&im, 2);
	image_put64(&im, 0);
	image_put64(&im, 2); /* REGS_USER */
	image_put64(&im, 31);
	image_put64(&im, 32);
	image_put64(&im, 8); /* STACK_USER */
	image_put(&im, "stack!!!", 8);
	image_put64(&im, 8);
	image_put64(&im, 9); /* WEIGHT */
	image_put64(&im, 10); /* DATA_SRC */
	image_put64(&im, 11); /* TRANSACTION */
	image_put64(&im, 0); /* REGS_INTR: none */
	for (uint64_t i = 0; i < 4; i++)
		image_put64(&im, 12 + i); /* PHYS_ADDR, CGROUP, DATA_PAGE_SIZE, CODE_PAGE_SIZE */
	image_put64(&im, 8); /* AUX */
	image_put(&im, "aux aux ", 8);
	image_end(&im, at);
}

static void assert_bytes(const struct sample *s, enum sample_field field, const void *want, size_t len)
{
	assert_int_equal(s->span[field].len, len);
	assert_memory_equal(sample_at(s, field), want, len);
}

static void every_field(void **state)
{
	struct perf_event_attr attr = {
		.sample_type = (PERF_SAMPLE_MAX - 1) & ~(uint64_t)PERF_SAMPLE_WEIGHT_STRUCT,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_LOST |
			       PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
		.branch_sample_type = PERF_SAMPLE_BRANCH_HW_INDEX,
		.sample_regs_user = 3, .sample_regs_intr = 1, .sample_id_all = 1,
	};
	struct record_layout l;
	uint64_t record[128];

	(void)state;
	record_layout_init_attr(&l, &attr);
	for (int swap = 0; swap < 2; swap++) {
		struct perf_event_header *h = (void *)record;
		struct sample_value v;
		struct sample s;

		im.size = 0;
		im.swap = swap;
		put_full_sample();
		memcpy(record, im.data, im.size);
		if (swap) {
			byteswap_header(h);
			byteswap_record(&l, h);
		}
		assert_int_equal(h->size, im.size);
		assert_true(record_sample(&l, h, &s));
		assert_int_equal(s.tid, 2);
		assert_int_equal(s.period, 8);
		assert_int_equal(s.nr_chain, 1);
		assert_int_equal(s.chain[0], 0xabc);
		/* the last one ends where the record does: all before it had its size */
		assert_int_equal(s.span[SAMPLE_AUX].offset + 8, h->size);
		assert_bytes(&s, SAMPLE_AUX, "aux aux ", 8);
		assert_bytes(&s, SAMPLE_STACK_USER, "stack!!!", 8);
		assert_bytes(&s, SAMPLE_REGS_USER, (uint64_t[]){31, 32}, 16);
		assert_bytes(&s, SAMPLE_BRANCH_STACK, (uint64_t[]){1, 2, 0}, 24);
		assert_int_equal(s.user_abi, 2);
		assert_int_equal(s.cpu, 7);
		assert_true(sample_value(&l, &s, 1, &v));
		assert_int_equal(v.value, 81);
		assert_int_equal(v.id, 91);
		assert_int_equal(v.lost, 2);
		assert_false(sample_value(&l, &s, 2, &v));
		/* shorter by any number of words it is refused */
		for (size_t size = im.size - 8; size >= 8; size -= 8) {
			h->size = (uint16_t)size;
			assert_false(record_sample(&l, h, &s));
		}
	}
}

#define FLOOD_EVENTS 4096
#define FLOOD_EACH   (PERFIMAGE_ATTR + 16)
#define FLOOD_IDS    (32ull << 20) /* bytes: the same ones for every event */

struct flood {
	char *head;
	size_t size;
	uint64_t read;
};

/* Behind the head there are zeros. */
static ssize_t read_flood(void *arg, void *buf, size_t len, uint64_t offset)
{
	struct flood *f = arg;
	size_t from = offset < f->size ? (size_t)offset : f->size;
	size_t n = len < f->size - from ? len : f->size - from;

	if (offset >= f->size + FLOOD_IDS)
		return 0;
	memset(buf, 0, len);
	memcpy(buf, f->head + from, n);
	f->read += len;
	return (ssize_t)len;
}

/* A small file that says of each of many events that its ids are in one large section. */
static void id_flood(void **state)
{
	struct flood f = {.size = 104 + FLOOD_EVENTS * FLOOD_EACH};
	struct perfdata_source from = {.read = read_flood, .arg = &f, .seekable = true};
	struct perfdata *p;

	(void)state;
	f.head = calloc(1, f.size);
	assert_non_null(f.head);
	im.size = 0;
	im.swap = false;
	image_put64(&im, 0x32454c4946524550ull);
	image_put64(&im, 104);
	image_put64(&im, FLOOD_EACH);
	image_put64(&im, 104);
	image_put64(&im, FLOOD_EVENTS * FLOOD_EACH);
	image_put64(&im, f.size);
	image_put64(&im, 8);
	memcpy(f.head, im.data, im.size);
	im.size = 0;
	image_put_attr(&im, 0, PERF_SAMPLE_IP);
	image_put64(&im, f.size);
	image_put64(&im, FLOOD_IDS);
	for (size_t i = 0; i < FLOOD_EVENTS; i++)
		memcpy(f.head + 104 + i * FLOOD_EACH, im.data, im.size);
	err.code = 0;
	p = perfdata_open(&from, &err);
	assert_null(p);
	assert_int_equal(err.code, EBADMSG);
	assert_string_equal(err.text, "its events have more than 1048576 ids in all, the maximum");
	assert_string_equal(err.advice, "record fewer events, threads or CPUs in one file");
	assert_true(f.read < 4 * FLOOD_IDS);
	free(f.head);
}

/* An id for each sample, and a build-id for each file: from the budget. */
static void ids_of_the_budget(void **state)
{
	struct perfdata_ids ids = {0};
	struct perfdata_sections s = {0};
	char said[128];
	char id[64 + 4096] = {0};
	struct budget_figures f;
	uint64_t nr = 0;

	(void)state;
	budget_set_limit(BUDGET_MIN);
	while (!perfdata_ids_add(&ids, nr, 0))
		nr++;
	assert_in_range(nr, 10000, 500000);
	snprintf(said, sizeof(said), "no room for more than %llu ids of its events within --max-memory 16M",
		 (unsigned long long)nr);
	assert_int_equal(perfdata_ids_explain(&ids, ENOMEM, &err), -ENOMEM);
	assert_string_equal(err.text, said);
	assert_non_null(strstr(err.advice, "raise --max-memory"));
	assert_int_equal(perfdata_ids_find(&ids, nr - 1), 0);
	perfdata_ids_clear(&ids);
	memset(id + 28, 'p', 4096);
	assert_int_equal(perfdata_feature_build_id(&s, 0, id, sizeof(id)), 0);
	while (!perfdata_feature_build_id(&s, 0, id, sizeof(id)))
		;
	assert_in_range(s.nids, 100, BUDGET_MIN / 4 / 4096);
	for (size_t i = 0; i < s.nids; i++)
		budget_free(s.ids[i].path);
	budget_free(s.ids);
	budget_figures(&f);
	assert_int_equal(f.taken, 0);
	budget_set_limit(BUDGET_DEFAULT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(file_format), cmocka_unit_test(pipe_format),
		cmocka_unit_test(compressed), cmocka_unit_test(more_than_the_file_says),
		cmocka_unit_test(zstd_bomb),
		cmocka_unit_test(unknown_and_single), cmocka_unit_test(cut_off),
		cmocka_unit_test(no_events), cmocka_unit_test(broken), cmocka_unit_test(every_field),
		cmocka_unit_test(id_flood),
		cmocka_unit_test(ids_of_the_budget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
