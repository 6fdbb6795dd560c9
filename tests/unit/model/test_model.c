/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "model/rows/rowfilter.h"
#include "model/core/model.h"
#include "model/core/state.h"
#include "model/tree/tree.h"
#include "model/core/coarsen.h"
#include "core/slice/merge.h"
#include "tests/scatter.h"
#include "tests/synth.h"
#include "tests/synth_dict.h"

struct fixture {
	struct session *s;
	struct model *m;
	struct synth_truth truth;
};

static struct fixture begin(const struct synth_config *c, size_t budget)
{
	struct fixture f = {.s = synth_session_create(c)};

	assert_non_null(f.s);
	f.m = model_create(&f.s->info, budget);
	assert_non_null(f.m);
	return f;
}

/* Advance by `ticks`, taking slices merged in packs of `pack`. */
static void run(struct fixture *f, unsigned ticks, unsigned pack)
{
	for (; ticks; ticks -= pack < ticks ? pack : ticks) {
		struct slice *first = NULL, *next = NULL;

		synth_advance(f->s, pack < ticks ? pack : ticks);
		while (!session_next(f->s, &next) && next) {
			if (first)
				assert_int_equal(slice_merge(first, next), 0);
			else
				first = next;
		}
		assert_non_null(first);
		assert_int_equal(model_add(f->m, first), 0);
	}
	synth_truth(f->s, &f->truth);
}

static void end(struct fixture *f)
{
	model_free(f->m);
	session_close(f->s);
}

static const struct row *find(const struct rows *rows, const char *name)
{
	assert_non_null(rows);
	for (size_t i = 0; i < rows->nr; i++)
		if (!strcmp(rows->row[i].name, name))
			return &rows->row[i];
	return NULL;
}

static struct window last(const struct fixture *f, uint64_t ticks)
{
	uint64_t now = model_now(f->m), span = ticks * 100 * NSEC_PER_MSEC;

	return (struct window){now > span ? now - span : 0, now};
}

static uint64_t sum_self(const struct rows *rows)
{
	uint64_t sum = 0;

	assert_non_null(rows);
	for (size_t i = 0; i < rows->nr; i++)
		sum += rows->row[i].self;
	return sum;
}

static void check_account(const struct account *a)
{
	uint64_t lost = 0;

	for (int c = 0; c < LOST_CAUSES; c++)
		lost += a->lost[c];
	assert_int_equal(a->lost_all, lost);
	assert_int_equal(a->counted, a->attributed + lost + a->pending);
	assert_true(a->pending >= a->unsampled);
}

/* --- accounts --------------------------------------------------------------------------- */

static void test_accounts(void **state)
{
	struct synth_config c = {.losses = true, .second_event = 7};
	struct fixture f = begin(&c, 0);
	struct account all, one;
	uint64_t counted = 0;

	(void)state;
	run(&f, 53, 1);
	model_account(f.m, 0, ALL_CPUS, WINDOW_ALL, &all);
	check_account(&all);
	assert_int_equal(all.attributed, f.truth.weight);
	assert_int_equal(all.samples, f.truth.samples);
	assert_int_equal(all.lost_all, f.truth.lost_weight);
	assert_int_equal(all.lost_samples_all, f.truth.lost_samples);
	assert_true(all.unsampled > 0);
	for (int cpu = 0; cpu < 2; cpu++) {
		model_account(f.m, 0, cpu, WINDOW_ALL, &one);
		check_account(&one);
		counted += one.counted;
	}
	assert_int_equal(counted, all.counted);
	/* every window, of whatever length, wherever it begins */
	for (uint64_t from = 0; from < 50; from += 7) {
		for (uint64_t ticks = 1; ticks < 40; ticks += 6) {
			struct window w = {from * 100 * NSEC_PER_MSEC,
					   (from + ticks) * 100 * NSEC_PER_MSEC};

			for (unsigned e = 0; e < 2; e++) {
				model_account(f.m, e, ALL_CPUS, w, &all);
				check_account(&all);
				assert_true(all.counted > 0);
			}
		}
	}
	end(&f);
}

/* The first event has a counter for a quarter of the time, the second for the rest: each window says so. */
static void test_shared(void **state)
{
	struct synth_config c = {.second_event = 7, .shared = 25};
	struct fixture f = begin(&c, 0);
	struct window windows[] = {WINDOW_ALL, {1000 * NSEC_PER_MSEC, 2500 * NSEC_PER_MSEC}, {0, 100 * NSEC_PER_MSEC}};

	(void)state;
	run(&f, 53, 1);
	for (unsigned w = 0; w < 3; w++) {
		struct account a;

		for (unsigned e = 0; e < 2; e++) {
			model_account(f.m, e, ALL_CPUS, windows[w], &a);
			check_account(&a);
			assert_false(a.exact);
			assert_true(fabs(model_counter_share(&a) - (e ? 0.75 : 0.25)) < 1e-9);
		}
		model_account(f.m, 0, ALL_CPUS, windows[w], &a);
		assert_true(a.attributed_share > 0.22 && a.attributed_share <= 0.25);
		assert_non_null(strstr(model_advice(f.m, 1, windows[w]), "for 75.0% of the time"));
	}
	end(&f);
}

static void test_quiet(void **state)
{
	struct synth_config c = {.quiet = true};
	struct fixture f = begin(&c, 0);
	struct query q = {.group = GROUP_FUNCTION, .trend = true};
	const struct rows *rows;
	struct account a;
	struct head h;

	(void)state;
	model_account(f.m, 0, ALL_CPUS, WINDOW_ALL, &a); /* nothing yet */
	assert_true(isnan(a.attributed_share)); /* 0 of 0 */
	run(&f, 10, 1);
	model_account(f.m, 0, ALL_CPUS, WINDOW_ALL, &a);
	check_account(&a);
	assert_int_equal(a.unsampled, a.counted);
	assert_int_equal(a.lost_all, 0);
	rows = model_rows(f.m, &q, last(&f, 5));
	assert_int_equal(rows->nr, 0);
	model_head(f.m, 0, last(&f, 5), &h);
	assert_true(h.seconds > 0.49 && h.seconds < 0.51);
	assert_true(h.samples_per_s == 0);
	assert_null(model_advice(f.m, 0, WINDOW_ALL));
	end(&f);
}

/* --- rows ------------------------------------------------------------------------------- */

static void test_groups_agree(void **state)
{
	struct synth_config c = {.functions = 50, .tasks = 9, .forks = 5, .callchains = true};
	struct fixture f = begin(&c, 0);

	(void)state;
	run(&f, 40, 1);
	for (int g = 0; g < GROUP_NR; g++) {
		struct query q = {.group = g, .show_self = true};
		struct window whole = {0, model_now(f.m)}; /* by the history, not the total */
		const struct rows *rows = model_rows(f.m, &q, WINDOW_ALL);
		size_t nr;

		assert_int_equal(rows->attributed, f.truth.weight);
		assert_int_equal(rows->samples, f.truth.samples);
		assert_int_equal(sum_self(rows), f.truth.weight);
		assert_int_equal(rows->shown, f.truth.weight);
		nr = rows->nr;
		rows = model_rows(f.m, &q, whole);
		assert_int_equal(sum_self(rows), f.truth.weight);
		assert_int_equal(rows->nr, nr);
		q.show_self = false;
		rows = model_rows(f.m, &q, WINDOW_ALL);
		assert_int_equal(sum_self(rows), f.truth.weight - f.truth.self_weight);
		assert_int_equal(rows->attributed, f.truth.weight);
		rows = model_rows(f.m, &q, whole);
		assert_int_equal(sum_self(rows), f.truth.weight - f.truth.self_weight);
	}
	end(&f);
}

static void test_own_row(void **state)
{
	struct fixture f = begin(NULL, 0);
	struct query q = {.group = GROUP_FUNCTION, .show_self = true};
	const struct row *r;

	(void)state;
	run(&f, 10, 1);
	for (int all = 0; all < 2; all++) {
		q.show_self = true;
		r = find(model_rows(f.m, &q, all ? WINDOW_ALL : last(&f, 10)), "[ringtop]");
		assert_non_null(r);
		assert_int_equal(r->self, f.truth.self_weight);
		assert_int_equal(r->flags, ROW_SELF);
		q.show_self = false;
		assert_null(find(model_rows(f.m, &q, all ? WINDOW_ALL : last(&f, 10)), "[ringtop]"));
	}
	end(&f);
}

/* Frames of an object that loads are addresses first; then all history has their names. */
static void test_names_come_later(void **state)
{
	struct synth_config c = {.load_ticks = 6, .callchains = true};
	static const char name[] = "std::_Rb_tree<int, long>::_M_insert_unique(int&&)";
	struct fixture f = begin(&c, 0);
	struct query q = {.group = GROUP_FUNCTION};
	const struct row *r;
	uint64_t before;

	(void)state;
	run(&f, 6, 1);
	for (int all = 0; all < 2; all++) {
		struct window w = all ? WINDOW_ALL : last(&f, 6);

		assert_null(find(model_rows(f.m, &q, w), name));
		r = find(model_rows(f.m, &q, w), "[0x9110]");
		assert_non_null(r);
		assert_int_equal(r->flags, ROW_UNRESOLVED | ROW_LOADING);
		assert_string_equal(r->object, "/opt/app/libslow.so");
		before = r->self;
		assert_int_equal(r->ntasks, 1);
	}
	run(&f, 1, 1);
	for (int all = 0; all < 2; all++) {
		struct window w = all ? WINDOW_ALL : last(&f, 7);

		assert_null(find(model_rows(f.m, &q, w), "[0x9110]"));
		r = find(model_rows(f.m, &q, w), name);
		assert_non_null(r);
		assert_true(r->self > before);
		assert_int_equal(r->flags, 0);
		assert_int_equal(r->ntasks, 1);
		assert_string_equal(r->task, "clang-worker");
		/* its caller was on the same paths, and is no less */
		assert_true(find(model_rows(f.m, &q, w), "app::slower()")->total >= before);
	}
	end(&f);
}

static void test_recursion_counts_once(void **state)
{
	struct synth_config c = {.callchains = true};
	struct fixture f = begin(&c, 0);
	struct query q = {.group = GROUP_FUNCTION};

	(void)state;
	run(&f, 20, 1);
	for (int all = 0; all < 2; all++) {
		const struct rows *rows = model_rows(f.m, &q, all ? WINDOW_ALL : last(&f, 20));
		const struct row *parse = find(rows, "parse_expr"), *match = find(rows, "longest_match");

		assert_non_null(parse);
		assert_int_equal(parse->total, parse->self);
		assert_non_null(match);
		assert_int_equal(find(rows, "compress_block")->total,
				 find(rows, "compress_block")->self + match->self);
		assert_true(find(rows, "main")->total_share < 1);
	}
	end(&f);
}

static void test_sort_limit_hide(void **state)
{
	struct synth_config c = {.functions = 30};
	struct fixture f = begin(&c, 0);
	const struct rows *rows;

	(void)state;
	run(&f, 10, 1);
	for (int sort = 0; sort < SORT_NR; sort++) {
		struct query q = {.group = GROUP_FUNCTION, .sort = sort};
		char first[64];

		rows = model_rows(f.m, &q, WINDOW_ALL);
		assert_int_equal(rows->nr, 40);
		for (size_t i = 1; sort == SORT_SELF && i < rows->nr; i++)
			assert_true(rows->row[i - 1].self > rows->row[i].self ||
				    (rows->row[i - 1].self == rows->row[i].self &&
				     strcmp(rows->row[i - 1].name, rows->row[i].name) <= 0));
		for (size_t i = 1; sort == SORT_NAME && i < rows->nr; i++)
			assert_true(strcmp(rows->row[i - 1].name, rows->row[i].name) < 0);
		snprintf(first, sizeof(first), "%s", rows->row[0].name);
		q.limit = 3;
		rows = model_rows(f.m, &q, WINDOW_ALL);
		assert_int_equal(rows->nr, 3);
		assert_int_equal(rows->all, 40);
		assert_string_equal(rows->row[0].name, first);
	}
	for (int all = 0; all < 2; all++) {
		struct window w = all ? WINDOW_ALL : last(&f, 10);
		struct query q = {.group = GROUP_FUNCTION, .hide_kernel = true};

		rows = model_rows(f.m, &q, w);
		assert_null(find(rows, "copy_page"));
		assert_non_null(find(rows, "main"));
		assert_true(rows->shown < rows->attributed);
		q = (struct query){.group = GROUP_FUNCTION, .hide_user = true};
		rows = model_rows(f.m, &q, w);
		assert_int_equal(rows->nr, 2);
		assert_true(rows->row[0].flags & ROW_KERNEL);
	}
	end(&f);
}

/* Idle time is no row and no part of 100 %, by every group, of the whole run and of a window. */
static void test_idle_apart(void **state)
{
	struct synth_config config = {.callchains = true, .idle = 20};
	struct fixture f = begin(&config, 0);
	uint64_t idle = 0;

	(void)state;
	run(&f, 20, 1);
	for (int all = 0; all < 2; all++) {
		struct window w = all ? WINDOW_ALL : last(&f, 20);
		struct tree_query tq = {.q = {.hide_idle = true}};
		struct account a;

		for (int group = 0; group < GROUP_NR; group++) {
			struct query q = {.group = group, .show_self = true};
			const struct rows *rows = model_rows(f.m, &q, w);
			uint64_t sum = 0;

			assert_non_null(rows);
			assert_int_equal(rows->attributed, f.truth.weight);
			assert_int_equal(rows->idle, 0);
			if (group == GROUP_FUNCTION)
				idle = find(rows, "pv_native_safe_halt")->self;
			q.hide_idle = true;
			rows = model_rows(f.m, &q, w);
			assert_int_equal(rows->idle, idle);
			assert_int_equal(rows->attributed, f.truth.weight - idle);
			for (size_t i = 0; i < rows->nr; i++) {
				sum += rows->row[i].self;
				assert_true(rows->row[i].total_share < 1.0001);
			}
			assert_int_equal(sum, f.truth.weight - idle);
			assert_null(find(rows, "pv_native_safe_halt"));
			assert_null(find(rows, "swapper"));
		}
		model_account(f.m, 0, ALL_CPUS, w, &a);
		assert_int_equal(a.busy.idle, idle);
		assert_int_equal(a.busy.user + a.busy.kernel + a.busy.idle, a.attributed);
		assert_int_equal(model_tree(f.m, &tq, w)->attributed, f.truth.weight - idle);
		assert_int_equal(model_tree(f.m, &tq, w)->missing, 0);
	}
	assert_true(idle > f.truth.weight / 6);
	end(&f);
}

static void test_filtered(void **state)
{
	struct fixture f = begin(NULL, 0);
	struct rowfilter *filter;
	const struct rows *rows;

	(void)state;
	run(&f, 20, 1);
	assert_int_equal(rowfilter_compile("task:^clang$", &filter, NULL), 0);
	for (int all = 0; all < 2; all++) {
		struct query q = {.group = GROUP_FUNCTION, .filter = filter};

		rows = model_rows(f.m, &q, all ? WINDOW_ALL : last(&f, 20));
		assert_int_equal(rows->nr, 3);
		assert_non_null(find(rows, "do_syscall_64"));
		assert_int_equal(rows->attributed, f.truth.weight);
		q.group = GROUP_THREAD;
		rows = model_rows(f.m, &q, all ? WINDOW_ALL : last(&f, 20));
		assert_int_equal(rows->nr, 1);
		assert_int_equal(rows->row[0].pid, 5000);
	}
	rowfilter_free(filter);
	assert_int_equal(rowfilter_compile("\\[0x1b0f4\\]", &filter, NULL), 0);
	rows = model_rows(f.m, &(struct query){.filter = filter}, WINDOW_ALL);
	assert_int_equal(rows->nr, 1);
	rowfilter_free(filter);
	end(&f);
}

static void test_trend(void **state)
{
	struct fixture f = begin(NULL, 0);
	struct query q = {.group = GROUP_FUNCTION, .trend = true};
	const struct row *r;

	(void)state;
	run(&f, 20, 1);
	for (int all = 0; all < 2; all++) {
		r = find(model_rows(f.m, &q, all ? WINDOW_ALL : last(&f, 20)), "longest_match");
		assert_non_null(r);
		for (int i = 1; i < TREND_NR; i++)
			assert_true(r->trend[i] > r->trend[i - 1]);
		assert_true(r->trend[TREND_NR - 1] > 0.14f && r->trend[TREND_NR - 1] < 0.18f);
	}
	end(&f);
}

/* --- slices merged before they came, ids given out again -------------------------------- */

static void test_packs_say_the_same(void **state)
{
	static const unsigned packs[] = {1, 2, 5, 40};
	struct synth_config c = {.forks = 20, .functions = 5, .addresses = 3, .losses = true,
				 .callchains = true};
	uint64_t weight[4][2] = {{0}};
	size_t nr[4][2];

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		struct fixture f = begin(&c, 0);
		struct account a;

		run(&f, 40, packs[i]);
		for (int g = 0; g < 2; g++) {
			struct query q = {.group = g ? GROUP_THREAD : GROUP_FUNCTION};
			const struct rows *rows = model_rows(f.m, &q, WINDOW_ALL);

			nr[i][g] = rows->nr;
			for (size_t r = 0; r < rows->nr; r++)
				weight[i][g] += rows->row[r].key * (rows->row[r].self + 1);
		}
		assert_int_equal(nr[i][1], 40 * 20 + 4);
		model_account(f.m, 0, ALL_CPUS, WINDOW_ALL, &a);
		check_account(&a);
		assert_int_equal(a.attributed, f.truth.weight);
		end(&f);
		for (int g = 0; g < 2; g++) {
			assert_int_equal(nr[i][g], nr[0][g]);
			assert_true(weight[i][g] == weight[0][g]);
		}
	}
}

/* --- bounded ---------------------------------------------------------------------------- */

static void check_bounded(const struct synth_config *c, unsigned ticks, size_t budget, size_t bound)
{
	struct fixture f = begin(c, budget);
	struct model_memory early, late;
	struct account a;

	run(&f, ticks / 2, 1);
	model_memory(f.m, &early);
	run(&f, ticks / 2, 1);
	model_memory(f.m, &late);
	assert_true(late.merged > 0);
	assert_true(early.bytes <= bound);
	assert_true(late.bytes <= bound);
	if (late.bytes > early.bytes + early.bytes / 4)
		fail_msg("grows: %zu, then %zu bytes", early.bytes, late.bytes);
	for (int g = 0; g < GROUP_NR; g++) {
		struct query q = {.group = g, .show_self = true};

		assert_int_equal(sum_self(model_rows(f.m, &q, WINDOW_ALL)), f.truth.weight);
	}
	/* windows over merged slices */
	model_account(f.m, 0, ALL_CPUS, (struct window){model_first(f.m), model_now(f.m)}, &a);
	check_account(&a);
	model_account(f.m, 0, ALL_CPUS, WINDOW_ALL, &a);
	check_account(&a);
	assert_int_equal(a.attributed, f.truth.weight);
	end(&f);
}

static void test_fork_storm_is_flat(void **state)
{
	struct synth_config c = {.forks = 400};

	(void)state;
	check_bounded(&c, 600, 8u << 20, 12u << 20);
}

static void test_address_storm_is_flat(void **state)
{
	struct synth_config c = {.addresses = 200, .functions = 20};

	(void)state;
	check_bounded(&c, 600, 8u << 20, 12u << 20);
}

/*
 * A long run meets more functions than there is room for.  The time line keeps its part of the
 * budget, and what cannot fit is not looked for in every tick.
 */
static void test_totals_leave_room(void **state)
{
	struct synth_config c = {.strangers = 20};
	struct fixture f = begin(&c, 2u << 20);
	struct query q = {.group = GROUP_FUNCTION, .show_self = true};

	(void)state;
	run(&f, 600, 1);
	for (unsigned i = 0; i < 10; i++) {
		uint64_t before = f.m->collections;

		run(&f, 60, 1);
		assert_in_range(f.m->collections - before, 1, 20);
		assert_true(model_now(f.m) - model_first(f.m) >= 10 * NSEC_PER_SEC);
	}
	assert_int_equal(sum_self(model_rows(f.m, &q, WINDOW_ALL)), f.truth.weight);
	end(&f);
}

static void test_folds_are_told(void **state)
{
	struct synth_config c = {.forks = 400};
	struct fixture f = begin(&c, 8u << 20);
	struct query q = {.group = GROUP_THREAD};
	const struct rows *rows;
	uint64_t tasks = 0;

	(void)state;
	run(&f, 100, 1);
	rows = model_rows(f.m, &q, WINDOW_ALL);
	assert_true(rows->nr < 40000);
	for (size_t i = 0; i < rows->nr; i++) {
		bool folded = rows->row[i].flags & ROW_FOLDED;

		assert_true(folded == (rows->row[i].pid < 0));
		assert_true(folded == (rows->row[i].folded > 0));
		tasks += folded ? rows->row[i].folded : 1;
	}
	/* the cast's five without ringtop itself, and every fork once */
	assert_int_equal(tasks, 4 + 100 * 400);
	end(&f);
}

/* Folded ones stay their users', their cgroups' and their parents': small memory tells what large memory does. */
static void test_folds_keep_owners(void **state)
{
	static const enum group_by groups[] = {GROUP_USER, GROUP_CGROUP, GROUP_PARENT};
	struct synth_config c = {.forks = 400, .owned = true};
	struct fixture small = begin(&c, 8u << 20), large = begin(&c, 1u << 30);

	(void)state;
	run(&small, 100, 1);
	run(&large, 100, 1);
	for (size_t g = 0; g < sizeof(groups) / sizeof(*groups); g++) {
		struct query q = {.group = groups[g], .show_self = true};
		const struct rows *few = model_rows(small.m, &q, WINDOW_ALL), *all = model_rows(large.m, &q, WINDOW_ALL);

		assert_int_equal(sum_self(few), small.truth.weight);
		assert_int_equal(few->nr, all->nr);
		assert_true(all->nr >= 3);
		assert_non_null(find(all, "(unknown)"));
		for (size_t i = 0; i < all->nr; i++)
			assert_int_equal(find(few, all->row[i].name)->self, all->row[i].self);
	}
	end(&small);
	end(&large);
}

static void test_history_merges(void **state)
{
	struct synth_config c = {.functions = 400};
	struct fixture f = begin(&c, 512u << 10);
	struct model_memory mem;
	double bins[10];

	(void)state;
	run(&f, 1500, 1);
	model_memory(f.m, &mem);
	assert_true(mem.merged > 0 && mem.forgotten > 0);
	assert_true(mem.bytes < 1u << 20);
	assert_true(model_first(f.m) > 0);
	assert_int_equal(model_now(f.m), 150 * NSEC_PER_SEC);
	model_timeline(f.m, 0, (struct window){model_first(f.m), model_now(f.m)}, bins, 10);
	for (int i = 0; i < 10; i++)
		assert_true(bins[i] > 0);
	end(&f);
}

/* --- windows of the past ---------------------------------------------------------------- */

#define PAST_TICKS 9000

/* What went in up to the end of each tick. */
static uint64_t samples_until[PAST_TICKS + 1], weight_until[PAST_TICKS + 1];

static uint64_t below(uint64_t *state, uint64_t n)
{
	*state = scatter(*state + 1);
	return n ? *state % n : 0;
}

static void run_noted(struct fixture *f, unsigned ticks)
{
	for (unsigned i = 0; i < ticks; i++) {
		run(f, 1, 1);
		assert_in_range(f->truth.ticks, 1, PAST_TICKS);
		samples_until[f->truth.ticks] = f->truth.samples;
		weight_until[f->truth.ticks] = f->truth.weight;
	}
}

static uint64_t between(const uint64_t *until, struct window w)
{
	assert_int_equal(w.from % (100 * NSEC_PER_MSEC), 0);
	assert_int_equal(w.to % (100 * NSEC_PER_MSEC), 0);
	return until[w.to / (100 * NSEC_PER_MSEC)] - until[w.from / (100 * NSEC_PER_MSEC)];
}

/* Rows, accounts and time line of a window say what went in over the stretch that it claims. */
static struct window check_window(const struct fixture *f, struct window w)
{
	struct window kept = model_kept(f->m, w);
	struct query q = {.group = GROUP_FUNCTION, .show_self = true, .trend = true};
	const struct rows *rows = model_rows(f->m, &q, w);
	struct account a;
	struct head h;
	double bins[7], sum = 0;

	assert_non_null(rows);
	assert_true(kept.from <= w.from || kept.from == model_first(f->m));
	assert_true(kept.to >= w.to || kept.to == model_now(f->m));
	assert_int_equal(rows->samples, between(samples_until, kept));
	assert_int_equal(rows->attributed, between(weight_until, kept));
	assert_int_equal(sum_self(rows), rows->attributed);
	model_account(f->m, 0, ALL_CPUS, w, &a);
	check_account(&a);
	assert_int_equal(a.samples, rows->samples);
	assert_int_equal(a.attributed, rows->attributed);
	model_head(f->m, 0, w, &h);
	assert_true(h.seconds == (double)(kept.to - kept.from) / NSEC_PER_SEC);
	model_timeline(f->m, 0, kept, bins, 7);
	for (int i = 0; i < 7; i++)
		sum += bins[i];
	assert_true(sum > 0.999 * (double)a.attributed && sum < 1.001 * (double)a.attributed);
	return kept;
}

/* Back through all that is kept: nothing twice, nothing left out. */
static void check_steps(const struct fixture *f, uint64_t span)
{
	uint64_t first = model_first(f->m), to = model_now(f->m), samples = 0;

	while (to > first) {
		struct window kept = check_window(f, (struct window){to > span ? to - span : 0, to});

		assert_int_equal(kept.to, to);
		assert_true(kept.from < to);
		samples += between(samples_until, kept);
		to = kept.from;
	}
	assert_int_equal(to, first);
	assert_int_equal(samples, between(samples_until, (struct window){first, model_now(f->m)}));
}

static struct window random_window(const struct fixture *f, uint64_t *rnd)
{
	uint64_t first = model_first(f->m), length = model_now(f->m) - first;
	uint64_t from = first + below(rnd, length);

	return (struct window){from, from + 1 + below(rnd, model_now(f->m) - from)};
}

static void test_past_adds_up(void **state)
{
	static const size_t budgets[] = {192u << 10, 400u << 10, 1u << 20, 0};

	(void)state;
	for (uint64_t seed = 1; seed <= 12; seed++) {
		struct synth_config c = {.functions = 5 + 40 * (seed % 3), .losses = true,
					 .callchains = seed % 2, .forks = seed % 4 ? 0 : 3};
		struct fixture f = begin(&c, budgets[seed % 4]);
		uint64_t rnd = seed;
		struct model_memory mem;

		for (int part = 0; part < 3; part++) {
			run_noted(&f, 150 + (unsigned)below(&rnd, 400));
			for (int i = 0; i < 30; i++)
				check_window(&f, random_window(&f, &rnd));
			check_steps(&f, NSEC_PER_SEC + below(&rnd, 12 * NSEC_PER_SEC));
		}
		model_memory(f.m, &mem);
		assert_true(mem.merged > 0);
		end(&f);
	}
}

/* What is looked at stays what it is, however much is merged around it. */
static void test_held_window_stands(void **state)
{
	struct synth_config c = {.functions = 40, .losses = true};

	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct fixture f = begin(&c, 600u << 10);
		uint64_t rnd = seed;
		struct window w, kept;

		run_noted(&f, 100 + (unsigned)below(&rnd, 100));
		w = model_kept(f.m, random_window(&f, &rnd));
		model_hold(f.m, w);
		for (int i = 0; i < 10 && model_first(f.m) <= w.from; i++) {
			kept = check_window(&f, w);
			assert_int_equal(kept.from, w.from);
			assert_int_equal(kept.to, w.to);
			run_noted(&f, 30);
		}
		end(&f);
	}
}

/* A steady load is a flat line, whatever the slices are merged to. */
static void test_flat_stays_flat(void **state)
{
	struct synth_config c = {.functions = 40};
	struct fixture f = begin(&c, 400u << 10);
	struct query q = {.group = GROUP_OBJECT, .trend = true};
	const struct row *r;
	struct window w;
	double bins[41];

	(void)state;
	run(&f, 1210, 1);
	assert_int_equal(history_at(&f.m->history, 0)->level, LEVEL_TEN);
	w = (struct window){model_first(f.m), model_now(f.m)};
	model_timeline(f.m, 0, w, bins, 41);
	for (int i = 1; i < 41; i++)
		assert_true(bins[i] > 0.9 * bins[0] && bins[i] < 1.1 * bins[0]);
	r = find(model_rows(f.m, &q, w), "[kernel]");
	assert_non_null(r);
	for (int i = 1; i < TREND_NR; i++)
		assert_true(r->trend[i] > 0.9f * r->trend[0] && r->trend[i] < 1.1f * r->trend[0]);
	end(&f);
}

/* Add what came since; a line that begins anew is whole again. */
static void line_add(struct fixture *f, const struct query *q, uint32_t id, struct timeline_part *p, double bins[40],
		     unsigned *anew)
{
	uint64_t upto;

	p->until = model_now(f->m);
	upto = model_row_timeline(f->m, q, id, p, bins, 40);
	if (upto == UINT64_MAX) {
		++*anew;
		p->since = 0;
		memset(bins, 0, 40 * sizeof(*bins));
		upto = model_row_timeline(f->m, q, id, p, bins, 40);
	}
	assert_int_equal(upto, p->until);
	p->since = upto;
}

/* A row's line that grows has all of it at any time, of a slice that was merged meanwhile too. */
static void test_line_grows(void **state)
{
	struct synth_config c = {.functions = 40};
	struct fixture f = begin(&c, 400u << 10);
	struct query q = {.group = GROUP_FUNCTION};
	struct timeline_part p = {.bins = {0, 200 * NSEC_PER_SEC}};
	unsigned anew = 0;
	double bins[40] = {0}, sum;
	const struct row *r;

	(void)state;
	for (unsigned step = 1; step < 40; step++) {
		run(&f, step == 15 ? 205 : step, 1);
		r = find(model_rows(f.m, &q, (struct window){model_first(f.m), model_now(f.m)}), "copy_page");
		assert_non_null(r);
		line_add(&f, &q, r->id, &p, bins, &anew);
		sum = 0;
		for (int i = 0; i < 40; i++)
			sum += bins[i];
		assert_true(fabs(sum - (double)r->self) < 1);
	}
	assert_true(anew > 0 && anew < 10);
	end(&f);
}

/* Two events at once, of one task alone, part by part: what the rows say of each. */
static void test_course(void **state)
{
	struct synth_config c = {.functions = 40, .tasks = 5, .second_event = 7};
	struct fixture f = begin(&c, 0);
	const unsigned events[] = {1, 0};
	double bins[2 * 30] = {0};
	struct rowfilter *only = NULL;
	struct window w;

	(void)state;
	run(&f, 47, 1);
	w = last(&f, 20);
	assert_int_equal(rowfilter_compile("pid:4242", &only, NULL), 0);
	assert_int_equal(model_course(f.m, events, 2, only, w, bins, 30), 0);
	for (unsigned e = 0; e < 2; e++) {
		struct query q = {.event = events[e], .group = GROUP_HOST, .show_self = true, .filter = only};
		const struct rows *rows = model_rows(f.m, &q, w);
		double sum = 0;

		for (unsigned i = 0; i < 30; i++)
			sum += bins[e * 30 + i];
		assert_true(rows->shown > 0 && rows->shown < rows->attributed);
		assert_true(fabs(sum - (double)rows->shown) < 1);
		assert_true(bins[e * 30] > 0 && bins[e * 30 + 29] > 0);
	}
	rowfilter_free(only);
	end(&f);
}

/* A name that comes takes slices of the past along. */
static void test_line_is_named(void **state)
{
	struct synth_config c = {.load_ticks = 6, .callchains = true};
	struct fixture f = begin(&c, 0);
	struct query q = {.group = GROUP_FUNCTION}, by_task = {.group = GROUP_TASK};
	uint32_t id, named;

	(void)state;
	run(&f, 6, 1);
	id = find(model_rows(f.m, &q, WINDOW_ALL), "[0x9110]")->id;
	named = model_row_named(f.m, &q, id);
	run(&f, 1, 1);
	assert_int_not_equal(model_row_named(f.m, &q, id), named);
	named = model_row_named(f.m, &q, id);
	run(&f, 5, 1);
	assert_int_equal(model_row_named(f.m, &q, id), named);
	assert_int_equal(model_row_named(f.m, &by_task, 1), 0);
	end(&f);
}

/* How busy each 100 ms was stays known when the rows of a second are one; of ten seconds, each second. */
static void test_heat_outlives_rows(void **state)
{
	struct synth_config c = {.functions = 40, .losses = true};
	struct fixture f = begin(&c, 0);
	const struct window w = {0, 10 * NSEC_PER_SEC};
	double was[100], now[100], sum = 0;
	uint64_t longest[100];
	struct heat heat = {was, longest};

	(void)state;
	run(&f, 100, 1);
	model_heat(f.m, 0, w, &heat, 100);
	assert_true(was[3] != was[4]);
	run(&f, 400, 1);
	assert_int_equal(history_at(&f.m->history, 0)->level, LEVEL_SECOND);
	heat.weight = now;
	model_heat(f.m, 0, w, &heat, 100);
	for (int i = 0; i < 100; i++) {
		assert_true(fabs(was[i] - now[i]) < 1e-3);
		assert_int_equal(longest[i], 100 * NSEC_PER_MSEC);
		sum += was[i];
	}
	run(&f, 6000, 1);
	assert_int_equal(history_at(&f.m->history, 0)->level, LEVEL_TEN);
	model_heat(f.m, 0, w, &heat, 100);
	for (int i = 0; i < 100; i++) {
		assert_int_equal(longest[i], NSEC_PER_SEC);
		sum -= now[i];
	}
	assert_true(fabs(sum) < 1);
	model_heat(f.m, 0, (struct window){1000 * NSEC_PER_SEC, 1010 * NSEC_PER_SEC}, &heat, 100);
	assert_int_equal(longest[0] + longest[99], 0);
	end(&f);
}

/* What is thinned keeps all sums, and the names of many functions to the unit. */
static void check_thinned(const struct fixture *f, struct window w)
{
	struct query q = {.group = GROUP_FUNCTION, .show_self = true};
	const struct rows *rows = model_rows(f->m, &q, w);
	size_t named = 0, others = 0;
	uint64_t each = 0;

	assert_int_equal(sum_self(rows), rows->attributed);
	for (size_t i = 0; i < rows->nr; i++) {
		const struct row *r = &rows->row[i];

		others += (r->flags & ROW_FOLDED) != 0;
		named += !(r->flags & ROW_FOLDED);
		if (strncmp(r->name, "extra_", 6) != 0)
			continue;
		each = each ? each : r->self;
		assert_int_equal(r->self, each); /* one sample of each on each CPU in each tick */
	}
	assert_true(each > 0);
	assert_true(named >= 1000);
	assert_int_equal(others > 0, (model_coarsened(f->m, w) & MODEL_THIN_NAMES) != 0);
	assert_non_null(find(rows, "copy_page")); /* of an object with few functions */
}

static void test_thinning_keeps_names(void **state)
{
	struct synth_config c = {.functions = 900, .strangers = 20};
	struct fixture f = begin(&c, 16u << 20);
	struct model_memory mem;
	unsigned thin[COARSEN_STAGES + 1] = {0};

	(void)state;
	run_noted(&f, 2400);
	model_memory(f.m, &mem);
	assert_true(mem.bytes < 16u << 20);
	for (size_t i = 0; i < f.m->history.nr; i++) {
		const struct history_slice *s = history_at(&f.m->history, i);

		thin[s->thin]++;
		if (s->level == LEVEL_TEN && s->thin < COARSEN_STAGES)
			check_thinned(&f, check_window(&f, (struct window){s->start, s->end}));
	}
	assert_true(thin[COARSEN_STAGES - 1] > 0);
	end(&f);
}

static void test_zero(void **state)
{
	struct synth_config c = {.losses = true};
	struct fixture f = begin(&c, 0);
	struct synth_truth before;
	struct query q = {.group = GROUP_FUNCTION, .show_self = true};
	struct account a;
	struct gauge g;

	(void)state;
	run(&f, 25, 1);
	before = f.truth;
	model_gauge(f.m, 2, WINDOW_ALL, &g);
	assert_true(g.fill_peak > 1.5);
	model_zero(f.m);
	model_account(f.m, 0, ALL_CPUS, WINDOW_ALL, &a);
	assert_int_equal(a.attributed, 0);
	check_account(&a);
	model_gauge(f.m, 2, WINDOW_ALL, &g);
	assert_true(isnan(g.fill_peak)); /* nobody has looked since */
	assert_true(g.bytes == GAUGE_UNKNOWN);
	assert_int_equal(model_rows(f.m, &q, WINDOW_ALL)->nr, 0);
	run(&f, 2, 1); /* ticks 25 and 26 lose nothing */
	assert_int_equal(sum_self(model_rows(f.m, &q, WINDOW_ALL)), f.truth.weight - before.weight);
	model_account(f.m, 0, ALL_CPUS, WINDOW_ALL, &a);
	check_account(&a);
	assert_int_equal(a.lost_all, 0);
	end(&f);
}

static void drop_row(struct synth_dict *d, struct slice *s, const char *name, uint64_t weight, uint32_t flags)
{
	struct dict_object o = {.id = synth_id(d, DICT_OBJECT), .name = synth_put_string(d, s, name),
				.kind = OBJECT_RINGTOP, .state = OBJECT_READY};
	struct slice_row *r = slice_add_row(s);
	uint32_t frame;

	synth_put(d, s, DICT_OBJECT, &o);
	frame = synth_put_frame(d, s, o.id, synth_put_symbol(d, s, name, o.id, 0), 0, flags);
	*r = (struct slice_row){.samples = 1, .weight = weight, .path = synth_put_path(d, s, 0, frame),
				.task = synth_put_task(d, s, synth_put_string(d, s, "?"), -1, -1, 0)};
}

static void check_dropped_shares(struct model *m, struct window w)
{
	for (int group = 0; group < GROUP_NR; group++) {
		struct query q = {.group = (enum group_by)group, .trend = true};
		const struct rows *rows = model_rows(m, &q, w);

		assert_int_equal(rows->attributed, 100);
		assert_int_equal(sum_self(rows), group == GROUP_FUNCTION || group == GROUP_LINE ? 1000 : 100);
		for (size_t i = 0; i < rows->nr; i++) {
			const struct row *r = &rows->row[i];

			assert_true(r->self_share == (r->flags & ROW_LOST ? (double)r->self / 1000 : 1));
			assert_true(r->total_share == r->self_share);
			assert_true(!i || r[-1].self_share >= r->self_share);
			assert_true(r->trend[TREND_NR - 1] <= 1);
		}
	}
}

/* Of a drop of nine tenths no row is more than all, and only the functions have rows of it. */
static void test_dropped_shares(void **state)
{
	struct session_event event = {.name = "e", .unit = ""};
	const struct session_info info = {.nevents = 1, .events = &event, .cpus = 1};
	struct tree_query tq = {.q.group = GROUP_FUNCTION, .tasks = TREE_PROCESSES};
	struct model *m = model_create(&info, 1 << 20);
	struct slice *s = slice_create();
	struct synth_dict d = {0};
	const struct tree *tree;

	(void)state;
	drop_row(&d, s, "work", 100, 0);
	drop_row(&d, s, "[table full]", 300, FRAME_LOST);
	drop_row(&d, s, "[unwind backlog]", 600, FRAME_LOST);
	assert_false(d.broken);
	s->end = NSEC_PER_SEC;
	assert_int_equal(model_add(m, s), 0);
	check_dropped_shares(m, WINDOW_ALL);
	check_dropped_shares(m, (struct window){0, NSEC_PER_SEC});
	tree = model_tree(m, &tq, WINDOW_ALL);
	assert_non_null(tree);
	assert_true(tree->node[0].total_share == 1);
	for (size_t i = 0; i < tree->nr; i++)
		assert_true(tree->node[i].total_share <= 1);
	synth_dict_clear(&d);
	model_free(m);
}

static uint32_t put_path(struct synth_dict *d, struct slice *s, uint32_t object, const char *const *names)
{
	uint32_t path = 0;

	for (; *names; names++) /* the outermost first */
		path = synth_put_path(d, s, path, synth_put_frame(d, s, object, synth_put_symbol(d, s, *names, object,
					  (uintptr_t)*names), (uintptr_t)*names, 0));
	return path;
}

/* Who woke those that waited in a function: in itself, and not in what it calls; of any waker. */
static void test_waited_in(void **state)
{
	static const char *const paths[][6] = {
		{"main", "read", "[woken by]", "write", "writer", NULL}, {"main", "read", "[woken by]", "other", NULL},
		{"read", "lock", "[woken by]", "holder", NULL}, {"main", "lock", "[woken by]", "read", "writer", NULL},
	};
	struct session_event event = {.name = "off-cpu:woken", .unit = "ns"};
	const struct session_info info = {.nevents = 1, .events = &event, .cpus = 1};
	const struct query by_function = {.group = GROUP_FUNCTION};
	struct query q = {.group = GROUP_FUNCTION, .waited = true};
	struct model *m = model_create(&info, 1 << 20);
	struct slice *s = slice_create();
	struct synth_dict d = {0};
	struct dict_object o = {.id = synth_id(&d, DICT_OBJECT), .kind = OBJECT_FILE, .state = OBJECT_READY};
	const struct rows *rows;

	(void)state;
	o.name = synth_put_string(&d, s, "prog");
	synth_put(&d, s, DICT_OBJECT, &o);
	for (unsigned i = 0; i < 4; i++) {
		uint32_t path = put_path(&d, s, o.id, paths[i]);
		uint32_t task = synth_put_task(&d, s, synth_put_string(&d, s, "prog"), 10, 10 + (int32_t)i, 0);

		*slice_add_row(s) = (struct slice_row){.samples = 1, .weight = 1u << i, .path = path, .task = task};
	}
	assert_false(d.broken);
	s->end = NSEC_PER_SEC;
	assert_int_equal(model_add(m, s), 0);
	for (unsigned all = 0; all < 2; all++) {
		struct window w = all ? WINDOW_ALL : (struct window){0, NSEC_PER_SEC};

		q.waited_in = find(model_rows(m, &by_function, w), "read")->id;
		rows = model_rows(m, &q, w);
		assert_int_equal(rows->shown, 3);
		assert_int_equal(find(rows, "writer")->self, 1);
		assert_int_equal(find(rows, "other")->self, 2);
		assert_null(find(rows, "holder"));
		q.waited_in = find(model_rows(m, &by_function, w), "lock")->id;
		assert_int_equal(model_rows(m, &q, w)->shown, 12);
	}
	synth_dict_clear(&d);
	model_free(m);
}

/* What is advised where nothing but this was counted, by this event. */
static void check_advice(const struct slice_account *account, struct session_event *event, const char *needs)
{
	const struct session_info info = {.nevents = 1, .events = event, .live = true, .cpus = 1};
	struct model *m = model_create(&info, 1 << 20);
	struct slice *s = slice_create();
	const char *advice;

	*slice_add_account(s) = *account;
	s->end = NSEC_PER_SEC;
	assert_int_equal(model_add(m, s), 0);
	advice = model_advice(m, 0, WINDOW_ALL);
	if (needs)
		assert_non_null(advice ? strstr(advice, needs) : NULL);
	else
		assert_null(advice);
	model_free(m);
}

/* By a clock at so many Hz. */
static void check_clock_advice(const struct slice_account *account, uint32_t hz, const char *needs)
{
	struct session_event clock = {.name = "cpu-clock", .unit = "ns", .period = NSEC_PER_SEC / hz,
				      .frequency = hz};

	check_advice(account, &clock, needs);
}

/* What a tracepoint counted without a sample in idle CPUs' interrupts is no riddle; what hardware did is one. */
static void test_unknown_advice(void **state)
{
	struct session_event waking = {.name = "sched:sched_waking", .unit = "", .period = 1};
	struct session_event misses = {.name = "cache-misses", .unit = "", .period = 1, .precise = 1};
	struct slice_account account = {.counted = 1000, .attributed = 750, .exact = true};

	(void)state;
	account.lost[LOST_UNKNOWN] = 250;
	check_advice(&account, &waking, "perf record has no sample of them either");
	check_advice(&account, &misses, "the kernel does not report why.");
	account.lost[LOST_UNKNOWN] = 10;
	check_advice(&account, &waking, NULL);
}

static void test_clock_advice(void **state)
{
	struct slice_account late = {.counted = 1000000000, .attributed = 950000000, .exact = true};
	struct slice_account open = {.counted = 1000000000, .attributed = 700000000, .exact = true};

	(void)state;
	late.lost[LOST_LATE] = 50000000;
	check_clock_advice(&late, 20000, "Lower the rate: -F 999 (now 20000)");
	check_clock_advice(&late, 999, "virtual machine");
	late.lost[LOST_LATE] = 5000000;
	check_clock_advice(&late, 20000, NULL);
	/* Not idle, and not late: tasks that took their periods along. */
	open.pending = 300000000;
	check_clock_advice(&open, 999, "Raise -F");
	check_clock_advice(&open, 99, NULL); /* the periods under way may be as much */
	open.pending = 1000000;
	open.unsampled = open.unsampled_why[UNSAMPLED_IDLE] = 299000000;
	check_clock_advice(&open, 999, NULL);
}

static void test_gauges_and_advice(void **state)
{
	struct synth_config c = {.losses = true};
	struct fixture f = begin(&c, 0);
	const struct cpu_load *cpus;
	const struct slice_log *logs[8];
	const char *advice;
	struct gauge g;
	size_t nr;

	(void)state;
	run(&f, 4, 1);
	assert_int_equal(model_ngauges(f.m), 4);
	model_gauge(f.m, 2, last(&f, 1), &g);
	assert_int_equal(g.now.cpu, 1);
	assert_true(g.fill > 1.59 && g.fill < 1.61);
	assert_true(g.lost == GAUGE_UNKNOWN);
	assert_int_equal(g.overwritten_bytes, 524288 * 3 / 5);
	model_gauge(f.m, 3, WINDOW_ALL, &g);
	assert_int_equal(g.lost, 0);
	assert_true(g.overwritten_bytes == GAUGE_UNKNOWN);
	advice = model_advice(f.m, 0, WINDOW_ALL);
	assert_non_null(advice);
	assert_non_null(strstr(advice, "cpu1's sample ring"));
	assert_non_null(strstr(advice, "7.0 ms late"));
	assert_non_null(strstr(advice, "-m 2M (now 512K)"));
	assert_non_null(strstr(advice, "--realtime 1"));
	assert_null(model_advice(f.m, 0, (struct window){0, 3 * 100 * NSEC_PER_MSEC}));
	cpus = model_cpus(f.m, WINDOW_ALL, &nr);
	assert_int_equal(nr, 2);
	assert_int_equal(cpus[0].samples + cpus[1].samples, f.truth.samples);
	assert_int_equal(model_logs(f.m, logs, 8), 2);
	assert_int_equal(logs[0]->level, SLICE_WARNING);
	end(&f);
}

static void test_advice_on_names(void **state)
{
	struct synth_config c = {.doubt = true};
	const char *advice = "54% of samples are in objects without names: libz.so.1.2.13, stripped; "
			     "try --symfs DIR.";
	struct fixture f = begin(&c, 0);
	struct query q = {.group = GROUP_TASK};
	const struct rows *rows;
	size_t nr;

	(void)state;
	run(&f, 4, 1);
	rows = model_rows(f.m, &q, WINDOW_ALL);
	nr = rows->nr;
	assert_string_equal(model_advice(f.m, 0, WINDOW_ALL), advice);
	assert_string_equal(model_advice(f.m, 0, last(&f, 4)), advice);
	/* it is no query: the rows of the last one are as they were */
	assert_int_equal(rows->nr, nr);
	assert_true(rows->attributed > 0);
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_accounts),
		cmocka_unit_test(test_shared), cmocka_unit_test(test_quiet),
		cmocka_unit_test(test_groups_agree),
		cmocka_unit_test(test_idle_apart),
		cmocka_unit_test(test_own_row),
		cmocka_unit_test(test_names_come_later),
		cmocka_unit_test(test_recursion_counts_once),
		cmocka_unit_test(test_sort_limit_hide),
		cmocka_unit_test(test_filtered),
		cmocka_unit_test(test_trend),
		cmocka_unit_test(test_packs_say_the_same),
		cmocka_unit_test(test_fork_storm_is_flat),
		cmocka_unit_test(test_address_storm_is_flat),
		cmocka_unit_test(test_totals_leave_room),
		cmocka_unit_test(test_folds_are_told),
		cmocka_unit_test(test_folds_keep_owners),
		cmocka_unit_test(test_history_merges),
		cmocka_unit_test(test_past_adds_up),
		cmocka_unit_test(test_held_window_stands),
		cmocka_unit_test(test_flat_stays_flat),
		cmocka_unit_test(test_line_grows),
		cmocka_unit_test(test_heat_outlives_rows),
		cmocka_unit_test(test_course),
		cmocka_unit_test(test_waited_in),
		cmocka_unit_test(test_line_is_named),
		cmocka_unit_test(test_thinning_keeps_names),
		cmocka_unit_test(test_zero),
		cmocka_unit_test(test_dropped_shares),
		cmocka_unit_test(test_unknown_advice), cmocka_unit_test(test_clock_advice), cmocka_unit_test(test_gauges_and_advice),
		cmocka_unit_test(test_advice_on_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
