/* SPDX-License-Identifier: GPL-2.0-or-later */
/* demangle - C++, Rust (legacy and v0) and D names for people, by libiberty.  Threads: any. */
#ifndef RINGTOP_RESOLVE_DEMANGLE_H
#define RINGTOP_RESOLVE_DEMANGLE_H

/*
 * A malloc'ed readable form of name, or NULL where it is not mangled (use it as it is).  Bounded:
 * names longer than DEMANGLE_MAX, that would become longer, or that recurse too deep are given as
 * not mangled.  Suffixes of the compiler (.cold, .part.0, .constprop.0, .isra.0, .llvm.123) are
 * kept in the form "name [clone .cold]" as c++filt does, "@plt" as it is; Rust's trailing hash
 * ::h0123456789abcdef is taken off.
 */
#define DEMANGLE_MAX 4096

char *demangle(const char *name);

#endif
