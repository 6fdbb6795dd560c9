/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "link/remote/clocksync.h"

#include <errno.h>

#include "base/clock.h"

#define QUICK    4 /* requests at the start, in quick succession */
#define QUICK_NS (200 * NSEC_PER_MSEC)
#define SLOW_NS  (5 * NSEC_PER_SEC)

uint64_t clocksync_now(void)
{
	return clock_read(CLOCK_BOOTTIME);
}

bool clocksync_ask(struct clocksync *c, uint64_t now, struct message_time *ask)
{
	if (now < c->due)
		return false;
	*ask = (struct message_time){.nr = ++c->asked, .t1 = now};
	c->sent[c->asked % CLOCKSYNC_KEPT] = now;
	c->due = now + (c->asked < QUICK ? QUICK_NS : SLOW_NS);
	return true;
}

int clocksync_answer(struct clocksync *c, const struct message_time *answer, uint64_t now,
		     uint64_t wall, struct err *err)
{
	uint64_t *sent = &c->sent[answer->nr % CLOCKSYNC_KEPT], there = answer->t3 - answer->t2,
		 way;
	struct clocksync_sample *s;

	if (answer->nr + CLOCKSYNC_KEPT <= c->asked)
		return 0; /* so late that its round trip would be the longest */
	if (!answer->t1 || *sent != answer->t1)
		return err_set(err, EPROTO, "it sends a time that was not requested");
	if (answer->t2 > answer->t3 || answer->t3 > CLOCKSYNC_LATEST || answer->wall > INT64_MAX)
		return err_set(err, EPROTO, "it sends an impossible time");
	*sent = 0;
	if (there > now - answer->t1)
		return 0; /* a clock was set, or a machine stood still: the sample is useless */
	way = now - answer->t1 - there;
	s = &c->kept[c->answered++ % CLOCKSYNC_KEPT];
	*s = (struct clocksync_sample){.round_trip = way,
				       .session = (int64_t)(answer->t3 + way / 2 - now),
				       .wall = (int64_t)(answer->wall + way / 2 - wall)};
	return 0;
}

const struct clocksync_sample *clocksync_best(const struct clocksync *c)
{
	const struct clocksync_sample *best = NULL;

	for (unsigned i = 0; i < CLOCKSYNC_KEPT && i < c->answered; i++)
		if (!best || c->kept[i].round_trip < best->round_trip)
			best = &c->kept[i];
	return best;
}
