/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * head - the two lines that say what is measured and whether to trust it, and the timeline.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_UI_HEAD_H
#define RINGTOP_UI_HEAD_H

#include <stdbool.h>

struct app;

void head_what(struct app *a, int y);
void head_trust(struct app *a, int y);
void head_timeline(struct app *a, int y);

/* Both in one line, for small terminals. */
void head_short(struct app *a, int y);

/*
 * The newest alert that stands, else the newest that stood in the window shown, in one line at y.  False: there is none,
 * and nothing is drawn.
 */
bool head_alert(struct app *a, int y);

#endif
