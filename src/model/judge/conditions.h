/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conditions - those of a session, and what each does when it fires: a snapshot, a mark, or an alert.
 *
 * One evaluator for all (trigger.h).  An alert stands until its condition holds no more; with --on-alert a command is
 * told (base/notify.h): RINGTOP_ALERT is the condition, RINGTOP_REASON the same with the value and who it was, escaped
 * as in reports, RINGTOP_TIME the seconds since the epoch, RINGTOP_NUMBER the alert's.  Of one condition it is run once
 * in CONDITIONS_QUIET_NS at most; what is held back, and what fails, the alert itself says (alert.command).
 *
 * Threads: the model's.
 */
#ifndef RINGTOP_MODEL_JUDGE_CONDITIONS_H
#define RINGTOP_MODEL_JUDGE_CONDITIONS_H

#include "base/clock.h"
#include "base/err.h"
#include "model/core/model.h"
#include "model/judge/trigger.h"

#define CONDITIONS_MAX      16
#define CONDITIONS_QUIET_NS (10 * NSEC_PER_SEC) /* of the real clock */

struct notify;

enum conditions_does { CONDITIONS_SNAPSHOT, CONDITIONS_MARK, CONDITIONS_ALERT, CONDITIONS_DOES };

struct conditions {
	struct conditions_one {
		struct trigger trigger;
		enum conditions_does does;
		uint32_t standing; /* the number of its alert, 0: none */
		uint64_t told;	   /* CLOCK_MONOTONIC when the command was run for it last; 0: never */
	
	} of[CONDITIONS_MAX];
	unsigned nr;
	struct notify *notify; /* NULL: no command; owned */
};

/* One more condition.  0 or -EINVAL. */
int conditions_add(struct conditions *w, enum conditions_does does, const char *condition, struct err *err);

/* The options by which they are given. */
extern const char *const conditions_options[CONDITIONS_DOES];

/* What is run for alerts; its output goes to the descriptor, -1: to nowhere.  0 or -errno. */
int conditions_command(struct conditions *w, const char *command, int output_fd, struct err *err);

/* Find what they name in the session.  0 or -EINVAL. */
int conditions_bind(struct conditions *w, const struct session_info *info, struct err *err);

/* To be called after each model_add.  True: something fired, or an alert ended, or its command did. */
bool conditions_serve(struct conditions *w, struct model *m, struct session *s);
void conditions_clear(struct conditions *w);

#endif
