/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Paths of chains with a piece of the stack: callers put in, marks, room; by cache and by maps. */
#include "names/objects/proved.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define USER  ((uint64_t)PERF_CONTEXT_USER)
#define CODE  0x400000ull
#define SP    0x7ffff000ull
#define SPACE 7u

static const struct cfi_rule standard = {.kind = CFI_REG, .base = CFI_RBP, .cfa_off = 16,
					 .rbp = CFI_RBP_AT_CFA, .rbp_off = -16};
static const struct cfi_rule bare = {.kind = CFI_REG, .base = CFI_RSP, .cfa_off = 8};

struct stage {
	struct rulecache *cache;
	uint64_t regs[3], stack[8];
	uint64_t path[TABLE_PATH_MAX], room[TABLE_PATH_MAX];
	struct proved_sample s;
};

static void setup(struct stage *g, const uint64_t *path, size_t nr, size_t nkernel)
{
	memset(g, 0, sizeof(*g));
	g->cache = rulecache_create();
	assert_non_null(g->cache);
	g->regs[0] = SP + 4096;
	g->regs[1] = SP;
	g->regs[2] = CODE;
	memcpy(g->path, path, nr * sizeof(*path));
	g->s = (struct proved_sample){
		.mask = PROOF_REGS_MASK, .regs = g->regs, .stack = (const uint8_t *)g->stack,
		.size = sizeof(g->stack), .path = g->path, .nr = (uint16_t)nr,
		.nkernel = (uint16_t)nkernel,
	};
}

static void knows(struct stage *g, uint64_t addr, struct cfi_rule rule)
{
	rulecache_put(g->cache, SPACE, addr, rule);
}

static struct proved prove(struct stage *g)
{
	return proved_by_cache(g->cache, SPACE, &g->s, g->room);
}

#define CHECK(g, end_, inserted_, ...)                                                             \
	do {                                                                                       \
		const uint64_t want[] = {__VA_ARGS__};                                             \
		struct proved p_ = prove(g);                                                       \
                                                                                                   \
		assert_int_equal(p_.end, end_);                                                    \
		assert_int_equal(p_.inserted, inserted_);                                          \
		assert_int_equal(p_.nr, sizeof(want) / sizeof(*want));                             \
		assert_memory_equal(p_.ips, want, sizeof(want));                                   \
	} while (0)

static void test_joined(void **state)
{
	static const uint64_t path[] = {(uint64_t)PERF_CONTEXT_KERNEL, 0xffffffff81000010, USER,
					CODE, CODE + 0x200, CODE + 0x300, TABLE_MARK_TRUNCATED};
	struct stage g;

	(void)state;
	setup(&g, path, 7, 2);
	/* Nothing is known. */
	CHECK(&g, PROOF_ASKS, false, path[0], path[1], USER, CODE, TABLE_MARK_UNPROVED,
	      CODE + 0x200, CODE + 0x300, TABLE_MARK_TRUNCATED);
	/* The leaf has a frame: the path stands as it is. */
	knows(&g, CODE, standard);
	CHECK(&g, PROOF_STANDS, false, path[0], path[1], USER, CODE, CODE + 0x200, CODE + 0x300,
	      TABLE_MARK_TRUNCATED);
	assert_ptr_equal(prove(&g).ips, g.path);
	/* It has none: its caller is put in. */
	knows(&g, CODE, bare);
	knows(&g, CODE + 0xff, standard);
	g.stack[0] = CODE + 0x100;
	CHECK(&g, PROOF_STANDS, true, path[0], path[1], USER, CODE, CODE + 0x100, CODE + 0x200,
	      CODE + 0x300, TABLE_MARK_TRUNCATED);
	/* A rule of another process, or of old maps, is none. */
	assert_int_equal(proved_by_cache(g.cache, SPACE + 1, &g.s, g.room).end, PROOF_ASKS);
	/* The registers may be more, and begin anywhere. */
	{
		uint64_t regs[17] = {0};
		char bytes[sizeof(regs) + 1];

		regs[UNWIND_BP] = g.regs[0];
		regs[UNWIND_SP] = SP;
		regs[UNWIND_IP] = CODE;
		memcpy(bytes + 1, regs, sizeof(regs));
		g.s.mask = 0xff01ff;
		g.s.regs = bytes + 1;
		assert_true(prove(&g).inserted);
	}
	rulecache_free(g.cache);
}

/* Frame pointers lead nowhere: the path ends where the piece of the stack does, and says so. */
static void test_lost(void **state)
{
	static const uint64_t path[] = {USER, CODE, 0xdead, 0xbeef};
	struct stage g;

	(void)state;
	setup(&g, path, 4, 0);
	knows(&g, CODE, (struct cfi_rule){.kind = CFI_REG, .base = CFI_RSP, .cfa_off = 16,
					  .rbp = CFI_RBP_AT_CFA, .rbp_off = -16});
	knows(&g, CODE + 0xff, standard);
	g.stack[0] = SP + 2048;
	g.stack[1] = CODE + 0x100;
	CHECK(&g, PROOF_OPEN, false, USER, CODE, CODE + 0x100, TABLE_MARK_UNPROVED,
	      TABLE_MARK_TRUNCATED);
	/* More is known than the chain has, and it goes on. */
	g.s.nr = 2;
	CHECK(&g, PROOF_OPEN, false, USER, CODE, CODE + 0x100, TABLE_MARK_UNPROVED,
	      TABLE_MARK_TRUNCATED);
	/* Nothing is known but the leaf. */
	knows(&g, CODE, (struct cfi_rule){.kind = CFI_UNCOVERED});
	CHECK(&g, PROOF_OPEN, false, USER, CODE);
	rulecache_free(g.cache);
}

/* A path without room for more has the mark of a cut one. */
static void test_full(void **state)
{
	uint64_t path[TABLE_PATH_MAX];
	struct proved p;
	struct stage g;

	(void)state;
	path[0] = USER;
	for (uint64_t i = 1; i < TABLE_PATH_MAX; i++)
		path[i] = CODE + 0x1000 * (i - 1);
	setup(&g, path, TABLE_PATH_MAX, 0);
	knows(&g, CODE, bare);
	knows(&g, CODE + 0xff, standard);
	g.stack[0] = CODE + 0x100;
	p = prove(&g);
	assert_int_equal(p.nr, TABLE_PATH_MAX);
	assert_int_equal(p.ips[2], CODE + 0x100);
	assert_int_equal(p.ips[3], path[2]);
	assert_int_equal(p.ips[TABLE_PATH_MAX - 1], TABLE_MARK_TRUNCATED);
	/* The kernel's part leaves room for the leaf alone. */
	g.path[0] = (uint64_t)PERF_CONTEXT_KERNEL;
	g.path[TABLE_PATH_MAX - 2] = USER;
	g.path[TABLE_PATH_MAX - 1] = CODE;
	g.s.nkernel = TABLE_PATH_MAX - 2;
	p = prove(&g);
	assert_int_equal(p.nr, TABLE_PATH_MAX);
	assert_int_equal(p.ips[TABLE_PATH_MAX - 1], TABLE_MARK_TRUNCATED);
	rulecache_free(g.cache);
}

/* Code without unwind information, as a JIT's; what workers find so is known to readers. */
static void test_by_maps(void **state)
{
	static const uint64_t path[] = {USER, CODE, CODE + 0x200};
	static const uint64_t marked[] = {USER, CODE, TABLE_MARK_UNPROVED, CODE + 0x200};
	struct dso_key key = {.path = "//anon"};
	struct dsos *objects = dsos_create(NULL);
	struct dsocfis *cfis = dsocfis_create(false);
	struct maps *maps = maps_create();
	struct proved_place at = {.cfis = cfis, .maps = maps, .pid = 7, .time = 5};
	struct proved p;
	struct stage g;

	(void)state;
	setup(&g, path, 3, 0);
	at.cache = g.cache;
	/* Nothing is mapped there, and may be later. */
	at.space = SPACE;
	p = proved_by_maps(&at, &g.s, g.room);
	assert_int_equal(p.end, PROOF_OPEN);
	assert_int_equal(prove(&g).end, PROOF_ASKS);
	assert_int_equal(maps_add(&maps, (struct map){.start = CODE, .end = CODE + 0x1000,
						      .object = dsos_get(objects, &key, 1)}, 0), 0);
	at.maps = maps;
	at.space = 0;
	p = proved_by_maps(&at, &g.s, g.room);
	assert_int_equal(p.end, PROOF_OPEN);
	assert_int_equal(p.nr, 4);
	assert_memory_equal(p.ips, marked, sizeof(marked));
	assert_int_equal(prove(&g).end, PROOF_ASKS);
	at.space = SPACE;
	proved_by_maps(&at, &g.s, g.room);
	CHECK(&g, PROOF_OPEN, false, USER, CODE, TABLE_MARK_UNPROVED, CODE + 0x200);
	assert_int_equal(proved_by_nothing(&g.s, g.room).nr, 4);
	maps_put(maps);
	dsos_free(objects);
	dsocfis_free(cfis);
	rulecache_free(g.cache);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_joined),
		cmocka_unit_test(test_lost),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_by_maps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
