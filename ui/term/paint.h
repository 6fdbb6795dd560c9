/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * paint - sending of a scene's changes, in as many parts as the line needs.
 *
 * A slow line gets rows one by one, so that the answer to a key does not wait for a whole frame:
 * rows that the key has changed are sent before rows that were due already, which follow in turn.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_UI_TERM_PAINT_H
#define RINGTOP_UI_TERM_PAINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ui/term/scene.h"
#include "ui/term/terminal.h"

struct paint {
	struct scene last; /* the terminal's present content */
	struct paint_row {
		uint64_t hash; /* of the scene's row at the last paint_begin() */
		bool all;      /* the row on the terminal is unknown: send all of it */
		bool first;    /* changed by a key: sent before other rows */
	} *row;
	int next; /* row to continue with */
	uint64_t frames, dropped;
};

void paint_free(struct paint *p);

/* Clear the terminal, so that all of the scene is sent again. */
void paint_redraw(struct paint *p, struct terminal *t);

/*
 * Begin to paint a scene; urgent: its changes from the previous scene are sent first.  False: out
 * of memory.
 */
bool paint_begin(struct paint *p, const struct scene *s, bool urgent);

/*
 * Send about `room` bytes of the scene, at least a row.  True: call it again when the terminal has
 * room.
 */
bool paint_rows(struct paint *p, struct terminal *t, const struct scene *s, size_t room);

#endif
