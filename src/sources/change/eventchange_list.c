/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/change/eventchange_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomics.h"
#include "files/unwind/unwind.h"
#include "kernel/event/eventfilter.h"
#include "kernel/event/parse.h"
#include "measure/trace/tracefields.h"
#include "sources/change/fieldchoice.h"
#include "sources/consumers/logevents.h"
#include "sources/consumers/offcpu.h"

struct event_list *eventchange_list_copy(const struct event_list *from, unsigned more)
{
	struct event_list *list = malloc(sizeof(*list));

	if (!list)
		return NULL;
	*list = *from;
	list->events = malloc((from->nr + more) * sizeof(*list->events));
	if (!list->events) {
		free(list);
		return NULL;
	}
	memcpy(list->events, from->events, from->nr * sizeof(*list->events));
	return list;
}

void eventchange_list_drop(struct event_list *list, const struct event_list *from)
{
	for (unsigned i = 0; i < list->nr; i++)
		if (i >= from->nr)
			event_clear(&list->events[i]);
		else if (list->events[i].filter != from->events[i].filter)
			free(list->events[i].filter);
	if (list->fields != from->fields)
		tracefields_free(list->fields);
	if (list->between != from->between)
		between_free(list->between);
	free(list->events);
	free(list);
}

/* Refuse terms that take effect only at the session's start. */
static int check_terms(const struct event *e, struct err *err)
{
	const char *what = NULL;

	if (callgraph_check_copies(e, CALLGRAPH_NONE, cfi_arch_here(), err))
		return -EINVAL;
	if (e->paths == EVENT_PATHS_LBR)
		what = "call-graph=lbr";
	else if (event_wants_aux(e))
		what = "aux-sample-size= or aux-action=";
	else if (e->weight && !e->own_count)
		what = "weight=";
	else if (e->overwrite != EVENT_UNSAID)
		what = "overwrite";
	if (!what)
		return 0;
	return err_set(err, EOPNOTSUPP, "event '%s': %s can only be given when ringtop starts",
		       e->name, what);
}

/* Open the event for a try, without its group: the kernel must know it and allow it. */
static int try_open_event(const struct eventchange *c, const struct event *e, struct err *err)
{
	struct perf_source *source = c->scope->rings.source;
	bool system = c->scope->target.kind == TARGET_SYSTEM;
	pid_t tid = system ? -1 : 0;
	int cpu = system ? c->scope->watched.cpu[0] : -1, fd;
	struct perf_event_attr a = e->attr;

	a.disabled = 1;
	a.exclude_kernel |= c->scope->rings.exclude_kernel;
	a.exclude_hv |= c->scope->rings.exclude_kernel;
	if (e->paths == EVENT_PATHS_DWARF) {
		a.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
		a.sample_regs_user = UNWIND_REGS_MASK;
		a.sample_stack_user = e->stack_bytes;
	}
	fd = perf_open_event(source, e, &a, tid, cpu, -1, 0);
	if (fd >= 0) {
		source->ops->close(source, fd);
		return 0;
	}
	return perf_explain_open(source, -fd, &a, tid, cpu, e->name, err);
}

static int check_added(const struct eventchange *c, struct event_list *list, unsigned from,
		       struct err *err)
{
	int ret = 0;

	event_list_lead(list);
	if (c->scope->log_lines)
		logevents_mark(list);
	for (unsigned i = from; i < list->nr && !ret; i++) {
		struct event *e = &list->events[i];

		ret = check_terms(e, err);
		/* By frequency counts of software events are estimates; a period is exact. */
		if (!ret)
			ret = event_set_rate(e, c->period, event_is_soft(e) ? 0 : c->frequency,
					     err);
		if (!ret)
			ret = ringset_check_reading(c->scope->now, e, err);
		if (!ret && event_is_opened(e))
			ret = try_open_event(c, e, err);
	}
	return ret;
}

/* Parse the events of off-CPU times.  The place where a thread waits is its call path. */
static int parse_waits(struct eventchange *c, struct event_list *list, struct err *err)
{
	int ret = offcpu_add_events(list, c->note, sizeof(c->note), err);

	for (unsigned i = 0; i < list->nr && c->scope->callgraph.mode == CALLGRAPH_NONE; i++)
		if (event_is_opened(&list->events[i]) &&
		    list->events[i].attr.type == PERF_TYPE_TRACEPOINT)
			list->events[i].paths = EVENT_PATHS_FP;
	return ret;
}

/* Return how many events there may be, by the session and by the request. */
static unsigned room_of(const struct eventchange *c, const struct session_request *rq)
{
	unsigned room = scope_room(c->scope);

	return rq->number && rq->number < room ? (unsigned)rq->number : room;
}

/* Return the list with the requested events at its end; NULL with err. */
static struct event_list *with_added(struct eventchange *c, const struct session_request *rq,
				     struct err *err)
{
	unsigned room = room_of(c, rq);
	const struct event_list *old = eventchange_newest(c);
	struct event_list added = {.nr = 0}, *list;

	if (rq->change == SESSION_EVENT_OFFCPU ? parse_waits(c, &added, err)
					       : event_parse(rq->text, &added, err)) {
		event_list_clear(&added);
		return NULL;
	}
	if (old->nr + added.nr > room) {
		err_set(err, E2BIG, "there is room for %u events more in this session",
			room > old->nr ? room - old->nr : 0);
		event_list_clear(&added);
		return NULL;
	}
	list = eventchange_list_copy(old, added.nr);
	if (!list) {
		event_list_clear(&added);
		err_set(err, ENOMEM, "out of memory");
		return NULL;
	}
	for (unsigned i = 0; i < added.nr; i++) {
		list->events[list->nr] = added.events[i];
		list->events[list->nr++].group += added.events[i].group ? old->groups : 0;
	}
	list->groups += added.groups;
	free(added.events);
	callgraph_complete(list);
	if (!check_added(c, list, old->nr, err)) {
		callgraph_note(list, old->nr, c->note, sizeof(c->note));
		return list;
	}
	eventchange_list_drop(list, old);
	return NULL;
}

static int check_changeable(const struct event_list *list, unsigned event,
			    enum session_change change, struct err *err)
{
	if (event >= list->nr)
		return err_set(err, EINVAL, "there is no event %u", event);
	/* The event's ring stays as it is: sums by fields are made by readers alone. */
	if (list->events[event].role == EVENT_FTRACE && change == SESSION_EVENT_BY)
		return 0;
	if (list->events[event].role == EVENT_FTRACE)
		return err_set(err, EOPNOTSUPP, "'%s' is read from ftrace and cannot be changed",
			       list->events[event].name);
	if (list->events[event].role == EVENT_INKERNEL)
		return err_set(err, EOPNOTSUPP, "'%s' is summed up by the kernel and cannot be "
						"changed", list->events[event].name);
	if (list->events[event].role != EVENT_PLAIN)
		return err_set(
			err, EOPNOTSUPP,
			"'%s' is part of off-CPU times: they come and go together (:off-cpu)",
			list->events[event].name);
	return 0;
}

static int any_left(const struct event_list *list, struct err *err)
{
	unsigned left = 0;

	for (unsigned i = 0; i < list->nr; i++)
		left += event_is_opened(&list->events[i]);
	return left ? 0
		    : err_set(err, EINVAL,
			      "it is the last event: pause stops counting, and quit ends ringtop");
}

/* Switch an event off with its group, whose counts it leads or is among. */
static int switch_off(struct event_list *list, unsigned event, struct err *err)
{
	unsigned group = list->events[event].group;

	for (unsigned i = 0; i < list->nr; i++)
		list->events[i].off |= i == event || (group && list->events[i].group == group);
	return any_left(list, err);
}

bool eventchange_measures_waits(const struct event_list *list)
{
	for (unsigned i = 0; i < list->nr; i++)
		if (list->events[i].role == EVENT_OFFCPU && !list->events[i].off)
			return true;
	return false;
}

static int switch_waits(struct event_list *list, bool on, struct err *err)
{
	for (unsigned i = 0; i < list->nr; i++)
		if (offcpu_has(&list->events[i]))
			list->events[i].off = !on;
	return any_left(list, err);
}

static int change_rate(struct event_list *list, const struct session_request *rq, struct err *err)
{
	struct event *e = &list->events[rq->event];
	uint64_t period = rq->change == SESSION_EVENT_PERIOD ? rq->number : 0;

	if (!rq->number)
		return err_set(err, EINVAL, "a rate of 0");
	if (rq->change == SESSION_EVENT_FREQUENCY && rq->number > EVENT_FREQUENCY_MAX)
		return err_set(err, EINVAL, "a frequency of %llu Hz",
			       (unsigned long long)rq->number);
	if (e->led)
		return err_set(err, EINVAL,
			       "'%s' is counted when the first event of its group is sampled",
			       e->name);
	if (e->weight && !period)
		return err_set(err, EINVAL, "'%s' adds up a field of each hit (weight=), which "
					    "needs a fixed period", e->name);
	e->rated = false;
	return event_set_rate(e, period, period ? 0 : (uint32_t)rq->number, err);
}

static int change_filter(const struct eventchange *c, struct event_list *list,
			 const struct session_request *rq, struct err *err)
{
	struct event *e = &list->events[rq->event];
	const struct event_list one = {.events = e, .nr = 1};

	e->filter = NULL;
	if (!*rq->text)
		return 0;
	if (eventfilter_add_one(e, rq->text, err))
		return -err->code;
	return perf_check_filters(c->scope->rings.source, &one, c->scope->rings.exclude_kernel,
				  err);
}

/* Return the first unused number, also by lists that failed to open: late readers may use them. */
static unsigned numbers_used(const struct eventchange *c, unsigned event)
{
	unsigned most = 0;

	for (size_t i = 0; i < c->nlists; i++)
		if (tracefields_number(c->lists[i]->fields, event) > most)
			most = tracefields_number(c->lists[i]->fields, event);
	return most + 1;
}

static struct tracefields_source fields_source(const struct eventchange *c)
{
	return (struct tracefields_source){.paths = callgraph_check_whole,
					   .arg = &c->scope->callgraph};
}

static int set_by(const struct eventchange *c, struct event_list *list,
		  const struct session_request *rq, struct err *err)
{
	const struct tracefields_source source = fields_source(c);
	unsigned used = numbers_used(c, rq->event);
	struct tracefields *fields;
	int ret;

	if (used > UINT16_MAX)
		return err_set(err, E2BIG, "the fields of '%s' were already changed %u times",
			       list->events[rq->event].name, used - 1);
	ret = tracefields_change(list->fields, list, rq->event, rq->text, (uint16_t)used, &source,
				 &fields, err);
	if (!ret)
		list->fields = fields;
	return ret;
}

/* Plan the pairs: both events are measured, every hit of them, even if they were off. */
static int plan_pairs(struct eventchange *c, struct event_list *list,
		      const struct session_request *rq, struct err *err)
{
	unsigned old = eventchange_newest(c)->nr;
	struct between_plan plan;
	int ret = between_plan_parse(&plan, rq->text, between_plan_event, list, err);

	if (!ret && list->nr > room_of(c, rq))
		ret = err_set(err, E2BIG,
			      "there is no room for the events of these pairs in this session");
	if (!ret && c->pairs >= UINT16_MAX - 1)
		ret = err_set(err, E2BIG, "pairs were already changed %u times", c->pairs);
	for (unsigned side = 0; side < BETWEEN_SIDES && !ret; side++) {
		ret = check_changeable(list, plan.event[side], SESSION_EVENT_BY, err);
		list->events[plan.event[side]].off = false;
	}
	ret = ret ? ret : check_added(c, list, old, err);
	ret = ret ? ret : between_plan_find(&plan, list, NULL, err);
	if (ret)
		return ret;
	plan.nr = ++c->pairs;
	list->between =
		between_create(&plan, c->recording->readers->capacity, c->recording->readers->nr);
	return list->between ? 0 : err_room(err, ENOMEM, "--between");
}

/* Return a list with the requested pairs or none; NULL with err. */
static struct event_list *with_pairs(struct eventchange *c, const struct session_request *rq,
				     struct err *err)
{
	const struct event_list *old = eventchange_newest(c);
	struct event_list *list;
	int ret = 0;

	if (!*rq->text && !old->between)
		return err_null(err_set(err, EINVAL, "there are no pairs"));
	list = eventchange_list_copy(old, BETWEEN_SIDES);
	if (!list)
		return err_null(err_room(err, ENOMEM, "--between"));
	list->between = NULL;
	if (*rq->text)
		ret = plan_pairs(c, list, rq, err);
	else
		c->pairs++; /* no pairs have a number, too */
	if (!ret)
		return list;
	eventchange_list_drop(list, old);
	return NULL;
}

static int change_one(const struct eventchange *c, struct event_list *list,
		      const struct session_request *rq, struct err *err)
{
	switch (rq->change) {
	case SESSION_EVENT_ADD:
		return 0; /* it is there already */
	case SESSION_EVENT_REPLACE:
		callgraph_follow(list); /* fall through */
	case SESSION_EVENT_OFF:
		return switch_off(list, rq->event, err);
	case SESSION_EVENT_FILTER:
		return change_filter(c, list, rq, err);
	case SESSION_EVENT_BY:
		return set_by(c, list, rq, err);
	case SESSION_EVENT_OFFCPU:
		return switch_waits(list, rq->number, err);
	default:
		return change_rate(list, rq, err);
	}
}

/* Find out whether off-CPU events are to be added, or to be switched where they are. */
static int check_waits(const struct eventchange *c, const struct session_request *rq, bool *adds,
		       struct err *err)
{
	bool on = eventchange_measures_waits(eventchange_newest(c));

	*adds = !offcpu_wanted(eventchange_newest(c));
	if (on == (rq->number != 0))
		return err_set(err, EINVAL, "off-CPU times are %s",
			       on ? "measured already" : "not measured");
	return 0;
}

static struct event_list *change(struct eventchange *c, const struct session_request *rq,
				 struct err *err)
{
	bool adds = rq->change == SESSION_EVENT_ADD || rq->change == SESSION_EVENT_REPLACE;
	bool waits = rq->change == SESSION_EVENT_OFFCPU;
	struct event_list *list;
	int ret;

	if (rq->change == SESSION_EVENT_BETWEEN)
		return with_pairs(c, rq, err);
	if (waits ? check_waits(c, rq, &adds, err)
		  : rq->change != SESSION_EVENT_ADD &&
		    check_changeable(eventchange_newest(c), rq->event, rq->change, err))
		return NULL;
	list = adds ? with_added(c, rq, err) : eventchange_list_copy(eventchange_newest(c), 0);
	if (!list) {
		if (!adds)
			err_set(err, ENOMEM, "out of memory");
		return NULL;
	}
	ret = change_one(c, list, rq, err);
	if (!ret && waits && adds &&
	    !(c->offcpu = readers_make_offcpu(c->recording->readers, list, err)))
		ret = -err->code;
	if (!ret)
		return list;
	eventchange_list_drop(list, eventchange_newest(c));
	return NULL;
}

/*
 * Refuse changes of the events of --between: it needs every hit, for pairs of only some would be
 * guesses.  A filter is allowed, since it leaves out unwanted hits.
 */
static int check_pairs(const struct scope *sc, const struct session_request *rq, struct err *err)
{
	const struct between_plan *b = &sc->between;

	if (!b->wanted ||
	    (rq->event != b->event[BETWEEN_FROM] && rq->event != b->event[BETWEEN_TO]) ||
	    rq->change == SESSION_EVENT_ADD || rq->change == SESSION_EVENT_FILTER ||
	    rq->change == SESSION_EVENT_BY || rq->change == SESSION_EVENT_OFFCPU ||
	    rq->change == SESSION_EVENT_BETWEEN)
		return 0;
	return err_set(err, EBUSY, "--between needs every hit of it, until the pairs change or "
				   "end (:between off)");
}

struct event_list *eventchange_list(struct eventchange *c, const struct session_request *rq,
				    struct err *err)
{
	if (recording_busy(c->recording)) {
		err_set(err, EBUSY, "a recording is running, and its events cannot change");
		err_advise(err, "end the recording first");
		return NULL;
	}
	return check_pairs(c->scope, rq, err) ? NULL : change(c, rq, err);
}

int eventchange_fields(const struct eventchange *c, unsigned event, struct session_choice **to,
		       size_t *nr, struct err *err)
{
	const struct tracefields_source source = fields_source(c);
	int ret;

	*to = NULL;
	*nr = 0;
	if (atomic_load_acquire(&c->busy)) /* pairs with release_list */
		return err_set(err, EBUSY, "another change of the events is not finished yet");
	ret = check_changeable(eventchange_newest(c), event, SESSION_EVENT_BY, err);
	return ret ? ret
		   : fieldchoice_list(&eventchange_newest(c)->events[event], &source, to, nr, err);
}
