/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diff - --diff: read two files, one after the other, each with a session and a model of its own,
 * and report the differences.  --baseline: read one file, before a session begins that is compared
 * with it.  --by host: compare one host of a session with another.
 */
#ifndef RINGTOP_APP_DIFF_H
#define RINGTOP_APP_DIFF_H

#include "app/options.h"

/*
 * Do --diff and print the report on stdout.  Return the process's exit status, with err unless that
 * is EXIT_DONE or EXIT_CHANGED.
 */
int diff_run(const struct options *o, struct err *err);

/* --baseline: a file that was read to its end, for a session to be compared with. */
struct diff_baseline;
struct model;
struct session;

/* Open o->baseline and read it to its end.  stop_fd: as in measure_config.  NULL with err. */
struct diff_baseline *diff_baseline_open(const struct options *o, int stop_fd, struct err *err);
void diff_baseline_free(struct diff_baseline *b);

/* Return the model of the whole file; it belongs to the baseline. */
struct model *diff_baseline_model(const struct diff_baseline *b);

/*
 * Print the differences of the session's model m from the baseline; once, at the session's end.
 * *changed: one is significant.  0, or -errno with err.
 */
int diff_baseline_report(struct diff_baseline *b, const struct session *s, struct model *m,
			 bool *changed, struct err *err);

/* Like diff_baseline_report(), but compare the second host of a session of two with the first. */
int diff_hosts_report(const struct options *o, int stop_fd, const struct session *s,
		      struct model *m, bool *changed, struct err *err);

#endif
