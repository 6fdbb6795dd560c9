/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * listing - the lines of a function's code as the Code view shows them: instructions with their
 * heat, source lines between them or instead of them, and rows that lead to the pages before and
 * after.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_UI_CODE_LISTING_H
#define RINGTOP_UI_CODE_LISTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/rows/codes.h"
#include "ui/code/arrows.h"

enum listing_kind {
	LISTING_INSN,
	LISTING_SOURCE,
	LISTING_MORE, /* leads to the page before or after, which holds addr */
	LISTING_HEAT, /* samples at an address without a known instruction */
	LISTING_LINE, /* a source line with all its instructions: ui/code/sourcelines.h */
};

enum listing_mode { LISTING_BOTH, LISTING_LINES, LISTING_INSNS, LISTING_MODES };

struct listing_row {
	uint64_t key; /* identity of the line within its function */
	uint64_t addr, samples, weight;
	uint64_t was_samples, was_weight; /* in the baseline, if any */
	uint32_t index; /* LISTING_INSN: itself, _SOURCE: the insn below, _LINE: the hottest */
	uint32_t file, line, ninsns; /* for LISTING_LINE; file 0: line not known */
	uint8_t kind;
};

struct listing {
	struct listing_row *row;
	size_t nr, cap;
	enum listing_mode mode;
	const struct code_sheet *sheet; /* borrowed until the next listing_make */
	const struct code_sheet *was;	/* this code in the baseline, or NULL; borrowed */
	uint64_t hottest; /* key of the row with most weight, 0: no row has any */
	uint64_t most;    /* weight of the hottest row */
	double most_share; /* largest share of the function's weight, now or in the baseline */
	struct arrows arrows;
};

/*
 * Make the rows for `sheet` with at most `lanes` lanes of jumps.  was: heat of the same code in a
 * baseline, or NULL.  Both stay borrowed.  False: out of memory.
 */
bool listing_make(struct listing *l, const struct code_sheet *sheet, const struct code_sheet *was,
		  enum listing_mode mode, unsigned lanes);
void listing_free(struct listing *l);

/* Return the key of the row for the instruction that holds addr, or for its line; 0: none. */
uint64_t listing_key(const struct listing *l, uint64_t addr);

/* Return the instruction of a LISTING_INSN row, borrowed; NULL for other rows. */
const struct code_insn *listing_insn(const struct listing *l, const struct listing_row *r);

/* Return the part of the function's weight that lies at most `span` instructions from the row. */
double listing_near(const struct listing *l, const struct listing_row *r, unsigned span);

/* Format the row's text, escaped: instruction and target, source line, or size of the page. */
void listing_text(const struct listing *l, const struct listing_row *r, char *buf, size_t size);

/* --- for sourcelines.c ------------------------------------------------------------------ */

/* Append a row; NULL: out of memory.  Valid until the next one is appended. */
struct listing_row *listing_add(struct listing *l, enum listing_kind kind, uint64_t addr,
				uint64_t key);

/* Indices of the next heat in the current sheet and in the baseline's. */
struct listing_heats {
	size_t now, was;
};

/*
 * Find the first heats that are not on an earlier page; listing_heat adds the heat in an
 * instruction to r and advances *h past it.
 */
struct listing_heats listing_heat_first(const struct listing *l);
void listing_heat(const struct listing *l, const struct code_insn *in, struct listing_heats *h,
		  struct listing_row *r);

/* Return the part of a sheet's weight, 0 without a sheet or weight. */
static inline double listing_part(uint64_t weight, const struct code_sheet *of)
{
	return of && of->weight ? (double)weight / (double)of->weight : 0;
}

/* Format the source line's text, escaped, with tabs as blanks. */
void listing_source(const struct code *c, const struct code_source *s, char *buf, size_t size);

#endif
