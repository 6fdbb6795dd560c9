/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rules by address: kept, forgotten, bounded, and whole while many threads write. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/atomics.h"
#include "files/unwind/rulecache.h"

static struct cfi_rule rule_of(uint64_t addr)
{
	return (struct cfi_rule){.kind = CFI_REG,
				 .base = addr & 1 ? CFI_RBP : CFI_RSP,
				 .rbp_off = (int16_t)addr,
				 .cfa_off = (int32_t)(addr * 7)};
}

static bool has(const struct rulecache *c, uint64_t space, uint64_t addr)
{
	struct cfi_rule rule, want = rule_of(addr);

	if (!rulecache_get(c, space, addr, &rule))
		return false;
	assert_memory_equal(&rule, &want, sizeof(rule));
	return true;
}

static void test_kept(void **state)
{
	struct rulecache *c = rulecache_create();
	uint64_t first, second;

	(void)state;
	assert_non_null(c);
	first = rulecache_space(c, 100);
	assert_false(has(c, first, 0));
	rulecache_put(c, first, 0, rule_of(0));
	rulecache_put(c, first, 4096, rule_of(4096));
	assert_true(has(c, first, 0));
	assert_true(has(c, first, 4096));
	assert_false(has(c, rulecache_space(c, 101), 4096));
	/* The newest rule of an address is the one. */
	rulecache_put(c, first, 4096, rule_of(1));
	rulecache_put(c, first, 4096, rule_of(4096));
	assert_true(has(c, first, 4096));
	rulecache_forget(c, 100);
	second = rulecache_space(c, 100);
	assert_int_not_equal(first, second);
	assert_false(has(c, second, 4096));
	/* A late writer's rule is the old space's. */
	rulecache_put(c, first, 8192, rule_of(8192));
	assert_false(has(c, second, 8192));
	rulecache_free(c);
}

static void test_bounded(void **state)
{
	struct rulecache *c = rulecache_create();
	uint32_t there = 0;

	(void)state;
	assert_non_null(c);
	for (uint64_t i = 0; i < 4 * RULECACHE_RULES; i++) {
		rulecache_put(c, 1, i, rule_of(i));
		assert_true(has(c, 1, i));
	}
	for (uint64_t i = 0; i < 4 * RULECACHE_RULES; i++)
		there += has(c, 1, i);
	assert_true(there <= RULECACHE_RULES);
	assert_true(there > RULECACHE_RULES / 2);
	rulecache_free(c);
}

#define THREADS 4
#define ROUNDS	(2u * RULECACHE_RULES)

struct racer {
	struct rulecache *c;
	uint64_t number;
	uint64_t hits, wrong;
};

/* All write and read the same addresses, more than there is room for. */
static void *race(void *arg)
{
	struct racer *r = arg;

	for (uint64_t i = 0; i < ROUNDS; i++) {
		uint64_t addr = (i * (2 * r->number + 1)) % (2 * RULECACHE_RULES), other = addr ^ 1;
		struct cfi_rule rule, want = rule_of(other);

		rulecache_put(r->c, 1, addr, rule_of(addr));
		if (i % 64 == 0)
			rulecache_forget(r->c, (uint32_t)r->number);
		if (!rulecache_get(r->c, 1, other, &rule))
			continue;
		r->hits++;
		r->wrong += memcmp(&rule, &want, sizeof(rule)) != 0;
	}
	return NULL;
}

static void test_race(void **state)
{
	struct rulecache *c = rulecache_create();
	struct racer racer[THREADS];
	pthread_t thread[THREADS];
	uint64_t hits = 0;

	(void)state;
	assert_non_null(c);
	for (unsigned i = 0; i < THREADS; i++) {
		racer[i] = (struct racer){.c = c, .number = i};
		assert_int_equal(pthread_create(&thread[i], NULL, race, &racer[i]), 0);
	}
	for (unsigned i = 0; i < THREADS; i++) {
		pthread_join(thread[i], NULL);
		assert_int_equal(racer[i].wrong, 0);
		hits += racer[i].hits;
	}
	assert_true(hits > 0);
	rulecache_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_kept),
	    cmocka_unit_test(test_bounded),
	    cmocka_unit_test(test_race),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
