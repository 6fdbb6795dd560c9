/* SPDX-License-Identifier: GPL-2.0-or-later */
/* handler_time - actions on time: the window, its place, marks; see handler.h. */
#ifndef RINGTOP_UI_APP_HANDLER_TIME_H
#define RINGTOP_UI_APP_HANDLER_TIME_H

struct app;

void handler_freeze(struct app *a);
/* Move the window by its length: back if `by` is below 0, else forward. */
void handler_move_window(struct app *a, int by);

void handler_wider(struct app *a);
void handler_narrower(struct app *a);
void handler_window(struct app *a, const char *arg);
void handler_live(struct app *a);
void handler_mark(struct app *a, const char *arg);
void handler_jump(struct app *a, const char *arg);
void handler_delay(struct app *a, const char *arg);

#endif
