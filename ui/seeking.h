/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * seeking - any time of a saved time line, of which the model holds a stretch.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_UI_SEEKING_H
#define RINGTOP_UI_SEEKING_H

#include <stdbool.h>
#include <stdint.h>

struct app;

/* Where all there is begins and ends, whatever of it is in memory. */
uint64_t seeking_first(const struct app *a);
uint64_t seeking_last(const struct app *a);

/* Have what is around this time in memory, where it is to be had.  True: it is there. */
bool seeking_bring(struct app *a, uint64_t time);

/* Let the window begin at a time of day, or so many seconds before the end. */
void seeking_go(struct app *a, const char *text);

#endif
