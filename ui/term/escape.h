/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * escape - parser for the escape sequences that terminals send, whether terminfo has them or not.
 *
 * Terminfo has one form of each key, and lacks focus reports, pastes, other mouse protocols and
 * replies to queries of earlier programs.  A sequence is read to its end by its grammar (ECMA-48),
 * so that an unknown one is ignored, and never taken for keys.  A sequence may come in pieces, cut
 * anywhere.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_UI_TERM_ESCAPE_H
#define RINGTOP_UI_TERM_ESCAPE_H

#include <stdbool.h>
#include <stdint.h>

#include "ui/term/input.h"

enum escape_state {
	ESCAPE_DONE,
	ESCAPE_CONTROL, /* CSI: parameters, then one final character */
	ESCAPE_SHIFT,   /* SS3: parameters and a final character, too; sent by some keypads */
	ESCAPE_MOUSE,   /* mouse report with `left` more bytes */
	ESCAPE_STRING,  /* OSC, DCS ...: up to BEL or ST */
};

struct escape {
	enum escape_state state;
	unsigned left, len;
	bool esc;      /* the last character was Esc: ST follows, or another sequence instead */
	char text[24]; /* the characters behind Esc, cut: no known sequence is longer */
};

/*
 * Begin a sequence with `c`, which came right behind an Esc.  False: it is no sequence, but Esc and
 * a key.
 */
bool escape_begin(struct escape *e, uint32_t c);

/* Return true for a C1 control: Esc and a character in one, as sent by 8-bit terminals. */
static inline bool escape_is_c1(uint32_t c)
{
	return c >= 0x80 && c <= 0x9f;
}

/* Begin a sequence with a C1 control.  False: it begins none. */
static inline bool escape_begin_c1(struct escape *e, uint32_t c)
{
	return escape_begin(e, c - 0x40);
}

/* Return true if the sequence is incomplete: escape_add() takes the next character. */
static inline bool escape_goes_on(const struct escape *e)
{
	return e->state != ESCAPE_DONE;
}

void escape_add(struct escape *e, uint32_t c);

/* Return the input that the sequence means, complete or not; INPUT_NONE: unknown. */
struct input escape_input(const struct escape *e);

#endif
