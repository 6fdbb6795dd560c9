/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kmaps - where a kernel had its text, its modules and its programs (BPF), by records: of a file
 * all of them, live those of code that comes and goes (KSYMBOL). A live session looks up in
 * /proc/kallsyms the addresses that no record covers.
 *
 * Records come in order of time, rows of samples a little later. So a map that was removed, or
 * covered by a newer one, is kept until no sample of its time can come any more, and its range
 * stays marked as empty: /proc/kallsyms may have been read before, and would still have the old
 * names.
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

#define KMAPS_MAX 65536 /* modules and programs at a time */
#define KMAPS_PAST 4096 /* removed maps that are kept while samples of their time may come */

/* GONE: nothing is known to be mapped at that time, though something was before or comes after. */
enum kmap_kind { KMAP_KERNEL, KMAP_MODULE, KMAP_PROGRAM, KMAP_SYMBOL, KMAP_GONE };

struct kmap {
	uint64_t start, end;
	uint64_t born; /* perf's clock; 0: since before the session */
	enum kmap_kind kind;
	uint32_t serial; /* unique among all maps of the session */
	/* "[kernel]", "[ext4]"; a program's symbol; a symbol, of a module as "NAME\t[ext4]" */
	char name[80];
};

/* A map that was removed at `until`. */
struct kmap_past {
	struct kmap map;
	uint64_t until;
};

struct kmaps {
	struct kmap *map; /* sorted by start; no overlaps */
	size_t nr, cap;
	struct kmap_past *past; /* removed maps, by until */
	size_t npast, cap_past;
	uint64_t low, high; /* range of all maps ever seen but the kernel's; low == high: none */
	unsigned dropped; /* number of marks of empty ranges that were given up for want of room */
	struct kmap kernel; /* below the others: may reach over them.  start == end: none */
	uint64_t reference; /* address of the symbol that the kernel's map names; 0: unknown */
	enum kernel_mark mark; /* symbol that `reference` is the address of */
	uint32_t serial;
};

/* Add the mapping of a record with a pid of -1. False: nothing has changed. */
bool kmaps_mmap(struct kmaps *k, const struct record_mmap *m, uint64_t time);

/*
 * Add or remove the code that a KSYMBOL record reports. Code that goes and was not known existed
 * before the session. False: nothing has changed, or there is no room for more.
 */
bool kmaps_ksymbol(struct kmaps *k, const struct record_ksymbol *s, uint64_t time);

/*
 * Return the map that was at addr at that time (KMAPS_NOW: is there now), borrowed until k changes;
 * NULL: no record covers that address.
 */
const struct kmap *kmaps_find(const struct kmaps *k, uint64_t addr, uint64_t time);
#define KMAPS_NOW UINT64_MAX

/* Return true if the map at addr may change, or has changed. */
static inline bool kmaps_moves(const struct kmaps *k, uint64_t addr)
{
	return addr >= k->low && addr < k->high;
}

/* Note that no sample from before `settled` comes any more: drop what was kept for them. */
void kmaps_settle(struct kmaps *k, uint64_t settled);

/*
 * Note that /proc/kallsyms was read after all maps up to this serial were known: earlier empty
 * ranges need no mark.
 */
void kmaps_reread(struct kmaps *k, uint32_t serial);

void kmaps_clear(struct kmaps *k);

#endif
