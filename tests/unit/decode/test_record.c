/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The record decoders on records made by hand: what they say, and that a record that is cut short
 * anywhere is refused.  Every record lies in memory of exactly its size, for sanitizers.
 */
#include "files/decode/record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SIDEBAND (PERF_SAMPLE_TID | PERF_SAMPLE_TIME)

struct bytes {
	_Alignas(8) char data[8192];
	size_t len;
};

static void begin(struct bytes *b, uint32_t type, uint16_t misc)
{
	struct perf_event_header h = {.type = type, .misc = misc};

	memcpy(b->data, &h, sizeof(h));
	b->len = sizeof(h);
}

static void put(struct bytes *b, const void *data, size_t len)
{
	memcpy(b->data + b->len, data, len);
	b->len += len;
}

static void put64(struct bytes *b, uint64_t v)
{
	put(b, &v, sizeof(v));
}

static void put32(struct bytes *b, uint32_t v)
{
	put(b, &v, sizeof(v));
}

/* A string as the kernel writes it: NULs up to a multiple of 8, one at least. */
static void put_string(struct bytes *b, const char *s)
{
	char zero[8] = {0};

	put(b, s, strlen(s));
	put(b, zero, 8 - strlen(s) % 8);
}

/* A copy of the first len bytes in memory of its own that says it is that long; to free. */
static struct perf_event_header *cut(const struct bytes *b, size_t len)
{
	struct perf_event_header *h = malloc(len);

	assert_non_null(h);
	memcpy(h, b->data, len);
	h->size = (uint16_t)len;
	return h;
}

static void put_trailer(struct bytes *b, uint64_t time)
{
	put32(b, 71); /* pid and tid, which nobody must take for the body's */
	put32(b, 72);
	put64(b, time);
}

/* --- samples ------------------------------------------------------------------------------ */

/* What the product asks for (kernel/capture/ringset.h), in the kernel's order of writing. */
static const uint64_t sample_bits[] = {PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_IP, PERF_SAMPLE_TID,
				       PERF_SAMPLE_TIME, PERF_SAMPLE_ADDR, PERF_SAMPLE_ID,
				       PERF_SAMPLE_STREAM_ID, PERF_SAMPLE_CPU, PERF_SAMPLE_PERIOD};

#define NR_BITS (sizeof(sample_bits) / sizeof(*sample_bits))

static void make_sample(struct bytes *b, uint64_t type, uint64_t nr_chain)
{
	begin(b, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	for (size_t i = 0; i < NR_BITS; i++)
		if (type & sample_bits[i])
			put64(b, 0x1111111100000000ull * (i + 1) + 0x100 * i + 7);
	if (!(type & PERF_SAMPLE_CALLCHAIN))
		return;
	put64(b, nr_chain);
	for (uint64_t i = 0; i < nr_chain; i++)
		put64(b, 0x400000 + i);
}

static uint64_t field(uint64_t type, uint64_t bit)
{
	for (size_t i = 0; i < NR_BITS; i++)
		if (sample_bits[i] == bit)
			return type & bit ? 0x1111111100000000ull * (i + 1) + 0x100 * i + 7 : 0;
	return 0;
}

static void check_sample(const struct sample *s, uint64_t type, uint64_t nr_chain)
{
	uint64_t tid = field(type, PERF_SAMPLE_TID);

	assert_int_equal(s->ip, field(type, PERF_SAMPLE_IP));
	assert_int_equal(s->time, field(type, PERF_SAMPLE_TIME));
	assert_int_equal(s->identifier, field(type, PERF_SAMPLE_IDENTIFIER));
	assert_int_equal(s->period, field(type, PERF_SAMPLE_PERIOD));
	assert_int_equal(s->pid, (uint32_t)tid);
	assert_int_equal(s->tid, (uint32_t)(tid >> 32));
	assert_int_equal(s->nr_chain, nr_chain);
	for (uint64_t i = 0; i < nr_chain; i++)
		assert_int_equal(s->chain[i], 0x400000 + i);
	if (!(type & PERF_SAMPLE_CALLCHAIN))
		assert_null(s->chain);
}

/* Every combination, whole and cut after each byte. */
static void test_samples(void **state)
{
	(void)state;
	for (unsigned mask = 0; mask < 1u << (NR_BITS + 1); mask++) {
		uint64_t type = mask >> NR_BITS ? PERF_SAMPLE_CALLCHAIN : 0;
		uint64_t nr = type ? mask % 3 : 0;
		struct record_layout l;
		struct bytes b;

		for (size_t i = 0; i < NR_BITS; i++)
			type |= mask >> i & 1 ? sample_bits[i] : 0;
		record_layout_init(&l, type);
		make_sample(&b, type, nr);
		for (size_t len = sizeof(struct perf_event_header); len <= b.len; len++) {
			struct perf_event_header *h = cut(&b, len);
			struct sample s;

			if (record_sample(&l, h, &s) != (len == b.len))
				fail_msg("type %#lx: %zu of %zu bytes", (unsigned long)type, len,
					 b.len);
			if (len == b.len)
				check_sample(&s, type, nr);
			free(h);
		}
	}
}

/* Chains that say more than there is, up to what overflows a size. */
static void test_chain_lies(void **state)
{
	static const uint64_t lies[] = {4, 5, 0xffff, 1ull << 32, 1ull << 61, (1ull << 61) + 3,
					UINT64_MAX};
	const uint64_t type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_CALLCHAIN;
	struct record_layout l;
	struct sample s;
	struct bytes b;

	(void)state;
	record_layout_init(&l, type);
	make_sample(&b, type, 3);
	for (size_t i = 0; i < sizeof(lies) / sizeof(*lies); i++) {
		struct perf_event_header *h;

		memcpy(b.data + 24, &lies[i], 8);
		h = cut(&b, b.len);
		assert_false(record_sample(&l, h, &s));
		free(h);
	}
	b.data[24] = 2; /* fewer than there is room for is all right */
	memset(b.data + 25, 0, 7);
	assert_true(record_sample(&l, memcpy(b.data, &(struct perf_event_header){
					  .type = 9, .size = (uint16_t)b.len}, 8), &s));
	assert_int_equal(s.nr_chain, 2);
}

/* What nobody wants need not be there, nor what follows only it; what is wanted must be. */
static void test_wanted(void **state)
{
	const struct {
		uint64_t type, skip, branches;
		size_t need; /* words behind the address */
	} cases[] = {
		{PERF_SAMPLE_RAW, 0, 0, 1},
		{PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW, 0, 0, 3},
		{PERF_SAMPLE_BRANCH_STACK, 0, PERF_SAMPLE_BRANCH_ANY, 0},
		{PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_BRANCH_STACK, 0, PERF_SAMPLE_BRANCH_ANY, 2},
		{PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_BRANCH_STACK, 0, PERF_SAMPLE_BRANCH_CALL_STACK, 6},
		{PERF_SAMPLE_REGS_USER | PERF_SAMPLE_TRANSACTION, 0, 0, 0},
		{PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER | PERF_SAMPLE_TRANSACTION, 0, 0, 2},
		{PERF_SAMPLE_TRANSACTION | PERF_SAMPLE_AUX, 0, 0, 2},
		{PERF_SAMPLE_TRANSACTION | PERF_SAMPLE_AUX, PERF_SAMPLE_AUX, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct perf_event_attr attr = {.sample_type = cases[i].type | PERF_SAMPLE_IP,
						     .branch_sample_type = cases[i].branches};
		struct record_layout l;

		record_layout_init_attr(&l, &attr);
		record_layout_skip(&l, cases[i].skip);
		for (size_t words = 0; words < 8; words++) {
			struct perf_event_header *h;
			struct sample s;
			struct bytes b;

			begin(&b, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL);
			put64(&b, 0x1234);
			/* a chain of one address, then one branch; or sizes of which none fits */
			for (size_t n = 0; n < words; n++)
				put64(&b, cases[i].type & PERF_SAMPLE_CALLCHAIN ? n == 0 || n == 2 : 0);
			h = cut(&b, b.len);
			assert_int_equal(record_sample(&l, h, &s), words >= cases[i].need);
			assert_true(words < cases[i].need || (s.ip == 0x1234 && s.cpu == UINT32_MAX &&
							      s.mode == PERF_RECORD_MISC_KERNEL));
			free(h);
		}
	}
}

/* --- sideband ----------------------------------------------------------------------------- */

static struct record_layout sideband_layout(void)
{
	struct record_layout l;

	record_layout_init(&l, SIDEBAND);
	return l;
}

/* A tracepoint's record, alone behind the fixed fields, and behind a chain: of any length that it says. */
static void test_raw(void **state)
{
	(void)state;
	for (int chain = 0; chain < 2; chain++) {
		uint64_t type = PERF_SAMPLE_TIME | PERF_SAMPLE_RAW | (chain ? PERF_SAMPLE_CALLCHAIN : 0);
		struct record_layout l;
		struct sample s;

		record_layout_init(&l, type);
		assert_int_equal(l.raw_first, !chain);
		for (uint32_t said = 0; said < 40; said++) {
			struct perf_event_header *h;
			struct bytes b;

			begin(&b, PERF_RECORD_SAMPLE, 0);
			put64(&b, 77);
			if (chain)
				put64(&b, 0);
			put32(&b, said < 39 ? said : UINT32_MAX);
			for (int i = 0; i < 5; i++)
				put32(&b, 0x01020304);
			h = cut(&b, b.len);
			assert_int_equal(record_sample(&l, h, &s), said <= 20);
			assert_int_equal(s.time, 77);
			if (said <= 20) {
				assert_int_equal(s.span[SAMPLE_RAW].len, said);
				assert_ptr_equal(sample_at(&s, SAMPLE_RAW), (char *)h + b.len - 20);
			}
			free(h);
		}
	}
}

static void make_mmap2(struct bytes *b, uint64_t addr, uint64_t len, const char *name, uint16_t misc)
{
	begin(b, PERF_RECORD_MMAP2, misc);
	put32(b, 10);
	put32(b, 11);
	put64(b, addr);
	put64(b, len);
	put64(b, 0x3000);
	put32(b, 8);
	put32(b, 1);
	put64(b, 4711);
	put64(b, 5); /* generation */
	put32(b, 5); /* prot */
	put32(b, 2); /* flags */
	put_string(b, name);
	put_trailer(b, 1234567);
}

static void make_mmap(struct bytes *b, const char *name)
{
	begin(b, PERF_RECORD_MMAP, 0);
	put32(b, 10);
	put32(b, 11);
	put64(b, 0x400000);
	put64(b, 0x2000);
	put64(b, 0x1000);
	put_string(b, name);
	put_trailer(b, 99);
}

static void test_mmap(void **state)
{
	struct record_layout l = sideband_layout();
	struct perf_event_header *h;
	struct record_mmap m;
	struct bytes b;

	(void)state;
	make_mmap2(&b, 0x7f0000000000, 0x5000, "/usr/lib/with\nnewline\x1b.so", 0);
	h = cut(&b, b.len);
	assert_true(record_mmap(&l, h, &m));
	assert_int_equal(m.pid, 10);
	assert_int_equal(m.tid, 11);
	assert_int_equal(m.addr, 0x7f0000000000);
	assert_int_equal(m.len, 0x5000);
	assert_int_equal(m.pgoff, 0x3000);
	assert_int_equal(m.maj, 8);
	assert_int_equal(m.min, 1);
	assert_int_equal(m.ino, 4711);
	assert_int_equal(m.prot, 5);
	assert_string_equal(m.filename, "/usr/lib/with\nnewline\x1b.so");
	assert_int_equal(record_time(&l, h), 1234567);
	free(h);

	/* With a build-id in their place, device and inode are not known. */
	make_mmap2(&b, 0x1000, 0x1000, "/x", PERF_RECORD_MISC_MMAP_BUILD_ID);
	h = cut(&b, b.len);
	assert_true(record_mmap(&l, h, &m));
	assert_int_equal(m.maj | m.min | m.ino, 0);
	assert_int_equal(m.prot, 5);
	free(h);

	make_mmap(&b, "/bin/true");
	h = cut(&b, b.len);
	assert_true(record_mmap(&l, h, &m));
	assert_int_equal(m.addr, 0x400000);
	assert_int_equal(m.pgoff, 0x1000);
	assert_int_equal(m.ino | m.prot, 0);
	assert_string_equal(m.filename, "/bin/true");
	free(h);
}

static void test_mmap_hostile(void **state)
{
	static const struct {
		uint64_t addr, len;
		bool good;
	} rows[] = {
		{0x1000, 0, false},
		{UINT64_MAX - 0xfff, 0x2000, false}, /* wraps */
		{UINT64_MAX - 0xfff, 0x1000, false}, /* ends at 2^64, which is 0 */
		{UINT64_MAX - 0x1fff, 0x1000, true},
		{1, UINT64_MAX, false},
		{0, UINT64_MAX, true},
	};
	struct record_layout l = sideband_layout();

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct perf_event_header *h;
		struct record_mmap m;
		struct bytes b;

		make_mmap2(&b, rows[i].addr, rows[i].len, "/x", 0);
		h = cut(&b, b.len);
		assert_int_equal(record_mmap(&l, h, &m), rows[i].good);
		free(h);
	}
}

static void make_comm(struct bytes *b, const char *comm, bool exec)
{
	begin(b, PERF_RECORD_COMM, exec ? PERF_RECORD_MISC_COMM_EXEC : 0);
	put32(b, 20);
	put32(b, 21);
	put_string(b, comm);
	put_trailer(b, 555);
}

static void test_comm(void **state)
{
	static const char *const comms[] = {"", "a", "1234567", "12345678", "fifteen-letters",
					    "\x1b[2J\n\xff"};
	struct record_layout l = sideband_layout();
	struct record_comm c;
	struct bytes b;

	(void)state;
	for (size_t i = 0; i < sizeof(comms) / sizeof(*comms); i++) {
		struct perf_event_header *h;

		make_comm(&b, comms[i], i & 1);
		h = cut(&b, b.len);
		assert_true(record_comm(&l, h, &c));
		assert_int_equal(c.pid, 20);
		assert_int_equal(c.tid, 21);
		assert_int_equal(c.exec, i & 1);
		assert_string_equal(c.comm, comms[i]);
		assert_int_equal(record_time(&l, h), 555);
		free(h);
	}
}

static void make_task(struct bytes *b, uint32_t type)
{
	begin(b, type, 0);
	put32(b, 31);
	put32(b, 32);
	put32(b, 33);
	put32(b, 34);
	put64(b, 777);
	put_trailer(b, 778);
}

static void make_ksymbol(struct bytes *b, uint16_t flags)
{
	uint16_t type = 1;

	begin(b, PERF_RECORD_KSYMBOL, 0);
	put64(b, 0xffffffffc0000000);
	put32(b, 0x80);
	put(b, &type, 2);
	put(b, &flags, 2);
	put_string(b, "bpf_prog_1");
	put_trailer(b, 9);
}

static void make_words(struct bytes *b, uint32_t type, uint64_t x, uint64_t y, uint64_t z, unsigned nr)
{
	const uint64_t v[] = {x, y, z};

	begin(b, type, 0);
	for (unsigned i = 0; i < nr; i++)
		put64(b, v[i]);
	put_trailer(b, 42);
}

static void test_others(void **state)
{
	struct record_layout l = sideband_layout();
	struct record_ksymbol k;
	struct record_task t;
	struct record_lost lost;
	struct bytes b;
	uint64_t id;

	(void)state;
	make_task(&b, PERF_RECORD_FORK);
	((struct perf_event_header *)b.data)->size = (uint16_t)b.len;
	assert_true(record_task(&l, (void *)b.data, &t));
	assert_int_equal(t.pid, 31);
	assert_int_equal(t.ppid, 32);
	assert_int_equal(t.tid, 33);
	assert_int_equal(t.ptid, 34);
	assert_int_equal(record_time(&l, (void *)b.data), 778);

	make_ksymbol(&b, PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER);
	((struct perf_event_header *)b.data)->size = (uint16_t)b.len;
	assert_true(record_ksymbol(&l, (void *)b.data, &k));
	assert_int_equal(k.addr, 0xffffffffc0000000);
	assert_int_equal(k.len, 0x80);
	assert_true(k.unregister);
	assert_string_equal(k.name, "bpf_prog_1");

	make_words(&b, PERF_RECORD_LOST, 3, 1000000, 0, 2);
	((struct perf_event_header *)b.data)->size = (uint16_t)b.len;
	assert_true(record_lost(&l, (void *)b.data, &lost));
	assert_int_equal(lost.id, 3);
	assert_int_equal(lost.lost, 1000000);

	make_words(&b, PERF_RECORD_THROTTLE, 1, 7, 8, 3); /* time, id, stream id */
	((struct perf_event_header *)b.data)->size = (uint16_t)b.len;
	assert_true(record_throttle(&l, (void *)b.data, &id));
	assert_int_equal(id, 7);
}

/* Write the record as kernels do where two events get it: the trailer in place, then what was in the ring before. */
static void make_longer(struct bytes *b, size_t excess, unsigned char rubbish)
{
	memset(b->data + b->len, rubbish, excess);
	b->len += excess;
	((struct perf_event_header *)b->data)->size = (uint16_t)b->len;
}

/*
 * The time of a record, whatever it is made longer by, is the one behind what it consists of; mended it is the same to
 * all.
 */
static void test_mended(void **state)
{
	struct record_layout l = sideband_layout();
	struct perf_event_header *h;
	struct record_ksymbol k;
	struct bytes b;

	(void)state;
	for (size_t excess = 0; excess <= 64; excess += 8) {
		for (unsigned again = 0; again < 2; again++) {
			make_ksymbol(&b, 0);
			make_longer(&b, excess, again ? 0 : 0x5a);
			h = cut(&b, b.len);
			record_mend(&l, h);
			assert_int_equal(record_time(&l, h), 9);
			assert_true(record_ksymbol(&l, h, &k));
			assert_string_equal(k.name, "bpf_prog_1");
			record_mend(&l, h);
			assert_int_equal(record_time(&l, h), 9);
			free(h);
		}
	}
	/* BPF_EVENT has 16 bytes; TEXT_POKE the bytes that were there, and those that came. */
	make_words(&b, PERF_RECORD_BPF_EVENT, 1, 2, 0, 2);
	make_longer(&b, 24, 0x5a);
	h = cut(&b, b.len);
	record_mend(&l, h);
	assert_int_equal(record_time(&l, h), 42);
	free(h);
	make_words(&b, PERF_RECORD_TEXT_POKE, 0xffffffff81000000, 2 | 3 << 16, 0, 3);
	make_longer(&b, 40, 0x5a);
	h = cut(&b, b.len);
	record_mend(&l, h);
	assert_int_equal(record_time(&l, h), 42);
	free(h);
	/* A name with more room than it needs, as writers of files have it. */
	make_ksymbol(&b, 0);
	b.len -= 16;
	put64(&b, 0);
	put64(&b, 0);
	put_trailer(&b, 7);
	make_longer(&b, 0, 0);
	h = cut(&b, b.len);
	record_mend(&l, h);
	assert_int_equal(record_time(&l, h), 7);
	free(h);
}

/* Opened, a record has what its type says, and who wrote it when; an unknown one only that. */
static void test_open(void **state)
{
	struct record_layout l = sideband_layout();
	struct perf_event_header *h;
	struct record r;
	struct bytes b;

	(void)state;
	make_task(&b, PERF_RECORD_EXIT);
	h = cut(&b, b.len);
	record_open(&l, h, &r);
	assert_true(r.whole);
	assert_ptr_equal(r.h, h);
	assert_int_equal(r.task.tid, 33);
	assert_int_equal(r.time, record_time(&l, h));
	assert_int_equal(r.cpu, record_cpu(&l, h));
	h->type = 4000;
	record_open(&l, h, &r);
	assert_true(r.whole);
	assert_int_equal(r.time, 778);
	free(h);
	make_words(&b, PERF_RECORD_LOST_SAMPLES, 5, 0, 0, 1);
	h = cut(&b, b.len);
	record_open(&l, h, &r);
	assert_true(r.whole);
	assert_int_equal(r.lost.id, 0);
	assert_int_equal(r.lost.lost, 5);
	free(h);
}

/* --- all of them, cut short ---------------------------------------------------------------- */

static bool decode_any(const struct record_layout *l, const struct perf_event_header *h)
{
	struct record r;
	uint64_t id;

	record_open(l, h, &r);
	return h->type == PERF_RECORD_THROTTLE ? record_throttle(l, h, &id) : r.whole;
}

/*
 * Cut to any length by a header that lies.  What is left may still be whole only where no more than
 * padding of the string went with the trailer; `least` is the shortest that may be taken.
 */
static void check_cuts(const struct bytes *b, size_t least)
{
	struct record_layout l = sideband_layout();

	for (size_t len = sizeof(struct perf_event_header); len <= b->len; len++) {
		struct perf_event_header *h = cut(b, len);

		if (decode_any(&l, h) != (len >= least))
			fail_msg("type %u: %zu of %zu bytes", h->type, len, b->len);
		free(h);
	}
}

static void test_cuts(void **state)
{
	struct bytes b;

	(void)state;
	/* Where they stand: a name's NUL, or the body's last byte, and a trailer of 16. */
	make_mmap2(&b, 0x1000, 0x1000, "/bin/cat", 0);
	check_cuts(&b, 72 + 9 + 16);
	make_mmap(&b, "/bin/cat");
	check_cuts(&b, 40 + 9 + 16);
	make_comm(&b, "cat", false);
	check_cuts(&b, 16 + 4 + 16);
	make_task(&b, PERF_RECORD_FORK);
	check_cuts(&b, 8 + 24 + 16);
	make_task(&b, PERF_RECORD_EXIT);
	check_cuts(&b, 8 + 24 + 16);
	make_ksymbol(&b, 0);
	check_cuts(&b, 24 + 11 + 16);
	make_words(&b, PERF_RECORD_LOST, 1, 2, 0, 2);
	check_cuts(&b, 8 + 16 + 16);
	make_words(&b, PERF_RECORD_THROTTLE, 1, 2, 3, 3);
	check_cuts(&b, 8 + 24 + 16);
}

/* No NUL before the trailer: not even where the trailer has one. */
static void test_unterminated(void **state)
{
	struct record_layout l = sideband_layout();
	static const size_t names[] = {72, 40, 16, 24};
	struct bytes b[4];

	(void)state;
	make_mmap2(&b[0], 0x1000, 0x1000, "12345678", 0);
	make_mmap(&b[1], "12345678");
	make_comm(&b[2], "12345678", false);
	make_ksymbol(&b[3], 0);
	for (size_t i = 0; i < 4; i++) {
		struct perf_event_header *h;

		memset(b[i].data + names[i], 'A', b[i].len - 16 - names[i]);
		h = cut(&b[i], b[i].len);
		assert_false(decode_any(&l, h));
		((char *)h)[b[i].len - 17] = '\0'; /* the body's last byte will do */
		assert_true(decode_any(&l, h));
		free(h);
	}
}

/* Trailers of every sample type; without TIME there is none. */
static void test_trailers(void **state)
{
	static const uint64_t order[] = {PERF_SAMPLE_TID, PERF_SAMPLE_TIME, PERF_SAMPLE_ID,
					 PERF_SAMPLE_STREAM_ID, PERF_SAMPLE_CPU,
					 PERF_SAMPLE_IDENTIFIER};

	(void)state;
	for (unsigned mask = 0; mask < 64; mask++) {
		struct perf_event_header *h;
		struct record_layout l;
		struct record_comm c;
		uint64_t type = 0;
		struct bytes b;

		begin(&b, PERF_RECORD_COMM, 0);
		put64(&b, 0);
		put_string(&b, "x");
		for (size_t i = 0; i < 6; i++) {
			if (!(mask >> i & 1))
				continue;
			type |= order[i];
			put64(&b, 1000 + i);
		}
		record_layout_init(&l, type);
		h = cut(&b, b.len);
		assert_int_equal(record_time(&l, h), type & PERF_SAMPLE_TIME ? 1001 : 0);
		assert_true(record_comm(&l, h, &c));
		assert_string_equal(c.comm, "x");
		h->size = 8;
		record_time(&l, h); /* must not look beyond 8 bytes */
		free(h);
	}
}

static void test_aux_records(void **state)
{
	const uint64_t aux[3] = {0x1234, 0x10000, PERF_AUX_FLAG_TRUNCATED | PERF_AUX_FLAG_PARTIAL};
	struct {
		struct perf_event_header h;
		uint64_t body[3];
	} r = {.h = {.type = PERF_RECORD_AUX, .size = sizeof(r)}};
	struct record_layout l;
	struct record_aux a;

	(void)state;
	record_layout_init(&l, 0);
	memcpy(r.body, aux, sizeof(aux));
	assert_true(record_aux(&l, &r.h, &a));
	assert_int_equal(a.offset, 0x1234);
	assert_int_equal(a.size, 0x10000);
	assert_int_equal(a.flags, 5);
	r.h.size -= 8;
	assert_false(record_aux(&l, &r.h, &a));
	/* What follows is the trailer's, not the record's. */
	record_layout_init(&l, PERF_SAMPLE_TID | PERF_SAMPLE_TIME);
	r.h = (struct perf_event_header){.type = PERF_RECORD_AUX, .size = sizeof(r)};
	assert_false(record_aux(&l, &r.h, &a));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_aux_records),
		cmocka_unit_test(test_samples),	     cmocka_unit_test(test_chain_lies),
		cmocka_unit_test(test_wanted), cmocka_unit_test(test_raw),	     cmocka_unit_test(test_open),
		cmocka_unit_test(test_mmap),	     cmocka_unit_test(test_mmap_hostile),
		cmocka_unit_test(test_comm),	     cmocka_unit_test(test_others),
		cmocka_unit_test(test_mended),
		cmocka_unit_test(test_cuts),	     cmocka_unit_test(test_unterminated),
		cmocka_unit_test(test_trailers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
