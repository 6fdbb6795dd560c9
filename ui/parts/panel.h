/* SPDX-License-Identifier: GPL-2.0-or-later */
/* panel - boxes: the details of a selected row below its list.  Threads: one owner. */
#ifndef RINGTOP_UI_PARTS_PANEL_H
#define RINGTOP_UI_PARTS_PANEL_H

#include "ui/term/scene.h"
#include "ui/parts/details.h"

/* Draw an empty box with a title in its upper edge. */
void panel_box(struct scene *s, struct rect r, const char *title);

/* Draw a box with a label and a value per line; long values take more lines. */
void panel_details(struct scene *s, struct rect r, const char *title, const struct details *d);

/* Return the lines that the details need, frame included. */
int panel_rows(const struct scene *s, int cols, const struct details *d);

#endif
