/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mangled - estimates the cost of demangling a name with libiberty, before it is tried.
 *
 * A name of 100 bytes can stand for one of 2^40, or make a demangler walk or parse as much without
 * printing anything. A running demangler cannot be stopped, so a name that may cost too much is not
 * given to it. The estimate assumes the worst: a cheap name may be refused, but no expensive one is
 * let through. tests/fuzz/fuzz_demangle.c checks that against the clock.
 *
 * Threads: any.
 */
#ifndef RINGTOP_FILES_ELF_MANGLED_H
#define RINGTOP_FILES_ELF_MANGLED_H

#include <stdbool.h>
#include <stddef.h>

#define MANGLED_STEPS_MAX (1u << 20) /* steps of a demangler, about 20 ns each */

struct demangle_component;

/* Return true if parsing this C++ name ends soon. */
bool mangled_cxx_parses(const char *name);

/*
 * Return true if printing a parsed C++ name ends soon, and fits on a thread's stack. comps: the
 * array of nr components that holds root.
 */
bool mangled_cxx_prints(const struct demangle_component *root,
			const struct demangle_component *comps, size_t nr);

/* Return true if demangling a Rust (v0) or D name ends soon. */
bool mangled_rust_ends(const char *name);
bool mangled_d_ends(const char *name);

#endif
