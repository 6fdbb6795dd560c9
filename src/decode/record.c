/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "decode/record.h"

#include <string.h>

#define AT(h, off) ((const char *)(h) + (off))

static uint64_t load64(const struct perf_event_header *h, size_t off)
{
	uint64_t v;

	memcpy(&v, AT(h, off), sizeof(v));
	return v;
}

static uint32_t load32(const struct perf_event_header *h, size_t off)
{
	uint32_t v;

	memcpy(&v, AT(h, off), sizeof(v));
	return v;
}

void record_layout_init(struct record_layout *l, uint64_t sample_type)
{
	/* The kernel's order in a sample, each one u64; the trailer's order is TID first. */
	const struct {
		uint64_t bit;
		uint16_t *offset;
	} fields[] = {
		{PERF_SAMPLE_IDENTIFIER, &l->identifier}, {PERF_SAMPLE_IP, &l->ip},
		{PERF_SAMPLE_TID, &l->tid},		  {PERF_SAMPLE_TIME, &l->time},
		{PERF_SAMPLE_ADDR, &l->addr},		  {PERF_SAMPLE_ID, &l->id},
		{PERF_SAMPLE_STREAM_ID, NULL},		  {PERF_SAMPLE_CPU, &l->cpu},
		{PERF_SAMPLE_PERIOD, &l->period},
	};
	static const uint64_t trailer[] = {PERF_SAMPLE_TID, PERF_SAMPLE_TIME, PERF_SAMPLE_ID,
					   PERF_SAMPLE_STREAM_ID, PERF_SAMPLE_CPU,
					   PERF_SAMPLE_IDENTIFIER};

	*l = (struct record_layout){.sample_type = sample_type,
				    .fixed = sizeof(struct perf_event_header)};
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
		if (!(sample_type & fields[i].bit))
			continue;
		if (fields[i].offset)
			*fields[i].offset = l->fixed;
		l->fixed += 8;
	}
	for (size_t i = 0; i < sizeof(trailer) / sizeof(*trailer); i++) {
		if (!(sample_type & trailer[i]))
			continue;
		if (trailer[i] == PERF_SAMPLE_TID)
			l->trailer_tid = l->trailer + 1;
		if (trailer[i] == PERF_SAMPLE_TIME)
			l->trailer_time = l->trailer + 1;
		l->trailer += 8;
	}
}

static bool sample_chain(const struct record_layout *l, const struct perf_event_header *h,
			 struct sample *s)
{
	size_t off = l->fixed;

	s->chain = NULL;
	s->nr_chain = 0;
	if (!(l->sample_type & PERF_SAMPLE_CALLCHAIN))
		return true;
	if (h->size < off + 8)
		return false;
	s->nr_chain = load64(h, off);
	/* Records are 8-byte aligned where they are walked, so the chain can be used in place. */
	s->chain = (const uint64_t *)(const void *)AT(h, off + 8);
	return s->nr_chain <= (h->size - off - 8) / 8;
}

bool record_sample(const struct record_layout *l, const struct perf_event_header *h,
		   struct sample *s)
{
	if (h->size < l->fixed)
		return false;
	s->ip = l->ip ? load64(h, l->ip) : 0;
	s->time = l->time ? load64(h, l->time) : 0;
	s->identifier = l->identifier ? load64(h, l->identifier) : 0;
	s->period = l->period ? load64(h, l->period) : 0;
	s->pid = l->tid ? load32(h, l->tid) : 0;
	s->tid = l->tid ? load32(h, l->tid + 4) : 0;
	return sample_chain(l, h, s);
}

/* Bytes of the body between the header and the sample_id trailer; 0: too short. */
static size_t body_size(const struct record_layout *l, const struct perf_event_header *h)
{
	size_t around = sizeof(*h) + l->trailer;

	return h->size > around ? h->size - around : 0;
}

/* A NUL-terminated string from off to the body's end. */
static bool body_string(const struct record_layout *l, const struct perf_event_header *h,
			size_t off, const char **str)
{
	size_t end = sizeof(*h) + body_size(l, h);

	*str = AT(h, off);
	return off < end && memchr(*str, '\0', end - off);
}

bool record_mmap(const struct record_layout *l, const struct perf_event_header *h,
		 struct record_mmap *m)
{
	bool two = h->type == PERF_RECORD_MMAP2;
	size_t name = two ? 72 : 40;

	if (body_size(l, h) < name + 1 - sizeof(*h))
		return false;
	*m = (struct record_mmap){.pid = load32(h, 8), .tid = load32(h, 12), .addr = load64(h, 16),
				  .len = load64(h, 24), .pgoff = load64(h, 32)};
	if (two) {
		/* With MISC_MMAP_BUILD_ID these bytes are a build-id instead of the inode. */
		if (!(h->misc & PERF_RECORD_MISC_MMAP_BUILD_ID)) {
			m->maj = load32(h, 40);
			m->min = load32(h, 44);
			m->ino = load64(h, 48);
		}
		m->prot = load32(h, 64);
	}
	return m->len && m->addr + m->len > m->addr && body_string(l, h, name, &m->filename);
}

bool record_comm(const struct record_layout *l, const struct perf_event_header *h,
		 struct record_comm *c)
{
	if (body_size(l, h) < 9)
		return false;
	c->pid = load32(h, 8);
	c->tid = load32(h, 12);
	c->exec = h->misc & PERF_RECORD_MISC_COMM_EXEC;
	return body_string(l, h, 16, &c->comm);
}

bool record_task(const struct record_layout *l, const struct perf_event_header *h,
		 struct record_task *t)
{
	if (body_size(l, h) < 24)
		return false;
	*t = (struct record_task){load32(h, 8), load32(h, 12), load32(h, 16), load32(h, 20)};
	return true;
}

bool record_ksymbol(const struct record_layout *l, const struct perf_event_header *h,
		    struct record_ksymbol *k)
{
	uint16_t flags;

	if (body_size(l, h) < 17)
		return false;
	memcpy(&flags, AT(h, 22), sizeof(flags));
	k->addr = load64(h, 8);
	k->len = load32(h, 16);
	k->unregister = flags & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER;
	return body_string(l, h, 24, &k->name);
}

bool record_lost(const struct record_layout *l, const struct perf_event_header *h,
		 struct record_lost *lost)
{
	if (body_size(l, h) < 16)
		return false;
	lost->id = load64(h, 8);
	lost->lost = load64(h, 16);
	return true;
}

bool record_throttle(const struct record_layout *l, const struct perf_event_header *h,
		     uint64_t *id)
{
	if (body_size(l, h) < 24)
		return false;
	*id = load64(h, 16);
	return true;
}

uint64_t record_time(const struct record_layout *l, const struct perf_event_header *h)
{
	if (!l->trailer_time || h->size < sizeof(*h) + l->trailer)
		return 0;
	return load64(h, h->size - l->trailer + l->trailer_time - 1);
}
