/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * snapfile - one snapshot on its way to its file: copies of the sample rings or of the AUX areas,
 * of the sideband before them, and of the information needed to read them, as a perf.data file.
 *
 * The tick makes it, and copies; a thread that may wait for the disk writes it. Threads: one owner
 * at a time.
 */
#ifndef RINGTOP_SOURCES_RECORD_SNAPFILE_H
#define RINGTOP_SOURCES_RECORD_SNAPFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sources/aux/auxinfo.h"
#include "sources/aux/auxset.h"
#include "base/err.h"
#include "kernel/capture/ringset.h"

struct snapfile_ring { /* contents of one sample ring, newest record first */
	char *buf;   /* allocated by snapfile_buffer */
	size_t room, len;
	int cpu; /* -1: per-thread */
};

struct snapfile_event {
	struct perf_event_attr attr;
	char name[EVENT_NAME_LEN];
	uint64_t *ids;
	size_t nids, cap_ids;
};

struct snapfile {
	struct snapfile *next;
	struct slice_snapshot said; /* number, reason, time ...; bytes are added as it is written */
	struct snapfile_event *events; /* the sideband's come last */
	unsigned nevents;
	struct snapfile_ring *rings;
	unsigned nrings;
	/* NULL: a snapshot of the sample rings. Released by snapfile_free */
	struct aux_copies *copies;
	struct auxset_info aux;
	struct event aux_event;
	char *sideband; /* records with sample_ids of SIDELOG_TYPE */
	size_t sideband_len;
	pid_t *tids; /* threads whose state is read from /proc: a single -1 for all */
	size_t ntids;
};

/* Create a snapshot of sample rings. NULL: out of memory. */
struct snapfile *snapfile_create(const struct ringset_config *c, unsigned nrings);
void snapfile_free(struct snapfile *f);

/* Create a snapshot of AUX areas; takes over `copies`, also on failure. */
struct snapfile *snapfile_create_aux(const struct ringset_config *c, const struct auxset *s,
				 struct aux_copies *copies);

/* Allocate ring-size memory with all pages touched, so that copying into it takes no page fault. */
char *snapfile_buffer(size_t size);
void snapfile_buffer_free(char *buf, size_t size);

/* Add the ids of a ring set's counters, or the id of an AUX event. Return 0 or -ENOMEM. */
int snapfile_ids(struct snapfile *f, const struct ringset *set);
int snapfile_id(struct snapfile *f, unsigned event, uint64_t id);

/*
 * Write the file; f->said gets its bytes. Stops when *cancel becomes true. Return 0, or -errno with
 * err, and no file is left.
 */
int snapfile_write(struct snapfile *f, const char *path, const bool *cancel, struct err *err);

#endif
