/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * head - the two lines that say what is measured and whether to trust it.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_UI_PARTS_HEAD_H
#define RINGTOP_UI_PARTS_HEAD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/units.h"

struct app;

void head_what(struct app *a, int y);
void head_trust(struct app *a, int y);
/* For the time line: the end of what is shown; "5 s", "01:32"; how far the window's end lies back, in whole seconds. */
uint64_t head_now(const struct app *a);
const char *head_whole(char buf[UNITS_LEN], uint64_t ns);
uint64_t head_behind(const struct app *a);

/* Both in one line, for small terminals. */
void head_short(struct app *a, int y);

/*
 * The newest alert that stands, else the newest that stood in the window shown, in one line at y.  False: there is none,
 * and nothing is drawn.
 */
bool head_alert(struct app *a, int y);

#endif
