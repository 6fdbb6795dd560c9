/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view_changes - Functions while two windows are compared: what changed from a baseline to the window shown, how much,
 * and how sure that is.
 *
 * The baseline is the window that was shown when the key was hit, as a profile that outlives its slices.  What it is
 * held against is the window shown now, but for what of it is in the baseline.  Threads: one owner.
 */
#ifndef RINGTOP_UI_VIEWS_VIEW_CHANGES_H
#define RINGTOP_UI_VIEWS_VIEW_CHANGES_H

#include <stdbool.h>
#include <stdint.h>

#include "model/compare/compare.h"
#include "ui/app/ui.h"
#include "ui/views/view.h"

struct view_changes_state {
	bool on;
	struct model *of; /* that the baseline's window is of */
	bool file; /* the baseline is ui_options.baseline, all of it */
	bool hosts; /* the second of two hosts is compared with the first, both in the window shown */
	struct window baseline; /* as it is kept */
	uint64_t asked;	/* what was asked for (event, filter, what is hidden) when the baseline was taken: a hash */
	struct profile was, now;
	struct comparison comparison; /* of these; nr is 0 where there is nothing to compare */
	struct window window;	/* that `now` is of; empty: of none */
	bool held;		/* by the screen, then */
	uint64_t took;		/* ns of CPU time, to compare them: who waits for a CPU compares as often */
	uint64_t taken[2];	/* how often a side was taken anew: was, now */
	int error;		/* -ENOMEM, or -ESTALE: the baseline cannot be taken anew */
};

/* Take the window shown as the baseline, or the file or host that was given, and show what changes from it. */
void view_changes_begin(struct app *a);

/* Forget the baseline; Functions is as before. */
void view_changes_end(struct app *a);

/* Both sides of the window shown now, compared; a live one anew as it moves. */
void view_changes_refresh(struct app *a);

/* Why nothing is compared; NULL: it is. */
const char *view_changes_nothing(const struct app *a);

/* What one side is of. */
struct view_changes_side {
	struct model *model;
	struct window window;
	struct query q;
	bool forgotten; /* not all of the window is kept any more: what was taken of it outlived it */
};

/* A side (enum compare_side), with the question as its model understands it; false: it has no such event. */
bool view_changes_side(const struct app *a, int side, const struct query *q, struct view_changes_side *to);

/* How both are compared, wherever that is shown. */
struct compare_how view_changes_how(const struct app *a);

/* Whose window the baseline is, where it is one. */
struct model *view_changes_of(const struct app *a);

/* A side (0: was) is of this host alone: query.host. */
unsigned view_changes_host(const struct app *a, int side);

#define VIEW_CHANGES_NAME 300

/*
 * What is compared, for an export: the window and host of now to *w and q, and the baseline, named in buf.  False: nothing
 * is, and nothing was changed.
 */
bool view_changes_compared(struct app *a, struct query *q, struct window *w, struct ui_compared *was,
			   char buf[VIEW_CHANGES_NAME]);

/* What the history is to keep as it is: the baseline, empty where there is none. */
struct window view_changes_hold(const struct app *a);

void view_changes_free(struct view_changes_state *s);

extern const struct view_ops view_changes;

#endif
