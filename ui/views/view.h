/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view - what every view is: a file with one struct view_ops, listed in views[].
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_UI_VIEWS_VIEW_H
#define RINGTOP_UI_VIEWS_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ui/term/scene.h"

struct session_event;
struct app;
struct editor_file;
struct widget_column;

enum view_id { VIEW_FUNCTIONS, VIEW_TASKS, VIEW_TREE, VIEW_FLAME, VIEW_CODE,
	       VIEW_BUFFERS, VIEW_AUX, VIEW_COUNTERS, VIEW_EVENTS, VIEW_FIELDS, VIEW_CHOOSE, VIEW_CHANGES, VIEW_EXPLAIN, VIEW_HEAT, VIEW_HELP, VIEW_NR };

/* What keys mean where a view has a meaning of its own for them. */
enum view_step {
	STEP_UP,
	STEP_DOWN,
	STEP_LEFT,
	STEP_RIGHT,
	STEP_FIRST,
	STEP_OPEN,
	STEP_BACK,
	STEP_TURN, /* upside down */
	STEP_HOT,  /* to the hottest below */
	STEP_SOURCE, /* with source lines or without; heat: select from here */
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

void details_add(struct details *d, enum role role, const char *label, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

#define DETAILS_DOUBT "? " /* before an object's name: behind a long one there is no room */

/* Why an object has no names, or not all, or, in doubt, why they may be wrong; "" says nothing. */
void details_why(struct details *d, const char *why, bool doubt);

/* That a function's address has other names, as row.also has them; "" and NULL say nothing. */
void details_several(struct details *d, const char *also);

/* What a row's sum of an event is called: time, events, or the sum of what samples weigh.  NULL: of none. */
const char *details_amount(const struct session_event *e);

/* A number, or that it is GAUGE_UNKNOWN. */
void details_count(struct details *d, const char *label, uint64_t n);

struct view_ops {
	const char *name;  /* as in its tab */
	char digit;        /* its key; 0: not in the tab line */
	const char *keys;  /* names of the actions in the key line, separated by blanks */

	/* Draw into `area`; its list is in sync afterwards. */
	void (*draw)(struct app *a, struct rect area);

	/* Facts about the selected row.  NULL: there are none. */
	void (*details)(struct app *a, struct details *d);

	/* False: the key means what it means everywhere.  May be NULL. */
	bool (*step)(struct app *a, enum view_step step);

	/*
	 * The selected function's row.key and raw name; 0: none is selected.  NULL: the view has
	 * no functions.
	 */
	uint64_t (*function)(struct app *a, char *name, size_t size);

	/* The selected row's source line.  False: none is known.  NULL: rows have none. */
	bool (*source)(struct app *a, struct editor_file *f);

	/* A click into a ZONE_BOX.  NULL: it draws none. */
	void (*click)(struct app *a, int y, int x);

	const struct widget_column *columns; /* of its rows; NULL: it has none.  For the help (ui/views/glossary.h) */
	unsigned ncolumns;

	/* What g and s may choose here, as bits of enum group_by and enum sort_by; 0: nothing. */
	unsigned groups, sorts;
};

extern const struct view_ops *const views[VIEW_NR];

/* Is it in the tab line?  One that most sessions have nothing for gives its room away while it is not shown. */
bool view_has_tab(const struct app *a, int view);

#endif
