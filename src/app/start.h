/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * start - the first steps of every ringtop process, with a screen (main.c) or as the far end of a
 * connection (main_agent.c): its own descriptors and memory, settings by the command line, and the
 * session for it.  May print errors.
 *
 * Threads: the main one, before there are others.
 */
#ifndef RINGTOP_APP_START_H
#define RINGTOP_APP_START_H

#include "base/err.h"

struct options;
struct session;

enum exit_status { EXIT_DONE, EXIT_FAILED, EXIT_USAGE, EXIT_NOT_PERMITTED, EXIT_CHANGED };

int start_exit_of(int code); /* returns the exit status for an errno */

/*
 * Print an error on stderr: a line with its text and advice, then the quoted word with a caret.
 * Names in it come from the user or a process: they are escaped.
 */
void start_complain(const struct err *err);

/* Set up standard descriptors, signals and the allocator.  Exits if there are no descriptors. */
void start_process(void);

/*
 * Show the process as `name` (15 bytes at most) in lists of processes: its comm, and its first
 * argument where that is the number of a descriptor which it was started by.  argv is main's own,
 * and keeps its meaning.
 */
void start_name(const char *name, int argc, char *argv[]);

/* Check that the events that a setting names exist: an options_check.  0 or -EINVAL with err. */
int start_check_setting(const char *key, const char *value, struct err *err);

/*
 * Set up the log, the memory limit and the helpers; once, before start_session.  0, or -errno with
 * err.
 */
int start_settings(const struct options *o, struct err *err);

#define START_LOG_SCREEN 500 /* measure_config.log_lines for a screen */
#define START_LOG_FAR	 100 /* measure_config.log_lines for a wire */

/*
 * Open the session of this machine, or of a file on it, as o->measure has it with what the front
 * end has added.  It keeps pointers to the texts in `o`.  Return NULL with err (err->code 0: out of
 * memory).
 */
struct session *start_session(const struct options *o, struct err *err);

/* Block SIGINT, SIGTERM and SIGHUP.  Return a signalfd of them, or -errno. */
int start_stop_signals(void);

#endif
