/* SPDX-License-Identifier: GPL-2.0-or-later */
/* skip - a cmocka test that cannot run here says why: tests/run shows the reason beside its name. */
#ifndef RINGTOP_TESTS_SKIP_H
#define RINGTOP_TESTS_SKIP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define SKIP(...) \
	do { \
		print_message("SKIP: " __VA_ARGS__); \
		print_message("\n"); \
		skip(); \
	} while (0)

#endif
