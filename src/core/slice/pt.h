/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pt - the result of decoding a snapshot of Intel PT: which functions ran and for how long, and
 * which trace is lost.
 *
 * Made once per snapshot, in the background, and complete: it carries its names itself.
 * Threads: one owner at a time, like the slice.
 */
#ifndef RINGTOP_CORE_SLICE_PT_H
#define RINGTOP_CORE_SLICE_PT_H

#include <stddef.h>
#include <stdint.h>

/* Reasons why a stretch of the trace could not be used. */
enum pt_lost {
	PT_LOST_HEAD,     /* before the first PSB */
	PT_LOST_OVERFLOW, /* the CPU reported that it lost packets (OVF) */
	PT_LOST_CODE,     /* the code at an address could not be read */
	PT_LOST_ERROR,    /* the stream makes no sense, or not with this code */
	PT_LOST_LIMIT,    /* not decoded: steps or time were used up */
	PT_LOST_NR
};

extern const char *const pt_lost_names[PT_LOST_NR]; /* "head", "overflow", ... : the JSON keys */
extern const char *const pt_lost_texts[PT_LOST_NR]; /* to be shown to the user */

struct slice_pt_row {
	char *function, *object, *comm; /* raw; function NULL: it has no name */
	int32_t pid;
	uint64_t ns; /* GAUGE_UNKNOWN: not between two timing packets */
	uint64_t insns, calls;
};

struct slice_pt_stretch {
	int16_t cpu;    /* -1: per-thread */
	uint8_t cause;  /* enum pt_lost */
	uint64_t offset, bytes; /* in that CPU's copy; bytes GAUGE_UNKNOWN: never were in it */
	uint64_t ns;    /* from the last time before it to the first one behind; GAUGE_UNKNOWN */
	char *why;      /* or NULL */
};

struct slice_pt {
	uint32_t snapshot; /* its number */
	uint64_t changed;  /* end of the slice that brought it */
	uint64_t bytes, decoded; /* bytes of trace; of them, followed through the code */
	uint64_t insns, ns; /* instructions that ran, their time; GAUGE_UNKNOWN: no clock there */
	uint64_t untimed_insns; /* part of insns whose time is not known */
	uint64_t span_ns;   /* between first and last timing packet of the CPU with most; or
	                     * UNKNOWN */
	uint64_t psbs, branches, targets, overflows; /* packets, known without any code */
	uint64_t lost[PT_LOST_NR], lost_bytes[PT_LOST_NR];
	uint64_t took_ns;
	struct slice_pt_row *rows; /* the most time first */
	size_t nrows;
	uint64_t more_rows, more_ns, more_insns; /* number and sums of rows not listed */
	struct slice_pt_stretch *stretches;
	size_t nstretches;
	uint64_t more_stretches;
	char *error; /* why there is no result, or NULL */
};

void slice_pt_clear(struct slice_pt *pt); /* frees what it owns */
void slice_pt_free(struct slice_pt *pt);

#endif
