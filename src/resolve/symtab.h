/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symtab - the functions of one object, sorted by address.
 *
 * Built by one worker, then frozen: after symtab_freeze it never changes and any thread may look
 * up in it.  Names are mangled as found; demangle.h makes them readable when one is shown.
 */
#ifndef RINGTOP_RESOLVE_SYMTAB_H
#define RINGTOP_RESOLVE_SYMTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symtab;

enum symtab_binding { SYMTAB_LOCAL, SYMTAB_WEAK, SYMTAB_GLOBAL };

struct symtab_entry {
	uint64_t addr, size; /* size 0 until frozen: reaches to the next symbol, within limits */
	const char *name;
};

struct symtab *symtab_create(void);
void symtab_free(struct symtab *t);

/* Copies the name (len bytes).  Nameless and absurd (wrapping) entries are refused: -EINVAL. */
int symtab_add(struct symtab *t, uint64_t addr, uint64_t size, enum symtab_binding binding,
	       const char *name, size_t len);

/*
 * Sort; of several names for one address keep the best (sized before sizeless, global before
 * weak before local, fewer leading underscores, longer size, then shorter and first in the alphabet: the
 * order perf prefers, so that both name alike); give sizeless ones a size up to the next
 * symbol, but not beyond `end` (exclusive bound of the object's code, 0: none).
 */
int symtab_freeze(struct symtab *t, uint64_t end);

/* True and *e filled where addr lies inside a symbol. */
bool symtab_find(const struct symtab *t, uint64_t addr, struct symtab_entry *e);

size_t symtab_count(const struct symtab *t);
size_t symtab_bytes(const struct symtab *t);

/* The i-th entry, by address; for tests and exports. */
void symtab_at(const struct symtab *t, size_t i, struct symtab_entry *e);

#endif
