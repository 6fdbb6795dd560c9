/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flight - one snapshot on its way to its file: copies of the sample rings or of the AUX areas, of the
 * sideband before them, and of what is needed to read them, as a perf.data file.
 *
 * Made by the tick, which copies; written by a thread that may wait for the disk.
 * Threads: one owner at a time.
 */
#ifndef RINGTOP_RECORD_FLIGHT_H
#define RINGTOP_RECORD_FLIGHT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aux/auxinfo.h"
#include "aux/auxset.h"
#include "base/err.h"
#include "capture/ringset.h"
#include "slice/slice.h"

struct flight_ring { /* what one sample ring held, newest record first */
	char *buf;   /* as of flight_buffer */
	size_t room, len;
	int cpu; /* -1: per-thread */
};

struct flight_event {
	struct perf_event_attr attr;
	char name[EVENT_NAME_LEN];
	uint64_t *ids;
	size_t nids, cap_ids;
};

struct flight {
	struct flight *next;
	struct slice_snapshot said; /* number, reason, time ...; grows as it is written */
	struct flight_event *events; /* the sideband's behind the others */
	unsigned nevents;
	struct flight_ring *rings;
	unsigned nrings;
	struct aux_copies *copies; /* NULL: of the sample rings.  Given back when it is freed */
	struct auxset_info aux;
	struct event aux_event;
	char *sideband; /* records with sample_ids of SIDELOG_TYPE */
	size_t sideband_len;
	pid_t *tids; /* whose state is to be read from /proc: a single -1 for everybody's */
	size_t ntids;
};

/* NULL: out of memory. */
struct flight *flight_create(const struct ringset_config *c, unsigned nrings);
void flight_free(struct flight *f);

/* The same of AUX areas; copies are the flight's to give back from here on, on failure too. */
struct flight *flight_create_aux(const struct ringset_config *c, const struct auxset *s,
				 struct aux_copies *copies);

/* Ring-size memory that is touched already, so that who copies into it takes no page fault. */
char *flight_buffer(size_t size);
void flight_buffer_free(char *buf, size_t size);

/* Note the counters of a ring set, or the id of an AUX event.  0 or -ENOMEM. */
int flight_ids(struct flight *f, const struct ringset *set);
int flight_id(struct flight *f, unsigned event, uint64_t id);

/*
 * Write it to `path`: f->said gets its bytes.  Given up where *cancel becomes true.  0; -errno with
 * err, and nothing is left.
 */
int flight_write(struct flight *f, const char *path, const bool *cancel, struct err *err);

#endif
