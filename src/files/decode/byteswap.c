/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/decode/byteswap.h"

#include <byteswap.h>
#include <stdbool.h>
#include <string.h>

static void swap16(void *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	v = bswap_16(v);
	memcpy(p, &v, sizeof(v));
}

static void swap32(void *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	v = bswap_32(v);
	memcpy(p, &v, sizeof(v));
}

static uint64_t swap64(void *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	v = bswap_64(v);
	memcpy(p, &v, sizeof(v));
	return v;
}

void byteswap_header(struct perf_event_header *h)
{
	h->type = bswap_32(h->type);
	h->misc = bswap_16(h->misc);
	h->size = bswap_16(h->size);
}

/* --- attributes --------------------------------------------------------------------------- */

/*
 * Reverse the bits of each byte: the other byte order allocates bit fields from the other end, but
 * the bytes stay in place.
 */
static void turn_bits(uint8_t *byte, size_t nr)
{
	for (; nr--; byte++) {
		uint8_t b = *byte, turned = 0;

		for (int i = 0; i < 8; i++)
			turned = (uint8_t)(turned | (b >> i & 1) << (7 - i));
		*byte = turned;
	}
}

/* Sizes of the fields in order; 'b': eight bytes of bits. */
static const char attr_fields[] = "448888b44888844842244888";

void byteswap_attr(void *attr, size_t size)
{
	uint8_t *at = attr;

	for (const char *f = attr_fields; *f; f++) {
		size_t len = *f == 'b' ? 8 : (size_t)(*f - '0');

		if (len > size)
			return;
		if (*f == 'b')
			turn_bits(at, 8);
		else if (len == 8)
			swap64(at);
		else if (len == 4)
			swap32(at);
		else
			swap16(at);
		at += len;
		size -= len;
	}
}

/* --- records ------------------------------------------------------------------------------ */

struct walk {
	const struct record_layout *l;
	struct perf_event_header *h;
	size_t off, end; /* of the bytes left to convert */
};

static void *turn_bytes(struct walk *w, size_t len)
{
	void *at = (char *)w->h + w->off;

	if (w->off > w->end || w->end - w->off < len) {
		w->off = w->end + 1; /* nothing fits any more */
		return NULL;
	}
	w->off += len;
	return at;
}

static uint64_t turn64(struct walk *w)
{
	void *p = turn_bytes(w, 8);

	return p ? swap64(p) : 0;
}

static uint32_t turn32(struct walk *w)
{
	uint32_t v = 0;
	void *p = turn_bytes(w, 4);

	if (p) {
		swap32(p);
		memcpy(&v, p, sizeof(v));
	}
	return v;
}

static void turn_many(struct walk *w, uint64_t nr)
{
	while (nr-- && w->off < w->end)
		turn64(w);
}

static void turn_past(struct walk *w, uint64_t len)
{
	if (len > w->end)
		len = w->end + 1;
	turn_bytes(w, (size_t)len);
}

static void turn_id_fields(struct walk *w, const uint64_t *bits, size_t nr, uint64_t sample_type)
{
	for (size_t i = 0; i < nr; i++) {
		if (!(sample_type & bits[i]))
			continue;
		if (bits[i] == PERF_SAMPLE_TID || bits[i] == PERF_SAMPLE_CPU) {
			turn32(w); /* two u32 */
			turn32(w);
		} else {
			turn64(w);
		}
	}
}

static void turn_trailer(const struct record_layout *l, struct perf_event_header *h)
{
	static const uint64_t bits[] = {PERF_SAMPLE_TID, PERF_SAMPLE_TIME, PERF_SAMPLE_ID,
					PERF_SAMPLE_STREAM_ID, PERF_SAMPLE_CPU,
					PERF_SAMPLE_IDENTIFIER};
	struct walk w = {l, h, h->size - l->trailer, h->size};

	turn_id_fields(&w, bits, sizeof(bits) / sizeof(*bits), l->sample_type);
}

static uint64_t values_in_read(const struct record_layout *l)
{
	uint64_t f = l->read_format;

	return 1u + !!(f & PERF_FORMAT_ID) + !!(f & PERF_FORMAT_LOST);
}

static void turn_read(struct walk *w)
{
	uint64_t f = w->l->read_format;
	uint64_t times = 0u + !!(f & PERF_FORMAT_TOTAL_TIME_ENABLED) +
			 !!(f & PERF_FORMAT_TOTAL_TIME_RUNNING);
	uint64_t groups = f & PERF_FORMAT_GROUP ? turn64(w) : 1;

	turn_many(w, times);
	if (groups <= w->end)
		turn_many(w, groups * values_in_read(w->l));
}

static void turn_chain(struct walk *w)
{
	turn_many(w, turn64(w));
}

static void turn_raw(struct walk *w)
{
	turn_past(w, turn32(w)); /* the contents have the tracepoint's own format */
}

static void turn_branches(struct walk *w)
{
	uint64_t nr = turn64(w);

	if (w->l->branch_type & PERF_SAMPLE_BRANCH_HW_INDEX)
		turn64(w);
	for (; nr && w->off < w->end; nr--) {
		void *flags;

		turn_many(w, 2);
		flags = turn_bytes(w, 8);
		if (flags)
			turn_bits(flags, 8);
	}
}

static void turn_regs(struct walk *w, unsigned nr)
{
	if (turn64(w))
		turn_many(w, nr);
}

static void turn_user_regs(struct walk *w)
{
	turn_regs(w, w->l->user_regs);
}

static void turn_intr_regs(struct walk *w)
{
	turn_regs(w, w->l->intr_regs);
}

static void turn_stack(struct walk *w)
{
	uint64_t size = turn64(w);

	turn_past(w, size);
	if (size)
		turn64(w);
}

static void turn_one(struct walk *w)
{
	turn64(w);
}

static void turn_aux(struct walk *w)
{
	turn_past(w, turn64(w));
}

static const struct {
	uint64_t bits;
	void (*turn)(struct walk *w);
} varying[] = {
	{PERF_SAMPLE_READ, turn_read}, {PERF_SAMPLE_CALLCHAIN, turn_chain},
	{PERF_SAMPLE_RAW, turn_raw}, {PERF_SAMPLE_BRANCH_STACK, turn_branches},
	{PERF_SAMPLE_REGS_USER, turn_user_regs}, {PERF_SAMPLE_STACK_USER, turn_stack},
	{PERF_SAMPLE_WEIGHT_TYPE, turn_one}, {PERF_SAMPLE_DATA_SRC, turn_one},
	{PERF_SAMPLE_TRANSACTION, turn_one}, {PERF_SAMPLE_REGS_INTR, turn_intr_regs},
	{PERF_SAMPLE_PHYS_ADDR, turn_one}, {PERF_SAMPLE_CGROUP, turn_one},
	{PERF_SAMPLE_DATA_PAGE_SIZE, turn_one}, {PERF_SAMPLE_CODE_PAGE_SIZE, turn_one},
	{PERF_SAMPLE_AUX, turn_aux},
};

static void turn_sample(const struct record_layout *l, struct perf_event_header *h)
{
	static const uint64_t fixed[] = {PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_IP, PERF_SAMPLE_TID,
					 PERF_SAMPLE_TIME, PERF_SAMPLE_ADDR, PERF_SAMPLE_ID,
					 PERF_SAMPLE_STREAM_ID, PERF_SAMPLE_CPU,
					 PERF_SAMPLE_PERIOD};
	struct walk w = {l, h, sizeof(*h), h->size};

	turn_id_fields(&w, fixed, sizeof(fixed) / sizeof(*fixed), l->sample_type);
	for (size_t i = 0; i < sizeof(varying) / sizeof(*varying); i++)
		if (l->sample_type & varying[i].bits)
			varying[i].turn(&w);
}

/* Bodies up to the trailer: sizes of fields; '*': u64 to the end; text or bytes follow. */
static const char *const bodies[] = {
	[PERF_RECORD_MMAP] = "44888",	[PERF_RECORD_LOST] = "88",
	[PERF_RECORD_COMM] = "44",	[PERF_RECORD_EXIT] = "44448",
	[PERF_RECORD_THROTTLE] = "888", [PERF_RECORD_UNTHROTTLE] = "888",
	[PERF_RECORD_FORK] = "44448",	[PERF_RECORD_READ] = "44*",
	[PERF_RECORD_MMAP2] = "44888448844", [PERF_RECORD_AUX] = "888",
	[PERF_RECORD_ITRACE_START] = "44", [PERF_RECORD_LOST_SAMPLES] = "8",
	[PERF_RECORD_SWITCH_CPU_WIDE] = "44", [PERF_RECORD_NAMESPACES] = "44*",
	[PERF_RECORD_KSYMBOL] = "8422",	[PERF_RECORD_BPF_EVENT] = "224",
	[PERF_RECORD_CGROUP] = "8",	[PERF_RECORD_TEXT_POKE] = "822",
	[PERF_RECORD_AUX_OUTPUT_HW_ID] = "8", [RECORD_CALLCHAIN_DEFERRED] = "8*",
};

/* MMAP2 with a build-id instead of the inode: its 24 bytes stay. */
static const char mmap_build_id[] = "44888_44";

static const char *body_of(const struct perf_event_header *h)
{
	if (h->type == PERF_RECORD_MMAP2 && (h->misc & PERF_RECORD_MISC_MMAP_BUILD_ID))
		return mmap_build_id;
	return h->type < sizeof(bodies) / sizeof(*bodies) ? bodies[h->type] : NULL;
}

static void turn_body(struct walk *w, const char *fields)
{
	for (; *fields && w->off < w->end; fields++) {
		void *p;

		if (*fields == '*')
			turn_many(w, UINT64_MAX);
		else if (*fields == '_')
			turn_bytes(w, 24);
		else if (*fields == '8')
			turn64(w);
		else if (*fields == '4')
			turn32(w);
		else if ((p = turn_bytes(w, 2)))
			swap16(p);
	}
}

void byteswap_record(const struct record_layout *l, struct perf_event_header *h)
{
	const char *fields = body_of(h);
	struct walk w = {l, h, sizeof(*h), h->size};

	if (h->type == PERF_RECORD_SAMPLE) {
		turn_sample(l, h);
		return;
	}
	if (h->size >= sizeof(*h) + l->trailer) {
		w.end -= l->trailer;
		turn_trailer(l, h);
	}
	if (fields)
		turn_body(&w, fields);
}
