/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/pace.h"

void pace_asked(struct pace *p, uint64_t now, size_t bytes)
{
	p->asked++;
	p->asked_at = now;
	p->sent = bytes;
}

/* What took longer than the way there and back was the bytes' own time. */
static void learn(struct pace *p, uint64_t took)
{
	uint64_t own;

	if (!p->way || took < p->way)
		p->way = took ? took : 1;
	own = took > p->way ? took - p->way : 0;
	if (!p->room) { /* nobody knows yet what of it was the way: all of it, or nothing */
		p->room = (size_t)((double)p->sent * (double)PACE_AIM_NS / (double)p->way);
		p->room = p->room > PACE_START ? p->room : PACE_START;
	} else if (own > PACE_AIM_NS) {
		p->room = (size_t)((double)p->sent * (double)PACE_AIM_NS / (double)own);
	} else if (own < PACE_AIM_NS / 2 && p->sent > p->room / 2 && p->room < SIZE_MAX / 4) {
		p->room *= 2;
	}
	if (p->room < PACE_LEAST)
		p->room = PACE_LEAST;
}

void pace_sign(struct pace *p, uint64_t now)
{
	if (!p->asked) /* somebody else's */
		return;
	p->gives = true;
	p->mute = false;
	if (--p->asked == 0)
		learn(p, now > p->asked_at ? now - p->asked_at : 0);
}

uint64_t pace_until(const struct pace *p)
{
	if (!p->asked || p->mute)
		return UINT64_MAX;
	return p->asked_at + (p->gives ? PACE_LOST_NS : PACE_FIRST_NS);
}

size_t pace_room(struct pace *p, uint64_t now)
{
	if (p->mute)
		return SIZE_MAX;
	if (p->asked && now < pace_until(p))
		return 0;
	p->mute = p->asked && !p->gives;
	if (p->asked && p->gives) {
		p->lost += p->asked;
		p->asked = 0;
	}
	return p->gives && p->room ? p->room : SIZE_MAX;
}
