/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What hostile names become before they reach a terminal, and lines built in small buffers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static void assert_escaped(const char *src, const char *want)
{
	char buf[256];

	assert_int_equal(text_escape(buf, sizeof(buf), src), strlen(want));
	assert_string_equal(buf, want);
}

static void plain(void **state)
{
	(void)state;
	assert_escaped("", "");
	assert_escaped("std::map<int, char*>::at", "std::map<int, char*>::at");
	assert_escaped("gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80", "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80");
	assert_escaped("a\\b", "a\\b");
}

static void controls(void **state)
{
	(void)state;
	assert_escaped("\033[31mred", "\\x1b[31mred");
	assert_escaped("a\tb\nc\rd\x7f", "a\\x09b\\x0ac\\x0dd\\x7f");
	assert_escaped("\xc2\x9b" "31m", "\\xc2\\x9b31m"); /* CSI as one C1 control */
	assert_escaped("\xe2\x80\xae" "txt", "\\xe2\\x80\\xaetxt"); /* right-to-left override */
	assert_escaped("\xe2\x81\xa6x\xe2\x81\xa9", "\\xe2\\x81\\xa6x\\xe2\\x81\\xa9");
	assert_escaped("\xef\xbb\xbf" "x", "\\xef\\xbb\\xbfx");
}

/* Each end of each range, and what stands beside it. */
static void unseen(void **state)
{
	(void)state;
	assert_escaped("\xd8\x9c" "x", "\\xd8\\x9cx");			 /* U+061C, Arabic letter mark */
	assert_escaped("a\xe2\x81\xa0" "b", "a\\xe2\\x81\\xa0b");	 /* U+2060, word joiner */
	assert_escaped("\xe2\x81\xa4", "\\xe2\\x81\\xa4");		 /* U+2064, invisible plus */
	assert_escaped("\xe2\x81\xaf", "\\xe2\\x81\\xaf");		 /* U+206F */
	assert_escaped("\xe2\x81\xb0", "\xe2\x81\xb0");			 /* U+2070, superscript zero */
	assert_escaped("\xc2\xad", "\\xc2\\xad");			 /* U+00AD, soft hyphen */
	assert_escaped("\xe3\x85\xa4", "\\xe3\\x85\\xa4");		 /* U+3164, Hangul filler */
	assert_escaped("\xf3\xa0\x80\x81", "\\xf3\\xa0\\x80\\x81");	 /* U+E0001, language tag */
	assert_escaped("\xf3\xb0\x80\x80", "\xf3\xb0\x80\x80");		 /* U+F0000 */
}

static void broken(void **state)
{
	(void)state;
	assert_escaped("\xff", "\\xff");
	assert_escaped("\xc3", "\\xc3");
	assert_escaped("\xc3(", "\\xc3(");
	assert_escaped("\xc0\xaf", "\\xc0\\xaf");             /* overlong */
	assert_escaped("\xe0\x80\xaf", "\\xe0\\x80\\xaf");
	assert_escaped("\xed\xa0\x80", "\\xed\\xa0\\x80");     /* surrogate */
	assert_escaped("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"); /* above U+10FFFF */
	assert_escaped("\xe2\x82", "\\xe2\\x82");
	assert_escaped("\x80y", "\\x80y");
}

/* Every byte at every place of what is looked at eight bytes at a time. */
static void printable(void **state)
{
	char buf[20];

	(void)state;
	for (size_t at = 0; at < sizeof(buf); at++)
		for (int c = 0; c < 256; c++) {
			memset(buf, c % 2 ? '~' : ' ', sizeof(buf));
			buf[at] = (char)c;
			assert_int_equal(text_plain(buf, sizeof(buf)),
					 c >= 0x20 && c < 0x7f ? sizeof(buf) : at);
			assert_int_equal(text_plain(buf, at), at);
		}
}

/* Cut at whole characters and whole escapes, in buffers of every size. */
static void small_buffers(void **state)
{
	static const char src[] = "a\033\xe2\x82\xac\xff z";
	char whole[64];
	size_t full = text_escape(whole, sizeof(whole), src);

	(void)state;
	for (size_t size = 0; size <= full + 1; size++) {
		char *buf = malloc(size ? size : 1); /* exact, for the sanitizer */
		size_t len = text_escape(buf, size, src);

		if (size) {
			assert_true(len < size);
			assert_int_equal(buf[len], '\0');
			assert_memory_equal(buf, whole, len);
			assert_true(len == 0 || whole[len] == '\0' || whole[len - 1] == 'a' ||
				    whole[len - 1] == 'b' || whole[len - 1] == '\xac' ||
				    whole[len - 1] == 'f' || whole[len - 1] == ' ');
		} else {
			assert_int_equal(len, 0);
		}
		free(buf);
	}
}

static void decoded(void **state)
{
	uint32_t c = 0;

	(void)state;
	assert_int_equal(text_decode("A", 1, &c), 1);
	assert_int_equal(c, 'A');
	assert_int_equal(text_decode("\xc3\xbc", 2, &c), 2);
	assert_int_equal(c, 0xfc);
	assert_int_equal(text_decode("\xe2\x82\xac", 3, &c), 3);
	assert_int_equal(c, 0x20ac);
	assert_int_equal(text_decode("\xf0\x9f\x98\x80", 4, &c), 4);
	assert_int_equal(c, 0x1f600);
	assert_int_equal(text_decode("\xf0\x9f\x98\x80", 3, &c), 0);
	assert_int_equal(text_decode("\xf5\x80\x80\x80", 4, &c), 0);
}

static void appended(void **state)
{
	char buf[8];
	size_t pos;

	(void)state;
	pos = text_append(buf, sizeof(buf), 0, "%d", 123);
	assert_int_equal(pos, 3);
	pos = text_append(buf, sizeof(buf), pos, "%s", "abcdefgh");
	assert_int_equal(pos, 7);
	assert_string_equal(buf, "123abcd");
	assert_int_equal(text_append(buf, sizeof(buf), pos, "more"), 7);
	assert_string_equal(buf, "123abcd");
}

static void hex(void **state)
{
	static const uint8_t bytes[] = {0x00, 0x9a, 0xff, 0x10};
	char text[2 * sizeof(bytes) + 1];

	(void)state;
	assert_string_equal(text_hex(text, bytes, sizeof(bytes)), "009aff10");
	assert_string_equal(text_hex(text, bytes, 0), "");
}

static void base(void **state)
{
	(void)state;
	assert_string_equal(text_base("/usr/lib/libc.so.6"), "libc.so.6");
	assert_string_equal(text_base("[kernel]"), "[kernel]");
	assert_string_equal(text_base("/a/b/"), "/a/b/");
	assert_string_equal(text_base(""), "");
}

static void apart(void **state)
{
	static const struct {
		const char *path, *other, *end;
	} of[] = {
		{"/usr/lib/libc.so.6", "/srv/lib/libc.so.6", "usr/lib/libc.so.6"},
		{"/srv/box/usr/lib/libc.so.6", "/usr/lib/libc.so.6", "box/usr/lib/libc.so.6"},
		{"/usr/lib/libc.so.6", "/srv/box/usr/lib/libc.so.6", "/usr/lib/libc.so.6"},
		{"/usr/lib/libc.so.6", "/usr/lib/libc.so.6", "libc.so.6"},
		{"/a/one", "/a/two", "one"}, {"/a/bone", "/a/one", "bone"}, {"[kernel]", "[vdso]", "[kernel]"}, {"", "/a", ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++)
		assert_string_equal(text_apart(of[i].path, of[i].other), of[i].end);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain),         cmocka_unit_test(controls), cmocka_unit_test(unseen),
		cmocka_unit_test(broken),        cmocka_unit_test(small_buffers),
		cmocka_unit_test(decoded),       cmocka_unit_test(appended),
		cmocka_unit_test(printable),     cmocka_unit_test(hex),
		cmocka_unit_test(base),          cmocka_unit_test(apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
