/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records as lines: by print formats in a helper, by fields where there is none, and of all tracepoints of this machine. */
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

#include "base/clock.h"
#include "tests/sandboxed.h"
#include "tests/skip.h"
#include "measure/trace/print_sandbox.h"

#define COMMON                                                              \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

#define FIELDS_77                                                           \
	"name: all\nID: 77\nformat:\n" COMMON                               \
	"\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"                 \
	"\tfield:unsigned long args[3];\toffset:16;\tsize:24;\tsigned:0;\n" \
	"\tfield:char comm[16];\toffset:40;\tsize:16;\tsigned:0;\n"         \
	"\tfield:__data_loc char[] file;\toffset:56;\tsize:4;\tsigned:0;\n" \
	"\tfield:void * where;\toffset:64;\tsize:8;\tsigned:0;\n"

static const char flagged[] = FIELDS_77
	"\nprint fmt: \"id=%ld %s in %s: %s %s\", REC->id, REC->comm, __get_str(file), __print_flags(REC->args[0], \"|\", { 1, "
	"\"ONE\" }, { 2, \"TWO\" }), __print_symbolic(REC->args[1], { 3, \"three\" }, { 4, \"four\" })\n";
static const char unknown_words[] = FIELDS_77 "\nprint fmt: \"%s\", what_is_this(REC->id, ((\n";

static struct {
	uint16_t type;
	uint8_t flags, preempt;
	int32_t pid;
	int64_t id;
	uint64_t args[3];
	char comm[16];
	uint32_t file, pad;
	uint64_t where;
	char rest[8];
} record = {.type = 77, .pid = 42, .id = -5, .args = {3, 4, 5}, .comm = "a\033b", .file = 72 | 6 << 16, .where = 0xabc,
	    .rest = "x/y.c"};

static const char *format = flagged;
static unsigned found;

static int find(void *arg, uint32_t id, char *system, size_t size, char **text, size_t *len)
{
	(void)arg;
	found++;
	if (id != 77)
		return -ENOENT;
	snprintf(system, size, "test");
	*text = strdup(format);
	*len = strlen(format);
	return 0;
}

static void clear(struct printer_job *j)
{
	free(j->text);
	free(j->fields);
	j->text = j->fields = NULL;
}

static void print_one(const char *as, uint32_t len, const char *text)
{
	struct printer *p = printer_create(find, NULL, true);
	struct printer_job j = {.id = 77, .record = &record, .len = len};

	format = as;
	assert_int_equal(printer_print(p, &j, 1), 1);
	assert_string_equal(j.text, text);
	clear(&j);
	printer_free(p);
}

static void lines(void **state)
{
	(void)state;
	print_one(flagged, sizeof(record), "id=-5 a\\x1bb in x/y.c: ONE|TWO four");
	print_one(unknown_words, sizeof(record), "id=-5 args={3, 4, 5} comm=a\\x1bb file=x/y.c where=0xabc");
	/* What is not in the record is no value. */
	print_one(unknown_words, 40, "id=-5 args={3, 4, 5}");
}

/* Texts that records point to, by the list that goes to the helper; those that it does not have stay addresses. */
static const char list[] = "0xffffffff82000010 : \"Start context switch\"\n0xffffffff82000030 : \"R\"\nwhat is this\n"
			   "0x82000040 : \"\"\n0x82000050 : \"a \\\"b\\\"\\n\"\n0x82000060 : \"cut";

#define POINTING(size) "name: points\nID: 77\nformat:\n" COMMON "\tfield:const char * s;\toffset:8;\tsize:" size ";\tsigned:0;\n"

static void pointed(unsigned long_size, const char *as, uint64_t addr, const char *text, const char *in_fields)
{
	struct {
		uint16_t type;
		uint8_t flags, preempt;
		int32_t pid;
		uint64_t s;
	} r = {.type = 77, .pid = 42, .s = addr};
	struct printer *p = printer_create(find, NULL, true);
	struct printer_job j = {.id = 77, .record = &r, .len = 8 + long_size};

	format = as;
	printer_texts(p, long_size, list, strlen(list));
	assert_int_equal(printer_print(p, &j, 1), 1);
	assert_string_equal(j.text, text);
	assert_int_equal(strncmp(j.fields, in_fields, strlen(in_fields)), 0);
	clear(&j);
	printer_free(p);
}

static void texts(void **state)
{
	static const char words[] = POINTING("8") "\nprint fmt: \"%s\tis\", REC->s\n"; /* a tab that is one */
	static const char narrow[] = POINTING("4") "\nprint fmt: \"%s\", REC->s\n";
	static const char plain[] = POINTING("8") "\nprint fmt: \"%s\", what_is_this(REC->s, ((\n";

	(void)state;
	pointed(8, words, 0xffffffff82000010, "Start context switch\\x09is", "s\tsStart context switch\n");
	pointed(8, words, 0xffffffff82000030, "R\\x09is", "s\tsR\n");
	pointed(8, words, 0xffffffff82000020, "ffffffff82000020\\x09is", "s\ts0xffffffff82000020\n");
	pointed(8, plain, 0xffffffff82000010, "s=Start context switch", "s\tsStart context switch\n");
	pointed(4, narrow, 0x82000040, "", "s\ts\n");
	pointed(4, narrow, 0x82000050, "a \"b\"", "s\tsa \"b\"\n");
	pointed(4, narrow, 0x82000060, "82000060", "s\ts0x82000060\n");
}

/* ftrace's print: up to the record's end, as kernels before 5.7 declare it, and as they do since. */
static void to_the_end(void **state)
{
	static const char *const declared[] = {"char buf;", "char buf[];"};
	char as[1024];

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct printer *p = printer_create(find, NULL, true);
		struct printer_job j = {.id = 77, .record = "\x4d\0\0\0\x2a\0\0\0hello 1\n", .len = 17};

		snprintf(as, sizeof(as), "name: print\nID: 77\nformat:\n" COMMON "\tfield:%s\toffset:8;\tsize:0;\tsigned:0;\n"
			 "\nprint fmt: \"%%s\", REC->buf\n", declared[i]);
		format = as;
		assert_int_equal(printer_print(p, &j, 1), 1);
		assert_string_equal(j.text, "hello 1");
		assert_int_equal(strncmp(j.fields, "buf\tshello 1\\x0a\n", 16), 0);
		clear(&j);
		printer_free(p);
	}
}

static void fields(void **state)
{
	struct printer *p = printer_create(find, NULL, true);
	struct printer_job j[2] = {{.id = 77, .record = &record, .len = sizeof(record)}, {.id = 78, .record = &record, .len = 8}};

	(void)state;
	format = flagged;
	assert_int_equal(printer_print(p, j, 2), 1);
	assert_string_equal(j->fields, "id\tn-5\nargs\ts{3, 4, 5}\ncomm\tsa\\x1bb\nfile\tsx/y.c\nwhere\ts0xabc\n"
				       "common_type\tn77\ncommon_flags\tn0\ncommon_pid\tn42\n");
	assert_null(j[1].text);
	clear(j);
	found = 0;
	assert_int_equal(printer_print(p, j, 2), 1);
	assert_int_equal(found, 0); /* each is looked for once */
	clear(j);
	printer_free(p);
}

/* Two by turns, and a helper that has ended meanwhile: each is told again what it has forgotten. */
static void forgotten(void **state)
{
	struct printer *p = printer_create(find, NULL, true), *q = printer_create(find, NULL, true);
	struct printer_job j = {.id = 77, .record = &record, .len = sizeof(record)};

	(void)state;
	format = flagged;
	for (int i = 0; i < 4; i++) {
		assert_int_equal(printer_print(i % 2 ? p : q, &j, 1), 1);
		assert_string_equal(j.text, "id=-5 a\\x1bb in x/y.c: ONE|TWO four");
		clear(&j);
		if (i == 2)
			sandbox_end();
	}
	printer_free(p);
	printer_free(q);
}

static void answers(void **state)
{
	/* messages behind their length: no line; formats are lacking (1: 1); a line (2: 3 bytes) of a text alone */
	static const uint8_t none[8] = {0}, lacks[] = {2, 0, 0, 0, 0, 0, 0, 0, 1 << 3, 1},
			     open[] = {5, 0, 0, 0, 0, 0, 0, 0, 2 << 3 | 2, 3, 1 << 3 | 2, 1, 'a'};
	struct printer_job j = {.id = 77};
	struct wire_in in = {none, none + sizeof(none), false};

	(void)state;
	print_take(&in, &j, 1);
	assert_true(in.failed);
	in = (struct wire_in){lacks, lacks + sizeof(lacks), false};
	assert_int_equal(print_take(&in, &j, 1), 1);
	assert_false(in.failed);
	in = (struct wire_in){open, open + sizeof(open), false};
	print_take(&in, &j, 1);
	assert_true(in.failed);
	assert_null(j.text);
}

/* No request has more records than a batch: a reply of more lines takes no memory for them. */
static void long_answers(void **state)
{
	static const uint8_t line[] = {2 << 3 | 2, 6, 1 << 3 | 2, 1, 'a', 2 << 3 | 2, 1, 'b'};
	static struct printer_job jobs[1025];

	(void)state;
	for (size_t nr = 1024; nr <= 1025; nr++) {
		struct wire_out out = {.len = 0};
		struct wire_in in;

		wire_put(&out, nr * sizeof(line), 8);
		for (size_t i = 0; i < nr; i++)
			wire_put_bytes(&out, line, sizeof(line));
		in = (struct wire_in){out.data, out.data + out.len, false};
		assert_int_equal(print_take(&in, jobs, nr), 0);
		assert_int_equal(in.failed, nr > 1024);
		for (size_t i = 0; i < nr; i++) {
			assert_int_equal(jobs[i].text != NULL, nr == 1024);
			free(jobs[i].text);
			free(jobs[i].fields);
			jobs[i] = (struct printer_job){.text = NULL};
		}
		wire_clear(&out);
	}
}

/* --- this machine --------------------------------------------------------------------------------- */

#define MOST 8192

static struct {
	char dir[600], system[64];
	uint32_t id;
} of[MOST];
static unsigned nof;

static int find_here(void *arg, uint32_t id, char *system, size_t size, char **text, size_t *len)
{
	char path[640];
	FILE *file;

	(void)arg;
	for (unsigned i = 0; i < nof; i++) {
		if (of[i].id != id)
			continue;
		snprintf(path, sizeof(path), "%s/format", of[i].dir);
		snprintf(system, size, "%s", of[i].system);
		file = fopen(path, "re");
		*text = calloc(1, FORMAT_BYTES);
		*len = file ? fread(*text, 1, FORMAT_BYTES - 1, file) : 0;
		if (file)
			fclose(file);
		return *len ? 0 : -ENOENT;
	}
	return -ENOENT;
}

static void add_events(const char *root, const char *system)
{
	char dir[300], path[640];
	struct dirent *d;
	DIR *dp;

	snprintf(dir, sizeof(dir), "%s/%s", root, system);
	dp = opendir(dir);
	while (dp && (d = readdir(dp)) && nof < MOST) {
		FILE *file;

		snprintf(path, sizeof(path), "%s/%s/id", dir, d->d_name);
		file = *d->d_name == '.' ? NULL : fopen(path, "re");
		if (!file)
			continue;
		snprintf(of[nof].dir, sizeof(of[nof].dir), "%s/%s", dir, d->d_name);
		snprintf(of[nof].system, sizeof(of[nof].system), "%.63s", system);
		if (fscanf(file, "%u", &of[nof].id) == 1)
			nof++;
		fclose(file);
	}
	if (dp)
		closedir(dp);
}

/* Records of made-up bytes, short ones too: each has a line, whatever the library makes of them. */
static void this_machine(void **state)
{
	static const char root[] = "/sys/kernel/tracing/events";
	static uint8_t bytes[3][512];
	struct printer *p = printer_create(find_here, NULL, true);
	struct printer_job *jobs;
	struct sandbox_figures figures;
	DIR *dp = opendir(root);
	struct dirent *d;
	uint64_t begun;
	char why[256];

	(void)state;
	if (!dp)
		SKIP("tracefs cannot be read");
	while (dp && (d = readdir(dp)))
		if (*d->d_name != '.' && strcmp(d->d_name, "ftrace"))
			add_events(root, d->d_name);
	if (dp)
		closedir(dp);
	assert_true(nof > 100);
	memset(bytes[1], 0xff, sizeof(bytes[1]));
	for (unsigned i = 0; i < sizeof(bytes[2]); i++)
		bytes[2][i] = (uint8_t)(i * 37);
	jobs = calloc(nof, sizeof(*jobs));
	for (unsigned round = 0; round < 4; round++) {
		static uint8_t own[MOST][512];

		for (unsigned i = 0; i < nof; i++) {
			memcpy(own[i], bytes[round % 3], 512);
			memcpy(own[i], &of[i].id, 2);
			jobs[i] = (struct printer_job){.id = of[i].id, .record = own[i], .len = round == 3 ? 12 : 512};
		}
		begun = clock_ns();
		assert_int_equal(printer_print(p, jobs, nof), nof);
		print_message("%u tracepoints, round %u: %.1f us each\n", nof, round, (double)(clock_ns() - begun) / 1e3 / nof);
		for (unsigned i = 0; i < nof; i++)
			clear(&jobs[i]);
		sandbox_figures(SANDBOX_EVENTS, &figures);
		if (!round)
			assert_int_equal(figures.ends, 0);
	}
	printer_trouble(p, why, sizeof(why));
	sandbox_figures(SANDBOX_EVENTS, &figures);
	print_message("helper lost %u times: %s\n", figures.ends, why);
	free(jobs);
	printer_free(p);
}

static const char bprint[] =
	"name: bprint\nID: 6\nformat:\n" COMMON
	"\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:const char * fmt;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:u32 buf[];\toffset:24;\tsize:0;\tsigned:0;\n"
	"\nprint fmt: \"%ps: %s\", (void *)REC->ip, REC->fmt\n";

static int find_bprint(void *arg, uint32_t id, char *system, size_t size, char **text, size_t *len)
{
	(void)arg;
	if (id != 6)
		return -ENOENT;
	snprintf(system, size, "ftrace");
	*text = strdup(bprint);
	*len = strlen(bprint);
	return 0;
}

/* A trace_printk is the text that it points to, with its arguments; where one is missing, or the text, it is its fields. */
static void trace_printks(void **state)
{
	static const char formats[] = "0x1000 : \"plain\\n\"\n0x2000 : \"%d of %s, %x\\n\"\n0x3000 : \"%lu and %d%%\"\n"
				   "0x4000 : \"%*d\"\n0x5000 : \"%s\"\n0x6000 : \"%llu %08x\"\n";
	static const struct {
		uint64_t fmt;
		const char *args; /* as they stand in the record */
		size_t len;
		const char *text; /* NULL: the fields */
	} cases[] = {
		{0x1000, "", 0, "plain"},
		{0x2000, "\xfb\xff\xff\xff" "seven\0\0\0" "\xff\0\0", 15, NULL}, /* a byte of the last is missing */
		{0x2000, "\xfb\xff\xff\xff" "seven\0\0\0" "\xff\0\0\0", 16, "-5 of seven, ff"},
		{0x3000, "\1\0\0\0\1\0\0\0\7\0\0\0", 12, "4294967297 and 7%"},
		{0x3000, "\1\0\0\0\1\0\0\0", 8, NULL},
		{0x4000, "\4\0\0\0\7\0\0\0", 8, NULL}, /* the library does not take the width */
		{0x5000, "no end", 6, NULL},
		{0x5000, "", 0, NULL},
		{0x6000, "\1\0\0\0\1\0\0\0\7\0\0\0", 12, "4294967297 00000007"},
		{0x9000, "\1\0\0\0", 4, NULL}, /* no such text */
	};
	struct printer *p = printer_create(find_bprint, NULL, false);

	(void)state;
	printer_texts(p, 8, formats, strlen(formats));
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct {
			uint16_t type;
			uint8_t flags, preempt;
			int32_t pid;
			uint64_t ip, fmt;
			char args[16];
		} r = {.type = 6, .pid = 42, .ip = 0xabc, .fmt = cases[i].fmt};
		struct printer_job j = {.id = 6, .record = &r, .len = (uint32_t)(24 + cases[i].len)};
		char text[100];

		memset(r.args, 'x', sizeof(r.args)); /* no end where the record has none */
		memcpy(r.args, cases[i].args, cases[i].len);
		assert_int_equal(printer_print(p, &j, 1), 1);
		snprintf(text, sizeof(text), "0xabc: %s", cases[i].text ? cases[i].text : "");
		if (cases[i].text)
			assert_string_equal(j.text, text);
		else
			assert_int_equal(strncmp(j.text, "ip=", 3), 0);
		clear(&j);
	}
	printer_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines), cmocka_unit_test(texts), cmocka_unit_test(trace_printks), cmocka_unit_test(to_the_end), cmocka_unit_test(fields), cmocka_unit_test(forgotten), cmocka_unit_test(answers), cmocka_unit_test(long_answers),
		cmocka_unit_test(this_machine),
	};
	return cmocka_run_group_tests(tests, sandboxed_setup, sandboxed_teardown);
}
