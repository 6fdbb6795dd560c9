/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernelnames - what addresses of the kernel that stand in records are called, for lines of the event log.
 *
 * Read when the first is asked for, by whoever prints: the resolver's are its thread's.
 *
 * Threads: one owner at a time.
 */
#ifndef RINGTOP_MEASURE_SESSION_KERNELNAMES_H
#define RINGTOP_MEASURE_SESSION_KERNELNAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "names/kernel/kallsyms.h"

struct kernelnames {
	const char *path; /* NULL: nothing is known of the kernel, or it is */
	const char *text; /* text as /proc/kallsyms has it, of len bytes */
	size_t len;
	bool tried;
	struct kallsyms kallsyms;
};

void kernelnames_init(struct kernelnames *k, const char *path);
void kernelnames_init_text(struct kernelnames *k, const char *text, size_t len); /* text: borrowed */
void kernelnames_clear(struct kernelnames *k);

/* The function at addr and where it begins.  False: it is not known. */
bool kernelnames_find(struct kernelnames *k, uint64_t addr, char *name, size_t size, uint64_t *start);

#endif
