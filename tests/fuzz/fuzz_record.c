/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sample type (u64; its highest bits are the read format, too), then bytes as they might come out of a ring: the cursor and every decoder
 * on each record, whatever its type says.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/capture/cursor.h"
#include "files/decode/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile uint64_t sink;

/* What a decoder hands out must lie inside the record. */
static void inside(const struct perf_event_header *h, const void *p, size_t len)
{
	const char *start = (const char *)h, *at = p;

	if (at < start || at + len > start + h->size)
		abort();
}

static void use_string(const struct perf_event_header *h, const char *s)
{
	inside(h, s, strlen(s) + 1);
}

static void use_values(const struct record_layout *l, const struct sample *s)
{
	struct sample_times times;
	struct sample_value v;

	inside(s->h, sample_at(s, SAMPLE_READ), s->span[SAMPLE_READ].len);
	for (uint64_t i = 0; sample_value(l, s, i, &v); i++)
		sink += v.value + v.id + v.lost;
	if (sample_times(l, s, &times))
		sink += times.enabled + times.running;
}

static void decode_sample(const struct record_layout *l, const struct perf_event_header *h)
{
	struct sample s;
	uint64_t cookie;

	if (!record_sample(l, h, &s))
		return;
	use_values(l, &s);
	if (s.nr_chain)
		inside(h, s.chain, s.nr_chain * sizeof(*s.chain));
	for (uint64_t i = 0; i < s.nr_chain; i++)
		sink += s.chain[i];
	sink += sample_defers(&s, &cookie) ? cookie : 0;
	sink += s.ip + s.time + s.identifier + s.period + s.pid + s.tid;
}

static void decode_other(const struct record_layout *l, const struct perf_event_header *h)
{
	struct record_ksymbol k;
	struct record_mmap m;
	struct record_comm c;
	struct record_task t;
	struct record_lost lost;
	struct record_aux aux;
	struct record_deferred chain;
	struct sample read;
	uint64_t id;

	if (record_read(l, h, &read))
		use_values(l, &read);
	if (record_mmap(l, h, &m)) {
		use_string(h, m.filename);
		if (m.addr + m.len <= m.addr)
			abort();
	}
	if (record_comm(l, h, &c))
		use_string(h, c.comm);
	if (record_ksymbol(l, h, &k))
		use_string(h, k.name);
	if (record_task(l, h, &t))
		sink += t.pid;
	if (record_lost(l, h, &lost))
		sink += lost.lost;
	if (record_aux(l, h, &aux))
		sink += aux.offset + aux.size + aux.flags;
	if (record_deferred(l, h, &chain)) {
		inside(h, chain.ips, chain.nr * sizeof(*chain.ips));
		for (uint64_t i = 0; i < chain.nr; i++)
			sink += chain.ips[i];
	}
	if (record_throttle(l, h, &id))
		sink += id;
	sink += record_time(l, h);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct perf_event_header *h;
	struct cursor c = {.pos = 0};
	struct record_layout l;
	uint64_t type;
	char *copy;

	if (size < sizeof(type))
		return 0;
	memcpy(&type, data, sizeof(type));
	record_layout_init(&l, type);
	/* Bits of the type that mean nothing yet. */
	l.read_format = type >> 48 & (PERF_FORMAT_MAX - 1);
	c.len = size - sizeof(type);
	copy = malloc(c.len ? c.len : 1); /* aligned, as a ring's copy is */
	if (!copy)
		return 0;
	memcpy(copy, data + sizeof(type), c.len);
	c.data = copy;
	while (cursor_next(&c, &h) == CURSOR_RECORD) {
		decode_sample(&l, h);
		decode_other(&l, h);
		record_mend(&l, (struct perf_event_header *)(void *)(copy + ((const char *)h - copy)));
		decode_other(&l, h);
	}
	if (c.pos > c.len)
		abort();
	free(copy);
	return 0;
}
