/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Slices of several hosts: what is whose, in rows, totals and accounts; links and gaps. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "model/rows/rowfilter.h"
#include "model/core/model.h"
#include "model/compare/profile.h"
#include "model/tree/tree.h"
#include "tests/synth.h"

#define HOSTS 3
#define CPUS  2
#define TICK  (100 * NSEC_PER_MSEC)

static const struct synth_config three = {.hosts = HOSTS, .cpus = CPUS, .callchains = true, .functions = 8,
					  .losses = true, .cut_from = 20, .cut_to = 30};

struct fixture {
	struct session *s;
	struct model *m;
	struct synth_truth truth;
};

static struct fixture begin(const struct synth_config *c, size_t budget, unsigned ticks)
{
	struct fixture f = {.s = synth_session_create(c)};
	struct slice *next;

	assert_non_null(f.s);
	f.m = model_create(&f.s->info, budget);
	assert_non_null(f.m);
	for (; ticks; ticks--) {
		synth_advance(f.s, 1);
		assert_int_equal(session_next(f.s, &next), 0);
		assert_int_equal(model_add(f.m, next), 0);
	}
	synth_truth(f.s, &f.truth);
	return f;
}

static void end(struct fixture *f)
{
	model_free(f->m);
	session_close(f->s);
}

static const struct row *find(const struct rows *rows, const char *name, const char *host)
{
	const struct row *found = NULL;

	assert_non_null(rows);
	for (size_t i = 0; i < rows->nr; i++)
		if (!strcmp(rows->row[i].name, name) && !strcmp(rows->row[i].host, host)) {
			assert_null(found);
			found = &rows->row[i];
		}
	return found;
}

static const struct window windows[] = {{0, UINT64_MAX}, {0, 45 * TICK}, {15 * TICK, 28 * TICK}};

#define WINDOWS (sizeof(windows) / sizeof(windows[0]))

/* The cast has the same pids on all hosts: so many processes and threads, each of one host. */
static void test_same_pid(void **state)
{
	struct fixture f = begin(&three, 0, 45);
	struct query q = {.show_self = true};

	(void)state;
	for (size_t w = 0; w < WINDOWS; w++)
		for (int group = GROUP_TASK; group <= GROUP_THREAD; group++) {
			const struct rows *rows;
			uint64_t keys[HOSTS];

			q.group = (enum group_by)group;
			rows = model_rows(f.m, &q, windows[w]);
			for (unsigned h = 0; h < HOSTS; h++) {
				const struct row *r = find(rows, "gzip", f.s->info.hosts[h].name);

				assert_non_null(r);
				assert_int_equal(r->pid, 4242);
				assert_int_equal(r->nhosts, 1);
				keys[h] = r->key;
				for (unsigned before = 0; before < h; before++)
					assert_true(keys[before] != r->key);
			}
		}
	end(&f);
}

/* A host's row is what its accounts have, in the whole run and in any part of it. */
static void test_host_rows(void **state)
{
	struct fixture f = begin(&three, 0, 45);
	struct query q = {.group = GROUP_HOST, .show_self = true};

	(void)state;
	for (size_t w = 0; w < WINDOWS; w++) {
		const struct rows *rows = model_rows(f.m, &q, windows[w]);
		uint64_t all = 0;

		assert_int_equal(rows->nr, HOSTS);
		for (unsigned h = 0; h < HOSTS; h++) {
			const char *name = f.s->info.hosts[h].name;
			const struct row *r = find(rows, name, name);
			struct account a;

			model_host_account(f.m, 0, h, windows[w], &a);
			assert_int_equal(r->self, a.attributed);
			assert_int_equal(r->samples, a.samples);
			assert_int_equal(a.counted, a.attributed + a.lost_all + a.pending);
			assert_int_equal(a.lost_all > 0, h == HOSTS - 1); /* where the losses are */
			all += r->self;
		}
		assert_int_equal(all, rows->attributed);
	}
	end(&f);
}

/* Rows by host add up to the rows of all, and a host's filter shows just its own. */
static void check_functions(struct fixture *f, struct window w)
{
	struct query q = {.group = GROUP_FUNCTION, .show_self = true};
	uint64_t self[HOSTS], total[HOSTS], sum = 0, below = 0;
	const struct rows *rows;
	const struct row *r;

	q.by_host = true;
	rows = model_rows(f->m, &q, w);
	for (unsigned h = 0; h < HOSTS; h++) {
		r = find(rows, "main", f->s->info.hosts[h].name);
		assert_int_equal(r->nhosts, 1);
		sum += self[h] = r->self;
		below += total[h] = r->total;
		assert_true(self[h] && total[h] > self[h]);
	}
	for (size_t i = 0; i < rows->nr; i++)
		for (size_t j = 0; j < i; j++)
			assert_true(rows->row[i].key != rows->row[j].key);
	q.by_host = false;
	r = find(model_rows(f->m, &q, w), "main", "");
	assert_int_equal(r->nhosts, HOSTS);
	assert_int_equal(r->self, sum);
	assert_int_equal(r->total, below);
	for (unsigned h = 0; h < HOSTS; h++) {
		static const char *const filters[] = {"host:web01", "host:web02", "host:web03"};
		struct rowfilter *filter;

		assert_int_equal(rowfilter_compile(filters[h], &filter, NULL), 0);
		q.filter = filter;
		r = find(model_rows(f->m, &q, w), "main", f->s->info.hosts[h].name);
		assert_int_equal(r->self, self[h]);
		assert_int_equal(r->total, total[h]);
		rowfilter_free(filter);
	}
}

static void test_functions(void **state)
{
	struct fixture f = begin(&three, 0, 45);

	(void)state;
	for (size_t w = 0; w < WINDOWS; w++)
		check_functions(&f, windows[w]);
	end(&f);
}

/* All that is asked of one host alone is its, 100 % too, as if there were no other. */
static void check_one(struct fixture *f, unsigned h, struct window w)
{
	struct query q = {.group = GROUP_FUNCTION, .show_self = true, .by_host = true};
	const struct row *r = find(model_rows(f->m, &q, w), "main", f->s->info.hosts[h].name);
	uint64_t self = r->self, total = r->total, sum = 0;
	const struct rows *rows;
	const struct tree *tree;
	struct account a;

	q.by_host = false;
	q.host = h + 1;
	model_host_account(f->m, 0, h, w, &a);
	rows = model_rows(f->m, &q, w);
	assert_int_equal(rows->attributed, a.attributed);
	assert_int_equal(rows->samples, a.samples);
	r = find(rows, "main", f->s->info.hosts[h].name);
	assert_int_equal(r->self, self);
	assert_int_equal(r->total, total);
	assert_float_equal(r->self_share, (double)self / (double)a.attributed, 1e-9);
	for (size_t i = 0; i < rows->nr; i++)
		sum += rows->row[i].flags & ROW_LOST ? 0 : rows->row[i].self;
	assert_int_equal(sum, a.attributed);
	tree = model_tree(f->m, &(struct tree_query){.q = q}, w);
	assert_int_equal(tree->attributed, a.attributed);
}

static void test_only_host(void **state)
{
	struct fixture f = begin(&three, 0, 45);

	(void)state;
	for (size_t w = 0; w < WINDOWS; w++)
		for (unsigned h = 0; h < HOSTS; h++)
			check_one(&f, h, windows[w]);
	end(&f);
}

/* A side of a comparison: what the host had, per second that it was there. */
static void test_host_profile(void **state)
{
	static const double seconds[WINDOWS][HOSTS] = {{4.5, 4.5, 3.5}, {4.5, 4.5, 3.5}, {1.3, 1.3, 0.5}};
	struct fixture f = begin(&three, 0, 45);

	(void)state;
	for (size_t w = 0; w < WINDOWS; w++)
		for (unsigned h = 0; h < HOSTS; h++) {
			struct query q = {.show_self = true, .host = h + 1};
			double blocks = 0;
			uint64_t weight = 0;
			struct profile p;
			struct account a;

			model_host_account(f.m, 0, h, windows[w], &a);
			assert_int_equal(profile_take(f.m, &q, windows[w], &p), 0);
			for (size_t i = 0; i < p.nblocks; i++) {
				blocks += p.blocks[i].seconds;
				weight += p.blocks[i].weight;
			}
			assert_int_equal(p.weight, a.attributed);
			assert_int_equal(p.samples, a.samples);
			assert_int_equal(p.lost, a.lost_all);
			assert_int_equal(weight, a.attributed);
			assert_float_equal(p.seconds, seconds[w][h], 1e-9);
			assert_float_equal(blocks, seconds[w][h], 1e-9);
			profile_clear(&p);
		}
	end(&f);
}

/* More hosts than a group has bits for. */
static void test_many_hosts(void **state)
{
	struct synth_config many = {.hosts = 70, .cpus = 1};
	struct fixture f = begin(&many, 0, 3);
	struct query q = {.group = GROUP_FUNCTION};

	(void)state;
	for (size_t w = 0; w < 2; w++)
		assert_int_equal(find(model_rows(f.m, &q, windows[w]), "main", "")->nhosts, 70);
	end(&f);
}

/* What history has forgotten the totals still know, of every host. */
static void test_totals(void **state)
{
	struct fixture f = begin(&three, 20000, 600);
	struct query q = {.show_self = true};
	struct model_memory mem;

	(void)state;
	model_memory(f.m, &mem);
	assert_true(mem.forgotten > 0);
	check_functions(&f, WINDOW_ALL);
	for (int group = 0; group < GROUP_NR; group++)
		for (unsigned h = 0; h <= HOSTS; h++) {
			static const char *const filters[] = {"host:web01", "host:web02", "host:web03", ""};
			uint64_t sum = 0;
			struct account a;
			struct rowfilter *filter;
			const struct rows *rows;

			assert_int_equal(rowfilter_compile(filters[h], &filter, NULL), 0);
			q.group = (enum group_by)group;
			q.filter = filter;
			rows = model_rows(f.m, &q, WINDOW_ALL);
			for (size_t i = 0; i < rows->nr; i++)
				sum += rows->row[i].self;
			if (group == GROUP_LINE) { /* these are history's, and say what it has no more */
				assert_true(rows->missing && sum <= rows->attributed);
				assert_int_equal(rows->attributed + rows->missing, f.truth.weight);
				rowfilter_free(filter);
				continue;
			}
			if (h < HOSTS)
				model_host_account(f.m, 0, h, WINDOW_ALL, &a);
			else
				model_account(f.m, 0, ALL_CPUS, WINDOW_ALL, &a);
			assert_int_equal(sum, a.attributed);
			rowfilter_free(filter);
		}
	q.group = GROUP_HOST;
	assert_int_equal(model_rows(f.m, &q, WINDOW_ALL)->attributed, f.truth.weight);
	end(&f);
}

/* A CPU has its host's number: CPU 1 is there three times. */
static void test_cpus(void **state)
{
	struct fixture f = begin(&three, 0, 45);
	struct query q = {.group = GROUP_CPU, .show_self = true};
	const struct rows *rows = model_rows(f.m, &q, WINDOW_ALL);
	struct rowfilter *filter;

	(void)state;
	assert_int_equal(rows->nr, HOSTS * CPUS);
	for (unsigned h = 0; h < HOSTS; h++)
		assert_int_equal(find(rows, "cpu 1", f.s->info.hosts[h].name)->cpu, 1);
	assert_int_equal(rowfilter_compile("cpu:1 host:web02", &filter, NULL), 0);
	q.filter = filter;
	for (size_t w = 0; w < WINDOWS; w++) {
		struct account a;

		rows = model_rows(f.m, &q, windows[w]);
		assert_int_equal(rows->nr, 1);
		model_account(f.m, 0, CPUS + 1, windows[w], &a);
		assert_int_equal(rows->row[0].self, a.attributed);
	}
	rowfilter_free(filter);
	end(&f);
}

/* One host is as none: no row says whose it is. */
static void test_one_host(void **state)
{
	struct synth_config one = {.hosts = 1, .callchains = true}, local = {.callchains = true};
	struct fixture f = begin(&one, 0, 10), g = begin(&local, 0, 10);
	struct query q = {.show_self = true, .by_host = true};

	(void)state;
	for (int group = 0; group < GROUP_NR; group++) {
		const struct rows *a, *b;

		q.group = (enum group_by)group;
		a = model_rows(f.m, &q, WINDOW_ALL);
		b = model_rows(g.m, &q, WINDOW_ALL);
		assert_int_equal(a->nr, b->nr);
		for (size_t i = 0; i < a->nr; i++) {
			assert_string_equal(a->row[i].name, b->row[i].name);
			assert_string_equal(a->row[i].host, "");
			assert_int_equal(a->row[i].nhosts, 0);
			assert_int_equal(a->row[i].key, b->row[i].key);
			assert_int_equal(a->row[i].self, b->row[i].self);
		}
	}
	assert_int_equal(model_nhosts(f.m), 1);
	assert_int_equal(model_nhosts(g.m), 0);
	end(&f);
	end(&g);
}

/* What came over the links in a window, in all and since 'z'; also of slices that were merged since. */
static void test_links(void **state)
{
	struct fixture f = begin(&three, 0, 600);
	struct host h;

	(void)state;
	model_host(f.m, 0, WINDOW_ALL, &h);
	assert_int_equal(h.now.state, HOST_UP);
	assert_int_equal(h.link.bytes_in, 600 * 180);
	assert_int_equal(h.link.bytes_out, 600 * 6);
	model_host(f.m, 0, (struct window){580 * TICK, 600 * TICK}, &h);
	assert_int_equal(h.link.bytes_in, 20 * 180);
	assert_true(fabs(h.seconds - 2) < 0.001);
	model_host(f.m, 0, (struct window){95 * TICK, 305 * TICK}, &h);
	assert_true(fabs(h.seconds - 22) < 0.001); /* of whole seconds by now */
	assert_int_equal(h.link.bytes_in, lround(h.seconds * 1800));
	model_host(f.m, 2, (struct window){580 * TICK, 600 * TICK}, &h);
	assert_int_equal(h.link.merged, 18);
	assert_int_equal(h.link.folded_samples, 10);
	model_zero(f.m);
	model_host(f.m, 0, WINDOW_ALL, &h);
	assert_int_equal(h.link.bytes_in, 0);
	assert_int_equal(h.now.state, HOST_UP);
	end(&f);
}

static void test_gaps(void **state)
{
	const struct host_gap *gap;
	struct fixture f = begin(&three, 0, 25);
	struct slice *next;

	(void)state;
	assert_int_equal(model_gaps(f.m, WINDOW_ALL, &gap, 1), 1);
	assert_int_equal(gap->host, HOSTS - 1);
	assert_int_equal(gap->state, HOST_CUT);
	assert_true(gap->lasts);
	assert_int_equal(gap->from, 20 * TICK);
	assert_int_equal(gap->to, 25 * TICK);
	assert_non_null(strstr(gap->why, "reset by peer"));
	synth_advance(f.s, 20);
	while (!session_next(f.s, &next) && next)
		assert_int_equal(model_add(f.m, next), 0);
	assert_int_equal(model_gaps(f.m, WINDOW_ALL, &gap, 1), 1);
	assert_false(gap->lasts);
	assert_int_equal(gap->to, 30 * TICK);
	assert_int_equal(model_gaps(f.m, (struct window){0, 20 * TICK}, &gap, 1), 0);
	assert_int_equal(model_gaps(f.m, (struct window){30 * TICK, 40 * TICK}, &gap, 1), 0);
	assert_int_equal(model_gaps(f.m, (struct window){29 * TICK, 40 * TICK}, &gap, 1), 1);
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_pid),
		cmocka_unit_test(test_host_rows),
		cmocka_unit_test(test_functions),
		cmocka_unit_test(test_only_host),
		cmocka_unit_test(test_host_profile),
		cmocka_unit_test(test_many_hosts),
		cmocka_unit_test(test_totals),
		cmocka_unit_test(test_cpus),
		cmocka_unit_test(test_one_host),
		cmocka_unit_test(test_links),
		cmocka_unit_test(test_gaps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
