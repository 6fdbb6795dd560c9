/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples made by hand to raw paths: the leaf is the sample's address, whatever the chain says. */
#include "measure/session/path.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define KERNEL   ((uint64_t)PERF_CONTEXT_KERNEL)
#define USER     ((uint64_t)PERF_CONTEXT_USER)
#define HV       ((uint64_t)PERF_CONTEXT_HV)
#define G_KERNEL ((uint64_t)PERF_CONTEXT_GUEST_KERNEL)
#define G_USER   ((uint64_t)PERF_CONTEXT_GUEST_USER)
#define UNKNOWN  ((uint64_t)-640) /* a mark that came later */
#define K(n)     (0xffffffff81000000 + (n))
#define U(n)     (0x400000 + (n))
#define WORDS    8
#define CHAIN    (PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN)
#define LBR      (CHAIN | PERF_SAMPLE_BRANCH_STACK)

struct sshlog {
	uint64_t v[4096];
	size_t nr;
};

static struct sshlog w;
static uint64_t room[TABLE_PATH_MAX];
static struct record_layout layout;
static struct sample sample;
static uint16_t max_stack = 1000;

static void put(uint64_t v)
{
	assert_true(w.nr < sizeof(w.v) / sizeof(*w.v));
	w.v[w.nr++] = v;
}

/* A sample at ip with this chain, and where the type has them ncalls calls from 0x1000, 0x2000, ... */
static const struct sample *record(uint64_t type, unsigned mode, uint64_t ip, const uint64_t *chain,
				   size_t nchain, size_t ncalls)
{
	const struct perf_event_attr attr = {
		.sample_type = type, .branch_sample_type = PERF_SAMPLE_BRANCH_CALL_STACK,
		.sample_max_stack = max_stack};
	struct perf_event_header h = {.type = PERF_RECORD_SAMPLE, .misc = (uint16_t)mode};

	w.nr = 1;
	if (type & PERF_SAMPLE_IP)
		put(ip);
	put(nchain);
	for (size_t i = 0; i < nchain; i++)
		put(chain[i]);
	if (type & PERF_SAMPLE_BRANCH_STACK)
		put(ncalls);
	for (size_t i = 0; i < ncalls; i++) {
		put((i + 1) * 0x1000);
		put(0x77);
		put(0);
	}
	h.size = (uint16_t)(w.nr * 8);
	memcpy(w.v, &h, sizeof(h));
	record_layout_init_attr(&layout, &attr);
	assert_true(record_sample(&layout, (const void *)w.v, &sample));
	return &sample;
}

static void assert_path(struct path p, const uint64_t *want, size_t nr)
{
	for (size_t i = 0; i < nr && i < p.nr; i++)
		if (p.ips[i] != want[i])
			fail_msg("word %zu: %#llx, not %#llx", i, (unsigned long long)p.ips[i],
				 (unsigned long long)want[i]);
	assert_int_equal(p.nr, nr);
}

static size_t count(const uint64_t *words)
{
	size_t n = 0;

	while (n < WORDS && words[n])
		n++;
	return n;
}

/* --- chains ------------------------------------------------------------------------------- */

enum { K_ = PERF_RECORD_MISC_KERNEL, U_ = PERF_RECORD_MISC_USER, H_ = PERF_RECORD_MISC_HYPERVISOR,
       GK = PERF_RECORD_MISC_GUEST_KERNEL, GU = PERF_RECORD_MISC_GUEST_USER };

static const struct {
	const char *what;
	unsigned mode;
	uint64_t ip, chain[WORDS], path[WORDS], before[WORDS]; /* before: what a user's part follows */
} cases[] = {
	{"user, as it is", U_, U(1), {USER, U(1), U(2)}, {USER, U(1), U(2)}, {0}},
	{"kernel, as it is", K_, K(1), {KERNEL, K(1), K(2), USER, U(1)},
	 {KERNEL, K(1), K(2), USER, U(1)}, {KERNEL, K(1), K(2)}},
	{"precise, near", U_, U(1), {USER, U(4), U(200)}, {USER, U(1), U(200)}, {0}},
	{"precise, another function", U_, U(0x9000), {USER, U(4), U(200)}, {USER, U(0x9000), U(200)},
	 {0}},
	{"precise, in the kernel", K_, K(1), {KERNEL, K(5), K(200), USER, U(1)},
	 {KERNEL, K(1), K(200), USER, U(1)}, {KERNEL, K(1), K(200)}},
	{"precise, interrupted in the kernel", U_, U(1), {KERNEL, K(5), K(6), USER, U(4), U(200)},
	 {USER, U(1), U(200)}, {0}},
	{"precise, interrupted back in user code", K_, K(1), {USER, U(4), U(200)},
	 {KERNEL, K(1), USER, U(4), U(200)}, {KERNEL, K(1)}},
	{"precise, no other address", U_, U(1), {USER, U(4)}, {USER, U(1)}, {0}},
	{"no kernel chain", K_, K(1), {USER, U(1), U(2)}, {KERNEL, K(1), USER, U(1), U(2)},
	 {KERNEL, K(1)}},
	{"no user chain", U_, U(1), {KERNEL, K(1), K(2)}, {U(1)}, {0}},
	{"no chain", K_, K(1), {0}, {K(1)}, {K(1)}},
	{"an empty context", K_, K(1), {KERNEL, USER, U(1)}, {KERNEL, K(1), USER, U(1)},
	 {KERNEL, K(1)}},
	{"nothing but marks", K_, K(1), {KERNEL}, {KERNEL, K(1)}, {KERNEL, K(1)}},
	{"no marks", U_, U(1), {U(4), U(200)}, {USER, U(1), U(200)}, {0}},
	{"a guest's kernel", GK, K(1), {KERNEL, USER}, {G_KERNEL, K(1), KERNEL, USER},
	 {G_KERNEL, K(1), KERNEL}},
	{"a guest's program", GU, U(1), {KERNEL, K(2), USER, U(4)},
	 {G_USER, U(1), KERNEL, K(2), USER, U(4)}, {G_USER, U(1), KERNEL, K(2)}},
	{"a guest's chain", GK, K(1), {G_KERNEL, K(3), K(4), G_USER, U(4)},
	 {G_KERNEL, K(1), K(4), G_USER, U(4)}, {G_KERNEL, K(1), K(4), G_USER, U(4)}},
	{"a hypervisor", H_, K(1), {KERNEL, K(2), USER, U(4)}, {HV, K(1), KERNEL, K(2), USER, U(4)},
	 {HV, K(1), KERNEL, K(2)}},
	{"a hypervisor's chain", K_, K(1), {HV, 7, KERNEL, K(2)}, {KERNEL, K(1)}, {KERNEL, K(1)}},
	{"an unknown mark", K_, K(1), {KERNEL, K(3), K(4), UNKNOWN, 5},
	 {KERNEL, K(1), K(4), UNKNOWN, 5}, {KERNEL, K(1), K(4), UNKNOWN, 5}},
	{"nothing known but a later mark", U_, U(1), {UNKNOWN, 5}, {USER, U(1), UNKNOWN, 5}, {0}},
	{"no mode", 0, U(1), {USER, U(4), U(5)}, {USER, U(4), U(5)}, {0}},
};

static void test_chains(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct sample *s = record(CHAIN, cases[i].mode, cases[i].ip, cases[i].chain,
						count(cases[i].chain), 0);

		print_message("%s\n", cases[i].what);
		assert_path(path_of(&layout, s, room), cases[i].path, count(cases[i].path));
		assert_path(path_before_user(&layout, s, room), cases[i].before, count(cases[i].before));
	}
}

/* What the kernel's chain is already is not copied. */
static void test_in_place(void **state)
{
	const uint64_t chain[] = {KERNEL, K(1), K(2), USER, U(1)};
	const struct sample *s = record(CHAIN, K_, K(1), chain, 5, 0);

	(void)state;
	assert_ptr_equal(path_of(&layout, s, room).ips, sample.chain);
	assert_ptr_equal(path_before_user(&layout, s, room).ips, sample.chain);
	s = record(CHAIN, K_, K(1), NULL, 0, 0);
	assert_ptr_equal(path_of(&layout, s, room).ips, &sample.ip);
}

/* Without an address of its own a sample is where its chain is. */
static void test_no_address(void **state)
{
	const uint64_t chain[] = {KERNEL, K(1), K(2)};

	(void)state;
	assert_path(path_of(&layout, record(PERF_SAMPLE_CALLCHAIN, K_, 0, chain, 3, 0), room),
		    chain, 3);
}

/* As many as a path takes, and one that was put in front does not make it more. */
static void test_long(void **state)
{
	uint64_t chain[2 * TABLE_PATH_MAX] = {USER};

	(void)state;
	for (size_t i = 1; i < sizeof(chain) / sizeof(*chain); i++)
		chain[i] = U(i);
	for (size_t n = TABLE_PATH_MAX - 4; n <= 2 * TABLE_PATH_MAX; n++) {
		size_t fit = n + 2 <= TABLE_PATH_MAX ? n + 2 : TABLE_PATH_MAX;
		struct path p = path_of(&layout, record(CHAIN, K_, K(1), chain, n, 0), room);

		assert_int_equal(p.nr, fit);
		assert_int_equal(p.ips[1], K(1));
		assert_int_equal(p.ips[3], U(1));
		assert_int_equal(p.ips[fit - 1],
				 n + 2 <= TABLE_PATH_MAX ? U(n - 1) : TABLE_MARK_TRUNCATED);
		fit = n < TABLE_PATH_MAX ? n : TABLE_PATH_MAX;
		p = path_of(&layout, record(CHAIN, U_, U(1), chain, n, 0), room);
		assert_int_equal(p.nr, fit);
		assert_int_equal(p.ips[fit - 1], n <= TABLE_PATH_MAX ? U(n - 1) : TABLE_MARK_TRUNCATED);
	}
}

/* A chain of as many addresses as the kernel takes may go on; what is put in its place is none of them. */
static void test_full(void **state)
{
	const uint64_t chain[] = {USER, U(1), U(2), U(3)};

	(void)state;
	max_stack = 3;
	assert_path(path_of(&layout, record(CHAIN, U_, U(1), chain, 4, 0), room),
		    (uint64_t[]){USER, U(1), U(2), U(3), TABLE_MARK_TRUNCATED}, 5);
	assert_path(path_of(&layout, record(CHAIN, K_, K(1), chain, 4, 0), room),
		    (uint64_t[]){KERNEL, K(1), USER, U(1), U(2), U(3), TABLE_MARK_TRUNCATED}, 7);
	assert_path(path_before_user(&layout, record(CHAIN, K_, K(1), chain, 4, 0), room),
		    (uint64_t[]){KERNEL, K(1)}, 2);
	assert_path(path_of(&layout, record(CHAIN, K_, K(1), chain, 3, 0), room),
		    (uint64_t[]){KERNEL, K(1), USER, U(1), U(2)}, 5);
	max_stack = 4;
	assert_path(path_of(&layout, record(CHAIN, U_, U(1), chain, 4, 0), room), chain, 4);
	max_stack = 1000;
}

/* --- branch records that are a stack of calls --------------------------------------------- */

static struct path calls(unsigned mode, uint64_t ip, const uint64_t *chain, size_t nchain, size_t ncalls)
{
	return path_of(&layout, record(LBR, mode, ip, chain, nchain, ncalls), room);
}

static void test_branches(void **state)
{
	static const uint64_t chain[] = {KERNEL, K(1), USER, U(1), U(2)};

	(void)state;
	/* the kernel's part, the leaf, then the calls; the chain's other addresses are guesses */
	assert_path(calls(K_, K(1), chain, 5, 2),
		    (uint64_t[]){KERNEL, K(1), TABLE_MARK_UNWOUND, U(1), 0x1000, 0x2000}, 6);
	assert_path(calls(U_, U(1), chain + 2, 3, 1), (uint64_t[]){TABLE_MARK_UNWOUND, U(1), 0x1000}, 3);
	/* precise: the sample's address is the leaf of its part */
	assert_path(calls(U_, U(9), chain, 5, 1), (uint64_t[]){TABLE_MARK_UNWOUND, U(9), 0x1000}, 3);
	assert_path(calls(K_, K(9), chain, 5, 1),
		    (uint64_t[]){KERNEL, K(9), TABLE_MARK_UNWOUND, U(1), 0x1000}, 5);
	/* no kernel chain; no chain at all */
	assert_path(calls(K_, K(9), chain + 2, 3, 1),
		    (uint64_t[]){KERNEL, K(9), TABLE_MARK_UNWOUND, U(1), 0x1000}, 5);
	assert_path(calls(U_, U(9), NULL, 0, 1), (uint64_t[]){TABLE_MARK_UNWOUND, U(9), 0x1000}, 3);
	/* as many as there can be: it may go on */
	assert_int_equal(calls(U_, U(1), chain + 2, 2, 32).nr, 2 + 32 + 1);
	assert_int_equal(room[34], TABLE_MARK_TRUNCATED);
	/* no records, or no leaf: the chain is better than nothing */
	assert_path(calls(K_, K(1), chain, 5, 0), chain, 5);
	assert_path(calls(K_, K(1), chain, 2, 2), chain, 2);
	assert_path(calls(K_, K(1), chain, 3, 2), chain, 3);
}

/* Branches that are no calls say nothing of callers. */
static void test_other_branches(void **state)
{
	const struct perf_event_attr attr = {.sample_type = LBR,
					     .branch_sample_type = PERF_SAMPLE_BRANCH_ANY};
	static const uint64_t chain[] = {USER, U(1), U(2)};
	const struct sample *s = record(LBR, U_, U(1), chain, 3, 4);

	(void)state;
	record_layout_init_attr(&layout, &attr);
	assert_path(path_of(&layout, s, room), chain, 3);
}

/* However long the kernel's part is, the leaf and the mark have room. */
static void test_cut(void **state)
{
	static uint64_t many[2 * TABLE_PATH_MAX];
	uint64_t ips[TABLE_PATH_MAX];
	struct path p;

	(void)state;
	for (uint16_t n = 0; n <= 2 * TABLE_PATH_MAX; n++) {
		uint16_t kept = n < TABLE_PATH_MAX - 3 ? n : TABLE_PATH_MAX - 3;

		for (unsigned i = 0; i < n; i++)
			many[i] = K(i);
		p = path_cut((struct path){many, n}, U(1), TABLE_MARK_BROKEN, ips);
		assert_int_equal(p.nr, kept + 3);
		assert_memory_equal(p.ips, many, kept * sizeof(*many));
		assert_int_equal(p.ips[kept], TABLE_MARK_UNWOUND);
		assert_int_equal(p.ips[kept + 1], U(1));
		assert_int_equal(p.ips[kept + 2], TABLE_MARK_BROKEN);
	}
	p = path_cut((struct path){NULL, 0}, 0, TABLE_MARK_TRUNCATED, ips);
	assert_int_equal(p.nr, 2);
	assert_int_equal(p.ips[1], TABLE_MARK_TRUNCATED);
}

/* The leaf is the sample's own address, the chain's, or a register's that was sampled; never a mark. */
static void test_user_leaf(void **state)
{
	static const uint64_t chain[] = {KERNEL, K(1), USER, U(2)};
	const uint64_t mask = 1ull << 3 | 1ull << 8, regs[] = {U(3), U(8)};
	struct record_layout l = {.ip = 8};
	struct sample s = {.h = (const void *)regs, .mode = U_, .ip = U(1),
			   .span[SAMPLE_REGS_USER] = {0, sizeof(regs)}};

	(void)state;
	assert_int_equal(path_user_leaf(&l, &s, mask, 8), U(1));
	s.ip = UNKNOWN;
	assert_int_equal(path_user_leaf(&l, &s, mask, 8), U(8));
	s.ip = K(1);
	s.mode = K_;
	assert_int_equal(path_user_leaf(&l, &s, mask, 8), U(8));
	assert_int_equal(path_user_leaf(&l, &s, mask, 3), U(3));
	assert_int_equal(path_user_leaf(&l, &s, mask, 4), 0);
	assert_int_equal(path_user_leaf(&l, &s, mask, -1), 0);
	assert_int_equal(path_user_leaf(&l, &s, mask | 1ull << 7, 8), 0); /* the record has fewer */
	s.chain = chain;
	s.nr_chain = 4;
	assert_int_equal(path_user_leaf(&l, &s, mask, 8), U(2));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_chains),
		cmocka_unit_test(test_in_place),
		cmocka_unit_test(test_no_address),
		cmocka_unit_test(test_long),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_branches),
		cmocka_unit_test(test_other_branches),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_user_leaf),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
