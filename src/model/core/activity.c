/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/core/activity.h"

#include <math.h>
#include <stdlib.h>

#include "model/core/history.h"

void activity_clear(struct activity *p)
{
	free(p->part);
	*p = (struct activity){0};
}

/* Return attributed weight without idle time, so that the timeline of an idle machine is low. */
static double busy_weight(const struct history_slice *s, unsigned event)
{
	double sum = 0;

	for (size_t i = 0; i < s->accounts.nr; i++)
		if (s->accounts.span[i].a.event == event)
			sum += fmax(0, (double)s->accounts.span[i].a.attributed -
					       (double)s->accounts.span[i].busy.idle);
	return sum;
}

/* A slice already merged to this level has parts; any other slice is one part. */
static bool brings(const struct history_slice *s, uint8_t level)
{
	return s->level == level && s->pulse.nr;
}

void activity_merge(struct activity *to, struct history_slice *const *s, size_t nr, uint8_t level)
{
	size_t room = 0, events = s[nr - 1]->nsums;

	for (size_t i = 0; i < nr; i++)
		room += brings(s[i], level) ? s[i]->pulse.nr : s[i]->nsums;
	if (!room || room > ACTIVITY_PARTS * events)
		return;
	to->part = malloc(room * sizeof(*to->part));
	if (!to->part)
		return;
	for (size_t i = 0; i < nr; i++) {
		for (uint32_t p = 0; brings(s[i], level) && p < s[i]->pulse.nr; p++)
			to->part[to->nr++] = s[i]->pulse.part[p];
		for (uint32_t e = 0; !brings(s[i], level) && e < s[i]->nsums; e++)
			to->part[to->nr++] = (struct activity_part){s[i]->start, s[i]->end,
								    busy_weight(s[i], e), e};
	}
}

static void share_part(const struct bins *in, uint64_t start, uint64_t end, double weight,
		       double *bins, uint64_t *longest)
{
	unsigned first, last;

	bins_share(in, start, end, weight, bins);
	if (!longest || !bins_touched(in, start, end, &first, &last))
		return;
	for (unsigned i = first; i <= last; i++)
		longest[i] = longest[i] > end - start ? longest[i] : end - start;
}

void activity_share(const struct history_slice *s, unsigned event, const struct bins *in,
		    double *bins, uint64_t *longest)
{
	if (!s->pulse.nr)
		share_part(in, s->start, s->end, busy_weight(s, event), bins, longest);
	for (uint32_t i = 0; i < s->pulse.nr; i++) {
		const struct activity_part *p = &s->pulse.part[i];

		if (p->event == event)
			share_part(in, p->start, p->end, p->weight, bins, longest);
	}
}
