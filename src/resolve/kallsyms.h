/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kallsyms - the kernel's own symbols, modules included.
 *
 * Text symbols only (types t, T, w, W).  Frozen after loading; a module loaded later means loading
 * again.  Threads: any worker; the result is read-only.
 */
#ifndef RINGTOP_RESOLVE_KALLSYMS_H
#define RINGTOP_RESOLVE_KALLSYMS_H

#include <stdint.h>

#include "base/err.h"
#include "resolve/symtab.h"

struct kallsyms_module {
	char *name;          /* "ext4" without brackets, "" is the kernel proper; "bpf" and such too */
	uint64_t start, end; /* lowest symbol .. end of the highest */
};

struct kallsyms {
	struct symtab *symtab;
	struct kallsyms_module *modules; /* [0] is the kernel */
	unsigned nmodules;
};

/*
 * Parse text in /proc/kallsyms' format from fd until its end.  -EACCES with advice where all
 * addresses are zero (kernel.kptr_restrict), -EINVAL with the line number for a broken line, -ENOMEM.
 */
int kallsyms_load(int fd, struct kallsyms *out, struct err *err);

void kallsyms_clear(struct kallsyms *k);

/* Name of the module that holds addr; "" for the kernel proper and for addresses beyond all. */
const char *kallsyms_module_of(const struct kallsyms *k, uint64_t addr);

#endif
