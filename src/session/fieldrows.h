/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fieldrows - what was summed up by fields (--by), into slices.
 *
 * Threads: the owner of the sums and of the slice.
 */
#ifndef RINGTOP_SESSION_FIELDROWS_H
#define RINGTOP_SESSION_FIELDROWS_H

#include <stdbool.h>

#include "slice/slice.h"
#include "table/fieldsums.h"
#include "trace/tracefields.h"

/*
 * All of the sums.  False: memory is missing, and they should stay, for a later slice.  Rows of several sums stand side
 * by side: slice_fields_fold.  `comms` knows what threads are called.
 */
bool fieldrows_add(const struct tracefields *f, const struct fieldsums *sums, const struct tracekey_comms *comms,
		   struct slice *s);

#endif
