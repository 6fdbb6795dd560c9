/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * paint - send what changed of a scene, in as many parts as the line needs.
 *
 * A slow line gets rows as it takes them, so that a key's answer does not wait for a whole frame: rows that the key
 * changed come before those that were due already, and those in turn.
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
	struct scene last; /* as the terminal has it */
	struct paint_row {
		uint64_t hash; /* of the scene's row when it was begun last */
		bool all;      /* nothing of it on the terminal is known to be right */
		bool first;
	} *row;
	int next; /* row that is looked at first */
	uint64_t frames, dropped;
};

void paint_free(struct paint *p);
void paint_redraw(struct paint *p, struct terminal *t);

/* A scene is to be painted; urgent: what it changes of the one before it comes first.  False: out of memory. */
bool paint_begin(struct paint *p, const struct scene *s, bool urgent);

/* Send about `room` bytes of it, at least a row.  True: there is more, paint again when the terminal has room. */
bool paint_rows(struct paint *p, struct terminal *t, const struct scene *s, size_t room);

#endif
