/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * replay_accounts - accounts of a file's events, for each slice: what has a row, and what was lost;
 * and the inside of struct replay, for replay*.c alone.
 *
 * Threads: as replay.h.
 */
#ifndef RINGTOP_SOURCES_REPLAY_REPLAY_ACCOUNTS_H
#define RINGTOP_SOURCES_REPLAY_REPLAY_ACCOUNTS_H

#include "core/table/combine.h"
#include "files/decode/readings.h"
#include "measure/session/slicer.h"
#include "sources/replay/filemultiplex.h"
#include "sources/replay/replay.h"

#define REPLAY_CPUS_MAX   8192
#define REPLAY_DIRTY_BITS 4096
#define REPLAY_CHAIN_MAX  8192 /* most addresses that fit into a record */

struct replay_account { /* of the current slice */
	struct combine_total taken, lost;
	struct slicer_sums sums; /* samples that got a row */
	uint32_t throttles;
	uint64_t enabled, starved; /* see struct slice_account */
};

struct replay_event {
	uint32_t index;     /* session's number, PERFDATA_NO_EVENT: not shown */
	uint64_t period;    /* fixed, or 0 */
	uint64_t default_period;
	const struct trace_value *weigh; /* field that weighs a sample; NULL: its period */
	unsigned consumers; /* set of its samples' consumers: consumers_sample */
	uint64_t samples, attributed; /* so far */
	uint64_t lost, lost_said; /* samples: by LOST records; by perf's LOST_SAMPLES */
};

struct replay {
	struct replay_config config;
	struct table *table;
	struct combine *combine;
	struct resolver *resolver;
	struct unwindfile *unwind; /* NULL: the file has no stacks */
	struct deferred *deferred; /* NULL: the file has no chains whose user part comes later */
	struct record_deferred later; /* the current sample's part that came later; nr 0: none */
	struct fileconsumers consumers;
	struct slicer slicer;
	struct replay_event *event; /* indexed by the file's number */
	unsigned nevents, nsession;
	struct replay_account *account; /* [cpu * nsession + event] */
	size_t cap_account;
	unsigned cpus;
	bool fixed[COMBINE_EVENTS]; /* equal periods, by the session's number */
	uint64_t hits[COMBINE_EVENTS]; /* likewise: hits of a sample weighted by a field, or 0 */
	uint64_t weight[COMBINE_EVENTS], counted[COMBINE_EVENTS], lost[COMBINE_EVENTS]; /* totals */
	uint64_t
		dirty[REPLAY_DIRTY_BITS / 64]; /* pids and tids with samples in the table, hashed */
	bool any_dirty, started;
	int failed; /* -errno: no more records are taken */
	uint64_t zero, cut, length; /* the first sample; the slice's end; its length */
	uint64_t length_most;       /* 0: the file's length is not known */
	uint64_t time;       /* time of the newest record */
	uint64_t offset;     /* offset of the current record */
	uint32_t slices, unpressed, loading;
	struct readings readings; /* counts that samples carry */
	struct filemultiplex times;
	uint64_t chain[REPLAY_CHAIN_MAX];    /* changed copy of a record's chain */
	uint64_t ips[TABLE_PATH_MAX]; /* room for a path that differs from its record */
};

/* Return the account of a session's event on a CPU.  NULL: out of memory. */
struct replay_account *replay_account_of(struct replay *r, uint32_t index, uint32_t cpu);

/* Add to a sum.  False: it would overflow, or be higher than any real count. */
bool replay_add(uint64_t *sum, uint64_t more);

/* Account for lost samples of an event.  0 or -ENOMEM. */
int replay_lost_samples(struct replay *r, struct replay_event *e, uint32_t cpu, uint64_t lost,
			uint64_t offset);

/* Account for waits that lost their end, with the longest time that they may have taken. */
void replay_lost_waits(struct replay *r);

/* Add times of an event: for filemultiplex_tell, with struct replay. */
void replay_enabled(void *replay, unsigned event, uint32_t cpu, uint64_t enabled, uint64_t starved);

/* Put all accounts into the slice, and begin anew.  0 or -ENOMEM. */
int replay_accounts(struct replay *r);

#endif
