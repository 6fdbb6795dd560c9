/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * condition_actions - the conditions of a session, and their effects: a snapshot, a mark, or an
 * alert.
 *
 * All conditions have one evaluator (condition.h).  An alert holds as long as its condition.  With
 * --on-alert a command is run (base/notify.h), with variables: RINGTOP_ALERT is the condition,
 * RINGTOP_REASON the condition with the value and the function or task, escaped as in reports,
 * RINGTOP_TIME the seconds since the epoch, RINGTOP_NUMBER the alert's number.  The command is run
 * at most once in CONDITIONS_QUIET_NS per condition; alert.command tells if it was held back or
 * failed.
 *
 * Threads: the model's owner.
 */
#ifndef RINGTOP_MODEL_JUDGE_CONDITION_ACTIONS_H
#define RINGTOP_MODEL_JUDGE_CONDITION_ACTIONS_H

#include "base/clock.h"
#include "base/err.h"
#include "model/judge/condition.h"

#define CONDITIONS_MAX      16
#define CONDITIONS_QUIET_NS (10 * NSEC_PER_SEC) /* of the real clock */

struct notify;

enum conditions_does { CONDITIONS_SNAPSHOT, CONDITIONS_MARK, CONDITIONS_ALERT, CONDITIONS_DOES };

struct conditions {
	struct conditions_one {
		struct condition trigger;
		enum conditions_does does;
		uint32_t standing; /* number of the alert that holds; 0: none */
		uint64_t told;	   /* CLOCK_MONOTONIC of the last run of the command; 0: never */
	} of[CONDITIONS_MAX];
	unsigned nr;
	struct notify *notify; /* NULL: no command; owned */
};

/* Parse and add a condition.  0 or -EINVAL. */
int conditions_add(struct conditions *w, enum conditions_does does, const char *condition,
		   struct err *err);

/* The options that add conditions. */
extern const char *const conditions_options[CONDITIONS_DOES];

/* Set the command to run for alerts; output_fd: for its output, -1 discards it.  0 or -errno. */
int conditions_command(struct conditions *w, const char *command, int output_fd, struct err *err);

/* Find the events that the conditions name in the session.  0 or -EINVAL. */
int conditions_bind(struct conditions *w, const struct session_info *info, struct err *err);

/*
 * Evaluate all conditions; to be called after each model_add().  True: one fired, an alert ended,
 * or a command ended.
 */
bool conditions_serve(struct conditions *w, struct model *m, struct session *s);
void conditions_clear(struct conditions *w);

#endif
