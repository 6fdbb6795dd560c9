/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fieldrows - puts sums by fields (--by) into slices, and describes the fields in a session's info.
 *
 * Threads: the owner of the sums and of the slice.
 */
#ifndef RINGTOP_MEASURE_CONSUMERS_FIELDROWS_H
#define RINGTOP_MEASURE_CONSUMERS_FIELDROWS_H

#include <stdbool.h>

#include "measure/session/session.h"
#include "core/slice/slice.h"
#include "core/table/fieldsums.h"
#include "measure/trace/between_plan.h"
#include "measure/trace/tracefields.h"

/* Describe an event's weight and fields, and pairs, in a session's info. */
void fieldrows_describe(const struct tracefields *f, unsigned event, const struct event *from,
			struct session_event *to);
void fieldrows_describe_between(const struct between_plan *plan, struct slice_between *to);

/* Copy a key to a row; a longer one is cut, and ends with "...". */
void fieldrows_key(struct slice_field *to, const char *key);

/*
 * Add all sums to the slice.  Rows of several fieldsums are not merged: see slice_fields_fold.
 * `comms` has the names of threads.  False: no memory, nothing was added, and the caller should
 * keep the sums for a later slice.
 */
bool fieldrows_add(const struct fieldsums *sums, const struct tracekey_comms *comms,
		   struct slice *s);

#endif
