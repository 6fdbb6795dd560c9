/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A reader that is late keeps its buffer until it replies, in a later tick: its ring is missing
 * from the snapshot, and a log line reports that.
 */
#include "sources/consumers/snapshot_take.h"

#include <stdlib.h>

#include "base/clock.h"

/* Buffer that a reader's ring is copied to, or NULL. */
struct buffer {
	char *bytes;
	size_t size;
};

struct snapshot_take {
	struct readers *readers;
	struct snapshots *snapshots;
	struct buffer *buffer; /* by reader */
	unsigned nr;
	struct snapfile *snapfile; /* snapshot of this tick, or NULL */
};

struct snapshot_take *snapshot_take_create(struct readers *rs, struct snapshots *sn)
{
	struct snapshot_take *tk = malloc(sizeof(*tk));

	if (!tk)
		return NULL;
	*tk = (struct snapshot_take){.readers = rs, .snapshots = sn, .nr = rs->capacity,
			      .buffer = calloc(rs->capacity, sizeof(*tk->buffer))};
	if (tk->buffer)
		return tk;
	free(tk);
	return NULL;
}

void snapshot_take_free(struct snapshot_take *tk)
{
	if (!tk)
		return;
	for (unsigned i = 0; i < tk->nr; i++)
		snapfile_buffer_free(tk->buffer[i].bytes, tk->buffer[i].size);
	free(tk->buffer);
	free(tk);
}

int snapshot_take_ask(struct snapshot_take *tk, const struct session_request *rq, struct err *err)
{
	return snapshots_ask(tk->snapshots,
			     rq->command == SESSION_DUMP ? SNAPSHOT_RINGS : SNAPSHOT_AUX, rq->text,
			     err);
}

static void lend_buffers(struct snapshot_take *tk)
{
	size_t size = tk->readers->scope->now->sample_bytes;

	for (unsigned i = 0; i < tk->readers->nr; i++) {
		struct reader *r = tk->readers->reader[i].reader;
		struct buffer *b = &tk->buffer[i];

		if (!reader_done(r))
			continue;
		if (b->bytes && b->size != size) {
			snapfile_buffer_free(b->bytes, b->size);
			b->bytes = NULL;
		}
		if (!b->bytes)
			b->bytes = snapfile_buffer(size);
		b->size = size;
		reader_copy_ring(r, b->bytes);
	}
}

static bool have_buffers(const struct snapshot_take *tk)
{
	for (unsigned i = 0; i < tk->readers->nr; i++)
		if (reader_done(tk->readers->reader[i].reader) && !tk->buffer[i].bytes)
			return false;
	return true;
}

/* Fill in what every snapshot has; takes over the reason. */
static void begin_snapshot(struct snapshot_take *tk, struct snapfile *f, enum snapshot_kind kind,
			   char *reason)
{
	f->said.kind = (uint8_t)kind;
	f->said.time = clock_ns() - tk->readers->scope->zero;
	f->said.wall = clock_read(CLOCK_REALTIME);
	f->said.reason = reason;
	f->said.shared = GAUGE_UNKNOWN;
}

/* Return a snapshot of the AUX areas.  NULL: it failed, with or without memory for a report. */
static struct snapfile *copy_areas(struct snapshot_take *tk, char *reason)
{
	const struct ringset_config *rings = tk->readers->scope->now;
	struct aux_copies *copies = NULL;
	struct err err = {.code = 0};
	struct snapfile *f;

	if (readers_copy_aux(tk->readers, &copies, &err)) {
		f = snapfile_create(rings, 0);
		if (f) {
			begin_snapshot(tk, f, SNAPSHOT_AUX, reason);
			snapshots_fail(tk->snapshots, f, err.text);
		} else {
			free(reason);
		}
		return NULL;
	}
	f = snapfile_create_aux(rings, tk->readers->aux, copies);
	if (!f) {
		free(reason);
		return NULL;
	}
	begin_snapshot(tk, f, SNAPSHOT_AUX, reason);
	f->said.time -= clock_ns() - copies->stopped;
	f->said.bytes = copies->bytes;
	f->said.shared = copies->shared;
	f->said.stopped_ns = copies->started - copies->asked;
	return f;
}

static void hold_rings(struct snapshot_take *tk, char *reason)
{
	const struct ringset_config *rings = tk->readers->scope->now;
	struct snapfile *f = snapfile_create(rings, tk->readers->nr);

	if (!f) {
		free(reason);
		return;
	}
	begin_snapshot(tk, f, SNAPSHOT_RINGS, reason);
	if (!rings->overwrite) {
		snapshots_fail(tk->snapshots, f,
			       "forward rings (--no-overwrite, or a running recording) do not "
			       "keep data that was read already");
		return;
	}
	lend_buffers(tk);
	if (!have_buffers(tk)) {
		snapshots_fail(tk->snapshots, f, "out of memory for copies of the rings");
		return;
	}
	tk->snapfile = f;
	readers_plan(tk->readers, READER_COPY_RING);
}

static bool has_areas(const struct readers *rs)
{
	struct auxset_info info;

	if (!rs->aux)
		return false;
	auxset_info(rs->aux, &info);
	return info.mode == AUX_SNAPSHOT;
}

void snapshot_take_plan(void *taking, struct tick_now *n)
{
	struct snapshot_take *tk = taking;
	enum snapshot_kind kind;
	char *reason;

	(void)n;
	if (!snapshots_next(tk->snapshots, &kind, &reason))
		return;
	if (kind == SNAPSHOT_RINGS || !has_areas(tk->readers))
		hold_rings(tk, reason);
	else
		tk->snapfile = copy_areas(tk, reason);
}

/* Move a reader's copy to the snapfile.  Return false if the reader has not replied yet. */
static bool collect_copy(struct snapfile *f, const struct live_reader *lr, struct buffer *b)
{
	const struct ring_batch *copied = reader_copied(lr->reader);

	/* A reader that replied meanwhile had the request, but no buffer yet. */
	if (!lr->answered || !b->bytes || copied->data != b->bytes)
		return false;
	f->rings[f->nrings++] = (struct snapfile_ring){
		.buf = b->bytes, .room = b->size, .len = copied->len, .cpu = lr->cpu,
	};
	f->said.bytes += copied->len;
	b->bytes = NULL;
	return snapfile_ids(f, reader_set(lr->reader)) == 0;
}

/* Note the id of a CPU's AUX event; a late or closed one has none to report, and needs none. */
static void note_area(struct snapfile *f, const struct live_reader *lr)
{
	uint64_t id = lr->aux && !lr->late ? auxevent_id(auxreader_event(lr->aux), 0) : 0;

	if (id)
		snapfile_id(f, 0, id); /* without it no record of that CPU is found: none is
				        * there */
}

void snapshot_take_tell(void *taking, struct tick_now *n)
{
	struct snapshot_take *tk = taking;
	struct snapfile *f = tk->snapfile;

	if (!f)
		return;
	for (unsigned i = 0; i < tk->readers->nr; i++) {
		const struct live_reader *lr = &tk->readers->reader[i];

		if (f->copies)
			note_area(f, lr);
		else if (!collect_copy(f, lr, &tk->buffer[i]))
			slice_log(n->s, SLICE_WARNING,
				  "the ring of cpu %d is missing from the snapshot: "
				  "its reader is late", lr->cpu);
	}
	tk->snapfile = NULL;
	if (!snapshots_sideband(tk->snapshots, f))
		snapshots_send(tk->snapshots, f);
	else
		snapshots_fail(tk->snapshots, f, "out of memory for the sideband");
}
