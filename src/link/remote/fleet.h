/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fleet - several sessions as one: a slice per beat on this side's clock, of what has come by then.
 *
 * Nobody waits for anybody, but for a quarter of a beat: what comes later is in a later slice, and slice_host says
 * of each member since when nothing comes, and why.  A member's number is its place in the list, for good.
 *
 * The fleet has its own ids (fleetids.h), events, CPU numbers (session_info.places: each that was ever seen),
 * and places in the lists of gauges and AUX areas; all of them are in every slice, with nothing counted
 * where nothing came.  Members must measure the same events; one that does not has failed.
 *
 * Threads: as session.h; none of its own.
 */
#ifndef RINGTOP_LINK_REMOTE_FLEET_H
#define RINGTOP_LINK_REMOTE_FLEET_H

#include "measure/session/session.h"

#define FLEET_MAX 64 /* members */

struct fleet_member {
	const char *name;        /* as it was asked for */
	struct session *session; /* the fleet's once it was added; NULL: it could not be reached */
	const char *why;         /* then */
};

struct fleet_config {
	uint32_t beat_ms;
	uint64_t (*clock)(void); /* NULL: CLOCK_MONOTONIC */
};

/* NULL: err says why; the members' sessions are closed.  One that can be measured is enough. */
struct session *fleet_open(const struct fleet_member *members, unsigned nr, const struct fleet_config *config,
			   struct err *err);

#endif
