/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the names of a tree's nodes beside their siblings, by nodes made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/tree/tree.h"
#include "ui/parts/treenodes.h"

/* A file is named by as much of its path as siblings of the same name want; by its last part where there are none. */
static void test_object(void **state)
{
	static const struct tree_node nodes[] = {
		{.name = "all", .object = "", .child = 1},
		{.name = "start", .object = "/usr/lib/libc.so.6", .depth = 1, .next = 2},
		{.name = "start", .object = "/srv/box/usr/lib/libc.so.6", .depth = 1, .next = 3, .child = 5},
		{.name = "other", .object = "/opt/lib/libc.so.6", .depth = 1, .next = 4},
		{.name = "start", .object = "/usr/lib/libm.so.6", .depth = 1},
		{.name = "start", .object = "/opt/lib/libc.so.6", .depth = 2, .parent = 2},
	};
	static const char *const shown[] = {"", "/usr/lib/libc.so.6", "box/usr/lib/libc.so.6", "libc.so.6", "libm.so.6", "libc.so.6"};
	const struct tree t = {.node = nodes, .nr = sizeof(nodes) / sizeof(*nodes)};
	char text[64];

	(void)state;
	for (size_t i = 0; i < t.nr; i++) {
		treenodes_object(text, sizeof(text), &t, &nodes[i]);
		assert_string_equal(text, shown[i]);
	}
	treenodes_object(text, sizeof(text), NULL, &nodes[2]);
	assert_string_equal(text, "libc.so.6");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_object)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
