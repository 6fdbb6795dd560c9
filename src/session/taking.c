/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A reader that is late keeps its buffer until it answers, in a later tick: its ring is missing from
 * the snapshot, and that is said.
 */
#include "session/taking.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

int taking_ask(struct tick *t, const struct session_request *rq, struct err *err)
{
	enum snapshot_kind kind = rq->command == SESSION_DUMP ? SNAPSHOT_RINGS : SNAPSHOT_AUX;
	int ret;

	ret = snapshots_ask(t->snapshots, kind, rq->text, err);
	if (!ret)
		tick_wake(t);
	return ret;
}

static void lend_buffers(struct tick *t)
{
	for (unsigned i = 0; i < t->nreaders; i++) {
		struct tick_reader *tr = &t->readers[i];

		if (!reader_done(tr->reader))
			continue;
		if (tr->hold && tr->hold_size != t->now->sample_bytes) {
			flight_buffer_free(tr->hold, tr->hold_size);
			tr->hold = NULL;
		}
		if (!tr->hold)
			tr->hold = flight_buffer(t->now->sample_bytes);
		tr->hold_size = t->now->sample_bytes;
		reader_hold(tr->reader, tr->hold);
	}
}

static bool have_buffers(const struct tick *t)
{
	for (unsigned i = 0; i < t->nreaders; i++)
		if (reader_done(t->readers[i].reader) && !t->readers[i].hold)
			return false;
	return true;
}

unsigned taking_begin(struct tick *t)
{
	enum snapshot_kind kind;
	struct flight *f;
	char *reason;

	if (!snapshots_next(t->snapshots, &kind, &reason))
		return 0;
	f = flight_create(t->now, t->nreaders);
	if (!f) {
		free(reason);
		return 0; /* the list would need memory, too */
	}
	f->said = (struct slice_snapshot){
		.kind = SNAPSHOT_RINGS, .time = clock_ns() - t->zero,
		.wall = clock_read(CLOCK_REALTIME), .reason = reason,
	};
	if (!t->now->overwrite) {
		snapshots_fail(t->snapshots, f, "forward rings (--no-overwrite, or a recording runs) "
						"hold nothing that was read already");
		return 0;
	}
	lend_buffers(t);
	if (!have_buffers(t)) {
		snapshots_fail(t->snapshots, f, "out of memory for copies of the rings");
		return 0;
	}
	t->flight = f;
	return READER_HOLD;
}

/* Its copy becomes the flight's.  False: it has not answered yet. */
static bool collect(struct tick *t, struct tick_reader *tr)
{
	struct flight *f = t->flight;

	/* One that answered meanwhile was asked, but had no buffer yet. */
	if (!tr->answered || !tr->hold || reader_held(tr->reader)->data != tr->hold)
		return false;
	f->rings[f->nrings++] = (struct flight_ring){
		.buf = tr->hold, .room = tr->hold_size, .len = reader_held(tr->reader)->len,
		.cpu = tr->cpu,
	};
	f->said.bytes += reader_held(tr->reader)->len;
	tr->hold = NULL;
	return flight_ids(f, reader_set(tr->reader)) == 0;
}

void taking_end(struct tick *t, struct slice *s)
{
	struct flight *f = t->flight;

	if (!f)
		return;
	for (unsigned i = 0; i < t->nreaders; i++)
		if (!collect(t, &t->readers[i]))
			slice_log(s, SLICE_WARNING, "the ring of cpu %d is missing from the snapshot: "
				  "its reader is late", t->readers[i].cpu);
	t->flight = NULL;
	f->sideband = sidelog_copy(snapshots_sidelog(t->snapshots), &f->sideband_len);
	if (f->sideband)
		snapshots_send(t->snapshots, f);
	else
		snapshots_fail(t->snapshots, f, "out of memory for the sideband");
}
