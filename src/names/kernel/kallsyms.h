/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kallsyms - the kernel's own symbols, modules included.
 *
 * Text symbols only (types t, T, w, W), by their bare names; kallsyms_module_of has the module.
 * Data (d, D, b, B) ends them, and has the name where both stand at one address and it comes last, as
 * in perf: symtab.h.
 * Frozen after loading; a module loaded later means loading again.
 * Threads: any worker; the result is read-only.
 */
#ifndef RINGTOP_NAMES_KERNEL_KALLSYMS_H
#define RINGTOP_NAMES_KERNEL_KALLSYMS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "files/elf/symtab.h"

/*
 * A run of neighbouring symbols of one module.  The space for modules is shared with BPF
 * programs, whose "module" is bpf, so a module can have several runs.
 */
struct kallsyms_module {
	char *name;          /* "ext4" without brackets, "" is the kernel proper; "bpf" and such too */
	uint64_t start, end; /* lowest symbol .. end of the highest */
};

/* The symbols by which a recording says where its kernel stood, and between which code idles (include/asm-generic/sections.h). */
enum kernel_mark { KERNEL_TEXT, KERNEL_STEXT, KERNEL_IDLE, KERNEL_IDLE_END, KERNEL_MARKS };

extern const char *const kernel_marks[KERNEL_MARKS]; /* "_text", "_stext", "__cpuidle_text_start", ... */

struct kallsyms {
	struct symtab *symtab;
	struct kallsyms_module *modules; /* [0] is the kernel; the others by start */
	unsigned nmodules;
	char *names; /* of the modules */
	uint64_t mark[KERNEL_MARKS]; /* where they are, 0: not there */
};

/*
 * Parse text in /proc/kallsyms' format from fd until its end.  -EACCES with advice where all
 * addresses are zero (kernel.kptr_restrict), -EINVAL with the line number for a broken line,
 * -EIO, -ENOMEM, -EFBIG.
 */
int kallsyms_load(int fd, struct kallsyms *out, struct err *err);

/* The same from memory, for the fuzzer. */
int kallsyms_parse(const char *text, size_t len, struct kallsyms *out, struct err *err);

void kallsyms_clear(struct kallsyms *k);

/* Name of the module that holds addr; "" for the kernel proper and for addresses beyond all. */
const char *kallsyms_module_of(const struct kallsyms *k, uint64_t addr);

#endif
