/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kallsyms - the kernel's own symbols, modules included.
 *
 * Text symbols only (types t, T, w, W), by their bare names; kallsyms_module_of has the module.
 * Data symbols (d, D, b, B) end them; at an address that has both, the symbol that comes last gives
 * the name, as in perf: symtab.h. Frozen after loading; a module loaded later means loading again.
 * Threads: any worker; the result is read-only.
 */
#ifndef RINGTOP_NAMES_KERNEL_KALLSYMS_H
#define RINGTOP_NAMES_KERNEL_KALLSYMS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "files/elf/symtab.h"

/*
 * A run of neighbouring symbols of one module. Modules share their address range with BPF programs,
 * which have the "module" bpf, so a module can have several runs.
 */
struct kallsyms_module {
	char *name; /* "ext4" without brackets, "" for the kernel proper; also "bpf" and the like */
	uint64_t start, end; /* lowest symbol .. end of the highest */
};

/*
 * Symbols by which a recording gives its kernel's address, and between which code idles
 * (include/asm-generic/sections.h).
 */
enum kernel_mark { KERNEL_TEXT, KERNEL_STEXT, KERNEL_IDLE, KERNEL_IDLE_END, KERNEL_ANCHORS };

/* Names: "_text", "_stext", "__cpuidle_text_start", ... */
extern const char *const kernel_marks[KERNEL_ANCHORS];

struct kallsyms {
	struct symtab *symtab;
	struct kallsyms_module *modules; /* [0] is the kernel; the others sorted by start */
	unsigned nmodules;
	char *names; /* modules' names */
	uint64_t mark[KERNEL_ANCHORS]; /* addresses of these symbols, 0: missing */
};

/*
 * Parse and freeze text in /proc/kallsyms' format from fd until its end. -EACCES with advice where
 * all addresses are zero (kernel.kptr_restrict), -EINVAL with the line number for a broken line,
 * -EIO, -ENOMEM, -EFBIG. On success the caller frees with kallsyms_clear().
 */
int kallsyms_load(int fd, struct kallsyms *out, struct err *err);

/* Like kallsyms_load(), from memory: for the fuzzer. */
int kallsyms_parse(const char *text, size_t len, struct kallsyms *out, struct err *err);

void kallsyms_clear(struct kallsyms *k);

/*
 * Return the name of the module that holds addr, borrowed from k; "" for the kernel proper and for
 * addresses beyond all modules.
 */
const char *kallsyms_module_of(const struct kallsyms *k, uint64_t addr);

#endif
