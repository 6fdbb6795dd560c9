/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sideband - the sideband records of all CPUs, taken out of their queues and put in order of time.
 *
 * Threads: the tick's.
 */
#ifndef RINGTOP_SOURCES_LIVE_SIDEBAND_H
#define RINGTOP_SOURCES_LIVE_SIDEBAND_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "files/decode/record.h"
#include "sources/live/sidequeue.h"
#include "sources/record/recqueue.h"
#include "core/slice/slice.h"

struct sideband;

struct sideband *sideband_create(void);
void sideband_free(struct sideband *sb);

struct sideband_fork {
	pid_t parent, tid; /* the thread that forked, and the new one */
	bool process;      /* a new process, not a thread */
	uint64_t time;
	size_t at; /* index among the waiting records */
};

/* Return the number of records that wait for sideband_apply. */
size_t sideband_waiting(const struct sideband *sb);

/*
 * Return all forks that wait, by time, malloc'ed also where there are none; the caller frees them.
 * NULL with *nr SIZE_MAX: out of memory.
 */
struct sideband_fork *sideband_forks(const struct sideband *sb, size_t *nr);

/* Set the recording queue that gets all records taken too, or NULL. */
void sideband_record(struct sideband *sb, struct recqueue *queue);

/* Take the records in q and its ring; adds to the ring's gauge.  0 or -ENOMEM: they stay there. */
int sideband_take(struct sideband *sb, struct sidequeue *q, struct slice_gauge *g);

/* Hand all records taken to apply(), oldest first, and forget them.  Return the newest time. */
uint64_t sideband_apply(struct sideband *sb, void *arg,
			void (*apply)(void *arg, const struct record *rec));

#endif
