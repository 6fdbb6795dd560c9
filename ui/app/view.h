/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view - the interface of all views, and their table: each view is a file with one struct view_ops.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_UI_APP_VIEW_H
#define RINGTOP_UI_APP_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/core/model.h"
#include "ui/term/scene.h"

struct app;
struct details;
struct editor_file;
struct widget_column;

/*
 * The table of views, in the order of their tabs: VIEW_ID, the name of the action that shows it and
 * of its struct view_ops (view_NAME), its key, a digit if it has a tab, its title, and the help for
 * the action.
 */
#define VIEWS_WITH_KEY(ROW)                                                                        \
	ROW(FUNCTIONS, functions, '1', "Functions", "where the time goes")                         \
	ROW(TASKS, tasks, '2', "Tasks", "time per task")                                           \
	ROW(TREE, tree, '3', "Tree", "the call paths")                                             \
	ROW(FLAME, flame, '4', "Flame", "all call paths as boxes")                                 \
	ROW(CODE, code, '5', "Code", "the selected function's instructions")                       \
	ROW(BUFFERS, buffers, '6', "Buffers", "all rings, and loss by cause")                   \
	ROW(AUX, aux, '7', "AUX", "hardware trace and its snapshots")                              \
	ROW(COUNTERS, counters, '8', "Counters",                                                   \
	    "events that are only counted, and their ratios")                                \
	ROW(EVENTS, events, '9', "Events", "tracepoint records as they arrive")                   \
	ROW(FIELDS, fields, '0', "Fields",                                                         \
	    "sums by fields of tracepoints, and times between two")                                \
	ROW(EXPLAIN, explain, 'x', "Explain",                                                      \
	    "notable facts of the window shown, in ten lines")                                   \
	ROW(HEAT, heat, 'a', "Heat", "load of each 100 ms as a map, to pick a window")

/* Views that other actions show. */
#define VIEWS_WITHOUT_KEY(ROW)                                                                     \
	ROW(CHOOSE, choose, 0, "Events", "")                                                       \
	ROW(CHANGES, changes, 0, "Changes", "")                                                    \
	ROW(HELP, help, 0, "Help", "")

enum view_id {
#define VIEW_ID(id, name, key, title, help) VIEW_##id,
	VIEWS_WITH_KEY(VIEW_ID) VIEWS_WITHOUT_KEY(VIEW_ID)
#undef VIEW_ID
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

struct view_ops {
	const char *keys;  /* names of the actions in the key line, separated by blanks */

	size_t state_size;        /* bytes of app.state[view], zero at first */
	void (*state_free)(void *state); /* frees what it owns; may be NULL */
	void (*begin)(struct app *a);    /* called once the app is complete; may be NULL */
	void (*enter)(struct app *a);    /* called before the view is shown; may be NULL */
	bool (*choose)(struct app *a); /* called for its key; false: it is not shown; or NULL */
	bool (*wanted)(const struct app *a); /* false: no tab while not shown; NULL: always one */
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

	const struct widget_column *columns; /* NULL: none, or those of ui/parts/rowcolumns.h */
	unsigned ncolumns;

	unsigned groups; /* choices of the key g, as bits of enum group_by; 0: none */
};

extern const struct view_ops *const views[VIEW_NR];

extern const char *const view_names[VIEW_NR]; /* also of the tabs */

/* Return the key of the view's tab; 0: it has none. */
char view_digit(enum view_id view);

/* Return true if the view is in the tab line. */
bool view_has_tab(const struct app *a, enum view_id view);

/* Copy a view's columns, WIDGET_COLUMNS at most.  Return how many. */
unsigned view_columns(enum view_id view, struct widget_column *to);

/* Return bits of enum sort_by: what the rows shown can be sorted by; 0: nothing. */
unsigned view_sorts(const struct app *a);

#endif
