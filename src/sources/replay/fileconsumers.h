/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fileconsumers - the consumers of a file's samples: sums by fields (traced), off-CPU times
 * (filewaits), pairs (between) and the event log (filelog), as far as they are wanted.
 *
 * Threads: one owner, the resolver's.
 */
#ifndef RINGTOP_SOURCES_REPLAY_FILECONSUMERS_H
#define RINGTOP_SOURCES_REPLAY_FILECONSUMERS_H

#include "measure/consumers/between_queues.h"
#include "sources/replay/filelog.h"
#include "sources/replay/filewaits.h"
#include "sources/replay/filefields.h"

struct fileconsumers_plan {
	const struct filefields_plan
		*traced; /* analysis of tracepoints' records, or NULL; borrowed */
	const struct filewaits_plan *waits; /* --off-cpu, or NULL; borrowed */
	struct filelog_config log;	    /* the event log */
};

struct fileconsumers { /* zeroed: none */
	struct consumer list[CONSUMERS];
	struct fileconsumers_plan plan;
	struct resolver *names;
	struct filefields *traced;	 /* each NULL: not wanted */
	struct between *between;
	struct filewaits *waits;
	struct filelog *log;
};

/* Create those wanted; rows of off-CPU times go to `rows`. 0 or -ENOMEM; clear in any case. */
int fileconsumers_init(struct fileconsumers *c, const struct fileconsumers_plan *plan,
		       struct resolver *names, unsigned cpus, const struct waitrows *rows);
void fileconsumers_clear(struct fileconsumers *c);

/* Return the consumers of a session's event, whose attr in the file this is. */
unsigned fileconsumers_of(const struct fileconsumers *c, unsigned event,
			  const struct perf_event_attr *attr);

/*
 * Return true if the record gives addresses or a task another meaning; *id is set to the process or
 * thread, UINT32_MAX: kernel code, of all.
 */
bool fileconsumers_redefines(const struct record *rec, uint32_t *id);

/* Take a sideband record before the resolver does. s: the open slice. */
void fileconsumers_sideband(struct fileconsumers *c, const struct record *rec, struct slice *s);

/* Put the results but those of off-CPU times into a slice that ends at `time`. False: no memory. */
bool fileconsumers_tell(struct fileconsumers *c, uint64_t time, bool last, struct slice *s);

#endif
