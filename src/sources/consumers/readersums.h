/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * readersums - what readers have summed up by fields (--by), into slices.
 *
 * Threads: the tick's.
 */
#ifndef RINGTOP_SOURCES_CONSUMERS_READERSUMS_H
#define RINGTOP_SOURCES_CONSUMERS_READERSUMS_H

#include "sources/live/reader.h"
#include "names/resolve/resolver.h"
#include "core/slice/slice.h"

/* Keys that each of so many readers has room for, in a generation of the table. */
unsigned readersums_keys(unsigned readers);

/*
 * All that the reader has of a generation, which is the caller's (reader_fields_filled); where memory is missing it stays
 * there, for a later slice.  `names` knows what threads are called, and what addresses are: between resolver_begin and
 * resolver_end, after the tick's sideband.
 */
void readersums_tell(struct reader *r, unsigned generation, struct resolver *names, struct slice *s);

/* Of a record that says its thread alone.  One that is gone, and was not seen before, stands for itself. */
uint32_t readersums_process(struct resolver *r, uint32_t tid);

#endif
