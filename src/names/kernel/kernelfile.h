/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernelfile - the symbols of a kernel out of files that the user names, and how they tell of a
 * recorded kernel: it stood elsewhere than its file has it, and each boot puts it elsewhere (KASLR).
 *
 * A recording says where _text or _stext was.  What a file has for it makes the difference, which
 * must be a multiple of what kernels move by: else it is another kernel's file.  Modules are found
 * only by symbols of the same boot.
 *
 * Threads: the resolver's; the files are read by whoever opens.
 */
#ifndef RINGTOP_NAMES_KERNEL_KERNELFILE_H
#define RINGTOP_NAMES_KERNEL_KERNELFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "names/kernel/kernel.h"
#include "names/kernel/kmaps.h"

struct kernelfile_config {
	const char *vmlinux;  /* an ELF file with symbols, or NULL */
	const char *kallsyms; /* a copy of /proc/kallsyms, or NULL */
	struct build_id id;   /* what vmlinux must have */
	bool running;         /* kallsyms must be of the kernel that runs, as far as that tells */
};

/* Read what is named into k.  0, or -errno with err: what is wrong with which file. */
int kernelfile_open(struct kernel *k, const struct kernelfile_config *c, struct err *err);

/* The recorded kernel says its build-id late: a vmlinux of another one is given up.  False: it was. */
bool kernelfile_recorded(struct kernel *k, const struct build_id *id);

/*
 * What tells of the addresses in map (NULL: the recording has no map of its kernel) of the kernel that
 * m is of; *moved: how far it stood from there.  NULL: nothing, *why says for what reason (a string
 * of k's or a constant; NULL: still being read).
 */
const struct symtab *kernelfile_symbols(const struct kernel *k, const struct kmaps *m,
					const struct kmap *map, uint64_t *moved, const char **why);

/* How far the recorded kernel stood from where kallsyms has it; false: that cannot be. */
bool kernelfile_moved(const struct kernel *k, const struct kmaps *m, uint64_t *moved);

/* Does the kernel's idle loop wait at ip, which lies in its own map?  False also where that is not known. */
bool kernelfile_idle(const struct kernel *k, const struct kmaps *m, const struct kmap *map, uint64_t ip);

/* The name of what was at ip, which lies in map. */
bool kernelfile_find(const struct kernel *k, const struct kmaps *m, const struct kmap *map, uint64_t ip,
		     struct symtab_entry *e);

#endif
