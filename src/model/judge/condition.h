/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * condition - evaluation of conditions: --snapshot-on, --mark-on, --alert.  For their effects see
 * condition_actions.h.
 *
 *   CONDITION  = SUBJECT OP NUMBER [%] [: TIME]  |  event:NAME
 *   SUBJECT    = function [: NAME]   its own share of the samples, the largest where no name is
 * given | task [: NAME]       a process's share of the samples, the largest without a name | lost
 * lost share of the counted events, of the worst event | samples/s           of all events | delta
 * [: NAME]      change of a function's share, the largest of those that changed by more than chance
 * (model/compare/compare.h); > only, NUMBER sigma OP         = >  |  < TIME       = NUMBER [ms | s
 * | m]   how long it must hold, 0 without
 *
 * A delta compares the last 8 s with up to 32 s before them, in standard deviations of that
 * difference as estimated from these seconds, computed once a second.  Shares are of the last
 * second; for TIME a condition must hold at every tick.  A condition that has fired is armed again
 * when the value has fallen below nine tenths of the limit (with <: risen above eleven tenths);
 * event:NAME, when a second has passed and a tick brought no hit.
 *
 * NAME may contain any characters, also > and :, as it ends at the last OP that a number follows.
 *
 * Threads: the model's owner.
 */
#ifndef RINGTOP_MODEL_JUDGE_CONDITION_H
#define RINGTOP_MODEL_JUDGE_CONDITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "model/core/model.h"

#define CONDITION_TEXT 512 /* bytes of a condition, with the NUL; a longer one is refused */

enum condition_kind {
	CONDITION_FUNCTION,
	CONDITION_TASK,
	CONDITION_LOST,
	CONDITION_SAMPLES,
	CONDITION_DELTA,
	CONDITION_EVENT
};

struct condition {
	char text[CONDITION_TEXT]; /* as written */
	const char *option;      /* the option that gave it, for messages */
	char name[CONDITION_TEXT]; /* "": any */
	enum condition_kind kind;
	bool below;     /* OP was < */
	double limit;   /* shares: 0..1; delta: sigmas */
	uint64_t hold;  /* ns */
	unsigned event; /* of CONDITION_EVENT; set by condition_bind */
	/* state */
	bool holds, fired;
	uint64_t since, fired_at, seen; /* seen: time up to which hits, or deltas, were examined */
	uint64_t last;  /* session time of the last step */
	uint64_t fires;
	double value, points; /* the last value; points: of a delta, with its sign */
	char who[256];        /* the function or task of the value; "": none */
};

/*
 * Parse a condition; `option` is borrowed.  0 or -EINVAL; err names the option, the mistake and its
 * place.
 */
int condition_parse(const char *text, const char *option, struct condition *t, struct err *err);

/*
 * Find the event that the condition names in the session.  0, or -EINVAL: there is no such event.
 */
int condition_bind(struct condition *t, const struct session_info *info, struct err *err);

/*
 * Evaluate the condition; to be called after each model_add().  True: it fires now; `reason`
 * receives the condition with the value and the function or task.
 */
bool condition_step(struct condition *t, struct model *m, char *reason, size_t size);

#endif
