/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symtab - the functions of one object, sorted by address.
 *
 * Built by one worker, then frozen: after symtab_freeze it never changes and any thread may look
 * up in it.  Names are mangled as found; demangle.h makes them readable when one is shown.
 *
 * A frozen symbol costs 16 bytes and its name.
 */
#ifndef RINGTOP_RESOLVE_SYMTAB_H
#define RINGTOP_RESOLVE_SYMTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bounds on what a hostile file can make us keep. */
#define SYMTAB_MAX       (8u << 20)   /* symbols */
#define SYMTAB_NAMES_MAX (512u << 20) /* bytes of all names together */
#define SYMTAB_NAME_MAX  (64u << 10)  /* bytes of one name, longer ones are cut */

/* How far a symbol without a size reaches when no other follows. */
#define SYMTAB_REACH (256u << 10)

struct symtab;

enum symtab_binding { SYMTAB_LOCAL, SYMTAB_WEAK, SYMTAB_GLOBAL };

struct symtab_entry {
	uint64_t addr, size; /* size 0 until frozen: reaches to the next symbol, within limits */
	const char *name;
};

struct symtab *symtab_create(void);
void symtab_free(struct symtab *t);

/*
 * Copies the name (len bytes, up to a NUL).  -EINVAL: nameless, absurd (wrapping) or after the
 * freeze; -EFBIG: over the bounds above; -ENOMEM.
 */
int symtab_add(struct symtab *t, uint64_t addr, uint64_t size, enum symtab_binding binding,
	       const char *name, size_t len);

/*
 * Sort; of several names for one address keep the best, in the order of perf, so that both name
 * alike: sized before sizeless, global before local before weak, fewer leading underscores, the
 * longer name, the one added first.  Give sizeless ones a size up to the next symbol, but not
 * beyond `end` (exclusive bound of the object's code, 0: none) nor SYMTAB_REACH.
 */
int symtab_freeze(struct symtab *t, uint64_t end);

/* True and *e filled where addr lies inside a symbol.  The name lives as long as t. */
bool symtab_find(const struct symtab *t, uint64_t addr, struct symtab_entry *e);

size_t symtab_count(const struct symtab *t);
size_t symtab_bytes(const struct symtab *t);

/* The i-th entry, by address; for tests and exports. */
void symtab_at(const struct symtab *t, size_t i, struct symtab_entry *e);

#endif
