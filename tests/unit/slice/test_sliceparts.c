/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All that is in a slice has its row in the table, and each pass that walks the table reaches every member of every
 * row: slices filled by the table are merged, sent, cut and renumbered, and held against it.
 */
#include "core/slice/sliceparts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/slice/code.h"
#include "core/slice/merge.h"
#include "link/agent/slicesplit.h"
#include "link/wire/slicecode.h"

#define EACH 3 /* elements of each array */

/* --- a slice of everything ------------------------------------------------------------------- */

static int set_next(void *arg, const struct part_place *at, int64_t *number)
{
	(void)at;
	*number = (*(unsigned *)arg)++;
	return 0;
}

static void fill_texts(const struct slice_part *p, char *element)
{
	for (const struct part_member *m = p->members; m->is; m++)
		if (m->is == MEMBER_TEXT)
			assert_true(asprintf((char **)(void *)(element + m->at), "%s", p->name) > 0);
}

/* All numbers differ, from `number` on. */
static struct slice *full(unsigned number)
{
	struct slice *s = slice_create();

	assert_non_null(s);
	for (int id = 0; id < PART_NR; id++) {
		const struct slice_part *p = &slice_parts[id];

		for (unsigned i = 0; i < (p->flags & PART_SINGLE ? 1 : EACH); i++) {
			char *element = part_add(s, id);

			assert_non_null(element);
			fill_texts(p, element);
			if (id == PART_CODES)
				*(struct code **)(void *)element = code_create(&(struct code_place){.addr = i});
		}
	}
	parts_visit(s, ~0u, set_next, &number);
	return s;
}

static size_t count_of(const struct slice *s, const struct slice_part *p)
{
	size_t nr;

	part_elements(s, p, &nr);
	return nr;
}

/* --- the table -------------------------------------------------------------------------------- */

#define OUTSIDE(member) {offsetof(struct slice, member), sizeof(((struct slice *)0)->member)}

/* Figures of which a slice has one; slice_merge() and slicecode.c name each. */
static const struct {
	size_t at, size;
} outside[] = {
	OUTSIDE(start), OUTSIDE(end), OUTSIDE(wall), OUTSIDE(dict), OUTSIDE(logging), OUTSIDE(self), OUTSIDE(helpers),
	OUTSIDE(recording), OUTSIDE(progress), OUTSIDE(last),
};

/* Every byte of a slice is of a part or of a figure named here, up to the padding behind the last member. */
static void test_members(void **state)
{
	char seen[sizeof(struct slice)] = {0};

	(void)state;
	for (const struct slice_part *p = slice_parts; p < slice_parts + PART_NR; p++) {
		assert_non_null(p->name);
		assert_non_null(p->one);
		memset(seen + p->array, 1, sizeof(void *));
		if (p->flags & PART_SINGLE)
			continue;
		memset(seen + p->nr, 1, sizeof(size_t));
		memset(seen + p->cap, 1, sizeof(size_t));
	}
	for (size_t i = 0; i < sizeof(outside) / sizeof(*outside); i++)
		memset(seen + outside[i].at, 1, outside[i].size);
	for (size_t i = 0; i < offsetof(struct slice, last); i++)
		if (!seen[i])
			fail_msg("byte %zu of a slice is in no part", i);
}

/* A part can be merged in one way, and its members are of sizes that are read. */
static void test_rows(void **state)
{
	(void)state;
	for (const struct slice_part *p = slice_parts; p < slice_parts + PART_NR; p++) {
		const unsigned nr = sizeof(p->members) / sizeof(*p->members);

		assert_true(!p->members[nr - 1].is);
		assert_true((p->key != 0) + ((p->flags & PART_BY_INDEX) != 0) + ((p->flags & PART_SINGLE) != 0) <= 1);
		assert_true(p->add || p->sums || (!p->key && !(p->flags & PART_BY_INDEX)));
		for (const struct part_member *m = p->members; m->is; m++) {
			assert_true(m->at + m->size <= p->size);
			assert_true(m->size == 2 || m->size == 4 || m->size == 8);
		}
	}
}

static const struct field *field_at(const struct fields *t, size_t at)
{
	for (unsigned i = 0; i < t->nr; i++)
		if (t->field[i].at == at)
			return &t->field[i];
	return NULL;
}

static bool owns_text(const struct slice_part *p, size_t at)
{
	const struct part_member *m = p->members;

	while (m->is && (m->is != MEMBER_TEXT || m->at != at))
		m++;
	return m->is;
}

/* Each part crosses the wire, with all members that the table names, and the table names all texts that cross it. */
static void test_wire(void **state)
{
	(void)state;
	for (const struct slice_part *p = slice_parts; p < slice_parts + PART_NR; p++) {
		const struct field *f = field_at(&slicecode_fields, p->array);

		if (!f || !f->table)
			fail_msg("%s have no row in slicecode.c", p->name);
		assert_int_equal(f->table->size, p->flags & PART_SINGLE || p->size != sizeof(void *) ? p->size : f->table->size);
		if (!(p->flags & PART_SINGLE)) {
			assert_int_equal(f->nr_at, p->nr);
			assert_int_equal(f->cap_at, p->cap);
		}
		for (const struct part_member *m = p->members; m->is; m++)
			if (!field_at(f->table, m->at))
				fail_msg("byte %zu of %s has no row in slicecode.c", m->at, p->one);
		for (unsigned i = 0; i < f->table->nr; i++)
			if (f->table->field[i].as == FIELD_STRING && !p->clear && !owns_text(p, f->table->field[i].at))
				fail_msg("text %u of %s is not in the table of parts", f->table->field[i].nr, p->one);
	}
}

/* --- passes ----------------------------------------------------------------------------------- */

struct tally {
	uint64_t nr, sum;
};

static int count_number(void *arg, const struct part_place *at, int64_t *number)
{
	struct tally *t = &((struct tally *)arg)[at->part - slice_parts];

	t->nr++;
	t->sum += (uint64_t)*number;
	return 0;
}

static void tally(struct slice *s, struct tally t[PART_NR])
{
	memset(t, 0, PART_NR * sizeof(*t));
	assert_int_equal(parts_visit(s, ~0u, count_number, t), 0);
}

static int add_one(void *arg, const struct part_place *at, int64_t *number)
{
	(void)arg, (void)at;
	++*number;
	return 0;
}

/* Each number of each element is visited once, and what the visit made of it is there afterwards. */
static void test_visit(void **state)
{
	struct slice *s = full(100);
	struct tally was[PART_NR], is[PART_NR];

	(void)state;
	tally(s, was);
	for (unsigned bit = 1; bit < MEMBER_TEXT; bit *= 2)
		parts_visit(s, bit, add_one, NULL);
	tally(s, is);
	for (int id = 0; id < PART_NR; id++) {
		unsigned numbers = 0;

		for (const struct part_member *m = slice_parts[id].members; m->is; m++)
			numbers += m->is != MEMBER_TEXT;
		assert_int_equal(was[id].nr, numbers * count_of(s, &slice_parts[id]));
		assert_int_equal(is[id].sum, was[id].sum + was[id].nr);
	}
	slice_free(s);
}

static void assert_texts(const struct slice *s, const struct slice_part *p)
{
	size_t nr;
	const char *element = part_elements(s, p, &nr);

	for (; nr--; element += p->size)
		for (const struct part_member *m = p->members; m->is; m++)
			if (m->is == MEMBER_TEXT)
				assert_string_equal(*(char *const *)(const void *)(element + m->at), p->name);
}

/* Nothing of either slice is missing in what becomes of both; states and singles are the later one's. */
static void test_merge(void **state)
{
	struct slice *a = full(100), *b = full(200);
	struct tally first[PART_NR], second[PART_NR], both[PART_NR];

	(void)state;
	tally(a, first);
	tally(b, second);
	assert_int_equal(slice_merge(a, b), 0);
	tally(a, both);
	for (int id = 0; id < PART_NR; id++) {
		const struct slice_part *p = &slice_parts[id];
		bool replaced = p->flags & (PART_BY_INDEX | PART_SINGLE);

		if (count_of(a, p) != (p->flags & PART_SINGLE ? 1 : replaced ? EACH : 2 * EACH))
			fail_msg("%zu %s", count_of(a, p), p->name);
		if (both[id].sum != second[id].sum + (replaced ? 0 : first[id].sum))
			fail_msg("%s are not as they were", p->name);
		assert_texts(a, p);
	}
	slice_free(a);
}

/* Equal keys become one, whichever slice has them. */
static void test_merge_equal(void **state)
{
	struct slice *a = full(100), *b = full(100);

	(void)state;
	assert_int_equal(slice_merge(a, b), 0);
	for (const struct slice_part *p = slice_parts; p < slice_parts + PART_NR; p++)
		if (p->key)
			assert_int_equal(count_of(a, p), EACH);
	slice_free(a);
}

static int set_id(void *arg, const struct part_place *at, int64_t *number)
{
	(void)at;
	*number = *(const uint32_t *)arg;
	return 0;
}

struct ids {
	unsigned temporary, kept;
};

static int count_id(void *arg, const struct part_place *at, int64_t *number)
{
	struct ids *ids = arg;

	(void)at;
	ids->temporary += *number >= DICT_TEMP;
	ids->kept += *number == 5;
	return 0;
}

/* An id that was released and given out again means the earlier path or task in all of the earlier slice. */
static void test_rename(void **state)
{
	struct slice *a = slice_create(), *b = slice_create();
	struct ids ids = {0};
	unsigned members = 0;
	uint32_t id = 5;

	(void)state;
	for (int part = 0; part < PART_NR; part++) {
		unsigned has = 0;

		for (const struct part_member *m = slice_parts[part].members; m->is; m++)
			has += (m->is & (MEMBER_PATH | MEMBER_TASK)) != 0;
		members += has;
		assert_true(!has || (part_add(a, part) && part_add(b, part)));
	}
	parts_visit(a, MEMBER_PATH | MEMBER_TASK, set_id, &id);
	parts_visit(b, MEMBER_PATH | MEMBER_TASK, set_id, &id);
	assert_int_equal(slice_release(a, DICT_PATH, id) | slice_release(a, DICT_TASK, id), 0);
	assert_int_equal(slice_upsert(b, DICT_PATH, &(struct dict_path){.id = id}), 0);
	assert_int_equal(slice_upsert(b, DICT_TASK, &(struct dict_task){.id = id}), 0);
	assert_int_equal(slice_merge(a, b), 0);
	parts_visit(a, MEMBER_PATH | MEMBER_TASK, count_id, &ids);
	assert_true(members);
	assert_int_equal(ids.temporary, members);
	assert_int_equal(ids.kept, members);
	slice_free(a);
}

/* What comes out of the wire has the numbers and texts that went in. */
static void test_sent(void **state)
{
	struct slice *s = full(0), *is;
	struct tally was[PART_NR], now[PART_NR];
	struct wire_out o = {.len = 0};
	struct err err;

	(void)state;
	slicecode_put(&o, s);
	is = slicecode_get(o.data, o.len, SIZE_MAX, &err);
	assert_non_null(is);
	tally(s, was);
	tally(is, now);
	assert_memory_equal(was, now, sizeof(was));
	for (const struct slice_part *p = slice_parts; p < slice_parts + PART_NR; p++) {
		assert_int_equal(count_of(is, p), count_of(s, p));
		assert_texts(is, p);
	}
	wire_clear(&o);
	slice_free(is);
	slice_free(s);
}

/* A slice in several messages: definitions are in the first one, and nothing is missing in all of them together. */
static void test_cut(void **state)
{
	struct slice *s = full(100), *part;
	size_t all[PART_NR];
	int ret;

	(void)state;
	for (int id = 0; id < PART_NR; id++)
		all[id] = count_of(s, &slice_parts[id]);
	for (bool first = true; slicesplit_take(s, &part, &ret); first = false) {
		for (int id = 0; id < PART_NR; id++) {
			const struct slice_part *p = &slice_parts[id];

			all[id] -= count_of(part, p);
			if (first && p->flags & PART_DEFINES)
				assert_int_equal(all[id], 0);
		}
		slice_free(part);
	}
	assert_int_equal(ret, 0);
	for (int id = 0; id < PART_NR; id++)
		assert_int_equal(all[id], count_of(s, &slice_parts[id]));
	slice_free(s);
}

/* All times of a slice move with it, but for those that are none. */
static void test_shift(void **state)
{
	struct slice *s = full(100);
	struct tally was[PART_NR], is[PART_NR];
	const uint64_t by = 1ull << 40;

	(void)state;
	s->start = 5;
	s->lists[0].since = 0;
	tally(s, was);
	slice_shift(s, by);
	tally(s, is);
	assert_true(s->start == 5 + by && s->end == by);
	assert_int_equal(s->lists[0].since, 0);
	for (int id = 0; id < PART_NR; id++) {
		uint64_t times = 0;

		for (const struct part_member *m = slice_parts[id].members; m->is; m++)
			times += (m->is & (MEMBER_TIME | MEMBER_SINCE)) != 0;
		times *= count_of(s, &slice_parts[id]) - (id == PART_LISTS);
		assert_int_equal(is[id].sum, was[id].sum + times * by);
	}
	slice_free(s);
}

/* Only parts with the flag are dropped. */
static void test_drop(void **state)
{
	struct slice *s = full(100);

	(void)state;
	assert_int_equal(parts_count(s, PART_UNSAVED), 3 * EACH + 1);
	parts_drop(s, PART_UNSAVED);
	assert_int_equal(parts_count(s, PART_UNSAVED), 0);
	for (const struct slice_part *p = slice_parts; p < slice_parts + PART_NR; p++)
		assert_int_equal(count_of(s, p) != 0, !(p->flags & PART_UNSAVED));
	slice_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_members), cmocka_unit_test(test_rows), cmocka_unit_test(test_wire),
		cmocka_unit_test(test_visit), cmocka_unit_test(test_merge), cmocka_unit_test(test_merge_equal),
		cmocka_unit_test(test_rename), cmocka_unit_test(test_sent), cmocka_unit_test(test_cut),
		cmocka_unit_test(test_shift), cmocka_unit_test(test_drop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
