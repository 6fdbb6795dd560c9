/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symtab - the functions of one object, sorted by address.
 *
 * Built by one worker, then frozen: after symtab_freeze it never changes and any thread may search
 * it. Names are kept mangled; demangle.h makes them readable when one is shown.
 *
 * A frozen symbol costs 16 bytes and its name, an address with several names 24 bytes more and the
 * names that it lists. Names that overlap, as linkers make them and hostile files do, are kept
 * once: all together take no more than the texts that they came from.
 *
 * Memory is taken from a budget; a refusal is returned as -ENOMEM.
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
#define SYMTAB_NAME_MAX  4096u        /* bytes of one name; longer ones are cut */

/* Size of the last symbol if it has none of its own: up to a page's end, and one page more. */
#define SYMTAB_PAGE 4096u

struct symtab;

enum symtab_binding { SYMTAB_LOCAL, SYMTAB_WEAK, SYMTAB_GLOBAL };

/*
 * Parts of a kernel. Its symbols have no sizes; data symbols only bound the others, and BPF counts
 * as a module.
 */
enum symtab_part {
	SYMTAB_TEXT = 0,
	SYMTAB_DATA = 1,
	SYMTAB_MODULE = 2, /* with either */
};

#define SYMTAB_ALSO 3 /* maximum of other names listed for an address */

struct symtab_entry {
	uint64_t addr, size;
	const char *name;
	/*
	 * Set by symtab_names: the number of names of the address including this one (0: not
	 * requested), and some of the others, then NULL.
	 */
	uint32_t names;
	const char *also[SYMTAB_ALSO];
};

/* Create an empty table. b outlives it; NULL: it uses a budget of its own. */
struct symtab *symtab_create(struct budget *b);
struct budget *symtab_budget(struct symtab *t);
void symtab_free(struct symtab *t);

/*
 * Add a symbol and copy its name (len bytes, or up to a NUL). Return 0, -EINVAL (no name, a range
 * that wraps around, or a frozen table), -EFBIG (over the bounds above), -ENOMEM.
 */
int symtab_add(struct symtab *t, uint64_t addr, uint64_t size, enum symtab_binding binding,
	       const char *name, size_t len);

/*
 * Add symbols whose names overlap in a string table: symtab_text copies a text (a file's string
 * table) and stores its place in *begin; symtab_add_at uses the name at a place in it, up to its
 * NUL. A name that is cut there is cut for all that overlap it. Places are valid until the next
 * symtab_settle.
 */
int symtab_text(struct symtab *t, const char *text, size_t len, size_t *begin);
int symtab_add_at(struct symtab *t, uint64_t addr, uint64_t size, enum symtab_binding binding,
		  size_t place);

/* Add a kernel symbol without a size, like symtab_add(). part: bits of enum symtab_part. */
int symtab_add_kernel(struct symtab *t, uint64_t addr, unsigned part, const char *name, size_t len);

/*
 * Choose one name for each address. If there are several, perf's rules decide
 * (tools/perf/util/symbol.c of Linux 6.1, symbols__fixup_end and symbols__fixup_duplicate), so that
 * both tools print equal names:
 *
 *   1. A symbol without a size ends where the next one starts that was added after it or lies
 *      behind it.  So of several without a size at one address only the last added gets one.
 *      Between the kernel and a module, and behind the last of all, it ends a page after its own.
 *      So does perf; here it also ends where the unwind information has a function begin
 *      (symtab_bound).
 *   2. Sized before sizeless, other before weak, global before local, fewer leading underscores,
 *      the longer name (the readable form of both), the one added first.
 *
 * symtab_settle applies them to all symbols added so far; later ones compete with the chosen ones.
 * Return 0 or -ENOMEM.
 */
int symtab_settle(struct symtab *t);

/*
 * Return true if a symbol added since the last symtab_settle has no size and no bounds were given:
 * only other symbols end it.
 */
bool symtab_lacks_sizes(const struct symtab *t);

/*
 * Also end symbols without a size at the first of these addresses behind their own: functions that
 * have no symbol begin there. begins: nr sorted addresses; the table takes them over and frees them
 * with budget_free.
 */
void symtab_bound(struct symtab *t, uint64_t *begins, size_t nr);

/* Settle the rest; nothing can be added from then on. Return 0 or -ENOMEM. */
int symtab_freeze(struct symtab *t);

/*
 * Find the symbol that contains addr. Return true and fill *e except its other names. The name
 * lives as long as t.
 */
bool symtab_find(const struct symtab *t, uint64_t addr, struct symtab_entry *e);

/*
 * Fill in e's other names. Linkers fold functions of equal code into one (ICF), and sources have
 * aliases: then a sample of one name may belong to any of them. Names are compared in readable
 * form, so an overload, or the two symbols of a constructor, are not other names; nor are a
 * compiler's .localalias, a version after @, a symbol of another size, and data.
 */
void symtab_names(const struct symtab *t, struct symtab_entry *e);

size_t symtab_count(const struct symtab *t);
size_t symtab_bytes(const struct symtab *t);

/* Fill *e from the i-th symbol by address; for tests and exports. */
void symtab_at(const struct symtab *t, size_t i, struct symtab_entry *e);

#endif
