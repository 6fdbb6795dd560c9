/* SPDX-License-Identifier: GPL-2.0-or-later */
/* names: what is left of long names of several languages, and that two of them stay apart. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <locale.h>
#include <string.h>

#include "base/namefold.h"
#include "ui/term/scene.h"

#define STRING "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >"
#define LONG   "a_function_of_C_whose_name_is_longer_than_any_screen_has_room_for_it"

static const struct scene scene = {.rows = 1, .cols = 300};

static int width_of(const void *ctx, const char *text)
{
	return scene_width(ctx, text);
}

static const struct namefold_measure measure = {width_of, &scene};

static const struct {
	const char *name;
	int width;
	const char *shown;
} cases[] = {
	{"main", 20, "main"},
	/* C++ */
	{"acme::storage::Shard<" STRING ", 4>::sum", 40, "acme::storage::Shard<std::string, 4>::sum"},
	{"acme::storage::Shard<" STRING ", 4>::sum", 41, "acme::storage::Shard<std::string, 4>::sum"},
	{"std::vector<std::pair<int, std::map<int, long> >, std::allocator<int> >::push_back", 70,
	 "std::vector<std::pair<int, std::map<…> >, std::allocator<int> >::push_back"},
	{"std::map<int, std::vector<long> >::operator[]", 44, "std::map<int, std::vector<…> >::operator[]"},
	{"std::map<int, std::vector<long> >::operator[]", 30, "std::map<…>::operator[]"},
	{"operator<< <std::char_traits<char> >", 30, "operator<< <std::char_traits<…> >"},
	{"ns::operator<=><std::vector<int> >", 24, "ns::operator<=><…>"},
	{"Foo<int>::operator-><long long>", 24, "Foo<…>::operator-><…>"},
	{"run(int)::{lambda(std::vector<int>, f(*)(int))#2}::operator()", 45, "run(int)::{lambda#2}::operator()"},
	{"(anonymous namespace)::deep::deeper::function", 40, "(anon)::deep::deeper::function"},
	{"hot_loop(int) [clone .constprop.0]", 20, "hot_loop(int)"},
	{"acme::storage::engine::detail::Shard<int>::insert", 24, "acme::s…Shard<…>::insert"},
	/* Rust */
	{"<alloc::vec::Vec<T,A> as core::ops::drop::Drop>::drop", 52, "<alloc::vec::Vec<…> as core::ops::drop::Drop>::drop"},
	{"core::ops::function::FnOnce::call_once{{vtable.shim}}::h0123456789abcdef", 60,
	 "core::ops::function::FnOnce::call_once{{vtable.shim}}"},
	{"tokio::runtime::task::raw::poll::{{closure}}", 43, "tokio::runtime::task::raw::poll::{closure}"},
	/* Go, Java, Python, node */
	{"github.com/prometheus/tsdb/chunkenc.(*xorAppender).Append", 40, "chunkenc.(*xorAppender).Append"},
	{"Ljava/util/concurrent/ConcurrentHashMap;::putVal", 40, "ConcurrentHashMap;::putVal"},
	{"py::handle_request:/usr/lib/python3/dist-packages/app/server.py", 40, "py::handle_request:server.py"},
	{"LazyCompile:*render /srv/app/node_modules/view/index.js:12:9", 40, "LazyCompile:*render index.js:12:9"},
	{"a::operator/(b)", 14, NULL},
	{"java.util.HashMap.put(java.lang.Object, java.lang.Object)", 30, "java.util.HashMap.put(…)"},
	{"ns::function(std::vector<int>) const", 20, "ns::function(…)"},
	/* C */
	{"compress_block", 10, "compress_…"}, {"acme::storage::compress_block", 10, "compress_…"},
	{LONG, 21, "a_function…oom_for_it"},
	/* What is broken stays as it is, cut. */
	{"foo<bar<baz", 11, "foo<bar<baz"}, {"<<<<<<<<>>>", 8, NULL}, {"::::::::::", 5, NULL}, {"operator<", 6, NULL},
	{"{lambda(((", 8, NULL}, {"std::basic_string<char,", 9, NULL}, {"一二三四五六七八", 7, NULL},
};

static void test_cases(void **state)
{
	char buf[NAMES_BYTES];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (int width = 4; width < 90; width++) {
			namefold_fit(&measure, buf, sizeof(buf), cases[i].name, NULL, width);
			assert_true(scene_width(&scene, buf) <= width);
			if (width >= scene_width(&scene, cases[i].name))
				assert_string_equal(buf, cases[i].name);
			if (width == cases[i].width && cases[i].shown && scene_width(&scene, cases[i].shown) <= width)
				assert_string_equal(buf, cases[i].shown);
		}
}

static void test_middle(void **state)
{
	char buf[NAMES_BYTES];

	(void)state;
	namefold_fit(&measure, buf, sizeof(buf), "acme::storage::engine::detail::Shard<int>::insert", NULL, 24);
	assert_string_equal(buf, "acme::s…Shard<…>::insert");
	namefold_fit(&measure, buf, sizeof(buf), LONG, NULL, 21);
	assert_string_equal(buf, "a_function…oom_for_it");
	assert_int_equal(scene_width(&scene, buf), 21);
}

/* Two that look the same show where they are not. */
static void test_apart(void **state)
{
	static const char *const pairs[][2] = {
		{"acme::storage::Shard<" STRING ", 4>::sum", "acme::storage::Shard<int, 4>::sum"},
		{"visit<std::vector<int>, std::vector<long> >", "visit<std::vector<int>, std::vector<short> >"},
		{LONG "_1_and_so_on_and_on_without_end_at_all", LONG "_2_and_so_on_and_on_without_end_at_all"},
		{"foo<aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa>", "foo<aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab>"},
		{"long_namespace::long_class::same_beginning", "long_namespace::long_class::same_beginning_longer"},
	};
	char a[NAMES_BYTES], b[NAMES_BYTES];

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		for (int width = 14; width < 40; width++) {
			namefold_fit(&measure, a, sizeof(a), pairs[i][0], pairs[i][1], width);
			namefold_fit(&measure, b, sizeof(b), pairs[i][1], pairs[i][0], width);
			assert_string_not_equal(a, b);
			assert_true(scene_width(&scene, a) <= width && scene_width(&scene, b) <= width);
		}
	namefold_fit(&measure, a, sizeof(a), pairs[0][0], pairs[0][1], 26);
	assert_string_equal(a, "…std::string, 4>::sum");
	namefold_fit(&measure, a, sizeof(a), pairs[0][1], pairs[0][0], 26);
	assert_string_equal(a, "…int, 4>::sum");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_middle),
		cmocka_unit_test(test_apart),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
