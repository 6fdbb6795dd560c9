/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The queue of copied stacks from one thread: what goes in comes out, whole and in order, or is refused. */
#include "sources/consumers/stackcopies.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define BLOCKS 4u

/* Everything of sample n follows from n. */
static struct dump_input input(unsigned n)
{
	static uint64_t words[64];
	static uint8_t stack[65536];
	static struct table_key key;

	for (unsigned i = 0; i < 64; i++)
		words[i] = n * 1000u + i;
	memset(stack, (int)n, sizeof(stack));
	key = (struct table_key){.pid = n, .tid = n + 1, .event = n % 3};
	return (struct dump_input){.key = &key, .weight = n * 7, .time = 1000000 - n, .mask = n,
				   .leaf = n * 5,
				   .chain = words, .nchain = n % 40, .regs = words + 40,
				   .nregs = n % DUMPS_REGS, .stack = stack, .nstack = n * 37 % 9000};
}

static void check(const struct stackcopy *d, unsigned n)
{
	struct dump_input in = input(n);

	assert_memory_equal(&d->key, in.key, sizeof(d->key));
	assert_int_equal(d->weight, in.weight);
	assert_int_equal(d->time, in.time);
	assert_int_equal(d->mask, in.mask);
	assert_int_equal(d->leaf, in.leaf);
	assert_int_equal(d->nchain, in.nchain);
	assert_int_equal(d->nregs, in.nregs);
	assert_int_equal(d->nstack, in.nstack);
	assert_memory_equal(d->words, in.chain, in.nchain * 8);
	assert_memory_equal(d->words + in.nchain, in.regs, in.nregs * 8);
	assert_memory_equal(d->words + in.nchain + in.nregs, in.stack, in.nstack);
}

/* Take all, hold it against samples from..; returns the number after the last. */
static unsigned take(struct stackcopies *q, unsigned from)
{
	struct dump_block *b = stackcopies_take(q), *next;

	for (; b; b = next) {
		uint64_t oldest = UINT64_MAX;
		uint32_t nr = 0;

		for (struct stackcopy *d = dump_first(b); d; d = dump_next(b, d), nr++) {
			check(d, from++);
			oldest = d->time < oldest ? d->time : oldest;
		}
		assert_int_equal(b->nr, nr);
		assert_int_equal(b->oldest, oldest);
		next = b->next;
		stackcopies_give(q, b);
	}
	return from;
}

static void test_in_order(void **state)
{
	struct stackcopies *q = stackcopies_create(BLOCKS * DUMPS_BLOCK);
	struct dump_input in;
	unsigned out = 0;

	(void)state;
	assert_int_equal(stackcopies_capacity(q), BLOCKS * DUMPS_BLOCK);
	assert_null(stackcopies_take(q));
	for (unsigned n = 0; n < 3000; n++) {
		in = input(n);
		assert_true(stackcopies_put(q, &in));
		if (n % 31 == 30) {
			stackcopies_flush(q);
			out = take(q, out);
			assert_int_equal(out, n + 1);
		}
	}
	stackcopies_flush(q);
	stackcopies_flush(q); /* nothing is handed over twice, or empty */
	assert_int_equal(take(q, out), 3000);
	assert_null(stackcopies_take(q));
	stackcopies_free(q);
}

static void test_full(void **state)
{
	struct stackcopies *q = stackcopies_create(BLOCKS * DUMPS_BLOCK);
	struct dump_input in = input(200); /* 7400 bytes of stack */
	unsigned put = 0;

	(void)state;
	assert_false(stackcopies_pressed(q));
	while (put < 1000 && (in = input(put), stackcopies_put(q, &in)))
		put++;
	assert_in_range(put, 60, 500);
	assert_true(stackcopies_pressed(q));
	assert_false(stackcopies_put(q, &in));
	stackcopies_flush(q);
	assert_int_equal(take(q, 0), put); /* all that was not refused */
	assert_false(stackcopies_pressed(q));
	in = input(put);
	assert_true(stackcopies_put(q, &in)); /* there is room again */
	stackcopies_flush(q);
	assert_int_equal(take(q, put), put + 1);
	stackcopies_free(q);
}

static void test_sizes(void **state)
{
	struct stackcopies *q = stackcopies_create(1);
	struct dump_input in = input(3);
	struct dump_block *b;

	(void)state;
	assert_int_equal(stackcopies_capacity(q), DUMPS_BLOCK);
	in.nstack = 65528;
	assert_true(stackcopies_put(q, &in));
	in.nstack = DUMPS_LARGEST;
	assert_false(stackcopies_put(q, &in));
	in.nstack = 0;
	in.nregs = DUMPS_REGS + 1;
	assert_false(stackcopies_put(q, &in));
	in.nregs = 0;
	in.nchain = UINT16_MAX;
	assert_false(stackcopies_put(q, &in));
	in.nchain = 0;
	assert_true(stackcopies_put(q, &in)); /* nothing but what it is of */
	stackcopies_flush(q);
	b = stackcopies_take(q);
	assert_int_equal(b->nr, 2);
	assert_int_equal(dump_first(b)->nstack, 65528);
	assert_int_equal(dump_next(b, dump_first(b))->nstack, 0);
	stackcopies_give(q, b);
	stackcopies_free(q);
	stackcopies_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_in_order),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
