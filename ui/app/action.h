/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * action - everything a person can ask for: one table that feeds the keys, the help screen, the key
 * line and the completion of the command line.
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
 * Keys that come together, as those of a key that is held do while the screen is late, are added up if they only note
 * where the selection is to go; it goes there once, with the next draw.
 */
enum action_adds {
	ADDS_NOTHING,  /* the key is done at once, where the selection is by then */
	ADDS_ROWS,     /* the rows go to list.move */
	ADDS_FORWARD,  /* the matches go to list.seek */
	ADDS_BACKWARD,
};

struct action {
	const char *name;  /* for the command line */
	uint32_t keys[ACTION_KEYS];
	enum action_group group;
	const char *label; /* in the key line */
	const char *help;
	const char *arg;   /* what may follow the name on the command line, for help; or NULL */
	void (*run)(struct app *a, const char *arg); /* arg "": none given */
};

extern const struct action actions[];
extern const size_t actions_nr;
extern const char *const action_groups[ACTION_GROUPS];

enum action_adds action_adds(const struct action *action);

const struct action *action_by_key(uint32_t key); /* NULL: nobody's */
const struct action *action_by_name(const char *name);

/*
 * Run a command line: a name, or the beginning of just one, and its argument.
 * -EINVAL with one helpful line.
 */
int action_command(struct app *a, const char *line, struct err *err);

/* Complete the name in `line` as far as it is certain; what it may be (", "-joined) into hints. */
void action_complete(const char *line, char *completed, size_t size, char *hints,
		     size_t hints_size);

#endif
