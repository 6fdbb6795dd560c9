/* SPDX-License-Identifier: GPL-2.0-or-later */
/* demangle - readable forms of C++, Rust (legacy, v0) and D names, by libiberty.  Threads: any. */
#ifndef RINGTOP_FILES_ELF_DEMANGLE_H
#define RINGTOP_FILES_ELF_DEMANGLE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Return a malloc'ed readable form of name, or NULL if it is not mangled (use it as it is).
 * Bounded: names longer than DEMANGLE_MAX, that would become longer, or that recurse too deep count
 * as not mangled. Each call ends within 20 ms of CPU time; after an object has used up
 * DEMANGLE_NS_MAX its other names stay mangled.
 *
 * The form is perf's, so that both tools print equal names: C++ without parameters and result, but
 * with template arguments; C++ and Rust without compiler suffixes (.cold, .part.0, .llvm.123) and
 * without Rust's hash ::h0123456789abcdef. D, which perf leaves mangled, keeps its parameters, and
 * its suffix is shown as "name [clone .part.0]". "@plt" stays as it is.
 */
#define DEMANGLE_MAX 4096

/* Cost of demangling the names of one object, or of another unit of work. Zeroed at first. */
struct demangle_work {
	uint64_t ns;    /* CPU time of the thread */
	uint32_t left;  /* names left mangled: out of time, or that one might take too long */
	bool lost;      /* or a helper failed to reply */
};

#define DEMANGLE_NS_MAX (250 * 1000 * 1000ull)

char *demangle(const char *name, struct demangle_work *work);

/*
 * Make the thread's timer, which bounds the printing of C++ names; demangle() does so when it is
 * first needed, but a sandbox allows it no more. False: it cannot be made, and these stay mangled.
 */
bool demangle_prepare(void);

/* Return true if demangle() would try this name. */
bool demangle_wants(const char *name);

#endif
