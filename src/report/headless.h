/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * headless - a report per interval on a descriptor, and a last one for the whole run.
 *
 * Intervals end with slices: the k-th with the first slice that ends at or after k * delay of the
 * session's time.  Slices after the last whole interval are in the total only.
 *
 * Threads: one, which is the session's front end and the model's owner.
 */
#ifndef RINGTOP_REPORT_HEADLESS_H
#define RINGTOP_REPORT_HEADLESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "report/out.h"
#include "model/rows/show_options.h"
#include "model/core/model.h"
#include "measure/session/session.h"

/* Contents and settings of one report. */
struct headless_view {
	struct model *model;
	struct window window; /* WINDOW_ALL: the total */
	double time;          /* end of the window, seconds since the session's start */
	double seconds;       /* length of the window */
	size_t top;           /* rows of each kind, 0: all */
	bool show_self, hide_kernel, hide_user;
	bool paths; /* report call paths too */
	bool log_events;
	enum group_by group; /* also report rows by this group; GROUP_FUNCTION: no more groups */
	enum sort_by sort;
	const struct rowfilter *filter;
	const char *version;
	double delay;
	const struct slice_log **logs; /* log lines since the last report, newest first; total: all
	                                * held */
	size_t nlogs;
	const struct session_end *end; /* total only, else NULL */
	const struct control_counts *control; /* NULL: there is no --control */
};

/*
 * A format of reports.  All functions append to `o`; errors stick there.  Only `total` is in all.
 */
struct headless_format {
	const char *name;
	void (*header)(struct out *o, const struct headless_view *v); /* once, before any slice */
	/* Append the event log of s. */
	void (*logged)(struct out *o, const struct headless_view *v, const struct slice *s);
	void (*interval)(struct out *o, const struct headless_view *v);
	void (*total)(struct out *o, const struct headless_view *v);
};

struct headless_options {
	struct show_options show; /* as asked for; duration: of the session's time */
	bool log_events; /* report the event log's lines as they come */
	enum group_by group; /* show.group; see headless_view.group */
	enum sort_by sort;
	const struct rowfilter *filter; /* show.filter, or NULL */
	const struct headless_format *format; /* json_format or text_format */
	const char *version;
	struct control *control; /* --control, or NULL (control/control.h) */
	struct conditions *conditions; /* bound to the session, or NULL
	                                * (model/judge/condition_actions.h) */
	int out_fd;
	int stop_fd; /* readable (signalfd, eventfd): stop and report the total; -1: none */
	int signal_fd; /* a signalfd: SIGUSR2 takes a snapshot, SIGUSR1 sets a mark; -1: none */
};

struct headless_result {
	struct session_end end;
	uint64_t intervals;
	bool reader_gone; /* EPIPE: the run ended early, and that is no error */
};

/*
 * Run until the session ends, stopping it at the limits in `o` or when stop_fd is readable.
 * Neither session nor model is freed; the session may still be running when writing failed.  0, or
 * -errno with err: writing failed (ENOSPC ...), or the session failed while running - the total is
 * written all the same.  -ENOMEM also if some counts are missing from the sums
 * (model_incomplete()).
 */
int headless_run(struct session *s, struct model *m, const struct headless_options *o,
		 struct headless_result *r, struct err *err);

#endif
