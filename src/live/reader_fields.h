/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reader_fields - a reader's tables of sums by fields (table/fieldsums.h), on their way to the owner.
 *
 *   being filled ──list of events changes──▶ full ─┐
 *        └──────────────the owner asks─────────────┴▶ the report's, oldest first ──taken──▶ spare, or freed
 *
 * A table is of one list's fields.  Where rings are opened anew by others, what was summed up until then stays a table of
 * its own, which knows what its keys mean: nothing is lost, and nothing is summed up with what is of other fields.
 *
 * Threads: as reader.h.
 */
#ifndef RINGTOP_LIVE_READER_FIELDS_H
#define RINGTOP_LIVE_READER_FIELDS_H

#include "live/reader.h"

/* By the fields of the reader's list from now on.  -ENOMEM: nothing has changed. */
int reader_fields_adopt(struct reader *r);

/* What was filled so far becomes the owner's, unless it still has what it was given before. */
void reader_fields_publish(struct reader *r);

void reader_fields_free(struct reader *r);

#endif
