/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sessions made from recipes as one: what comes out is the sum of what each of them says alone, whenever
 * their slices come and however they end.  The clock is the test's.
 */
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "model/rows/codes.h"
#include "model/core/model.h"
#include "link/remote/fleet.h"
#include "link/remote/fleetjoin.h"
#include "core/slice/merge.h"
#include "core/slice/sliceparts.h"
#include "tests/fieldstacks.h"
#include "tests/synth.h"
#include "link/wire/slicecheck.h"

#define HOSTS 20
#define TICK  (100 * NSEC_PER_MSEC)

static uint64_t test_now;

static uint64_t test_clock(void)
{
	return test_now;
}

/* The allocation that fails, counted down while the fleet makes its slice; 0: none. */
static long fail_at;

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CAN_FAIL 1

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t nr, size_t size);
void *__libc_realloc(void *p, size_t size);

static bool fails(void)
{
	if (!fail_at || --fail_at)
		return false;
	errno = ENOMEM;
	return true;
}

void *malloc(size_t size)
{
	return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t nr, size_t size)
{
	return fails() ? NULL : __libc_calloc(nr, size);
}

void *reallocarray(void *p, size_t nr, size_t size)
{
	return fails() ? NULL : __libc_realloc(p, nr * size);
}
#else
#define CAN_FAIL 0
#endif

/* What a session says alone, beside what it says in the fleet. */
struct fixture {
	unsigned nr;
	struct session *fleet, *member[HOSTS], *alone[HOSTS];
	struct model *m, *of[HOSTS];
	struct slice_host hosts[HOSTS]; /* newest */
	struct slicecheck *check;       /* of what comes out */
	uint64_t slices, end;
	char log[4096];
	long fail_at;
	bool ended;
};

static const struct synth_config recipes[] = {
	{.functions = 40, .tasks = 6, .losses = true, .second_event = 7, .fields = true, .stacks = true},
	{.functions = 40, .tasks = 3, .forks = 5, .callchains = true, .second_event = 7, .fields = true, .stacks = true},
	{.addresses = 4, .strangers = 3, .load_ticks = 9, .losses = true, .cpus = 4, .nodes = 2, .second_event = 7, .fields = true,
	 .stacks = true},
};

static void begin(struct fixture *f, const struct synth_config *c, unsigned nr, uint32_t beat_ms)
{
	struct fleet_member members[HOSTS] = {{.name = NULL}};
	struct fleet_config config = {.beat_ms = beat_ms, .clock = test_clock};
	char names[HOSTS][16];
	struct err err;

	memset(f, 0, sizeof(*f));
	test_now = 5 * NSEC_PER_SEC;
	f->nr = nr;
	for (unsigned i = 0; i < nr; i++) {
		snprintf(names[i], sizeof(names[i]), "web%02u", i);
		f->member[i] = synth_session_create(&c[i]);
		f->alone[i] = synth_session_create(&c[i]);
		assert_non_null(f->alone[i]);
		f->of[i] = model_create(&f->alone[i]->info, 0);
		members[i] = (struct fleet_member){.name = names[i], .session = f->member[i]};
	}
	f->fleet = fleet_open(members, nr, &config, &err);
	assert_non_null(f->fleet);
	f->m = model_create(&f->fleet->info, 0);
	f->check = slicecheck_create(&f->fleet->info, 256u << 20);
	assert_non_null(f->check);
}

static void end(struct fixture *f)
{
	model_free(f->m);
	slicecheck_free(f->check);
	session_close(f->fleet);
	for (unsigned i = 0; i < f->nr; i++) {
		model_free(f->of[i]);
		session_close(f->alone[i]);
	}
}

/* The fleet's ids are as right as those of one session. */
static void check(struct fixture *f, struct slice *s)
{
	struct err err;

	if (slicecheck_take(f->check, s, &err))
		fail_msg("%s", err.text);
}

/* All that is ready of the fleet. */
static void take(struct fixture *f)
{
	struct slice *s = NULL;
	int ret;

	for (;;) {
		fail_at = f->fail_at;
		ret = session_next(f->fleet, &s);
		f->fail_at = fail_at;
		fail_at = 0;
		if (ret || !s)
			break;
		assert_int_equal(s->start, f->end);
		assert_true(s->end >= s->start);
		assert_int_equal(s->nhosts, f->nr);
		memcpy(f->hosts, s->hosts, s->nhosts * sizeof(*s->hosts));
		for (size_t i = 0; i < s->nlogs; i++) {
			size_t at = strlen(f->log);

			snprintf(f->log + at, sizeof(f->log) - at, "%s\n", s->logs[i].text);
		}
		f->slices++;
		f->end = s->end;
		check(f, s);
		assert_int_equal(model_add(f->m, s), 0);
	}
	assert_true(!ret || ret == -ESHUTDOWN);
	f->ended |= ret != 0;
}

/* Ticks of all members whose bit is set; their slices are there, or come later. */
static void run(struct fixture *f, unsigned ticks, uint32_t who)
{
	for (; ticks; ticks--) {
		for (unsigned i = 0; i < f->nr; i++) {
			struct slice *s = NULL;

			if (!(who >> i & 1) || !((struct fleet *)f->fleet)->members[i].session)
				continue;
			synth_advance(f->member[i], 1);
			synth_advance(f->alone[i], 1);
			while (!session_next(f->alone[i], &s) && s)
				assert_int_equal(model_add(f->of[i], s), 0);
		}
		test_now += TICK;
		take(f);
	}
}

/* The beat under way ends. */
static void settle(struct fixture *f)
{
	test_now += NSEC_PER_SEC;
	take(f);
}

/* --- what must be the same -------------------------------------------------------------------- */

static void add_account(struct account *sum, const struct account *a)
{
	sum->counted += a->counted;
	sum->attributed += a->attributed;
	sum->samples += a->samples;
	sum->pending += a->pending;
	sum->unsampled += a->unsampled;
	sum->lost_all += a->lost_all;
	sum->lost_samples_all += a->lost_samples_all;
	sum->throttles += a->throttles;
}

static void same_account(const struct account *a, const struct account *b)
{
	assert_int_equal(a->counted, a->attributed + a->lost_all + a->pending);
	assert_int_equal(a->counted, b->counted);
	assert_int_equal(a->attributed, b->attributed);
	assert_int_equal(a->samples, b->samples);
	assert_int_equal(a->pending, b->pending);
	assert_int_equal(a->lost_all, b->lost_all);
	assert_int_equal(a->lost_samples_all, b->lost_samples_all);
	assert_int_equal(a->throttles, b->throttles);
}

static void same_accounts(struct fixture *f, unsigned event)
{
	const struct session_info *info = &f->fleet->info;
	struct account all, one, alone, sum = {.counted = 0};

	for (unsigned p = 0; p < info->nplaces; p++) {
		model_account(f->m, event, (int)p, WINDOW_ALL, &one);
		model_account(f->of[info->places[p].host], event, info->places[p].cpu, WINDOW_ALL, &alone);
		same_account(&one, &alone);
		add_account(&sum, &one);
	}
	model_account(f->m, event, ALL_CPUS, WINDOW_ALL, &all);
	same_account(&all, &sum);
}

struct sums {
	uint64_t rows, self, total, samples;
};

static void sum_rows(struct sums *sum, const struct rows *rows, const struct row *like)
{
	for (size_t i = 0; i < rows->nr; i++) {
		const struct row *r = &rows->row[i];

		if (strcmp(r->name, like->name) || strcmp(r->object, like->object))
			continue;
		sum->rows++;
		sum->self += r->self;
		sum->total += r->total;
		sum->samples += r->samples;
	}
}

/* Rows of a name are one, the sum of all hosts'; but anonymous memory is each host's own. */
static void same_rows(struct fixture *f, enum group_by group, unsigned event)
{
	struct query q = {.group = group, .event = event, .show_self = true};
	const struct rows *all = model_rows(f->m, &q, WINDOW_ALL), *of[HOSTS];
	uint64_t seen = 0, attributed = 0;

	for (unsigned i = 0; i < f->nr; i++) {
		of[i] = model_rows(f->of[i], &q, WINDOW_ALL);
		attributed += of[i]->attributed;
	}
	assert_int_equal(all->attributed, attributed);
	for (size_t r = 0; r < all->nr; r++) {
		struct sums one = {.rows = 0}, sum = {.rows = 0};
		bool anonymous;

		sum_rows(&one, all, &all->row[r]);
		for (unsigned i = 0; i < f->nr; i++)
			sum_rows(&sum, of[i], &all->row[r]);
		anonymous = group == GROUP_FUNCTION && !strcmp(all->row[r].object, "[anon]");
		assert_int_equal(one.rows, anonymous ? sum.rows : 1);
		assert_int_equal(one.self, sum.self);
		assert_int_equal(one.total, sum.total);
		assert_int_equal(one.samples, sum.samples);
		seen += all->row[r].self;
	}
	assert_int_equal(seen, attributed);
}

/* A host's row, by what identifies it there. */
static const struct row *find(const struct rows *rows, const struct row *like)
{
	for (size_t i = 0; i < rows->nr; i++) {
		const struct row *r = &rows->row[i];

		if (!strcmp(r->name, like->name) && !strcmp(r->object, like->object) && r->pid == like->pid &&
		    r->tid == like->tid)
			return r;
	}
	return NULL;
}

/* Processes and threads are each host's own, whatever their numbers; so are functions, where it is asked for. */
static void same_host_rows(struct fixture *f, enum group_by group)
{
	struct query q = {.group = group, .by_host = true};
	const struct rows *all = model_rows(f->m, &q, WINDOW_ALL), *of[HOSTS];
	size_t nr = 0;

	for (unsigned i = 0; i < f->nr; i++) {
		of[i] = model_rows(f->of[i], &q, WINDOW_ALL);
		nr += of[i]->nr;
	}
	assert_int_equal(all->nr, nr);
	for (size_t r = 0; r < all->nr; r++) {
		const struct row *row = &all->row[r], *one;
		unsigned host = f->nr > 1 ? (unsigned)atoi(row->host + strlen("web")) : 0;

		one = find(of[host], row);
		assert_non_null(one);
		assert_int_equal(row->self, one->self);
		assert_int_equal(row->total, one->total);
		assert_int_equal(row->samples, one->samples);
	}
}

static void same_all(struct fixture *f)
{
	settle(f);
	same_host_rows(f, GROUP_TASK);
	same_host_rows(f, GROUP_THREAD);
	same_host_rows(f, GROUP_FUNCTION);
	if (*f->fleet->info.events[0].by)
		fieldstacks_same(f->m, f->of, f->nr);
	for (unsigned e = 0; e < f->fleet->info.nevents; e++) {
		same_accounts(f, e);
		same_rows(f, GROUP_FUNCTION, e);
		same_rows(f, GROUP_OBJECT, e);
	}
}

/* A host's rings are the same, wherever in the list. */
static void same_gauges(struct fixture *f)
{
	size_t nr = 0;

	for (unsigned h = 0; h < f->nr; h++)
		nr += model_ngauges(f->of[h]);
	assert_int_equal(model_ngauges(f->m), nr);
	for (size_t i = 0; i < nr; i++) {
		struct gauge g, alone;
		struct session_place p;
		size_t at = 0;

		model_gauge(f->m, i, WINDOW_ALL, &g);
		p = session_place(&f->fleet->info, g.now.cpu);
		do
			model_gauge(f->of[p.host], at++, WINDOW_ALL, &alone);
		while (alone.now.cpu != p.cpu || alone.now.kind != g.now.kind);
		assert_int_equal(g.records, alone.records);
		assert_int_equal(g.bytes, alone.bytes);
		assert_int_equal(g.lost, alone.lost);
		assert_int_equal(g.overwritten_bytes, alone.overwritten_bytes);
		assert_int_equal(g.wakeups, alone.wakeups);
		assert_int_equal(g.now.unread, alone.now.unread);
	}
}

/* --- tests ------------------------------------------------------------------------------------ */

/* A CPU is of the node that its own host says, where that knows any. */
static void same_nodes(const struct fixture *f, unsigned nr)
{
	const struct session_info *info = &f->fleet->info;
	unsigned second = 0;

	for (unsigned p = 0; p < info->nplaces; p++) {
		const struct session_place *place = &info->places[p];

		assert_int_equal(place->node, place->host == 2 ? place->cpu % 2 : -1);
		second += place->node == 1;
	}
	assert_int_equal(second, nr == 3 ? 2 : 0);
}

/* However long the beat is, and so how many slices of a member become one. */
static void test_sums(void **state)
{
	static const uint32_t beats[] = {100, 300, 1000};
	struct fixture f;

	(void)state;
	for (unsigned b = 0; b < 3; b++) {
		for (unsigned nr = 1; nr <= 3; nr++) {
			begin(&f, recipes, nr, beats[b]);
			run(&f, 60, 7);
			same_all(&f);
			same_gauges(&f);
			assert_int_equal(f.fleet->info.nplaces, nr == 3 ? 8 : 2 * nr);
			same_nodes(&f, nr);
			end(&f);
		}
	}
}

static void test_twenty(void **state)
{
	struct synth_config c[HOSTS];
	struct fixture f;

	(void)state;
	for (unsigned i = 0; i < HOSTS; i++)
		c[i] = recipes[i % 3];
	begin(&f, c, HOSTS, 1000);
	run(&f, 45, (1u << HOSTS) - 1);
	same_all(&f);
	same_gauges(&f);
	end(&f);
}

/* Nobody waits for the one whose slices come late; what it had is all there, once. */
static void test_late(void **state)
{
	struct fixture f;
	uint64_t slices;

	(void)state;
	begin(&f, recipes, 3, 100);
	run(&f, 20, 7);
	assert_int_equal(f.hosts[1].state, HOST_UP);
	slices = f.slices;
	run(&f, 40, 5);
	assert_int_equal(f.slices, slices + 39); /* it was waited for once */
	assert_int_equal(f.hosts[1].state, HOST_LATE);
	assert_int_equal(f.hosts[1].since, 20 * TICK);
	assert_int_equal(f.hosts[1].behind_ns, 40 * TICK);
	assert_string_equal(f.hosts[1].why, "no data was received from it");
	assert_int_equal(f.hosts[1].self.cpu_ns, 0);
	assert_true(f.hosts[1].self.rss_bytes > 0);
	assert_int_equal(f.hosts[2].state, HOST_UP);
	same_all(&f);
	same_gauges(&f);
	synth_advance(f.member[1], 0);
	run(&f, 2, 7);
	assert_int_equal(f.hosts[1].state, HOST_UP);
	run(&f, 30, 2); /* a storm of it */
	same_all(&f);
	end(&f);
}

/* Heat is of one host where an address is one host's own; of a file it is of all who have it. */
static void test_heat(void **state)
{
	struct synth_config c[2] = {recipes[0], recipes[0]};
	struct query q = {.group = GROUP_FUNCTION};
	struct fixture f;
	unsigned met = 0;

	(void)state;
	begin(&f, c, 2, 100);
	run(&f, 10, 3);
	run(&f, 10, 1);
	for (size_t r = 0; r < model_rows(f.m, &q, WINDOW_ALL)->nr; r++) {
		struct row row = model_rows(f.m, &q, WINDOW_ALL)->row[r];
		struct window w = {0, model_now(f.m)};
		struct code_place place;
		uint64_t heat;

		assert_true(model_code_place(f.m, &q, row.key, w, &place));
		heat = model_code(f.m, &q, &place, w)->weight;
		if (place.kind == OBJECT_KERNEL) { /* the first has twice as much */
			assert_int_equal(place.host, 0);
			assert_in_range(heat, row.self * 60 / 100, row.self * 70 / 100);
			met |= 1;
			continue;
		}
		assert_int_equal(heat, row.self);
		met |= place.kind == OBJECT_ANON ? 2u << place.host : 8;
	}
	assert_int_equal(met, 15);
	end(&f);
}

static unsigned roll(uint32_t *seed, unsigned sides)
{
	*seed = *seed * 1664525 + 1013904223;
	return (*seed >> 16) % sides;
}

/* In the one file that all have a place has a name on all, or on none. */
static struct synth_config random_recipe(uint32_t *seed, bool named)
{
	return (struct synth_config){
		.cpus = 1 + roll(seed, 4), .functions = roll(seed, 30), .tasks = roll(seed, 10),
		.forks = roll(seed, 8), .addresses = named ? 0 : roll(seed, 4), .strangers = named ? roll(seed, 6) : 0,
		.load_ticks = 1, .losses = roll(seed, 2), .callchains = roll(seed, 2),
		.end_ticks = roll(seed, 3) ? 0 : 3 + roll(seed, 60),
	};
}

/* Slices come when they like, several at once or none; ids come and go all the time. */
static void test_random(void **state)
{
	struct synth_config c[HOSTS];
	struct fixture f;

	(void)state;
	for (uint32_t seed = 1; seed <= 30; seed++) {
		uint32_t dice = seed * 7919;
		unsigned nr = 1 + roll(&dice, 6);

		for (unsigned i = 0; i < nr; i++)
			c[i] = random_recipe(&dice, seed % 2);
		begin(&f, c, nr, 100 + 100 * roll(&dice, 10));
		for (unsigned i = 0; i < 60; i++)
			run(&f, 1 + !roll(&dice, 4), roll(&dice, 1u << nr));
		same_all(&f);
		same_gauges(&f);
		end(&f);
	}
}

static size_t live_ids(const struct fixture *f, unsigned member)
{
	size_t nr = 0;

	for (int k = 0; k < DICT_NR; k++) {
		const struct idmap *live = &((struct fleet *)f->fleet)->members[member].ids.live[k];

		for (uint32_t id = 0; (id = idmap_next(live, id));)
			nr += *(bool *)idmap_find(live, id, sizeof(bool));
	}
	return nr;
}

/* However many programs start and places are met, and whoever falls silent: what ended is forgotten. */
static void test_storm(void **state)
{
	struct synth_config c[3] = {{.forks = 50, .strangers = 20}, {.forks = 30, .addresses = 50}, {.forks = 5}};
	struct fixture f;
	size_t live[3];

	(void)state;
	begin(&f, c, 3, 300);
	for (unsigned i = 0; i < 6; i++) {
		run(&f, 20, i % 2 ? 5 : 7);
		for (unsigned k = 0; i == 1 && k < 3; k++)
			live[k] = live_ids(&f, k);
	}
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(live_ids(&f, i), live[i]);
		assert_in_range(live[i], 1, DICT_NR * 500);
	}
	settle(&f);
	same_accounts(&f, 0);
	assert_true(slicecheck_held(f.check) < 4u << 20);
	end(&f);
}

/* Members whose beats are a little longer than ours: each is in each slice, once. */
static void test_beats(void **state)
{
	static const uint64_t period[] = {TICK + 2 * NSEC_PER_MSEC, TICK + 5 * NSEC_PER_MSEC};
	uint64_t next[2] = {0, TICK / 2}, zero, slices = 0;
	struct fixture f;
	struct slice *s;

	(void)state;
	begin(&f, recipes, 2, 100);
	zero = test_now;
	for (; test_now - zero < 300 * TICK; test_now += NSEC_PER_MSEC) {
		for (unsigned i = 0; i < 2; i++) {
			if (test_now - zero < next[i])
				continue;
			synth_advance(f.member[i], 1);
			next[i] += period[i];
		}
		assert_int_equal(session_next(f.fleet, &s), 0);
		if (!s)
			continue;
		for (size_t i = 0; slices > 2 && i < s->naccounts; i++)
			if (session_place(&f.fleet->info, s->accounts[i].cpu).host == 1)
				assert_in_range(s->accounts[i].counted * (s->accounts[i].event == 0), 0, TICK * 3 / 2);
		if (slices++ > 2)
			assert_int_equal(s->naccounts, 8); /* of two CPUs and events each */
		slice_free(s);
	}
	assert_in_range(slices, 300 * 95 / 105, 300);
	end(&f);
}

/* Whichever allocation fails: what it was for comes in a later slice. */
static void test_no_memory(void **state)
{
	bool failed = CAN_FAIL;
	struct fixture f;
	long hits = 0;

	(void)state;
	if (!failed)
		skip();
	for (long k = 1; failed; k += 13) {
		begin(&f, recipes, 3, 300);
		f.fail_at = k;
		run(&f, 25, 7);
		failed = !f.fail_at;
		hits += failed;
		f.fail_at = 0;
		settle(&f);
		settle(&f); /* a second one waits for the first */
		same_all(&f);
		same_gauges(&f);
		end(&f);
	}
	assert_true(hits > 50);
}

static struct pollfd ready(const struct fixture *f)
{
	struct pollfd p = {.fd = f->fleet->ops->fd(f->fleet), .events = POLLIN};

	assert_true(poll(&p, 1, 5000) >= 0);
	return p;
}

/* One ends, one fails: the others go on, what these had stays, and the fleet ends with the last. */
static void test_ends(void **state)
{
	struct synth_config c[3] = {recipes[0], recipes[1], recipes[2]};
	struct session_end how;
	struct fixture f;

	(void)state;
	c[0].end_ticks = 10;
	c[1].end_ticks = 20;
	c[1].fail = EPROTO;
	begin(&f, c, 3, 100);
	run(&f, 30, 7);
	assert_int_equal(f.hosts[0].state, HOST_ENDED);
	assert_int_equal(f.hosts[0].since, 10 * TICK);
	assert_int_equal(f.hosts[1].state, HOST_FAILED);
	assert_string_equal(f.hosts[1].why, strerror(EPROTO));
	assert_non_null(strstr(f.log, "web01: Protocol error"));
	assert_int_equal(f.hosts[2].state, HOST_UP);
	assert_false(f.ended);
	same_all(&f);
	/* Nothing of theirs is held any more. */
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(live_ids(&f, i), 0);
	assert_true(live_ids(&f, 2));
	f.fleet->ops->stop(f.fleet);
	f.alone[2]->ops->stop(f.alone[2]);
	run(&f, 1, 4);
	take(&f);
	assert_true(f.ended);
	f.fleet->ops->end(f.fleet, &how);
	assert_int_equal(how.error, 0);
	assert_non_null(strstr(how.text, "web01: "));
	same_all(&f);
	end(&f);
}

/* Readable until the end was told, and then no more; all failing is a failure. */
static void test_all_fail(void **state)
{
	struct synth_config c[2] = {{.end_ticks = 3, .fail = EIO}, {.end_ticks = 5, .fail = EPROTO}};
	struct session_end how;
	struct fixture f;
	struct slice *s;

	(void)state;
	begin(&f, c, 2, 1000);
	run(&f, 4, 3);
	assert_false(f.ended);
	synth_advance(f.member[1], 1);
	assert_int_equal(session_next(f.fleet, &s), 0);
	assert_non_null(s);
	assert_true(s->last);
	slice_free(s);
	assert_int_equal(ready(&f).revents, POLLIN);
	assert_int_equal(session_next(f.fleet, &s), -ESHUTDOWN);
	assert_int_equal(session_next(f.fleet, &s), -ESHUTDOWN);
	f.fleet->ops->end(f.fleet, &how);
	assert_true(how.error);
	assert_non_null(strstr(how.text, "web00: "));
	assert_non_null(strstr(how.text, "web01: "));
	end(&f);
}

static void test_events_differ(void **state)
{
	struct synth_config c[3] = {{.functions = 3}, {.second_event = 7}, {.functions = 5}};
	struct fixture f;

	(void)state;
	begin(&f, c, 3, 100);
	run(&f, 5, 5);
	assert_int_equal(f.hosts[1].state, HOST_FAILED);
	assert_non_null(strstr(f.hosts[1].why, "raw_syscalls:sys_enter"));
	assert_non_null(strstr(f.log, "web01: it measures"));
	same_all(&f);
	end(&f);
}

/* A host that was not reached at all is in the list, and is none that could end. */
static void test_not_reached(void **state)
{
	struct fleet_member members[2] = {{.name = "gone", .why = "gone: No route to host"},
					  {.name = "here", .session = synth_session_create(NULL)}};
	struct fleet_config config = {.beat_ms = 100, .clock = test_clock};
	struct fleet_member many[FLEET_MAX + 1] = {{.name = "a"}};
	struct session *fleet;
	struct err err;
	struct slice *s;

	(void)state;
	test_now = NSEC_PER_SEC;
	fleet = fleet_open(members, 2, &config, &err);
	assert_non_null(fleet);
	assert_string_equal(fleet->info.host, "gone,here");
	assert_string_equal(fleet->info.hosts[1].host, "web01");
	assert_int_equal(fleet->info.cpus, 2);
	synth_advance(members[1].session, 1);
	test_now += TICK;
	assert_int_equal(session_next(fleet, &s), 0);
	assert_int_equal(s->hosts[0].state, HOST_FAILED);
	assert_string_equal(s->hosts[0].why, "No route to host");
	assert_string_equal(s->logs[0].text, "gone: No route to host");
	assert_int_equal(s->hosts[1].state, HOST_UP);
	slice_free(s);
	session_close(fleet);
	assert_null(fleet_open(members, 1, &config, &err));
	assert_string_equal(err.text, "gone: No route to host");
	members[0].why = "gone: "; /* a reason without words */
	assert_null(fleet_open(members, 1, &config, &err));
	assert_string_equal(err.text, "gone: it failed, and gave no reason");
	assert_null(fleet_open(many, FLEET_MAX + 1, &config, &err));
	assert_int_equal(err.code, E2BIG);
}

/* --- a session that says what the test says --------------------------------------------------- */

struct fake {
	struct session base;
	struct session_event event;
	struct slice *slice;          /* what next() gives, once */
	struct session_request asked; /* the newest of `nasked` */
	unsigned nasked;
	int32_t asked_pid;
	int refuse, fd;
	bool stopped;
};

static int fake_next(struct session *s, struct slice **slice)
{
	*slice = ((struct fake *)s)->slice;
	((struct fake *)s)->slice = NULL;
	return ((struct fake *)s)->stopped && !*slice ? -ESHUTDOWN : 0;
}

static int fake_fd(struct session *s)
{
	return ((struct fake *)s)->fd; /* always readable */
}

static int fake_command(struct session *s, const struct session_request *rq, struct err *err)
{
	struct fake *f = (struct fake *)s;

	f->asked = *rq;
	f->asked_pid = rq->command == SESSION_CODE ? rq->code->pid : 0;
	f->nasked++;
	return f->refuse ? err_set(err, f->refuse, "refused") : 0;
}

static void fake_stop(struct session *s)
{
	((struct fake *)s)->stopped = true;
}

static void fake_close(struct session *s)
{
	slice_free(((struct fake *)s)->slice);
	close(((struct fake *)s)->fd);
}

static void fake_end(struct session *s, struct session_end *end)
{
	(void)s;
	*end = (struct session_end){.error = 0};
}

static const struct session_ops fake_ops = {
	.name = "fake", .next = fake_next, .fd = fake_fd, .command = fake_command, .stop = fake_stop,
	.end = fake_end, .close = fake_close,
};

static struct session *fakes_begin(struct fake fakes[2])
{
	struct fleet_member members[2] = {{.name = "a"}, {.name = "b"}};
	struct fleet_config config = {.beat_ms = 100, .clock = test_clock};
	struct session *fleet;
	struct err err;

	test_now = NSEC_PER_SEC;
	for (unsigned i = 0; i < 2; i++) {
		fakes[i] = (struct fake){.event = {.name = "cycles", .unit = ""},
					 .fd = eventfd(1, EFD_NONBLOCK | EFD_CLOEXEC)};
		fakes[i].base.ops = &fake_ops;
		fakes[i].base.info.nevents = 1;
		fakes[i].base.info.events = &fakes[i].event;
		members[i].session = &fakes[i].base;
	}
	fleet = fleet_open(members, 2, &config, &err);
	assert_non_null(fleet);
	return fleet;
}

/* The fake's next slice, to be filled. */
static struct slice *says(struct fake *f)
{
	if (!f->slice)
		f->slice = slice_create();
	assert_non_null(f->slice);
	return f->slice;
}

static struct slice *beat(struct session *fleet)
{
	struct slice *s;

	test_now += TICK;
	assert_int_equal(session_next(fleet, &s), 0);
	assert_non_null(s);
	return s;
}

static void says_code(struct fake *f, const struct code_place *place, bool insns)
{
	struct code *c = code_create(place);

	assert_non_null(c);
	c->place.host = 0; /* as it comes over a wire */
	if (insns)
		assert_non_null(code_add_insn(c));
	assert_int_equal(slice_add_code(says(f), c), 0);
}

/* Who has the samples is asked, then whoever may have the file; an answer that says nothing goes nowhere. */
static void test_code(void **state)
{
	struct code_place place = {.kind = OBJECT_FILE, .pid = 77, .host = 1, .object = (char *)"/bin/x", .addr = 9};
	struct session_request rq = {.command = SESSION_CODE, .code = &place};
	struct fake fakes[2];
	struct session *fleet = fakes_begin(fakes);
	struct slice *s;
	struct err err;

	(void)state;
	assert_int_equal(fleet->ops->command(fleet, &rq, &err), 0);
	assert_int_equal(fakes[0].nasked, 0);
	assert_int_equal(fakes[1].asked_pid, 77);
	says_code(&fakes[1], &place, false);
	s = beat(fleet);
	assert_int_equal(s->ncodes, 0);
	slice_free(s);
	assert_int_equal(fakes[0].nasked, 1);
	assert_int_equal(fakes[0].asked_pid, 0);
	says_code(&fakes[0], &place, true);
	s = beat(fleet);
	assert_int_equal(s->ncodes, 1);
	assert_int_equal(s->codes[0]->place.host, 0);
	slice_free(s);
	/* One that cannot be asked is passed over; of one kernel only its host knows. */
	fakes[1].refuse = ENOTCONN;
	assert_int_equal(fleet->ops->command(fleet, &rq, &err), 0);
	assert_int_equal(fakes[0].nasked, 2);
	place.kind = OBJECT_KERNEL;
	assert_int_equal(fleet->ops->command(fleet, &rq, &err), -ENOTCONN);
	assert_int_equal(fakes[0].nasked, 2);
	fakes[1].refuse = 0;
	assert_int_equal(fleet->ops->command(fleet, &rq, &err), 0);
	says_code(&fakes[1], &place, false);
	s = beat(fleet);
	assert_int_equal(s->ncodes, 1); /* nobody else could say more */
	assert_int_equal(s->codes[0]->place.host, 1);
	slice_free(s);
	session_close(fleet);
}

static void test_commands(void **state)
{
	struct session_request rq = {.command = SESSION_RECORD, .text = "x.data"};
	struct fake fakes[2];
	struct session *fleet = fakes_begin(fakes);
	struct slice *s;
	struct err err = {.code = 0};

	(void)state;
	assert_int_equal(fleet->ops->command(fleet, &rq, &err), 0);
	assert_int_equal(fakes[0].nasked, 1);
	assert_int_equal(fakes[1].nasked, 1);
	assert_string_equal(fakes[1].asked.text, "x.data");
	fakes[0].refuse = EBUSY;
	assert_int_equal(fleet->ops->command(fleet, &rq, &err), 0);
	s = beat(fleet);
	assert_int_equal(s->nlogs, 1);
	assert_string_equal(s->logs[0].text, "a: refused");
	slice_free(s);
	/* Who could not be paused with the others is told as soon as that can be. */
	rq = (struct session_request){.command = SESSION_PAUSE};
	assert_int_equal(fleet->ops->command(fleet, &rq, &err), 0);
	assert_int_equal(err.code, 0);
	fakes[0].nasked = fakes[1].nasked = 0;
	fakes[0].refuse = 0;
	slice_free(beat(fleet));
	assert_int_equal(fakes[0].nasked, 0); /* it is not there yet */
	says(&fakes[0]);
	slice_free(beat(fleet));
	slice_free(beat(fleet));
	assert_int_equal(fakes[0].nasked, 1);
	assert_int_equal(fakes[0].asked.command, SESSION_PAUSE);
	assert_int_equal(fakes[1].nasked, 0);
	rq = (struct session_request){.command = SESSION_RECORD, .text = "x.data"};
	fakes[0].refuse = EBUSY;
	fakes[1].refuse = EROFS;
	assert_int_equal(fleet->ops->command(fleet, &rq, &err), -EROFS);
	assert_string_equal(err.text, "b: refused");
	session_close(fleet);
}

static void says_snapshot(struct fake *f, uint32_t nr, uint8_t snapshot_state)
{
	struct slice_snapshot shot = {.nr = nr, .state = snapshot_state, .reason = (char *)"key", .time = 1};

	says(f)->end = 1 + TICK; /* it was a tick before that */
	assert_int_equal(slice_add_snapshot(f->slice, &shot), 0);
}

/* Numbers are the fleet's, and stay those of the host's. */
static void test_snapshots(void **state)
{
	struct session_request rq = {.command = SESSION_FETCH, .text = "/tmp", .snapshot = 3};
	struct fake fakes[2];
	struct session *fleet = fakes_begin(fakes);
	struct slice *s;
	struct err err;

	(void)state;
	says_snapshot(&fakes[0], 1, SNAPSHOT_WRITING);
	says_snapshot(&fakes[1], 1, SNAPSHOT_WRITING);
	says_snapshot(&fakes[1], 2, SNAPSHOT_WRITING);
	slice_free(beat(fleet));
	says_snapshot(&fakes[1], 2, SNAPSHOT_WRITTEN);
	says_snapshot(&fakes[0], 1, SNAPSHOT_FAILED);
	s = beat(fleet);
	assert_int_equal(s->nsnapshots, 2);
	assert_int_equal(s->snapshots[0].nr, 1);
	assert_int_equal(s->snapshots[0].host, 0);
	assert_int_equal(s->snapshots[0].changed, s->end);
	assert_int_equal(s->snapshots[0].time, s->end - TICK);
	assert_int_equal(s->snapshots[1].nr, 3);
	assert_int_equal(s->snapshots[1].host, 1);
	slice_free(s);
	assert_int_equal(fleet->ops->command(fleet, &rq, &err), 0);
	assert_int_equal(fakes[1].asked.snapshot, 2);
	assert_int_equal(fakes[0].nasked, 0);
	rq.snapshot = 4;
	assert_int_equal(fleet->ops->command(fleet, &rq, &err), -ENOENT);
	rq.snapshot = 0;
	assert_int_equal(fleet->ops->command(fleet, &rq, &err), 0);
	assert_int_equal(fakes[0].nasked, 1);
	session_close(fleet);
}

/* What is a state stays while a host says nothing; what is a count is of the slice. */
static void test_states(void **state)
{
	struct fake fakes[2];
	struct session *fleet = fakes_begin(fakes);
	struct slice *s;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		s = says(&fakes[i]);
		s->self = (struct slice_self){.cpu_ns = 10 + i, .rss_bytes = 100 + i, .merged = 2, .loading = 1,
					      .unwind = {.samples = 5, .waiting = 3}};
		s->recording = (struct slice_recording){.state = i ? RECORDING_ON : RECORDING_DONE, .bytes = 1000};
		s->helpers[SANDBOX_NAMES] = (struct sandbox_figures){.name = "names", .calls = 4, .cpu_ns = 7};
		slice_log(s, SLICE_WARNING, i ? "b: it is slow" : "it is slow");
	}
	strcpy(s->recording.file, "b.data");
	s = beat(fleet);
	assert_int_equal(s->self.cpu_ns, 21);
	assert_int_equal(s->self.rss_bytes, 201);
	assert_int_equal(s->self.merged, 4);
	assert_int_equal(s->self.unwind.samples, 10);
	assert_int_equal(s->hosts[1].self.cpu_ns, 11);
	assert_int_equal(s->recording.state, RECORDING_ON);
	assert_string_equal(s->recording.file, "b.data");
	assert_int_equal(s->recording.bytes, 2000);
	assert_int_equal(s->helpers[SANDBOX_NAMES].calls, 8);
	assert_string_equal(s->logs[0].text, "a: it is slow");
	assert_string_equal(s->logs[1].text, "b: it is slow");
	slice_free(s);
	s = beat(fleet);
	assert_int_equal(s->self.cpu_ns, 0);
	assert_int_equal(s->self.merged, 0);
	assert_int_equal(s->self.unwind.samples, 0);
	assert_int_equal(s->self.rss_bytes, 201);
	assert_int_equal(s->self.loading, 2);
	assert_int_equal(s->self.unwind.waiting, 6);
	assert_int_equal(s->recording.state, RECORDING_ON);
	assert_int_equal(s->helpers[SANDBOX_NAMES].calls, 8);
	slice_free(s);
	session_close(fleet);
}

/* Its task 1 is called that, and has a sample. */
static struct slice *task_slice(const char *comm, int32_t pid)
{
	struct dict_string string = {.id = 1, .text = comm, .len = comm ? (uint32_t)strlen(comm) : 0};
	struct dict_task task = {.id = 1, .comm = 1, .proc_comm = 1, .pid = pid, .tid = pid};
	struct slice *s = slice_create();
	struct slice_row *r = slice_add_row(s);

	assert_non_null(r);
	*r = (struct slice_row){.task = 1, .samples = 1, .weight = 1};
	if (comm) {
		assert_int_equal(slice_upsert(s, DICT_STRING, &string), 0);
		assert_int_equal(slice_upsert(s, DICT_TASK, &task), 0);
	}
	return s;
}

static void release_task(struct slice *s)
{
	assert_int_equal(slice_release(s, DICT_TASK, 1), 0);
	assert_int_equal(slice_release(s, DICT_STRING, 1), 0);
}

static struct slice *slice_of_moves(int32_t pid)
{
	struct slice *s = task_slice(NULL, 0), *next = task_slice("short", pid + 1);

	release_task(s);
	release_task(next);
	assert_int_equal(slice_merge(s, next), 0);
	assert_int_equal(slice_merge(s, task_slice("new", pid + 2)), 0);
	assert_true(s->dict.nmoved[DICT_TASK] && s->dict.ntemps[DICT_TASK] == 2);
	return s;
}

/*
 * An id that means one thing, and in the same slice others, on both hosts: moved, temporary,
 * released, given out again.  Once more after a merge of the fleet's slices.
 */
static void test_moved(void **state)
{
	static const char *const names[] = {"old", "short", "new"};
	struct query q = {.group = GROUP_TASK};
	struct fake fakes[2];
	struct session *fleet = fakes_begin(fakes);
	struct model *m = model_create(&fleet->info, 0);
	const struct rows *rows;
	struct slice *s;

	(void)state;
	for (int i = 0; i < 2; i++)
		fakes[i].slice = task_slice("old", 10 + 100 * i);
	s = beat(fleet);
	assert_int_equal(s->rows[1].task, DICT_IDS + 1);
	assert_int_equal(model_add(m, s), 0);
	for (int i = 0; i < 2; i++)
		fakes[i].slice = slice_of_moves(10 + 100 * i);
	s = beat(fleet);
	assert_int_equal(s->dict.ntemps[DICT_TASK], 4);
	fakes[0].slice = slice_of_moves(20);
	release_task(fakes[0].slice);
	assert_int_equal(slice_merge(s, beat(fleet)), 0);
	assert_int_equal(model_add(m, s), 0);
	fakes[1].slice = task_slice(NULL, 0);
	assert_int_equal(model_add(m, beat(fleet)), 0);
	rows = model_rows(m, &q, WINDOW_ALL);
	assert_int_equal(rows->nr, 8);
	for (unsigned i = 0; i < 8; i++) {
		static const uint32_t samples[] = {2, 1, 2, 2, 1, 2, 1, 1};
		struct row like = {.name = names[i < 6 ? i % 3 : i - 5], .object = "", .tid = -1,
				   .pid = i < 3 ? 10 + (int32_t)i : i < 6 ? 107 + (int32_t)i : 15 + (int32_t)i};
		const struct row *r = find(rows, &like);

		assert_non_null(r);
		assert_int_equal(r->samples, samples[i]);
	}
	model_free(m);
	session_close(fleet);
}

/* A slice that cannot be handed out, without memory, waits: it takes in no new meaning of an id. */
static void test_held_back(void **state)
{
	struct query q = {.group = GROUP_TASK};
	struct fake fakes[2];
	struct session *fleet;
	struct model *m;
	const struct rows *rows;
	struct slice *s;

	(void)state;
	if (!CAN_FAIL)
		skip();
	fleet = fakes_begin(fakes);
	m = model_create(&fleet->info, 0);
	fakes[0].slice = task_slice("old", 10);
	assert_int_equal(model_add(m, beat(fleet)), 0);
	fakes[0].slice = task_slice(NULL, 0);
	release_task(fakes[0].slice);
	test_now += TICK;
	fail_at = 1; /* of the slice after it */
	assert_int_equal(session_next(fleet, &s), 0);
	assert_null(s);
	assert_int_equal(fail_at, 0);
	fakes[0].slice = task_slice("new", 11);
	s = beat(fleet);
	assert_int_equal(s->nrows, 1);
	assert_int_equal(model_add(m, s), 0);
	assert_int_equal(model_add(m, beat(fleet)), 0);
	rows = model_rows(m, &q, WINDOW_ALL);
	assert_int_equal(rows->nr, 2);
	for (int i = 0; i < 2; i++) {
		struct row like = {.name = i ? "new" : "old", .object = "", .pid = 10 + i, .tid = -1};
		const struct row *r = find(rows, &like);

		assert_non_null(r);
		assert_int_equal(r->samples, 2 - i);
	}
	model_free(m);
	session_close(fleet);
}

/* An id leaves no room for the number of its host: that host has failed, the others go on. */
static void test_high_id(void **state)
{
	struct dict_string high = {.id = DICT_IDS, .text = "x", .len = 1};
	struct fake fakes[2];
	struct session *fleet = fakes_begin(fakes);
	struct slice *s;

	(void)state;
	for (int i = 0; i < 2; i++)
		fakes[i].slice = task_slice("here", 10);
	slice_free(beat(fleet));
	for (int i = 0; i < 2; i++)
		fakes[i].slice = task_slice(NULL, 0);
	assert_int_equal(slice_upsert(fakes[1].slice, DICT_STRING, &high), 0);
	s = beat(fleet);
	assert_int_equal(s->nrows, 1);
	assert_int_equal(s->hosts[0].state, HOST_UP);
	assert_int_equal(s->hosts[1].state, HOST_FAILED);
	assert_string_equal(s->logs[0].text,
			    "b: it has more names or call paths than a host among several may have");
	assert_int_equal(s->dict.nreleased[DICT_TASK], 1);
	assert_int_equal(s->dict.released[DICT_TASK][0], DICT_IDS + 1);
	slice_free(s);
	session_close(fleet);
}

/* What a remote session says of its link, in times of its own. */
static void test_link(void **state)
{
	struct slice_host *h;
	struct fake fakes[2];
	struct session *fleet = fakes_begin(fakes);
	struct slice *s;

	(void)state;
	says(&fakes[0])->end = 50 * TICK;
	h = slice_add_host(fakes[0].slice);
	*h = (struct slice_host){.state = HOST_UP, .since = 0, .bytes_in = 5, .behind_ns = 3, .offset_ns = -8};
	slice_free(beat(fleet));
	slice_free(beat(fleet));
	for (unsigned i = 0; i < 2; i++) { /* of no length, and cut in between */
		says(&fakes[0])->end = 50 * TICK;
		h = slice_add_host(fakes[0].slice);
		*h = (struct slice_host){.state = HOST_CUT, .since = 51 * TICK, .why = "broken pipe", .bytes_in = 7};
		s = beat(fleet);
		assert_int_equal(s->hosts[0].state, HOST_CUT);
		assert_int_equal(s->hosts[0].since, 3 * TICK);
		assert_string_equal(s->hosts[0].why, "broken pipe");
		assert_int_equal(s->hosts[0].bytes_in, 7);
		slice_free(s);
	}
	s = beat(fleet);
	assert_int_equal(s->hosts[0].bytes_in, 0);
	assert_int_equal(s->hosts[0].state, HOST_CUT);
	assert_int_equal(s->hosts[1].state, HOST_CONNECTING);
	slice_free(s);
	session_close(fleet);
}

/* Numbers of CPUs have 16 bits: who has no more room says so, and the others go on. */
/* --- every number of every part ---------------------------------------------------------------- */

#define CPU_COUNTED 900 /* neither is of a machine that the recipes make */
#define CPU_RAN_ON  901

static int set_members_number(void *arg, const struct part_place *at, int64_t *number)
{
	switch (at->member->is) {
	case MEMBER_EVENT:
		*number = 1;
		break;
	case MEMBER_CPU:
		*number = CPU_COUNTED;
		break;
	case MEMBER_RAN_ON:
		*number = CPU_RAN_ON;
		break;
	case MEMBER_TIME:
		*number = *(const int64_t *)arg;
		break;
	default:
		break;
	}
	return 0;
}

static int expect_fleets_number(void *arg, const struct part_place *at, int64_t *number)
{
	const struct fleet *f = arg;
	const struct member *m = &f->members[1];
	struct session_place place = {0};

	switch (at->member->is) {
	case MEMBER_EVENT:
		assert_int_equal(*number, 5);
		break;
	case MEMBER_CPU:
	case MEMBER_RAN_ON:
		place = session_place(&f->base.info, (int)*number);
		assert_int_equal(place.host, 1);
		assert_int_equal(place.cpu, at->member->is == MEMBER_CPU ? CPU_COUNTED : CPU_RAN_ON);
		break;
	case MEMBER_HOST:
		assert_int_equal(*number, 1);
		break;
	case MEMBER_TIME: /* its slice ended on arrival */
		assert_true(*number == (int64_t)m->arrived || *number == (int64_t)f->out->end);
		break;
	default:
		break;
	}
	return 0;
}

static void test_numbers(void **state)
{
	struct fixture f;
	struct fleet *fleet;
	struct slice *s = slice_create();
	uint16_t events[] = {4, 5}, *was;
	unsigned nwas;
	int64_t end_of_slice = 77;

	(void)state;
	begin(&f, recipes, 2, 100);
	fleet = (struct fleet *)f.fleet;
	run(&f, 3, ~0u);
	settle(&f);
	was = fleet->members[1].events, nwas = fleet->members[1].nevents;
	fleet->members[1].events = events, fleet->members[1].nevents = 2;
	assert_true(!fleet->members[1].waiting && s);
	s->end = (uint64_t)end_of_slice;
	for (int id = 0; id < PART_NR; id++)
		if (id != PART_CODES)
			assert_non_null(part_add(s, id));
	assert_true(asprintf(&s->logs[0].text, "a log line") > 0);
	parts_visit(s, ~0u, set_members_number, &end_of_slice);
	fleet->members[1].waiting = s;
	assert_int_equal(fleet_join(fleet, 1), 0);
	parts_visit(fleet->out, ~0u, expect_fleets_number, fleet);
	assert_int_equal(fleet_states(fleet), 0);
	for (int id = 0; id < PART_NR; id++) {
		size_t nr;

		part_elements(fleet->out, &slice_parts[id], &nr);
		if (slice_parts[id].flags & PART_BY_INDEX) /* those of the other member, too */
			assert_true(nr > 0);
		else if (id != PART_CODES && !(slice_parts[id].flags & PART_DEFINES))
			assert_int_equal(nr, 1);
	}
	fleet->members[1].events = was, fleet->members[1].nevents = nwas;
	parts_drop(fleet->out, 0);
	end(&f);
}

static void test_too_many_cpus(void **state)
{
	struct fake fakes[2];
	struct session *fleet = fakes_begin(fakes);
	struct slice_account *a;
	struct slice *s;

	(void)state;
	for (int cpu = 0; cpu < INT16_MAX; cpu++) {
		a = slice_add_account(says(&fakes[0]));
		assert_non_null(a);
		a->cpu = (int16_t)cpu;
	}
	slice_free(beat(fleet));
	assert_int_equal(fleet->info.nplaces, INT16_MAX);
	assert_non_null(slice_add_account(says(&fakes[1])));
	s = beat(fleet);
	assert_int_equal(s->hosts[0].state, HOST_UP);
	assert_int_equal(s->hosts[1].state, HOST_FAILED);
	assert_string_equal(s->hosts[1].why, "the hosts have more than 32767 CPUs");
	assert_int_equal(s->naccounts, 0);
	slice_free(s);
	session_close(fleet);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums),
		cmocka_unit_test(test_twenty),
		cmocka_unit_test(test_late),
		cmocka_unit_test(test_heat),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_storm),
		cmocka_unit_test(test_no_memory),
		cmocka_unit_test(test_beats),
		cmocka_unit_test(test_ends),
		cmocka_unit_test(test_all_fail),
		cmocka_unit_test(test_events_differ),
		cmocka_unit_test(test_not_reached),
		cmocka_unit_test(test_code),
		cmocka_unit_test(test_commands),
		cmocka_unit_test(test_snapshots),
		cmocka_unit_test(test_states),
		cmocka_unit_test(test_moved),
		cmocka_unit_test(test_held_back),
		cmocka_unit_test(test_high_id),
		cmocka_unit_test(test_link),
		cmocka_unit_test(test_too_many_cpus),
		cmocka_unit_test(test_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
