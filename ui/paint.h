/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * paint - send what changed of a scene, or drop the frame where the terminal is behind.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_UI_PAINT_H
#define RINGTOP_UI_PAINT_H

#include <stdbool.h>
#include <stdint.h>

#include "ui/scene.h"
#include "ui/terminal.h"

struct paint {
	struct scene last; /* as the terminal has it */
	bool all;          /* nothing on it is known to be right */
	uint64_t frames, dropped;
};

void paint_free(struct paint *p);
void paint_redraw(struct paint *p, struct terminal *t);

/* False: dropped, paint again once nothing is pending. */
bool paint_frame(struct paint *p, struct terminal *t, const struct scene *s);

#endif
