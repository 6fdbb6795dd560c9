/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/term/ttyflow.h"

void ttyflow_asked(struct ttyflow *p, uint64_t now, size_t bytes)
{
	if (!p->asked++) {
		p->first_at = now;
		p->first = bytes;
		p->sent = 0;
	}
	p->asked_at = now;
	p->sent += bytes;
	p->ahead = bytes < p->ahead ? p->ahead - bytes : 0;
}

/*
 * Adapt `room` to a sign's delay: beyond the round trip, it is the transmission time of the bytes.
 */
static void learn_from_sign(struct ttyflow *p, uint64_t took, size_t sent)
{
	uint64_t own;

	if (!p->way || took < p->way)
		p->way = took ? took : 1;
	own = took > p->way ? took - p->way : 0;
	if (!p->room) { /* the first sign: how much of its delay is the round trip is unknown */
		p->room = (size_t)((double)sent * (double)TTYFLOW_AIM_NS / (double)p->way);
		p->room = p->room > TTYFLOW_START ? p->room : TTYFLOW_START;
	} else if (own > TTYFLOW_AIM_NS) {
		p->room = (size_t)((double)sent * (double)TTYFLOW_AIM_NS / (double)own);
	} else if (own < TTYFLOW_AIM_NS / 2 && sent > p->room / 2 && p->room < SIZE_MAX / 4) {
		p->room *= 2;
	}
	if (p->room < TTYFLOW_LEAST)
		p->room = TTYFLOW_LEAST;
}

static uint64_t elapsed_since(uint64_t then, uint64_t now)
{
	return now > then ? now - then : 0;
}

void ttyflow_sign(struct ttyflow *p, uint64_t now)
{
	if (!p->asked) /* requested by another program */
		return;
	p->gives = true;
	p->mute = false;
	/*
	 * The few bytes before the first sign show the round trip; else the time of all bytes that
	 * were sent ahead would count as round trip.
	 */
	if (p->asked > 1 && !p->room) {
		learn_from_sign(p, elapsed_since(p->first_at, now), p->first);
		p->sent -= p->first;
	}
	if (--p->asked == 0)
		learn_from_sign(p, elapsed_since(p->asked_at, now), p->sent);
}

uint64_t ttyflow_until(const struct ttyflow *p)
{
	if (!p->asked || p->mute)
		return UINT64_MAX;
	return p->gives ? p->asked_at + TTYFLOW_LOST_NS : p->first_at + TTYFLOW_FIRST_NS;
}

size_t ttyflow_room(struct ttyflow *p, uint64_t now)
{
	if (p->mute)
		return SIZE_MAX;
	if (p->asked && now < ttyflow_until(p))
		return p->gives ? 0 : p->ahead;
	p->mute = p->asked && !p->gives;
	if (p->asked && p->gives) {
		p->lost += p->asked;
		p->asked = 0;
	}
	return p->gives && p->room ? p->room : SIZE_MAX;
}
