/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ring's copy and the cursor, on rings in plain memory.  The "kernel" is a model that writes
 * records as the real one does: backward, downward from the head, over whatever is there; forward,
 * upward, as far as data_tail lets it.  Every record carries its number, and the bytes that follow
 * from it, so that one that is not whole is known.
 */
#include "kernel/capture/ring.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "kernel/capture/cursor.h"
#include "tests/skip.h"

#define SIZE 4096

struct fake {
	struct ring ring;
	struct perf_event_mmap_page page;
	char *data;
	_Alignas(8) char buf[SIZE];
	uint64_t written; /* records, by the model */
};

static _Alignas(SIZE) char area[SIZE]; /* a page of its own */

static void fake_init(struct fake *f, bool overwrite, uint64_t start)
{
	memset(f, 0, sizeof(*f));
	memset(area, 0, sizeof(area));
	f->data = area;
	f->page.data_head = f->page.data_tail = start;
	f->ring = (struct ring){.page = &f->page, .data = f->data, .size = SIZE, .seen = start,
				.overwrite = overwrite};
}

static uint64_t word_of(uint64_t number, size_t i)
{
	return number * 0x9e3779b97f4a7c15ull + i;
}

/* 64-bit stores: the reader copies meanwhile, and the machine may tear at no finer grain. */
static void put(struct fake *f, uint64_t pos, uint64_t v)
{
	__atomic_store_n((uint64_t *)(void *)(f->data + (pos & (SIZE - 1))), v, __ATOMIC_RELAXED);
}

/* A record of `size` bytes (16 at least): header, number, filling. */
static void write_at(struct fake *f, uint64_t pos, uint64_t number, uint16_t size)
{
	struct perf_event_header h = {.type = PERF_RECORD_SAMPLE, .size = size};
	uint64_t v;

	memcpy(&v, &h, sizeof(v));
	put(f, pos, v);
	put(f, pos + 8, number);
	for (size_t i = 16; i < size; i += 8)
		put(f, pos + i, word_of(number, i));
}

static void write_backward(struct fake *f, uint16_t size)
{
	uint64_t head = f->page.data_head - size;

	/* No byte of this record is there before the head of the one before it. */
	__atomic_thread_fence(__ATOMIC_RELEASE);
	write_at(f, head, f->written++, size);
	__atomic_store_n(&f->page.data_head, head, __ATOMIC_RELEASE);
}

static bool write_forward(struct fake *f, uint16_t size)
{
	uint64_t head = f->page.data_head, tail = f->page.data_tail;

	if (head - tail + size > SIZE)
		return false;
	write_at(f, head, f->written++, size);
	f->page.data_head = head + size;
	return true;
}

/* Whole and what it says: its number. */
static uint64_t check_record(const struct perf_event_header *h)
{
	const uint64_t *w = (const uint64_t *)(const void *)h;

	assert_int_equal(h->type, PERF_RECORD_SAMPLE);
	for (size_t i = 16; i < h->size; i += 8)
		assert_int_equal(w[i / 8], word_of(w[1], i));
	return w[1];
}

struct seen {
	uint64_t records, bytes;
	uint64_t first, last; /* numbers, in the order of the walk */
	enum cursor_step end;
};

/* Walk a batch; numbers must go on by `step`. */
static struct seen walk(const struct ring_batch *b, int step)
{
	struct cursor c = {.data = b->data, .len = b->len};
	const struct perf_event_header *h;
	struct seen s = {0};

	while ((s.end = cursor_next(&c, &h)) == CURSOR_RECORD) {
		uint64_t number = check_record(h);

		if (s.records++)
			assert_int_equal(number, s.last + (uint64_t)(int64_t)step);
		else
			s.first = number;
		s.last = number;
	}
	s.bytes = c.pos;
	return s;
}

/* --- the cursor alone --------------------------------------------------------------------- */

static void test_cursor_sizes(void **state)
{
	static const struct {
		uint16_t size;
		enum cursor_step step;
	} rows[] = {
		{0, CURSOR_CORRUPT}, {1, CURSOR_CORRUPT}, {4, CURSOR_CORRUPT},
		{7, CURSOR_CORRUPT}, {8, CURSOR_RECORD},  {9, CURSOR_CORRUPT},
		{12, CURSOR_CORRUPT}, {16, CURSOR_RECORD}, {20, CURSOR_CORRUPT},
		{40, CURSOR_RECORD}, {48, CURSOR_TORN},   {0xfff8, CURSOR_TORN},
		{0xffff, CURSOR_CORRUPT},
	};
	_Alignas(8) char data[40] = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct perf_event_header h = {.type = 9, .size = rows[i].size};
		struct cursor c = {.data = data, .len = sizeof(data)};
		const struct perf_event_header *rec;

		memcpy(data, &h, sizeof(h));
		assert_int_equal(cursor_next(&c, &rec), rows[i].step);
		assert_int_equal(c.pos, rows[i].step == CURSOR_RECORD ? rows[i].size : 0);
		if (rows[i].step != CURSOR_RECORD) /* and it stays so */
			assert_int_equal(cursor_next(&c, &rec), rows[i].step);
	}
}

/* A record cut after each number of bytes, behind a whole one. */
static void test_cursor_torn(void **state)
{
	(void)state;
	for (size_t len = 0; len <= 32; len++) {
		char *exact = malloc(16 + len); /* so that a sanitizer sees one byte too many */
		struct perf_event_header h = {.type = 1, .size = 16};
		struct cursor c = {.data = exact, .len = 16 + len};
		const struct perf_event_header *rec;
		_Alignas(8) char torn[32] = {0};

		memset(exact, 0, 16);
		memcpy(exact, &h, sizeof(h));
		h.size = 32;
		memcpy(torn, &h, sizeof(h));
		memcpy(exact + 16, torn, len);
		assert_int_equal(cursor_next(&c, &rec), CURSOR_RECORD);
		assert_ptr_equal(rec, exact);
		assert_int_equal(cursor_next(&c, &rec),
				 len == 0 ? CURSOR_END : len == 32 ? CURSOR_RECORD : CURSOR_TORN);
		assert_int_equal(c.pos, len == 32 ? 48 : 16);
		free(exact);
	}
}

static void test_cursor_empty(void **state)
{
	struct cursor c = {.data = NULL, .len = 0};
	const struct perf_event_header *rec;

	(void)state;
	assert_int_equal(cursor_next(&c, &rec), CURSOR_END);
}

/* --- backward rings ----------------------------------------------------------------------- */

/* Positions from which a backward ring may count down: where they wrap, too. */
static const uint64_t starts[] = {0, 8, 64, SIZE, SIZE - 8, UINT64_MAX - 7, 1ull << 63};

#define NR_STARTS (sizeof(starts) / sizeof(*starts))

static void test_backward(void **state)
{
	struct fake *f = malloc(sizeof(*f));
	struct ring_batch b;

	(void)state;
	for (size_t i = 0; i < NR_STARTS; i++) {
		struct seen s;
		uint64_t before = 0;

		fake_init(f, true, starts[i]);
		ring_take(&f->ring, f->buf, &b);
		assert_int_equal(b.len + b.unread + b.overwritten, 0);
		/* Batches of all sizes up to a full ring, round and round. */
		for (unsigned n = 1; n <= SIZE / 40; n++) {
			for (unsigned k = 0; k < n; k++)
				write_backward(f, 40);
			assert_int_equal(ring_unread(&f->ring), n * 40);
			ring_take(&f->ring, f->buf, &b);
			s = walk(&b, -1);
			assert_int_equal(s.end, CURSOR_END);
			assert_int_equal(s.records, n);
			assert_int_equal(s.first, f->written - 1); /* the newest first */
			assert_int_equal(s.last, before);
			assert_int_equal(b.unread, n * 40);
			assert_int_equal(b.overwritten, 0);
			assert_int_equal(ring_unread(&f->ring), 0);
			before = f->written;
		}
	}
	free(f);
}

/* What the ring still holds, taken or not; and a look changes nothing. */
static void test_hold(void **state)
{
	struct fake *f = malloc(sizeof(*f));
	struct ring_batch b;
	struct seen s;

	(void)state;
	fake_init(f, true, 0);
	ring_copy(&f->ring, f->buf, &b);
	assert_int_equal(b.len, 0);
	for (unsigned k = 0; k < 10; k++)
		write_backward(f, 40);
	ring_take(&f->ring, f->buf, &b);
	for (unsigned k = 0; k < 5; k++)
		write_backward(f, 40);
	ring_copy(&f->ring, f->buf, &b);
	s = walk(&b, -1);
	assert_int_equal(s.end, CURSOR_END);
	assert_int_equal(s.records, 15);
	assert_int_equal(s.first, 14);
	assert_int_equal(ring_unread(&f->ring), 5 * 40);
	/* Round and round: as many whole ones as there is room for, the newest. */
	for (unsigned k = 0; k < 1000; k++)
		write_backward(f, 40);
	ring_copy(&f->ring, f->buf, &b);
	assert_int_equal(b.len, SIZE);
	s = walk(&b, -1);
	assert_int_equal(s.end, CURSOR_TORN);
	assert_int_equal(s.records, SIZE / 40);
	assert_int_equal(s.first, f->written - 1);

	fake_init(f, false, 0);
	assert_true(write_forward(f, 40));
	ring_copy(&f->ring, f->buf, &b);
	assert_int_equal(b.len, 0);
	assert_int_equal(ring_unread(&f->ring), 40);
	free(f);
}

static void test_backward_full(void **state)
{
	struct fake *f = malloc(sizeof(*f));
	struct ring_batch b;
	struct seen s;

	(void)state;
	for (size_t i = 0; i < NR_STARTS; i++) {
		fake_init(f, true, starts[i]);
		for (unsigned k = 0; k < SIZE / 32; k++)
			write_backward(f, 32);
		ring_take(&f->ring, f->buf, &b);
		s = walk(&b, -1);
		assert_int_equal(b.len, SIZE); /* full is not empty, and not overrun */
		assert_int_equal(b.overwritten, 0);
		assert_int_equal(s.records, SIZE / 32);
		assert_int_equal(s.last, 0);
	}
	free(f);
}

static void test_backward_overrun(void **state)
{
	static const unsigned more[] = {1, 2, 3, 50, SIZE / 40, SIZE / 40 + 1, 10000};
	struct fake *f = malloc(sizeof(*f));
	struct ring_batch b;

	(void)state;
	for (size_t i = 0; i < NR_STARTS * sizeof(more) / sizeof(*more); i++) {
		unsigned n = SIZE / 40 + more[i / NR_STARTS];
		struct seen s;

		fake_init(f, true, starts[i % NR_STARTS]);
		for (unsigned k = 0; k < n; k++)
			write_backward(f, 40);
		ring_take(&f->ring, f->buf, &b);
		assert_int_equal(b.unread, (uint64_t)n * 40);
		assert_int_equal(b.len, SIZE);
		assert_int_equal(b.overwritten, (uint64_t)n * 40 - SIZE);
		s = walk(&b, -1);
		assert_int_equal(s.end, CURSOR_TORN); /* 4096 is no multiple of 40 */
		assert_int_equal(s.records, SIZE / 40);
		assert_int_equal(s.bytes, SIZE / 40 * 40);
		assert_int_equal(s.first, n - 1);
		/* What is new after that is exact again. */
		write_backward(f, 24);
		ring_take(&f->ring, f->buf, &b);
		assert_int_equal(b.len, 24);
		assert_int_equal(b.overwritten, 0);
		assert_int_equal(walk(&b, -1).first, n);
	}
	free(f);
}

/* Records of mixed sizes against a list of what was written. */
static void test_backward_random(void **state)
{
	struct fake *f = malloc(sizeof(*f));
	uint64_t total = 0, got = 0, overwritten = 0;

	(void)state;
	srandom(1);
	fake_init(f, true, 0);
	for (unsigned round = 0; round < 3000; round++) {
		uint64_t first = f->written, bytes = 0;
		unsigned n = (unsigned)random() % 60;
		struct ring_batch b;
		struct seen s;

		for (unsigned k = 0; k < n; k++) {
			uint16_t size = (uint16_t)(16 + 8 * (random() % 20));

			write_backward(f, size);
			bytes += size;
		}
		ring_take(&f->ring, f->buf, &b);
		s = walk(&b, -1);
		assert_int_equal(b.unread, bytes);
		assert_int_equal(b.len + b.overwritten, bytes);
		assert_int_equal(b.overwritten, bytes > SIZE ? bytes - SIZE : 0);
		if (n)
			assert_int_equal(s.first, f->written - 1);
		if (n && bytes <= SIZE)
			assert_int_equal(s.last, first);
		total += bytes;
		got += s.bytes + (b.len - s.bytes);
		overwritten += b.overwritten;
	}
	assert_int_equal(total, got + overwritten);
	assert_true(overwritten > 0);
	free(f);
}

/* --- the head moves while we copy ---------------------------------------------------------- */

/*
 * The data cannot be read at first: the copy's first load traps, and what the "kernel" writes in
 * the trap comes after the first look at the head and before the second.
 */
static struct {
	struct fake *f;
	unsigned records, traps;
} seam;

static void on_trap(int sig)
{
	(void)sig;
	if (seam.traps++ || mprotect(area, SIZE, PROT_READ | PROT_WRITE))
		_exit(99);
	for (unsigned i = 0; i < seam.records; i++)
		write_backward(seam.f, 40);
}

static void take_overtaken(struct fake *f, unsigned records, struct ring_batch *b)
{
	struct sigaction sa = {.sa_handler = on_trap}, before;

	seam.f = f;
	seam.records = records;
	seam.traps = 0;
	assert_int_equal(sigaction(SIGSEGV, &sa, &before), 0);
	assert_int_equal(mprotect(area, SIZE, PROT_NONE), 0);
	ring_take(&f->ring, f->buf, b);
	assert_int_equal(sigaction(SIGSEGV, &before, NULL), 0);
	assert_int_equal(seam.traps, 1);
}

static void overtake(struct fake *f, uint64_t start, unsigned waiting, unsigned meanwhile)
{
	uint64_t bytes = (uint64_t)waiting * 40, moved = (uint64_t)meanwhile * 40, left;
	struct ring_batch b;
	struct seen s;

	fake_init(f, true, start);
	for (unsigned i = 0; i < waiting; i++)
		write_backward(f, 40);
	take_overtaken(f, meanwhile, &b);
	left = moved >= SIZE ? 0 : bytes < SIZE - moved ? bytes : SIZE - moved;
	assert_int_equal(b.unread, bytes);
	assert_int_equal(b.len, left);
	assert_int_equal(b.overwritten, bytes - left);
	s = walk(&b, -1); /* all whole */
	assert_int_equal(s.records, left / 40);
	if (s.records)
		assert_int_equal(s.first, waiting - 1);
	/* What came meanwhile is the next batch's. */
	ring_take(&f->ring, f->buf, &b);
	s = walk(&b, -1);
	assert_int_equal(b.unread, moved);
	assert_int_equal(s.records, (moved < SIZE ? moved : SIZE) / 40);
	if (meanwhile)
		assert_int_equal(s.first, waiting + meanwhile - 1);
}

static void test_overtaken(void **state)
{
	static const unsigned numbers[] = {0, 1, 2, 50, 51, 52, 101, 102, 103, 150, 1000};
	const size_t nr = sizeof(numbers) / sizeof(*numbers);
	struct fake *f = malloc(sizeof(*f));

	(void)state;
	if (sysconf(_SC_PAGESIZE) != SIZE) {
		SKIP("pages are not of %d bytes", SIZE);
	}
	for (size_t i = 0; i < NR_STARTS; i++)
		for (size_t w = 1; w < nr; w++)
			for (size_t m = 0; m < nr; m++)
				overtake(f, starts[i], numbers[w], numbers[m]);
	free(f);
}

struct race {
	struct fake *f;
	bool stop; /* shared */
};

static void *kernel_thread(void *arg)
{
	struct race *r = arg;

	while (!__atomic_load_n(&r->stop, __ATOMIC_RELAXED)) {
		/* Bursts, so that the reader is sometimes ahead and sometimes overrun. */
		for (unsigned i = 0; i < 40 + r->f->written % 97; i++)
			write_backward(r->f, 24 + 8 * (r->f->written % 5));
		sched_yield();
	}
	return NULL;
}

/*
 * Not on the ring's own CPU, so a record may be half overwritten before data_head tells: here the
 * model is kinder than that by one record only.  What lies beyond is what ring_take must have cut,
 * so only the oldest record of a batch that was cut may be broken.
 */
static uint64_t walk_raced(const struct ring_batch *b, uint64_t *next, uint64_t *broken)
{
	struct cursor c = {.data = b->data, .len = b->len};
	const struct perf_event_header *h;
	uint64_t newest = 0, expect = 0, n = 0;

	while (cursor_next(&c, &h) == CURSOR_RECORD) {
		const uint64_t *w = (const uint64_t *)(const void *)h;
		bool whole = h->type == PERF_RECORD_SAMPLE && (!n || w[1] == expect);

		for (size_t i = 16; i < h->size && whole; i += 8)
			whole = w[i / 8] == word_of(w[1], i);
		if (!whole) {
			/* at most one record was being written over the end of what we have */
			assert_true(b->overwritten > 0 || b->len + 64 > SIZE);
			++*broken;
			break;
		}
		if (!n++)
			newest = w[1];
		expect = w[1] - 1;
		assert_true(w[1] >= *next); /* nothing twice */
	}
	if (n)
		*next = newest + 1;
	return n;
}

static void test_beside_writer(void **state)
{
	struct fake *f = malloc(sizeof(*f));
	struct race r = {.f = f};
	uint64_t next = 0, broken = 0, taken = 0, overwritten = 0, unread = 0, len = 0;
	struct ring_batch b;
	pthread_t t;

	(void)state;
	fake_init(f, true, 0);
	assert_int_equal(pthread_create(&t, NULL, kernel_thread, &r), 0);
	for (unsigned i = 0; i < 20000 || taken < 20000; i++) {
		ring_take(&f->ring, f->buf, &b);
		taken += walk_raced(&b, &next, &broken);
		unread += b.unread;
		overwritten += b.overwritten;
		len += b.len;
		assert_true(b.len <= SIZE);
		if (i % 64 == 0)
			sched_yield();
	}
	__atomic_store_n(&r.stop, true, __ATOMIC_RELAXED);
	pthread_join(t, NULL);
	ring_take(&f->ring, f->buf, &b);
	taken += walk_raced(&b, &next, &broken);
	unread += b.unread;
	overwritten += b.overwritten;
	len += b.len;
	/* To the byte, whatever was overtaken. */
	assert_int_equal(unread, -f->page.data_head);
	assert_int_equal(len + overwritten, unread);
	assert_true(next <= f->written);
	free(f);
}

/* --- forward rings ------------------------------------------------------------------------ */

static void test_forward(void **state)
{
	struct fake *f = malloc(sizeof(*f));
	struct ring_batch b;

	(void)state;
	for (size_t i = 0; i < NR_STARTS; i++) {
		uint64_t before = 0;

		fake_init(f, false, starts[i]);
		ring_take(&f->ring, f->buf, &b);
		assert_int_equal(b.len, 0);
		for (unsigned n = 1; n <= SIZE / 40; n++) {
			struct seen s;

			for (unsigned k = 0; k < n; k++)
				assert_true(write_forward(f, 40));
			assert_int_equal(ring_unread(&f->ring), n * 40);
			ring_take(&f->ring, f->buf, &b);
			s = walk(&b, 1);
			assert_int_equal(s.end, CURSOR_END);
			assert_int_equal(s.records, n);
			assert_int_equal(s.first, before); /* the oldest first */
			assert_int_equal(b.overwritten, 0);
			/* The space is the kernel's again. */
			assert_int_equal(f->page.data_tail, f->page.data_head);
			before = f->written;
		}
	}
	free(f);
}

static void test_forward_full(void **state)
{
	struct fake *f = malloc(sizeof(*f));
	struct ring_batch b;

	(void)state;
	fake_init(f, false, UINT64_MAX - 7);
	while (write_forward(f, 32))
		;
	assert_int_equal(f->written, SIZE / 32);
	ring_take(&f->ring, f->buf, &b);
	assert_int_equal(b.len, SIZE);
	assert_int_equal(b.unread, SIZE);
	assert_int_equal(walk(&b, 1).records, SIZE / 32);
	assert_true(write_forward(f, 32));
	free(f);
}

/* A head beyond the ring is nothing that a kernel says: not followed, and then all is well again. */
static void test_forward_absurd(void **state)
{
	struct fake *f = malloc(sizeof(*f));
	struct ring_batch b;

	(void)state;
	fake_init(f, false, 0);
	f->page.data_head = 1ull << 40;
	ring_take(&f->ring, f->buf, &b);
	assert_int_equal(b.len, 0);
	assert_true(write_forward(f, 32));
	ring_take(&f->ring, f->buf, &b);
	assert_int_equal(walk(&b, 1).records, 1);
	free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cursor_sizes),   cmocka_unit_test(test_cursor_torn),
		cmocka_unit_test(test_cursor_empty),   cmocka_unit_test(test_backward),
		cmocka_unit_test(test_backward_full),  cmocka_unit_test(test_backward_overrun),
		cmocka_unit_test(test_backward_random), cmocka_unit_test(test_overtaken),
		cmocka_unit_test(test_beside_writer),  cmocka_unit_test(test_hold),
		cmocka_unit_test(test_forward),	       cmocka_unit_test(test_forward_full),
		cmocka_unit_test(test_forward_absurd),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
