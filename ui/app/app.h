/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * app - the state of the screens: slices and keys in, cells out.
 *
 * Knows no terminal: ui.c gives it keys and paints its scene, tests do the same off the screen.
 * Views may read all of it; they change nothing but their list.  Threads: one owner.
 */
#ifndef RINGTOP_UI_APP_APP_H
#define RINGTOP_UI_APP_APP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "model/rows/filter.h"
#include "model/core/model.h"
#include "measure/session/session.h"
#include "ui/parts/beside.h"
#include "ui/code/editor.h"
#include "ui/views/callchanges.h"
#include "ui/app/callpaths.h"
#include "ui/app/grouping.h"
#include "ui/app/lateness.h"
#include "ui/app/questioning.h"
#include "ui/term/input.h"
#include "ui/parts/list.h"
#include "ui/app/marking.h"
#include "ui/app/menu.h"
#include "ui/app/prompt.h"
#include "ui/app/savedview.h"
#include "ui/term/scene.h"
#include "ui/app/seeking.h"
#include "ui/parts/timeline.h"
#include "ui/app/ui.h"
#include "ui/app/seeking.h"
#include "ui/views/view.h"
#include "ui/views/view_changes.h"
#include "ui/views/view_choose.h"
#include "ui/code/view_code.h"
#include "ui/views/view_counters.h"
#include "ui/views/view_events.h"
#include "ui/views/view_explain.h"
#include "ui/views/view_fields.h"
#include "ui/views/view_flame.h"
#include "ui/views/view_functions.h"
#include "ui/views/view_heat.h"
#include "ui/views/view_tree.h"
#include "ui/app/zoom.h"

#define APP_ZONES   1024
#define APP_MESSAGE 512
#define APP_FILTER  2048

/* Where the mouse finds what, noted while drawing. */
enum zone_kind { ZONE_ROW, ZONE_SORT, ZONE_VIEW, ZONE_TIME, ZONE_ACTION, ZONE_MENU, ZONE_BOX };

struct zone {
	struct rect at;
	enum zone_kind kind;
	uint64_t value;   /* row's place, sort, view, time, menu's place */
	const char *name; /* of the action */
};

/* What a view of rows asks the model for. */
struct table_state {
	enum group_by group;
	enum sort_by sort;
	bool reverse;
	struct list list;
};

/* What the terminal was sent. */
struct app_traffic {
	uint64_t bytes, frames, dropped;
	double rate; /* bytes/s over the last seconds */
	const char *terminal;
	bool known;
};

/* Shown rows whose names would look the same: of each another one's name.  Borrowed for a draw. */
struct app_apart {
	struct app_alike {
		const void *row;
		const char *other;
	} alike[64];
	unsigned nr;
};

struct app {
	struct session *session;
	struct model *own;   /* the session's: what comes goes there */
	struct model *model; /* the one that is shown: own, or seeking.model */
	struct seeking seeking;
	struct ui_options options;
	struct scene scene;
	bool mono;

	enum view_id view, back; /* back: where a view that has no tab returns to */
	struct table_state table[VIEW_NR];
	struct view_tree_state tree;
	struct view_flame_state flame;
	struct view_code_state code;
	struct view_counters_state counters;
	struct view_events_state events;
	struct view_fields_state fields;
	struct view_choose_state choose;
	struct view_changes_state changes;
	struct callchanges_state calls; /* of them */
	struct view_explain_state explain;
	struct view_heat_state heat;
	struct callpaths callpaths;
	struct marking marking;
	struct grouping grouping;
	struct questioning questioning;
	bool panel; /* details of the selected row are open */
	unsigned event;
	bool hide_kernel, hide_user, show_self, show_idle;
	bool whole_names; /* nothing of them is folded */
	struct app_apart apart;
	struct {
		struct filter *filter;
		char text[APP_FILTER];
	} parts; /* of the row whose details were made last: asked by the same filter, rows are found as they were */
	struct beside beside;
	bool wall; /* time on and off CPUs together: ui/parts/wall.h */
	bool wall_coming; /* asked for, and the events are not here yet */
	struct filter *filter; /* of the text typed and of where one has zoomed to; NULL: all passes */
	char filter_text[APP_FILTER]; /* as typed */
	struct zoom zoom;
	struct timeline_state line;
	struct savedviews saved;
	double shown; /* of the rows drawn last: their part of all, 0..1, NAN where it is not known */
	double all_samples; /* of them: how many 100 % are */
	const struct row *sight; /* while they are drawn: those in sight */
	size_t nsight;
	char search[PROMPT_MAX];

	/* Live, the window ends at `to`, `span` long (0: the whole run); held: it is `at`. */
	bool held, frozen;
	uint64_t to, span;
	bool picked; /* span is that of a window picked in the past, live_span what it is again in the present */
	uint64_t live_span;
	struct window at;

	struct prompt prompt;
	struct list anchor; /* the selection when the search was opened */
	struct menu menu;
	char message[APP_MESSAGE];
	enum role message_role;
	uint64_t message_until; /* clock_ns */

	struct lateness lateness; /* lateness of the session's slices, by `clock` */
	uint64_t (*clock)(void);  /* clock_ns, but where a test has its own */
	uint64_t hurry_until; /* clock_ns: until then every slice with rows is shown at once */
	bool paused;     /* the counters, by key p */
	uint64_t paused_at; /* the newest slice then */
	bool sure;       /* this input says again what the last one asked about */
	const char *asked; /* that question; NULL: none, it was typed */
	uint64_t asked_until; /* clock_ns: the next input may */
	bool ended;      /* the session; answers may still come */
	bool answered;   /* by it, since the last draw */
	bool quit;
	bool redraw;     /* Ctrl-L */
	struct editor_file edit; /* to be opened by whoever has the terminal; path "": none */
	char *copy;      /* for the terminal's clipboard: whoever has the terminal takes it */
	struct session_end end;
	struct app_traffic traffic;
	struct zone zones[APP_ZONES];
	unsigned nzones;
	uint64_t drawn; /* frames so far, sent or not */
};

/* NULL with err: out of memory, or a start filter that does not compile. */
struct app *app_create(struct session *s, struct model *m, const struct ui_options *o,
		       struct err *err);
void app_free(struct app *a);

/*
 * Take what the session has ready: one slice, and more until that moment (clock_ns).  *rows: something was measured.
 * 0, -ESHUTDOWN or -errno.
 */
int app_take(struct app *a, uint64_t until, bool *rows, struct err *err);

/* The next second's slices are shown as they come: at the start, and when all begins anew. */
void app_hurry(struct app *a);

/* The end of what is measured: while the counters are stopped it stands still. */
uint64_t app_now(const struct app *a);

/* Let a live window follow the newest slice. */
void app_follow(struct app *a);

/* Let the window stand at the slices that `w` touches; what it shows is not merged with others. */
void app_hold(struct app *a, struct window w);
void app_live(struct app *a);                /* back to the newest slice */
void app_span(struct app *a, uint64_t span); /* a window that is held keeps its end */

void app_input(struct app *a, const struct input *in);
void app_draw(struct app *a); /* into a->scene, at its size */

/* --- for views and actions --------------------------------------------------------------- */

void app_say(struct app *a, enum role role, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
struct window app_window(const struct app *a);
bool app_forgotten(const struct app *a); /* nothing is left of the window shown */

/* Return how far the picture of a live session is behind the clock, ns; 0: it is not, or stands still on purpose. */
uint64_t app_behind(const struct app *a);
struct query app_query(const struct app *a, const struct table_state *t);
const struct session_event *app_event(const struct app *a); /* NULL: the session has none */
int app_set_filter(struct app *a, const char *text, struct err *err);
bool app_step(struct app *a, enum view_step step); /* false: the view has no use for it */

/* Ask whether that is meant: the same key again does it.  True: it was. */
bool app_sure(struct app *a, const char *question);

/* SESSION_SNAPSHOT or SESSION_DUMP; what cannot be is said on the screen.  0 or -errno. */
int app_snapshot(struct app *a, enum session_command command, const char *reason);

/*
 * Bring a snapshot into a directory ("": where we stand): of that number, 0 for the recordings, -1 for the
 * newest that is written, or else the recordings.
 */
void app_fetch(struct app *a, long number, const char *directory);

/* FORMAT:FILE, what the screen's window holds.  0, or -errno with err. */
int app_write(struct app *a, const char *text, struct err *err);

/* SESSION_EVENTS, of the event shown; what cannot be is said on the screen, what can as well.  0 or -errno. */
int app_change(struct app *a, enum session_change change, const char *text, uint64_t number);

/* Save the time line to this file, what is kept of it and all from now on.  0, or -errno with err. */
int app_save(struct app *a, const char *file, struct err *err);

/* Record to this file, or, where one is written, end that.  0, or -errno with err. */
int app_record(struct app *a, const char *file, struct err *err);
void app_show(struct app *a, enum view_id view);
void app_zone(struct app *a, struct rect at, enum zone_kind kind, uint64_t value,
	      const char *name);

#endif
