/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "link/remote/remote_events.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "core/slice/sliceparts.h"

static unsigned room(const struct remote *r)
{
	return r->numbers.own + SESSION_EVENTS_MORE;
}

int remote_events_begin(struct remote *r, struct message_info *m)
{
	struct remote_numbers *n = &r->numbers;
	struct session_event *events;

	n->own = m->info.nevents;
	n->live = m->info.live;
	n->list = calloc(room(r), sizeof(*n->list));
	events = reallocarray(m->info.events, room(r), sizeof(*events));
	if (events)
		m->info.events = events;
	if (!events || !n->list)
		return -ENOMEM;
	for (unsigned e = 0; e < n->own; e++)
		n->list[e].most = events[e].by_nr;
	return 0;
}

int remote_events_again(struct remote *r, struct message_info *m, struct err *err)
{
	const struct session_info *a = &r->base.info, *b = &m->info;

	if (r->numbers.own != b->nevents)
		return err_set(err, EPROTO, "it reconnected with %u events instead of %u",
			       b->nevents, r->numbers.own);
	for (unsigned e = 0; e < b->nevents; e++)
		if (strcmp(a->events[e].name, b->events[e].name) ||
		    strcmp(a->events[e].unit, b->events[e].unit))
			return err_set(err, EPROTO, "it reconnected with %s instead of %s",
				       b->events[e].name, a->events[e].name);
	if (a->ncounters != b->ncounters)
		return err_set(err, EPROTO, "it reconnected with %u counters instead of %u",
			       b->ncounters, a->ncounters);
	for (unsigned i = 0; i < a->ncounters; i++)
		if (strcmp(a->counters[i].name, b->counters[i].name))
			return err_set(err, EPROTO, "it reconnected with %s instead of %s",
				       b->counters[i].name, a->counters[i].name);
	r->numbers.live = b->live;
	free(r->again);
	r->pairs_again = b->between;
	r->again = m->info.events;
	m->info.events = NULL;
	return 0;
}

struct slicecheck *remote_events_check(const struct remote *r)
{
	struct session_info info = r->base.info;
	struct slicecheck *c;

	info.nevents = r->numbers.own;
	if (r->again) {
		info.events = r->again;
		info.between = r->pairs_again;
	}
	c = slicecheck_create(&info, r->c.budget);
	if (c && r->numbers.live)
		slicecheck_more_events(c, SESSION_EVENTS_MORE - r->numbers.shift);
	return c;
}

/* --- a gap -------------------------------------------------------------------------------- */

static bool is_as(const struct session_event *now, const struct session_event *again)
{
	return now->off == again->off && now->period == again->period &&
	       now->frequency == again->frequency && now->by_nr == again->by_nr &&
	       !strcmp(now->filter, again->filter);
}

/* Add the change of an event from `now` to `again`; again NULL: the event is gone. */
static int add_event_change(struct slice *s, unsigned event, const struct session_event *now,
			    const struct session_event *again)
{
	const struct session_event *e = again ? again : now;
	struct slice_change *c = slice_add_change(s);

	if (!c)
		return -ENOMEM;
	*c = (struct slice_change){
		.event = (uint16_t)event,
		.on = again && !again->off,
		.was_on = !now->off,
		.is_clock = !strcmp(now->unit, "ns"),
		.period = e->period,
		.was_period = now->period,
		.frequency = e->frequency,
		.was_frequency = now->frequency,
		.by_nr = e->by_nr,
	};
	text_append(c->name, sizeof(c->name), 0, "%s", now->name);
	text_append(c->filter, sizeof(c->filter), 0, "%s", e->filter);
	memcpy(c->by, e->by, sizeof(c->by));
	memcpy(c->by_kinds, e->by_kinds, sizeof(c->by_kinds));
	return 0;
}

/* If pairs were changed, set them back to those of the start, with a new number. */
static int tell_pairs(struct remote *r, struct slice *s)
{
	const struct slice_between *now = &r->base.info.between;

	if (!now->nr || !r->again)
		return 0;
	s->between = malloc(sizeof(*s->between));
	if (!s->between)
		return -ENOMEM;
	r->numbers.pairs = (uint16_t)(now->nr + 1);
	*s->between = r->pairs_again;
	s->between->nr = r->numbers.pairs;
	return 0;
}

int remote_events_gap(struct remote *r, struct slice *s)
{
	const struct session_info *info = &r->base.info;
	struct remote_numbers *n = &r->numbers;
	int ret = 0;

	for (unsigned e = 0; r->again && e < info->nevents && !ret; e++) {
		const struct session_event *now = &info->events[e];

		if (e < n->own && !is_as(now, &r->again[e]))
			ret = add_event_change(s, e, now, &r->again[e]);
		else if (e >= n->own && !now->off)
			ret = add_event_change(s, e, now, NULL);
	}
	ret = ret ? ret : tell_pairs(r, s);
	n->shift = info->nevents - n->own;
	for (unsigned e = 0; e < info->nevents; e++)
		n->list[e].base = n->list[e].most;
	if (!ret && parts_count(s, PART_ANEW))
		ret = slice_log(
			s, SLICE_WARNING,
			"%s: its events are those of the start again: changes were lost with the "
			"session", r->c.host);
	return ret;
}

/* --- slices ------------------------------------------------------------------------------- */

static int localize_number(void *arg, const struct part_place *at, int64_t *number)
{
	const struct remote *r = arg;

	if (at->member->is == MEMBER_EVENT)
		*number += *number < r->numbers.own ? 0 : r->numbers.shift;
	else
		*number += r->numbers.pairs;
	return 0;
}

/* Make a list's number local; its event is local already.  Return 1: no numbers are left. */
static int localize_list(void *arg, const struct part_place *at, int64_t *by)
{
	struct remote *r = arg;
	int64_t event = part_number(at, MEMBER_EVENT);

	*by += *by ? r->numbers.list[event].base : 0;
	if (*by > UINT16_MAX)
		return 1;
	if (*by > r->numbers.list[event].most)
		r->numbers.list[event].most = (uint16_t)*by;
	return 0;
}

int remote_events_take(struct remote *r, struct slice *s, struct err *err)
{
	parts_visit(s, MEMBER_EVENT | MEMBER_PAIRS, localize_number, r);
	return parts_visit(s, MEMBER_LIST, localize_list, r)
		       ? err_set(err, EPROTO, "its fields were changed too often")
		       : 0;
}

/* --- commands ----------------------------------------------------------------------------- */

int remote_events_ask(const struct remote *r, const struct session_request *rq,
		      struct message_command *m, struct err *err)
{
	const struct remote_numbers *n = &r->numbers;
	const struct session_info *info = &r->base.info;

	if (!r->can_change)
		return err_set(
			err, EOPNOTSUPP,
			"the ringtop-agent on %s is too old to change its events", r->c.host);
	m->change = rq->change;
	m->number = rq->number;
	if (rq->change == SESSION_EVENT_ADD || rq->change == SESSION_EVENT_REPLACE ||
	    rq->change == SESSION_EVENT_BETWEEN ||
	    (rq->change == SESSION_EVENT_OFFCPU && rq->number))
		/* event numbers that are left */
		m->number = n->own + SESSION_EVENTS_MORE - n->shift;
	if (rq->change == SESSION_EVENT_ADD || rq->change == SESSION_EVENT_OFFCPU ||
	    rq->change == SESSION_EVENT_BETWEEN)
		return 0;
	if (rq->event >= info->nevents)
		return err_set(err, EINVAL, "there is no event %u", rq->event);
	if (rq->event >= n->own && rq->event < n->own + n->shift)
		return err_set(err, EINVAL, "'%s' was lost with a session on %s before this one",
			       info->events[rq->event].name, r->c.host);
	m->event = rq->event < n->own ? rq->event : rq->event - n->shift;
	return 0;
}

void remote_events_clear(struct remote *r)
{
	free(r->numbers.list);
	free(r->again);
}
