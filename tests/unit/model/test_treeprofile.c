/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Places of trees have what the trees have, block by block, and what changes in them is found where it is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "model/compare/treeprofile.h"
#include "tests/synth.h"

#define SHIFT 200 /* ticks */

struct fixture {
	struct session *s;
	struct model *m;
};

static struct fixture begin(const struct synth_config *c, unsigned ticks)
{
	struct fixture f = {.s = synth_session_create(c)};
	struct slice *slice = NULL;

	assert_non_null(f.s);
	f.m = model_create(&f.s->info, 0);
	assert_non_null(f.m);
	for (; ticks; ticks--) {
		synth_advance(f.s, 1);
		while (!session_next(f.s, &slice) && slice)
			assert_int_equal(model_add(f.m, slice), 0);
	}
	return f;
}

static void end(struct fixture *f)
{
	model_free(f->m);
	session_close(f->s);
}

static struct window ticks(const struct fixture *f, unsigned from, unsigned to)
{
	uint64_t first = model_first(f->m), tick = 100 * NSEC_PER_MSEC;

	return (struct window){first + from * tick, first + to * tick};
}

static void take(const struct fixture *f, const struct tree_query *q, struct window w, struct treeprofile *places,
		 struct profile *p)
{
	struct profile functions;

	assert_int_equal(profile_take(f->m, &q->q, w, &functions), 0);
	assert_int_equal(treeprofile_take(places, f->m, q, w, &functions, p), 0);
	assert_int_equal(p->nblocks, functions.nblocks);
	assert_true(p->weight == functions.weight && p->samples == functions.samples && p->lost == functions.lost);
	profile_clear(&functions);
}

/* Each row is what nodes of its place have together, and so are its blocks. */
static void assert_places(const struct fixture *f, const struct tree_query *q, struct window w)
{
	struct treeprofile places = {0};
	const struct tree *t;
	struct profile p;
	uint64_t sum = 0;

	take(f, q, w, &places, &p);
	t = model_tree(f->m, q, w);
	assert_non_null(t);
	assert_int_equal(treeprofile_find(&places, t), 0);
	for (size_t i = 0; i < t->nr; i++) {
		int64_t at = treeprofile_row(&p, places.of[i]);

		if (t->node[i].flags & (TREE_LOST | TREE_OTHER) || !t->node[i].total)
			continue;
		assert_true(at >= 0);
		assert_true(p.rows[at].weight >= t->node[i].total);
		sum += t->node[i].total;
	}
	for (size_t i = 0; i < p.nrows; i++) {
		uint64_t blocks = 0;

		for (size_t c = 0; c < p.rows[i].nr; c++)
			blocks += p.counts[p.rows[i].first + c].weight;
		assert_true(blocks == p.rows[i].weight);
		sum -= p.rows[i].weight;
	}
	assert_true(!sum);
	profile_clear(&p);
	treeprofile_clear(&places);
}

static void as_tree(void **state)
{
	struct synth_config c = {.functions = 50, .callchains = true, .deep = true, .losses = true, .hostile = true, .addresses = 5,
				 .forks = 2};
	struct fixture f = begin(&c, 153);
	struct tree_query q = {.q = {.show_self = true}, .limit = TREE_LIMIT};

	(void)state;
	for (q.order = TREE_TOP_DOWN; q.order <= TREE_BOTTOM_UP; q.order++)
		for (q.tasks = TREE_NO_TASKS; q.tasks <= TREE_THREADS; q.tasks++)
			assert_places(&f, &q, ticks(&f, 20, 120));
	end(&f);
}

static const struct difference *changed(const struct comparison *c, const struct profile *side, const struct treeprofile *p,
					const struct tree *t, const char *name)
{
	for (size_t i = 0; i < t->nr; i++) {
		int64_t at = strcmp(t->node[i].name, name) != 0 ? -1 : treeprofile_row(side, p->of[i]);

		for (size_t k = 0; at >= 0 && k < c->nr; k++)
			if (compare_side(c, k, COMPARE_NOW) == &side->rows[at] ||
			    compare_side(c, k, COMPARE_WAS) == &side->rows[at])
				return compare_row(c, k);
	}
	return NULL;
}

/* The same of the two halves of one session, and of two that are of their own: ids differ there. */
static void shifted(void **state)
{
	const struct synth_config c = {.functions = 30, .callchains = true, .shift = SHIFT};
	const struct synth_config other = {.functions = 7, .callchains = true, .shift = 10 * SHIFT};
	struct fixture now = begin(&c, 2 * SHIFT), before = begin(&other, SHIFT);
	const struct tree_query q = {.limit = TREE_LIMIT};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct treeprofile was_places = {0}, places = {0};
		const struct difference *d;
		struct profile was, is;
		struct comparison cmp;
		const struct tree *t;

		take(i ? &before : &now, &q, ticks(&now, 0, SHIFT), &was_places, &was);
		take(&now, &q, ticks(&now, SHIFT, 2 * SHIFT), &places, &is);
		assert_int_equal(compare(&was, &is, &(struct compare_how){.again = true}, &cmp), 0);
		t = model_tree(now.m, &q, ticks(&now, SHIFT, 2 * SHIFT));
		assert_int_equal(treeprofile_find(&places, t), 0);
		d = changed(&cmp, &is, &places, t, "compress_block");
		assert_true(d && d->was && d->now && d->flags & DIFFERENCE_SIGNIFICANT && d->delta < -0.05);
		d = changed(&cmp, &is, &places, t, "copy_page");
		assert_true(d && d->flags & DIFFERENCE_SIGNIFICANT && d->flags & DIFFERENCE_NEW);
		if (!i) {
			d = changed(&cmp, &is, &places, t, "do_syscall_64");
			assert_true(d && d->was && !(d->flags & DIFFERENCE_SIGNIFICANT));
		}
		compare_clear(&cmp);
		profile_clear(&was);
		profile_clear(&is);
		treeprofile_clear(&was_places);
		treeprofile_clear(&places);
	}
	end(&before);
	end(&now);
}

/* A function of the baseline that goes by another name now is in the place of that. */
static void renamed(void **state)
{
	static const char *const names[] = {"work", "rest", "wait"};
	const struct compare_how how = {.again = false};
	struct profile was, now;
	struct comparison c;
	struct tree_node nodes[] = {{.name = "all", .object = ""}, {.name = "work", .object = "/opt/app-1"},
				    {.name = "leaf", .object = "/lib/libc.so", .parent = 1}};
	const struct tree t = {.node = nodes, .nr = 3};
	struct treeprofile places = {0}, other = {0};

	(void)state;
	assert_int_equal(profile_init(&was) | profile_init(&now), 0);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		assert_int_equal(profile_row(&was, names[i], "/opt/app-1"), i);
		assert_int_equal(profile_row(&now, names[i], "/opt/app-2"), i);
	}
	assert_int_equal(profile_finish(&was) | profile_finish(&now) | compare(&was, &now, &how, &c), 0);
	assert_int_equal(treeprofile_alias(&places, &c), 0);
	assert_int_equal(places.naliases, sizeof(names) / sizeof(*names));
	compare_clear(&c);
	profile_clear(&was);
	profile_clear(&now);
	assert_int_equal(treeprofile_find(&places, &t), 0);
	nodes[1].object = "/opt/app-2";
	assert_int_equal(treeprofile_find(&other, &t), 0);
	assert_true(places.of[1] == other.of[1] && places.of[2] == other.of[2] && other.of[1] != other.of[2]);
	assert_int_equal(treeprofile_find(&places, &t), 0);
	assert_true(places.of[2] == other.of[2]);
	nodes[1].name = "other";
	assert_int_equal(treeprofile_find(&other, &t), 0);
	assert_true(places.of[2] != other.of[2]);
	treeprofile_clear(&places);
	treeprofile_clear(&other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(as_tree), cmocka_unit_test(shifted), cmocka_unit_test(renamed)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
