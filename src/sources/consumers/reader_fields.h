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
#ifndef RINGTOP_SOURCES_CONSUMERS_READER_FIELDS_H
#define RINGTOP_SOURCES_CONSUMERS_READER_FIELDS_H

#include "measure/consumers/consumer.h"
#include "names/resolve/resolver.h"
#include "sources/live/reader.h"

/* Return how many keys each of so many readers has room for, in a generation of the table. */
unsigned reader_fields_keys(unsigned readers);

/* Sum up by the fields of the reader's list from now on.  0 or -ENOMEM: nothing has changed. */
int reader_fields_adopt(struct reader *r);

/* Sum up samples of a reader; a batch begins when the table's generation was entered. */
extern const struct consumer_ops reader_fields_consumer;

/*
 * Return the sums by fields of the samples of a generation of the table (table_number), of the
 * oldest list of events (fieldsums_of), or NULL.  They are the drainer's between table_rotate and
 * table_recycle, whatever the reader does.
 */
struct fieldsums *reader_fields_filled(struct reader *r, unsigned generation);

/* Take back what reader_fields_filled returned.  Return true if the generation has more. */
bool reader_fields_taken(struct reader *r, unsigned generation);

/*
 * Put all sums of a generation, which is the caller's, into s; where memory is missing they stay
 * there, for a later slice.  `names` resolves threads' names and addresses: to be called between
 * resolver_begin and resolver_end, after the tick's sideband.
 */
void reader_fields_tell(struct reader *r, unsigned generation, struct resolver *names,
			struct slice *s);

void reader_fields_free(struct reader *r);

#endif
