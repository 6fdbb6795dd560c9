/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sourcelines - a function's source instead of its instructions: each line with the sum of what the instructions that came
 * from it cost, wherever they stand, and the lines between that have none.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_UI_CODE_SOURCELINES_H
#define RINGTOP_UI_CODE_SOURCELINES_H

#include "ui/code/listing.h"

/* s, or where lines are shown alone the same by line, in *by.  s may be NULL. */
const struct code_sheet *sourcelines_sheet(const struct code_sheet *s, enum listing_mode mode, struct code_sheet *by);

/*
 * Add LISTING_LINE rows to l, of l->sheet's code: the function's own file first, others (of what is inlined) behind it, each
 * by number; last a row of what no line is known for.  False: out of memory.
 */
bool sourcelines_add(struct listing *l);

/* The key of the row of the instruction's line; 0: there is none. */
uint64_t sourcelines_key(const struct listing *l, const struct code_insn *in);

/* "  12  text", behind the file's name where another one begins. */
void sourcelines_text(const struct listing *l, const struct listing_row *r, char *buf, size_t size);

#endif
