/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Chains as the kernel and files have them, to paths: where they lead to no code, and marks that nobody knows. */
#include "names/resolve/chain.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "names/resolve/resolver.h"
#include "names/resolve/fpcheck.h"

#define PID  100
#define TEXT 0x400000u
#define LIB  0x500000u
#define JIT  0x600000u
#define VOID 0xe9b5dba5b5c0fbceull /* a word of a hash */

#define USER     ((uint64_t)PERF_CONTEXT_USER)
#define KERNEL   ((uint64_t)PERF_CONTEXT_KERNEL)
#define DEFERRED ((uint64_t)-640) /* PERF_CONTEXT_USER_DEFERRED */
#define ODD      ((uint64_t)-3000)
#define IN_KERNEL 0xffffffff81000010ull

static struct slice *slice;

static void give(struct resolver *r, const struct record *rec, uint32_t type, uint16_t misc)
{
	struct perf_event_header h = {.type = type, .misc = misc, .size = sizeof(h)};
	struct record with = *rec;

	with.h = &h;
	with.whole = true;
	resolver_record(r, &with);
}

static void give_map(struct resolver *r, uint64_t at, const char *path)
{
	give(r, &(struct record){.time = 2, .mmap = {.pid = PID, .tid = PID, .addr = at, .len = 0x1000, .filename = path,
						     .ino = at}},
	     PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
}

static void give_exec(struct resolver *r)
{
	give(r, &(struct record){.time = 1, .comm = {.pid = PID, .tid = PID, .comm = "program", .exec = true}}, PERF_RECORD_COMM,
	     PERF_RECORD_MISC_COMM_EXEC);
}

static void give_maps(struct resolver *r)
{
	give_map(r, TEXT, "/nowhere/program");
	give_map(r, LIB, "/nowhere/lib.so");
	give_map(r, JIT, "//anon");
}

static struct resolver *create(bool scan)
{
	struct err err;
	struct resolver *r = resolver_create(&(struct resolver_config){.scan = scan, .workers = 1, .self = 7}, &err);

	assert_non_null(r);
	slice = slice_create();
	assert_non_null(slice);
	resolver_begin(r, slice, 100 * NSEC_PER_MSEC);
	return r;
}

static void finish(struct resolver *r)
{
	resolver_end(r, 10);
	slice_free(slice);
	resolver_free(r);
}

#define FIND(what, list, n) \
	static const void *what(uint32_t id) \
	{ \
		for (size_t i = 0; i < slice->dict.nr[n]; i++) \
			if (slice->dict.list[i].id == id) \
				return &slice->dict.list[i]; \
		return NULL; \
	}

FIND(find_path, paths, DICT_PATH)
FIND(find_frame, frames, DICT_FRAME)
FIND(find_symbol, symbols, DICT_SYMBOL)
FIND(find_object, objects, DICT_OBJECT)
FIND(find_string, strings, DICT_STRING)

static size_t put_string(char *to, uint32_t id)
{
	const struct dict_string *s = find_string(id);

	assert_non_null(s);
	return (size_t)sprintf(to, "%.*s", (int)s->len, s->text);
}

/* "lib.so+0x10 program+0x20 [broken]", the leaf first.  Objects by their last part. */
static void describe(const struct slice_row *row, char *to)
{
	char name[256];

	for (uint32_t id = row->path; id;) {
		const struct dict_path *p = find_path(id);
		const struct dict_frame *f = find_frame(p->frame);
		const struct dict_symbol *s = f->symbol ? find_symbol(f->symbol) : NULL;
		const struct dict_object *o = find_object(f->object);

		put_string(name, s ? s->name : o->name);
		to += sprintf(to, "%s", strrchr(name, '/') ? strrchr(name, '/') + 1 : name);
		if (!s)
			to += sprintf(to, "+%#llx", (unsigned long long)f->addr);
		id = p->parent;
		to += sprintf(to, "%s", id ? " " : "");
	}
}

/* A program of anonymous code has no names: such a frame is told by its object. */
static void check(struct resolver *r, uint16_t mode, const uint64_t *ips, size_t nr, const char *wanted)
{
	struct table_row row = {.key = {.pid = PID, .tid = PID, .mode = (uint8_t)mode, .nr = (uint8_t)nr}, .count = {1, 10, 5, 5},
				.ips = ips};
	char path[2048];

	assert_int_equal(resolver_row(r, &row), 0);
	describe(&slice->rows[slice->nrows - 1], path);
	assert_string_equal(path, wanted);
}

#define CHECK(r, mode, wanted, ...) \
	check(r, mode, (const uint64_t[]){__VA_ARGS__}, sizeof((const uint64_t[]){__VA_ARGS__}) / 8, wanted)
#define CHECK_USER(r, wanted, ...) CHECK(r, PERF_RECORD_MISC_USER, wanted, USER, __VA_ARGS__)

static const char *last_log(void)
{
	return slice->nlogs ? slice->logs[slice->nlogs - 1].text : "";
}

/* An address in no executable map ends the path, wherever it comes. */
static void test_astray(void **state)
{
	struct resolver *r = create(false);

	(void)state;
	give_exec(r);
	give_maps(r);
	CHECK_USER(r, "lib.so+0x10 program+0x1f program+0x2f", LIB + 0x10, TEXT + 0x20, TEXT + 0x30);
	CHECK_USER(r, "lib.so+0x10 [broken]", LIB + 0x10, VOID);
	CHECK_USER(r, "lib.so+0x10 [broken]", LIB + 0x10, 0x4452445352464152);
	CHECK_USER(r, "lib.so+0x10 program+0x1f [broken]", LIB + 0x10, TEXT + 0x20, VOID, VOID + 8);
	CHECK_USER(r, "lib.so+0x10 program+0x1f [broken]", LIB + 0x10, TEXT + 0x20, VOID, TABLE_MARK_TRUNCATED);
	CHECK_USER(r, "lib.so+0x10 [broken]", LIB + 0x10, IN_KERNEL);
	/* The first byte behind an object's code may be what its last call returns to. */
	CHECK_USER(r, "lib.so+0x10 program+0xfff", LIB + 0x10, TEXT + 0x1000);
	CHECK_USER(r, "lib.so+0x10 [broken]", LIB + 0x10, TEXT + 0x1001);
	CHECK(r, PERF_RECORD_MISC_KERNEL, "[kernel]+0xffffffff81000010 lib.so+0x10 [broken]", KERNEL, IN_KERNEL, USER,
	      LIB + 0x10, VOID);
	/* The maps are at fault for a leaf in no map, and may be for what is behind it. */
	CHECK_USER(r, "[unknown]+0x10 lib.so+0xf [unknown]+0x2f", 0x10, LIB + 0x10, 0x30);
	/* A path that was unwound has been judged, and says so itself. */
	CHECK(r, PERF_RECORD_MISC_USER, "lib.so+0x10 program+0x20 [broken]", TABLE_MARK_UNWOUND, LIB + 0x10, TEXT + 0x20,
	      TABLE_MARK_BROKEN);
	finish(r);
}

/* A file may lack a map: a chain that finds back to code had a caller there.  Live the kernel told of all. */
static void test_map_missing(void **state)
{
	struct resolver *r = create(false);

	(void)state;
	give_exec(r);
	give_maps(r);
	CHECK_USER(r, "lib.so+0x10 [unknown]+0x700000 program+0x1f", LIB + 0x10, 0x700001, TEXT + 0x20);
	CHECK_USER(r, "lib.so+0x10 [unknown]+0x700000 program+0x1f [broken]", LIB + 0x10, 0x700001, TEXT + 0x20, VOID);
	finish(r);
	r = create(true);
	give_exec(r);
	give_maps(r);
	CHECK_USER(r, "lib.so+0x10 [broken]", LIB + 0x10, 0x700001, TEXT + 0x20);
	finish(r);
}

/* Nothing is held against a path by maps that are not known: none, or still being read. */
static void test_maps_unknown(void **state)
{
	struct resolver *r = create(false);

	(void)state;
	CHECK_USER(r, "[unknown]+0x500010 [unknown]+0x40001f", LIB + 0x10, TEXT + 0x20);
	assert_int_equal(r->chains.samples, 0);
	finish(r);
	r = create(true);
	give_maps(r);
	CHECK_USER(r, "lib.so+0x10 [unknown]+0x70ff", LIB + 0x10, 0x7100);
	assert_int_equal(r->chains.samples, 0);
	give_exec(r);
	give_maps(r);
	CHECK_USER(r, "lib.so+0x10 [broken]", LIB + 0x10, 0x7100);
	assert_int_equal(r->chains.samples, 1);
	finish(r);
}

/* They are told by their leaf's object: those that end after one function, and those that lead to no code. */
static void test_counted(void **state)
{
	struct resolver *r = create(false);
	const struct dso *o = NULL, *lib = NULL;
	char names[80];

	(void)state;
	give_exec(r);
	give_maps(r);
	for (int i = 0; i < 100; i++)
		CHECK_USER(r, "lib.so+0x10 program+0x1f", LIB + 0x10, TEXT + 0x20);
	assert_false(resolver_find_shallow(r, names, sizeof(names)));
	for (int i = 0; i < 12; i++)
		CHECK_USER(r, "lib.so+0x10 program+0x1f [broken]", LIB + 0x10, TEXT + 0x20, VOID);
	while ((o = dsos_next(r->objects, o)))
		lib = strstr(o->path, "lib.so") ? o : lib;
	assert_non_null(lib);
	assert_int_equal(lib->chains.samples, 112);
	assert_int_equal(lib->chains.astray, 12);
	assert_int_equal(lib->chains.alone, 0);
	/* One in ten of them: worth copies of stacks. */
	assert_true(resolver_find_shallow(r, names, sizeof(names)));
	assert_string_equal(names, "lib.so");
	CHECK_USER(r, "lib.so+0x10", LIB + 0x10);
	CHECK_USER(r, "lib.so+0x10 [broken]", LIB + 0x10, VOID);
	assert_int_equal(lib->chains.alone, 2);
	assert_int_equal(lib->chains.astray, 13);
	/* One that is cut is not one that ends. */
	CHECK_USER(r, "lib.so+0x10 [truncated]", LIB + 0x10, TABLE_MARK_TRUNCATED);
	CHECK_USER(r, "lib.so+0x10 [truncated]", LIB + 0x10, ODD, 0x1234);
	assert_int_equal(lib->chains.alone, 2);
	/* Callers that were put in do not hide that frame pointers lead nowhere. */
	CHECK_USER(r, "lib.so+0x10 program+0x1f program+0x2f", LIB + 0x10, TEXT + 0x20,
		   TABLE_MARK_UNPROVED, TEXT + 0x30);
	assert_int_equal(lib->chains.alone, 2);
	assert_int_equal(lib->chains.astray, 13);
	CHECK_USER(r, "lib.so+0x10 program+0x1f", LIB + 0x10, TEXT + 0x20, TABLE_MARK_UNPROVED);
	assert_int_equal(lib->chains.alone, 3);
	CHECK_USER(r, "lib.so+0x10 program+0x1f [truncated]", LIB + 0x10, TEXT + 0x20,
		   TABLE_MARK_UNPROVED, TABLE_MARK_TRUNCATED);
	assert_int_equal(lib->chains.alone, 3);
	assert_int_equal(lib->chains.astray, 14);
	CHECK_USER(r, "lib.so+0x10 program+0x1f [broken]", LIB + 0x10, TEXT + 0x20,
		   TABLE_MARK_UNPROVED, VOID);
	assert_int_equal(lib->chains.alone, 4);
	assert_int_equal(lib->chains.astray, 15);
	finish(r);
}

/* The report says how many stacks lead to no code, and which file is at fault. */
static void test_said(void **state)
{
	struct resolver *r = create(false);
	char text[256];

	(void)state;
	give_exec(r);
	give_maps(r);
	for (int i = 0; i < 180; i++)
		CHECK_USER(r, "lib.so+0x10 program+0x1f", LIB + 0x10, TEXT + 0x20);
	for (int i = 0; i < 60; i++)
		CHECK_USER(r, "lib.so+0x10 [broken]", LIB + 0x10, VOID);
	assert_true(resolver_shallow(r, text, sizeof(text)));
	assert_non_null(strstr(text, "25% of user call stacks lead to an address without code."));
	assert_non_null(strstr(text, "affected: /nowhere/lib.so"));
	finish(r);
}

/* The entries behind a mark that nobody knows need not be addresses: [truncated] stands there, and it is said once. */
static void test_marks(void **state)
{
	struct resolver *r = create(false);
	size_t said;

	(void)state;
	give_exec(r);
	give_maps(r);
	said = slice->nlogs;
	CHECK(r, PERF_RECORD_MISC_KERNEL, "[kernel]+0xffffffff81000010 [not yet]", KERNEL, IN_KERNEL, DEFERRED, 0x1234);
	CHECK_USER(r, "lib.so+0x10 [not yet]", LIB + 0x10, DEFERRED);
	assert_int_equal(slice->nlogs, said);
	CHECK(r, PERF_RECORD_MISC_KERNEL, "[kernel]+0xffffffff81000010 [truncated]", KERNEL, IN_KERNEL, ODD, 0x1234);
	assert_int_equal(slice->nlogs, said + 1);
	assert_non_null(strstr(last_log(), "marker -3000"));
	CHECK_USER(r, "lib.so+0x10 program+0x1f [truncated]", LIB + 0x10, TEXT + 0x20, ODD, TEXT + 0x30, TABLE_MARK_TRUNCATED);
	/* A part that is known has its frames, wherever the other stands. */
	CHECK(r, PERF_RECORD_MISC_KERNEL, "[kernel]+0xffffffff81000010 [truncated] lib.so+0x10 program+0x1f", KERNEL, IN_KERNEL,
	      ODD, TEXT + 0x30, USER, LIB + 0x10, TEXT + 0x20);
	CHECK(r, PERF_RECORD_MISC_USER, "[truncated]", (uint64_t)PERF_CONTEXT_GUEST, TEXT);
	CHECK(r, PERF_RECORD_MISC_USER, "[truncated]", (uint64_t)PERF_CONTEXT_MAX, TEXT);
	CHECK(r, PERF_RECORD_MISC_USER, "[truncated]", UINT64_MAX, TEXT);
	assert_int_equal(slice->nlogs, said + 1);
	/* A path has nothing but marks that are known: nothing says more. */
	CHECK(r, PERF_RECORD_MISC_KERNEL, "[broken]", KERNEL, USER);
	finish(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_astray),	     cmocka_unit_test(test_map_missing),
		cmocka_unit_test(test_maps_unknown), cmocka_unit_test(test_counted),
		cmocka_unit_test(test_said),	     cmocka_unit_test(test_marks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
