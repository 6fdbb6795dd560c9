/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sideband - the sideband records of all CPUs, taken out of their rings and put in order of time.
 *
 * Threads: the tick's.
 */
#ifndef RINGTOP_SESSION_SIDEBAND_H
#define RINGTOP_SESSION_SIDEBAND_H

#include "capture/ring.h"
#include "decode/record.h"
#include "session/lane.h"
#include "slice/slice.h"

struct sideband;

struct sideband *sideband_create(void);
void sideband_free(struct sideband *sb);

/* Where all that is taken goes too, or NULL. */
void sideband_record(struct sideband *sb, struct lane *lane);

/* Take what ring holds; adds to the ring's gauge.  0 or -ENOMEM (it stays in the ring). */
int sideband_take(struct sideband *sb, struct ring *ring, struct slice_gauge *g);

/* Hand all that was taken to apply(), oldest first, and forget it.  Returns the newest time. */
uint64_t sideband_apply(struct sideband *sb, void *arg,
			void (*apply)(void *arg, const struct record_layout *l,
				      const struct perf_event_header *h));

#endif
