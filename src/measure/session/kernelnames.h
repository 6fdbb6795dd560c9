/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernelnames - names of kernel functions by address, for lines of the event log.
 *
 * Read for the first look-up, by the printing thread: the resolver's names belong to its thread.
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
	const char *path; /* file like /proc/kallsyms, borrowed; NULL: `text` */
	/* text like /proc/kallsyms, borrowed, of len bytes; NULL, too: no names */
	const char *text;
	size_t len;
	bool tried; /* reading was tried */
	struct kallsyms kallsyms;
};

void kernelnames_init(struct kernelnames *k, const char *path);

/* Use `text`, which is borrowed, instead of a file. */
void kernelnames_init_text(struct kernelnames *k, const char *text, size_t len);

void kernelnames_clear(struct kernelnames *k);

/* Find the function at addr: its name, cut to `size` bytes, and its start.  False: not known. */
bool kernelnames_find(struct kernelnames *k, uint64_t addr, char *name, size_t size,
		      uint64_t *start);

#endif
