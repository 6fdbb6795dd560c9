/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * snapfile - one snapshot on its way to its file: copies of the sample rings or of the AUX areas, of the
 * sideband before them, and of what is needed to read them, as a perf.data file.
 *
 * Made by the tick, which copies; written by a thread that may wait for the disk.
 * Threads: one owner at a time.
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
#include "core/slice/slice.h"

struct snapfile_ring { /* what one sample ring held, newest record first */
	char *buf;   /* as of snapfile_buffer */
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
	struct slice_snapshot said; /* number, reason, time ...; grows as it is written */
	struct snapfile_event *events; /* the sideband's behind the others */
	unsigned nevents;
	struct snapfile_ring *rings;
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
struct snapfile *snapfile_create(const struct ringset_config *c, unsigned nrings);
void snapfile_free(struct snapfile *f);

/* The same of AUX areas; copies are the snapfile's to give back from here on, on failure too. */
struct snapfile *snapfile_create_aux(const struct ringset_config *c, const struct auxset *s,
				 struct aux_copies *copies);

/* Ring-size memory that is touched already, so that who copies into it takes no page fault. */
char *snapfile_buffer(size_t size);
void snapfile_buffer_free(char *buf, size_t size);

/* Note the counters of a ring set, or the id of an AUX event.  0 or -ENOMEM. */
int snapfile_ids(struct snapfile *f, const struct ringset *set);
int snapfile_id(struct snapfile *f, unsigned event, uint64_t id);

/*
 * Write it to `path`: f->said gets its bytes.  Given up where *cancel becomes true.  0; -errno with
 * err, and nothing is left.
 */
int snapfile_write(struct snapfile *f, const char *path, const bool *cancel, struct err *err);

#endif
