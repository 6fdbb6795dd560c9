/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * head - the two lines at the top: what is measured, and how far the figures can be trusted.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_UI_PARTS_HEAD_H
#define RINGTOP_UI_PARTS_HEAD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/units.h"

struct app;

/* Draw the line on what is measured. */
void head_what(struct app *a, int y);

/* Draw the line on how far the figures can be trusted. */
void head_trust(struct app *a, int y);

/* Return the end of the time shown. */
uint64_t head_now(const struct app *a);

/* Format a time for people: "5 s", "01:32"; below 10 s with a tenth unless it is whole seconds. */
const char *head_whole(char buf[UNITS_LEN], uint64_t ns);

/* Return how far back the window's end is, ns, in whole seconds. */
uint64_t head_behind(const struct app *a);

/* Draw both lines as one, for small terminals. */
void head_short(struct app *a, int y);

/*
 * Draw the newest alert that holds, else the newest that held in the window shown, in the line y.
 * False: there is none, and nothing is drawn.
 */
bool head_alert(struct app *a, int y);

#endif
