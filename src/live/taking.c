/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A reader that is late keeps its buffer until it answers, in a later tick: its ring is missing from
 * the snapshot, and that is said.
 */
#include "live/taking.h"

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

/* The flight with what there is to say of every snapshot; it takes the reason over. */
static void begin(struct tick *t, struct flight *f, enum snapshot_kind kind, char *reason)
{
	f->said.kind = (uint8_t)kind;
	f->said.time = clock_ns() - t->zero;
	f->said.wall = clock_read(CLOCK_REALTIME);
	f->said.reason = reason;
	f->said.shared = GAUGE_UNKNOWN;
}

/* NULL: no memory even to say so. */
static struct flight *copy_areas(struct tick *t, char *reason)
{
	struct aux_copies *copies = NULL;
	struct err err = {.code = 0};
	struct flight *f;

	if (tick_copy_aux(t, &copies, &err)) {
		f = flight_create(t->now, 0);
		if (f) {
			begin(t, f, SNAPSHOT_AUX, reason);
			snapshots_fail(t->snapshots, f, err.text);
		} else {
			free(reason);
		}
		return NULL;
	}
	f = flight_create_aux(t->now, t->aux, copies);
	if (!f) {
		free(reason);
		return NULL;
	}
	begin(t, f, SNAPSHOT_AUX, reason);
	f->said.time -= clock_ns() - copies->stopped;
	f->said.bytes = copies->bytes;
	f->said.shared = copies->shared;
	f->said.stopped_ns = copies->started - copies->asked;
	return f;
}

static unsigned hold_rings(struct tick *t, char *reason)
{
	struct flight *f = flight_create(t->now, t->nreaders);

	if (!f) {
		free(reason);
		return 0;
	}
	begin(t, f, SNAPSHOT_RINGS, reason);
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

static bool has_areas(const struct tick *t)
{
	struct auxset_info info;

	if (!t->aux)
		return false;
	auxset_info(t->aux, &info);
	return info.mode == AUX_SNAPSHOT;
}

unsigned taking_begin(struct tick *t)
{
	enum snapshot_kind kind;
	char *reason;

	if (!snapshots_next(t->snapshots, &kind, &reason))
		return 0;
	if (kind == SNAPSHOT_RINGS || !has_areas(t))
		return hold_rings(t, reason);
	t->flight = copy_areas(t, reason);
	return 0;
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

/* The number of a CPU's AUX event; one that is late or closed has none to tell, and needs none. */
static void note_area(struct flight *f, const struct tick_reader *tr)
{
	uint64_t id = tr->aux && tr->answered ? auxevent_id(auxreader_event(tr->aux), 0) : 0;

	if (id)
		flight_id(f, 0, id); /* without it a record of that CPU is not found: none is there */
}

void taking_end(struct tick *t, struct slice *s)
{
	struct flight *f = t->flight;

	if (!f)
		return;
	for (unsigned i = 0; i < t->nreaders; i++) {
		struct tick_reader *tr = &t->readers[i];

		if (f->copies)
			note_area(f, tr);
		else if (!collect(t, tr))
			slice_log(s, SLICE_WARNING, "the ring of cpu %d is missing from the snapshot: "
				  "its reader is late", tr->cpu);
	}
	t->flight = NULL;
	if (!snapshots_sideband(t->snapshots, f))
		snapshots_send(t->snapshots, f);
	else
		snapshots_fail(t->snapshots, f, "out of memory for the sideband");
}
