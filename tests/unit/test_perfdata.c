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

#include "decode/byteswap.h"
#include "decode/perfdata.h"

#define IMAGE_MAX  65536
#define ATTR_SIZE  128
#define TYPE_TWO   (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
		    PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN)
#define RECORDS    7 /* of put_records, the round among them */

/* --- the builder -------------------------------------------------------------------------- */

struct image {
	uint8_t data[IMAGE_MAX];
	size_t size;
	bool swap, pipe;
	size_t longest; /* read: at most so much at once, 0: no limit */
};

static struct image im;
static struct err err;

static void put(const void *bytes, size_t len)
{
	assert_true(im.size + len <= IMAGE_MAX);
	memcpy(im.data + im.size, bytes, len);
	im.size += len;
}

static void put_number(uint64_t v, size_t len)
{
	uint8_t bytes[8];

	for (size_t i = 0; i < len; i++)
		bytes[im.swap ? len - 1 - i : i] = (uint8_t)(v >> 8 * i);
	put(bytes, len);
}

static void put16(uint16_t v) { put_number(v, 2); }
static void put32(uint32_t v) { put_number(v, 4); }
static void put64(uint64_t v) { put_number(v, 8); }

static void put_at(size_t at, uint64_t v, size_t len)
{
	size_t size = im.size;

	im.size = at;
	put_number(v, len);
	im.size = size;
}

/* Text in a field of `size` bytes. */
static void put_text(const char *text, size_t size)
{
	char field[256] = "";

	assert_true(size <= sizeof(field) && strlen(text) < size);
	memcpy(field, text, strlen(text));
	put(field, size);
}

static size_t begin(uint32_t type, uint16_t misc)
{
	size_t at = im.size;

	put32(type);
	put16(misc);
	put16(0);
	return at;
}

static void end(size_t at)
{
	put_at(at + 6, im.size - at, 2);
}

/* The sample_id of TYPE_TWO. */
static void put_trailer(uint32_t tid, uint64_t time, uint64_t id)
{
	put32(42);
	put32(tid);
	put64(time);
	put32(3);
	put32(0);
	put64(id);
}

static void put_attr(uint64_t config, uint64_t sample_type)
{
	uint8_t flags[8] = {0};
	size_t at = im.size;

	put32(PERF_TYPE_SOFTWARE);
	put32(ATTR_SIZE);
	put64(config);
	put64(4000 + config);
	put64(sample_type);
	put64(0);
	flags[2] = im.swap ? 0x20 : 0x04; /* sample_id_all, the 19th bit from the one end or the other */
	put(flags, 8);
	while (im.size < at + ATTR_SIZE)
		put("", 1);
}

static void put_sample(uint64_t time, uint64_t id, uint64_t ip)
{
	size_t at = begin(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);

	put64(id);
	put64(ip);
	put32(42);
	put32(43);
	put64(time);
	put32(3);
	put32(0);
	put64(4000);
	put64(2);
	put64((uint64_t)PERF_CONTEXT_USER);
	put64(ip);
	end(at);
}

static void put_records(void)
{
	size_t at = begin(PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);

	put32(42);
	put32(43);
	put_text("some comm", 16);
	put_trailer(43, 100, 11);
	end(at);
	at = begin(PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
	put32(42);
	put32(43);
	put64(0x400000);
	put64(0x1000);
	put64(0x2000);
	put32(8);
	put32(1);
	put64(123456);
	put64(1);
	put32(5);
	put32(2);
	put_text("/usr/bin/thing", 16);
	put_trailer(43, 101, 11);
	end(at);
	put_sample(102, 11, 0x400100);
	put_sample(103, 22, 0x400200);
	at = begin(PERF_RECORD_LOST, 0);
	put64(22);
	put64(99);
	put_trailer(43, 104, 22);
	end(at);
	at = begin(PERF_RECORD_THROTTLE, 0);
	put64(105);
	put64(11);
	put64(11);
	put_trailer(43, 105, 11);
	end(at);
	end(begin(PERFDATA_FINISHED_ROUND, 0));
}

static void put_string(const char *text)
{
	put32(32);
	put_text(text, 32);
}

static void begin_section(size_t table, unsigned i)
{
	put_at(table + 16 * i, im.size, 8);
}

static void end_section(size_t table, unsigned i)
{
	uint64_t from = 0;

	for (int k = 0; k < 8; k++)
		from |= (uint64_t)im.data[table + 16 * i + (size_t)(im.swap ? 7 - k : k)] << 8 * k;
	put_at(table + 16 * i + 8, im.size - from, 8);
}

static void put_event_desc(void)
{
	put32(2);
	put32(ATTR_SIZE);
	for (uint64_t i = 0; i < 2; i++) {
		put_attr(i, TYPE_TWO);
		put32(1);
		put_string(i ? "second:u" : "first");
		put64(i ? 22 : 11);
	}
}

static void put_build_id(void)
{
	size_t at = begin(67, 1u << 15 | PERF_RECORD_MISC_USER);

	put32(UINT32_MAX);
	put("0123456789abcdef0123", 20);
	put("\x14\0\0\0", 4);
	put_text("/usr/bin/thing", 16);
	end(at);
}

/* In the order of their bits: 2, 3, 4, 11, 12, 21. */
static void put_features(void)
{
	size_t table = im.size;

	for (int i = 0; i < 6 * 2; i++)
		put64(0);
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
	put32(2);
	put_string("perf");
	put_string("record");
	end_section(table, 3);
	begin_section(table, 4);
	put_event_desc();
	end_section(table, 4);
	begin_section(table, 5);
	put64(102);
	put64(103);
	end_section(table, 5);
}

static void start_image(bool swap, bool pipe)
{
	im.size = 0;
	im.swap = swap;
	im.pipe = pipe;
	im.longest = 0;
	put64(0x32454c4946524550ull);
	put64(pipe ? 16 : 104);
}

static void put_file_head(void)
{
	static const uint8_t counts = 2;
	size_t ids = 104, attrs = ids + 8 * counts;

	put64(ATTR_SIZE + 16);
	put64(attrs);
	put64(counts * (ATTR_SIZE + 16));
	put64(attrs + counts * (ATTR_SIZE + 16));
	put64(0); /* the size of the data, later */
	put64(0);
	put64(0);
	put64(1u << 2 | 1u << 3 | 1u << 4 | 1u << 11 | 1u << 12 | 1u << 21);
	for (int i = 0; i < 3; i++)
		put64(0);
	put64(11);
	put64(22);
	for (uint64_t i = 0; i < counts; i++) {
		put_attr(i, TYPE_TWO);
		put64(ids + 8 * i);
		put64(8);
	}
}

static size_t put_file(bool swap)
{
	size_t data;

	start_image(swap, false);
	put_file_head();
	data = im.size;
	put_records();
	put_at(48, im.size - data, 8);
	put_features();
	return data;
}

static void put_update(uint64_t id, const char *name)
{
	size_t at = begin(78, 0);

	put64(2);
	put64(id);
	put_text(name, 16);
	end(at);
}

static void put_pipe_head(void)
{
	size_t at;

	for (uint64_t i = 0; i < 2; i++) {
		at = begin(64, 0);
		put_attr(i, TYPE_TWO);
		put64(i ? 22 : 11);
		end(at);
	}
	put_update(22, "second:u");
	at = begin(80, 0);
	put64(3);
	put_string("some-host");
	end(at);
	at = begin(66, 0); /* tracing data: its payload stands behind it */
	put32(16);
	put32(0);
	end(at);
	put_text("not a record", 16);
	put_build_id();
}

/* --- reading ------------------------------------------------------------------------------ */

static ssize_t read_image(void *arg, void *buf, size_t len, uint64_t offset)
{
	struct image *from = arg;

	if (offset >= from->size)
		return 0;
	if (len > from->size - offset)
		len = from->size - offset;
	if (from->longest && len > from->longest)
		len = from->longest;
	memcpy(buf, from->data + offset, len);
	return (ssize_t)len;
}

static struct perfdata_source source = {.read = read_image, .arg = &im};

static struct perfdata *open_image(void)
{
	source.seekable = !im.pipe;
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
	assert_int_equal(record_sample_cpu(l, rec.h), 3);
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
	assert_memory_equal(perfdata_build_id(p, 0)->id, "0123456789abcdef0123", 20);
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
		im.longest = way & 2 ? 3 : 0; /* a slow writer */
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
		size_t at = begin(type, 0);

		assert_false(ZSTD_isError(ZSTD_compressStream(z, &o, &in)));
		assert_int_equal(ZSTD_flushStream(z, &o), 0);
		if (type == 83)
			put64(o.pos);
		put(out, o.pos);
		while (type == 83 && im.size % 8)
			put("", 1);
		end(at);
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

static void zstd_bomb(void **state)
{
	static uint8_t zeros[IMAGE_MAX];
	struct perfdata_record rec;
	struct perfdata *p;
	size_t at;

	(void)state;
	start_image(false, true);
	put_pipe_head();
	at = begin(80, 0); /* what a packet may become */
	put64(27);
	for (int i = 0; i < 4; i++)
		put32(0);
	put32(4096);
	end(at);
	pack(zeros, sizeof(zeros), sizeof(zeros), 81);
	p = open_image();
	assert_non_null(p);
	assert_int_equal(perfdata_next(p, &rec, &err), -EBADMSG);
	assert_non_null(strstr(err.text, "more than they may at offset"));
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
	end(begin(64, 0)); /* no attribute at all */
	assert_null(open_image());
	start_image(false, true);
	{
		size_t at = begin(64, 0);

		put_attr(0, TYPE_TWO);
		end(at);
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

static void broken(void **state)
{
	struct perfdata_record rec;
	char offset[32];
	struct perfdata *p;
	size_t data = put_file(false);

	(void)state;
	put_at(data + 6, 0, 2);
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
	put_at(48, UINT64_MAX / 2 + 7, 8);
	assert_null(open_image());
	put_file(false);
	put_at(32, UINT64_MAX, 8); /* the size of the attributes */
	assert_null(open_image());

	/* a recording that was killed: no size, no sections, but records */
	data = put_file(false);
	put_at(48, 0, 8);
	im.size = data + 200;
	p = open_image();
	assert_non_null(p);
	assert_int_equal(perfdata_next(p, &rec, &err), 1);
	assert_int_equal(perfdata_problem(p, NULL)->code, EBADMSG);
	perfdata_close(p);
}

/* A sample with everything. */
static void put_full_sample(void)
{
	size_t at = begin(PERF_RECORD_SAMPLE, 0);

	for (int i = 0; i < 3; i++)
		put64(1000u + (unsigned)i); /* IDENTIFIER, IP, then TID and TIME */
	im.size -= 8;
	put32(1);
	put32(2);
	put64(5);
	for (int i = 0; i < 3; i++)
		put64(6); /* ADDR, ID, STREAM_ID */
	put32(7);
	put32(0);
	put64(8);
	put64(2); /* READ: a group of two */
	put64(70);
	put64(71);
	for (uint64_t i = 0; i < 2; i++) {
		put64(80 + i);
		put64(90 + i);
		put64(1 + i);
	}
	put64(1); /* CALLCHAIN */
	put64(0xabc);
	put32(12); /* RAW */
	put("raw raw raw ", 12);
	put64(1); /* BRANCH_STACK with its index */
	put64(0);
	put64(1);
	put64(2);
	put64(0);
	put64(2); /* REGS_USER */
	put64(31);
	put64(32);
	put64(8); /* STACK_USER */
	put("stack!!!", 8);
	put64(8);
	put64(9); /* WEIGHT */
	put64(10); /* DATA_SRC */
	put64(11); /* TRANSACTION */
	put64(0); /* REGS_INTR: none */
	for (uint64_t i = 0; i < 4; i++)
		put64(12 + i); /* PHYS_ADDR, CGROUP, DATA_PAGE_SIZE, CODE_PAGE_SIZE */
	put64(8); /* AUX */
	put("aux aux ", 8);
	end(at);
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
	uint64_t record[128], v64;

	(void)state;
	record_layout_init_attr(&l, &attr);
	for (int swap = 0; swap < 2; swap++) {
		struct perf_event_header *h = (void *)record;
		struct sample_fields f;
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
		assert_true(record_sample_fields(&l, h, &f));
		/* the last one ends where the record does: all before it had its size */
		assert_int_equal(f.span[SAMPLE_AUX].offset + 8, h->size);
		assert_memory_equal((char *)record + f.span[SAMPLE_AUX].offset, "aux aux ", 8);
		assert_memory_equal((char *)record + f.span[SAMPLE_RAW].offset, "raw raw raw ", 12);
		assert_memory_equal((char *)record + f.span[SAMPLE_STACK_USER].offset, "stack!!!", 8);
		assert_int_equal(f.stack_used, 8);
		assert_int_equal(f.span[SAMPLE_REGS_USER].len, 16);
		memcpy(&v64, (char *)record + f.span[SAMPLE_CGROUP].offset, 8);
		assert_int_equal(v64, 13);
		assert_true(record_sample_value(&l, h, &f, 1, &v));
		assert_int_equal(v.value, 81);
		assert_int_equal(v.id, 91);
		assert_int_equal(v.lost, 2);
		assert_false(record_sample_value(&l, h, &f, 2, &v));
		/* shorter by any number of words it is refused */
		for (size_t size = im.size - 8; size >= 8; size -= 8) {
			h->size = (uint16_t)size;
			assert_false(record_sample_fields(&l, h, &f));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(file_format), cmocka_unit_test(pipe_format),
		cmocka_unit_test(compressed), cmocka_unit_test(zstd_bomb),
		cmocka_unit_test(unknown_and_single), cmocka_unit_test(cut_off),
		cmocka_unit_test(broken), cmocka_unit_test(every_field),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
