/* SPDX-License-Identifier: GPL-2.0-or-later */
/* demangle - C++, Rust (legacy and v0) and D names for people, by libiberty.  Threads: any. */
#ifndef RINGTOP_FILES_ELF_DEMANGLE_H
#define RINGTOP_FILES_ELF_DEMANGLE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A malloc'ed readable form of name, or NULL where it is not mangled (use it as it is).  Bounded:
 * names longer than DEMANGLE_MAX, that would become longer, or that recurse too deep are given as
 * not mangled.  Each ends in milliseconds (mangled.h); of one object's
 * names those stay mangled that come after DEMANGLE_NS_MAX.
 *
 * As perf has them, so that both name alike: C++ without parameters and result, but with the arguments
 * of templates; C++ and Rust without what a compiler put behind (.cold, .part.0, .llvm.123) and without
 * Rust's hash ::h0123456789abcdef.  D, which perf leaves mangled, has its parameters and what is behind
 * as "name [clone .part.0]".  "@plt" stays as it is.
 */
#define DEMANGLE_MAX 4096

/* What the names of one object, or of whatever else is read at a time, have cost; zeroed first. */
struct demangle_work {
	uint64_t ns;    /* CPU time of the thread */
	uint32_t left;  /* names that were left mangled: there was no time left, or that one could take long */
	bool lost;      /* or there was no answer of a helper */
};

#define DEMANGLE_NS_MAX (250 * 1000 * 1000ull)

char *demangle(const char *name, struct demangle_work *work);

/* Whether that would try. */
bool demangle_wants(const char *name);

#endif
