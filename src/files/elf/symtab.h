/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symtab - the functions of one object, sorted by address.
 *
 * Built by one worker, then frozen: after symtab_freeze it never changes and any thread may look
 * up in it.  Names are mangled as found; demangle.h makes them readable when one is shown.
 *
 * A frozen symbol costs 16 bytes and its name, an address with several names 24 bytes more and those
 * that it lists.  Names that overlap, as linkers make them and hostile files do, are kept once: all
 * together take no more than the texts that they came from.
 *
 * Memory is taken from a budget; what it refuses is -ENOMEM here.
 */
#ifndef RINGTOP_FILES_ELF_SYMTAB_H
#define RINGTOP_FILES_ELF_SYMTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/budget.h"

/* Bounds on what a hostile file can make us keep. */
#define SYMTAB_MAX       (8u << 20)   /* symbols */
#define SYMTAB_NAMES_MAX (512u << 20) /* bytes of all names together */
#define SYMTAB_NAME_MAX  4096u        /* bytes of one name, longer ones are cut: each may be shown and kept */

/* How far the last symbol reaches, if it has no size: to a page's end, and one page more. */
#define SYMTAB_PAGE 4096u

struct symtab;

enum symtab_binding { SYMTAB_LOCAL, SYMTAB_WEAK, SYMTAB_GLOBAL };

/* A kernel's symbols have no sizes.  Those of data only bound the others; BPF counts as a module. */
enum symtab_part {
	SYMTAB_TEXT = 0,
	SYMTAB_DATA = 1,
	SYMTAB_MODULE = 2, /* with either */
};

#define SYMTAB_ALSO 3 /* other names that an address lists at the most */

struct symtab_entry {
	uint64_t addr, size;
	const char *name;
	/*
	 * By symtab_names: how many names the address has with this one (0: nobody asked), and some of
	 * the others, NULL behind.
	 */
	uint32_t names;
	const char *also[SYMTAB_ALSO];
};

/* b outlives it; NULL: it has a budget of its own, as an object would. */
struct symtab *symtab_create(struct budget *b);
struct budget *symtab_budget(struct symtab *t);
void symtab_free(struct symtab *t);

/*
 * Copies the name (len bytes, up to a NUL).  -EINVAL: nameless, absurd (wrapping) or after the
 * freeze; -EFBIG: over the bounds above; -ENOMEM.
 */
int symtab_add(struct symtab *t, uint64_t addr, uint64_t size, enum symtab_binding binding,
	       const char *name, size_t len);

/*
 * The same with names that stay where they are: symtab_text copies a text (a file's table of strings) and says
 * where it begins, symtab_add_at takes the name at a place in it, up to its NUL.  A name that is cut there is
 * cut for all that overlap it.  Texts are good until the next symtab_settle.
 */
int symtab_text(struct symtab *t, const char *text, size_t len, size_t *begin);
int symtab_add_at(struct symtab *t, uint64_t addr, uint64_t size, enum symtab_binding binding,
		  size_t place);

/* A symbol of the kernel: as symtab_add. */
int symtab_add_kernel(struct symtab *t, uint64_t addr, unsigned part, const char *name, size_t len);

/*
 * Of several names for one address the rules of perf choose (tools/perf/util/symbol.c of Linux 6.1,
 * symbols__fixup_end and symbols__fixup_duplicate), so that both name alike:
 *
 *   1. A symbol without a size ends where the next one stands that was added after it or lies
 *      behind it.  So of several without a size at one address only the last added gets one.
 *      Between the kernel and a module, and behind the last of all, it ends a page after its own.
 *      So does perf; here it also ends where the unwind information has a function begin (symtab_bound).
 *   2. Sized before sizeless, other before weak, global before local, fewer leading underscores,
 *      the longer name (the readable form of both), the one added first.
 *
 * symtab_settle does so for what was added until now; what comes later competes with what it left.
 * 0 or -ENOMEM.
 */
int symtab_settle(struct symtab *t);

/* Return true if a symbol that was added since the last symtab_settle has no size, and only other symbols end it. */
bool symtab_lacks_sizes(const struct symtab *t);

/*
 * Symbols without a size end at the first of these addresses behind their own, too: functions that have no symbol of
 * theirs begin there.  nr of them, sorted; takes them over, for budget_free.
 */
void symtab_bound(struct symtab *t, uint64_t *begins, size_t nr);

/* Settle the rest; nothing may be added any more.  0 or -ENOMEM. */
int symtab_freeze(struct symtab *t);

/*
 * True and *e filled but for other names where addr lies inside a symbol.  The name lives as long as t.
 */
bool symtab_find(const struct symtab *t, uint64_t addr, struct symtab_entry *e);

/*
 * Fill in e's names besides its own.  Linkers fold functions of equal code into one (ICF), and sources
 * have aliases: then what is measured of one name is of any of them.  Names count by their readable
 * forms, so that an overload or the two symbols of a constructor are no other name; nor are a
 * compiler's .localalias, a version behind @, what has another size, and data.
 */
void symtab_names(const struct symtab *t, struct symtab_entry *e);

size_t symtab_count(const struct symtab *t);
size_t symtab_bytes(const struct symtab *t);

/* The i-th entry, by address; for tests and exports. */
void symtab_at(const struct symtab *t, size_t i, struct symtab_entry *e);

#endif
