/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Slices of sessions are believed, merged ones too; each of what a model could not bear is refused. */
#include "link/wire/slicecheck.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/slice/code.h"
#include "core/slice/merge.h"
#include "core/slice/sliceparts.h"
#include "tests/synth.h"

#define BUDGET (64u << 20)

static struct session_event events[] = {{.name = "cpu-clock", .unit = "ns"}, {.name = "faults", .unit = ""}};
static const struct session_info info = {.nevents = 2, .events = events, .cpus = 2,
					 .between = {.wanted = true, .from = 0, .to = 1}};

/* --- believed ----------------------------------------------------------------------------- */

/* As they come, or up to `merged` as one: ids that were released and given out again within one become temporary. */
static void assert_believed(const struct synth_config *config, unsigned merged)
{
	struct session *s = synth_session_create(config);
	struct slicecheck *c = slicecheck_create(&s->info, BUDGET);
	struct slice *slice, *next;
	struct err err = {.code = 0};
	unsigned seed = merged;

	assert_int_equal(slicecheck_info(&s->info, &err), 0);
	for (unsigned i = 0; i < 60; i++) {
		synth_advance(s, merged);
		if (session_next(s, &slice) || !slice)
			break;
		seed = seed * 1103515245 + 12345;
		for (unsigned n = merged > 1 ? seed >> 16 & 7 : 0; n && !session_next(s, &next) && next; n--)
			assert_int_equal(slice_merge(slice, next), 0);
		if (slicecheck_take(c, slice, &err))
			fail_msg("slice %u, merged %u: %s", i, merged, err.text);
		slice_free(slice);
	}
	slicecheck_free(c);
	session_close(s);
}

static void test_believed(void **state)
{
	static const struct synth_config configs[] = {
		{.functions = 50, .tasks = 20, .callchains = true, .deep = true, .losses = true, .unwind = true},
		{.hostile = true, .doubt = true, .greedy = true, .forks = 30, .addresses = 50, .strangers = 50},
		{.aux = SYNTH_AUX_PT, .code = true, .second_event = 7, .command = true, .end_ticks = 200},
		{.functions = 20, .tasks = 5, .forks = 10, .strangers = 20, .callchains = true, .second_event = 7, .fields = true, .stacks = true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(configs) / sizeof(*configs); i++)
		for (unsigned merged = 1; merged < 8; merged++)
			assert_believed(&configs[i], merged);
}

/* What was released costs nothing any more. */
static void test_budget(void **state)
{
	struct slicecheck *c = slicecheck_create(&info, 1u << 20);
	struct err err = {.code = 0};
	char text[4001];
	int ret = 0;

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[4000] = '\0';
	for (uint32_t i = 0; i < 2000; i++) {
		struct slice *s = slice_create();

		slice_upsert(s, DICT_STRING, &(struct dict_string){.id = 1 + i % 7, .len = 4000, .text = text});
		if (i >= 6)
			slice_release(s, DICT_STRING, 1 + (i - 6) % 7);
		assert_int_equal(slicecheck_take(c, s, &err), 0);
		slice_free(s);
	}
	assert_true(slicecheck_held(c) < 60000);
	for (uint32_t i = 10; !ret; i++) {
		struct slice *s = slice_create();

		assert_true(i < 300);
		slice_upsert(s, DICT_STRING, &(struct dict_string){.id = i, .len = 4000, .text = text});
		ret = slicecheck_take(c, s, &err);
		slice_free(s);
	}
	assert_int_equal(ret, -ENOMEM);
	slicecheck_free(c);
}

/* --- refused ------------------------------------------------------------------------------ */

#define STRING(...) slice_upsert(s, DICT_STRING, &(struct dict_string){__VA_ARGS__})
#define OBJECT(...) slice_upsert(s, DICT_OBJECT, &(struct dict_object){__VA_ARGS__})
#define SYMBOL(...) slice_upsert(s, DICT_SYMBOL, &(struct dict_symbol){__VA_ARGS__})
#define FRAME(...)  slice_upsert(s, DICT_FRAME, &(struct dict_frame){__VA_ARGS__})
#define PATH(...)   slice_upsert(s, DICT_PATH, &(struct dict_path){__VA_ARGS__})
#define TASK(...)   slice_upsert(s, DICT_TASK, &(struct dict_task){__VA_ARGS__})

static struct slice *slice_good(void)
{
	struct slice *s = slice_create();

	s->end = 100;
	STRING(.id = 1, .len = 1, .text = "a");
	OBJECT(.id = 1, .name = 1);
	SYMBOL(.id = 1, .name = 1, .object = 1);
	FRAME(.id = 2, .object = 1, .level = 1, .flags = FRAME_INLINED);
	FRAME(.id = 1, .object = 1, .symbol = 1, .inner = 2);
	PATH(.id = 1, .frame = 1);
	TASK(.id = 1, .comm = 1);
	*slice_add_row(s) = (struct slice_row){.path = 1, .task = 1};
	return s;
}

static struct code *code_good(struct slice *s)
{
	struct code_place place = {.kind = OBJECT_FILE, .object = (char *)"/bin/x"};
	struct code *c = code_create(&place);

	c->to = 100;
	slice_add_code(s, c);
	return c;
}

static struct code_insn *insn(struct slice *s, uint64_t addr)
{
	struct code_insn *in = code_add_insn(s->ncodes ? s->codes[0] : code_good(s));

	in->addr = addr;
	return in;
}

static struct dict_move *move(struct slice *s, enum dict_kind kind, uint32_t from, uint32_t to)
{
	struct dict_delta *d = &s->dict;

	d->moved[kind] = calloc(1, sizeof(struct dict_move));
	d->moved[kind][0] = (struct dict_move){from, to};
	d->nmoved[kind] = 1;
	return d->moved[kind];
}

static void text_less(struct slice *s)
{
	free((char *)s->dict.strings[0].text);
	s->dict.strings[0].text = NULL;
}

static struct slice_pt *pt(struct slice *s)
{
	return s->pt = calloc(1, sizeof(*s->pt));
}

/* Each begins with a good slice and does one thing that is wrong. */
#define BAD(name, ...)                                                                                   \
	static void bad_##name(struct slice *s)                                                            \
	{                                                                                                  \
		__VA_ARGS__;                                                                               \
	}
BAD(id_none, STRING(.id = 0, .text = ""))
BAD(id_sparse, STRING(.id = 70000, .text = ""))
BAD(id_temporary, STRING(.id = DICT_TEMP, .text = ""))
BAD(string, text_less(s))
BAD(object_name, OBJECT(.id = 2, .name = 9))
BAD(object_why, OBJECT(.id = 2, .why = 9))
BAD(object_host, OBJECT(.id = 2, .host = 1))
BAD(symbol_name, SYMBOL(.id = 2, .name = 9))
BAD(symbol_object, SYMBOL(.id = 2, .object = 9))
BAD(frame_object, FRAME(.id = 3, .object = 9))
BAD(frame_symbol, FRAME(.id = 3, .symbol = 9))
BAD(frame_inner, FRAME(.id = 3, .inner = 3))
BAD(path_frame, PATH(.id = 2, .frame = 9))
BAD(path_inlined, PATH(.id = 2, .frame = 2))
BAD(path_forward, PATH(.id = 2, .parent = 3); PATH(.id = 3))
BAD(path_deep, for (uint32_t i = 2; i < 1100; i++) PATH(.id = i, .parent = i - 1))
BAD(path_deep_by_itself, for (uint32_t i = 2; i < 1100; i++) PATH(.id = 1, .parent = 1))
BAD(task_comm, TASK(.id = 2, .comm = 9))
BAD(task_host, TASK(.id = 2, .host = 1))
BAD(temps, s->dict.ntemps[DICT_STRING] = 2)
BAD(temps_many, s->dict.ntemps[DICT_TASK] = 0x7fffffff)
BAD(move_from, move(s, DICT_TASK, DICT_TEMP, DICT_TEMP); s->dict.ntemps[DICT_TASK] = 1)
BAD(move_to, move(s, DICT_TASK, 1, 2); s->dict.ntemps[DICT_TASK] = 1)
BAD(released, slice_release(s, DICT_TASK, 9))
BAD(released_twice, slice_release(s, DICT_TASK, 1); slice_release(s, DICT_TASK, 1))
BAD(released_temporary, slice_release(s, DICT_TASK, DICT_TEMP))
BAD(row_path, s->rows[0].path = 9)
BAD(row_task, s->rows[0].task = DICT_TEMP)
BAD(row_event, s->rows[0].event = 2)
BAD(row_cpu, s->rows[0].cpu = SLICECHECK_CPUS)
BAD(account_event, slice_add_account(s)->event = 2)
BAD(account_cpu, slice_add_account(s)->cpu = -2)
BAD(account_sum, slice_add_account(s)->unsampled = INT64_MIN)
BAD(account_sums, for (int i = 0; i < 5; i++) slice_add_account(s)->unsampled_why[1] = 1ll << 58)
BAD(account_pending, slice_add_account(s)->pending = UINT64_MAX)
BAD(account_starved, *slice_add_account(s) = (struct slice_account){.enabled = 5, .starved = 6})
BAD(account_enabled, slice_add_account(s)->enabled = UINT64_MAX)
BAD(accounts, for (unsigned i = 0; i < 40000; i++) slice_add_account(s))
BAD(gauge_cpu, slice_add_gauge(s)->cpu = SLICECHECK_CPUS)
BAD(aux_cpu, slice_add_aux(s)->cpu = -2)
BAD(snapshot_host, slice_add_snapshot(s, &(struct slice_snapshot){.host = 1}))
BAD(hosts, slice_add_host(s); slice_add_host(s))
BAD(helper, s->helpers[1].starts = 1)
BAD(progress, s->progress = 1.5f)
BAD(progress_nan, s->progress = NAN)
BAD(time_back, s->start = 1; s->end = 0)
BAD(time_far, s->end = 1ull << 60)
BAD(pt_row, pt(s)->rows = calloc(1, sizeof(struct slice_pt_row)); s->pt->nrows = 1)
BAD(code_none, slice_add_code(s, NULL))
BAD(code_object, code_place_clear(&code_good(s)->place))
BAD(code_range, code_good(s)->from = 200)
BAD(code_long, code_good(s)->to = 1u << 30)
BAD(code_size, code_good(s)->addr = 1; s->codes[0]->size = UINT64_MAX)
BAD(code_end, code_add_text(code_good(s), "x", 1); s->codes[0]->ntexts--)
BAD(code_text, insn(s, 1)->text = 1)
BAD(code_target, insn(s, 1)->target_name = 1)
BAD(code_file, insn(s, 1)->file = 1)
BAD(code_inlined, insn(s, 1)->inlined = 1)
BAD(code_order, insn(s, 2); insn(s, 1))
BAD(code_outside, insn(s, 100))
BAD(source_file, code_add_source(code_good(s))->file = 1)
BAD(source_text, code_add_source(code_good(s))->text = 1)

/* Pairs of which one took 100 ns, another 5000. */
static struct slice_latency *latency(struct slice *s)
{
	s->latency = calloc(1, sizeof(*s->latency));
	assert_non_null(s->latency);
	slice_latency_take(s->latency, 100);
	slice_latency_take(s->latency, 5000);
	return s->latency;
}

BAD(latency_count, latency(s)->count++)
BAD(latency_hist, latency(s)->hist[slice_latency_bin(100)] = UINT64_MAX)
BAD(latency_min, latency(s)->min = 101 * 2)
BAD(latency_max, latency(s)->max = 99)
BAD(latency_none, latency(s); memset(s->latency->hist, 0, sizeof(s->latency->hist)); s->latency->count = 0)

static void between(struct slice *s, unsigned from, unsigned to)
{
	s->between = calloc(1, sizeof(*s->between));
	assert_non_null(s->between);
	*s->between = (struct slice_between){.wanted = true, .from = (uint16_t)from, .to = (uint16_t)to};
}

BAD(between_from, between(s, 2, 0))
BAD(between_to, between(s, 0, 2))
BAD(between_same, between(s, 1, 1))
BAD(change_event, slice_add_change(s)->event = 2)
BAD(list_event, slice_add_list(s)->event = 2)
BAD(list_since, slice_add_list(s)->since = UINT64_MAX)

static void by_path(struct slice *s, uint16_t by, const char *kinds)
{
	struct slice_fieldlist *l = slice_add_list(s);

	l->event = 1;
	l->by = by;
	strcpy(l->kinds, kinds);
}

BAD(field_event, slice_add_field(s)->event = 2)
BAD(field_min, slice_add_field(s)->min = 1)
BAD(field_by, slice_add_field(s)->by = 1)
BAD(field_other_by, slice_add_list(s)->by = 7; *slice_add_field(s) = (struct slice_field){.event = 1, .by = 7})
BAD(field_path, *slice_add_field(s) = (struct slice_field){.event = 1, .path = 2})
BAD(field_path_none, *slice_add_field(s) = (struct slice_field){.path = 1})
BAD(field_path_other, *slice_add_field(s) = (struct slice_field){.event = 1, .by = 1, .path = 1}; by_path(s, 2, "p"))
BAD(field_path_rest, *slice_add_field(s) = (struct slice_field){.event = 1, .by = 1, .rest = true, .path = 1}; by_path(s, 1, "p"))
BAD(list_kinds, by_path(s, 0, "nx"))
BAD(list_paths, by_path(s, 0, "pnp"))
BAD(change_kinds, strcpy(slice_add_change(s)->by_kinds, "\033"))
BAD(change_paths, strcpy(slice_add_change(s)->by_kinds, "spp"))

BAD(throttle_host, slice_add_throttle(s)->host = 1)
BAD(throttle_ns, slice_add_throttle(s)->ns = UINT64_MAX)
BAD(throttle_many, for (int i = 0; i < 5000; i++) slice_add_throttle(s))

#define ROW(name) {#name, bad_##name}
static const struct {
	const char *name;
	void (*make)(struct slice *s);
} bad[] = {
	ROW(id_none), ROW(id_sparse), ROW(id_temporary), ROW(string), ROW(object_name), ROW(object_why), ROW(object_host),
	ROW(symbol_name), ROW(symbol_object), ROW(frame_object), ROW(frame_symbol), ROW(frame_inner),
	ROW(path_frame), ROW(path_inlined), ROW(path_forward), ROW(path_deep), ROW(path_deep_by_itself),
	ROW(task_comm), ROW(task_host), ROW(temps_many), ROW(move_from), ROW(move_to), ROW(released),
	ROW(released_twice), ROW(released_temporary), ROW(row_path), ROW(row_task), ROW(row_event), ROW(row_cpu),
	ROW(account_event), ROW(account_cpu), ROW(account_sum), ROW(account_sums), ROW(account_pending), ROW(account_starved), ROW(account_enabled),
	ROW(accounts), ROW(gauge_cpu), ROW(aux_cpu), ROW(snapshot_host), ROW(hosts), ROW(helper), ROW(progress),
	ROW(progress_nan), ROW(time_back), ROW(time_far), ROW(pt_row), ROW(code_none), ROW(code_object),
	ROW(code_range), ROW(code_long), ROW(code_size), ROW(code_end), ROW(code_text), ROW(code_target),
	ROW(code_file), ROW(code_inlined), ROW(code_order), ROW(code_outside), ROW(source_file), ROW(source_text),
	ROW(temps), ROW(latency_count), ROW(latency_hist), ROW(latency_min), ROW(latency_max), ROW(latency_none),
	ROW(between_from), ROW(between_to), ROW(between_same), ROW(change_event), ROW(list_event), ROW(list_since), ROW(field_event), ROW(field_min), ROW(field_by), ROW(field_other_by),
	ROW(field_path), ROW(field_path_none), ROW(field_path_other), ROW(field_path_rest), ROW(list_kinds), ROW(list_paths),
	ROW(change_kinds), ROW(change_paths),
	ROW(throttle_host), ROW(throttle_ns), ROW(throttle_many),
};

static void test_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct slicecheck *c = slicecheck_create(&info, BUDGET);
		struct slice *s = slice_good();
		struct err err = {.code = 0};

		bad[i].make(s);
		if (slicecheck_take(c, s, &err) != -EPROTO || !err.text[0])
			fail_msg("%s is not refused", bad[i].name);
		slice_free(s);
		slicecheck_free(c);
	}
}

/* Whose number, and what it becomes. */
struct spoil {
	enum part_id part;
	enum member_is is;
	int64_t number;
	unsigned spoiled;
};

static int spoil_number(void *arg, const struct part_place *at, int64_t *number)
{
	struct spoil *spoil = arg;

	if (at->part != &slice_parts[spoil->part])
		return 0;
	*number = spoil->number;
	spoil->spoiled++;
	return 0;
}

/* The number is refused in that part. */
static void assert_number_refused(const struct spoil *with)
{
	struct slicecheck *c = slicecheck_create(&info, BUDGET);
	struct slice *s = slice_good();
	struct spoil spoil = *with;
	struct err err = {.code = 0};

	assert_non_null(part_add(s, spoil.part));
	parts_visit(s, spoil.is, spoil_number, &spoil);
	assert_true(spoil.spoiled);
	if (slicecheck_take(c, s, &err) != -EPROTO || !strstr(err.text, slice_parts[spoil.part].one))
		fail_msg("%s with member %d being %lld: %s", slice_parts[spoil.part].one, spoil.is,
			 (long long)spoil.number, err.text);
	slice_free(s);
	slicecheck_free(c);
}

/* More elements than there may be; they are not there, for none is looked at. */
static void assert_many_refused(const struct slice_part *p)
{
	struct slicecheck *c = slicecheck_create(&info, BUDGET);
	struct slice *s = slice_good();
	struct err err = {.code = 0};

	part_set_number(s, p, p->most + 1);
	assert_int_equal(slicecheck_take(c, s, &err), -EPROTO);
	part_set_number(s, p, 0);
	slice_free(s);
	slicecheck_free(c);
}

/* Every number of every part has its bounds. */
static void test_numbers(void **state)
{
	static const struct {
		unsigned is;
		int64_t number;
	} beyond[] = {
		{MEMBER_EVENT, 2}, {MEMBER_COUNTER, 0}, {MEMBER_CPU | MEMBER_RAN_ON, SLICECHECK_CPUS},
		{MEMBER_CPU | MEMBER_RAN_ON, -2}, {MEMBER_HOST, 1}, {MEMBER_PATH | MEMBER_TASK, 9},
		{MEMBER_PATH | MEMBER_TASK, DICT_TEMP}, {MEMBER_TIME | MEMBER_SINCE, (1ll << 56) + 1},
		{MEMBER_TIME | MEMBER_SINCE, -1},
	};

	(void)state;
	for (int id = 0; id < PART_NR; id++) {
		if (slice_parts[id].most)
			assert_many_refused(&slice_parts[id]);
		for (const struct part_member *m = slice_parts[id].members; m->is; m++)
			for (size_t i = 0; i < sizeof(beyond) / sizeof(*beyond); i++)
				if (m->is & beyond[i].is)
					assert_number_refused(&(struct spoil){(enum part_id)id, m->is, beyond[i].number, 0});
	}
}

/* What ended with one slice is not there in the next one. */
static void test_next(void **state)
{
	struct slicecheck *c = slicecheck_create(&info, BUDGET);
	struct slice *s = slice_good();
	struct err err;

	(void)state;
	slice_release(s, DICT_TASK, 1);
	assert_int_equal(slicecheck_take(c, s, &err), 0);
	slice_free(s);
	s = slice_create();
	s->start = s->end = 100;
	*slice_add_row(s) = (struct slice_row){.path = 1};
	assert_int_equal(slicecheck_take(c, s, &err), 0);
	s->rows[0].task = 1;
	assert_int_equal(slicecheck_take(c, s, &err), -EPROTO);
	s->rows[0].task = 0;
	s->start = 99;
	assert_int_equal(slicecheck_take(c, s, &err), -EPROTO);
	slice_free(s);
	slicecheck_free(c);
}

/* Numbers of events and lists rise by what is said of them, as far as there may be more. */
static void test_changes(void **state)
{
	struct slicecheck *c = slicecheck_create(&info, BUDGET);
	struct slice *s = slice_create();
	size_t held = slicecheck_held(c);
	struct err err;

	(void)state;
	slicecheck_more_events(c, 1);
	*slice_add_change(s) = (struct slice_change){.event = 2, .on = true, .by_nr = 3};
	slice_add_list(s)->by = 2;
	*slice_add_field(s) = (struct slice_field){.event = 2, .by = 3};
	*slice_add_field(s) = (struct slice_field){.event = 0, .by = 2};
	*slice_add_row(s) = (struct slice_row){.event = 2};
	assert_int_equal(slicecheck_take(c, s, &err), 0);
	assert_true(slicecheck_held(c) > held);
	s->nlists = 0;
	s->changes[0].event = 3;
	assert_int_equal(slicecheck_take(c, s, &err), -EPROTO);
	slice_free(s);
	slicecheck_free(c);
}

/* An event comes behind all others: receivers make room for it when its change comes. */
static void test_changes_in_order(void **state)
{
	static const uint16_t orders[][3] = {{2, 3, 2}, {3, 2, 3}};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct slicecheck *c = slicecheck_create(&info, BUDGET);
		struct slice *s = slice_create();
		struct err err;

		slicecheck_more_events(c, 2);
		for (unsigned n = 0; n < 3; n++)
			*slice_add_change(s) = (struct slice_change){.event = orders[i][n], .on = true};
		assert_int_equal(slicecheck_take(c, s, &err), i ? -EPROTO : 0);
		slice_free(s);
		slicecheck_free(c);
	}
}

/* Call paths in keys: where the list has one, by what was said of it in a slice or in the session's info. */
static void test_paths(void **state)
{
	struct session_info keyed = info;
	struct session_event both[2] = {events[0], events[1]};
	struct slicecheck *c;
	struct slice *s = slice_good();
	struct err err = {.code = 0};

	(void)state;
	both[1].by_nr = 1;
	strcpy(both[1].by_kinds, "np");
	keyed.events = both;
	assert_int_equal(slicecheck_info(&keyed, &err), 0);
	c = slicecheck_create(&keyed, BUDGET);
	*slice_add_field(s) = (struct slice_field){.event = 1, .by = 1, .path = 1};
	*slice_add_change(s) = (struct slice_change){.event = 0, .by_nr = 5, .by_kinds = "p"};
	*slice_add_field(s) = (struct slice_field){.event = 0, .by = 5, .path = 1};
	by_path(s, 4, "sp");
	*slice_add_field(s) = (struct slice_field){.event = 1, .by = 4, .path = 1};
	*slice_add_field(s) = (struct slice_field){.event = 1, .by = 4, .rest = true};
	if (slicecheck_take(c, s, &err))
		fail_msg("%s", err.text);
	slice_free(s);
	s = slice_create();
	s->start = s->end = 100;
	*slice_add_field(s) = (struct slice_field){.event = 1, .by = 4, .path = 1};
	assert_int_equal(slicecheck_take(c, s, &err), 0);
	s->fields[0].by = 3;
	assert_int_equal(slicecheck_take(c, s, &err), -EPROTO);
	s->nfields = 0;
	/* Not without end. */
	for (unsigned by = 10; by < 4000; by++)
		by_path(s, (uint16_t)by, "p");
	assert_int_equal(slicecheck_take(c, s, &err), 0);
	for (size_t i = 0; i < s->nlists; i++)
		s->lists[i].by += 4000;
	assert_int_equal(slicecheck_take(c, s, &err), -EPROTO);
	slice_free(s);
	slicecheck_free(c);
	strcpy(both[0].by_kinds, "pp");
	assert_int_equal(slicecheck_info(&keyed, &err), -EPROTO);
	strcpy(both[0].by_kinds, "q");
	assert_int_equal(slicecheck_info(&keyed, &err), -EPROTO);
}

static void test_latency(void **state)
{
	struct session_info none = info;
	struct err err;

	(void)state;
	none.between.wanted = false;
	for (int wanted = 0; wanted < 2; wanted++) {
		struct slicecheck *c = slicecheck_create(wanted ? &info : &none, BUDGET);
		struct slice *s = slice_create();

		latency(s);
		assert_int_equal(slicecheck_take(c, s, &err), wanted ? 0 : -EPROTO);
		slice_free(s);
		slicecheck_free(c);
	}
	/* Asked for later, or given up by now. */
	for (int later = 0; later < 2; later++) {
		struct session_info changed = none;
		struct slice *s = slice_create();
		struct slicecheck *c;

		changed.between.nr = !later;
		c = slicecheck_create(&changed, BUDGET);
		latency(s);
		if (later)
			between(s, 1, 0);
		assert_int_equal(slicecheck_take(c, s, &err), 0);
		slice_free(s);
		slicecheck_free(c);
	}
}

static void test_info(void **state)
{
	struct session_event unitless = {.name = "x"};
	struct session_info bad_info = info;
	struct err err;

	(void)state;
	assert_int_equal(slicecheck_info(&info, &err), 0);
	bad_info.cpus = SLICECHECK_CPUS + 1;
	assert_int_equal(slicecheck_info(&bad_info, &err), -EPROTO);
	bad_info.cpus = 1;
	strcpy(bad_info.nodes, "0:0-1;1:2-3");
	assert_int_equal(slicecheck_info(&bad_info, &err), 0);
	strcpy(bad_info.nodes, "0:0-1;1:\033[2J");
	assert_int_equal(slicecheck_info(&bad_info, &err), -EPROTO);
	bad_info.nodes[0] = '\0';
	bad_info.between.to = 2;
	assert_int_equal(slicecheck_info(&bad_info, &err), -EPROTO);
	bad_info.between.to = 0;
	assert_int_equal(slicecheck_info(&bad_info, &err), -EPROTO);
	bad_info.between.wanted = false;
	bad_info.nevents = 1;
	bad_info.events = &unitless;
	assert_int_equal(slicecheck_info(&bad_info, &err), -EPROTO);
	bad_info.nevents = 5000;
	assert_int_equal(slicecheck_info(&bad_info, &err), -EPROTO);
	bad_info.nevents = 0; /* what is shown is of an event */
	assert_int_equal(slicecheck_info(&bad_info, &err), -EPROTO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_believed), cmocka_unit_test(test_budget), cmocka_unit_test(test_refused),
		cmocka_unit_test(test_numbers), cmocka_unit_test(test_next),     cmocka_unit_test(test_info), cmocka_unit_test(test_changes), cmocka_unit_test(test_changes_in_order), cmocka_unit_test(test_paths), cmocka_unit_test(test_latency),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
