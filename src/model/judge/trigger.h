/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trigger - conditions: --snapshot-on, --mark-on, --alert.  What one does when it fires is conditions.h's.
 *
 *   CONDITION  = SUBJECT OP NUMBER [%] [: TIME]  |  event:NAME
 *   SUBJECT    = function [: NAME]   its own share of the samples, the largest where no name is given
 *              | task [: NAME]       the same of a process
 *              | lost                share of what was counted that is lost
 *              | samples/s           of all events
 *              | delta [: NAME]      how far a function's share is from what it was, the largest of those that
 *                                    changed by more than chance (model/compare/compare.h); > only, NUMBER sigma
 *   OP         = >  |  <
 *   TIME       = NUMBER [ms | s | m]   how long it must hold, 0 without
 *
 * A delta is of the 8 s before against up to 32 s before those, in standard deviations of that difference as these
 * seconds themselves vary, looked for once a second.  Shares are of the second before; a condition that holds must hold on from tick to tick.  One that
 * has fired is armed again when the value has fallen below nine tenths of the limit (with <: risen
 * above eleven tenths); event:NAME, when a second has passed and a tick brought none.
 *
 * NAME may hold anything, > and : too: it is what stands before the last OP with a number behind.
 * Threads: the model's.
 */
#ifndef RINGTOP_MODEL_JUDGE_TRIGGER_H
#define RINGTOP_MODEL_JUDGE_TRIGGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "model/core/model.h"

#define TRIGGER_TEXT 512 /* a longer condition is refused */

enum trigger_kind { TRIGGER_FUNCTION, TRIGGER_TASK, TRIGGER_LOST, TRIGGER_SAMPLES, TRIGGER_DELTA, TRIGGER_EVENT };

struct trigger {
	char text[TRIGGER_TEXT]; /* as written */
	const char *option;      /* that it was given with */
	char name[TRIGGER_TEXT]; /* "": any */
	enum trigger_kind kind;
	bool below;     /* OP was < */
	double limit;   /* shares: 0..1; delta: sigmas */
	uint64_t hold;  /* ns */
	unsigned event; /* of TRIGGER_EVENT; set by trigger_bind */
	/* state */
	bool holds, fired;
	uint64_t since, fired_at, seen; /* seen: up to where hits were looked for, or a delta */
	uint64_t last;  /* the newest slice then */
	uint64_t fires;
	double value, points; /* what was found last; points: of a delta, with its sign */
	char who[256];        /* the function or task, "": none */
};

/* 0 or -EINVAL; err names the option, what is wrong and where. */
int trigger_parse(const char *text, const char *option, struct trigger *t, struct err *err);

/* Find what it names in the session.  0, or -EINVAL: there is no such event. */
int trigger_bind(struct trigger *t, const struct session_info *info, struct err *err);

/*
 * To be called after each model_add.  True: it fires now; `reason` says why in words, with the value
 * and who it was.
 */
bool trigger_step(struct trigger *t, struct model *m, char *reason, size_t size);

#endif
