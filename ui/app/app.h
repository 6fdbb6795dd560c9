/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * app - the state of the screens: slices and keys in, cells out.
 *
 * The app is independent of a terminal: ui.c passes it keys and paints its scene, tests do the same
 * without a screen.  Views may read all of it, and change nothing but their list.  Threads: one
 * owner.
 */
#ifndef RINGTOP_UI_APP_APP_H
#define RINGTOP_UI_APP_APP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "model/core/model.h"
#include "measure/session/session.h"
#include "ui/parts/list.h"
#include "ui/app/menu.h"
#include "ui/app/prompt.h"
#include "ui/term/scene.h"
#include "ui/app/ui.h"
#include "ui/app/view.h"

#define APP_ZONES   1024
#define APP_MESSAGE 512
#define APP_FILTER  2048

/* Areas that react to the mouse, recorded while drawing. */
enum zone_kind { ZONE_ROW, ZONE_SORT, ZONE_VIEW, ZONE_TIME, ZONE_ACTION, ZONE_MENU, ZONE_BOX };

struct zone {
	struct rect at;
	enum zone_kind kind;
	uint64_t value;   /* row's index, enum sort_by, view, time, or menu item's index */
	const char *name; /* of the action */
};

/* Query and list of a view of rows. */
struct table_state {
	enum group_by group;
	enum sort_by sort;
	bool reverse;
	struct list list;
};

/* Output to the terminal. */
struct app_traffic {
	uint64_t bytes, frames, dropped;
	double rate; /* bytes/s over the last seconds */
	const char *terminal;
	bool known;
};

struct eventcolumns;
struct callpaths;
struct editor_file;
struct rowfilter;
struct grouping;
struct input;
struct lateness;
struct marking;
struct questions;
struct savedviews;
struct seeking;
struct timeline_state;
struct zoom;

/*
 * Shown rows whose names would look the same, each with the name of another such row.  Borrowed for
 * a draw.
 */
struct app_apart {
	struct app_alike {
		const void *row;
		const char *other;
	} alike[64];
	unsigned nr;
};

struct app {
	struct session *session;
	struct model *own;   /* the session's model, which takes its slices */
	struct model *model; /* the model shown: own, or seeking.model */
	struct seeking *seeking;
	struct ui_options options;
	struct scene scene;
	bool mono;

	enum view_id view, back; /* back: the view to return to from one without a tab */
	struct table_state table[VIEW_NR];
	void *state[VIEW_NR]; /* struct view_ops has their sizes */
	bool comparing; /* windows are compared: VIEW_CHANGES is in the place of Functions */
	bool by_was;    /* comparing: the tree shown is the baseline's */
	struct callpaths *callpaths;
	struct marking *marking;
	struct grouping *grouping;
	struct questions *questioning;
	bool panel; /* the details of the selected row are open */
	unsigned event;
	bool hide_kernel, hide_user, show_self, show_idle;
	bool whole_names; /* names are not folded */
	struct app_apart apart;
	struct {
		struct rowfilter *filter;
		char text[APP_FILTER];
	} parts; /* filter of the last row details, kept so that the model can reuse its rows */
	struct eventcolumns *beside;
	bool wall; /* show time on and off CPUs together: ui/parts/wallclock.h */
	bool wall_coming; /* wall was requested, and its events have not come yet */
	struct rowfilter
		*filter;  /* the typed filter and the zoom levels; NULL: everything passes */
	uint64_t filters; /* number of filters set so far */
	char filter_text[APP_FILTER]; /* as typed, escaped */
	struct zoom *zoom;
	struct timeline_state *line;
	struct savedviews *saved;
	double shown; /* part of all that the last drawn rows are, 0..1; NAN: unknown */
	double all_samples; /* number of samples that are 100 % of the last drawn rows */
	const struct row *sight; /* rows in sight, while they are drawn */
	size_t nsight;
	char search[PROMPT_MAX];

	/* A live window ends at `to` and is `span` long (0: the whole run); a held one is `at`. */
	bool held, frozen;
	uint64_t to, span;
	bool picked; /* span is of a window picked in the past; live_span is to be restored */
	uint64_t live_span;
	struct window at;

	struct prompt prompt;
	struct list anchor; /* the selection when the search was opened */
	struct menu menu;
	char message[APP_MESSAGE];
	enum role message_role;
	uint64_t message_until; /* clock_ns */

	struct lateness *lateness; /* lateness of the session's slices, by `clock` */
	uint64_t (*clock)(void);  /* clock_ns(), or a test's clock */
	uint64_t hurry_until; /* clock_ns(): until then every slice with rows is shown at once */
	bool paused;     /* the counters were stopped by key p */
	uint64_t paused_at; /* time of the newest slice then */
	bool sure;       /* the present input may confirm the question `asked` */
	const char *asked; /* the question to be confirmed; NULL: none, the action was typed */
	uint64_t asked_until; /* clock_ns(): until then the next input may confirm */
	bool ended;      /* the session has ended; replies may still come */
	bool answered;   /* a reply has come since the last draw */
	bool quit;
	bool redraw;     /* Ctrl-L */
	struct editor_file *edit; /* file for ui.c to open in an editor; path "": none */
	char *copy;      /* text for ui.c to put into the terminal's clipboard, or NULL */
	struct session_end end;
	struct app_traffic traffic;
	struct zone zones[APP_ZONES];
	unsigned nzones;
	uint64_t drawn; /* frames so far, sent or not */
};

/*
 * Create for a session and its model, both borrowed.  NULL with err: out of memory, or an option
 * (filter, view) is wrong.
 */
struct app *app_create(struct session *s, struct model *m, const struct ui_options *o,
		       struct err *err);
void app_free(struct app *a);

/*
 * Take the session's ready slices: at least one, and more until `until` (clock_ns()).  *rows: a
 * slice had rows. 0; -ESHUTDOWN: the session has ended; or -errno with err.
 */
int app_take(struct app *a, uint64_t until, bool *rows, struct err *err);

/* Show slices at once for the next second: at the start, and after everything was reset. */
void app_hurry(struct app *a);

/* Return the end of the measured time; it stands still while the counters are stopped. */
uint64_t app_now(const struct app *a);

/* Let a live window follow the newest slice. */
void app_follow(struct app *a);

/* Hold the window at the slices that `w` touches; the model does not merge these with others. */
void app_hold(struct app *a, struct window w);

/* Return to the session's own model and its newest slice. */
void app_live(struct app *a);

/* Set the window's length, ns; a held window keeps its end. */
void app_span(struct app *a, uint64_t span);

/* Draw into a->scene, at its size. */
void app_draw(struct app *a);

/* --- for views and actions --------------------------------------------------------------- */

/* Show a message for some seconds; it is escaped. */
void app_say(struct app *a, enum role role, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Return a window of the screen's length that ends at `to`. */
struct window app_window_to(const struct app *a, uint64_t to);

/* Return the window shown, at the bounds of the slices that are kept. */
struct window app_window(const struct app *a);

/* Return true if nothing is left of the window shown. */
bool app_forgotten(const struct app *a);

/*
 * Return how far a live session's picture is behind the clock, ns; 0: it is not, or stands still on
 * purpose.
 */
uint64_t app_behind(const struct app *a);
struct query app_query(const struct app *a, const struct table_state *t);

/* Return the event shown; NULL: the session has none. */
const struct session_event *app_event(const struct app *a);

/*
 * Set the filter, to which the zoom's words are added.  0, or -errno with err and the filter
 * unchanged.
 */
int app_set_filter(struct app *a, const char *text, struct err *err);

/* Pass a step to the view.  False: the view does not handle it. */
bool app_step(struct app *a, enum view_step step);

/* Ask for confirmation: the same key again gives it.  True: confirmed.  `question` is borrowed. */
bool app_sure(struct app *a, const char *question);

/* Switch to a view. */
void app_show(struct app *a, enum view_id view);

/* Switch to a view as its key does, which leaves a view without a tab if it is shown. */
void app_choose(struct app *a, enum view_id view);

/* Record an area that reacts to the mouse; beyond APP_ZONES it is left out. */
void app_zone(struct app *a, struct rect at, enum zone_kind kind, uint64_t value, const char *name);

#endif
