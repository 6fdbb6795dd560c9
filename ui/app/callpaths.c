/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/app/callpaths.h"

#include <string.h>

#include "base/text.h"
#include "measure/session/session.h"
#include "ui/app/app.h"
#include "ui/app/request.h"

#define TERM SESSION_CALL_GRAPH

/* Return the value of the event's term call-graph=; NULL: it has none. */
static const char *own_call_graph(const char *name)
{
	const char *term = strstr(name, TERM);

	return term ? term + strlen(TERM) : NULL;
}

static bool says_no(const char *value)
{
	return !strncmp(value, "no", 2) && (!value[2] || value[2] == ',' || value[2] == '/');
}

bool callpaths_taken(const struct app *a)
{
	const struct session_event *e = app_event(a);
	const char *value = e ? own_call_graph(e->name) : NULL;

	return value ? !says_no(value) : model_info(a->model)->call_graph[0];
}

bool callpaths_named(const struct app *a)
{
	const struct session_event *e = app_event(a);

	return e && own_call_graph(e->name);
}

bool callpaths_by_pointers(const struct app *a)
{
	const struct session_event *e = app_event(a);
	const char *value = e ? own_call_graph(e->name) : NULL;

	return !strncmp(value ? value : model_info(a->model)->call_graph, "fp", 2);
}

bool callpaths_auto(const struct app *a)
{
	const struct session_event *e = app_event(a);
	const char *value = e ? own_call_graph(e->name) : NULL;

	return !strncmp(value ? value : model_info(a->model)->call_graph, "auto", 4);
}

/*
 * Return where the modifiers begin, as in "cycles:u", else the name's end; tracepoints have none.
 */
static size_t modifiers(const char *name)
{
	const char *colon = strrchr(name, ':');
	size_t len = colon ? strlen(colon + 1) : 0;

	return len && strspn(colon + 1, "ukhGHpPSDIWeb") == len ? (size_t)(colon - name)
								: strlen(name);
}

bool callpaths_event(const char *name, const char *how, char *text, size_t size)
{
	const char *value = own_call_graph(name), *slash = strrchr(name, '/');
	size_t cut, pos;

	if (value) {
		pos = text_append(text, size, 0, "%.*s%s%s", (int)(value - name), name, how,
				  value + strcspn(value, ",/"));
	} else if (slash && strchr(name, '/') != slash) {
		pos = text_append(text, size, 0, "%.*s%s%s%s%s", (int)(slash - name), name,
				  slash[-1] == '/' ? "" : ",", TERM, how, slash);
	} else {
		cut = modifiers(name);
		pos = text_append(text, size, 0, "%.*s/%s%s/%s", (int)cut, name, TERM, how,
				  name + cut + (name[cut] == ':'));
	}
	return pos + 1 < size;
}

void callpaths_follow(struct app *a)
{
	const struct session_info *info = model_info(a->model);
	struct callpaths *c = a->callpaths;

	/* An older event of that name may have been switched off. */
	for (unsigned e = info->nevents; c->coming[0] && e-- > 0;)
		if (!info->events[e].off && !strcmp(info->events[e].name, c->coming)) {
			a->event = e;
			c->coming[0] = '\0';
		}
}

/* Return true for off-CPU times, which are made of other events. */
static bool is_wait(const struct session_event *e)
{
	return !strncmp(e->name, "off-cpu", 7) || !strcmp(e->name, "on-cpu") ||
	       !strcmp(e->name, "sched:sched_switch") || !strcmp(e->name, "sched:sched_waking");
}

/* Return the event to change: paths of waits follow those of any other. */
static unsigned changeable(const struct app *a)
{
	const struct session_info *info = model_info(a->model);
	const struct session_event *now = app_event(a);

	for (unsigned i = 0; now && is_wait(now) && i < info->nevents; i++)
		if (!info->events[i].off && !is_wait(&info->events[i]))
			return i;
	return a->event;
}

static void switch_event(struct app *a, const char *how, bool follow)
{
	const struct session_event *e = app_event(a);
	char text[sizeof(a->callpaths->coming)];

	if (!*how)
		how = !callpaths_taken(a)			      ? "auto"
		      : callpaths_auto(a) || callpaths_by_pointers(a) ? "dwarf"
								      : "no";
	if (!e)
		return;
	/* With other call paths its sums by call path would change their meaning. */
	if (memchr(e->by_kinds, 'p', sizeof(e->by_kinds))) {
		app_say(a, ROLE_WARN,
			"it is summed by its call paths: choose others with :by before changing "
			"call paths");
		return;
	}
	if (!callpaths_event(e->name, how, text, sizeof(text)))
		app_say(a, ROLE_WARN, "the event's name is too long: start ringtop with -g");
	else if (!request_change(a, SESSION_EVENT_REPLACE, text, 0) && follow)
		text_append(a->callpaths->coming, sizeof(a->callpaths->coming), 0, "%s", text);
}

void callpaths_switch(struct app *a, const char *how)
{
	unsigned shown;

	callpaths_follow(a); /* switch the event that may have come since the last frame */
	shown = a->event;
	a->event = changeable(a);
	switch_event(a, how, a->event == shown);
	a->event = shown;
}
