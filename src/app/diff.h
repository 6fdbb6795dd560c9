/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diff - --diff: two files, each through a session and a model of its own, one after the other; then what changed.
 * --baseline: one file so, before a session begins that is compared with it.  --by host: one host of a session with
 * another.
 */
#ifndef RINGTOP_APP_DIFF_H
#define RINGTOP_APP_DIFF_H

#include "app/options.h"

/* The process's exit status, with err where it is EXIT_FAILED or one of wrong usage or rights.  Prints the report. */
int diff_run(const struct options *o, struct err *err);

/* --baseline: a file that was read to its end, for a session to be compared with. */
struct diff_baseline;
struct model;
struct session;

/* stop_fd: as start_how's, or -1.  NULL with err. */
struct diff_baseline *diff_baseline_open(const struct options *o, int stop_fd, struct err *err);
void diff_baseline_free(struct diff_baseline *b);

/* All that was in it; valid as long as the baseline. */
struct model *diff_baseline_model(const struct diff_baseline *b);

/* Once, at the session's end: prints what changed.  0, or -errno with err. */
int diff_baseline_report(struct diff_baseline *b, const struct session *s, struct model *m, bool *changed, struct err *err);

/* --by host: the same of a session's second host with its first; there are two. */
int diff_hosts_report(const struct options *o, int stop_fd, const struct session *s, struct model *m, bool *changed,
		      struct err *err);

#endif
