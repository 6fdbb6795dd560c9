/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/judge/alerts.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

struct alert *alerts_add(struct alerts *a, uint64_t time, const char *condition, const char *reason)
{
	struct alert *new;

	if (!a->alert)
		a->alert = calloc(ALERTS_MOST, sizeof(*a->alert));
	if (!a->alert)
		return NULL;
	if (a->nr == ALERTS_MOST)
		memmove(a->alert, a->alert + 1, --a->nr * sizeof(*a->alert));
	new = &a->alert[a->nr++];
	*new = (struct alert){.time = time, .nr = ++a->fired};
	text_append(new->condition, sizeof(new->condition), 0, "%s", condition);
	text_append(new->reason, sizeof(new->reason), 0, "%s", reason);
	return new;
}

struct alert *alerts_find(const struct alerts *a, uint32_t nr)
{
	for (size_t i = 0; i < a->nr; i++)
		if (a->alert[i].nr == nr)
			return &a->alert[i];
	return NULL;
}

void alerts_clear(struct alerts *a)
{
	free(a->alert);
	*a = (struct alerts){.fired = a->fired};
}
