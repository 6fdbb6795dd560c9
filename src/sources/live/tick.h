/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tick - the thread behind a live session, its beat: one slice every 100 ms, sooner at the start
 * and when the table fills, and, where that is allowed, later while nothing happens.
 *
 *   hotplug, recording and attach do their work ─▶ all parts plan requests to the readers ─▶ these
 *   are sent, once ─▶ table rotated, sideband, rows ─▶ each part adds its results ─▶ slice
 *
 * It knows the order of its parts' work in a tick and nothing of how they do it.
 *
 * Threads: all calls from the front end's; the two threads share atomics.
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
#include "sources/change/hotplug.h"
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

/* Parts of the session; all are the owner's, and live longer than the tick. */
struct tick_parts {
	struct scope *scope;
	struct readers *readers;
	struct resolver *resolver;
	struct accounting *accounting;
	struct counting *counting;
	struct gauges *gauges;
	struct throttling *throttling;
	struct inkernel *inkernel; /* NULL: no sums by the kernel */
	struct logging *logging; /* NULL: no event log */
	struct attach *attach;
	struct hotplug *hotplug;
	struct recording *recording;
	struct eventchange *eventchange;
	struct snapshot_take *taking;
	struct snapshots *snapshots;
	struct command *command; /* none runs where its pid is 0 */
	struct askbox *askbox;
	struct outbox *outbox;
	const char *first_log; /* for the first slice; "": nothing */
	uint64_t start_ns; /* ns of session time when events begin to count; 0: they count */
	uint64_t end_ns;   /* live_config's */
	unsigned max_cpu;  /* live_config's */
	uint64_t doze_ns; /* as in live_config; 0: never */
};

/* Start the thread.  NULL with err. */
struct tick *tick_start(const struct tick_parts *parts, struct err *err);

/* Wake the thread: there is work for it. */
void tick_wake(struct tick *t);

void tick_pause(struct tick *t, bool paused);

/* Stop measuring, but keep serving requests about what was measured. */
void tick_stop(struct tick *t);
bool tick_stopped(const struct tick *t); /* or it has ended by itself */

/* Stop, and wait for the thread: the last slice was made, a recording is finished. */
void tick_end(struct tick *t);

/* Copy out how the session ended, once the outbox has signalled the end. */
void tick_how_ended(const struct tick *t, struct session_end *end);

void tick_free(struct tick *t); /* with tick_end */

#endif
