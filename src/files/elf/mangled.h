/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mangled - judges, before a name is demangled with libiberty, the parts of that which cannot be
 * stopped (demangle.c): parsing of C++, the stack that printing takes, and all of Rust and D.
 *
 * A name of 100 bytes can make a demangler walk or parse 2^40 steps without printing anything. The
 * estimate assumes the worst: a cheap name may be refused, but no expensive one is let through.
 * tests/fuzz/fuzz_demangle.c checks that against the clock.
 *
 * Threads: any.
 */
#ifndef RINGTOP_FILES_ELF_MANGLED_H
#define RINGTOP_FILES_ELF_MANGLED_H

#include <stdbool.h>
#include <stddef.h>

#define MANGLED_STEPS_MAX (1u << 20) /* steps of a demangler, about 20 ns each */

/* Return true if parsing this C++ name ends soon; if printing it fits on a thread's stack. */
bool mangled_cxx_parses(const char *name);
bool mangled_cxx_fits(const char *name);

/* Return true if demangling a Rust (v0) or D name ends soon. */
bool mangled_rust_ends(const char *name);
bool mangled_d_ends(const char *name);

#endif
