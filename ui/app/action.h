/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * action - all actions of the user interface: one table that feeds the keys, the help screen, the
 * key line and the completion of the command line.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_UI_APP_ACTION_H
#define RINGTOP_UI_APP_ACTION_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct app;

#define ACTION_KEYS 4

enum action_group {
	ACTION_VIEWS,
	ACTION_MOVE,
	ACTION_FIND,
	ACTION_TIME,
	ACTION_CONTROL,
	ACTION_GROUPS
};

/*
 * Effect of an action's key on the selection.  Moves are only noted in the list and carried out
 * with the next draw, so that keys that come faster than the screen, as with a key held down, are
 * summed up.
 */
enum action_adds {
	ADDS_NOTHING,  /* no move: the action runs at once, with the present selection */
	ADDS_ROWS,     /* adds rows to list.move */
	ADDS_FORWARD,  /* adds a match to list.seek */
	ADDS_BACKWARD, /* takes a match off list.seek */
};

struct action {
	const char *name;  /* for the command line */
	uint32_t keys[ACTION_KEYS];
	enum action_group group;
	const char *label; /* in the key line */
	const char *help;
	const char *arg;   /* argument on the command line, for help; NULL: none */
	void (*run)(struct app *a, const char *arg); /* arg "": none given */
};

extern const struct action actions[];
extern const size_t actions_nr;
extern const char *const action_groups[ACTION_GROUPS];

/* Return how the action moves the selection. */
enum action_adds action_adds(const struct action *action);

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
