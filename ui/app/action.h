/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * action - all actions of the user interface: one table that feeds the keys, the help screen, the
 * key line and the completion of the command line.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_UI_APP_ACTION_H
#define RINGTOP_UI_APP_ACTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "ui/app/view.h"

struct app;
struct list;

#define ACTION_KEYS 4

enum action_group {
	ACTION_VIEWS,
	ACTION_MOVE,
	ACTION_FIND,
	ACTION_TIME,
	ACTION_CONTROL,
	ACTION_GROUPS
};

enum action_moves { MOVES_NOTHING, MOVES_ROWS, MOVES_PAGES, MOVES_MATCH, MOVES_TAB, MOVES_WINDOW };

struct action {
	const char *name;  /* for the command line */
	uint32_t keys[ACTION_KEYS];
	enum action_group group;
	const char *label; /* in the key line */
	const char *help;
	const char *arg;   /* argument on the command line, for help; NULL: none */

	/* Do what the action is for; `arg` of `take` is "" where none is given. */
	void (*take)(struct app *a, const char *arg);
	void (*run)(struct app *a);
	void (*list)(struct list *l); /* called for the view's list */
	const char *asks;    /* opens the command line with this text where no argument is given */
	enum view_step step; /* offered to the view first, which may handle it */
	bool shows;
	enum view_id view;   /* with `shows`; a view without a tab is left by the same action */
	enum action_moves moves;
	int by;              /* with `moves` */
	size_t flag, ends;   /* bool in struct app to switch, and one that it ends; 0: none */
	const char *said[2]; /* message: flag is off, on; or [0]: the view had no such step */
};

extern const struct action actions[];
extern const size_t actions_nr;
extern const char *const action_groups[ACTION_GROUPS];

/*
 * Return true if the action adds to the moves that are noted in the list.  These are only carried
 * out with the next draw, so that keys that come faster than the screen, as with a key held down,
 * are summed up.
 */
bool action_adds(const struct action *action, const struct list *noted);

/* Run the action; arg "": none is given. */
void action_run(struct app *a, const struct action *action, const char *arg);

/* Return the action of a key; NULL: the key has none. */
const struct action *action_by_key(uint32_t key);

/* Return the action of that name, or NULL. */
const struct action *action_by_name(const char *name);

/*
 * Run a command line: a name, or an unambiguous beginning of one, and its argument.
 * 0, or -EINVAL with one helpful line.
 */
int action_command(struct app *a, const char *line, struct err *err);

/*
 * Complete the name in `line` as far as it is unambiguous; hints: the possible names, joined by ",
 * ".
 */
void action_complete(const char *line, char *completed, size_t size, char *hints,
		     size_t hints_size);

#endif
