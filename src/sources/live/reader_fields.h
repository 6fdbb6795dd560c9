/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reader_fields - a reader's tables of sums by fields (core/table/fieldsums.h), on their way to the drainer.
 *
 *   list of events changes ──▶ fresh ──generation entered──▶ its row's last, being filled
 *                                                              │ rotated: the drainer's
 *                              freed, or cleared ◀──told───────┘ recycled: to be filled again
 *
 * There is a row of tables for each of the table's generations, whose rules they share: so rows and sums by fields of a slice
 * are of the same samples, whoever is late.  A table is of one list's fields.  Where rings are opened anew by others, what was
 * summed up until then stays a table of its own, which knows what its keys mean: nothing is lost, and nothing is summed up
 * with what is of other fields.
 *
 * Threads: as table.h; the rest the reader's.
 */
#ifndef RINGTOP_SOURCES_LIVE_READER_FIELDS_H
#define RINGTOP_SOURCES_LIVE_READER_FIELDS_H

#include "sources/live/reader.h"

/* By the fields of the reader's list from now on.  -ENOMEM: nothing has changed. */
int reader_fields_adopt(struct reader *r);

/* A generation was entered: what is summed up until it is left is of it. */
void reader_fields_begin(struct reader *r);

void reader_fields_free(struct reader *r);

#endif
