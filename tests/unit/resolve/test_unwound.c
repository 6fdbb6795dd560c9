/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Raw paths of samples with stacks: the kernel's part, marks, callers inside their calls, and ends. */
#include "names/objects/unwound.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MASK  (1ull << UNWIND_BP | 1ull << UNWIND_SP | 1ull << UNWIND_IP)
#define CODE  0x400000u
#define STACK 0x7ffff000u

static const uint64_t kernel[] = {(uint64_t)PERF_CONTEXT_KERNEL, 0xffffffff81000010,
				  0xffffffff81000020};

/* Code that no file tells of, so that frame pointers are followed; where `mapped` ends, nothing is. */
struct stage {
	struct dsos *objects;
	struct dsocfis *cfis;
	struct maps *maps;
	struct unwinder *unwinder;
	uint64_t regs[3], stack[64];
	struct unwound_sample sample;
	struct unwound_path path;
};

static void setup(struct stage *g)
{
	struct dso_key key = {.path = "//anon"};

	memset(g, 0, sizeof(*g));
	g->objects = dsos_create(NULL);
	g->cfis = dsocfis_create(false);
	g->maps = maps_create();
	g->unwinder = unwind_create();
	assert_int_equal(maps_add(&g->maps, (struct map){.start = CODE, .end = CODE + 0x1000,
							 .object = dsos_get(g->objects, &key, 1)},
				  0), 0);
	g->regs[0] = STACK + 16;
	g->regs[1] = STACK;
	g->regs[2] = CODE + 0x100;
	g->sample = (struct unwound_sample){
		.dump = {.mask = MASK, .regs = g->regs, .stack = (const uint8_t *)g->stack,
			 .size = sizeof(g->stack)},
		.kernel = kernel, .pid = 7, .time = 5, .maps = g->maps,
	};
}

static void teardown(struct stage *g)
{
	unwind_free(g->unwinder);
	maps_put(g->maps);
	dsos_free(g->objects);
	dsocfis_free(g->cfis);
}

/* nr frames of two words, the last one's caller is 0. */
static void put_frames(struct stage *g, unsigned nr)
{
	for (unsigned i = 0; i < nr; i++) {
		g->stack[2 + 2 * i] = i + 1 < nr ? STACK + 16 + 16 * (i + 1) : 0;
		g->stack[3 + 2 * i] = CODE + 0x200 + i;
	}
}

static void test_whole(void **state)
{
	struct slice_unwind n = {0};
	struct stage g;

	(void)state;
	setup(&g);
	put_frames(&g, 3);
	g.sample.nkernel = 3;
	unwound_run(g.unwinder, g.cfis, &g.sample, &g.path);
	assert_int_equal(g.path.end, UNWIND_END);
	assert_int_equal(g.path.nr, 3 + 1 + 4);
	assert_memory_equal(g.path.ips, kernel, sizeof(kernel));
	assert_int_equal(g.path.ips[3], TABLE_MARK_UNWOUND);
	assert_int_equal(g.path.ips[4], CODE + 0x100);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(g.path.ips[5 + i], CODE + 0x200 + i - 1);
	unwound_count(&n, &g.path);
	assert_int_equal(n.samples, 1);
	assert_int_equal(n.frames, 4);
	assert_int_equal(n.guessed, 3);
	assert_int_equal(n.ends[SLICE_UNWIND_OUTERMOST], 1);
	teardown(&g);
}

static void test_ends(void **state)
{
	struct stage g;

	(void)state;
	setup(&g);
	put_frames(&g, 20);
	g.sample.dump.size = 16 + 2 * 16 + 8; /* half of the third frame is not in the copy */
	unwound_run(g.unwinder, g.cfis, &g.sample, &g.path);
	assert_int_equal(g.path.end, UNWIND_TRUNCATED);
	assert_int_equal(g.path.nr, 1 + 3 + 1);
	assert_int_equal(g.path.ips[4], TABLE_MARK_TRUNCATED);

	g.sample.dump.size = sizeof(g.stack);
	g.stack[3 + 2] = 0x123; /* nothing is there */
	unwound_run(g.unwinder, g.cfis, &g.sample, &g.path);
	assert_int_equal(g.path.end, UNWIND_BAD);
	assert_int_equal(g.path.ips[g.path.nr - 1], TABLE_MARK_BROKEN);
	assert_int_equal(g.path.frames, 2);

	g.regs[2] = 0x99; /* not even the leaf is mapped */
	unwound_run(g.unwinder, g.cfis, &g.sample, &g.path);
	assert_int_equal(g.path.nr, 3);
	assert_int_equal(g.path.ips[1], 0x99);

	g.sample.dump.mask = 1; /* registers that say nothing */
	unwound_run(g.unwinder, g.cfis, &g.sample, &g.path);
	assert_int_equal(g.path.nr, 2);
	assert_int_equal(g.path.ips[1], TABLE_MARK_BROKEN);
	teardown(&g);
}

/* The leaf is the sample's, wherever the registers lead, and if they say nothing at all. */
static void test_leaf(void **state)
{
	struct stage g;

	(void)state;
	setup(&g);
	put_frames(&g, 3);
	g.sample.leaf = CODE + 0x700;
	unwound_run(g.unwinder, g.cfis, &g.sample, &g.path);
	assert_int_equal(g.path.end, UNWIND_END);
	assert_int_equal(g.path.nr, 1 + 4);
	assert_int_equal(g.path.ips[1], CODE + 0x700);
	assert_int_equal(g.path.ips[2], CODE + 0x1ff);

	g.regs[2] = 0x99; /* the registers are damaged */
	unwound_run(g.unwinder, g.cfis, &g.sample, &g.path);
	assert_int_equal(g.path.nr, 3);
	assert_int_equal(g.path.ips[1], CODE + 0x700);
	assert_int_equal(g.path.ips[2], TABLE_MARK_BROKEN);

	g.sample.dump.mask = 1; /* none of those wanted was sampled */
	g.sample.nkernel = 3;
	unwound_run(g.unwinder, g.cfis, &g.sample, &g.path);
	assert_int_equal(g.path.end, UNWIND_BAD);
	assert_int_equal(g.path.nr, 3 + 1 + 1 + 1);
	assert_int_equal(g.path.ips[4], CODE + 0x700);
	assert_int_equal(g.path.ips[5], TABLE_MARK_BROKEN);
	teardown(&g);
}

/* A register whose value would be read as a mark is no address. */
static void test_leaf_like_mark(void **state)
{
	struct stage g;

	(void)state;
	setup(&g);
	put_frames(&g, 3);
	for (uint64_t mark = TABLE_MARK_UNPROVED; mark <= TABLE_MARK_UNWOUND; mark++) {
		g.regs[2] = mark;
		g.sample.leaf = 0;
		unwound_run(g.unwinder, g.cfis, &g.sample, &g.path);
		assert_int_equal(g.path.nr, 2);
		assert_int_equal(g.path.ips[1], TABLE_MARK_BROKEN);
		g.sample.leaf = CODE + 0x700;
		unwound_run(g.unwinder, g.cfis, &g.sample, &g.path);
		assert_int_equal(g.path.nr, 3);
		assert_int_equal(g.path.ips[1], CODE + 0x700);
	}
	teardown(&g);
}

/* However much there is, a path has room for what ends it, and for some of the user's. */
static void test_limits(void **state)
{
	static uint64_t many[4 * TABLE_PATH_MAX];
	struct stage g;

	(void)state;
	setup(&g);
	put_frames(&g, 31);
	for (unsigned i = 0; i < 4 * TABLE_PATH_MAX; i++)
		many[i] = 0xffffffff81000000 + i;
	g.sample.kernel = many;
	for (uint64_t n = TABLE_PATH_MAX - 40; n <= 4 * TABLE_PATH_MAX; n++) {
		uint64_t kept = n < UNWOUND_KERNEL_MAX ? n : UNWOUND_KERNEL_MAX;

		g.sample.nkernel = n;
		unwound_run(g.unwinder, g.cfis, &g.sample, &g.path);
		assert_true(g.path.nr <= TABLE_PATH_MAX);
		assert_memory_equal(g.path.ips, many, kept * 8);
		assert_int_equal(g.path.ips[kept], TABLE_MARK_UNWOUND);
		assert_int_equal(g.path.ips[kept + 1], CODE + 0x100);
		if (kept + 1 + 32 + 1 <= TABLE_PATH_MAX) {
			assert_int_equal(g.path.end, UNWIND_END);
			continue;
		}
		assert_int_equal(g.path.end, UNWIND_LIMIT);
		assert_int_equal(g.path.nr, TABLE_PATH_MAX);
		assert_int_equal(g.path.ips[TABLE_PATH_MAX - 1], TABLE_MARK_TRUNCATED);
	}
	teardown(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_ends),
		cmocka_unit_test(test_leaf),
		cmocka_unit_test(test_leaf_like_mark),
		cmocka_unit_test(test_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
