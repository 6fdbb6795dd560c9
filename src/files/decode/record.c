/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/decode/record.h"

#include <string.h>

#define AT(h, off) ((const char *)(h) + (off))

static uint64_t load64(const void *h, size_t off)
{
	uint64_t v;

	memcpy(&v, AT(h, off), sizeof(v));
	return v;
}

static uint32_t load32(const void *h, size_t off)
{
	uint32_t v;

	memcpy(&v, AT(h, off), sizeof(v));
	return v;
}

/* --- samples ------------------------------------------------------------------------------ */

#define STACKS ((uint64_t)(PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER))
/* Fields that are always wanted. */
#define ALWAYS                                                                                     \
	((uint64_t)(PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW | PERF_SAMPLE_AUX))
#define COUNTERS_BRANCH (1ull << 19) /* PERF_SAMPLE_BRANCH_COUNTERS, missing in older headers */

/* Sizes in bytes: of one value, of the times, and of a whole READ at `off` (0: too short). */
static size_t read_value_size(const struct record_layout *l)
{
	return 8u + 8u * !!(l->read_format & PERF_FORMAT_ID) +
	       8u * !!(l->read_format & PERF_FORMAT_LOST);
}

static size_t read_times_size(const struct record_layout *l)
{
	return 8u * !!(l->read_format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
	       8u * !!(l->read_format & PERF_FORMAT_TOTAL_TIME_RUNNING);
}

static size_t read_size(const struct record_layout *l, const struct perf_event_header *h,
			size_t off)
{
	uint64_t nr;

	if (!(l->read_format & PERF_FORMAT_GROUP))
		return read_times_size(l) + read_value_size(l);
	if (h->size < off + 8)
		return 0;
	nr = load64(h, off);
	return nr < h->size ? 8 + read_times_size(l) + nr * read_value_size(l) : 0;
}

struct field_reader {
	const struct record_layout *l;
	const struct perf_event_header *h;
	struct sample *s;
	size_t off; /* at most h->size */
};

static bool take_field_u64(struct field_reader *r, uint64_t *v)
{
	if (r->h->size - r->off < 8)
		return false;
	*v = load64(r->h, r->off);
	r->off += 8;
	return true;
}

/* Skip `nr` items of `each` bytes. */
static bool skip_items(struct field_reader *r, uint64_t nr, size_t each)
{
	if (nr > (r->h->size - r->off) / each)
		return false;
	r->off += nr * each;
	return true;
}

/* Store `nr` items of `each` bytes as the payload of a field. */
static bool take_span(struct field_reader *r, enum sample_field field, uint64_t nr, size_t each)
{
	size_t from = r->off;

	if (!skip_items(r, nr, each))
		return false;
	r->s->span[field] = (struct sample_span){(uint16_t)from, (uint16_t)(r->off - from)};
	return true;
}

static bool take_read(struct field_reader *r)
{
	size_t size = read_size(r->l, r->h, r->off);

	return size && take_span(r, SAMPLE_READ, size, 1);
}

/* Take the callchain, in place: callers keep records 8-byte aligned. */
static bool take_chain(struct field_reader *r)
{
	if (!take_field_u64(r, &r->s->nr_chain))
		return false;
	r->s->chain = (const uint64_t *)(const void *)AT(r->h, r->off);
	return skip_items(r, r->s->nr_chain, 8);
}

/* Take a u32 and as many bytes, together a multiple of 8. */
static bool take_raw_field(struct field_reader *r)
{
	uint32_t size;

	if (r->h->size - r->off < 4)
		return false;
	size = load32(r->h, r->off);
	r->off += 4;
	return take_span(r, SAMPLE_RAW, size, 1);
}

static bool take_branches(struct field_reader *r)
{
	uint64_t nr, index;

	return take_field_u64(r, &nr) &&
	       (!(r->l->branch_type & PERF_SAMPLE_BRANCH_HW_INDEX) || take_field_u64(r, &index)) &&
	       take_span(r, SAMPLE_BRANCH_STACK, nr, 24) &&
	       (!(r->l->branch_type & COUNTERS_BRANCH) || skip_items(r, nr, 8));
}

static bool take_user_regs(struct field_reader *r)
{
	uint64_t abi;

	if (!take_field_u64(r, &abi))
		return false;
	r->s->user_abi = abi < UINT8_MAX ? (uint8_t)abi : UINT8_MAX;
	return !abi || take_span(r, SAMPLE_REGS_USER, r->l->user_regs, 8);
}

static bool skip_intr_regs(struct field_reader *r)
{
	uint64_t abi;

	return take_field_u64(r, &abi) && (!abi || skip_items(r, r->l->intr_regs, 8));
}

static bool take_stack(struct field_reader *r)
{
	struct sample_span *stack = &r->s->span[SAMPLE_STACK_USER];
	uint64_t size, used = 0;

	if (!take_field_u64(r, &size) || !take_span(r, SAMPLE_STACK_USER, size, 1) ||
	    (size && !take_field_u64(r, &used)))
		return false;
	stack->len = used < stack->len ? (uint16_t)used : stack->len;
	return true;
}

static bool skip_one(struct field_reader *r)
{
	return skip_items(r, 1, 8);
}

static bool take_aux(struct field_reader *r)
{
	uint64_t size;

	return take_field_u64(r, &size) && take_span(r, SAMPLE_AUX, size, 1);
}

/* In the kernel's order. */
static const struct {
	uint64_t bits;
	bool (*take)(struct field_reader *r);
} steps[SAMPLE_STEPS] = {
	{PERF_SAMPLE_READ, take_read},
	{PERF_SAMPLE_CALLCHAIN, take_chain},
	{PERF_SAMPLE_RAW, take_raw_field},
	{PERF_SAMPLE_BRANCH_STACK, take_branches},
	{PERF_SAMPLE_REGS_USER, take_user_regs},
	{PERF_SAMPLE_STACK_USER, take_stack},
	{PERF_SAMPLE_WEIGHT_TYPE, skip_one},
	{PERF_SAMPLE_DATA_SRC, skip_one},
	{PERF_SAMPLE_TRANSACTION, skip_one},
	{PERF_SAMPLE_REGS_INTR, skip_intr_regs},
	{PERF_SAMPLE_PHYS_ADDR, skip_one},
	{PERF_SAMPLE_CGROUP, skip_one},
	{PERF_SAMPLE_DATA_PAGE_SIZE, skip_one},
	{PERF_SAMPLE_CODE_PAGE_SIZE, skip_one},
	{PERF_SAMPLE_AUX, take_aux},
};

/* Plan the steps; a field that is not wanted is skipped only if a wanted one follows. */
static void plan_steps(struct record_layout *l, uint64_t wanted)
{
	uint8_t nr = 0;

	l->nsteps = 0;
	for (uint8_t i = 0; i < SAMPLE_STEPS; i++) {
		if (!(l->sample_type & steps[i].bits))
			continue;
		l->step[nr++] = i;
		l->nsteps = steps[i].bits & wanted ? nr : l->nsteps;
	}
	l->raw_first = l->nsteps == 1 && steps[l->step[0]].bits == PERF_SAMPLE_RAW;
	l->wanted = wanted;
}

void record_layout_init(struct record_layout *l, uint64_t sample_type)
{
	/* Fields in the kernel's order in a sample, a u64 each; trailers begin with TID. */
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

	*l = (struct record_layout){.sample_type = sample_type, .max_stack = PERF_MAX_STACK_DEPTH,
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
		if (trailer[i] == PERF_SAMPLE_ID || trailer[i] == PERF_SAMPLE_IDENTIFIER)
			l->trailer_id = l->trailer + 1;
		if (trailer[i] == PERF_SAMPLE_CPU)
			l->trailer_cpu = l->trailer + 1;
		l->trailer += 8;
	}
	plan_steps(l, ALWAYS);
}

static bool has_both(const struct perf_event_attr *attr)
{
	return (attr->sample_type & STACKS) == STACKS &&
	       (attr->sample_type & PERF_SAMPLE_CALLCHAIN) && !attr->exclude_callchain_user;
}

bool record_is_piece(const struct perf_event_attr *attr)
{
	return has_both(attr) && attr->sample_stack_user <= SAMPLE_PIECE;
}

void record_layout_init_attr(struct record_layout *l, const struct perf_event_attr *attr)
{
	record_layout_init(l, attr->sample_type);
	l->read_format = attr->read_format;
	l->branch_type = attr->branch_sample_type;
	/* Otherwise kernel.perf_event_max_stack, which has the same value nearly everywhere. */
	if (attr->sample_max_stack)
		l->max_stack = attr->sample_max_stack;
	l->calls = (attr->sample_type & PERF_SAMPLE_CALLCHAIN) &&
		   (attr->sample_type & PERF_SAMPLE_BRANCH_STACK) &&
		   (attr->branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK);
	l->both = has_both(attr);
	l->piece = record_is_piece(attr);
	l->at_entry = attr->type == PERF_TYPE_TRACEPOINT || attr->type >= PERF_TYPE_MAX;
	l->user_mask = attr->sample_regs_user;
	l->user_regs = (uint8_t)__builtin_popcountll(attr->sample_regs_user);
	l->intr_regs = (uint8_t)__builtin_popcountll(attr->sample_regs_intr);
	plan_steps(l, ALWAYS | (l->calls ? PERF_SAMPLE_BRANCH_STACK : 0) |
		      ((attr->sample_type & STACKS) == STACKS		  ? STACKS
		       : attr->sample_type & PERF_SAMPLE_CALLCHAIN ? PERF_SAMPLE_REGS_USER
								   : 0));
	if (!attr->sample_id_all)
		l->trailer = l->trailer_tid = l->trailer_time = l->trailer_id = l->trailer_cpu = 0;
}

void record_layout_skip(struct record_layout *l, uint64_t fields)
{
	plan_steps(l, l->wanted & ~fields);
}

/* A function of its own, so that a sample without such fields takes the short path. */
static __attribute__((noinline)) bool
take_steps(const struct record_layout *l, const struct perf_event_header *h, struct sample *s)
{
	struct field_reader r = {l, h, s, l->fixed};

	for (unsigned i = 0; i < l->nsteps; i++)
		if (!steps[l->step[i]].take(&r))
			return false;
	return true;
}

/* Fast path for tracepoints without a chain, which come at high rates. */
static inline bool take_raw_first(const struct record_layout *l, const struct perf_event_header *h,
				  struct sample *s)
{
	uint32_t size;

	if (h->size - l->fixed < 4)
		return false;
	size = load32(h, l->fixed);
	s->span[SAMPLE_RAW] = (struct sample_span){(uint16_t)(l->fixed + 4), (uint16_t)size};
	return size <= h->size - l->fixed - 4u;
}

bool record_sample(const struct record_layout *l, const struct perf_event_header *h,
		   struct sample *s)
{
	if (h->size < l->fixed)
		return false;
	/* Field by field: a struct assigned as a whole would be built elsewhere and copied. */
	s->h = h;
	s->ip = l->ip ? load64(h, l->ip) : 0;
	s->time = l->time ? load64(h, l->time) : 0;
	s->identifier = l->identifier ? load64(h, l->identifier) : 0;
	s->period = l->period ? load64(h, l->period) : 0;
	s->pid = l->tid ? load32(h, l->tid) : 0;
	s->tid = l->tid ? load32(h, l->tid + 4) : 0;
	s->cpu = l->cpu ? load32(h, l->cpu) : UINT32_MAX;
	s->mode = h->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	s->user_abi = PERF_SAMPLE_REGS_ABI_NONE;
	s->chain = NULL;
	s->nr_chain = 0;
	memset(s->span, 0, sizeof(s->span));
	if (l->raw_first)
		return take_raw_first(l, h, s);
	return !l->nsteps || take_steps(l, h, s);
}

bool sample_value(const struct record_layout *l, const struct sample *s, uint64_t i,
		  struct sample_value *v)
{
	const void *read = sample_at(s, SAMPLE_READ);
	bool group = l->read_format & PERF_FORMAT_GROUP;
	size_t off;

	if (!s->span[SAMPLE_READ].len || i >= (group ? load64(read, 0) : 1))
		return false;
	/* Without a group, the times stand between the value and its id. */
	*v = (struct sample_value){.id = 0};
	off = group ? 8 + read_times_size(l) + i * read_value_size(l) : 0;
	v->value = load64(read, off);
	off += group ? 8 : 8 + read_times_size(l);
	if (l->read_format & PERF_FORMAT_ID) {
		v->id = load64(read, off);
		off += 8;
	}
	if (l->read_format & PERF_FORMAT_LOST)
		v->lost = load64(read, off);
	return true;
}

bool sample_times(const struct record_layout *l, const struct sample *s, struct sample_times *t)
{
	const uint64_t both = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;

	if (!s->span[SAMPLE_READ].len || (l->read_format & both) != both)
		return false;
	/* After the value, or the number of values. */
	t->enabled = load64(sample_at(s, SAMPLE_READ), 8);
	t->running = load64(sample_at(s, SAMPLE_READ), 16);
	return true;
}

/* --- other records ------------------------------------------------------------------------ */

/* Bytes of the body between the header and the sample_id trailer; 0: too short. */
static size_t body_size(const struct record_layout *l, const struct perf_event_header *h)
{
	size_t around = sizeof(*h) + l->trailer;

	return h->size > around ? h->size - around : 0;
}

/* Get a NUL-terminated string between off and the body's end. */
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
	uint8_t len;

	if (body_size(l, h) < name + 1 - sizeof(*h))
		return false;
	*m = (struct record_mmap){.pid = load32(h, 8), .tid = load32(h, 12), .addr = load64(h, 16),
				  .len = load64(h, 24), .pgoff = load64(h, 32)};
	if (two) {
		if (!(h->misc & PERF_RECORD_MISC_MMAP_BUILD_ID)) {
			m->maj = load32(h, 40);
			m->min = load32(h, 44);
			m->ino = load64(h, 48);
		} else if ((len = *(const uint8_t *)AT(h, 40)) <= 20) {
			m->build_id = (const uint8_t *)AT(h, 44);
			m->build_id_len = len;
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
	uint16_t type, flags;

	if (body_size(l, h) < 17)
		return false;
	memcpy(&type, AT(h, 20), sizeof(type));
	memcpy(&flags, AT(h, 22), sizeof(flags));
	k->program = type == PERF_RECORD_KSYMBOL_TYPE_BPF;
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

bool record_lost_samples(const struct record_layout *l, const struct perf_event_header *h,
			 uint64_t *lost)
{
	if (body_size(l, h) < 8)
		return false;
	*lost = load64(h, 8);
	return true;
}

bool record_throttle(const struct record_layout *l, const struct perf_event_header *h, uint64_t *id)
{
	if (body_size(l, h) < 24)
		return false;
	*id = load64(h, 16);
	return true;
}

bool record_read(const struct record_layout *l, const struct perf_event_header *h,
		 struct sample *read)
{
	const size_t at = sizeof(*h) + 8;
	size_t size, body = body_size(l, h);

	if (body < 8)
		return false;
	size = read_size(l, h, at);
	if (!size || size > body - 8)
		return false;
	*read = (struct sample){.h = h, .pid = load32(h, 8), .tid = load32(h, 12)};
	read->span[SAMPLE_READ] = (struct sample_span){(uint16_t)at, (uint16_t)size};
	return true;
}

bool record_aux(const struct record_layout *l, const struct perf_event_header *h,
		struct record_aux *a)
{
	if (body_size(l, h) < 24)
		return false;
	*a = (struct record_aux){load64(h, 8), load64(h, 16), load64(h, 24)};
	return true;
}

bool record_deferred(const struct record_layout *l, const struct perf_event_header *h,
		     struct record_deferred *d)
{
	size_t body = body_size(l, h);

	if (h->type != RECORD_CALLCHAIN_DEFERRED || body < 16)
		return false;
	/* In place: callers keep records 8-byte aligned. */
	*d = (struct record_deferred){load64(h, 8), load64(h, 16),
				      (const uint64_t *)(const void *)AT(h, 24)};
	return d->nr <= (body - 16) / 8;
}

bool sample_defers(const struct sample *s, uint64_t *cookie)
{
	uint64_t nr = s->nr_chain;

	*cookie = 0;
	if (nr && s->chain[nr - 1] == CONTEXT_USER_DEFERRED)
		return true;
	if (nr < 2 || s->chain[nr - 2] != CONTEXT_USER_DEFERRED)
		return false;
	*cookie = s->chain[nr - 1];
	return true;
}

/* Return the end of the record's own fields, rounded up to words; if not known, its size. */
static size_t own_end(const struct perf_event_header *h)
{
	uint16_t old, new;
	size_t end = h->size;

	if (h->type == PERF_RECORD_KSYMBOL && h->size > 24)
		end = 24 + strnlen(AT(h, 24), h->size - 24u) + 1;
	else if (h->type == PERF_RECORD_BPF_EVENT)
		end = 24;
	else if (h->type == PERF_RECORD_TEXT_POKE && h->size >= 20) {
		memcpy(&old, AT(h, 16), sizeof(old));
		memcpy(&new, AT(h, 18), sizeof(new));
		end = 20u + old + new;
	}
	return (end + 7) & ~(size_t)7;
}

void record_mend(const struct record_layout *l, struct perf_event_header *h)
{
	char *bytes = (char *)h;
	size_t end = own_end(h), excess;

	if (!l->trailer || end + l->trailer >= h->size)
		return;
	excess = h->size - l->trailer - end;
	/* A writer that gave the name more room left zeros there. */
	for (size_t i = 0; i < excess && i < l->trailer; i++)
		if (bytes[end + i]) {
			memmove(bytes + end + excess, bytes + end, l->trailer);
			memset(bytes + end, 0, excess);
			return;
		}
}

/* Return the offset of the trailer's field in the record, 0: absent. */
static size_t trailer_at(const struct record_layout *l, const struct perf_event_header *h,
			 uint16_t offset)
{
	return offset && h->size >= sizeof(*h) + l->trailer ? h->size - l->trailer + offset - 1u
							    : 0;
}

uint64_t record_time(const struct record_layout *l, const struct perf_event_header *h)
{
	size_t at = trailer_at(l, h, l->trailer_time);

	return at ? load64(h, at) : 0;
}

uint64_t record_id(const struct record_layout *l, const struct perf_event_header *h)
{
	size_t at = trailer_at(l, h, l->trailer_id);

	return at ? load64(h, at) : 0;
}

bool record_thread(const struct record_layout *l, const struct perf_event_header *h, uint32_t *pid,
		   uint32_t *tid)
{
	size_t at = trailer_at(l, h, l->trailer_tid);

	if (!at)
		return false;
	*pid = load32(h, at);
	*tid = load32(h, at + 4);
	return true;
}

uint32_t record_cpu(const struct record_layout *l, const struct perf_event_header *h)
{
	size_t at = trailer_at(l, h, l->trailer_cpu);

	return at ? load32(h, at) : UINT32_MAX;
}

static bool parse_body(const struct record_layout *l, const struct perf_event_header *h,
		       struct record *r)
{
	switch (h->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return record_mmap(l, h, &r->mmap);
	case PERF_RECORD_COMM:
		return record_comm(l, h, &r->comm);
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		return record_task(l, h, &r->task);
	case PERF_RECORD_KSYMBOL:
		return record_ksymbol(l, h, &r->ksymbol);
	case PERF_RECORD_LOST:
		return record_lost(l, h, &r->lost);
	case PERF_RECORD_LOST_SAMPLES:
		r->lost.id = 0;
		return record_lost_samples(l, h, &r->lost.lost);
	default:
		return true;
	}
}

void record_open(const struct record_layout *l, const struct perf_event_header *h, struct record *r)
{
	r->l = l;
	r->h = h;
	r->time = record_time(l, h);
	r->cpu = record_cpu(l, h);
	r->whole = parse_body(l, h, r);
}
