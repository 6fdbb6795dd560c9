/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * readersums - the readers' sums by fields (--by), put into slices.
 *
 * Threads: the tick's.
 */
#ifndef RINGTOP_SOURCES_CONSUMERS_READERSUMS_H
#define RINGTOP_SOURCES_CONSUMERS_READERSUMS_H

#include "sources/live/reader.h"
#include "names/resolve/resolver.h"
#include "core/slice/slice.h"

/* Return how many keys each of so many readers has room for, in a generation of the table. */
unsigned readersums_keys(unsigned readers);

/*
 * Put all sums of a reader's generation, which is the caller's (reader_fields_filled), into s;
 * where memory is missing they stay there, for a later slice.  `names` resolves threads' names and
 * addresses: to be called between resolver_begin and resolver_end, after the tick's sideband.
 */
void readersums_tell(struct reader *r, unsigned generation, struct resolver *names,
		     struct slice *s);

/*
 * Return the process of a thread whose record has no process.  For a thread that is gone, and was
 * not seen before, that is tid itself.
 */
uint32_t readersums_process(struct resolver *r, uint32_t tid);

#endif
