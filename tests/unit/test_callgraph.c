/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What --call-graph asks of the kernel, and branch records as a path. */
#include "session/callgraph.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "session/callstack.h"

static struct callgraph parsed(const char *text)
{
	struct callgraph cg;
	struct err err;

	assert_int_equal(callgraph_parse(&cg, text, &err), 0);
	return cg;
}

static void test_modes(void **state)
{
	struct ringset_config rings = {.overwrite = true};
	struct callgraph cg = parsed(NULL);
	struct err err;

	(void)state;
	assert_int_equal(cg.mode, CALLGRAPH_NONE);
	assert_string_equal(cg.text, "");
	callgraph_apply(&cg, &rings);
	assert_false(rings.callchain || rings.user_stack || rings.call_branches || rings.max_stack);
	cg = parsed("auto");
	assert_int_equal(cg.mode, CALLGRAPH_FP);
	callgraph_apply(&cg, &rings);
	assert_true(rings.callchain && !rings.user_stack && !rings.call_branches);
	assert_in_range(rings.max_stack, 1, TABLE_PATH_MAX - 4);
	assert_int_equal(parsed("fp").mode, CALLGRAPH_FP);
	assert_int_equal(parsed("lbr").mode, CALLGRAPH_LBR);
	assert_int_equal(parsed("dwarf").stack_bytes, 8192);
	assert_int_equal(parsed("dwarf,1k").stack_bytes, 1024);
	assert_int_equal(parsed("dwarf,1").stack_bytes, 8); /* the kernel wants multiples of 8 */
	assert_int_equal(parsed("dwarf,4001").stack_bytes, 4008);
	assert_int_equal(parsed("dwarf,65535").stack_bytes, 65528); /* and less than 64 KiB */
	assert_int_not_equal(callgraph_parse(&cg, "dwarf,0", &err), 0);
	assert_int_not_equal(callgraph_parse(&cg, "dwarf,1m", &err), 0);
	assert_int_not_equal(callgraph_parse(&cg, "stack", &err), 0);
	cg = parsed("dwarf,16384");
	callgraph_apply(&cg, &rings);
	assert_int_equal(rings.user_stack, 16384);
	assert_true(rings.user_regs && rings.callchain);
}

/* The ring holds a sixth of a second of copies, within bounds. */
static void test_ring_bytes(void **state)
{
	struct event e = {.attr.freq = 1, .attr.sample_freq = 999};
	struct event_list list = {.events = &e, .nr = 1};
	struct callgraph fp = parsed("fp"), dwarf = parsed("dwarf");
	uint64_t at_999, at_4999;

	(void)state;
	assert_int_equal(callgraph_ring_bytes(&fp, &list, 1 << 20), 1 << 20);
	at_999 = callgraph_ring_bytes(&dwarf, &list, 1);
	assert_in_range(at_999, 999 * 8192 / 6, 999 * 10000 / 6);
	e.attr.sample_freq = 4999;
	at_4999 = callgraph_ring_bytes(&dwarf, &list, 1);
	assert_in_range(at_4999, 4999 * 8192 / 6, 4999 * 10000 / 6);
	e.attr.sample_freq = 1000000000;
	assert_int_equal(callgraph_ring_bytes(&dwarf, &list, 1), 16 << 20);
	assert_int_equal(callgraph_ring_bytes(&dwarf, &list, 64 << 20), 64 << 20);
}

#define TYPE (PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_BRANCH_STACK)

struct words {
	uint64_t v[512];
	size_t nr;
};

static void put(struct words *w, uint64_t v)
{
	w->v[w->nr++] = v;
}

/* A sample with this chain and nr calls from 0x1000, 0x2000, ... */
static const struct perf_event_header *record(struct words *w, const uint64_t *chain, size_t nchain,
					      size_t ncalls)
{
	struct perf_event_header h = {.type = PERF_RECORD_SAMPLE};

	w->nr = 1;
	put(w, 0x123);
	put(w, nchain);
	for (size_t i = 0; i < nchain; i++)
		put(w, chain[i]);
	put(w, ncalls);
	for (size_t i = 0; i < ncalls; i++) {
		put(w, (i + 1) * 0x1000);
		put(w, 0x77);
		put(w, 0);
	}
	h.size = (uint16_t)(w->nr * 8);
	memcpy(w->v, &h, sizeof(h));
	return (const struct perf_event_header *)w->v;
}

static uint16_t path(const uint64_t *chain, size_t nchain, size_t ncalls, uint64_t *ips)
{
	const struct perf_event_attr attr = {.sample_type = TYPE,
					     .branch_sample_type = RINGSET_CALL_BRANCHES};
	struct record_layout l;
	struct sample s;
	struct words w;
	const struct perf_event_header *h = record(&w, chain, nchain, ncalls);

	record_layout_init_attr(&l, &attr);
	assert_true(record_sample(&l, h, &s));
	return callstack_path(&l, h, &s, ips);
}

static void test_branches(void **state)
{
	static const uint64_t chain[] = {(uint64_t)PERF_CONTEXT_KERNEL, 0xffffffff81000010,
					 (uint64_t)PERF_CONTEXT_USER, 0x555, 0x666};
	uint64_t ips[TABLE_PATH_MAX];

	(void)state;
	/* the kernel's part, the leaf, then the calls; the chain's other addresses are guesses */
	assert_int_equal(path(chain, 5, 2, ips), 6);
	assert_int_equal(ips[1], 0xffffffff81000010);
	assert_int_equal(ips[2], TABLE_MARK_UNWOUND);
	assert_int_equal(ips[3], 0x555);
	assert_int_equal(ips[4], 0x1000);
	assert_int_equal(ips[5], 0x2000);
	assert_int_equal(path(chain + 2, 2, 1, ips), 3);
	/* as many as there can be: it may go on */
	assert_int_equal(path(chain + 2, 2, 32, ips), 2 + 32 + 1);
	assert_int_equal(ips[34], TABLE_MARK_TRUNCATED);
	/* no records, or no leaf: the chain is better than nothing */
	assert_int_equal(path(chain, 5, 0, ips), 0);
	assert_int_equal(path(chain, 2, 2, ips), 0);
	assert_int_equal(path(chain, 3, 2, ips), 0);
	assert_int_equal(path(NULL, 0, 2, ips), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_modes),
		cmocka_unit_test(test_ring_bytes),
		cmocka_unit_test(test_branches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
