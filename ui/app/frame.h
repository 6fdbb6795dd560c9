/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * frame - the parts of the screen around every view: head, timeline, tabs, key line or prompt,
 * panel, menu.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_UI_APP_FRAME_H
#define RINGTOP_UI_APP_FRAME_H

struct app;

/* Draw the whole screen into a->scene. */
void frame_draw(struct app *a);

#endif
