/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trigger - conditions that take a snapshot: --snapshot-on.
 *
 *   CONDITION  = SUBJECT OP NUMBER [%] [: TIME]  |  event:NAME
 *   SUBJECT    = function [: NAME]   its own share of the samples, the largest where no name is given
 *              | task [: NAME]       the same of a process
 *              | lost                share of what was counted that is lost
 *              | samples/s           of all events
 *   OP         = >  |  <
 *   TIME       = NUMBER [ms | s | m]   how long it must hold, 0 without
 *
 * Shares are of the second before; a condition that holds must hold on from tick to tick.  One that
 * has fired is armed again when the value has fallen below nine tenths of the limit (with <: risen
 * above eleven tenths); event:NAME, when a second has passed and a tick brought none.
 *
 * NAME may hold anything, > and : too: it is what stands before the last OP with a number behind.
 * Threads: the model's.
 */
#ifndef RINGTOP_MODEL_TRIGGER_H
#define RINGTOP_MODEL_TRIGGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "model/model.h"

#define TRIGGER_TEXT 512 /* a longer condition is refused */
#define TRIGGERS_MAX 16

enum trigger_kind { TRIGGER_FUNCTION, TRIGGER_TASK, TRIGGER_LOST, TRIGGER_SAMPLES, TRIGGER_EVENT };

struct trigger {
	char text[TRIGGER_TEXT]; /* as written */
	char name[TRIGGER_TEXT]; /* "": any */
	enum trigger_kind kind;
	bool below;     /* OP was < */
	double limit;   /* shares: 0..1 */
	uint64_t hold;  /* ns */
	unsigned event; /* of TRIGGER_EVENT; set by trigger_bind */
	/* state */
	bool holds, fired;
	uint64_t since, fired_at, seen; /* seen: up to where hits were looked for */
	uint64_t fires;
};

/* 0 or -EINVAL; err names what is wrong and where. */
int trigger_parse(const char *text, struct trigger *t, struct err *err);

/* Find what it names in the session.  0, or -EINVAL: there is no such event. */
int trigger_bind(struct trigger *t, const struct session_info *info, struct err *err);

/*
 * To be called after each model_add.  True: it fires now; `reason` says why in words, with the value
 * and who it was.
 */
bool trigger_step(struct trigger *t, struct model *m, char *reason, size_t size);

/* All of them: each that fires asks the session for a snapshot, which counts what it refuses. */
void triggers_serve(struct trigger *t, unsigned nr, struct model *m, struct session *s);

#endif
