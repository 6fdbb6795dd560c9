/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * aux - what a slice says of AUX areas (hardware trace) and of snapshots.
 *
 * Part of core/slice/slice.h, which includes it; the calls that append are there.
 * Threads: as the slice.
 */
#ifndef RINGTOP_CORE_SLICE_AUX_H
#define RINGTOP_CORE_SLICE_AUX_H

#include <stddef.h>
#include <stdint.h>

enum aux_mode {
	AUX_FULL,     /* drained without a stop */
	AUX_SNAPSHOT, /* runs over itself until a snapshot is taken */
	AUX_MODES
};

extern const char *const aux_mode_names[AUX_MODES]; /* "full", "snapshot" */

/* What the driver's aux_head was found to be in snapshot mode. */
enum aux_head {
	AUX_HEAD_UNSEEN,
	AUX_HEAD_TOTAL,    /* all that was ever written */
	AUX_HEAD_POSITION, /* a place in the area */
	AUX_HEADS
};

extern const char *const aux_head_names[AUX_HEADS]; /* "unseen", "total", "position" */

/*
 * One AUX area.  The array index is its identity for the whole session.  Counts are those of the
 * slice; what was not measured is GAUGE_UNKNOWN.
 */
struct slice_aux {
	int16_t cpu;  /* -1: per-thread */
	uint8_t mode, state, head; /* enum aux_mode, ring_state, aux_head */
	uint8_t event; /* index into session_info.aux_events */
	int32_t tid;  /* per-thread: whose; else 0 */
	uint64_t size;
	uint64_t unread;       /* bytes waiting when last drained; UNKNOWN in snapshot mode */
	uint64_t bytes;        /* written into the area; UNKNOWN where its head stands still while it
	                        * is traced */
	uint64_t consumed;     /* of them, taken by a recording; the rest was counted only */
	uint64_t lost_bytes;   /* bytes known to be lost; UNKNOWN: some are, nobody says how many */
	uint64_t measured;     /* bytes a second, from two short stops; or UNKNOWN */
	uint64_t records;      /* AUX records */
	uint64_t truncated, collision, partial, overwrite; /* of them, with this flag */
	uint64_t gaps;         /* stretches that are missing: records that are TRUNCATED or PARTIAL, and
	                        * what a recording could not take */
	uint64_t starts;       /* ITRACE_START records */
	uint64_t restarts;     /* that we stopped and started the event to make it go on */
	uint64_t lost_records; /* that found no room in the event's own ring */
	uint64_t age_ns;       /* of the last AUX record at the slice's end; UNKNOWN: none yet */
	uint64_t snapshots;    /* copies taken of it */
	uint64_t samples, sample_bytes; /* samples with trace of it, and how much they have */
};

/*
 * The area is not open, or its reader has not answered: all that is counted is GAUGE_UNKNOWN, and `records` being so
 * says of a slice that nobody read the area.
 */
void slice_aux_unread(struct slice_aux *a);

/* Append b, which follows, to a.  One that nobody read adds nothing, and leaves what is known. */
void slice_aux_add(struct slice_aux *a, const struct slice_aux *b);

enum snapshot_kind { SNAPSHOT_AUX, SNAPSHOT_RINGS, SNAPSHOT_KINDS };
enum snapshot_state { SNAPSHOT_WRITING, SNAPSHOT_WRITTEN, SNAPSHOT_FAILED, SNAPSHOT_STATES };

extern const char *const snapshot_kind_names[SNAPSHOT_KINDS];   /* "aux", "rings" */
extern const char *const snapshot_state_names[SNAPSHOT_STATES]; /* "writing", ... */

/* A snapshot.  Sent again with the same number when its state changes. */
struct slice_snapshot {
	uint32_t nr;         /* 1, 2, ... : whichever host's */
	uint16_t host;       /* whose, as dict_task's */
	uint8_t kind, state;
	uint64_t time;       /* when it was taken, ns on the session's clock */
	uint64_t wall;       /* CLOCK_REALTIME ns */
	uint64_t changed;    /* end of the slice that says so */
	uint64_t bytes;      /* of trace */
	uint64_t shared;     /* of them, in the one before too; UNKNOWN for rings */
	uint64_t samples;    /* in the file, once it is written */
	uint64_t dropped;    /* records too long for the file's form of them */
	uint64_t file_bytes; /* 0: not yet known */
	uint64_t stopped_ns; /* from the first event stopped to the last started again */
	uint64_t written_ns; /* how long writing took, 0: not yet */
	/* Raw text, owned by the slice; NULL: none. */
	char *reason; /* "key", "signal", the condition */
	char *file;
	char *error;  /* why it failed */
};

/* Copy what they point to; 0 or -ENOMEM with *to untouched. */
int slice_snapshot_copy(struct slice_snapshot *to, const struct slice_snapshot *from);
void slice_snapshot_clear(struct slice_snapshot *s);

#endif
