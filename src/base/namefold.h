/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * namefold - names of functions in the room that there is, so that they still can be told apart.
 *
 * A name that fits stays whole.  One that does not gives away what says least, step by step:
 *   words   std::__cxx11::basic_string<char, ...> is std::string, {lambda(int)#1} is {lambda#1}, Rust's hash goes
 *   paths   of what contains one (Go, Java, Python, node) the last part
 *   types   what stands in the brackets of a template, Foo<...>, the innermost first
 *   params  of a function's parameters, where they are there, the brackets stay
 *   middle  what leads to the function: its last parts stay
 *
 * Threads: any.  Allocates: never.
 */
#ifndef RINGTOP_BASE_NAMEFOLD_H
#define RINGTOP_BASE_NAMEFOLD_H

#include <stddef.h>

#define NAMES_BYTES 1024 /* enough for any name that is shown */

/* How many columns a text takes where it is to be shown. */
struct namefold_measure {
	int (*width)(const void *ctx, const char *text);
	const void *ctx;
};

/*
 * `name`, escaped already, in at most `width` columns.  other: one that is shown too and would look the
 * same: the place where they differ stays; NULL: there is none.
 */
void namefold_fit(const struct namefold_measure *m, char *dst, size_t size, const char *name, const char *other, int width);

#endif
