/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * aliases - the other names that a function's address has, as one text of the dictionary: the
 * number of all names, its own included, in decimal, and up to three others, each on its own line.
 *
 * Linkers fold functions of equal code (ICF), and sources have aliases: then the samples may belong
 * to any of them.
 *
 * Threads: any.
 */
#ifndef RINGTOP_CORE_SLICE_ALIASES_H
#define RINGTOP_CORE_SLICE_ALIASES_H

#include <stdint.h>

#define ALIASES_LISTED 3
#define ALIASES_TEXT   2048 /* bytes: without a limit a file's names could fill the dictionary */

struct aliases {
	uint32_t names; /* number of names, its own included; 1: it has no other */
	unsigned nr;    /* number of other[] */
	const char *other[ALIASES_LISTED]; /* raw, in `text` */
	char text[ALIASES_TEXT];
};

/*
 * Make the text for a function that is called `name` and whose address has `names` names including
 * that.  other[] are some of the others, nr of them or up to a NULL; duplicates count as one name.
 * A name that finds no room, or contains a newline, is counted and not listed.  The text is "" if
 * there is no other name.
 */
void aliases_put(char text[ALIASES_TEXT], const char *name, uint32_t names,
		 const char *const *other, unsigned nr);

/* Parse such a text, which is not trusted: if it is malformed the function has no other name. */
void aliases_get(struct aliases *s, const char *text);

#endif
