/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fleetjoin - adds a member's slice to the fleet's.  The inside of struct fleet, for its files
 * only.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_LINK_REMOTE_FLEETJOIN_H
#define RINGTOP_LINK_REMOTE_FLEETJOIN_H

#include "link/remote/fleetids.h"
#include "measure/session/session.h"

#define FLEET_SNAPSHOTS 256 /* snapshots whose host and number are known */
#define FLEET_ASKED     16  /* open requests for code */

/* The fleet's number by a member's number; 0: none yet. */
struct fleet_numbers {
	uint32_t *at;
	size_t nr, cap;
};

struct member {
	struct session *session; /* NULL: never reached */
	struct slice *waiting;   /* its slices since the last beat, merged */
	struct slice *next;      /* a slice that could not be merged, without memory */
	struct fleet_ids ids;
	struct fleet_numbers places; /* by CPU + 1: the fleet's number + 1 */
	struct fleet_numbers gauges, aux; /* by index: the fleet's index + 1 */
	uint16_t *events; /* the fleet's event by the member's */
	unsigned nevents;
	uint16_t *counters; /* the fleet's counter by the member's */
	unsigned ncounters;
	struct slice_host host; /* newest, on the fleet's clock; counts: of the beat */
	struct sandbox_figures helpers[SANDBOX_PROCESSES];
	uint64_t arrived; /* when the last slice came; 0: never */
	bool expected;    /* it sends in each beat, and did in the last one */
	enum session_command missed; /* PAUSE or RESUME that could not be sent */
	bool has_missed;
	bool over;        /* its session ended or failed */
	bool released;    /* its ids are released, too */
};

struct fleet {
	struct session base;
	struct member *members; /* base.info.nhosts elements */
	uint64_t (*clock)(void);
	uint64_t zero, beat_ns, due; /* due: when the beat under way may end */
	uint64_t end;                /* of the last slice, on the fleet's clock */
	struct slice *out; /* being made */
	bool joined; /* `out` has the members' slices of the beat */
	/* All gauges and areas, with their counts in this beat. */
	struct slice_gauge *gauges;
	struct slice_aux *aux;
	size_t ngauges, cap_gauges, naux, cap_aux, cap_places;
	struct {
		uint32_t nr;
		uint16_t host;
	} snapshots[FLEET_SNAPSHOTS]; /* by the fleet's number, modulo */
	uint32_t nsnapshots;
	struct fleet_asked {
		struct code_place place; /* object NULL: none */
		uint64_t asked;          /* bits of the hosts asked */
		uint16_t host;           /* the host asked last */
	} asked[FLEET_ASKED];
	unsigned nasked;
	int epoll, timer;
	bool last; /* the last slice is out */
};

/* Zero the counts of the beat, before the members' slices are joined. */
void fleet_quiet(struct fleet *f);

/*
 * Add the member's waiting slice to the slice being made.  Return 0; -ENOMEM: it waits on; -E2BIG
 * or -EOVERFLOW: it has more CPUs, or a higher id, than the fleet has numbers for.
 */
int fleet_join(struct fleet *f, unsigned host);

/* Return the host, and its own number of the fleet's snapshot `nr`; 0: not known (any more). */
uint32_t fleet_snapshot(const struct fleet *f, uint32_t nr, uint16_t *host);

/* Return `text` without the "HOST: " with which a session's messages often begin. */
const char *fleet_words(const struct fleet *f, unsigned host, const char *text);

/* Copy the member's name, CPUs and notes from its session's info to the fleet's. */
void fleet_join_info(struct fleet *f, unsigned host);

/* Put all gauges, areas, hosts and sums into the slice being made.  Return 0 or -ENOMEM. */
int fleet_states(struct fleet *f);

#endif
