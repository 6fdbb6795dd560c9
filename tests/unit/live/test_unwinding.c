/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The group behind --call-graph dwarf, with samples made by hand of a process that nobody knows.  Each
 * sample is in a row once: where its stack is not unwound, for want of time or of room, by its leaf.
 */
#include "sources/consumers/unwinding.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "files/unwind/unwind.h"
#include "sources/consumers/stackcopies.h"

#define REGS    3u
#define STACK   256u
#define SAMPLES 1000u
#define NOBODY  0x3ffffff /* beyond what a pid can be */
#define LEAF    0x1000u
#define PATIENT 600 /* s: nothing here takes that long */

struct stack_record {
	struct perf_event_header header;
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t time;
	uint64_t abi, regs[REGS];
	uint64_t size;
	char stack[STACK];
	uint64_t used;
};

struct fixture {
	struct resolver *resolver;
	struct table *table;
	struct unwinding *u;
	struct record_layout layout;
};

static void begin(struct fixture *f)
{
	const struct resolver_config rc = {.self = 1, .workers = 1};
	const struct perf_event_attr attr = {
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			       PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
		.sample_regs_user = 1ull << UNWIND_BP | 1ull << UNWIND_SP | 1ull << UNWIND_IP,
		.sample_stack_user = STACK,
	};
	struct unwinding_config uc = {.readers = 1, .expected = 1, .writer = 1, .workers = 2, .events = 1,
				      .stack_bytes = STACK};

	record_layout_init_attr(&f->layout, &attr);
	f->resolver = uc.resolver = resolver_create(&rc, NULL);
	f->table = uc.table = table_create(3, 1024, 1 << 20);
	f->u = unwinding_create(&uc, NULL);
	assert_non_null(f->resolver);
	assert_non_null(f->u);
}

static void end(struct fixture *f)
{
	unwinding_free(f->u);
	table_free(f->table);
	resolver_free(f->resolver);
}

static bool put(struct fixture *f, const struct sample *s, struct path *path, uint64_t *ips)
{
	const struct table_key key = {.pid = NOBODY, .tid = NOBODY};

	return unwinding_put(f->u, 0, &f->layout, s, &key, 10, true, path, ips);
}

/* All rows have that path, leaf first.  Returns their samples. */
static uint64_t rows_of(struct fixture *f, const uint64_t *ips, size_t nr)
{
	struct table_gen *gen = table_rotate(f->table);
	struct table_row row;
	uint64_t samples = 0;
	size_t pos = 0;

	while (table_next(gen, &pos, &row)) {
		assert_int_equal(row.key.nr, nr);
		assert_memory_equal(row.ips, ips, nr * sizeof(*ips));
		assert_int_equal(row.count.weight, 10 * row.count.samples);
		samples += row.count.samples;
	}
	table_recycle(f->table, gen);
	return samples;
}

static const uint64_t cut[] = {TABLE_MARK_UNWOUND, LEAF, TABLE_MARK_TRUNCATED};
static const uint64_t broken[] = {TABLE_MARK_UNWOUND, LEAF, TABLE_MARK_BROKEN};

/* As a reader does, and the tick after it. */
static void put_samples(struct fixture *f)
{
	struct stack_record r = {.header = {PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, sizeof(r)},
			   .ip = LEAF, .pid = NOBODY, .tid = NOBODY,
			   .abi = PERF_SAMPLE_REGS_ABI_64, .size = STACK, .used = STACK};
	uint64_t ips[TABLE_PATH_MAX];
	struct path path = {ips, 0};
	struct sample s;

	for (unsigned i = 0; i < SAMPLES; i++) {
		r.time = i;
		assert_true(record_sample(&f->layout, &r.header, &s));
		assert_true(put(f, &s, &path, ips));
	}
	unwinding_flush(f->u, 0);
	unwinding_take(f->u);
}

static void test_left(void **state)
{
	struct slice_unwind g;
	struct fixture f;

	(void)state;
	begin(&f);
	put_samples(&f);
	unwinding_finish(f.u, true, clock_ns());
	unwinding_gauge(f.u, &g);
	assert_int_equal(g.samples, 0);
	assert_int_equal(unwinding_left(f.u, 0)->samples, 0);
	assert_int_equal(unwinding_refused(f.u, 0)->samples, 0);
	assert_int_equal(g.dropped, SAMPLES);
	assert_int_equal(g.waiting, 0);
	assert_int_equal(rows_of(&f, cut, 3), SAMPLES);
	end(&f);
}

/* With time enough all are unwound, by no maps: broken, but in the table. */
static void test_in_time(void **state)
{
	struct slice_unwind g;
	struct fixture f;

	(void)state;
	begin(&f);
	put_samples(&f);
	unwinding_finish(f.u, true, clock_ns() + PATIENT * NSEC_PER_SEC);
	unwinding_gauge(f.u, &g);
	assert_int_equal(g.samples, SAMPLES);
	assert_int_equal(g.ends[SLICE_UNWIND_BROKEN], SAMPLES);
	assert_int_equal(g.dropped, 0);
	assert_int_equal(unwinding_left(f.u, 0)->samples, 0);
	assert_int_equal(rows_of(&f, broken, 3), SAMPLES); /* the registers are all 0 */
	end(&f);
}

/* Samples that have the whole chain, too: what has no room among copies keeps it, and nothing is lost. */
static void test_crowded(void **state)
{
	struct stack_record r = {.header = {PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, sizeof(r)},
			   .ip = LEAF, .pid = NOBODY, .tid = NOBODY,
			   .abi = PERF_SAMPLE_REGS_ABI_64, .size = STACK, .used = STACK};
	const uint64_t chain[] = {(uint64_t)PERF_CONTEXT_USER, LEAF, 0x2000};
	struct path path = {chain, 3};
	uint64_t ips[TABLE_PATH_MAX];
	unsigned taken = 0, more = 0;
	struct slice_unwind g;
	struct fixture f;
	struct sample s;

	(void)state;
	begin(&f);
	f.layout.both = true;
	assert_true(record_sample(&f.layout, &r.header, &s));
	while (put(&f, &s, &path, ips))
		taken++;
	for (more = 1; more < 10; more++)
		assert_false(put(&f, &s, &path, ips));
	assert_ptr_equal(path.ips, chain);
	assert_int_equal(path.nr, 3);
	unwinding_flush(f.u, 0);
	unwinding_take(f.u);
	unwinding_finish(f.u, true, clock_ns() + PATIENT * NSEC_PER_SEC);
	unwinding_gauge(f.u, &g);
	assert_int_equal(g.crowded, more);
	assert_int_equal(g.dropped, 0);
	assert_int_equal(g.samples + g.chained, taken);
	end(&f);
}

/* Samples without a chain: what has no room is the reader's to count by its leaf. */
static void test_no_room(void **state)
{
	struct stack_record r = {.header = {PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, sizeof(r)},
			   .ip = LEAF, .pid = NOBODY, .tid = NOBODY,
			   .abi = PERF_SAMPLE_REGS_ABI_64, .size = STACK, .used = STACK};
	uint64_t ips[TABLE_PATH_MAX];
	struct path path = {ips, 0};
	struct slice_unwind g;
	struct fixture f;
	unsigned taken = 0;
	struct sample s;

	(void)state;
	begin(&f);
	assert_true(record_sample(&f.layout, &r.header, &s));
	while (put(&f, &s, &path, ips))
		taken++;
	assert_int_equal(path.nr, 3);
	assert_memory_equal(path.ips, cut, sizeof(cut));

	/* in the kernel: its address first, then where the user's code was by the registers */
	r.header.misc = PERF_RECORD_MISC_KERNEL;
	r.ip = 0xffffffff81000010;
	r.regs[UNWIND_IP - UNWIND_BP] = LEAF;
	assert_true(record_sample(&f.layout, &r.header, &s));
	assert_false(put(&f, &s, &path, ips));
	assert_int_equal(path.nr, 4);
	assert_int_equal(path.ips[0], r.ip);
	assert_memory_equal(path.ips + 1, cut, sizeof(cut));

	/* of 32-bit code, which is not unwound */
	r.header.misc = PERF_RECORD_MISC_USER;
	r.ip = LEAF;
	r.abi = PERF_SAMPLE_REGS_ABI_32;
	assert_true(record_sample(&f.layout, &r.header, &s));
	assert_false(put(&f, &s, &path, ips));
	assert_int_equal(path.nr, 3);
	assert_memory_equal(path.ips, broken, sizeof(broken));

	unwinding_flush(f.u, 0);
	unwinding_take(f.u);
	unwinding_finish(f.u, true, clock_ns() + PATIENT * NSEC_PER_SEC);
	unwinding_gauge(f.u, &g);
	assert_int_equal(g.dropped, 2);
	assert_int_equal(g.compat, 1);
	assert_int_equal(g.samples, taken);
	assert_int_equal(rows_of(&f, broken, 3), taken);
	end(&f);
}

/*
 * Samples with a piece of the stack: the first waits for a worker, who finds no map; all have the
 * chain, the caller not proved.  Those of ringtop itself stay as they are.
 */
static void test_piece(void **state)
{
	struct stack_record r = {.header = {PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, sizeof(r)},
			   .ip = LEAF, .pid = NOBODY, .tid = NOBODY,
			   .abi = PERF_SAMPLE_REGS_ABI_64, .size = STACK, .used = STACK};
	const uint64_t chain[] = {(uint64_t)PERF_CONTEXT_USER, LEAF, 0x2000};
	const uint64_t marked[] = {chain[0], LEAF, TABLE_MARK_UNPROVED, 0x2000};
	const struct table_key key = {.pid = NOBODY, .tid = NOBODY};
	struct path path = {chain, 3};
	uint64_t ips[TABLE_PATH_MAX], room[TABLE_PATH_MAX];
	struct slice_unwind g;
	struct fixture f;
	struct sample s;

	(void)state;
	begin(&f);
	f.layout.both = f.layout.piece = true;
	assert_true(record_sample(&f.layout, &r.header, &s));
	s.chain = chain;
	s.nr_chain = 3;
	s.ip = LEAF;
	assert_true(unwinding_prove(f.u, 0, &f.layout, &s, &path, ips));
	assert_int_equal(path.nr, 4);
	assert_memory_equal(path.ips, marked, sizeof(marked));
	assert_true(unwinding_put(f.u, 0, &f.layout, &s, &key, 10, true, &path, room));
	/* What is known is the reader's. */
	assert_false(unwinding_put(f.u, 0, &f.layout, &s, &key, 10, false, &path, room));
	/* 32-bit code has no rules. */
	s.user_abi = PERF_SAMPLE_REGS_ABI_32;
	path = (struct path){chain, 3};
	assert_false(unwinding_prove(f.u, 0, &f.layout, &s, &path, ips));
	assert_memory_equal(path.ips, marked, sizeof(marked));
	/* Nor has a thread of the kernel a stack, and ringtop's own is not looked at. */
	s.user_abi = PERF_SAMPLE_REGS_ABI_NONE;
	path = (struct path){chain, 3};
	assert_false(unwinding_prove(f.u, 0, &f.layout, &s, &path, ips));
	s.user_abi = PERF_SAMPLE_REGS_ABI_64;
	s.pid = (uint32_t)getpid();
	assert_false(unwinding_prove(f.u, 0, &f.layout, &s, &path, ips));
	assert_ptr_equal(path.ips, chain);
	unwinding_flush(f.u, 0);
	unwinding_take(f.u);
	unwinding_finish(f.u, true, clock_ns() + PATIENT * NSEC_PER_SEC);
	unwinding_gauge(f.u, &g);
	assert_int_equal(g.unproved, 2);
	assert_int_equal(g.proved + g.inserted + g.samples + g.chained + g.crowded + g.dropped, 0);
	assert_int_equal(rows_of(&f, marked, 4), 1);
	end(&f);
}

/* Freed with all that is waiting. */
static void test_abandoned(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	put_samples(&f);
	unwinding_go(f.u, 1);
	end(&f);
}

/* --- copies that their owner keeps --- */

struct owner {
	struct stackcopies *copies;
	unsigned came, cut, kept, plain;
};

static void back(void *arg, unsigned reader, struct dump_block *b)
{
	struct owner *o = arg;

	assert_int_equal(reader, 0);
	for (struct stackcopy *c = dump_first(b); c; c = dump_next(b, c)) {
		assert_int_equal(c->weight, 7 + c->time); /* any word */
		o->came++;
		o->cut += c->nchain == 3 && !memcmp(c->words, cut, sizeof(cut));
		o->kept += c->nchain == 3 && !memcmp(c->words, broken, sizeof(broken));
		o->plain += !c->mask && !c->nchain;
	}
	stackcopies_give(o->copies, b);
}

/* Every fourth is not to be unwound. */
static void lend(struct fixture *f, struct owner *o, bool submit)
{
	struct stack_record r = {.header = {PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, sizeof(r)},
			   .ip = LEAF, .pid = NOBODY, .tid = NOBODY,
			   .abi = PERF_SAMPLE_REGS_ABI_64, .size = STACK, .used = STACK};
	const struct table_key key = {.pid = NOBODY, .tid = NOBODY, .mode = PERF_RECORD_MISC_USER};
	const uint64_t mark[] = {(uint64_t)PERF_CONTEXT_USER};
	uint64_t ips[TABLE_PATH_MAX];
	struct dump_block *b, *next;
	struct sample s;

	for (unsigned i = 0; i < SAMPLES; i++) {
		struct path path = {mark, 1};

		r.time = i;
		assert_true(record_sample(&f->layout, &r.header, &s));
		assert_true(unwinding_copy(f->u, 0,
					   &(struct unwinding_copy){o->copies, &f->layout, &s, &key, 7 + i},
					   &path, ips));
	}
	stackcopies_flush(o->copies);
	for (b = stackcopies_take(o->copies); b; b = next) {
		next = b->next;
		for (struct stackcopy *c = dump_first(b); c; c = dump_next(b, c))
			c->mask = c->time % 4 ? c->mask : 0;
		assert_true(unwinding_lend(f->u, 0, b, &(struct unwinding_loan){back, o}));
	}
	if (submit)
		unwinding_go(f->u, 1);
}

/* Each comes back once, with its path, and is no row. */
static void test_lent(void **state)
{
	struct fixture f;
	struct owner o = {.copies = stackcopies_create(4 << 20)};

	(void)state;
	begin(&f);
	lend(&f, &o, false);
	assert_true(unwinding_busy(f.u));
	unwinding_finish(f.u, true, clock_ns() + PATIENT * NSEC_PER_SEC);
	assert_false(unwinding_busy(f.u));
	assert_int_equal(o.came, SAMPLES);
	assert_int_equal(o.kept, SAMPLES * 3 / 4); /* nobody knows the process */
	assert_int_equal(o.plain, SAMPLES / 4);
	/* There is no time: the leaf alone. */
	o = (struct owner){.copies = o.copies};
	lend(&f, &o, false);
	unwinding_finish(f.u, true, clock_ns() - 1);
	assert_int_equal(o.came, SAMPLES);
	assert_int_equal(o.cut, SAMPLES * 3 / 4);
	assert_int_equal(rows_of(&f, NULL, 0), 0);
	end(&f);
	stackcopies_free(o.copies);
}

/* The owner goes: nothing comes back after that. */
static void test_recalled(void **state)
{
	struct fixture f;
	struct owner o = {.copies = stackcopies_create(4 << 20)};
	unsigned came;

	(void)state;
	begin(&f);
	lend(&f, &o, true);
	lend(&f, &o, false);
	unwinding_recall(f.u, &o);
	assert_false(unwinding_busy(f.u));
	came = o.came;
	unwinding_finish(f.u, true, clock_ns() + PATIENT * NSEC_PER_SEC);
	assert_int_equal(o.came, came);
	stackcopies_free(o.copies);
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_left),
		cmocka_unit_test(test_in_time),
		cmocka_unit_test(test_abandoned),
		cmocka_unit_test(test_crowded),
		cmocka_unit_test(test_no_room), cmocka_unit_test(test_lent), cmocka_unit_test(test_recalled),
		cmocka_unit_test(test_piece),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
