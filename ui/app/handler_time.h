/* SPDX-License-Identifier: GPL-2.0-or-later */
/* handler_time - actions on time: the window, its place, marks; see handler.h. */
#ifndef RINGTOP_UI_APP_HANDLER_TIME_H
#define RINGTOP_UI_APP_HANDLER_TIME_H

struct app;

void handler_freeze(struct app *a, const char *arg);
void handler_before(struct app *a, const char *arg);
void handler_after(struct app *a, const char *arg);
void handler_earlier(struct app *a, const char *arg);
void handler_later(struct app *a, const char *arg);
void handler_wider(struct app *a, const char *arg);
void handler_narrower(struct app *a, const char *arg);
void handler_window(struct app *a, const char *arg);
void handler_live(struct app *a, const char *arg);
void handler_at(struct app *a, const char *arg);
void handler_mark(struct app *a, const char *arg);
void handler_jump(struct app *a, const char *arg);
void handler_delay(struct app *a, const char *arg);

#endif
