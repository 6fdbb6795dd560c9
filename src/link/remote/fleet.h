/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fleet - several sessions as one: a slice per beat of the local clock, of the members' slices
 * until then.
 *
 * A slice waits at most a quarter of a beat for late members: their data is in a later slice, and
 * each member's slice_host has since when nothing arrives, and why.  A member's number is its index
 * in the list, for good.
 *
 * Ids stay the members' own, with the member's number (fleetids.h).  The fleet has its own events,
 * CPU numbers (session_info.places: each CPU that was ever seen), and indexes in the lists of
 * gauges and AUX areas.  Every slice has all gauges and
 * areas, with zero counts for members without data.  Members must measure the same events; a member
 * with others has failed.
 *
 * Threads: as session.h; none of its own.
 */
#ifndef RINGTOP_LINK_REMOTE_FLEET_H
#define RINGTOP_LINK_REMOTE_FLEET_H

#include "measure/session/session.h"

#define FLEET_MAX 64 /* members */

struct fleet_member {
	const char *name;        /* as the user gave it */
	struct session *session; /* owned by fleet_open; NULL: it could not be reached */
	const char *why;         /* reason where session is NULL; may be NULL */
};

struct fleet_config {
	uint32_t beat_ms;
	uint64_t (*clock)(void); /* NULL: CLOCK_MONOTONIC */
};

/* Open a fleet; one working member is enough.  NULL with err: all sessions are closed. */
struct session *fleet_open(const struct fleet_member *members, unsigned nr,
			   const struct fleet_config *config, struct err *err);

#endif
