/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mangled - what it would cost libiberty to write out a mangled name, known before it is tried.
 *
 * A name of 100 bytes can stand for one of 2^40, or make a demangler walk or parse as much without
 * printing anything.  Nothing stops one on its way, so what may be too much is not given to it.  All
 * is counted as if the worst came true: a name may be refused that would have been cheap, but none is
 * let through that is not.  tests/fuzz/fuzz_demangle.c holds that against the clock.
 *
 * Threads: any.
 */
#ifndef RINGTOP_FILES_ELF_MANGLED_H
#define RINGTOP_FILES_ELF_MANGLED_H

#include <stdbool.h>
#include <stddef.h>

#define MANGLED_STEPS_MAX (1u << 20) /* of a demangler, about 20 ns each */

struct demangle_component;

/* C++: that parsing it ends soon. */
bool mangled_cxx_parses(const char *name);

/*
 * C++, parsed: that printing it ends soon, on a stack that threads have.  comps: the nr components that
 * root is one of.
 */
bool mangled_cxx_prints(const struct demangle_component *root,
			const struct demangle_component *comps, size_t nr);

/* Rust (v0), D. */
bool mangled_rust_ends(const char *name);
bool mangled_d_ends(const char *name);

#endif
