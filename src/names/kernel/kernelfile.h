/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernelfile - symbols of a kernel from files that the user names, applied to a recorded kernel: it
 * ran at another address than its file has, and each boot moves it (KASLR).
 *
 * A recording has the address of _text or _stext. Its difference to the file's address of that
 * symbol must be a multiple of the step by which kernels move: else the file is another kernel's.
 * Modules are found only by symbols of the same boot.
 *
 * Threads: the resolver's; the files are read by the thread that opens them.
 */
#ifndef RINGTOP_NAMES_KERNEL_KERNELFILE_H
#define RINGTOP_NAMES_KERNEL_KERNELFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "names/kernel/kernelsyms.h"
#include "names/kernel/kmaps.h"

struct kernelfile_config {
	const char *vmlinux;  /* an ELF file with symbols, or NULL */
	const char *kallsyms; /* a copy of /proc/kallsyms, or NULL */
	struct build_id id;   /* build-id that vmlinux must have */
	bool running; /* kallsyms must be of the running kernel, as far as it can be checked */
};

/* Read the files into k. Return 0, or -errno with err: the file and what is wrong with it. */
int kernelfile_open(struct kernel *k, const struct kernelfile_config *c, struct err *err);

/*
 * Set the build-id of the recorded kernel, which comes late: drops a vmlinux of another build.
 * Return false if it was dropped.
 */
bool kernelfile_recorded(struct kernel *k, const struct build_id *id);

/*
 * Return the symbols for addresses in map (NULL: the recording has no map of its kernel) of the
 * kernel that m describes; *moved: offset of the recorded addresses from theirs. NULL: none, *why
 * has the reason (a string owned by k or a constant; NULL: still being read).
 */
const struct symtab *kernelfile_symbols(const struct kernel *k, const struct kmaps *m,
					const struct kmap *map, uint64_t *moved, const char **why);

/*
 * Get the offset of the recorded kernel from kallsyms' addresses; false: an offset that no kernel
 * can have.
 */
bool kernelfile_moved(const struct kernel *k, const struct kmaps *m, uint64_t *moved);

/*
 * Return true if the kernel's idle loop waits at ip, which lies in map. False also if that is not
 * known.
 */
bool kernelfile_idle(const struct kernel *k, const struct kmaps *m, const struct kmap *map,
		     uint64_t ip);

/* Find the symbol that was at ip, which lies in map. e's names are borrowed from k. False: none. */
bool kernelfile_find(const struct kernel *k, const struct kmaps *m, const struct kmap *map,
		     uint64_t ip, struct symtab_entry *e);

#endif
