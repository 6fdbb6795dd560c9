/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * start - what every process of ours does first, whether it has a screen (main.c) or is the far end of a
 * connection (main_agent.c): its own descriptors and memory, what the words of a command line switch on, and
 * the session that they mean.  May print what went wrong.
 *
 * Threads: none are there yet.
 */
#ifndef RINGTOP_APP_START_H
#define RINGTOP_APP_START_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct options;
struct session;

enum exit_status { EXIT_DONE, EXIT_FAILED, EXIT_USAGE, EXIT_NOT_PERMITTED, EXIT_CHANGED };

int start_exit_of(int code); /* of an errno */

/* One line: what, why, and what to do.  Names in it are the user's or a process's: escaped. */
void start_complain(const struct err *err);

/* Standard descriptors, signals, the allocator.  Ends the process where it cannot have descriptors. */
void start_process(void);

/*
 * Show the process as `name` (15 bytes at most) in lists of processes: its comm, and its first argument where that is
 * the number of a descriptor which it was started by.  argv is main's own, and keeps its meaning.
 */
void start_name(const char *name, int argc, char *argv[]);

/* An options_check: whether the events that a setting names are there.  0 or -EINVAL with err. */
int start_check_setting(const char *key, const char *value, struct err *err);

/* The log, the memory, the helpers: once, before start_session. */
int start_settings(const struct options *o, struct err *err);

/* What nobody sees need not be woken for: see live_config.doze_ns.  stop_fd: readable ends a long opening; -1: none. */
#define START_LOG_SCREEN 500 /* of start_how.log_lines: what a screen shows */
#define START_LOG_FAR	 100 /* what goes over a wire */

struct start_how {
	bool screen; /* stdout is not for others */
	unsigned log_lines; /* of the event log in 100 ms, at most, without --log-events; 0: none */
	bool log_fields;    /* records' fields are wanted, too */
	uint64_t doze_ns;
	uint64_t end_ns; /* live_config.end_ns */
	int stop_fd;
};

/* Of this machine, or of a file on it.  NULL with err. */
struct session *start_session(const struct options *o, const struct start_how *how, struct err *err);

/* SIGINT, SIGTERM, SIGHUP, blocked: a descriptor, or -errno. */
int start_stop_signals(void);

#endif
