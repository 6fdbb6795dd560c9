/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * app_input - what a key or a click does: it goes to the prompt, the menu, or an action.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_UI_APP_APP_INPUT_H
#define RINGTOP_UI_APP_APP_INPUT_H

struct app;
struct input;

void app_input(struct app *a, const struct input *in);

#endif
