/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tick - the thread behind a live session, its beat: one slice every 100 ms, sooner at the start and when
 * the table fills, and, where that is allowed, later while nothing happens.
 *
 *   hotplug, recording and attach do what they have to ─▶ all plan what is wanted of the readers ─▶ the
 *   readers are asked, once ─▶ table rotated, sideband, rows ─▶ each adds what it has to say ─▶ slice
 *
 * It knows what its parts do in a tick and nothing of how.
 *
 * Threads: the front end's, all calls; the rest is said by atomics.
 */
#ifndef RINGTOP_SOURCES_LIVE_TICK_H
#define RINGTOP_SOURCES_LIVE_TICK_H

#include <stdbool.h>

#include "base/err.h"
#include "sources/live/accounting.h"
#include "sources/live/attach.h"
#include "sources/live/command.h"
#include "sources/consumers/counting.h"
#include "sources/change/eventchange.h"
#include "sources/live/gauges.h"
#include "sources/live/hotplug.h"
#include "sources/consumers/inkernel.h"
#include "sources/consumers/logging.h"
#include "sources/live/readers.h"
#include "sources/change/recording.h"
#include "sources/live/scope.h"
#include "sources/consumers/snapshot_take.h"
#include "sources/consumers/throttling.h"
#include "sources/record/snapshot.h"
#include "names/resolve/resolver.h"
#include "measure/session/askbox.h"
#include "measure/session/outbox.h"
#include "measure/session/session.h"

struct tick;

/* What takes part; all are the owner's, for longer than the tick. */
struct tick_parts {
	struct scope *scope;
	struct readers *readers;
	struct resolver *resolver;
	struct accounting *accounting;
	struct counting *counting;
	struct gauges *gauges;
	struct throttling *throttling;
	struct inkernel *inkernel; /* NULL: the kernel sums up nothing */
	struct logging *logging; /* NULL: there is no event log */
	struct attach *attach;
	struct hotplug *hotplug;
	struct recording *recording;
	struct eventchange *eventchange;
	struct snapshot_take *taking;
	struct snapshots *snapshots;
	struct command *command; /* of ours; none runs where its pid is 0 */
	struct askbox *askbox;
	struct outbox *outbox;
	const char *first_log; /* for the first slice; "": nothing */
	uint64_t start_ns; /* session time from which on the events count; 0: they count already */
	uint64_t end_ns;   /* live_config's */
	unsigned max_cpu;  /* live_config's */
	uint64_t doze_ns; /* while nothing happens slices end at multiples of it only; 0: they are made all the same */
};

/* Start the thread.  NULL with err. */
struct tick *tick_start(const struct tick_parts *parts, struct err *err);

/* Something waits for it. */
void tick_wake(struct tick *t);

void tick_pause(struct tick *t, bool paused);

/* Stop measuring, but answer what is asked about it. */
void tick_stop(struct tick *t);
bool tick_stopped(const struct tick *t); /* or it ended by itself: nothing is measured any more */

/* Stop, and wait for the thread: the last slice was made, a recording is finished. */
void tick_end(struct tick *t);

/* How the session ended, once the outbox says that it did. */
void tick_how_ended(const struct tick *t, struct session_end *end);

void tick_free(struct tick *t); /* with tick_end */

#endif
