/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kmaps - where a recorded kernel had its text, its modules and its programs (BPF), as the records
 * of a file say.  A live session asks /proc/kallsyms instead.
 *
 * Threads: the resolver's.
 */
#ifndef RINGTOP_RESOLVE_KMAPS_H
#define RINGTOP_RESOLVE_KMAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/record.h"
#include "resolve/kallsyms.h"

#define KMAPS_MAX 65536 /* modules and programs at one time */

enum kmap_kind { KMAP_KERNEL, KMAP_MODULE, KMAP_PROGRAM, KMAP_SYMBOL };

struct kmap {
	uint64_t start, end;
	enum kmap_kind kind;
	uint32_t serial; /* of all maps of the session */
	char name[80];   /* "[kernel]", "[ext4]"; a program's symbol; a symbol, of a module with "\t[ext4]" as kallsyms have it */
};

struct kmaps {
	struct kmap *map; /* by start; they do not overlap */
	size_t nr, cap;
	struct kmap kernel; /* below the others: may reach over them.  start == end: none */
	uint64_t reference; /* address of the symbol that the kernel's map names; 0: unknown */
	enum kernel_mark mark; /* that symbol */
	uint32_t serial;
};

/* A mapping with a pid of -1.  False: nothing is different now. */
bool kmaps_mmap(struct kmaps *k, const struct record_mmap *m);
bool kmaps_ksymbol(struct kmaps *k, const struct record_ksymbol *s);

const struct kmap *kmaps_find(const struct kmaps *k, uint64_t addr); /* NULL: nowhere */
void kmaps_clear(struct kmaps *k);

#endif
