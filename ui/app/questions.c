/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/app/questions.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "measure/session/question.h"
#include "ui/app/action.h"
#include "ui/app/app.h"
#include "ui/app/request.h"
#include "ui/parts/wallclock.h"

#define COMES_NS (10 * NSEC_PER_SEC) /* longest wait for an event, also over a slow line */

/* Return true if the event is summed up by these fields, spaces aside. */
static bool is_by(const struct session_event *e, const char *by)
{
	const char *have = e->by;

	for (;; have++, by++) {
		have += strspn(have, " ");
		if (*have != *by)
			return false;
		if (!*by)
			return true;
	}
}

/* Find the question's newest event that is measured; false: none is. */
static bool find_question_event(const struct app *a, const struct question *q, unsigned *event)
{
	const struct session_info *info = model_info(a->own);

	for (unsigned i = info->nevents; i-- > a->questioning->from;)
		if (!info->events[i].off && !strcmp(info->events[i].name, q->event)) {
			*event = i;
			return true;
		}
	return false;
}

static void show_answer(struct app *a, const struct question *q)
{
	struct err err = {0};

	if (action_command(a, q->view, &err))
		app_say(a, ROLE_WARN, "%s", err.text);
}

static void ask_waits(struct app *a)
{
	unsigned event;

	if (wallclock_event(a, "off-cpu", &event) && !model_info(a->own)->events[event].off)
		a->wall = true;
	else if (request_change(a, SESSION_EVENT_OFFCPU, "off-cpu", UINT32_MAX))
		return;
	else
		a->wall_coming = true;
	app_show(a, VIEW_FUNCTIONS);
}

/*
 * Request the sums by the question's fields.  0; -EBUSY: try again later; -EAGAIN: this event
 * cannot, and another one of the same name was requested; else -errno, and a message is shown.
 */
static int sum_up_by_question(struct app *a, const struct question *q, unsigned event)
{
	struct session_request rq = {.command = SESSION_EVENTS,
				     .change = SESSION_EVENT_BY,
				     .event = event,
				     .text = q->by};
	struct err err = {0};
	int ret = a->session->ops->command(a->session, &rq, &err);

	if (!ret || (ret == -EBUSY && clock_ns() <= a->questioning->until))
		return ret;
	if (ret == -EOPNOTSUPP && !a->questioning->from) { /* off-CPU's event, or the kernel's */
		a->questioning->from = event + 1;
		return request_change(a, SESSION_EVENT_ADD, q->event, 0) ? -EINVAL : -EAGAIN;
	}
	app_say(a, ROLE_WARN, "%s", err.text[0] ? err.text : strerror(-ret));
	return ret;
}

void questions_begin(struct app *a, const struct question *q, bool replaced)
{
	unsigned event;

	*a->questioning = (struct questions){NULL, 0, 0};
	if (!model_info(a->own)->live) {
		app_say(a, ROLE_WARN,
			"this is a recording, its events cannot be changed: '%s' would need "
			"another event",
			q->name);
		return;
	}
	if (q->between) {
		if (!request_change(a, SESSION_EVENT_BETWEEN, q->between, 0))
			show_answer(a, q);
		return;
	}
	if (!q->event) {
		ask_waits(a);
		return;
	}
	if (!find_question_event(a, q, &event) &&
	    request_change(a, replaced ? SESSION_EVENT_REPLACE : SESSION_EVENT_ADD, q->event, 0))
		return;
	*a->questioning = (struct questions){q, clock_ns() + COMES_NS, 0};
	questions_follow(a);
}

void questions_follow(struct app *a)
{
	const struct question *q = a->questioning->asked;
	unsigned event;
	int ret = 0;

	if (!q)
		return;
	if (!find_question_event(a, q, &event)) {
		if (clock_ns() <= a->questioning->until)
			return;
		a->questioning->asked = NULL;
		app_say(a, ROLE_WARN, "%s did not start: view 6 has its message", q->event);
		return;
	}
	if (q->by && !is_by(&model_info(a->own)->events[event], q->by))
		ret = sum_up_by_question(a, q, event);
	if ((ret == -EBUSY && clock_ns() <= a->questioning->until) || ret == -EAGAIN)
		return;
	a->questioning->asked = NULL;
	if (ret)
		return;
	a->event = event;
	show_answer(a, q);
	app_hurry(a);
	app_say(a, ROLE_TEXT, "%s, from now on", q->title);
}
