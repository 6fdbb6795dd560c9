/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fleetjoin - a member's slice becomes a part of the fleet's.  The inside of struct fleet, for its files only.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_LINK_REMOTE_FLEETJOIN_H
#define RINGTOP_LINK_REMOTE_FLEETJOIN_H

#include "link/remote/fleetids.h"
#include "measure/session/session.h"

#define FLEET_SNAPSHOTS 256 /* whose numbers are known */
#define FLEET_ASKED     16  /* open questions about code */

struct member {
	struct session *session; /* NULL: never reached */
	struct slice *waiting;   /* all that has come since the last beat */
	struct slice *next;      /* what could not be merged with it, for want of memory */
	struct fleet_map ids;
	struct fleet_numbers places; /* by CPU + 1; the fleet's + 1, as these */
	struct fleet_numbers gauges, aux;
	uint16_t *events; /* by its number */
	unsigned nevents;
	uint16_t *counters; /* the same of counters */
	unsigned ncounters;
	struct slice_host host; /* newest, on our clock; its counts: of the beat */
	struct fence_figures helpers[FENCE_PROCESSES];
	uint64_t arrived; /* when something came last; 0: never */
	bool expected;    /* something came in the beat before, as it does in each */
	enum session_command missed; /* PAUSE or RESUME, where it could not be told */
	bool has_missed;
	bool over;        /* its session ended or failed */
	bool released;    /* and so are its ids */
};

struct fleet {
	struct session base;
	struct member *members; /* base.info.nhosts */
	uint64_t (*clock)(void);
	uint64_t zero, beat_ns, due; /* due: when the beat under way may end */
	uint64_t end;                /* of the last slice */
	struct fleet_ids ids;
	struct slice *out; /* being made */
	/* As they stand: what they counted in this beat. */
	struct slice_gauge *gauges;
	struct slice_aux *aux;
	size_t ngauges, cap_gauges, naux, cap_aux, cap_places;
	struct {
		uint32_t nr;
		uint16_t host;
	} snapshots[FLEET_SNAPSHOTS]; /* by the fleet's number */
	uint32_t nsnapshots;
	struct fleet_asked {
		struct code_place place; /* object NULL: none */
		uint64_t asked;          /* by host */
		uint16_t host;           /* who was asked last */
	} asked[FLEET_ASKED];
	unsigned nasked;
	int epoll, timer;
	bool last; /* it is out */
};

/* Before the members' slices: nothing has been counted in this beat. */
void fleet_quiet(struct fleet *f);

/*
 * What waits of the member goes into the slice being made.  0; -ENOMEM: it waits on; -E2BIG: it has more
 * CPUs than the fleet has numbers for.
 */
int fleet_join(struct fleet *f, unsigned host);

/* The host's own number of the fleet's snapshot `nr`, and which host; 0: it is not known (any more). */
uint32_t fleet_snapshot(const struct fleet *f, uint32_t nr, uint16_t *host);

/* What a session says of its host often begins with "HOST: ": without it. */
const char *fleet_words(const struct fleet *f, unsigned host, const char *text);

/* What the member's session says of itself, for the fleet's info. */
void fleet_join_info(struct fleet *f, unsigned host);

/* All members together, as they stand: gauges, areas, hosts, and what is summed.  0 or -ENOMEM. */
int fleet_states(struct fleet *f);

#endif
