/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/app/handler_measure.h"

#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "measure/session/question.h"
#include "ui/app/app.h"
#include "ui/app/grouping.h"
#include "ui/app/prompt.h"
#include "ui/app/questions.h"
#include "ui/app/request.h"
#include "ui/parts/wallclock.h"
#include "ui/views/view_choose.h"

void handler_add_event(struct app *a, const char *arg)
{
	struct err err = {0};

	if (*arg)
		request_change(a, SESSION_EVENT_ADD, arg, 0);
	else if (view_choose_open(a, &err))
		app_say(a, ROLE_WARN, "%s", err.text);
}

void handler_replace_event(struct app *a, const char *arg)
{
	bool chosen = a->view == VIEW_CHOOSE && !*arg;
	const struct question *q = chosen ? view_choose_question(a) : NULL;
	const char *name = chosen ? view_choose_name(a) : arg;

	if (q)
		questions_begin(a, q, true);
	else if (name && *name)
		request_change(a, SESSION_EVENT_REPLACE, name, 0);
	else
		handler_add_event(a, "");
}

void handler_question(struct app *a, const char *arg)
{
	struct err err = {0};
	const struct question *q = *arg ? question_find(arg, &err) : NULL;

	if (q)
		questions_begin(a, q, false);
	else if (*arg)
		app_say(a, ROLE_WARN, "%s", err.text);
	else
		handler_add_event(a, "");
}

void handler_drop_event(struct app *a)
{
	request_change(a, SESSION_EVENT_OFF, NULL, 0);
}

void handler_ring_size(struct app *a, const char *arg)
{
	struct session_request rq = {.command = SESSION_RING_SIZE};
	struct err err = {0};

	if (units_parse(arg, "kmg", 1024, &rq.number))
		app_say(a, ROLE_WARN, "a size is a number with K, M or G, not '%s'", arg);
	else if (a->session->ops->command(a->session, &rq, &err))
		app_say(a, ROLE_WARN, "%s%s%s", err.text, err.advice[0] ? ": " : "", err.advice);
	else
		app_say(a, ROLE_TEXT, "the buffers are being resized: see view 6");
}

/* Switch off-CPU times on or off; without an argument, toggle them. */
void handler_off_cpu(struct app *a, const char *arg)
{
	unsigned event;
	bool is = wallclock_event(a, "off-cpu", &event) && !model_info(a->model)->events[event].off;

	if (*arg && strcmp(arg, "on") != 0 && strcmp(arg, "off") != 0)
		app_say(a, ROLE_WARN, "off-cpu is on or off, not '%s'", arg);
	else
		request_change(a, SESSION_EVENT_OFFCPU, "off-cpu",
			   (*arg ? !strcmp(arg, "on") : !is) ? UINT32_MAX : 0);
}

/* Parse a whole number above 0, k or M may follow; 0: it is none. */
static uint64_t parse_positive_count(const char *arg)
{
	char *end;
	unsigned long long n = strtoull(arg, &end, 10);

	n *= *end == 'k' ? 1000 : *end == 'M' ? 1000000 : 1;
	end += *end == 'k' || *end == 'M';
	return *arg >= '0' && *arg <= '9' && !*end ? n : 0;
}

static void change_event_rate(struct app *a, enum session_change change, const char *arg,
			      const char *what)
{
	uint64_t n = parse_positive_count(arg);

	if (n)
		request_change(a, change, NULL, n);
	else
		app_say(a, ROLE_WARN, "%s is a number above 0, not '%s'", what, arg);
}

void handler_event_filter(struct app *a, const char *arg)
{
	const struct session_event *e = app_event(a);

	if (*arg)
		request_change(a, SESSION_EVENT_FILTER, arg, 0);
	else
		prompt_open(&a->prompt, PROMPT_KERNEL, e ? e->filter : "");
}

/* Wrong fields are put into the prompt, to be corrected. */
void handler_by(struct app *a, const char *arg)
{
	if (!*arg)
		grouping_ask(a, NULL);
	else if (!grouping_set(a, arg))
		grouping_ask(a, arg);
}

void handler_between(struct app *a, const char *arg)
{
	if (!*arg)
		app_say(a, ROLE_WARN,
			":between syscalls, or :between A,B[:KEY]; :between off ends it");
	else
		request_change(a, SESSION_EVENT_BETWEEN, strcmp(arg, "off") ? arg : "", 0);
}

void handler_frequency(struct app *a, const char *arg)
{
	change_event_rate(a, SESSION_EVENT_FREQUENCY, arg, "a frequency");
}

void handler_period(struct app *a, const char *arg)
{
	change_event_rate(a, SESSION_EVENT_PERIOD, arg, "a period");
}

void handler_zero(struct app *a)
{
	if (!model_info(a->own)->live) {
		app_say(a, ROLE_WARN, "this is a recording: its counts cannot be reset");
		return;
	}
	if (!app_sure(a, "press z again to discard all measurements"))
		return;
	model_zero(a->own);
	app_live(a);
	app_hurry(a);
	app_say(a, ROLE_TEXT, "all counts restart at zero");
}

void handler_pause(struct app *a)
{
	struct session_request rq = {.command = a->paused ? SESSION_RESUME : SESSION_PAUSE};
	struct err err = {0};
	int ret = a->session->ops->command(a->session, &rq, &err);

	if (ret) {
		app_say(a, ROLE_WARN, "%s", err.text[0] ? err.text : strerror(-ret));
		return;
	}
	a->paused = !a->paused;
	a->paused_at = model_now(a->own);
	app_follow(a);
	app_say(a, ROLE_TEXT, "the counters are %s", a->paused ? "stopped" : "counting");
}

void handler_snapshot(struct app *a, const char *arg)
{
	request_snapshot(a, SESSION_SNAPSHOT, *arg ? arg : "key");
}

void handler_dump(struct app *a, const char *arg)
{
	request_snapshot(a, SESSION_DUMP, *arg ? arg : "key");
}

void handler_fetch(struct app *a, const char *arg)
{
	const char *directory = arg + strspn(arg, "0123456789");
	bool number = directory > arg && (!*directory || *directory == ' ');

	request_fetch(a, number ? strtol(arg, NULL, 10) : -1,
		  number ? directory + strspn(directory, " ") : arg);
}
