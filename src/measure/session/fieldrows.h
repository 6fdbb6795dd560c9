/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fieldrows - what was summed up by fields (--by), into slices; and what front ends are told of fields.
 *
 * Threads: the owner of the sums and of the slice.
 */
#ifndef RINGTOP_MEASURE_SESSION_FIELDROWS_H
#define RINGTOP_MEASURE_SESSION_FIELDROWS_H

#include <stdbool.h>

#include "measure/session/session.h"
#include "core/slice/slice.h"
#include "core/table/fieldsums.h"
#include "measure/trace/between_plan.h"
#include "measure/trace/tracefields.h"

/* What there is of an event's fields, and of pairs, for a session's info. */
void fieldrows_describe(const struct tracefields *f, unsigned event, const struct event *from, struct session_event *to);
void fieldrows_describe_between(const struct between_plan *plan, struct slice_between *to);

/* A key into a row; of a longer one the beginning, which ends with "...". */
void fieldrows_key(struct slice_field *to, const char *key);

/*
 * All of the sums, which are of tracefields.  False: memory is missing, and they should stay, for a later slice.  Rows of several sums stand side
 * by side: slice_fields_fold.  `comms` knows what threads are called.
 */
bool fieldrows_add(const struct fieldsums *sums, const struct tracekey_comms *comms, struct slice *s);

#endif
