/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sourcelines - a function's source instead of its instructions: each line with the summed heat of
 * the instructions made from it, wherever they stand, and the lines between without instructions.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_UI_CODE_SOURCELINES_H
#define RINGTOP_UI_CODE_SOURCELINES_H

#include "ui/code/listing.h"

/* Return s, or for LISTING_LINES its sums by line, stored in *by.  s may be NULL. */
const struct code_sheet *sourcelines_sheet(const struct code_sheet *s, enum listing_mode mode,
					   struct code_sheet *by);

/*
 * Add LISTING_LINE rows for the code of l->sheet: lines of the function's own file first, then of
 * other files (inlined code), each by number; last one row for instructions without a known line.
 * False: out of memory.
 */
bool sourcelines_add(struct listing *l);

/* Return the key of the row of the instruction's line; 0: none. */
uint64_t sourcelines_key(const struct listing *l, const struct code_insn *in);

/* Format "  12  text", with the file's name in front where another file begins. */
void sourcelines_text(const struct listing *l, const struct listing_row *r, char *buf, size_t size);

#endif
