/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is changed is found by the sizes in the file, which may lie: every place is checked against the
 * buffer.  Where the data grows or shrinks, the header's size of it and the places of the sections
 * behind it follow, so that these stay readable, too.
 */
#include "tests/fuzz/perfmutate.h"

#include <byteswap.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <string.h>

#define MAGIC	    0x32454c4946524550ull /* "PERFILE2" */
#define HEAD	    104
#define RECORDS	    512  /* that are looked at */
#define RECORD_MAX  4096 /* of one that is moved */
#define FEATURES    64   /* bits of the header's set that are followed */
#define NSEC_MSEC   1000000ull

struct record {
	size_t at, size;
	uint32_t type;
};

struct file {
	uint8_t *data;
	size_t size, max;
	bool swap, pipe;
	size_t from, to; /* the records */
	struct record record[RECORDS];
	size_t nr;
	uint64_t sample_type;
	uint64_t random;
};

/* --- numbers ------------------------------------------------------------------------------ */

static uint64_t draw(struct file *f, uint64_t below)
{
	f->random ^= f->random << 13;
	f->random ^= f->random >> 7;
	f->random ^= f->random << 17;
	return below ? f->random % below : 0;
}

static uint64_t get(const struct file *f, size_t at, size_t len)
{
	uint64_t v = 0;

	if (at > f->size || len > f->size - at)
		return 0;
	for (size_t i = 0; i < len; i++)
		v |= (uint64_t)f->data[at + (f->swap ? len - 1 - i : i)] << 8 * i;
	return v;
}

static void set(struct file *f, size_t at, uint64_t v, size_t len)
{
	if (at > f->size || len > f->size - at)
		return;
	for (size_t i = 0; i < len; i++)
		f->data[at + (f->swap ? len - 1 - i : i)] = (uint8_t)(v >> 8 * i);
}

static const uint64_t hostile[] = {
	0, 1, 2, 7, 8, 42, 127, 128, 129, 255, 4095, 65535, 0x7fffffff, 0x80000000, 0xffffffff,
	INT64_MAX, (uint64_t)INT64_MIN, UINT64_MAX, UINT64_MAX - 1, UINT64_MAX - 4095, 1ull << 40,
	(uint64_t)PERF_CONTEXT_HV, (uint64_t)PERF_CONTEXT_KERNEL, (uint64_t)PERF_CONTEXT_USER,
	(uint64_t)PERF_CONTEXT_GUEST, (uint64_t)PERF_CONTEXT_GUEST_KERNEL,
	(uint64_t)PERF_CONTEXT_GUEST_USER, (uint64_t)PERF_CONTEXT_USER ^ 0x40,
	(uint64_t)PERF_CONTEXT_KERNEL ^ 1, (uint64_t)-4001, (uint64_t)-4002, (uint64_t)-4003,
	0xffffffff81000000, 0xffffffffffffff00, 0x400000, 0x7ffffffff000, 0xffff800000000000,
};

static uint64_t odd_value(struct file *f)
{
	uint64_t v = hostile[draw(f, sizeof(hostile) / sizeof(*hostile))];

	return draw(f, 4) ? v : v ^ 1ull << draw(f, 64);
}

/* --- what is in the file ------------------------------------------------------------------ */

static bool find_data(struct file *f)
{
	uint64_t offset, len;

	if (f->size < 16)
		return false;
	memcpy(&offset, f->data, sizeof(offset));
	f->swap = offset != MAGIC;
	if (f->swap && offset != bswap_64(MAGIC))
		return false;
	f->pipe = get(f, 8, 8) == 16;
	if (f->pipe) {
		f->from = 16;
		f->to = f->size;
		f->sample_type = get(f, 16 + 8 + 24, 8); /* of the first HEADER_ATTR, most often */
		return true;
	}
	offset = get(f, 40, 8);
	len = get(f, 48, 8);
	if (f->size < HEAD || offset < HEAD || offset > f->size)
		return false;
	f->from = (size_t)offset;
	f->to = len && len < f->size - offset ? (size_t)(offset + len) : f->size;
	f->sample_type = get(f, (size_t)get(f, 24, 8) + 24, 8);
	return true;
}

static void find_records(struct file *f)
{
	f->nr = 0;
	for (size_t at = f->from; at + 8 <= f->to && f->nr < RECORDS;) {
		size_t size = (size_t)get(f, at + 6, 2);

		if (size < 8 || size > f->to - at)
			return;
		f->record[f->nr++] = (struct record){at, size, (uint32_t)get(f, at, 4)};
		at += size;
	}
}

/* --- the data grows and shrinks ----------------------------------------------------------- */

/* What stands behind the data has moved by `by` bytes. */
static void follow(struct file *f, size_t by)
{
	uint64_t bits;

	f->to += by;
	if (f->pipe)
		return;
	set(f, 48, f->to - f->from, 8);
	bits = get(f, 72, 8);
	for (size_t i = 0, entry = f->to; i < FEATURES; i++) {
		if (!(bits >> i & 1))
			continue;
		set(f, entry, get(f, entry, 8) + by, 8);
		entry += 16;
	}
}

static void cut(struct file *f, size_t at, size_t len)
{
	memmove(f->data + at, f->data + at + len, f->size - at - len);
	f->size -= len;
	follow(f, 0 - len);
}

static void insert(struct file *f, size_t at, const uint8_t *bytes, size_t len)
{
	if (len > f->max - f->size)
		return;
	memmove(f->data + at + len, f->data + at, f->size - at);
	memcpy(f->data + at, bytes, len);
	f->size += len;
	follow(f, len);
}

/* --- the changes -------------------------------------------------------------------------- */

static struct record *any(struct file *f)
{
	return &f->record[draw(f, f->nr)];
}

static void change_cut(struct file *f)
{
	struct record *r = any(f);

	cut(f, r->at, r->size);
}

static void change_double(struct file *f)
{
	uint8_t bytes[RECORD_MAX];
	struct record *r = any(f);
	size_t at = any(f)->at;

	if (r->size > sizeof(bytes))
		return;
	memcpy(bytes, f->data + r->at, r->size);
	insert(f, at, bytes, r->size);
}

static void change_move(struct file *f)
{
	uint8_t bytes[RECORD_MAX];
	struct record r = *any(f);
	size_t at = any(f)->at;

	if (r.size > sizeof(bytes) || at == r.at)
		return;
	memcpy(bytes, f->data + r.at, r.size);
	cut(f, r.at, r.size);
	insert(f, at > r.at ? at - r.size : at, bytes, r.size);
}

/* Where the time stands: in a sample by its fields, else where the trailer of most files has it. */
static size_t time_at(const struct file *f, const struct record *r)
{
	uint64_t before = f->sample_type & (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID);
	uint64_t behind = f->sample_type & (PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |
					    PERF_SAMPLE_IDENTIFIER);
	size_t off = r->type == PERF_RECORD_SAMPLE
			     ? 8 + 8 * (size_t)__builtin_popcountll(before)
			     : r->size - 8 - 8 * (size_t)__builtin_popcountll(behind);

	return off + 8 <= r->size ? r->at + off : r->at + r->size - 8;
}

static void change_time(struct file *f)
{
	struct record *r = any(f), *other = any(f);
	uint64_t steps[] = {0, 1, NSEC_MSEC, 200 * NSEC_MSEC, 1000000 * NSEC_MSEC};
	uint64_t step = steps[draw(f, sizeof(steps) / sizeof(*steps))];
	uint64_t time = get(f, time_at(f, other), 8);

	set(f, time_at(f, r), !draw(f, 8) ? odd_value(f) : draw(f, 2) ? time + step : time - step, 8);
}

static void change_field(struct file *f)
{
	struct record *r = any(f);
	size_t len = 1u << draw(f, 4), body = r->size - 8;

	if (body >= len)
		set(f, r->at + 8 + draw(f, body / len) * len, odd_value(f), len);
}

/* A word of a record where another one of its kind has another. */
static void change_cross(struct file *f)
{
	struct record *r = any(f), *from = any(f);
	size_t at;

	if (r->type != from->type || r->size < 16)
		return;
	at = 8 + draw(f, (r->size - 8) / 8) * 8;
	set(f, r->at + at, get(f, from->at + at, 8), 8);
}

static void change_header(struct file *f)
{
	static const uint16_t types[] = {1, 2, 3, 4, 5, 7, 9, 10, 11, 12, 13, 14, 15, 17, 18, 20, 64,
					 65, 67, 68, 69, 70, 71, 78, 79, 80, 81, 82, 83, 0xffff};
	static const uint16_t misc[] = {0, 1, 2, 3, 4, 5, 1u << 12, 1u << 13, 1u << 14, 1u << 15,
					0xffff};
	struct record *r = any(f);

	if (draw(f, 2))
		set(f, r->at, types[draw(f, sizeof(types) / sizeof(*types))], 4);
	else
		set(f, r->at + 4, misc[draw(f, sizeof(misc) / sizeof(*misc))], 2);
}

/* A record that says that it is shorter, or longer, than it is; or is. */
static void change_size(struct file *f)
{
	struct record *r = any(f);
	uint64_t size = r->size + 8 * draw(f, 9) - 32;

	if (draw(f, 2)) {
		set(f, r->at + 6, draw(f, 8) ? size : odd_value(f), 2);
	} else if (r->size >= 24) {
		size_t less = 8 * (1 + draw(f, r->size / 8 - 2));

		set(f, r->at + 6, r->size - less, 2);
		cut(f, r->at + r->size - less, less);
	}
}

/* How the events are described, and where what stands in the file. */
static void change_head(struct file *f)
{
	size_t attr = f->pipe ? 24 : (size_t)get(f, 24, 8), at;

	switch (draw(f, 4)) {
	case 0: /* sample_type, read_format and the flags have meaning in every bit */
		at = attr + 24 + 8 * draw(f, 3);
		set(f, at, get(f, at, 8) ^ 1ull << draw(f, 40), 8);
		break;
	case 1:
		set(f, attr + 4 * draw(f, 34), odd_value(f), 4);
		break;
	case 2:
		at = f->pipe ? 16 : 104;
		set(f, at + draw(f, f->from > at ? f->from - at : 64), odd_value(f), 1u << draw(f, 4));
		break;
	default: /* what stands behind the data */
		at = f->to < f->size ? f->to : 16;
		set(f, at + draw(f, f->size - at), odd_value(f), 1u << draw(f, 4));
	}
}

static void change_end(struct file *f)
{
	f->size = f->from + draw(f, f->size - f->from);
}

static void (*const changes[])(struct file *f) = {
	change_cut, change_double, change_move, change_time, change_time, change_field, change_field,
	change_field, change_cross, change_header, change_size, change_head,
};

size_t perfmutate(uint8_t *data, size_t size, size_t max, uint64_t seed)
{
	static struct file f;

	f = (struct file){.data = data, .size = size, .max = max, .random = seed | 1};
	for (uint64_t steps = 1 + draw(&f, 5); steps; steps--) {
		if (!find_data(&f))
			return 0;
		find_records(&f);
		if (!f.nr)
			return 0;
		if (!draw(&f, 64))
			change_end(&f);
		else
			changes[draw(&f, sizeof(changes) / sizeof(*changes))](&f);
	}
	return f.size;
}
