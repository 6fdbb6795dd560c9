/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * past - what the history keeps, as slices again, for who begins to save when a session has run for a while.
 *
 * They speak the session's ids, so that what is named later is named in the past too: the first slice, of no length,
 * says what these mean now.  What the session has no id for any more has one above all of its own, is said in the slice
 * that needs it first, and is released by the last: before the session can give such an id out.
 *
 * As it is kept: steps of 1 s and 10 s are one slice each, what was thinned stays so.  Sums by fields of a list that
 * their event has no more are its rest.  Of the whole run there is no more than the history has.
 *
 * Threads: the model's owner.
 */
#ifndef RINGTOP_MODEL_CORE_PAST_H
#define RINGTOP_MODEL_CORE_PAST_H

#include "model/core/model.h"
#include "measure/session/past.h"

/* 0 or -ENOMEM; call session_past_clear in either case. */
int model_past(const struct model *m, struct session_past *p);

#endif
