/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/session/change.h"

#include "base/text.h"

static void apply_change(struct session_info *info, const struct slice_change *c)
{
	struct session_event *e = &info->events[c->event];

	if (c->event >= info->nevents) {
		*e = (struct session_event){.unit = c->is_clock ? "ns" : ""};
		text_append(e->name, sizeof(e->name), 0, "%s", c->name);
		info->nevents = c->event + 1u;
	}
	text_append(e->filter, sizeof(e->filter), 0, "%s", c->filter);
	memcpy(e->by, c->by, sizeof(e->by));
	memcpy(e->by_kinds, c->by_kinds, sizeof(e->by_kinds));
	e->by_nr = c->by_nr;
	e->off = !c->on;
	e->period = c->period;
	e->frequency = c->frequency;
}

void session_changes(struct session_info *info, const struct slice *s)
{
	for (size_t i = 0; i < s->nchanges; i++)
		apply_change(info, &s->changes[i]);
	if (s->between)
		info->between = *s->between;
}
