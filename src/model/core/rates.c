/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/core/rates.h"

#include <errno.h>
#include <stdlib.h>

#include "base/vec.h"
#include "model/core/accountsums.h"

static struct rate *newest_rate(const struct rates *r, unsigned event)
{
	for (size_t i = r->nr; i-- > 0;)
		if (r->rate[i].event == event)
			return &r->rate[i];
	return NULL;
}

bool rates_has(const struct rates *r, unsigned event)
{
	return newest_rate(r, event) != NULL;
}

int rates_change(struct rates *r, const struct slice_change *c, uint64_t at,
		 const struct rate_before *before)
{
	struct rate *to;

	if (!rates_has(r, c->event) && c->was_on) {
		to = VEC_ADD(r->rate, r->nr, r->cap);
		if (!to)
			return -ENOMEM;
		*to = (struct rate){.from = before->from, .event = c->event, .on = true,
				    .period = c->was_period, .frequency = c->was_frequency,
				    .counted = before->counted, .attributed = before->attributed,
				    .samples = before->samples, .lost = before->lost,
				    .enabled = before->enabled, .starved = before->starved};
	}
	to = VEC_ADD(r->rate, r->nr, r->cap);
	if (!to)
		return -ENOMEM;
	*to = (struct rate){.from = at, .event = c->event, .on = c->on, .period = c->period,
			    .frequency = c->frequency};
	return 0;
}

void rates_add(struct rates *r, const struct slice_account *a)
{
	struct rate *to = newest_rate(r, a->event);

	if (!to)
		return;
	to->counted += a->counted;
	to->attributed += a->attributed;
	to->samples += a->samples;
	for (int c = 0; c < LOST_NR; c++)
		to->lost += a->lost[c];
	to->enabled += a->enabled;
	to->starved += a->starved;
}

uint64_t rate_multiplexed(const struct rate *r)
{
	return account_multiplexed(r->counted, r->enabled, r->starved);
}

void rates_reset(struct rates *r, uint64_t now)
{
	size_t kept = 0;

	for (size_t i = 0; i < r->nr; i++) {
		const struct rate was = r->rate[i];

		if (newest_rate(r, was.event) != &r->rate[i])
			continue;
		r->rate[kept++] = (struct rate){.from = now, .event = was.event, .on = was.on,
						.period = was.period,
						.frequency = was.frequency};
	}
	r->nr = kept;
}

void rates_clear(struct rates *r)
{
	free(r->rate);
	*r = (struct rates){.nr = 0};
}

const struct rate *rates_next(const struct rates *r, unsigned event, const struct rate *last)
{
	for (size_t i = last ? (size_t)(last - r->rate) + 1 : 0; i < r->nr; i++)
		if (r->rate[i].event == event)
			return &r->rate[i];
	return NULL;
}
