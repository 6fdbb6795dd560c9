/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ttyflow - flow control of output to a terminal, so that the answer to a key does not queue behind
 * seconds of frames.
 *
 * Written bytes cannot be taken back, and buffers on the way (the line's, ssh's, a modem's) hide
 * how slow the line is: 16 KB take 17 s at 960 bytes a second.  So a sign is requested from the
 * terminal (DSR) behind the bytes sent, and no more are sent before the sign has come.  Its delay
 * shows how much the line takes in TTYFLOW_AIM_NS beyond the round trip, and that much is sent at
 * once.  A terminal that never gave a sign is not waited for.  The first screen waits for none:
 * until the first sign has come, a screenful is sent ahead of it.
 *
 * Times are the caller's (clock_ns()).  Threads: one owner.
 */
#ifndef RINGTOP_UI_TERM_TTYFLOW_H
#define RINGTOP_UI_TERM_TTYFLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"

#define TTYFLOW_AIM_NS   (350 * NSEC_PER_MSEC) /* transmission time of the bytes sent at once */
#define TTYFLOW_FIRST_NS (300 * NSEC_PER_MSEC) /* longest wait for the first sign */
#define TTYFLOW_LOST_NS  (10 * NSEC_PER_SEC)   /* a sign that takes longer counts as lost */
#define TTYFLOW_LEAST    256  /* bytes sent at once at least */
#define TTYFLOW_START    1024 /* bytes sent at once at least after the first sign */

struct ttyflow {
	bool gives;        /* the terminal has given a sign */
	bool mute;         /* it gave none in TTYFLOW_FIRST_NS, and none is requested any more */
	unsigned asked;    /* requested signs that are still to come */
	uint64_t first_at, asked_at; /* times of the first and the last request for them */
	size_t first, sent; /* bytes before the first; all bytes before the last without a sign */
	size_t ahead;      /* bytes that may be sent before any sign; set by the owner */
	uint64_t way;      /* shortest delay of a sign; 0: none has come */
	size_t room;       /* bytes to be sent at once; 0: unknown */
	uint64_t lost;     /* signs that never came */
};

/* Note that a sign was requested behind so many bytes. */
void ttyflow_asked(struct ttyflow *p, uint64_t now, size_t bytes);

/* Note that a sign has come. */
void ttyflow_sign(struct ttyflow *p, uint64_t now);

/* Return how many bytes may be sent now; SIZE_MAX: any number. */
size_t ttyflow_room(struct ttyflow *p, uint64_t now);

/* Return when more may be sent even if no sign comes; UINT64_MAX: there is nothing to wait for. */
uint64_t ttyflow_until(const struct ttyflow *p);

#endif
