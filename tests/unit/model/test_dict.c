/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/core/dict.h"
#include "model/core/dictgc.h"
#include "core/slice/slice.h"

static void say_string(struct slice *s, uint32_t id, const char *text, uint32_t len)
{
	struct dict_string v = {.id = id, .text = text, .len = len};

	assert_int_equal(slice_upsert(s, DICT_STRING, &v), 0);
}

static void say_frame(struct slice *s, uint32_t id, uint32_t symbol, uint64_t addr)
{
	struct dict_frame v = {.id = id, .object = 1, .symbol = symbol, .addr = addr};

	assert_int_equal(slice_upsert(s, DICT_FRAME, &v), 0);
}

static void say_path(struct slice *s, uint32_t id, uint32_t frame)
{
	struct dict_path v = {.id = id, .frame = frame};

	assert_int_equal(slice_upsert(s, DICT_PATH, &v), 0);
}

static void apply(struct dict *d, struct slice *s)
{
	assert_int_equal(dict_apply(d, &s->dict), 0);
	dict_release(d, &s->dict);
	slice_free(s);
}

/* A path whose frame was named later is not taken for that of a frame met after a collection. */
static void test_renamed_paths_stay_apart(void **state)
{
	struct dict_object object = {.id = 1, .name = 1, .kind = OBJECT_FILE, .state = OBJECT_LOADING};
	struct dict_symbol symbol = {.id = 1, .name = 2, .object = 1, .addr = 0x1010, .size = 16};
	struct slice *s = slice_create();
	uint32_t named, other;
	struct dict d;

	(void)state;
	assert_int_equal(dict_init(&d), 0);
	say_string(s, 1, "app", 3);
	assert_int_equal(slice_upsert(s, DICT_OBJECT, &object), 0);
	say_frame(s, 1, 0, 0x10);
	say_path(s, 1, 1);
	apply(&d, s);
	s = slice_create();
	say_string(s, 2, "found", 5);
	assert_int_equal(slice_upsert(s, DICT_SYMBOL, &symbol), 0);
	say_frame(s, 1, 1, 0x1010);
	assert_int_equal(slice_release(s, DICT_PATH, 1), 0);
	assert_int_equal(slice_release(s, DICT_FRAME, 1), 0);
	named = dict_translate(&d, DICT_PATH, 1);
	assert_int_not_equal(named, 0);
	apply(&d, s);
	dict_mark_begin(&d);
	dict_mark_path(&d, named);
	dict_collect(&d);
	for (uint32_t i = 2; i < 8; i++) {
		s = slice_create();
		say_frame(s, i, 0, 0x100 * i);
		say_path(s, i, i);
		apply(&d, s);
		other = dict_translate(&d, DICT_PATH, i);
		assert_int_not_equal(other, named);
		assert_int_equal(dict_leaf(&d, other)->addr, 0x100 * i);
	}
	assert_string_equal(dict_string(&d, dict_leaf(&d, named)->symbol), "found");
	dict_clear(&d);
}

/* A function known by its bounds only gets its name later, and its history with it. */
static void test_bounds_are_renamed(void **state)
{
	struct dict_object object = {.id = 1, .name = 1, .kind = OBJECT_FILE, .state = OBJECT_READY};
	struct dict_symbol place = {.id = 1, .name = 2, .object = 1, .addr = 0x1000, .size = 64};
	struct dict_symbol real = {.id = 2, .name = 3, .object = 1, .addr = 0x1000, .size = 64};
	struct dict_frame v = {.id = 1, .object = 1, .addr = 0x1010, .flags = FRAME_PENDING | FRAME_PLACE};
	struct slice *s = slice_create();
	const struct model_function *f;
	struct dict d;
	uint32_t path;

	(void)state;
	assert_int_equal(dict_init(&d), 0);
	say_string(s, 1, "app", 3);
	assert_int_equal(slice_upsert(s, DICT_OBJECT, &object), 0);
	assert_int_equal(slice_upsert(s, DICT_FRAME, &v), 0);
	say_path(s, 1, 1);
	apply(&d, s);
	path = dict_translate(&d, DICT_PATH, 1);

	s = slice_create();
	say_string(s, 2, "app+0x1000", 10);
	assert_int_equal(slice_upsert(s, DICT_SYMBOL, &place), 0);
	v.symbol = 1;
	v.flags = FRAME_PLACE;
	assert_int_equal(slice_upsert(s, DICT_FRAME, &v), 0);
	apply(&d, s);
	f = &d.functions[dict_leaf(&d, path)->function];
	assert_string_equal(dict_string(&d, f->name), "app+0x1000");
	assert_true(f->flags & FUNCTION_UNRESOLVED);

	s = slice_create();
	say_string(s, 3, "work", 4);
	assert_int_equal(slice_upsert(s, DICT_SYMBOL, &real), 0);
	v.symbol = 2;
	v.flags = 0;
	assert_int_equal(slice_upsert(s, DICT_FRAME, &v), 0);
	apply(&d, s);
	f = &d.functions[dict_leaf(&d, path)->function];
	assert_string_equal(dict_string(&d, f->name), "work");
	assert_false(f->flags & FUNCTION_UNRESOLVED);
	assert_int_equal(dict_translate(&d, DICT_PATH, 1), path);
	dict_clear(&d);
}

static void say_task(struct slice *s, uint32_t id, int32_t tid, uint32_t comm)
{
	struct dict_task v = {.id = id, .pid = 10, .tid = tid, .comm = comm, .proc_comm = comm};

	assert_int_equal(slice_upsert(s, DICT_TASK, &v), 0);
}

/* A process whose name came after its first sample is one process, whichever thread told it. */
static void test_process_named_late(void **state)
{
	struct slice *s = slice_create();
	uint32_t process;
	struct dict d;

	(void)state;
	assert_int_equal(dict_init(&d), 0);
	say_string(s, 1, "", 0);
	say_task(s, 1, 10, 1);
	say_task(s, 2, 11, 1);
	apply(&d, s);
	process = d.tasks[dict_translate(&d, DICT_TASK, 1)].process;
	s = slice_create();
	say_string(s, 2, "app", 3);
	say_task(s, 1, 10, 2);
	say_task(s, 3, 12, 2); /* born since */
	apply(&d, s);
	dict_mark_begin(&d);
	dict_collect(&d);
	s = slice_create();
	say_task(s, 2, 11, 2);
	say_task(s, 4, 13, 2);
	apply(&d, s);
	for (uint32_t id = 1; id <= 4; id++)
		assert_int_equal(d.tasks[dict_translate(&d, DICT_TASK, id)].process, process);
	assert_string_equal(dict_string(&d, d.processes[process].name), "app");
	dict_clear(&d);
}

/* Whose a thread is may be said later, and otherwise; answers that were kept hear of it. */
static void test_owner_told_late(void **state)
{
	struct dict_task v = {.id = 1, .pid = 10, .tid = 10, .comm = 1};
	struct slice *s = slice_create();
	const struct model_task *t;
	uint64_t changes;
	struct dict d;

	(void)state;
	assert_int_equal(dict_init(&d), 0);
	say_string(s, 1, "app", 3);
	assert_int_equal(slice_upsert(s, DICT_TASK, &v), 0);
	apply(&d, s);
	t = &d.tasks[dict_translate(&d, DICT_TASK, 1)];
	assert_int_equal(t->user, 0);
	changes = d.changes;
	s = slice_create();
	say_string(s, 2, "nobody", 6);
	say_string(s, 3, "/a", 2);
	v.user = 2;
	v.cgroup = 3;
	v.parent = 1;
	v.ppid = 9;
	assert_int_equal(slice_upsert(s, DICT_TASK, &v), 0);
	apply(&d, s);
	assert_true(d.changes > changes);
	dict_mark_begin(&d);
	dict_collect(&d);
	t = &d.tasks[dict_translate(&d, DICT_TASK, 1)];
	assert_string_equal(dict_string(&d, t->user), "nobody");
	assert_string_equal(dict_string(&d, t->cgroup), "/a");
	assert_string_equal(dict_string(&d, t->parent), "app");
	assert_int_equal(t->ppid, 9);
	dict_clear(&d);
}

static uint32_t process_of(const struct dict *d, uint32_t task)
{
	return d->tasks[dict_translate(d, DICT_TASK, task)].process;
}

static void say_thread(struct slice *s, uint32_t id, int32_t tid, uint32_t comm, uint32_t proc_comm)
{
	struct dict_task v = {.id = id, .pid = 10, .tid = tid, .comm = comm, .proc_comm = proc_comm};

	assert_int_equal(slice_upsert(s, DICT_TASK, &v), 0);
}

/*
 * Threads that name themselves, told before anybody knows what their process is called: none of them
 * lends it its name, and all of them are in the one that its first thread then names.
 */
static void test_thread_is_no_process(void **state)
{
	(void)state;
	for (int order = 0; order < 2; order++) {
		struct slice *s = slice_create();
		struct dict d;

		assert_int_equal(dict_init(&d), 0);
		say_string(s, 1, "worker-4", 8);
		say_string(s, 2, "app", 3);
		say_string(s, 3, "", 0);
		say_thread(s, 1, 14, 3, 0);
		say_thread(s, 2, 15, 1, 0);
		apply(&d, s);
		s = slice_create();
		say_thread(s, 1, 14, 1, order ? 3 : 0);
		apply(&d, s);
		assert_int_equal(process_of(&d, 1), process_of(&d, 2));
		assert_string_equal(dict_string(&d, d.processes[process_of(&d, 1)].name), "");
		s = slice_create();
		if (order)
			say_thread(s, 3, 10, 2, 2);
		else
			say_thread(s, 3, 16, 1, 2);
		say_thread(s, 4, 17, 1, 0); /* still without */
		apply(&d, s);
		for (uint32_t id = 1; id <= 4; id++)
			assert_int_equal(process_of(&d, id), process_of(&d, 3));
		assert_string_equal(dict_string(&d, d.processes[process_of(&d, 1)].name), "app");
		dict_clear(&d);
	}
}

/* The process was known by its name already when one of its threads came without. */
static void test_straggler_comes_home(void **state)
{
	struct slice *s = slice_create();
	struct dict d;

	(void)state;
	assert_int_equal(dict_init(&d), 0);
	say_string(s, 1, "worker-4", 8);
	say_string(s, 2, "app", 3);
	say_thread(s, 1, 10, 2, 2);
	say_thread(s, 2, 14, 1, 0);
	say_thread(s, 3, 15, 1, 0);
	apply(&d, s);
	s = slice_create();
	say_thread(s, 2, 14, 1, 2);
	apply(&d, s);
	for (uint32_t id = 2; id <= 3; id++)
		assert_int_equal(process_of(&d, id), process_of(&d, 1));
	dict_clear(&d);
}

/* An object on each of two hosts with a place at one address, which the second has no name for. */
static bool same_place(uint8_t kind, bool build_id, bool *same_function)
{
	struct dict_object object = {.kind = kind, .name = 1, .state = OBJECT_READY, .build_id = {.len = build_id}};
	struct slice *s = slice_create();
	struct dict_frame frame = {.addr = 0x1000};
	struct dict_symbol symbol = {.id = 1, .name = 2, .object = 1, .addr = 0x1000};
	struct dict d;
	bool same;

	assert_int_equal(dict_init(&d), 0);
	say_string(s, 1, "object", 6);
	say_string(s, 2, "here", 4);
	for (object.id = 1; object.id <= 2; object.id++) {
		object.host = (uint16_t)object.id;
		assert_int_equal(slice_upsert(s, DICT_OBJECT, &object), 0);
	}
	assert_int_equal(slice_upsert(s, DICT_SYMBOL, &symbol), 0);
	for (frame.id = 1; frame.id <= 3; frame.id++) {
		frame.object = frame.id < 3 ? frame.id : 2;
		frame.symbol = frame.id == 2 ? 0 : 1;
		frame.addr += frame.id == 3; /* the same function at another place */
		assert_int_equal(slice_upsert(s, DICT_FRAME, &frame), 0);
		say_path(s, frame.id, frame.id);
	}
	apply(&d, s);
	same = dict_translate(&d, DICT_FRAME, 1) == dict_translate(&d, DICT_FRAME, 2);
	*same_function = dict_leaf(&d, dict_translate(&d, DICT_PATH, 1))->function ==
			 dict_leaf(&d, dict_translate(&d, DICT_PATH, 3))->function;
	dict_clear(&d);
	return same;
}

/* An address is the same on two hosts in the same file only; a function is, wherever it is. */
static void test_places_of_hosts(void **state)
{
	static const struct {
		uint8_t kind;
		bool build_id, same;
	} cases[] = {
		{OBJECT_FILE, true, true},    {OBJECT_FILE, false, false}, {OBJECT_KERNEL, true, false},
		{OBJECT_MODULE, true, false}, {OBJECT_JIT, false, false},  {OBJECT_VDSO, true, true},
	};
	bool same_function;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(same_place(cases[i].kind, cases[i].build_id, &same_function), cases[i].same);
		assert_true(same_function);
	}
}

/* What is said of the function of path 1: the other names of its address. */
static const char *also_of(const struct dict *d)
{
	uint32_t path = dict_translate(d, DICT_PATH, 1);

	return dict_string(d, d->functions[dict_leaf(d, path)->function].also);
}

static void say_symbol(struct slice *s, uint32_t id, uint32_t name, uint32_t also)
{
	struct dict_symbol symbol = {.id = id, .name = name, .object = 1, .also = also,
				     .addr = 0x1000, .size = 16};

	assert_int_equal(slice_upsert(s, DICT_SYMBOL, &symbol), 0);
}

/*
 * Other names of a function's address are the function's, as long as it is there, and no other's that has
 * its id later.
 */
static void test_other_names(void **state)
{
	struct dict_object object = {.id = 1, .name = 1, .kind = OBJECT_FILE, .state = OBJECT_READY};
	struct slice *s = slice_create();
	uint32_t path;
	struct dict d;

	(void)state;
	assert_int_equal(dict_init(&d), 0);
	say_string(s, 1, "app", 3);
	say_string(s, 2, "one", 3);
	say_string(s, 3, "2\ntwo", 5);
	assert_int_equal(slice_upsert(s, DICT_OBJECT, &object), 0);
	say_symbol(s, 1, 2, 3);
	say_frame(s, 1, 1, 0x1000);
	say_path(s, 1, 1);
	assert_int_equal(slice_release(s, DICT_STRING, 3), 0);
	apply(&d, s);
	assert_string_equal(also_of(&d), "2\ntwo");
	path = dict_translate(&d, DICT_PATH, 1);
	dict_mark_begin(&d);
	dict_mark_path(&d, path);
	dict_collect(&d);
	assert_string_equal(also_of(&d), "2\ntwo");

	/* The session's symbol is known by them still, where another frame is of it. */
	s = slice_create();
	say_frame(s, 2, 1, 0x1008);
	say_path(s, 2, 2);
	assert_int_equal(slice_release(s, DICT_SYMBOL, 1), 0);
	apply(&d, s);
	assert_string_equal(also_of(&d), "2\ntwo");

	/* Its id is another symbol's, which has none. */
	s = slice_create();
	say_string(s, 4, "alone", 5);
	say_symbol(s, 1, 4, 0);
	say_frame(s, 3, 1, 0x2000);
	say_path(s, 1, 3);
	apply(&d, s);
	assert_string_equal(also_of(&d), "");
	assert_string_equal(dict_string(&d, d.functions[dict_leaf(&d, path)->function].also), "2\ntwo");
	dict_clear(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_renamed_paths_stay_apart),
		cmocka_unit_test(test_bounds_are_renamed),
		cmocka_unit_test(test_process_named_late), cmocka_unit_test(test_owner_told_late),
		cmocka_unit_test(test_thread_is_no_process),
		cmocka_unit_test(test_straggler_comes_home),
		cmocka_unit_test(test_places_of_hosts),
		cmocka_unit_test(test_other_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
