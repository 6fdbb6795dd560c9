/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The resolver with records and rows made by hand, seen through its slices as a front end sees
 * them: every reference must be known when it comes.  Samples of this very process find real names.
 */
#include "names/resolve/resolver.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/budget.h"
#include "names/resolve/frames.h"
#include "names/resolve/frames_kernel.h"
#include "core/table/split.h"
#include "tests/skip.h"

/* --- the receiving side ---------------------------------------------------------------------- */

#define IDS (1u << 18)

static struct receiver {
	bool known[DICT_NR][IDS];
	struct dict_object object[IDS];
	struct dict_symbol symbol[IDS];
	struct dict_frame frame[IDS];
	struct dict_path path[IDS];
	struct dict_task task[IDS];
	char *string[IDS];
} *view;

static void forget_view(void)
{
	for (size_t i = 0; i < IDS; i++)
		free(view->string[i]);
	memset(view, 0, sizeof(*view));
}

static void need(enum dict_kind k, uint32_t id)
{
	assert_true(id < IDS);
	if (id)
		assert_true(view->known[k][id]);
}

static void learn(enum dict_kind k, uint32_t id)
{
	assert_true(id > 0 && id < IDS);
	view->known[k][id] = true;
}

static void take_strings(const struct dict_delta *d)
{
	for (size_t i = 0; i < d->nr[DICT_STRING]; i++) {
		const struct dict_string *s = &d->strings[i];

		learn(DICT_STRING, s->id);
		free(view->string[s->id]);
		view->string[s->id] = strndup(s->text, s->len);
	}
}

static void take_places(const struct dict_delta *d)
{
	for (size_t i = 0; i < d->nr[DICT_OBJECT]; i++) {
		learn(DICT_OBJECT, d->objects[i].id);
		view->object[d->objects[i].id] = d->objects[i];
		need(DICT_STRING, d->objects[i].name);
		need(DICT_STRING, d->objects[i].why);
	}
	for (size_t i = 0; i < d->nr[DICT_SYMBOL]; i++) {
		learn(DICT_SYMBOL, d->symbols[i].id);
		view->symbol[d->symbols[i].id] = d->symbols[i];
		need(DICT_OBJECT, d->symbols[i].object);
		need(DICT_STRING, d->symbols[i].name);
	}
	for (size_t i = 0; i < d->nr[DICT_FRAME]; i++) {
		learn(DICT_FRAME, d->frames[i].id);
		view->frame[d->frames[i].id] = d->frames[i];
		need(DICT_OBJECT, d->frames[i].object);
		need(DICT_SYMBOL, d->frames[i].symbol);
	}
}

static void take_slice(const struct slice *s)
{
	const struct dict_delta *d = &s->dict;

	take_strings(d);
	take_places(d);
	for (size_t i = 0; i < d->nr[DICT_PATH]; i++) {
		learn(DICT_PATH, d->paths[i].id);
		view->path[d->paths[i].id] = d->paths[i];
		need(DICT_PATH, d->paths[i].parent);
		need(DICT_FRAME, d->paths[i].frame);
	}
	for (size_t i = 0; i < d->nr[DICT_TASK]; i++) {
		learn(DICT_TASK, d->tasks[i].id);
		view->task[d->tasks[i].id] = d->tasks[i];
		need(DICT_STRING, d->tasks[i].comm);
	}
	for (size_t i = 0; i < s->nrows; i++) {
		assert_true(s->rows[i].path && s->rows[i].task);
		need(DICT_PATH, s->rows[i].path);
		need(DICT_TASK, s->rows[i].task);
	}
	for (int k = 0; k < DICT_NR; k++)
		for (size_t i = 0; i < d->nreleased[k]; i++)
			view->known[k][d->released[k][i]] = false;
}

static const char *text(uint32_t id)
{
	return id ? view->string[id] : "";
}

static const struct dict_frame *leaf(const struct slice_row *row)
{
	return &view->frame[view->path[row->path].frame];
}

static const char *function_of(const struct slice_row *row)
{
	return leaf(row)->symbol ? text(view->symbol[leaf(row)->symbol].name) : "";
}

static const struct dict_object *object_of(const struct slice_row *row)
{
	return &view->object[leaf(row)->object];
}

static const char *name_of(const struct slice_row *row)
{
	return text(object_of(row)->name);
}

static const char *comm_of(const struct slice_row *row)
{
	return text(view->task[row->task].comm);
}

/* --- the sending side ------------------------------------------------------------------------ */

static struct record_layout layout;
static struct slice *slice;

struct bytes {
	_Alignas(8) char data[8192];
	size_t len;
};

static void put(struct bytes *b, const void *data, size_t len)
{
	memcpy(b->data + b->len, data, len);
	b->len += len;
}

static void put64(struct bytes *b, uint64_t v)
{
	put(b, &v, sizeof(v));
}

static void put_string(struct bytes *b, const char *s)
{
	char zero[8] = {0};

	put(b, s, strlen(s));
	put(b, zero, 8 - strlen(s) % 8);
}

static uint64_t two(uint32_t low, uint32_t high)
{
	return (uint64_t)high << 32 | low;
}

static void give(struct resolver *r, struct bytes *b, uint32_t type, uint16_t misc, uint64_t time)
{
	struct perf_event_header h = {.type = type, .misc = misc};
	struct record rec;

	put64(b, 0);
	put64(b, time);
	h.size = (uint16_t)b->len;
	memcpy(b->data, &h, sizeof(h));
	record_open(&layout, (const void *)b->data, &rec);
	resolver_record(r, &rec);
}

static void give_mmap(struct resolver *r, int pid, uint64_t addr, uint64_t len, const char *path,
		      uint64_t time)
{
	struct bytes b = {.len = 8};

	put64(&b, two((uint32_t)pid, (uint32_t)pid));
	put64(&b, addr);
	put64(&b, len);
	put64(&b, 0);
	put64(&b, two(8, 1));
	put64(&b, 4711);
	put64(&b, 0);
	put64(&b, two(5, 2));
	put_string(&b, path);
	give(r, &b, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, time);
}

static void give_comm(struct resolver *r, int pid, const char *comm, bool exec, uint64_t time)
{
	struct bytes b = {.len = 8};

	put64(&b, two((uint32_t)pid, (uint32_t)pid));
	put_string(&b, comm);
	give(r, &b, PERF_RECORD_COMM, exec ? PERF_RECORD_MISC_COMM_EXEC : 0, time);
}

static void give_task(struct resolver *r, uint32_t type, int pid, int ppid, uint64_t time)
{
	struct bytes b = {.len = 8};

	put64(&b, two((uint32_t)pid, (uint32_t)ppid));
	put64(&b, two((uint32_t)pid, (uint32_t)ppid));
	put64(&b, time);
	give(r, &b, type, 0, time);
}

static uint64_t measured; /* ns */

static void begin_after(struct resolver *r, uint64_t ns)
{
	slice = slice_create();
	assert_non_null(slice);
	measured += ns;
	resolver_begin(r, slice, measured);
}

static void begin(struct resolver *r)
{
	begin_after(r, 100 * NSEC_PER_MSEC);
}

static void end(struct resolver *r, uint64_t time)
{
	resolver_end(r, time);
	take_slice(slice);
}

/* A sample at ip; its row's number in the slice. */
static size_t sample(struct resolver *r, int pid, uint64_t ip, uint16_t mode, uint64_t time)
{
	struct table_row row = {
		.key = {.pid = (uint32_t)pid, .tid = (uint32_t)pid, .mode = mode, .nr = 1},
		.count = {1, 10, time, time}, .ips = &ip,
	};

	assert_int_equal(resolver_row(r, &row), 0);
	return slice->nrows - 1;
}

static struct resolver *create_with(struct resolver_config c)
{
	struct resolver *r;
	struct err err;

	record_layout_init(&layout, PERF_SAMPLE_TID | PERF_SAMPLE_TIME);
	forget_view();
	r = resolver_create(&c, &err);
	assert_non_null(r);
	return r;
}

static struct resolver *create(bool scan)
{
	return create_with((struct resolver_config){.scan = scan, .workers = 2, .self = 7});
}

#define USER   PERF_RECORD_MISC_USER
#define KERNEL PERF_RECORD_MISC_KERNEL
#define TEXT   0x400000

/* --- by time ---------------------------------------------------------------------------------- */

static void test_exec(void **state)
{
	struct resolver *r = create(false);
	size_t before, between, after, late;

	(void)state;
	begin(r);
	give_comm(r, 100, "shell", true, 1);
	give_mmap(r, 100, TEXT, 0x1000, "/nowhere/shell", 2);
	give_task(r, PERF_RECORD_FORK, 200, 100, 10);
	give_comm(r, 200, "first", true, 50);
	give_mmap(r, 200, TEXT, 0x1000, "/nowhere/first", 51);
	give_comm(r, 200, "second", true, 80);
	give_mmap(r, 200, TEXT, 0x1000, "/nowhere/second", 81);
	give_task(r, PERF_RECORD_EXIT, 200, 100, 99);
	before = sample(r, 200, TEXT + 0x10, USER, 40);
	between = sample(r, 200, TEXT + 0x10, USER, 60);
	after = sample(r, 200, TEXT + 0x10, USER, 90);
	end(r, 0);
	assert_string_equal(name_of(&slice->rows[before]), "/nowhere/shell");
	assert_string_equal(comm_of(&slice->rows[before]), "shell");
	assert_string_equal(name_of(&slice->rows[between]), "/nowhere/first");
	assert_string_equal(comm_of(&slice->rows[between]), "first");
	assert_string_equal(name_of(&slice->rows[after]), "/nowhere/second");
	assert_string_equal(comm_of(&slice->rows[after]), "second");
	slice_free(slice);
	/* A reader that was late, after the end of the process. */
	begin(r);
	late = sample(r, 200, TEXT + 0x10, USER, 60);
	end(r, 100);
	assert_string_equal(name_of(&slice->rows[late]), "/nowhere/first");
	assert_string_equal(comm_of(&slice->rows[late]), "first");
	slice_free(slice);
	resolver_free(r);
}

/* A plugin in another's place, and the number of the process given out again. */
static void test_replaced(void **state)
{
	struct resolver *r = create(false);
	size_t first, second, third;

	(void)state;
	begin(r);
	give_comm(r, 100, "host", true, 1);
	give_mmap(r, 100, TEXT, 0x1000, "/nowhere/one.so", 10);
	give_mmap(r, 100, TEXT, 0x1000, "/nowhere/two.so", 20);
	first = sample(r, 100, TEXT, USER, 15);
	second = sample(r, 100, TEXT, USER, 25);
	give_task(r, PERF_RECORD_EXIT, 100, 1, 30);
	give_comm(r, 300, "other", true, 1);
	give_mmap(r, 300, TEXT, 0x1000, "/nowhere/other", 1);
	give_task(r, PERF_RECORD_FORK, 100, 300, 40);
	third = sample(r, 100, TEXT, USER, 45);
	end(r, 0);
	assert_string_equal(name_of(&slice->rows[first]), "/nowhere/one.so");
	assert_string_equal(name_of(&slice->rows[second]), "/nowhere/two.so");
	assert_string_equal(name_of(&slice->rows[third]), "/nowhere/other");
	assert_string_equal(comm_of(&slice->rows[third]), "other");
	slice_free(slice);
	resolver_free(r);
}

/* --- rows that are kept apart by time --------------------------------------------------------------- */

/* What a reader makes of a sample. */
static void split_sample(struct resolver *r, const struct split *split, int pid, uint64_t time)
{
	uint64_t ip = TEXT;
	struct table_row row = {
		.key = {.pid = (uint32_t)pid, .tid = (uint32_t)pid, .mode = USER, .nr = 1,
			.epoch = split_epoch(split, (uint32_t)pid, time, NULL, 0)},
		.count = {1, 10, time, time}, .ips = &ip,
	};

	assert_int_equal(resolver_row(r, &row), 0);
}

#define AGES 1000000ull /* ns between two maps at one place */

/* Only those whose code changes its place are kept apart, from the next tick on, and for a while. */
static void test_split(void **state)
{
	struct split split = {0};
	struct resolver_config c = {.workers = 1, .self = 7, .split = &split};
	struct resolver *r;
	struct err err;
	uint64_t time = 0;

	(void)state;
	record_layout_init(&layout, PERF_SAMPLE_TID | PERF_SAMPLE_TIME);
	forget_view();
	r = resolver_create(&c, &err);
	begin(r);
	give_mmap(r, 100, TEXT, 0x1000, "/nowhere/one.so", time += AGES);
	give_mmap(r, 100, TEXT, 0x1000, "/nowhere/one.so", time += AGES); /* mprotect: nothing new */
	give_mmap(r, 200, TEXT, 0x1000, "/nowhere/else.so", time);
	resolver_ready(r);
	assert_int_equal(split_epoch(&split, 100, time, NULL, 0), 0);
	give_mmap(r, 100, TEXT, 0x1000, "/nowhere/two.so", time += AGES);
	resolver_ready(r);
	assert_int_not_equal(split_epoch(&split, 100, time, NULL, 0), split_epoch(&split, 100, time + AGES, NULL, 0));
	assert_int_equal(split_epoch(&split, 200, time, NULL, 0), 0);
	end(r, time);
	slice_free(slice);

	begin(r);
	for (unsigned i = 1; i <= 10; i++)
		give_mmap(r, 100, TEXT, 0x1000, i % 2 ? "/nowhere/one.so" : "/nowhere/two.so", time + i * AGES);
	resolver_ready(r);
	for (unsigned i = 1; i <= 10; i++)
		split_sample(r, &split, 100, time + i * AGES + AGES / 2);
	/* Each to its owner, and no more rows than owners. */
	assert_int_equal(slice->nrows, 2);
	end(r, time + 10 * AGES);
	assert_string_equal(name_of(&slice->rows[0]), "/nowhere/one.so");
	assert_string_equal(name_of(&slice->rows[1]), "/nowhere/two.so");
	assert_int_equal(slice->rows[0].samples, 5);
	assert_int_equal(slice->rows[1].samples, 5);
	slice_free(slice);

	for (unsigned tick = 0; tick < 200; tick++) {
		begin(r);
		resolver_ready(r);
		end(r, time + 11 * AGES);
		slice_free(slice);
	}
	assert_int_equal(split.any, 0);
	/* A program in the place of another. */
	begin(r);
	give_comm(r, 300, "first", true, time + 12 * AGES);
	resolver_ready(r);
	assert_int_equal(split.any, 0);
	give_comm(r, 300, "second", true, time + 13 * AGES);
	resolver_ready(r);
	assert_int_not_equal(split_epoch(&split, 300, time, NULL, 0), 0);
	end(r, 0);
	slice_free(slice);
	resolver_free(r);
}

/* --- what is not a plain user address ----------------------------------------------------------- */

static void test_special(void **state)
{
	static const uint64_t chain[] = {(uint64_t)PERF_CONTEXT_KERNEL, 0xffffffff81000010,
					 (uint64_t)PERF_CONTEXT_USER, TEXT + 4, TEXT + 8};
	struct table_row row = {.key = {.pid = 100, .tid = 100, .mode = KERNEL, .nr = 5},
				.count = {3, 30, 5, 5}, .ips = chain};
	struct resolver *r = create(false);
	size_t kernel, exited, idle, self, unmapped;
	struct resolver_stats st;
	uint32_t path;

	(void)state;
	begin(r);
	give_comm(r, 100, "x", true, 1);
	give_mmap(r, 100, TEXT, 0x1000, "/nowhere/x", 2);
	kernel = sample(r, 100, 0xffffffff81000000, KERNEL, 5);
	exited = sample(r, -1, 0xffffffff81000000, KERNEL, 5);
	idle = sample(r, 0, 0xffffffff81000000, KERNEL, 5);
	self = sample(r, 7, 0x1234, USER, 5);
	unmapped = sample(r, 100, 0x10, USER, 5);
	resolver_stats(r, &st);
	assert_int_equal(st.unresolved, 4); /* all but our own */
	assert_int_equal(resolver_row(r, &row), 0);
	/* The path alone is the same, and no sample. */
	row.count.samples = 0;
	assert_int_equal(resolver_path(r, &row), slice->rows[slice->nrows - 1].path);
	end(r, 0);
	assert_string_equal(name_of(&slice->rows[kernel]), "[kernel]");
	assert_true(leaf(&slice->rows[kernel])->flags & FRAME_KERNEL);
	assert_int_equal(object_of(&slice->rows[kernel])->state, OBJECT_NAMELESS);
	assert_string_equal(comm_of(&slice->rows[exited]), "[exited]");
	assert_string_equal(comm_of(&slice->rows[idle]), "swapper");
	assert_string_equal(function_of(&slice->rows[self]), "[ringtop]");
	assert_true(view->task[slice->rows[self].task].flags & TASK_SELF);
	assert_string_equal(name_of(&slice->rows[unmapped]), "[unknown]");
	assert_int_equal(object_of(&slice->rows[unmapped])->kind, OBJECT_UNKNOWN);
	assert_true(*text(object_of(&slice->rows[unmapped])->why));
	/* leaf first in the kernel; its callers below, each by the call it returns from */
	path = slice->rows[slice->nrows - 1].path;
	assert_int_equal(slice->rows[slice->nrows - 1].samples, 3);
	assert_int_equal(view->frame[view->path[path].frame].addr, 0xffffffff81000010);
	path = view->path[path].parent;
	assert_int_equal(view->frame[view->path[path].frame].addr, 4);
	path = view->path[path].parent;
	assert_int_equal(view->frame[view->path[path].frame].addr, 7);
	assert_int_equal(view->path[path].parent, 0);
	slice_free(slice);
	resolver_free(r);
}

/* Who woke a task, with its path in its own address space, and where the task waited, in its. */
/* The kernel gives the pid of a process in another PID namespace as 0, which only the idle task has, and it runs no user code. */
static void test_unseen(void **state)
{
	struct resolver *r = create(false);
	size_t first, second, idle;

	(void)state;
	begin(r);
	first = sample(r, 0, TEXT + 0x10, USER, 40);
	second = sample(r, 0, TEXT + 0x2000, USER, 50);
	idle = sample(r, 0, 0xffffffff81000000, KERNEL, 60);
	end(r, 100);
	assert_string_equal(name_of(&slice->rows[first]), OBJECT_UNSEEN);
	assert_int_equal(slice->rows[first].path, slice->rows[second].path);
	assert_int_not_equal(slice->rows[first].path, slice->rows[idle].path);
	slice_free(slice);
	resolver_free(r);
}

#define TIMERS 0xffffffffc0002000

static void test_woken(void **state)
{
	struct bytes timers = {.len = 8};
	const uint64_t chain[] = {TABLE_MARK_WAKER, 200ull << 32 | 200, (uint64_t)PERF_CONTEXT_USER, TEXT + 4, TEXT + 8,
				  TABLE_MARK_WAIT, USER, TEXT + 0x10, TEXT + 0x20};
	const uint64_t nobody[] = {TABLE_MARK_WAKER, TABLE_NOBODY, TABLE_MARK_WAIT, USER, TEXT + 0x10};
	const uint64_t cut[] = {TABLE_MARK_WAIT, TABLE_MARK_WAKER};
	const uint64_t by_timer[] = {TABLE_MARK_WAKER, 0, (uint64_t)PERF_CONTEXT_KERNEL, TIMERS - 0x100, TIMERS + 9,
				     TABLE_MARK_WAIT, USER, TEXT + 0x10};
	const uint64_t by_other[] = {TABLE_MARK_WAKER, 0, (uint64_t)PERF_CONTEXT_KERNEL, TIMERS - 0x100, TABLE_MARK_WAIT,
				     KERNEL, TIMERS + 9};
	static const struct {
		const char *function, *object;
		uint64_t addr;
	} expected[] = {
		{"waker (200)", "[wakers]", 200ull << 32 | 200}, {NULL, "/nowhere/waker", 4}, {NULL, "/nowhere/waker", 7},
		{"[woken by]", "[woken by]", 0}, {NULL, "/nowhere/waits", 0x10}, {NULL, "/nowhere/waits", 0x1f},
	};
	struct table_row row = {.key = {.pid = 100, .tid = 100, .mode = KERNEL, .nr = 9}, .count = {3, 30, 5, 5}, .ips = chain};
	struct resolver *r = create(false);
	uint32_t path;

	(void)state;
	begin(r);
	put64(&timers, TIMERS);
	put64(&timers, two(64, PERF_RECORD_KSYMBOL_TYPE_OOL));
	put_string(&timers, "__hrtimer_run_queues");
	give(r, &timers, PERF_RECORD_KSYMBOL, 0, 1);
	give_comm(r, 100, "waits", true, 1);
	give_mmap(r, 100, TEXT, 0x1000, "/nowhere/waits", 2);
	give_comm(r, 200, "waker", true, 1);
	give_mmap(r, 200, TEXT, 0x1000, "/nowhere/waker", 2);
	assert_int_equal(resolver_row(r, &row), 0);
	row.ips = nobody;
	row.key.nr = 5;
	assert_int_equal(resolver_row(r, &row), 0);
	row.ips = by_timer;
	row.key.nr = 8;
	assert_int_equal(resolver_row(r, &row), 0);
	row.ips = by_other;
	row.key.nr = 7;
	assert_int_equal(resolver_row(r, &row), 0);
	/* What a file claims may end anywhere. */
	row.ips = cut;
	row.key.nr = 2;
	assert_int_equal(resolver_row(r, &row), 0);
	end(r, 0);
	path = slice->rows[0].path;
	for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++, path = view->path[path].parent) {
		const struct dict_frame *f = &view->frame[view->path[path].frame];

		assert_string_equal(text(view->object[f->object].name), expected[i].object);
		assert_int_equal(f->addr, expected[i].addr);
		if (expected[i].function)
			assert_string_equal(text(view->symbol[f->symbol].name), expected[i].function);
	}
	assert_int_equal(path, 0);
	assert_string_equal(comm_of(&slice->rows[0]), "waits");
	assert_string_equal(function_of(&slice->rows[1]), "[waker unknown]");
	assert_string_equal(function_of(&slice->rows[2]), "[timer] (0)");
	assert_string_equal(function_of(&slice->rows[3]), "[interrupt] (0)");
	slice_free(slice);
	resolver_free(r);
}

/* What we fork is ours, though it has ended and its number is another's when its samples come. */
static void test_helper(void **state)
{
	struct resolver *r = create(false);
	size_t helper, other, reused;

	(void)state;
	begin(r);
	give_task(r, PERF_RECORD_FORK, 50, 7, 10);
	give_comm(r, 50, "helper", true, 11);
	give_task(r, PERF_RECORD_FORK, 51, 100, 12);
	give_task(r, PERF_RECORD_EXIT, 50, 7, 20);
	helper = sample(r, 50, 0x1234, USER, 15);
	other = sample(r, 51, 0x1234, USER, 15);
	end(r, 0);
	assert_string_equal(function_of(&slice->rows[helper]), "[ringtop]");
	assert_true(view->task[slice->rows[helper].task].flags & TASK_SELF);
	assert_string_not_equal(function_of(&slice->rows[other]), "[ringtop]");
	slice_free(slice);
	begin(r);
	give_task(r, PERF_RECORD_FORK, 50, 100, 30);
	reused = sample(r, 50, 0x1234, USER, 35);
	end(r, 0);
	assert_string_not_equal(function_of(&slice->rows[reused]), "[ringtop]");
	slice_free(slice);
	resolver_free(r);
}

/* Marks alone, or nothing but what is behind a mark that nobody knows: the sample counts. */
static void test_no_path(void **state)
{
	static const uint64_t odd = (uint64_t)PERF_CONTEXT_USER ^ 0x40;
	static const uint64_t chains[][2] = {
		{odd, TEXT}, {(uint64_t)PERF_CONTEXT_KERNEL, (uint64_t)PERF_CONTEXT_USER},
		{(uint64_t)PERF_CONTEXT_GUEST, TEXT},
	};
	struct resolver *r = create(false);

	(void)state;
	begin(r);
	for (size_t i = 0; i < sizeof(chains) / sizeof(*chains); i++)
		assert_int_equal(resolver_row(r, &(struct table_row){
			.key = {.pid = 100, .tid = 100, .mode = USER, .nr = 2},
			.count = {3, 30, 5, 5}, .ips = chains[i]}), 0);
	end(r, 0);
	assert_int_equal(slice->nrows, sizeof(chains) / sizeof(*chains));
	for (size_t i = 0; i < slice->nrows; i++)
		assert_string_equal(function_of(&slice->rows[i]), i == 1 ? "[broken]" : "[truncated]");
	slice_free(slice);
	resolver_free(r);
}

static void give_kernel_mmap(struct resolver *r, uint64_t addr, uint64_t pgoff, const char *path)
{
	struct bytes b = {.len = 8};

	put64(&b, UINT64_MAX); /* pid -1 */
	put64(&b, addr);
	put64(&b, 0x10000);
	put64(&b, pgoff);
	put_string(&b, path);
	give(r, &b, PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL, 0);
}

/* In a recording what is in a module and has no name is told by its place in the module's file. */
static void test_recorded_module(void **state)
{
	struct resolver *r = create_with((struct resolver_config){
		.recorded = true, .workers = 1, .kernel_why = "no symbols here"});
	size_t module, kernel;

	(void)state;
	begin(r);
	give_kernel_mmap(r, 0xffffffff81000000, 0xffffffff81000000, "[kernel.kallsyms]_text");
	give_kernel_mmap(r, 0xffffffffc0300000, 0, "/lib/modules/6.1/kernel/fs/some-fs.ko");
	module = sample(r, 100, 0xffffffffc0301234, KERNEL, 5);
	kernel = sample(r, 100, 0xffffffff81001234, KERNEL, 5);
	end(r, 0);
	assert_string_equal(name_of(&slice->rows[module]), "[some_fs]");
	assert_int_equal(leaf(&slice->rows[module])->addr, 0x1234);
	assert_string_equal(text(object_of(&slice->rows[module])->why), "no symbols here");
	assert_string_equal(name_of(&slice->rows[kernel]), "[kernel]");
	assert_int_equal(leaf(&slice->rows[kernel])->addr, 0xffffffff81001234);
	slice_free(slice);
	resolver_free(r);
}

/* The address of schedule() here; 0: hidden. */
static uint64_t find_schedule(void)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	uint64_t found = 0;
	char line[256];

	while (f && !found && fgets(line, sizeof(line), f))
		if (strstr(line, " T schedule\n"))
			found = strtoull(line, NULL, 16);
	if (f)
		fclose(f);
	return found;
}

/* Rows of a file have the kernel's names in their own slice, however late these are read: they say what is idle. */
static void test_recorded_kernel(void **state)
{
	const uint64_t schedule = find_schedule();
	struct resolver *r;
	bool named;
	size_t row;

	(void)state;
	if (!schedule)
		SKIP("/proc/kallsyms hides the kernel's addresses");
	r = create_with((struct resolver_config){.recorded = true, .workers = 1, .kernel = true});
	begin(r);
	row = sample(r, 100, schedule + 4, KERNEL, 5);
	end(r, 0);
	named = !strcmp(function_of(&slice->rows[row]), "schedule");
	slice_free(slice);
	resolver_free(r);
	assert_true(named);
}

static void test_hostile(void **state)
{
	static const char comm[] = "\x1b[2J\n\xff\x7f";
	static const char path[] = "/tmp/new\nline\x1b]0;x\x07";
	struct bytes cut = {.len = 8};
	struct resolver *r = create(false);
	struct resolver_stats st;
	size_t row, wrapped;

	(void)state;
	begin(r);
	give_comm(r, 100, comm, true, 1);
	give_mmap(r, 100, TEXT, 0x1000, path, 2);
	give_mmap(r, 100, UINT64_MAX - 0xfff, 0x2000, "/wraps", 3);
	give_mmap(r, 100, 0x500000, 0, "/empty", 3);
	put64(&cut, two(100, 100)); /* a COMM without a name, its trailer cut */
	give(r, &cut, PERF_RECORD_COMM, 0, 4);
	give(r, &(struct bytes){.len = 8}, PERF_RECORD_FORK, 0, 5);
	give(r, &(struct bytes){.len = 8}, PERF_RECORD_EXIT, 0, 5);
	give(r, &(struct bytes){.len = 8}, PERF_RECORD_KSYMBOL, 0, 5);
	give(r, &(struct bytes){.len = 8}, 0xffff, 0xffff, 5); /* a kind of the future is no error */
	row = sample(r, 100, TEXT, USER, 10);
	wrapped = sample(r, 100, UINT64_MAX - 0x1100, USER, 10);
	end(r, 0);
	resolver_stats(r, &st);
	assert_int_equal(st.bad_records, 6);
	/* As they are: who shows them escapes them. */
	assert_string_equal(comm_of(&slice->rows[row]), comm);
	assert_string_equal(name_of(&slice->rows[row]), path);
	assert_string_equal(name_of(&slice->rows[wrapped]), "[unknown]");
	slice_free(slice);
	resolver_free(r);
}

/* --- the kernel's code ------------------------------------------------------------------------- */

static void give_ksymbol(struct resolver *r, uint64_t addr, uint32_t len, const char *name, bool goes, uint64_t time)
{
	struct bytes b = {.len = 8};

	put64(&b, addr);
	put64(&b, two(len, PERF_RECORD_KSYMBOL_TYPE_BPF | (goes ? PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER << 16 : 0)));
	put_string(&b, name);
	give(r, &b, PERF_RECORD_KSYMBOL, 0, time);
}

#define CODE 0xffffffffc0001000

/* Programs in turn at one place, all within a tick: each sample is of the one that was there. */
static void test_programs_in_turn(void **state)
{
	struct split split = {.any = 0};
	struct resolver *r = create_with((struct resolver_config){.workers = 1, .split = &split});
	uint64_t ips[] = {CODE + 8, 0xffffffff81000000};
	size_t row[5];

	(void)state;
	begin(r);
	assert_int_equal(split_epoch(&split, 100, 1 << SPLIT_SHIFT, ips, 2), 0);
	give_ksymbol(r, CODE, 64, "bpf_prog_1_alpha", true, 10); /* from before */
	give_ksymbol(r, CODE, 64, "bpf_prog_2_beta", false, 20);
	give_ksymbol(r, CODE, 64, "bpf_prog_2_beta", true, 30);
	give_ksymbol(r, CODE - 16, 64, "bpf_prog_3_gamma", false, 40);
	resolver_ready(r);
	for (unsigned i = 0; i < 5; i++)
		row[i] = sample(r, 100, CODE + 8, KERNEL, 5 + 10 * i);
	end(r, 0);
	assert_string_equal(function_of(&slice->rows[row[0]]), "bpf_prog_1_alpha");
	assert_string_equal(function_of(&slice->rows[row[1]]), "");
	assert_int_equal(object_of(&slice->rows[row[1]])->state, OBJECT_NAMELESS);
	assert_string_equal(function_of(&slice->rows[row[2]]), "bpf_prog_2_beta");
	assert_string_equal(function_of(&slice->rows[row[3]]), "");
	assert_string_equal(function_of(&slice->rows[row[4]]), "bpf_prog_3_gamma");
	assert_string_equal(name_of(&slice->rows[row[4]]), "[bpf]");
	slice_free(slice);

	/* From now on rows of anybody through there are kept apart by time, and no others. */
	assert_int_not_equal(split_epoch(&split, 100, 1 << SPLIT_SHIFT, ips, 2), 0);
	assert_int_equal(split_epoch(&split, 100, 1 << SPLIT_SHIFT, ips + 1, 1), 0);

	/* The first one comes back: it is the one that it was. */
	begin(r);
	give_ksymbol(r, CODE - 16, 64, "bpf_prog_3_gamma", true, 50);
	give_ksymbol(r, CODE, 64, "bpf_prog_1_alpha", false, 60);
	row[0] = sample(r, 200, CODE + 8, KERNEL, 65);
	end(r, 60);
	assert_string_equal(function_of(&slice->rows[row[0]]), "bpf_prog_1_alpha");
	slice_free(slice);
	begin_after(r, 60 * NSEC_PER_SEC); /* nothing changes any more */
	resolver_ready(r);
	end(r, 70);
	assert_int_equal(split_epoch(&split, 100, 1 << SPLIT_SHIFT, ips, 2), 0);
	slice_free(slice);
	resolver_free(r);
}

/* Each sample of a file is of the program that was there, too: rows are resolved before each change. */
static void test_programs_recorded(void **state)
{
	struct resolver *r = create_with((struct resolver_config){.recorded = true, .workers = 1});
	size_t first, second, gone;

	(void)state;
	begin(r);
	give_ksymbol(r, CODE, 64, "bpf_prog_1_alpha", false, 10);
	first = sample(r, 100, CODE + 8, KERNEL, 15);
	give_ksymbol(r, CODE, 64, "bpf_prog_1_alpha", true, 20);
	gone = sample(r, 100, CODE + 8, KERNEL, 25);
	give_ksymbol(r, CODE, 64, "bpf_prog_2_beta", false, 30);
	second = sample(r, 100, CODE + 8, KERNEL, 35);
	end(r, 0);
	assert_string_equal(function_of(&slice->rows[first]), "bpf_prog_1_alpha");
	assert_string_equal(function_of(&slice->rows[gone]), "");
	assert_string_equal(function_of(&slice->rows[second]), "bpf_prog_2_beta");
	slice_free(slice);
	resolver_free(r);
}

static char kallsyms_fifo[64];

/* The kernel is in no hurry with its symbols: whoever reads them gets the first when the last slice is being made. */
static void *write_symbols(void *arg)
{
	FILE *f;

	sem_wait(arg);
	f = fopen(kallsyms_fifo, "we");
	if (f)
		fputs("ffffffff81000000 T _text\nffffffff81000100 T do_one\nffffffff81000200 T do_two\n", f);
	return f && !fclose(f) ? arg : NULL;
}

/* A COMMAND has ended before the kernel's symbols were read: the last slice has its names all the same. */
static void test_last_waits_for_kernel(void **state)
{
	struct resolver *r = create(false);
	pthread_t writer;
	size_t row;
	sem_t last;
	void *ret;

	(void)state;
	snprintf(kallsyms_fifo, sizeof(kallsyms_fifo), "/tmp/test_resolver.%d.kallsyms", (int)getpid());
	assert_int_equal(mkfifo(kallsyms_fifo, 0600), 0);
	assert_int_equal(sem_init(&last, 0, 0), 0);
	assert_int_equal(pthread_create(&writer, NULL, write_symbols, &last), 0);
	r->kernel.kallsyms_file = kallsyms_fifo;
	begin(r);
	frames_kernel_read(r);
	row = sample(r, 100, 0xffffffff81000110, KERNEL, 10);
	sem_post(&last);
	resolver_last(r, 0);
	end(r, 20);
	assert_string_equal(function_of(&slice->rows[row]), "do_one");
	assert_int_equal(pthread_join(writer, &ret), 0);
	assert_non_null(ret);
	unlink(kallsyms_fifo);
	sem_destroy(&last);
	slice_free(slice);
	resolver_free(r);
}

/* --- with /proc --------------------------------------------------------------------------------- */

int resolver_landmark(int x);

__attribute__((noinline)) int resolver_landmark(int x)
{
	return x * 3 + 1;
}

/* The record of a file's code, or of memory, that is mapped in this process. */
static void give_own_mmap(struct resolver *r, void *at, uint64_t len, const char *path, uint64_t ino, uint64_t time)
{
	struct bytes b = {.len = 8};

	put64(&b, two((uint32_t)getpid(), (uint32_t)getpid()));
	put64(&b, (uint64_t)(uintptr_t)at);
	put64(&b, len);
	put64(&b, 0);
	put64(&b, ino ? two(8, 1) : 0);
	put64(&b, ino);
	put64(&b, 0);
	put64(&b, two(5, 2));
	put_string(&b, path);
	give(r, &b, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, time);
}

/* Code that a program has copied of its own over it is the file's; code that a JIT puts there is not. */
static void test_copied_code(void **state)
{
	char path[64] = "/tmp/test_resolver.XXXXXX";
	struct resolver *r = create(true);
	unsigned char *area, bytes[8192];
	size_t before, copied, jit;
	struct stat st;
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)(i * 2654435761u >> 13);
	assert_int_equal(write(fd, bytes, sizeof(bytes)), sizeof(bytes));
	assert_int_equal(fstat(fd, &st), 0);
	area = mmap(NULL, sizeof(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(area, MAP_FAILED);
	memcpy(area, bytes, sizeof(bytes));
	begin(r);
	give_comm(r, getpid(), "test", true, 1);
	give_own_mmap(r, area, sizeof(bytes), path, st.st_ino, 2);
	before = sample(r, getpid(), (uint64_t)(uintptr_t)area + 16, USER, 3);
	give_own_mmap(r, area, sizeof(bytes), "//anon", 0, 4);
	assert_true(resolver_settle(r, -1, UINT64_MAX));
	copied = sample(r, getpid(), (uint64_t)(uintptr_t)area + 32, USER, 5);
	memset(area, 0xc3, sizeof(bytes));
	give_own_mmap(r, area, sizeof(bytes), "//anon", 0, 6);
	assert_true(resolver_settle(r, -1, UINT64_MAX));
	jit = sample(r, getpid(), (uint64_t)(uintptr_t)area + 48, USER, 7);
	assert_true(resolver_settle(r, -1, UINT64_MAX));
	end(r, 8);
	assert_string_equal(name_of(&slice->rows[before]), path);
	assert_string_equal(name_of(&slice->rows[copied]), path);
	assert_string_not_equal(name_of(&slice->rows[jit]), path);
	assert_int_equal(object_of(&slice->rows[jit])->kind, OBJECT_ANON);
	slice_free(slice);
	munmap(area, sizeof(bytes));
	close(fd);
	unlink(path);
	resolver_free(r);
}

/* Nobody told of us by a record: maps come from /proc, then names from the file. */
static void test_ourselves(void **state)
{
	uint64_t ip = (uint64_t)(uintptr_t)resolver_landmark;
	struct resolver *r = create(true);
	struct resolver_stats st;
	struct slice_row first;
	char comm[16];
	size_t row;

	(void)state;
	begin(r);
	row = sample(r, getpid(), ip, USER, 100);
	resolver_stats(r, &st);
	assert_int_equal(st.unresolved, 0); /* it is on its way */
	end(r, 0);
	first = slice->rows[row];
	assert_int_equal(object_of(&first)->state, OBJECT_LOADING);
	slice_free(slice);
	for (int i = 0; i < 10 && !*function_of(&first); i++) {
		begin(r);
		assert_true(resolver_settle(r, -1, UINT64_MAX));
		sample(r, getpid(), ip, USER, 200);
		end(r, 0);
		slice_free(slice);
	}
	/* The very frame of the first row has its name now. */
	assert_string_equal(function_of(&first), "resolver_landmark");
	assert_int_equal(object_of(&first)->state, OBJECT_READY);
	begin(r);
	row = sample(r, getpid(), ip + 1, USER, 300);
	end(r, 0);
	assert_string_equal(function_of(&slice->rows[row]), "resolver_landmark");
	assert_string_equal(strrchr(name_of(&slice->rows[row]), '/') + 1,
			    program_invocation_short_name);
	assert_int_equal(prctl(PR_GET_NAME, comm), 0);
	assert_string_equal(comm_of(&slice->rows[row]), comm);
	resolver_stats(r, &st);
	assert_int_equal(st.loading, 0);
	slice_free(slice);
	resolver_free(r);
}

/* --- where memory is short ---------------------------------------------------------------------- */

static uint64_t taken_of(enum budget_class c)
{
	struct budget_figures f;

	budget_figures(&f);
	return f.of[c];
}

/* A tick with a sample of ours, or with none (ip 0); what workers had to do is done. */
static struct slice_row tick(struct resolver *r, uint64_t ip)
{
	struct slice_row row = {.path = 0};
	size_t at = 0;

	begin(r);
	assert_true(resolver_settle(r, -1, UINT64_MAX));
	if (ip)
		at = sample(r, getpid(), ip, USER, 100);
	end(r, 0);
	if (ip)
		row = slice->rows[at];
	slice_free(slice);
	return row;
}

__attribute__((noinline, used)) void resolver_mangled(void) __asm__("_Z16resolver_mangledv");
void resolver_mangled(void)
{
	__asm__ volatile("");
}

/* What the last rows ask for is answered in the last slice: none comes after it. */
static void test_last_names(void **state)
{
	uint64_t ip = (uint64_t)(uintptr_t)resolver_mangled;
	struct resolver *r = create(true);
	struct slice_row row = tick(r, (uint64_t)(uintptr_t)resolver_landmark);
	size_t at;

	(void)state;
	for (int i = 0; i < 10 && !*function_of(&row); i++)
		tick(r, (uint64_t)(uintptr_t)resolver_landmark);
	tick(r, 0);
	begin(r);
	at = sample(r, getpid(), ip, USER, 100);
	resolver_last(r, 10 * NSEC_PER_SEC);
	end(r, 0);
	row = slice->rows[at];
	assert_string_equal(function_of(&row), "resolver_mangled");
	slice_free(slice);
	resolver_free(r);
}

/* Symbols that nobody asked for lately make room; names that were said stay, others come back. */
static void test_evicted(void **state)
{
	uint64_t ip = (uint64_t)(uintptr_t)resolver_landmark, much = BUDGET_DEFAULT / 3 * 2;
	struct resolver *r = create(true);
	struct slice_row first = tick(r, ip), second;

	(void)state;
	for (int i = 0; i < 10 && !*function_of(&first); i++)
		tick(r, ip);
	assert_string_equal(function_of(&first), "resolver_landmark");
	assert_true(taken_of(BUDGET_SYMBOLS) > 0);
	assert_true(budget_take(NULL, BUDGET_MAPS, much));
	for (int i = 0; i < 50; i++)
		tick(r, 0);
	assert_int_equal(taken_of(BUDGET_SYMBOLS), 0);
	budget_give(NULL, BUDGET_MAPS, much);
	assert_string_equal(function_of(&first), "resolver_landmark");
	second = tick(r, ip + 2);
	for (int i = 0; i < 10 && !*function_of(&second); i++)
		tick(r, ip);
	assert_string_equal(function_of(&second), "resolver_landmark");
	assert_true(taken_of(BUDGET_SYMBOLS) > 0);
	resolver_free(r);
	assert_int_equal(taken_of(BUDGET_SYMBOLS), 0);
	assert_int_equal(taken_of(BUDGET_READING), 0);
}

/* What was refused for others' sake says so, and is named when they have gone. */
static void test_crowded_out(void **state)
{
	uint64_t ip = (uint64_t)(uintptr_t)resolver_landmark, much = BUDGET_DEFAULT / 4 * 3 - (96u << 10);
	struct resolver *r = create(true);
	struct slice_row first;

	(void)state;
	assert_true(budget_take(NULL, BUDGET_MAPS, much));
	first = tick(r, ip);
	for (int i = 0; i < 10 && object_of(&first)->state == OBJECT_LOADING; i++)
		tick(r, ip);
	assert_int_equal(object_of(&first)->state, OBJECT_NAMELESS);
	assert_non_null(strstr(text(object_of(&first)->why), "of --max-memory 512M are in use"));
	assert_true(!*function_of(&first) || strstr(function_of(&first), "+0x")); /* by its bounds */
	budget_give(NULL, BUDGET_MAPS, much);
	for (int i = 0; i < 250 && strcmp(function_of(&first), "resolver_landmark"); i++)
		tick(r, ip);
	assert_string_equal(function_of(&first), "resolver_landmark");
	assert_int_equal(object_of(&first)->state, OBJECT_READY);
	resolver_free(r);
	assert_int_equal(taken_of(BUDGET_SYMBOLS), 0);
}

/* What the table refused is a row that can be seen, and marked as lost. */
static void test_table_full(void **state)
{
	struct resolver *r = create(false);
	const struct slice_row *row;

	(void)state;
	begin(r);
	assert_int_equal(resolver_lost(r, RESOLVER_TABLE_FULL, 0, 1, 7, 70), 0);
	end(r, 0);
	assert_int_equal(slice->nrows, 1);
	row = &slice->rows[0];
	assert_int_equal(row->samples, 7);
	assert_int_equal(row->weight, 70);
	assert_string_equal(name_of(row), "[table full]");
	assert_int_equal(slice->dict.frames[slice->dict.nr[DICT_FRAME] - 1].flags, FRAME_LOST);
	slice_free(slice);
	resolver_free(r);
}

/* Without memory for its path a sample counts all the same, where that can be seen. */
static void test_dictionary_full(void **state)
{
	struct resolver *r;
	unsigned refused = 0;
	uint64_t samples = 0;

	(void)state;
	budget_set_limit(1u << 20);
	r = create(false);
	begin(r);
	for (uint64_t i = 0; i < 20000; i++)
		sample(r, getpid(), 0x10000 + i * 64, USER, 100);
	end(r, 0);
	for (size_t i = 0; i < slice->nrows; i++) {
		samples += slice->rows[i].samples;
		refused += !strcmp(name_of(&slice->rows[i]), "[out of memory]");
	}
	assert_int_equal(samples, 20000);
	assert_in_range(refused, 1, 19999);
	assert_int_equal(slice->nlogs, 1);
	assert_non_null(strstr(slice->logs[0].text, "of --max-memory 1M; what is new has no name"));
	slice_free(slice);
	resolver_free(r);
	assert_int_equal(taken_of(BUDGET_NAMES), 0);
	budget_set_limit(BUDGET_DEFAULT);
}

/* --- names that come late --------------------------------------------------------------------------- */

static sem_t workers_may;

static void wait_for_leave(void)
{
	sem_wait(&workers_may);
	sem_post(&workers_may);
}

/* A sample of ours, then `nr` slices of `ns` each while no worker comes to anything; then what they say of it. */
static struct slice_row name_after(unsigned nr, uint64_t ns, bool *given_up)
{
	struct resolver_stats st;
	struct resolver *r;
	struct slice_row first;

	sem_init(&workers_may, 0, 0);
	r = create_with((struct resolver_config){.scan = true, .workers = 2, .worker_begin = wait_for_leave});
	begin(r);
	sample(r, getpid(), (uint64_t)(uintptr_t)resolver_landmark, USER, 100);
	first = slice->rows[0];
	end(r, 0);
	slice_free(slice);
	*given_up = false;
	for (unsigned i = 0; i < nr; i++) {
		begin_after(r, ns);
		end(r, 0);
		*given_up = *given_up || slice->nlogs;
		slice_free(slice);
	}
	resolver_stats(r, &st);
	assert_int_equal(st.names_given_up > 0, *given_up);
	sem_post(&workers_may);
	for (int i = 0; i < 10; i++) {
		begin_after(r, 0);
		assert_true(resolver_settle(r, -1, UINT64_MAX));
		end(r, 0);
		slice_free(slice);
	}
	resolver_free(r);
	sem_destroy(&workers_may);
	return first;
}

/* Many ticks in a moment, or few in a long time: the very frame that was said first gets its name. */
static void test_late_names(void **state)
{
	struct slice_row row;
	bool given_up;

	(void)state;
	row = name_after(3000, 100000, &given_up);
	assert_string_equal(function_of(&row), "resolver_landmark");
	assert_false(given_up);
	row = name_after(200, NSEC_PER_SEC, &given_up);
	assert_string_equal(function_of(&row), "resolver_landmark");
	assert_false(given_up);
	/* But not for ever. */
	row = name_after(320, NSEC_PER_SEC, &given_up);
	assert_false(view->known[DICT_PATH][row.path]);
	assert_true(given_up);
}

/* Closed while everything is on its way. */
static void test_closed_early(void **state)
{
	(void)state;
	for (int i = 0; i < 20; i++) {
		struct resolver *r = create(true);

		begin(r);
		sample(r, getpid(), (uint64_t)(uintptr_t)resolver_landmark, USER, 100);
		sample(r, getpid(), (uint64_t)(uintptr_t)printf, USER, 100);
		end(r, 0);
		slice_free(slice);
		resolver_free(r);
	}
}

/* --- storms --------------------------------------------------------------------------------------- */

#define FORKS 100 /* a tick */

static void storm_tick(struct resolver *r, unsigned tick)
{
	begin(r);
	for (unsigned i = 0; i < FORKS; i++) {
		uint64_t time = tick * 1000ull + i * 10;
		int pid = 1000 + (int)((tick * FORKS + i) % 30000);
		char name[40];

		snprintf(name, sizeof(name), "job%u", tick * FORKS + i);
		give_task(r, PERF_RECORD_FORK, pid, 100, time);
		give_comm(r, pid, name, true, time + 1);
		give_mmap(r, pid, TEXT, 0x1000, "/nowhere/storm", time + 2);
		snprintf(name, sizeof(name), "/nowhere/plugin%u", (tick * FORKS + i) % 5000);
		give_mmap(r, pid, 0x500000, 0x1000, name, time + 3);
		give_mmap(r, pid, 0x500000, 0x1000, "/nowhere/again", time + 4);
		sample(r, pid, TEXT + i, USER, time + 5);
		sample(r, pid, 0x500000 + i, USER, time + 3);
		sample(r, pid, 0xdead000 + tick * FORKS + i, USER, time + 5);
		give_task(r, PERF_RECORD_EXIT, pid, 100, time + 6);
	}
	assert_true(resolver_settle(r, -1, UINT64_MAX));
	end(r, (tick - 1) * 1000ull);
	slice_free(slice);
}

static void test_storm(void **state)
{
	struct resolver *r = create(false);
	struct resolver_stats early = {.tasks = 0}, late;

	(void)state;
	begin(r);
	give_comm(r, 100, "parent", true, 1);
	end(r, 0);
	slice_free(slice);
	for (unsigned tick = 1; tick <= 1200; tick++) {
		storm_tick(r, tick);
		resolver_stats(r, &late);
		assert_true(late.tasks < 6 * FORKS); /* the dead are kept for a few ticks only */
		if (tick == 600)
			early = late;
	}
	assert_true(late.objects <= early.objects + early.objects / 4);
	assert_true(late.bytes <= early.bytes + early.bytes / 4);
	/* When it is over, all of it goes. */
	for (unsigned tick = 0; tick < 600; tick++) {
		begin(r);
		end(r, 1u << 30);
		slice_free(slice);
	}
	resolver_stats(r, &late);
	assert_int_equal(late.tasks, 2); /* the parent, and whom rows without memory are given to */
	assert_int_equal(late.objects, 0);
	resolver_free(r);
}

static int group_setup(void **state)
{
	(void)state;
	view = calloc(1, sizeof(*view));
	return !view;
}

static int group_teardown(void **state)
{
	(void)state;
	forget_view();
	free(view);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exec),	  cmocka_unit_test(test_replaced),
		cmocka_unit_test(test_special), cmocka_unit_test(test_woken), cmocka_unit_test(test_helper),	  cmocka_unit_test(test_no_path),
		cmocka_unit_test(test_unseen),
		cmocka_unit_test(test_recorded_module), cmocka_unit_test(test_recorded_kernel),
		cmocka_unit_test(test_split),
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_table_full), cmocka_unit_test(test_dictionary_full),
		cmocka_unit_test(test_last_names),
		cmocka_unit_test(test_evicted),	  cmocka_unit_test(test_crowded_out),
		cmocka_unit_test(test_ourselves), cmocka_unit_test(test_late_names), cmocka_unit_test(test_closed_early),
		cmocka_unit_test(test_storm),
		cmocka_unit_test(test_programs_in_turn), cmocka_unit_test(test_programs_recorded),
		cmocka_unit_test(test_last_waits_for_kernel), cmocka_unit_test(test_copied_code),
	};

	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
