/* SPDX-License-Identifier: GPL-2.0-or-later */
/* demangle - C++, Rust (legacy and v0) and D names for people, by libiberty.  Threads: any. */
#ifndef RINGTOP_RESOLVE_DEMANGLE_H
#define RINGTOP_RESOLVE_DEMANGLE_H

/*
 * A malloc'ed readable form of name, or NULL where it is not mangled (use it as it is).  Bounded:
 * names longer than DEMANGLE_MAX, that would become longer, or that recurse too deep are given as
 * not mangled.
 *
 * As perf has them, so that both name alike: C++ without parameters and result, but with the arguments
 * of templates; C++ and Rust without what a compiler put behind (.cold, .part.0, .llvm.123) and without
 * Rust's hash ::h0123456789abcdef.  D, which perf leaves mangled, has its parameters and what is behind
 * as "name [clone .part.0]".  "@plt" stays as it is.
 */
#define DEMANGLE_MAX 4096

char *demangle(const char *name);

#endif
