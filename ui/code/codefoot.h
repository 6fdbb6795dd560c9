/* SPDX-License-Identifier: GPL-2.0-or-later */
/* codefoot - the hint at the foot of the Code view.  Threads: one owner. */
#ifndef RINGTOP_UI_CODE_CODEFOOT_H
#define RINGTOP_UI_CODE_CODEFOOT_H

#include <stddef.h>

#include "ui/term/scene.h"

struct app;

/* Format why something is missing, or a caveat. */
enum role codefoot_hint(const struct app *a, char *buf, size_t size);

/* Return the lines that a hint takes; a mere caveat gets one. */
int codefoot_lines(const struct app *a, struct rect area, enum role role, const char *text);

/* Draw the hint at the area's foot, broken between words. */
void codefoot_draw(struct app *a, struct rect area, int lines, enum role role, const char *text);

#endif
