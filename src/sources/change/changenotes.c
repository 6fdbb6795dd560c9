/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/change/changenotes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "measure/consumers/samplesums.h"
#include "measure/trace/tracefields.h"

static uint32_t frequency_of(const struct event *e)
{
	if (e->attr.freq)
		return (uint32_t)e->attr.sample_freq;
	return e->clock && e->attr.sample_period ? (uint32_t)(1000000000 / e->attr.sample_period)
						 : 0;
}

static bool differs(const struct event_list *x_list, const struct event_list *y_list,
		    unsigned event)
{
	const struct event *a = &x_list->events[event], *b = &y_list->events[event];
	const char *x = a->filter ? a->filter : "", *y = b->filter ? b->filter : "";

	if (tracefields_number(x_list->fields, event) != tracefields_number(y_list->fields, event))
		return true;
	return strcmp(x, y) || a->off != b->off || a->attr.freq != b->attr.freq ||
	       a->attr.sample_period != b->attr.sample_period;
}

/* Return the fixed period, 0 for events made of others: their rows come at any time. */
static uint64_t fixed_period(const struct event *e)
{
	return event_is_made(e) ? 0 : event_fixed_period(e);
}

static void tell_list(struct slice *s, const struct event_list *list, unsigned event,
		      uint64_t since)
{
	struct slice_fieldlist *to = slice_add_list(s);

	if (!to)
		return; /* out of memory: its rows have keys without names */
	*to = (struct slice_fieldlist){.event = (uint16_t)event,
				       .by = tracefields_number(list->fields, event),
				       .since = since};
	tracefields_names(list->fields, event, to->names, sizeof(to->names), to->kinds);
}

/* Add old and new field lists of an event.  No slice had the old one if it is from the start. */
static void tell_lists(struct slice *s, uint64_t zero, const struct event_list *old,
		       const struct event_list *list, unsigned event)
{
	if (tracefields_number(list->fields, event) == tracefields_number(old->fields, event))
		return;
	tell_list(s, old, event, 0);
	tell_list(s, list, event, clock_ns() - zero);
}

void changenotes_events(struct slice *s, uint64_t zero, const struct event_list *old,
		       const struct event_list *list)
{
	for (unsigned i = 0; i < list->nr; i++) {
		const struct event *e = &list->events[i],
				   *was = i < old->nr ? &old->events[i] : NULL;
		struct slice_change *to;

		if (was && !differs(list, old, i))
			continue;
		to = slice_add_change(s);
		if (!to)
			return; /* out of memory: rows of it are left out, and counted as such */
		*to = (struct slice_change){
			.event = (uint16_t)i,
			.on = !e->off,
			.is_clock = e->clock || event_is_made(e),
			.period = fixed_period(e),
			.frequency = frequency_of(e),
			.was_on = was && !was->off,
			.was_period = was ? fixed_period(was) : 0,
			.was_frequency = was ? frequency_of(was) : 0,
			.by_nr = tracefields_number(list->fields, i),
		};
		tracefields_names(list->fields, i, to->by, sizeof(to->by), to->by_kinds);
		tell_lists(s, zero, old, list, i);
		snprintf(to->name, sizeof(to->name), "%s", e->name);
		snprintf(to->filter, sizeof(to->filter), "%s", e->filter ? e->filter : "");
	}
}

void changenotes_pairs(struct slice *s, const struct between *now, uint16_t nr)
{
	struct slice_between *to = calloc(1, sizeof(*to));

	if (!to)
		return; /* out of memory: the sums of these pairs have no description */
	if (now)
		samplesums_describe_pairs(between_of(now), to);
	to->nr = now ? to->nr : nr;
	s->between = to;
}
