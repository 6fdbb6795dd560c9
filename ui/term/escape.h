/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * escape - the escape sequences that terminals send, whether terminfo names them or not.
 *
 * Terminfo has one form of each key, and knows nothing of focus reports, pastes, other mouse protocols
 * and answers to what was asked before us.  A sequence is read to its end by its grammar (ECMA-48), so
 * that one which means nothing to us is nothing, and never keys.  It may come in pieces: a line cuts anywhere.
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
	ESCAPE_SHIFT,   /* SS3: the same, as some keypads do it */
	ESCAPE_MOUSE,   /* so many bytes of a mouse report as `left` says */
	ESCAPE_STRING,  /* OSC, DCS ...: up to BEL or ST */
};

struct escape {
	enum escape_state state;
	unsigned left, len;
	bool esc;      /* the last one was Esc: ST follows, or another sequence, and this one meant nothing */
	char text[24]; /* what came behind Esc, cut where it is longer than anything we know */
};

/* `c` came right behind an Esc.  False: that is no sequence, but Esc and a key. */
bool escape_begin(struct escape *e, uint32_t c);

/* `c` is both in one: a control of the second set, as terminals that send eight bits do. */
static inline bool escape_is_c1(uint32_t c)
{
	return c >= 0x80 && c <= 0x9f;
}

/* False: it is none that more belongs to. */
static inline bool escape_begin_c1(struct escape *e, uint32_t c)
{
	return escape_begin(e, c - 0x40);
}

/* More is to come: escape_add each character. */
static inline bool escape_goes_on(const struct escape *e)
{
	return e->state != ESCAPE_DONE;
}

void escape_add(struct escape *e, uint32_t c);

/* What it means, whole or not.  INPUT_NONE: nothing. */
struct input escape_input(const struct escape *e);

#endif
