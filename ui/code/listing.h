/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * listing - the lines of a function's code as the Code view shows them: instructions with their heat,
 * source lines between them or instead of them, and what leads to the pages before and after.
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
	LISTING_MORE, /* the page before or after: addr is in it */
	LISTING_HEAT, /* samples where no instruction is known */
	LISTING_LINE, /* a source line with all its instructions: ui/code/sourcelines.h */
};

enum listing_mode { LISTING_BOTH, LISTING_LINES, LISTING_INSNS, LISTING_MODES };

struct listing_row {
	uint64_t key; /* the same for the same line of a function */
	uint64_t addr, samples, weight;
	uint64_t was_samples, was_weight; /* the baseline's, where there is one */
	uint32_t index; /* of the instruction; of a source line: the one below it; of LISTING_LINE: its hottest */
	uint32_t file, line, ninsns; /* of LISTING_LINE; file 0: of what no line is known for */
	uint8_t kind;
};

struct listing {
	struct listing_row *row;
	size_t nr, cap;
	enum listing_mode mode;
	const struct code_sheet *sheet; /* they are of; borrowed until the next listing_make */
	const struct code_sheet *was;	/* the same code's heat in the baseline, or NULL */
	uint64_t hottest; /* key of the row with most weight, 0: none has any */
	uint64_t most;    /* its weight */
	double most_share; /* of its function's weight, the baseline's among them */
	struct arrows arrows;
};

/* was: the heat of the same code in a baseline, or NULL.  False: out of memory. */
bool listing_make(struct listing *l, const struct code_sheet *sheet, const struct code_sheet *was, enum listing_mode mode,
		  unsigned queues);
void listing_free(struct listing *l);

/* The key of the row for the instruction that holds addr, or for its line; 0: there is none. */
uint64_t listing_key(const struct listing *l, uint64_t addr);

const struct code_insn *listing_insn(const struct listing *l, const struct listing_row *r);

/* The function's share of its own samples that lie at most `span` instructions from the row. */
double listing_near(const struct listing *l, const struct listing_row *r, unsigned span);

/* The line in words, escaped: instruction and target, source text, or what else it is. */
void listing_text(const struct listing *l, const struct listing_row *r, char *buf, size_t size);

/* --- for sourcelines.c ------------------------------------------------------------------ */

struct listing_row *listing_add(struct listing *l, enum listing_kind kind, uint64_t addr, uint64_t key);

/* The heats that come next: of now, of the baseline. */
struct listing_heats {
	size_t now, was;
};

/* The first heats that are not on a page before; add what is in the instruction, *h goes on behind it. */
struct listing_heats listing_heat_first(const struct listing *l);
void listing_heat(const struct listing *l, const struct code_insn *in, struct listing_heats *h, struct listing_row *r);

/* A part of a weight, 0 of none. */
static inline double listing_part(uint64_t weight, const struct code_sheet *of)
{
	return of && of->weight ? (double)weight / (double)of->weight : 0;
}

/* The source line's text, escaped, without tabs. */
void listing_source(const struct code *c, const struct code_source *s, char *buf, size_t size);

#endif
