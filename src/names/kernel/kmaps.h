/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kmaps - where a kernel had its text, its modules and its programs (BPF), as records say: of a file
 * all of them, live those of code that comes and goes (KSYMBOL).  A live session asks /proc/kallsyms for
 * what no record spoke of.
 *
 * Records come in the order of their time, rows of samples a little later.  So what was taken away, or
 * covered by something newer, is kept until no sample of its time can come any more, and its place stays
 * marked as empty: /proc/kallsyms may have been read before, and would name it as it was.
 *
 * Threads: the resolver's.
 */
#ifndef RINGTOP_NAMES_KERNEL_KMAPS_H
#define RINGTOP_NAMES_KERNEL_KMAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "files/decode/record.h"
#include "names/kernel/kallsyms.h"

#define KMAPS_MAX 65536 /* modules and programs at one time */
#define KMAPS_PAST 4096 /* maps that are kept after they went, while samples of their time may come */

/* GONE: nothing is known to be there at that time, though something was before or comes after. */
enum kmap_kind { KMAP_KERNEL, KMAP_MODULE, KMAP_PROGRAM, KMAP_SYMBOL, KMAP_GONE };

struct kmap {
	uint64_t start, end;
	uint64_t born; /* perf's clock; 0: since before the session */
	enum kmap_kind kind;
	uint32_t serial; /* of all maps of the session */
	char name[80];   /* "[kernel]", "[ext4]"; a program's symbol; a symbol, of a module with "\t[ext4]" as kallsyms have it */
};

/* A map that is no longer there. */
struct kmap_past {
	struct kmap map;
	uint64_t until;
};

struct kmaps {
	struct kmap *map; /* by start; they do not overlap */
	size_t nr, cap;
	struct kmap_past *past; /* maps that went, by until */
	size_t npast, cap_past;
	uint64_t low, high; /* all maps but the kernel's there ever were lie between; low == high: there was none */
	unsigned dropped;   /* number of marks of empty places that were given up for want of room */
	struct kmap kernel; /* below the others: may reach over them.  start == end: none */
	uint64_t reference; /* address of the symbol that the kernel's map names; 0: unknown */
	enum kernel_mark mark; /* that symbol */
	uint32_t serial;
};

/* A mapping with a pid of -1.  False: nothing is different now. */
bool kmaps_mmap(struct kmaps *k, const struct record_mmap *m, uint64_t time);

/*
 * Take note of code that comes, or goes.  Code that goes and was not known was there from before the session.  False:
 * nothing is different now, or there is no room for more.
 */
bool kmaps_ksymbol(struct kmaps *k, const struct record_ksymbol *s, uint64_t time);

/* Return the map that was at addr at that time (KMAPS_NOW: that is there); NULL: no record spoke of that place. */
const struct kmap *kmaps_find(const struct kmaps *k, uint64_t addr, uint64_t time);
#define KMAPS_NOW UINT64_MAX

/* Return true if what is at addr may change, or has changed. */
static inline bool kmaps_moves(const struct kmaps *k, uint64_t addr)
{
	return addr >= k->low && addr < k->high;
}

/* No sample from before `settled` comes any more. */
void kmaps_settle(struct kmaps *k, uint64_t settled);

/* /proc/kallsyms was read after all maps up to this serial were known: empty places of before need no mark. */
void kmaps_reread(struct kmaps *k, uint32_t serial);

void kmaps_clear(struct kmaps *k);

#endif
