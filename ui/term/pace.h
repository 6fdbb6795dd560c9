/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pace - how much may be under way to a terminal, so that what answers a key is not behind seconds of frames.
 *
 * What was written cannot be taken back, and buffers on the way (the line's, ssh's, a modem's) hide how slow it is: 16 KB
 * are 17 s at 960 bytes a second.  So the terminal is asked for a sign (DSR) behind what is sent, and nothing more is sent
 * before it has come.  How long it took says how much a line takes in PACE_AIM_NS beyond its way there and back, and that
 * much is sent at once.  A terminal that never gave a sign is not waited for, and the first screen waits for none: until the
 * first sign has come as much as fills a screen is sent ahead of it.
 *
 * Times are the caller's (clock_ns).  Threads: one owner.
 */
#ifndef RINGTOP_UI_TERM_PACE_H
#define RINGTOP_UI_TERM_PACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"

#define PACE_AIM_NS   (350 * NSEC_PER_MSEC) /* what is sent at once takes so long */
#define PACE_FIRST_NS (300 * NSEC_PER_MSEC) /* how long the first sign is waited for */
#define PACE_LOST_NS  (10 * NSEC_PER_SEC)   /* a sign that takes so long is taken for lost */
#define PACE_LEAST    256
#define PACE_START    1024

struct pace {
	bool gives;        /* it has given a sign */
	bool mute;         /* it gave none while the first was waited for, and is asked no more */
	unsigned asked;    /* signs that are still to come */
	uint64_t first_at, asked_at; /* the first and the last of them */
	size_t first, sent; /* bytes before the first; all that were sent before the last and no sign has come of */
	size_t ahead;      /* bytes that may still be sent before any sign has come: the owner sets it at the start */
	uint64_t way;      /* the shortest time that a sign took, 0: none has come */
	size_t room;       /* 0: not known yet */
	uint64_t lost;
};

/* A sign was asked for behind so many bytes. */
void pace_asked(struct pace *p, uint64_t now, size_t bytes);

void pace_sign(struct pace *p, uint64_t now);

/* How many bytes may be sent now; SIZE_MAX: as many as there are. */
size_t pace_room(struct pace *p, uint64_t now);

/* When more may be sent even if no sign comes; UINT64_MAX: there is nothing to wait for. */
uint64_t pace_until(const struct pace *p);

#endif
