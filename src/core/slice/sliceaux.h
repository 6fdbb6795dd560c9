/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sliceaux - a slice's figures of AUX areas (hardware trace), and its snapshots.
 *
 * Part of core/slice/slice.h, which includes it; the calls that append are there.
 * Threads: one owner at a time, like the slice.
 */
#ifndef RINGTOP_CORE_SLICE_SLICEAUX_H
#define RINGTOP_CORE_SLICE_SLICEAUX_H

#include <stdint.h>

enum aux_mode {
	AUX_FULL,     /* drained without a stop */
	AUX_SNAPSHOT, /* overwrites its oldest trace until a snapshot is taken */
	AUX_MODES
};

extern const char *const aux_mode_names[AUX_MODES]; /* "full", "snapshot" */

/* Meaning of the driver's aux_head in snapshot mode, as observed. */
enum aux_head {
	AUX_HEAD_UNSEEN,
	AUX_HEAD_TOTAL,    /* total of the bytes ever written */
	AUX_HEAD_POSITION, /* offset in the area */
	AUX_HEADS
};

extern const char *const aux_head_names[AUX_HEADS]; /* "unseen", "total", "position" */

/*
 * One AUX area.  The array index is its identity for the whole session.  Counts are those of the
 * slice; a figure that was not measured is GAUGE_UNKNOWN.
 */
struct slice_aux {
	int16_t cpu;  /* -1: per-thread */
	uint8_t mode, state, head; /* enum aux_mode, ring_state, aux_head */
	uint8_t event; /* index into session_info.aux_events */
	int32_t tid;  /* per-thread: the thread traced; else 0 */
	uint64_t size;
	uint64_t unread;       /* bytes waiting when last drained; UNKNOWN in snapshot mode */
	uint64_t bytes;        /* written into the area; UNKNOWN where its head stands still while
	                        * it is traced */
	uint64_t consumed;     /* part of `bytes` taken by a recording; the rest was counted only */
	uint64_t lost_bytes;   /* bytes known to be lost; UNKNOWN: some are, number not known */
	uint64_t measured;     /* bytes a second, from two short stops; or UNKNOWN */
	uint64_t records;      /* AUX records */
	uint64_t truncated, collision, partial, overwrite; /* records with this flag */
	uint64_t gaps;         /* missing stretches: records that are TRUNCATED or PARTIAL, and
	                        * trace that a recording could not take */
	uint64_t starts;       /* ITRACE_START records */
	uint64_t restarts;     /* times that we stopped and started the event to make it go on */
	uint64_t lost_records; /* records that found no room in the event's own ring */
	uint64_t age_ns;       /* age of the last AUX record at the slice's end; or UNKNOWN */
	uint64_t snapshots;    /* copies taken of it */
	uint64_t samples, sample_bytes; /* samples that carry trace of it, and the bytes of that */
};

/*
 * Mark an area that was not read for the slice, as it is not open or its reader has not answered:
 * sets all counts, bytes, lost_bytes and unread to GAUGE_UNKNOWN.  Readers of the slice look at
 * `records` to see that.
 */
void slice_aux_unread(struct slice_aux *a);

/*
 * Append b, the same area in the time that follows, to a.  If b was not read (slice_aux_unread) it
 * adds nothing, and a's counts stay.
 */
void slice_aux_add(struct slice_aux *a, const struct slice_aux *b);

enum snapshot_kind { SNAPSHOT_AUX, SNAPSHOT_RINGS, SNAPSHOT_KINDS };
enum snapshot_state { SNAPSHOT_WRITING, SNAPSHOT_WRITTEN, SNAPSHOT_FAILED, SNAPSHOT_STATES };

extern const char *const snapshot_kind_names[SNAPSHOT_KINDS];   /* "aux", "rings" */
extern const char *const snapshot_state_names[SNAPSHOT_STATES]; /* "writing", ... */

/* A snapshot.  Sent again with the same number when its state changes. */
struct slice_snapshot {
	uint32_t nr;         /* 1, 2, ... : one sequence for all hosts */
	uint16_t host;       /* host that took it, as dict_task.host */
	uint8_t kind, state;
	uint64_t time;       /* time when it was taken, ns on the session's clock */
	uint64_t wall;       /* CLOCK_REALTIME ns */
	uint64_t changed;    /* end of the slice that brought this state */
	uint64_t bytes;      /* bytes of trace */
	uint64_t shared;     /* part of them in the snapshot before, too; UNKNOWN for rings */
	uint64_t samples;    /* samples in the file, once it is written */
	uint64_t dropped;    /* records too long for the file's form of them */
	uint64_t file_bytes; /* 0: not yet known */
	uint64_t stopped_ns; /* from the first event stopped to the last started again */
	uint64_t written_ns; /* duration of writing, 0: not yet known */
	/* Raw text, owned by the slice; NULL: none. */
	char *reason; /* "key", "signal", the condition */
	char *file;
	char *error;  /* why it failed */
};

/*
 * Copy a snapshot with its texts, overwriting *to without freeing it.  0, or -ENOMEM with *to
 * untouched.
 */
int slice_snapshot_copy(struct slice_snapshot *to, const struct slice_snapshot *from);
void slice_snapshot_clear(struct slice_snapshot *s); /* frees its texts */

#endif
