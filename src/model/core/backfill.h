/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * backfill - the model's history as slices, written first when saving starts in mid-session.
 *
 * The slices use the session's ids, so that entries named later are named in the past too: the
 * first slice, of no length, has the present meaning of these ids.  Entries that the session has no
 * id for any more have the model's, as of another source, are emitted with the slice that needs
 * them first, and are released by the last slice.
 *
 * Slices are as the history keeps them: steps of 1 s and 10 s are one slice each, thinned ones stay
 * thinned.  Sums by fields of a list that their event has no longer become its rest.  The whole
 * run's totals are not written beyond what the history has.
 *
 * Threads: the model's owner.
 */
#ifndef RINGTOP_MODEL_CORE_BACKFILL_H
#define RINGTOP_MODEL_CORE_BACKFILL_H

#include "model/core/model.h"
#include "measure/session/session_backfill.h"

/* Fill *p from the history.  Return 0 or -ENOMEM; call session_backfill_clear() in either case. */
int model_backfill(const struct model *m, struct session_backfill *p);

#endif
