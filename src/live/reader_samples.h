/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reader_samples - from the sample ring into the table: a batch is copied, walked, added and gauged.
 *
 * No look-up, allocation, lock or system call on the way, but where the ring is paused.
 *
 * Threads: the reader's.
 */
#ifndef RINGTOP_LIVE_READER_SAMPLES_H
#define RINGTOP_LIVE_READER_SAMPLES_H

struct reader;

/* Take all that is new in the ring. */
void reader_samples_drain(struct reader *r);

/* Copy all that it still holds, to where reader_copy_ring said. */
void reader_samples_copy(struct reader *r);

/* Begin the gauge of the next tick. */
void reader_samples_gauge(struct reader *r);

#endif
