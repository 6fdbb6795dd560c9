/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/rows/rowfilter.h"

static const struct rowfilter_subject subject = {
	.function = "std::sort<int>(int*)", .object = "/usr/lib/libz.so.1", .task = "Gzip-9",
	.pid = 42, .tid = 43, .cpu = 3, .user = "nobody", .cgroup = "/system.slice/web.service", .parent = "make",
};

static bool match(const char *text)
{
	struct err err = {0};
	struct rowfilter *f;
	bool yes;

	if (rowfilter_compile(text, &f, &err))
		fail_msg("%s: %s", text, err.text);
	yes = rowfilter_match(f, &subject);
	rowfilter_free(f);
	return yes;
}

static void test_words(void **state)
{
	static const char *const yes[] = {
		"", "  ", "gzip", "Gzip", "libz", "sort", "std::sort", "object:libz", "task:^gzip",
		"pid:42", "tid:40-50", "cpu:0,2-3", "!cpu:1", "!function:memset", "gzip libz",
		"user:^nobody$ cgroup:web\\.service parent:make", "!user:root",
		"function:sort object:z\\.so task:9 pid:1,42 !tid:44", "\"sort<int>\"", "!\"a b\"",
	};
	static const char *const no[] = {
		"GZIP", "object:gzip", "task:libz", "pid:43", "cpu:0-2", "!gzip", "!cpu:3",
		"gzip memset", "function:^sort", "tid:42", "user:root", "cgroup:ssh", "!parent:make", "nobody",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
		if (!match(yes[i]))
			fail_msg("should match: %s", yes[i]);
	for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		if (match(no[i]))
			fail_msg("should not match: %s", no[i]);
}

/* Of a name the first 8192 characters are matched, and no more. */
static void test_long_names(void **state)
{
	static char name[8192 + 3];
	const struct rowfilter_subject of = {.function = name, .object = "", .task = ""};
	struct err err = {0};
	struct rowfilter *last, *beyond;

	(void)state;
	memset(name, 'a', sizeof(name) - 1);
	name[8191] = 'b';
	name[8192] = 'c';
	assert_int_equal(rowfilter_compile("function:b", &last, &err), 0);
	assert_int_equal(rowfilter_compile("function:c", &beyond, &err), 0);
	assert_true(rowfilter_match(last, &of));
	assert_false(rowfilter_match(beyond, &of));
	name[8191] = 'c';
	assert_true(rowfilter_match(beyond, &of));
	rowfilter_free(last);
	rowfilter_free(beyond);
}

static void test_errors(void **state)
{
	static const char *const bad[][2] = {
		{"a(b", "a(b"},	  {"thread:1", "thread"}, {"pid:x", "x"},    {"cpu:3-1", "3-1"},
		{"cpu:1,", "1,"}, {"pid:-1", "-1"},	  {"ok !", "empty"}, {"cpu:", "list"},
		{"pid:99999999999", "99999999999"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct rowfilter *f = (struct rowfilter *)&subject;
		struct err err = {0};

		if (rowfilter_compile(bad[i][0], &f, &err) != -EINVAL)
			fail_msg("taken: %s", bad[i][0]);
		assert_null(f);
		if (!strstr(err.text, bad[i][1]))
			fail_msg("%s: the word at fault is not in: %s", bad[i][0], err.text);
	}
}

static void test_fields(void **state)
{
	struct rowfilter *f;

	(void)state;
	assert_int_equal(rowfilter_fields(NULL), 0);
	assert_int_equal(rowfilter_compile("object:x cpu:1", &f, NULL), 0);
	assert_int_equal(rowfilter_fields(f), ROWFILTER_OBJECT | ROWFILTER_CPU);
	rowfilter_free(f);
	assert_int_equal(rowfilter_compile("", &f, NULL), 0);
	assert_null(f);
}

static bool match_name(const char *text, const char *name)
{
	const struct rowfilter_subject of = {.function = name, .object = "", .task = ""};
	struct err err = {0};
	struct rowfilter *f;
	bool yes;

	if (rowfilter_compile(text, &f, &err))
		fail_msg("%s: %s", text, err.text);
	yes = rowfilter_match(f, &of);
	rowfilter_free(f);
	return yes;
}

/* A word that is no more than its letters is matched as the regular expression that it is: in parentheses it is one still. */
static void test_plain(void **state)
{
	static const char *const words[] = {"a", "s", "k", "sort", "Sort", "77", "ab", "aab", "d::s", "<int>", "z-9", "_", "ab,c", "\xc3\xb6",
					    "^sort$", "^sort", "sort$", "^Sort$", "^s", "b$", "^std::sort<int>$", "so.t", "^.ort$", "^...$", ".",
					    "^\\[x\\]$", "\\[x", "a\\.b", "^a\\.b$", "a.b", "7.7$", "^$", "^a", "ab.$", "\\bsort", "so\\rt", "^(a|b)$", "a$b", "a^"};
	static const char *const names[] = {"", "a", "A", "b", "SORT", "sort", "std::sort<int>", "Sort", "xsor", "sor\tt", "177", "7 7",
					    "aaab", "AAAB", "aab\xff", "\xff" "AAB", "\xc5\xbfort", "\xe2\x84\xaa", "\xc3\xb6", "\xc3\x96",
					    "x\xc3\xb6sort", "_Z-9", "ab,c", "[x]", "x[x]", "a.b", "axb", "a\nb", "sort x",
					    "s\xc3\xb6t", "so\xfft", "a\xc3\xb6" "b"};
	unsigned matched = 0;

	(void)state;
	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		skip();
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		char plain[64], group[64];

		snprintf(plain, sizeof(plain), "function:%s", words[i]);
		snprintf(group, sizeof(group), "function:(%s)", words[i]);
		for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
			bool yes = match_name(plain, names[k]);

			if (yes != match_name(group, names[k]))
				fail_msg("%s: '%s' is %smatched", words[i], names[k], yes ? "" : "not ");
			matched += yes;
		}
	}
	assert_true(matched > 20);
	assert_true(match_name("function:ort", "SORT"));
	assert_false(match_name("function:Ort", "SORT"));
	setlocale(LC_CTYPE, "C");
}

/* What regcomp or regexec would not come back from, and what looks like it. */
static void test_costly(void **state)
{
	static const char *const costly[] = {
		"((((((((((((((((a+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+", "(((a{1,99}){1,99}){1,99}){1,99}",
		"a{32767}", "(a*)\\1", "x(b)(.*)\\2", "((a{99}b){99}|c){99}",
	};
	static const char *const cheap[] = {
		"a+b+c+d+e+f+g+h+i+j+k+l+m+n+o+p+q+r+s+t+u+", "((a+)+)+", "[+{*(]+", "[]a]+[^]b]",
		"[[:alpha:]]+", "\\{3\\}", "(a|b){1,20}", "((((((((a*)*)*)*)*)*)*)*)*",
	};
	struct err err = {0};
	struct rowfilter *f;

	(void)state;
	for (size_t i = 0; i < sizeof(costly) / sizeof(costly[0]); i++) {
		assert_int_equal(rowfilter_compile(costly[i], &f, &err), -EINVAL);
		assert_non_null(strstr(err.text, "nested repetitions"));
	}
	for (size_t i = 0; i < sizeof(cheap) / sizeof(cheap[0]); i++)
		match(cheap[i]);
}

/* A name has no end, as far as a filter is concerned. */
static void test_long_name(void **state)
{
	struct rowfilter_subject s = subject;
	char *name = malloc(1 << 20);
	struct err err = {0};
	struct rowfilter *f;

	(void)state;
	assert_non_null(name);
	memset(name, 'a', (1 << 20) - 1);
	name[(1 << 20) - 1] = '\0';
	memcpy(name + 8000, "here", 4);
	memcpy(name + 9000, "beyond", 6);
	s.function = name;
	assert_int_equal(rowfilter_compile("here", &f, &err), 0);
	assert_true(rowfilter_match(f, &s));
	rowfilter_free(f);
	assert_int_equal(rowfilter_compile("beyond", &f, &err), 0);
	assert_false(rowfilter_match(f, &s));
	rowfilter_free(f);
	free(name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_long_names), cmocka_unit_test(test_errors),
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_costly),
		cmocka_unit_test(test_long_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
