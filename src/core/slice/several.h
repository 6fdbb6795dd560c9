/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * several - the other names that a function's address has, as one text of the dictionary: how many
 * names there are with its own, in decimal, and up to three of the others, each on a line of its own.
 *
 * Linkers fold functions of equal code (ICF), and sources have aliases: then what was measured may be
 * of any of them.
 *
 * Threads: any.
 */
#ifndef RINGTOP_CORE_SLICE_SEVERAL_H
#define RINGTOP_CORE_SLICE_SEVERAL_H

#include <stdint.h>

#define SEVERAL_LISTED 3
#define SEVERAL_TEXT   2048 /* bytes: who has such names could fill the dictionary with them */

struct several {
	uint32_t names; /* with its own; 1: it has no other */
	unsigned nr;    /* of these: */
	const char *other[SEVERAL_LISTED]; /* raw, in `text` */
	char text[SEVERAL_TEXT];
};

/*
 * Make the text for a function that is called `name` and whose address has so many names with that,
 * among them other[], nr of them or up to a NULL.  Two that are alike are one name; one that finds no
 * room, or has a line end in it, is counted and not listed.  "": it has no other name.
 */
void several_put(char text[SEVERAL_TEXT], const char *name, uint32_t names,
		 const char *const *other, unsigned nr);

/* Read such a text, which may be any: where it is none the function has no other name. */
void several_get(struct several *s, const char *text);

#endif
