/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view_changes - functions compared between two windows: how much each changed from a baseline to
 * the window shown, and how sure that is.
 *
 * The baseline is the window that was shown when the key was hit, kept as a profile that outlives
 * its slices.  It is compared with the current window, without the part of that in the baseline.
 * Threads: one owner.
 */
#ifndef RINGTOP_UI_VIEWS_VIEW_CHANGES_H
#define RINGTOP_UI_VIEWS_VIEW_CHANGES_H

#include <stdbool.h>
#include <stdint.h>

#include "model/compare/compare.h"
#include "ui/app/ui.h"
#include "ui/views/treechanges.h"
#include "ui/app/view.h"

struct view_changes_state {
	struct model *of; /* model of the baseline's window; borrowed */
	bool file; /* the baseline is all of ui_options.baseline */
	bool hosts; /* the second of two hosts is compared with the first, in the window shown */
	struct window baseline; /* as model_kept() has it; empty with `file` or `hosts` */
	uint64_t asked;	/* hash of event, filter and hidden kinds when the baseline was taken */
	struct profile was, now;
	struct comparison comparison; /* of was and now; nr 0: nothing to compare */
	struct window window;	/* window of `now`; empty: none */
	bool held;		/* app.held at that time */
	/* CPU time in ns of a comparison, which spaces them: waiting for a CPU makes none rarer. */
	uint64_t took;
	uint64_t taken[2];	/* number of profiles taken of each side: was, now */
	struct treechanges_state calls; /* changes of call paths */
	int error;		/* -ENOMEM; baseline: -ESTALE forgotten, -ENOENT no event */
};

/* Take the window shown, or the file or host of the options, as baseline; show this view. */
void view_changes_begin(struct app *a);

/* Forget the baseline and return to Functions. */
void view_changes_end(struct app *a);

/* Bring both sides and the comparison up to the window shown, in steps if it is live. */
void view_changes_refresh(struct app *a);

/* Return the reason why nothing is compared, a constant string; NULL: there is a comparison. */
const char *view_changes_nothing(const struct app *a);

/* Model, window and query of one side. */
struct view_changes_side {
	struct model *model;
	struct window window;
	struct query q;
	bool forgotten; /* part of the window is not kept any more; old profiles stay valid */
};

/* Fill `to` for a side (enum compare_side), q adapted to its model.  False: no such event there. */
bool view_changes_side(const struct app *a, int side, const struct query *q,
		       struct view_changes_side *to);

/* Return the options of the comparison, the same wherever it is shown. */
struct compare_how view_changes_how(const struct app *a);

/* Return the model of the baseline's window, borrowed. */
struct model *view_changes_of(const struct app *a);

/* Return query.host for a side (0: was): its host + 1, or 0 where no hosts are compared. */
unsigned view_changes_host(const struct app *a, int side);

#define VIEW_CHANGES_NAME 300

/*
 * Describe the comparison for an export: store the current window and host in *w and q->host, and
 * the baseline in *was, with its name in buf.  False: nothing is compared, and nothing was stored.
 */
bool view_changes_compared(struct app *a, struct query *q, struct window *w,
			   struct ui_compared *was, char buf[VIEW_CHANGES_NAME]);

/* Return the window that the history must not thin out or forget: the baseline; empty: none. */
struct window view_changes_hold(const struct app *a);

extern const struct view_ops view_changes;

/* Return the view's state in this app. */
struct view_changes_state *view_changes_state(const struct app *a);

#endif
