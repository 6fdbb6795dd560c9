/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "files/elf/symtab.h"
#include "files/elf/symtab_wire.h"

#define ADD(t, addr, size, binding, name) \
	assert_int_equal(symtab_add(t, addr, size, SYMTAB_##binding, name, strlen(name)), 0)

static struct symtab *make(void)
{
	struct symtab *t = symtab_create(NULL);

	assert_non_null(t);
	return t;
}

static void check(const struct symtab *t, uint64_t addr, const char *name)
{
	struct symtab_entry e;

	if (!name) {
		assert_false(symtab_find(t, addr, &e));
		return;
	}
	assert_true(symtab_find(t, addr, &e));
	assert_string_equal(e.name, name);
	assert_true(addr >= e.addr && addr - e.addr < e.size);
}

static void test_empty(void **state)
{
	struct symtab *t = make();

	(void)state;
	assert_int_equal(symtab_freeze(t), 0);
	assert_int_equal(symtab_count(t), 0);
	check(t, 0, NULL);
	check(t, UINT64_MAX, NULL);
	symtab_free(t);
	symtab_free(NULL);
}

static void test_find(void **state)
{
	struct symtab *t = make();

	(void)state;
	ADD(t, 0x3000, 0x10, GLOBAL, "c");
	ADD(t, 0x1000, 0x100, GLOBAL, "a");
	ADD(t, 0x1100, 0x80, LOCAL, "b");
	assert_int_equal(symtab_freeze(t), 0);
	check(t, 0xfff, NULL);
	check(t, 0x1000, "a");
	check(t, 0x10ff, "a");
	check(t, 0x1100, "b");
	check(t, 0x117f, "b");
	check(t, 0x1180, NULL);
	check(t, 0x300f, "c");
	check(t, 0x3010, NULL);
	symtab_free(t);
}

static void test_best_name(void **state)
{
	struct symtab *t = make();
	static const struct {
		const char *best, *worse;
		enum symtab_binding b, w;
		uint64_t bsize, wsize;
	} pairs[] = {
		{"global", "local_but_longer", SYMTAB_GLOBAL, SYMTAB_LOCAL, 8, 8},
		{"local", "weak_but_longer", SYMTAB_LOCAL, SYMTAB_WEAK, 8, 8},
		{"read", "__libc_read", SYMTAB_GLOBAL, SYMTAB_GLOBAL, 8, 8},
		{"memcmp", "bcmp", SYMTAB_GLOBAL, SYMTAB_GLOBAL, 8, 8},
	};
	size_t n = sizeof(pairs) / sizeof(pairs[0]);

	(void)state;
	for (size_t i = 0; i < 2 * n; i++) { /* each in both orders */
		const char *names[] = {pairs[i / 2].best, pairs[i / 2].worse};
		enum symtab_binding bindings[] = {pairs[i / 2].b, pairs[i / 2].w};
		uint64_t sizes[] = {pairs[i / 2].bsize, pairs[i / 2].wsize};

		for (size_t k = 0; k < 2; k++) {
			size_t which = i % 2 ? 1 - k : k;

			assert_int_equal(symtab_add(t, 0x1000 * (i + 1), sizes[which],
						    bindings[which], names[which],
						    strlen(names[which])), 0);
		}
	}
	assert_int_equal(symtab_freeze(t), 0);
	assert_int_equal(symtab_count(t), 2 * n);
	for (size_t i = 0; i < 2 * n; i++)
		check(t, 0x1000 * (i + 1), pairs[i / 2].best);
	symtab_free(t);
}

static void test_first_of_equals(void **state)
{
	struct symtab *t = make();

	(void)state;
	ADD(t, 0x2000, 1, GLOBAL, "later");
	ADD(t, 0x1000, 1, GLOBAL, "ctor1");
	ADD(t, 0x1000, 1, GLOBAL, "ctor2");
	assert_int_equal(symtab_freeze(t), 0);
	check(t, 0x1000, "ctor1");
	symtab_free(t);
}

static void test_sizeless(void **state)
{
	struct symtab *t = make();

	(void)state;
	ADD(t, 0x1000, 0, GLOBAL, "a");
	ADD(t, 0x1800, 0, GLOBAL, "b");
	ADD(t, 0x10000010, 0, GLOBAL, "far");
	assert_int_equal(symtab_freeze(t), 0);
	check(t, 0x17ff, "a");
	check(t, 0x1800, "b");
	check(t, 0x1000000f, "b");
	check(t, 0x10000010, "far");
	check(t, 0x10000fff + SYMTAB_PAGE, "far");
	check(t, 0x10001000 + SYMTAB_PAGE, NULL);
	symtab_free(t);
}

/* Only the one added last gets a size, whatever else speaks for the others. */
static void test_sizeless_aliases(void **state)
{
	struct symtab *t = make();

	(void)state;
	ADD(t, 0x1000, 0, GLOBAL, "better_but_first");
	ADD(t, 0x1000, 0, WEAK, "__last");
	ADD(t, 0x2000, 0x10, LOCAL, "__sized");
	ADD(t, 0x2000, 0, GLOBAL, "reaches_on");
	ADD(t, 0x3000, 0, GLOBAL, "zero");
	ADD(t, 0x3000, 0x10, LOCAL, "sized");
	assert_int_equal(symtab_freeze(t), 0);
	check(t, 0x1000, "__last");
	check(t, 0x1fff, "__last");
	check(t, 0x2000, "reaches_on");
	check(t, 0x2fff, "reaches_on");
	check(t, 0x3000, "sized");
	check(t, 0x3010, NULL);
	symtab_free(t);
}

/* What was settled competes with the size it got, and ends where it ended then. */
static void test_settled(void **state)
{
	struct symtab *t = make();

	(void)state;
	ADD(t, 0x1000, 0, GLOBAL, "first");
	ADD(t, 0x1000, 0, GLOBAL, "the_longest_of_all");
	ADD(t, 0x1000, 0, GLOBAL, "of_the_first");
	ADD(t, 0x3000, 0x10, GLOBAL, "behind");
	assert_int_equal(symtab_settle(t), 0);
	ADD(t, 0x1000, 0, GLOBAL, "second");
	ADD(t, 0x2000, 0x10, GLOBAL, "within");
	ADD(t, 0x3000, 0x10, GLOBAL, "behind_too");
	assert_int_equal(symtab_freeze(t), 0);
	check(t, 0x1000, "of_the_first");
	check(t, 0x2000, "within");
	check(t, 0x2010, "of_the_first");
	check(t, 0x3000, "behind_too");
	symtab_free(t);
}

/* By what people read: mangled, the second is the longer one and has more underscores. */
static void test_readable(void **state)
{
	struct symtab *t = make();

	(void)state;
	ADD(t, 0x1000, 8, GLOBAL, "a_plain_name");
	ADD(t, 0x1000, 8, GLOBAL, "_ZN1aIcE1bEiiiiiiiiiiiiiiiiiiiii");
	ADD(t, 0x2000, 8, GLOBAL, "plain");
	ADD(t, 0x2000, 8, GLOBAL, "_ZN1aIcE1bEv");
	assert_int_equal(symtab_freeze(t), 0);
	check(t, 0x1000, "a_plain_name");
	check(t, 0x2000, "_ZN1aIcE1bEv");
	symtab_free(t);
}

static void test_kernel(void **state)
{
	static const struct {
		uint64_t addr;
		unsigned part;
		const char *name;
	} symbols[] = {
		{0x1000, SYMTAB_TEXT, "one"},	    {0x1000, SYMTAB_TEXT, "__pi_one"},
		{0x1100, SYMTAB_TEXT, "before"},    {0x1200, SYMTAB_DATA, "data"},
		{0x1300, SYMTAB_DATA, "other_data"}, {0x1400, SYMTAB_TEXT, "text"},
		{0x1400, SYMTAB_DATA, "__data_too"}, {0x1500, SYMTAB_TEXT, "last"},
		{0x9000010, SYMTAB_TEXT | SYMTAB_MODULE, "module"},
		{0x9000100, SYMTAB_DATA | SYMTAB_MODULE, "module_data"},
	};
	struct symtab *t = make();

	(void)state;
	for (size_t i = 0; i < sizeof(symbols) / sizeof(*symbols); i++)
		assert_int_equal(symtab_add_kernel(t, symbols[i].addr, symbols[i].part,
						   symbols[i].name, strlen(symbols[i].name)), 0);
	assert_int_equal(symtab_freeze(t), 0);
	check(t, 0x10ff, "__pi_one");
	check(t, 0x11ff, "before");
	check(t, 0x1200, NULL);
	check(t, 0x13ff, NULL);
	check(t, 0x1400, "__data_too");
	check(t, 0x1500, "last");
	check(t, 0x2fff, "last"); /* the kernel ends a page later, not at the first module */
	check(t, 0x3000, NULL);
	check(t, 0x90000ff, "module");
	check(t, 0x9000100, NULL);
	assert_int_equal(symtab_count(t), 5);
	symtab_free(t);
}

static void test_nested(void **state)
{
	struct symtab *t = make();

	(void)state;
	ADD(t, 0x1000, 0x1000, GLOBAL, "outer");
	ADD(t, 0x1100, 0x10, LOCAL, "inner");
	assert_int_equal(symtab_freeze(t), 0);
	check(t, 0x1105, "inner");
	check(t, 0x1110, "outer");
	check(t, 0x1fff, "outer");
	check(t, 0x2000, NULL);
	symtab_free(t);
}

static void test_refused(void **state)
{
	struct symtab *t = make();

	(void)state;
	assert_int_equal(symtab_add(t, 1, 1, SYMTAB_GLOBAL, "", 0), -EINVAL);
	assert_int_equal(symtab_add(t, 1, 1, SYMTAB_GLOBAL, "\0x", 2), -EINVAL);
	assert_int_equal(symtab_add(t, UINT64_MAX, 2, SYMTAB_GLOBAL, "x", 1), -EINVAL);
	ADD(t, UINT64_MAX, 0, GLOBAL, "end");
	assert_int_equal(symtab_freeze(t), 0);
	assert_int_equal(symtab_add(t, 1, 1, SYMTAB_GLOBAL, "x", 1), -EINVAL);
	assert_int_equal(symtab_count(t), 1);
	symtab_free(t);
}

/* Against a search from end to end, over addresses of all magnitudes. */
static void test_random(void **state)
{
	struct symtab *t = make();
	uint64_t x = 88172645463325252ull, addrs[2000];
	struct symtab_entry e, before = {0};
	char name[32];

	(void)state;
	for (size_t i = 0; i < 2000; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		addrs[i] = x >> (x & 31) & ~0xffull;
		snprintf(name, sizeof(name), "f%llx", (unsigned long long)addrs[i]);
		ADD(t, addrs[i], 0x100, GLOBAL, name);
	}
	assert_int_equal(symtab_freeze(t), 0);
	for (size_t i = 0; i < symtab_count(t); i++, before = e) {
		symtab_at(t, i, &e);
		assert_true(i == 0 || e.addr > before.addr);
	}
	for (size_t i = 0; i < 2000; i++) {
		snprintf(name, sizeof(name), "f%llx", (unsigned long long)addrs[i]);
		check(t, addrs[i], name);
		check(t, addrs[i] + 0xff, name);
	}
	symtab_free(t);
}

static void test_compact(void **state)
{
	struct symtab *t = make(), *copy;
	struct wire_out out = {.data = NULL};
	struct wire_in in;
	size_t names = 0;

	(void)state;
	for (unsigned i = 0; i < 50000; i++) {
		char name[32];

		names += (size_t)snprintf(name, sizeof(name), "function_%u", i) + 1;
		ADD(t, 0x400000 + (uint64_t)(i ^ 0x155) * 64, 64, GLOBAL, name);
		ADD(t, 0x400000 + (uint64_t)(i ^ 0x155) * 64, 32, WEAK, "an_alias_not_kept");
	}
	assert_int_equal(symtab_freeze(t), 0);
	assert_int_equal(symtab_count(t), 50000);
	assert_true(symtab_bytes(t) <= 50000 * 16 + names + 512);
	/* A copy from a helper tells as much. */
	symtab_wire_put(t, &out);
	in = (struct wire_in){.at = out.data, .end = out.data + out.len};
	assert_int_equal(symtab_wire_get(&in, NULL, &copy), 0);
	assert_in_range(symtab_bytes(copy), 50000 * 16 + names, symtab_bytes(t));
	symtab_free(copy);
	wire_clear(&out);
	symtab_free(t);
}

/* The address is called `name`, one of `names`, and lists these others, over the wire as well. */
static void check_names(const struct symtab *t, uint64_t addr, const char *name, uint32_t names,
			const char *const *also)
{
	struct wire_out out = {.data = NULL};
	struct symtab *copy = NULL;
	struct wire_in in;

	symtab_wire_put(t, &out);
	in = (struct wire_in){.at = out.data, .end = out.data + out.len};
	assert_int_equal(symtab_wire_get(&in, NULL, &copy), 0);
	for (int i = 0; i < 2; i++) {
		const struct symtab *from = i ? copy : t;
		struct symtab_entry e = {.names = 77};

		check(from, addr, name);
		assert_true(symtab_find(from, addr, &e));
		symtab_names(from, &e);
		assert_int_equal(e.names, names);
		for (unsigned k = 0; k < SYMTAB_ALSO; k++)
			if (also[k])
				assert_string_equal(e.also[k], also[k]);
			else
				assert_null(e.also[k]);
	}
	symtab_free(copy);
	wire_clear(&out);
}

#define NAMES(t, addr, name, names, ...) \
	check_names(t, addr, name, names, (const char *const[SYMTAB_ALSO + 1]){__VA_ARGS__})

/* Functions that the linker folded, and aliases: how many names there are, and the first of them. */
static void test_several(void **state)
{
	struct symtab *t = make();

	(void)state;
	ADD(t, 0x100, 16, GLOBAL, "alone");
	ADD(t, 0x200, 16, LOCAL, "folded_local");
	ADD(t, 0x200, 16, GLOBAL, "folded_long");
	ADD(t, 0x200, 16, WEAK, "folded_weak");
	ADD(t, 0x200, 16, WEAK, "__folded");
	ADD(t, 0x200, 16, WEAK, "folded_last");
	ADD(t, 0x300, 16, WEAK, "later");
	ADD(t, 0x400, 0, GLOBAL, "assembly");
	ADD(t, 0x400, 0, GLOBAL, "assembly_too");
	assert_int_equal(symtab_freeze(t), 0);
	assert_int_equal(symtab_count(t), 4);
	NAMES(t, 0x100, "alone", 1, NULL);
	NAMES(t, 0x20f, "folded_long", 5, "folded_local", "folded_weak", "__folded");
	NAMES(t, 0x300, "later", 1, NULL);
	NAMES(t, 0x400, "assembly_too", 2, "assembly");
	symtab_free(t);
}

/* One name is one, however it is written; another size and a compiler's own alias make no other. */
static void test_not_several(void **state)
{
	struct symtab *t = make();

	(void)state;
	ADD(t, 0x100, 16, WEAK, "_ZN3BoxC2Ev");
	ADD(t, 0x100, 16, WEAK, "_ZN3BoxC1Ev");
	ADD(t, 0x200, 16, GLOBAL, "_Z3addi");
	ADD(t, 0x200, 16, GLOBAL, "_Z3addl");
	ADD(t, 0x300, 16, GLOBAL, "lseek@@GLIBC_2.2.5");
	ADD(t, 0x300, 16, GLOBAL, "lseek");
	ADD(t, 0x400, 16, GLOBAL, "self");
	ADD(t, 0x400, 16, LOCAL, "self.localalias");
	ADD(t, 0x500, 16, GLOBAL, "whole");
	ADD(t, 0x500, 8, LOCAL, "half");
	ADD(t, 0x500, 0, GLOBAL, "__text_start");
	ADD(t, 0x600, 16, WEAK, "_ZN3BoxD2Ev");
	ADD(t, 0x600, 16, WEAK, "_ZN3BoxD1Ev");
	ADD(t, 0x600, 16, WEAK, "_ZN3BagD1Ev");
	ADD(t, 0x600, 16, WEAK, "_ZN3BagD2Ev");
	assert_int_equal(symtab_freeze(t), 0);
	NAMES(t, 0x100, "_ZN3BoxC2Ev", 1, NULL);
	NAMES(t, 0x200, "_Z3addi", 1, NULL);
	NAMES(t, 0x300, "lseek@@GLIBC_2.2.5", 1, NULL);
	NAMES(t, 0x400, "self", 1, NULL);
	NAMES(t, 0x500, "whole", 1, NULL);
	NAMES(t, 0x600, "_ZN3BoxD2Ev", 2, "_ZN3BagD1Ev");
	symtab_free(t);
}

/* A later table has most names again, and a better one; the first one's are not forgotten. */
static void test_several_tables(void **state)
{
	struct symtab *t = make();

	(void)state;
	ADD(t, 0x100, 16, LOCAL, "here");
	ADD(t, 0x100, 16, LOCAL, "too");
	ADD(t, 0x200, 16, LOCAL, "only_once");
	assert_int_equal(symtab_settle(t), 0);
	ADD(t, 0x200, 16, GLOBAL, "only_once");
	ADD(t, 0x100, 16, GLOBAL, "there");
	ADD(t, 0x100, 16, GLOBAL, "too");
	assert_int_equal(symtab_settle(t), 0);
	ADD(t, 0x100, 16, WEAK, "here");
	assert_int_equal(symtab_freeze(t), 0);
	NAMES(t, 0x100, "there", 3, "too", "here");
	NAMES(t, 0x200, "only_once", 1, NULL);
	symtab_free(t);
}

/* A million names at one address are counted, and no more of them is kept than is listed. */
static void test_very_many(void **state)
{
	struct symtab *t = make();
	char name[32];

	(void)state;
	for (unsigned i = 0; i < 1000000; i++) {
		snprintf(name, sizeof(name), "n%06u", i);
		ADD(t, 0x100, 16, GLOBAL, name);
	}
	assert_int_equal(symtab_freeze(t), 0);
	NAMES(t, 0x100, "n000000", 1000000, "n000001", "n000002", "n000003");
	assert_true(symtab_bytes(t) < 2048);
	symtab_free(t);
}

/* What a helper may answer that is another's: each byte of it in turn is another one. */
static void test_several_nonsense(void **state)
{
	struct symtab *t = make(), *copy;
	struct wire_out out = {.data = NULL};

	(void)state;
	ADD(t, 0x100, 16, GLOBAL, "first");
	ADD(t, 0x100, 16, WEAK, "second");
	ADD(t, 0x200, 16, GLOBAL, "third");
	ADD(t, 0x200, 16, WEAK, "fourth");
	assert_int_equal(symtab_freeze(t), 0);
	symtab_wire_put(t, &out);
	for (size_t i = 0; i < out.len; i++)
		for (unsigned bit = 0; bit < 8; bit++) {
			struct wire_in in = {.at = out.data, .end = out.data + out.len};
			struct symtab_entry e;

			out.data[i] ^= (uint8_t)(1u << bit);
			if (!symtab_wire_get(&in, NULL, &copy)) {
				for (size_t k = 0; k < symtab_count(copy); k++) {
					symtab_at(copy, k, &e);
					symtab_names(copy, &e);
					for (unsigned a = 0; a < SYMTAB_ALSO && e.also[a]; a++)
						assert_true(strlen(e.also[a]) < 64);
				}
				symtab_free(copy);
			}
			out.data[i] ^= (uint8_t)(1u << bit);
		}
	symtab_free(t);
	wire_clear(&out);
}

/* A symbol without a size ends where a function begins that has no symbol; a symbol with a size does not. */
static void test_bound(void **state)
{
	static const uint64_t begins[] = {0x500, 0x1000, 0x1040, 0x2000, 0x3010};
	struct symtab *t = make();
	uint64_t *copy = budget_alloc(symtab_budget(t), BUDGET_READING, sizeof(begins));

	(void)state;
	assert_non_null(copy);
	memcpy(copy, begins, sizeof(begins));
	assert_false(symtab_lacks_sizes(t));
	ADD(t, 0x800, 0x2000, GLOBAL, "sized");
	assert_false(symtab_lacks_sizes(t));
	ADD(t, 0x1000, 0, GLOBAL, "at_one");
	ADD(t, 0x1020, 0, GLOBAL, "within");
	ADD(t, 0x1800, 0, GLOBAL, "before");
	ADD(t, 0x3000, 0, GLOBAL, "last");
	assert_true(symtab_lacks_sizes(t));
	symtab_bound(t, copy, sizeof(begins) / sizeof(begins[0]));
	assert_false(symtab_lacks_sizes(t)); /* but for these */
	assert_int_equal(symtab_freeze(t), 0);
	check(t, 0x101f, "at_one");
	check(t, 0x103f, "within");
	check(t, 0x1040, "sized");
	check(t, 0x1fff, "before");
	check(t, 0x2000, "sized");
	check(t, 0x300f, "last");
	check(t, 0x3010, NULL);
	symtab_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),	       cmocka_unit_test(test_find),
		cmocka_unit_test(test_best_name),      cmocka_unit_test(test_first_of_equals),
		cmocka_unit_test(test_sizeless),       cmocka_unit_test(test_sizeless_aliases),
		cmocka_unit_test(test_settled),	       cmocka_unit_test(test_readable),
		cmocka_unit_test(test_kernel),	       cmocka_unit_test(test_nested),
		cmocka_unit_test(test_refused),	       cmocka_unit_test(test_random),
		cmocka_unit_test(test_compact),	       cmocka_unit_test(test_bound),
		cmocka_unit_test(test_several),	       cmocka_unit_test(test_not_several),
		cmocka_unit_test(test_several_tables), cmocka_unit_test(test_very_many),
		cmocka_unit_test(test_several_nonsense),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
