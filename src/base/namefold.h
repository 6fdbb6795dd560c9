/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * namefold - shorten names of functions to a width, so that they can still be told apart.
 *
 * A name that fits stays whole.  A longer one loses its least informative parts, step by step:
 *   words   std::__cxx11::basic_string<char, ...> becomes std::string, {lambda(int)#1} becomes
 *           {lambda#1}, Rust's hash is dropped
 *   paths   of a path (Go, Java, Python, node) the last part stays
 *   types   template arguments become Foo<...>, the innermost first
 *   params  a function's parameters, if present, become (...)
 *   middle  the enclosing scopes are cut; the last parts stay
 *
 * Threads: any.  Allocates: never.
 */
#ifndef RINGTOP_BASE_NAMEFOLD_H
#define RINGTOP_BASE_NAMEFOLD_H

#include <stddef.h>

#define NAMES_BYTES 1024 /* enough for any name that is shown */

/* Function that returns how many columns a text takes on the screen. */
struct namefold_measure {
	int (*width)(const void *ctx, const char *text);
	const void *ctx;
};

/*
 * Write `name`, escaped already, to dst in at most `width` columns; whole where width is below 4.
 * other: another shown name that would look the same: the place where they differ stays; or NULL.
 */
void namefold_fit(const struct namefold_measure *m, char *dst, size_t size, const char *name,
		  const char *other, int width);

#endif
