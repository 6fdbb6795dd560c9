/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Formats of tracepoints: what is in a record, where, and what it says; and what is no format. */
#include "measure/trace/format.h"

#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/skip.h"

#define COMMON                                                              \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static const char all[] =
	"name: all\nID: 77\nformat:\n" COMMON
	"\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"
	"\tfield:unsigned long args[3];\toffset:16;\tsize:24;\tsigned:0;\n"
	"\tfield:char comm[16];\toffset:40;\tsize:16;\tsigned:0;\n"
	"\tfield:__data_loc char[] file;\toffset:56;\tsize:4;\tsigned:0;\n"
	"\tfield:s8 small;\toffset:60;\tsize:1;\tsigned:1;\n"
	"\tfield:u16 wide;\toffset:62;\tsize:2;\tsigned:0;\n"
	"\tfield:void * where;\toffset:64;\tsize:8;\tsigned:0;\n"
	"\tfield:__data_loc u64[] many;\toffset:72;\tsize:4;\tsigned:0;\n"
	"\tfield:__rel_loc char[] near;\toffset:76;\tsize:4;\tsigned:0;\n"
	"\nprint fmt: \"%s\", ((((((REC->id))))))\n";

static struct trace_format f;
static struct err err;

static int clear(void **state)
{
	(void)state;
	format_clear(&f);
	return 0;
}

/* A record of `all`, with what is dynamic behind it. */
struct record {
	uint16_t type;
	uint8_t flags, preempt;
	int32_t pid;
	int64_t id;
	uint64_t args[3];
	char comm[16];
	uint32_t file;
	int8_t small;
	uint16_t wide;
	uint64_t where;
	uint32_t many, near;
	char rest[16];
};

static const struct record record = {
	.pid = -3, .id = -5, .args = {7, 8, 1ull << 63}, .comm = "sixteen-letters!", .small = -2, .wide = 65535,
	.where = 0xffffffff81000000, .file = 80 | 6 << 16, .near = 6 | 4 << 16, .rest = "/bin\0?near",
};

static uint64_t number(const char *name)
{
	struct trace_value v;
	uint64_t n = 0;

	if (format_value(&f, name, &v, &err))
		fail_msg("%s: %s", name, err.text);
	assert_true(trace_number(&v, &record, sizeof(record), &n));
	return n;
}

static void assert_text(const char *name, const char *want)
{
	struct trace_value v;
	size_t bytes = 0;
	const char *text;

	assert_int_equal(format_value(&f, name, &v, &err), 0);
	text = trace_text(&v, &record, sizeof(record), &bytes);
	assert_int_equal(bytes, strlen(want));
	assert_memory_equal(text, want, bytes);
}

static void fields(void **state)
{
	(void)state;
	assert_int_equal(format_parse(all, strlen(all), &f, &err), 0);
	assert_int_equal(f.id, 77);
	assert_string_equal(f.name, "all");
	assert_int_equal(f.nr, 12);
	assert_int_equal(format_find(&f, "args")->element, 8);
	assert_true(format_find(&f, "args")->array);
	assert_true(format_find(&f, "comm")->text);
	assert_true(format_find(&f, "file")->dynamic);
	assert_true(format_find(&f, "where")->pointer);
	assert_string_equal(format_find(&f, "where")->type, "void *");
	assert_null(format_find(&f, "nothing"));
}

static void values(void **state)
{
	struct trace_value v;
	uint64_t n;
	size_t bytes;

	(void)state;
	assert_int_equal(format_parse(all, strlen(all), &f, &err), 0);
	assert_int_equal((int64_t)number("id"), -5);
	assert_int_equal((int64_t)number("common_pid"), -3);
	assert_int_equal(number("args[1]"), 8);
	assert_true(number("args[2]") == 1ull << 63);
	assert_int_equal((int64_t)number("small"), -2);
	assert_int_equal(number("wide"), 65535);
	assert_true(number("where") == 0xffffffff81000000);
	assert_text("comm", "sixteen-letters!");
	assert_text("file", "/bin");
	assert_text("near", "near");
	/* Records that end early. */
	assert_int_equal(format_value(&f, "id", &v, &err), 0);
	assert_false(trace_number(&v, &record, 15, &n));
	assert_int_equal(format_value(&f, "file", &v, &err), 0);
	assert_null(trace_text(&v, &record, 85, &bytes));
	assert_null(trace_text(&v, &record, 59, &bytes));
}

static void weights(void **state)
{
	static const char *const names[] = {"args[1]-", "-args[1]", "args[1]-nosuch", "args[1]-small", "comm", "args[1]-comm", "args[1]-id"};
	struct trace_value v;
	uint64_t n;

	(void)state;
	assert_int_equal(format_parse(all, strlen(all), &f, &err), 0);
	assert_int_equal(format_weight(&f, "args[1]", &v, &err), 0);
	assert_true(trace_weight(&v, &record, sizeof(record), &n));
	assert_int_equal(n, 8);
	assert_int_equal(format_weight(&f, "args[1]-args[0]", &v, &err), 0);
	assert_true(trace_weight(&v, &record, sizeof(record), &n));
	assert_int_equal(n, 8 - number("args[0]"));
	assert_int_equal(format_weight(&f, "args[0]-args[1]", &v, &err), 0); /* below zero */
	assert_true(trace_weight(&v, &record, sizeof(record), &n));
	assert_int_equal(n, 0);
	assert_int_equal(format_weight(&f, "id", &v, &err), 0);
	assert_true(trace_weight(&v, &record, sizeof(record), &n));
	assert_int_equal(n, 0);
	/* The second ends outside of the record. */
	assert_int_equal(format_weight(&f, "args[0]-args[1]", &v, &err), 0);
	assert_false(trace_weight(&v, &record, v.less, &n));
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		assert_int_equal(format_weight(&f, names[i], &v, &err), -EINVAL);
}

static void wrong_values(void **state)
{
	static const char *const names[] = {"nosuch", "", "args", "args[3]", "args[", "args[x]", "args[1]x", "id[0]", "many",
					    "many[0]", "comm[99999999999]"};
	struct trace_value v;

	(void)state;
	assert_int_equal(format_parse(all, strlen(all), &f, &err), 0);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		assert_int_equal(format_value(&f, names[i], &v, &err), -EINVAL);
	assert_int_equal(format_value(&f, "nosuch", &v, &err), -EINVAL);
	assert_int_equal(format_value(&f, "nosuch", &v, NULL), -EINVAL);
	assert_non_null(strstr(err.advice, "id, args, comm, file"));
}

static void wrong_formats(void **state)
{
	static const char *const texts[] = {
		"", "name: x\n", "name: x\nID: 1\nformat:\n", "name: x\nID: 1\nformat:\n\tfield:int a;\toffset:65535;\tsize:4;\tsigned:1;\n",
		"name: x\nID: 1\nformat:\n\tfield:int a;\toffset:-4;\tsize:4;\tsigned:1;\n",
		"name: x\nID: 1\nformat:\n\tfield:int a(b;\n",
		"name: x\nID: 1\nformat:\n\tfield:int a;\toffset:0;\tsize:4;\tsigned:1; int b;\toffset:1;\n",
		"name: x\nID: 1\nformat:\n\tfield:int a;\toffset:0;\tsize:4;\tsigned:2;\n",
		"name: x\nID: 1\nformat:\n\tfield:int;\toffset:0;\tsize:4;\tsigned:1;\n",
		"name: x\nID: 1\nformat:\n\tfield:int a[3;\toffset:0;\tsize:4;\tsigned:1;\n",
		"name: x\nID: 1\nformat:\n\tfield:int *;\toffset:0;\tsize:4;\tsigned:1;\n",
		"name: x\nID: 1\nformat:\n\tfield:__data_loc char[] ;\toffset:0;\tsize:4;\tsigned:1;\n",
		"name: x\nID: 1\nformat:\n\tfield:__data_loc a;\toffset:0;\tsize:4;\tsigned:1;\n",
 "\tfield:int a;\toffset:0;\tsize:4;\tsigned:1;\n",
	};
	char *large = malloc(FORMAT_BYTES + 1);

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		assert_int_equal(format_parse(texts[i], strlen(texts[i]), &f, &err), -EINVAL);
		format_clear(&f);
	}
	memset(large, '\n', FORMAT_BYTES + 1);
	assert_int_equal(format_parse(large, FORMAT_BYTES + 1, &f, &err), -EINVAL);
	free(large);
	assert_int_equal(format_parse("name: x\0", 8, &f, &err), -EINVAL);
}

/* --- all of this machine's ------------------------------------------------------------------- */

/* Each field's line of the file, as we read it ourselves. */
static void compare(const char *path, const char *text)
{
	const char *line = text;
	unsigned nr = 0;

	if (format_parse(text, strlen(text), &f, &err))
		fail_msg("%s: %s", path, err.text);
	while ((line = strstr(line, "\tfield:"))) {
		unsigned offset, size, is_signed;
		const struct trace_field *a = &f.field[nr];
		char name[512];

		line += 7;
		assert_int_equal(sscanf(line, "%511[^;]; offset:%u; size:%u; signed:%u", name, &offset, &size, &is_signed), 4);
		if (nr++ >= f.nr)
			fail_msg("%s: %u fields", path, f.nr);
		if (a->offset != offset || a->size != size || a->is_signed != is_signed || !strstr(name, a->name))
			fail_msg("%s: %s is not %s at %u, %u bytes, signed %d", path, name, a->name, a->offset, a->size,
				 a->is_signed);
	}
	assert_int_equal(nr, f.nr);
	format_clear(&f);
}

static unsigned compare_directory(const char *dir)
{
	static char text[FORMAT_BYTES];
	struct dirent *d;
	char path[1024];
	unsigned nr = 0;
	DIR *dp = opendir(dir);
	FILE *file;

	while (dp && (d = readdir(dp))) {
		if (*d->d_name == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s/format", dir, d->d_name);
		file = fopen(path, "re");
		if (!file)
			continue;
		text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
		fclose(file);
		compare(path, text);
		nr++;
	}
	if (dp)
		closedir(dp);
	return nr;
}

static void this_machine(void **state)
{
	static const char root[] = "/sys/kernel/tracing/events";
	DIR *dp = opendir(root);
	struct dirent *d;
	char dir[512];
	unsigned nr = 0;

	(void)state;
	if (!dp)
		SKIP("tracefs cannot be read");
	while (dp && (d = readdir(dp))) {
		snprintf(dir, sizeof(dir), "%s/%s", root, d->d_name);
		if (*d->d_name != '.' && strcmp(d->d_name, "ftrace"))
			nr += compare_directory(dir);
	}
	if (dp)
		closedir(dp);
	print_message("%u formats\n", nr);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(fields, clear), cmocka_unit_test_teardown(weights, clear),
		cmocka_unit_test_teardown(values, clear),
		cmocka_unit_test_teardown(wrong_values, clear), cmocka_unit_test_teardown(wrong_formats, clear),
		cmocka_unit_test_teardown(this_machine, clear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
