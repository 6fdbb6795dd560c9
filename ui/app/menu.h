/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * menu - a short list to choose from, over the view.  Choosing runs an action with the item's name.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_UI_APP_MENU_H
#define RINGTOP_UI_APP_MENU_H

#include <stdbool.h>
#include <stdint.h>

#include "ui/term/scene.h"

#define MENU_MAX 64

struct app;

struct menu {
	const char *action; /* action that is run with the choice; NULL: not open */
	const char *title;
	const char *item[MENU_MAX]; /* borrowed: they outlive the menu */
	unsigned nr, at;
};

/* Open an empty menu; both texts are borrowed. */
void menu_open(struct menu *m, const char *action, const char *title);

/* Add an item (borrowed); current: it is selected. */
void menu_add(struct menu *m, const char *item, bool current);

/*
 * Move the selection, or choose an item: by Enter, or by its letter, the first one that no item
 * above has.  True: an item was chosen, m->item[m->at], and the menu is closed.
 */
bool menu_key(struct menu *m, uint32_t key);

/* Draw within `area`, and record the items' zones in the app. */
void menu_draw(struct app *a, struct rect area);

#endif
