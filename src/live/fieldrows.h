/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fieldrows - what readers have summed up by fields (--by), into slices.
 *
 * Threads: the tick's.
 */
#ifndef RINGTOP_LIVE_FIELDROWS_H
#define RINGTOP_LIVE_FIELDROWS_H

#include "live/reader.h"
#include "live/tracefields.h"
#include "resolve/resolver.h"
#include "slice/slice.h"

/*
 * All that the reader's report has.  Where memory is missing it stays there, for a later slice.  Rows of several
 * readers stand side by side: slice_fields_fold.  `names` knows what threads are called.
 */
void fieldrows_add(const struct tracefields *f, struct reader *r, struct resolver *names, struct slice *s);

#endif
