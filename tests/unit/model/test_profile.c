/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A profile has what the rows have, and its blocks add up to it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "model/compare/compare.h"
#include "model/rows/rowfilter.h"
#include "model/compare/match.h"
#include "tests/synth.h"

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

static uint64_t block_sum(const struct profile *p, const struct profile_row *r)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < r->nr; i++) {
		const struct profile_count *c = &p->counts[r->first + i];

		assert_true(c->block < p->nblocks && &p->rows[c->row] == r);
		assert_true(!i || c->block >= c[-1].block);
		sum += c->weight;
	}
	return sum;
}

/* Against model_rows; the rows' blocks have all that they have, where the history does. */
static void assert_profile(struct model *m, const struct query *q, struct window w)
{
	const struct rows *rows;
	uint64_t blocks = 0, sum = 0;
	double seconds = 0;
	struct profile p;
	struct head head;

	assert_int_equal(profile_take(m, q, w, &p) | profile_index(&p), 0);
	rows = model_rows(m, q, w);
	assert_non_null(rows);
	assert_true(p.weight == rows->attributed && p.samples == rows->samples);
	for (size_t i = 0; i < rows->nr; i++) {
		const struct row *r = &rows->row[i];
		const char *name = r->flags & ROW_UNRESOLVED ? PROFILE_NAMELESS : r->name;
		int64_t at = profile_find(&p, name, r->object);

		if (!r->self || r->flags & ROW_LOST)
			continue;
		assert_true(at >= 0);
		assert_string_equal(p.rows[at].name, name);
		sum += r->self;
	}
	for (size_t i = 0; i < p.nrows; i++) {
		assert_true(block_sum(&p, &p.rows[i]) == p.rows[i].weight);
		sum -= p.rows[i].weight;
	}
	assert_true(!sum);
	for (size_t i = 0; i < p.nblocks; i++) {
		blocks += p.blocks[i].weight;
		seconds += p.blocks[i].seconds;
	}
	model_head(m, q->event, w, &head);
	assert_true(blocks == p.weight);
	assert_true(fabs(seconds - p.seconds) < 1e-6 && fabs(p.seconds - head.seconds) < 1e-9);
	assert_true(p.lost == head.account.lost_all - head.account.lost[LOST_MULTIPLEXED]);
	profile_clear(&p);
}

static struct window last(const struct fixture *f, uint64_t ticks)
{
	uint64_t now = model_now(f->m);

	return (struct window){now - ticks * 100 * NSEC_PER_MSEC, now};
}

static void as_rows(void **state)
{
	struct synth_config c = {.functions = 50, .callchains = true, .losses = true, .hostile = true, .second_event = 7, .shared = 40, .addresses = 5,
				 .strangers = 3, .forks = 2};
	struct fixture f = begin(&c, 153);
	struct query q = {.group = GROUP_FUNCTION, .sort = SORT_SELF};
	struct rowfilter *filter;
	struct err err;

	(void)state;
	for (q.event = 0; q.event < 2; q.event++) {
		assert_profile(f.m, &q, WINDOW_ALL);
		assert_profile(f.m, &q, last(&f, 50));
		assert_profile(f.m, &q, last(&f, 3));
	}
	q.event = 0;
	q.show_self = true;
	assert_profile(f.m, &q, WINDOW_ALL);
	q.hide_kernel = true;
	assert_profile(f.m, &q, last(&f, 40));
	q.hide_kernel = false;
	assert_int_equal(rowfilter_compile("gzip", &filter, &err), 0);
	q.filter = filter;
	assert_profile(f.m, &q, last(&f, 40));
	rowfilter_free(filter);
	end(&f);
}

/* Of a second each, what is left with the last; shorter where there are few; as long as the slices where these are. */
static void blocks(void **state)
{
	static const struct {
		unsigned ticks, blocks;
	} cases[] = {{204, 20}, {207, 21}, {160, 16}, {155, 16}, {80, 16}, {8, 8}, {1, 1}, {350, 35}};
	struct query q = {.event = 0};
	struct profile p;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct fixture f = begin(NULL, cases[i].ticks);

		assert_int_equal(profile_take(f.m, &q, WINDOW_ALL, &p), 0);
		if (p.nblocks != cases[i].blocks)
			fail_msg("%u ticks are %zu blocks, not %u", cases[i].ticks, p.nblocks, cases[i].blocks);
		for (size_t b = 0; b + 1 < p.nblocks; b++)
			assert_true(fabs(p.blocks[b].seconds - p.blocks[0].seconds) < 0.101);
		profile_clear(&p);
		end(&f);
	}
}

/* Steps of 10 s, where the past is kept in such, and of a second: blocks of one length. */
static void long_past(void **state)
{
	struct fixture f = begin(&(struct synth_config){.functions = 3}, 9000);
	struct query q = {.event = 0};
	struct profile p;

	(void)state;
	assert_int_equal(profile_take(f.m, &q, WINDOW_ALL, &p), 0);
	assert_true(p.nblocks >= 85 && p.nblocks <= 90);
	for (size_t b = 0; b < p.nblocks; b++)
		assert_true(p.blocks[b].seconds > 9.9 && p.blocks[b].seconds < 16);
	profile_clear(&p);
	end(&f);
}

/* Nothing is there: an empty profile, and nothing changed. */
static void empty(void **state)
{
	struct fixture f = begin(NULL, 0);
	struct query q = {.event = 0}, none = {.event = 99};
	struct profile was, now;
	struct comparison c;

	(void)state;
	assert_int_equal(profile_take(f.m, &q, WINDOW_ALL, &was), 0);
	assert_int_equal(profile_take(f.m, &none, WINDOW_ALL, &now), 0);
	assert_int_equal(compare(&was, &now, &(struct compare_how){.again = false}, &c), 0);
	assert_int_equal(c.nr, 0);
	compare_clear(&c);
	profile_clear(&was);
	profile_clear(&now);
	end(&f);
}

/* A window against the next one of a session that goes on as it was. */
static void windows(void **state)
{
	struct fixture f = begin(&(struct synth_config){.functions = 30}, 190);
	struct query q = {.event = 0};
	struct window w = last(&f, 90);
	struct profile was, now;
	struct comparison c;

	(void)state;
	assert_int_equal(profile_take(f.m, &q, (struct window){w.from - 90 * 100 * NSEC_PER_MSEC, w.from}, &was), 0);
	assert_int_equal(profile_take(f.m, &q, w, &now), 0);
	assert_int_equal(compare(&was, &now, &(struct compare_how){.again = true, .growing = true}, &c), 0);
	assert_true(c.nr > 10);
	assert_false(c.rough);
	assert_int_equal(c.significant, 0);
	compare_clear(&c);
	profile_clear(&was);
	profile_clear(&now);
	end(&f);
}

/* By ids and by names: the same function of one window is found in another, of the same model or of one read anew. */
static void found_again(void **state)
{
	struct synth_config c = {.functions = 50, .callchains = true, .hostile = true, .addresses = 5, .strangers = 3, .forks = 2};
	struct fixture f = begin(&c, 153), other = begin(&c, 153);
	const struct query q = {.show_self = true};
	uint32_t by_id[500], by_name[500], elsewhere[500];
	struct profile was, now, is;
	size_t found = 0;

	(void)state;
	assert_int_equal(profile_take(f.m, &q, (struct window){0, 50 * 100 * NSEC_PER_MSEC}, &was), 0);
	assert_int_equal(profile_take(f.m, &q, last(&f, 50), &now) | profile_take(other.m, &q, last(&other, 50), &is), 0);
	assert_true(was.era == now.era && is.era != now.era && now.nrows > 50 && now.nrows < 500 && is.nrows == now.nrows);
	assert_int_equal(match_rows(&was, &now, by_id) | match_rows(&was, &is, elsewhere), 0);
	/* what was collected since has its ids no more */
	was.era = 0;
	assert_int_equal(match_rows(&was, &now, by_name), 0);
	assert_memory_equal(by_id, by_name, now.nrows * sizeof(*by_id));
	for (size_t i = 0; i < now.nrows; i++) {
		int64_t at = profile_find(&was, now.rows[i].name, now.rows[i].object);

		assert_int_equal((int64_t)by_id[i] - 1, at);
		assert_true(at < 0 || !strcmp(was.rows[at].name, now.rows[i].name));
		at = (int64_t)elsewhere[i] - 1;
		assert_true(at < 0 || !strcmp(was.rows[at].name, is.rows[i].name));
		found += at >= 0;
	}
	assert_true(found > 50);
	profile_clear(&was);
	profile_clear(&now);
	profile_clear(&is);
	end(&f);
	end(&other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_rows), cmocka_unit_test(blocks), cmocka_unit_test(long_past),
		cmocka_unit_test(empty), cmocka_unit_test(windows), cmocka_unit_test(found_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
