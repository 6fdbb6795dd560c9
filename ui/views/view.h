/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view - the interface of all views: each is a file with one struct view_ops, listed in views[].
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_UI_VIEWS_VIEW_H
#define RINGTOP_UI_VIEWS_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/core/model.h"
#include "ui/term/scene.h"

struct session_event;
struct app;
struct editor_file;
struct widget_column;

enum view_id {
	VIEW_FUNCTIONS,
	VIEW_TASKS,
	VIEW_TREE,
	VIEW_FLAME,
	VIEW_CODE,
	VIEW_BUFFERS,
	VIEW_AUX,
	VIEW_COUNTERS,
	VIEW_EVENTS,
	VIEW_FIELDS,
	VIEW_CHOOSE,
	VIEW_CHANGES,
	VIEW_EXPLAIN,
	VIEW_HEAT,
	VIEW_HELP,
	VIEW_NR
};

/* Keys that a view may give a meaning of its own. */
enum view_step {
	STEP_NONE,
	STEP_UP,
	STEP_DOWN,
	STEP_LEFT,
	STEP_RIGHT,
	STEP_FIRST,
	STEP_OPEN,
	STEP_BACK,
	STEP_TURN, /* turn the tree upside down */
	STEP_HOT,  /* go to the hottest row below */
	STEP_SOURCE, /* switch source lines; Heat: select from here */
	STEP_NOW,
	VIEW_STEPS
};

/* Facts about the selected row, for the panel. */
struct details {
	struct {
		char label[20];
		char value[768];
		enum role role;
	} line[64];
	unsigned nr;
};

/* Append a line for the panel; dropped where d is full.  label may be "". */
void details_add(struct details *d, enum role role, const char *label, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

#define DETAILS_DOUBT "? " /* stands before an object's name: behind a long one there is no room */

/* Append why an object lacks names or, with `doubt`, why they may be wrong; nothing for "". */
void details_why(struct details *d, const char *why, bool doubt);

/* Append the other names of a function's address, as in row.also; nothing for "" or NULL. */
void details_several(struct details *d, const char *also);

/* Return the label for an event's sum: "time", "events", or "sum" (of weights).  e may be NULL. */
const char *details_amount(const struct session_event *e);

/* Append a number, or "not known" for GAUGE_UNKNOWN. */
void details_count(struct details *d, const char *label, uint64_t n);

struct view_ops {
	const char *name;  /* name, also of its tab */
	char digit;        /* key that shows it; 0: not in the tab line */
	const char *keys;  /* names of the actions in the key line, separated by blanks */

	size_t state_size;        /* bytes of app.state[view], zero at first */
	void (*state_free)(void *state); /* frees what it owns; may be NULL */
	void (*begin)(struct app *a);    /* called once the app is complete; may be NULL */
	void (*enter)(struct app *a);    /* called before the view is shown; may be NULL */
	enum group_by group;      /* at first, as is sort */
	enum sort_by sort;

	/* Draw into `area` and bring the view's list up to date. */
	void (*draw)(struct app *a, struct rect area);

	/* Append facts about the selected row.  NULL: the view has none. */
	void (*details)(struct app *a, struct details *d);

	/* Act on a key.  False: the key keeps its general meaning.  May be NULL. */
	bool (*step)(struct app *a, enum view_step step);

	/*
	 * Return the selected function's row.key, and its name, not escaped; 0: none is selected.
	 * NULL: the view has no functions.
	 */
	uint64_t (*function)(struct app *a, char *name, size_t size);

	/* Fill f with the selected row's source line.  False: not known.  NULL: rows have none. */
	bool (*source)(struct app *a, struct editor_file *f);

	/* Act on a click into a ZONE_BOX.  NULL: the view draws none. */
	void (*click)(struct app *a, int y, int x);

	const struct widget_column *columns; /* for the help (ui/views/glossary.h); NULL: none */
	unsigned ncolumns;

	/* Choices of the keys g and s, as bits of enum group_by and enum sort_by; 0: none. */
	unsigned groups, sorts;
};

extern const struct view_ops *const views[VIEW_NR];

/*
 * True if the view is in the tab line.  Fields, which most sessions have no data for, is there only
 * while it is shown or its data is measured.
 */
bool view_has_tab(const struct app *a, int view);

#endif
