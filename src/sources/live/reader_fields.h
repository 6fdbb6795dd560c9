/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reader_fields - a reader's tables of sums by fields (core/table/fieldsums.h), on their way to the
 * drainer.
 *
 *   list of events changes ──▶ fresh ──generation entered──▶ its row's last, being filled
 *                                                              │ rotated: the drainer's
 *                              freed, or cleared ◀──taken──────┘ recycled: to be filled again
 *
 * There is a row of tables for each of the table's generations, and the same rules hold for both:
 * so rows and sums by fields of a slice are of the same samples, even where a reader is late.  A
 * table is of one list's fields.  When rings are opened anew with other events, the sums until then
 * stay a table of its own, with the meaning of its keys: nothing is lost, and sums of different
 * fields are not mixed.
 *
 * Threads: as table.h; the rest the reader's.
 */
#ifndef RINGTOP_SOURCES_LIVE_READER_FIELDS_H
#define RINGTOP_SOURCES_LIVE_READER_FIELDS_H

#include "sources/live/reader.h"

/* Sum up by the fields of the reader's list from now on.  0 or -ENOMEM: nothing has changed. */
int reader_fields_adopt(struct reader *r);

/* Take the sums of the generation that was just entered as those to fill, until it is left. */
void reader_fields_begin(struct reader *r);

void reader_fields_free(struct reader *r);

#endif
