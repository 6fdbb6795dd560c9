/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/change/eventchange.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomics.h"
#include "base/log.h"
#include "base/vec.h"
#include "sources/change/changenotes.h"
#include "sources/change/eventchange_list.h"
#include "sources/consumers/offcpu.h"
#include "measure/session/session.h"
#include "measure/trace/tracefields.h"

struct eventchange *eventchange_create(struct scope *scope, struct recording *rec, uint64_t period,
				       uint32_t frequency)
{
	struct eventchange *c = calloc(1, sizeof(*c));
	struct event_list *first = c ? eventchange_list_copy(&scope->events, 0) : NULL;

	if (!first || !VEC_PUSH(c->lists, c->nlists, c->cap_lists, first)) {
		if (first)
			eventchange_list_drop(first, first);
		eventchange_free(c);
		return NULL;
	}
	first->between = rec->readers->between;
	c->scope = scope;
	c->recording = rec;
	c->period = period;
	c->frequency = frequency;
	free(scope->events.events);
	scope->events = *first;
	scope->rings.events = first;
	return c;
}

/* Free it.  The scope's events are those of the newest list, and own their parts. */
void eventchange_free(struct eventchange *c)
{
	if (!c)
		return;
	if (c->wanted)
		eventchange_list_drop(c->wanted, &c->scope->events);
	for (size_t i = 0; i < c->nlists; i++) {
		if (c->lists[i]->events != c->scope->events.events)
			free(c->lists[i]->events);
		free(c->lists[i]);
	}
	while (c->ntexts)
		free(c->texts[--c->ntexts]);
	while (c->ngone)
		tracefields_free(c->gone[--c->ngone]);
	while (c->nleft)
		offcpu_free(c->left[--c->nleft]);
	offcpu_free(c->offcpu);
	free(c->left);
	while (c->nunpaired)
		between_free(c->unpaired[--c->nunpaired]);
	free(c->unpaired);
	free(c->gone);
	free(c->texts);
	free(c->lists);
	free(c);
}

/* Claim the right to make a new list.  Return false if another thread has it. */
static bool claim_list(struct eventchange *c)
{
	return atomic_claim_flag(&c->busy); /* pairs with release_list */
}

static void release_list(struct eventchange *c)
{
	/* Release: pairs with claim_list. */
	atomic_store_release(&c->busy, false);
}

/* Give up a requested change that is not made. */
static void give_back(struct eventchange *c, struct event_list *list)
{
	eventchange_list_drop(list, eventchange_newest(c));
	offcpu_free(c->offcpu);
	c->offcpu = NULL;
	release_list(c);
}

int eventchange_ask(struct eventchange *c, const struct session_request *rq, struct err *err)
{
	struct event_list *list;

	if (!claim_list(c))
		return err_set(err, EBUSY, "another change of the events is not finished yet");
	c->note[0] = '\0';
	list = eventchange_list(c, rq, err);
	if (!list) {
		release_list(c);
		return -err->code;
	}
	/* A release too: pairs with eventchange_step; like all seq, with eventchange_end. */
	atomic_store_seq(&c->wanted, list);
	if (!atomic_load_seq(&c->ended) || !(list = atomic_take(&c->wanted)))
		return 0;
	give_back(c, list);
	return err_set(err, EINVAL, "the session ended before the change was made");
}

/* --- doing -------------------------------------------------------------------------------- */

/* Keep parts of `gone` that `other` does not share: only late readers may still use them. */
static void keep_gone(struct eventchange *c, const struct event_list *gone,
		      const struct event_list *other)
{
	if (gone->fields && gone->fields != other->fields &&
	    !VEC_PUSH(c->gone, c->ngone, c->cap_gone, gone->fields))
		return; /* out of memory: it is leaked */
	for (unsigned i = 0; i < gone->nr && i < other->nr; i++)
		if (gone->events[i].filter && gone->events[i].filter != other->events[i].filter &&
		    !VEC_PUSH(c->texts, c->ntexts, c->cap_texts, gone->events[i].filter))
			return; /* out of memory: it is leaked */
}

static void keep_unpaired(struct eventchange *c, struct between *b)
{
	if (!VEC_PUSH(c->unpaired, c->nunpaired, c->cap_unpaired, b))
		return; /* out of memory: it is leaked */
}

/* No reader makes pairs for the old list any more: open ones have no end that could be seen. */
static void change_pairs(struct eventchange *c, const struct event_list *old,
			 const struct event_list *list, struct slice *s)
{
	if (old->between == list->between)
		return;
	c->scope->between = (struct between_plan){.wanted = false};
	if (list->between)
		c->scope->between = *between_of(list->between);
	if (old->between) {
		between_resume(old->between);
		between_tell(old->between, s);
		keep_unpaired(c, old->between);
	}
	changenotes_pairs(s, list->between, c->pairs);
}

/* Free replaced pairs once no reader is late that may use them. */
static void free_unpaired(struct eventchange *c)
{
	while (c->nunpaired && readers_all_done(c->recording->readers))
		between_free(c->unpaired[--c->nunpaired]);
}

/* Go on with the old pairs: hits are missing from the time with the new list. */
static void pairs_stay(struct eventchange *c, const struct event_list *old,
		       const struct event_list *list)
{
	if (old->between == list->between)
		return;
	if (old->between)
		between_resume(old->between);
	if (list->between)
		keep_unpaired(c, list->between);
}

static void give_up_list(struct eventchange *c, struct event_list *old, struct event_list *list,
			 int code, struct slice *s)
{
	int back;

	c->recording->readers->between = old->between;
	back = recording_reopen(c->recording, old);
	pairs_stay(c, old, list);
	keep_gone(c, list, old);
	slice_log(s, SLICE_WARNING, "the events stay as they were: opening them anew: %s%s",
		  strerror(-code), back ? "; not all could be opened again" : "");
	/* A late reader may still look at it. */
	if (!VEC_PUSH(c->lists, c->nlists, c->cap_lists, list))
		return;
	c->lists[c->nlists - 1] = old;
	c->lists[c->nlists - 2] = list;
}

/* Let off-CPU times follow the list that the rings are opened with now. */
static void measure_waits(struct eventchange *c, const struct event_list *list)
{
	if (c->recording->readers->offcpu)
		offcpu_measure(c->recording->readers->offcpu, eventchange_measures_waits(list));
}

static void take_waits(struct eventchange *c, const struct event_list *list)
{
	if (c->offcpu && offcpu_wanted(list))
		readers_offcpu(c->recording->readers, c->offcpu);
	measure_waits(c, list);
}

/* Undo take_waits: the indexes of its events are free again. */
static void leave_waits(struct eventchange *c, const struct event_list *old)
{
	if (c->offcpu && !VEC_PUSH(c->left, c->nleft, c->cap_left, c->offcpu))
		log_msg(LOG_SESSION, "off-cpu: out of memory"); /* it is leaked */
	if (c->offcpu)
		readers_offcpu(c->recording->readers, NULL);
	c->offcpu = NULL;
	measure_waits(c, old);
}

/* Open the rings anew with a list after the newest one.  0, or -errno and all is as it was. */
static int apply_list(struct eventchange *c, struct event_list *list, struct slice *s)
{
	struct event_list *old = c->lists[c->nlists - 1];
	struct callgraph *cg = &c->scope->callgraph;
	uint32_t was = cg->copies, copies = callgraph_copies(list);
	struct err err;
	int ret;

	copies = copies > c->copies ? copies : c->copies;
	if ((copies || callgraph_pieces(cg, list)) &&
	    readers_unwind(c->recording->readers, c->recording->resolver, copies, &err)) {
		c->copies = was;
		slice_log(s, SLICE_WARNING, "the events stay as they were: %s", err.text);
		eventchange_list_drop(list, old);
		return -ENOMEM;
	}
	take_waits(c, list);
	cg->copies = c->copies;
	c->scope->events = *list;
	c->recording->readers->between = list->between; /* the gap that opening makes is in them */
	ret = recording_reopen(c->recording, list);
	if (ret) {
		cg->copies = c->copies = was;
		c->scope->events = *old;
		leave_waits(c, old);
		give_up_list(c, old, list, ret, s);
		return ret;
	}
	c->offcpu = NULL; /* the readers' */
	if (VEC_PUSH(c->lists, c->nlists, c->cap_lists, list)) {
		keep_gone(c, old, list);
		changenotes_events(s, c->scope->zero, old, list);
		change_pairs(c, old, list, s);
	}
	return 0;
}

void eventchange_step(void *eventchange, struct tick_now *n)
{
	struct eventchange *c = eventchange;
	struct event_list *list;

	free_unpaired(c);
	if (!atomic_load_relaxed(&c->wanted) || !readers_all_done(c->recording->readers))
		return;
	/* Acquire: pairs with eventchange_ask. */
	list = atomic_take(&c->wanted);
	if (recording_busy(c->recording)) {
		slice_log(n->s, SLICE_WARNING,
			  "the events stay as they were: a recording has begun");
		give_back(c, list);
		return;
	}
	if (!apply_list(c, list, n->s)) {
		c->changes++;
		if (c->note[0])
			slice_log(n->s, SLICE_INFO, "%s", c->note + strspn(c->note, "; "));
	}
	release_list(c);
}

void eventchange_end(void *eventchange, struct tick_now *n)
{
	struct eventchange *c = eventchange;
	struct event_list *list;

	if (!n->last)
		return;
	/* A later request sees it, or is seen here: pairs with eventchange_ask. */
	atomic_store_seq(&c->ended, true);
	if (!atomic_load_seq(&c->wanted) || !(list = atomic_take(&c->wanted)))
		return;
	slice_log(n->s, SLICE_WARNING, "the events stay as they were: the session ended first");
	give_back(c, list);
}

unsigned eventchange_changes(const struct eventchange *c)
{
	return c->changes;
}

/*
 * Claim the list for a change without a request, which must not disturb any.  0; -EBUSY: a
 * recording is under way; -EAGAIN: another change is, or a reader is late.
 */
static int begin_own(struct eventchange *c)
{
	if (recording_busy(c->recording))
		return -EBUSY;
	return readers_all_done(c->recording->readers) && claim_list(c) ? 0 : -EAGAIN;
}

int eventchange_copy(struct eventchange *c, uint32_t stack_bytes, struct slice *s)
{
	struct event_list *list;
	int ret = begin_own(c);

	if (ret)
		return ret;
	ret = -ENOMEM;
	list = eventchange_list_copy(eventchange_newest(c), 0);
	c->copies = list ? stack_bytes : c->copies;
	if (list)
		ret = apply_list(c, list, s);
	release_list(c);
	return ret;
}

int eventchange_slow(struct eventchange *c, unsigned halvings, struct slice *s)
{
	struct event_list *list;
	bool changed = false;
	int ret = begin_own(c);

	if (ret)
		return ret;
	ret = -ENOMEM;
	list = eventchange_list_copy(eventchange_newest(c), 0);
	for (unsigned i = 0; list && i < list->nr; i++)
		changed |=
			event_is_opened(&list->events[i]) && event_slow(&list->events[i], halvings);
	if (changed) {
		ret = apply_list(c, list, s);
	} else if (list) {
		eventchange_list_drop(list, eventchange_newest(c));
		ret = -ENOENT;
	}
	release_list(c);
	return ret;
}
