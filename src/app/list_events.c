/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "app/list_events.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "kernel/capture/open.h"
#include "kernel/capture/privilege.h"
#include "kernel/event/catalog.h"
#include "kernel/event/parse.h"
#include "report/jsonout.h"

#define NAME_WIDTH 44

struct list {
	struct out out;
	struct privilege rights;
	bool json;
	unsigned nr;
};

/*
 * Try to open an event for our own process or, if it cannot count a task, for CPU 0.  0 or -errno.
 */
static int open_for_check(struct perf_event_attr *a)
{
	int fd;

	a->disabled = 1;
	a->exclude_guest = 0;
	fd = perf_open(a, 0, -1);
	if (fd == -EINVAL)
		fd = perf_open(a, -1, 0);
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

/* Find out why an event cannot be opened now, or for user code only; why->code 0: it can. */
static void check_openable(struct list *l, const struct catalog_entry *c, struct err *why)
{
	struct event_list events = {0};
	struct err err = {0};
	int ret = 0;

	*why = (struct err){0};
	if (c->kind == CATALOG_FORM)
		return;
	if (c->kind == CATALOG_TRACEPOINT) {
		/* Not opened, which waits for all CPUs each time: our rights decide. */
		if (!l->rights.tracepoints)
			privilege_explain(&l->rights, EACCES, c->name, why);
		return;
	}
	if (event_parse(c->name, &events, &err)) {
		*why = err;
		return;
	}
	ret = open_for_check(&events.events[0].attr);
	if (ret == -EACCES || ret == -EPERM) {
		events.events[0].attr.exclude_kernel = events.events[0].attr.exclude_hv = 1;
		ret = open_for_check(&events.events[0].attr);
		if (!ret)
			err_set(why, EACCES, "user code only: kernel.perf_event_paranoid is %d",
				l->rights.paranoid);
	}
	if (ret)
		privilege_explain(&l->rights, -ret, c->name, why);
	event_list_clear(&events);
}

static void put_json_entry(struct list *l, const struct catalog_entry *c, const struct err *why)
{
	out_text(&l->out, "{\"name\":");
	jsonout_name(&l->out, c->name);
	out_printf(&l->out, ",\"kind\":\"%s\",\"unit\":", catalog_kind_names[c->kind]);
	jsonout_name(&l->out, c->unit);
	out_text(&l->out, ",\"text\":");
	jsonout_name(&l->out, c->text);
	out_text(&l->out, ",\"why\":");
	if (why->code)
		jsonout_name(&l->out, why->text);
	else
		out_text(&l->out, "null");
	out_text(&l->out, "}\n");
}

/* Return the reason without the event's name, which begins the line. */
static const char *short_why(const struct err *why)
{
	switch (why->code) {
	case ENOENT:
	case EOPNOTSUPP:
	case ENODEV:
		return "not on this machine";
	case EACCES:
	case EPERM:
		return !strncmp(why->text, "user", 4) ? "user code only" : "not permitted";
	default:
		return why->text;
	}
}

static void put_text_entry(struct list *l, const struct catalog_entry *c, const struct err *why)
{
	char text[sizeof(c->text) * 4 + 1], name[EVENT_NAME_LEN * 4 + 1],
		unit[sizeof(c->unit) * 4 + 4] = "";

	text_escape(text, sizeof(text), c->text);
	text_escape(name, sizeof(name), c->name);
	if (*c->unit) {
		text_escape(unit, sizeof(unit) - 2, c->unit);
		strcat(unit, "; ");
	}
	out_printf(&l->out, "%-*s  %-10s  %s%s%s%s%s\n", NAME_WIDTH, name,
		   catalog_kind_names[c->kind], unit, text, why->code ? " [" : "",
		   why->code ? short_why(why) : "", why->code ? "]" : "");
}

static int put_catalog_entry(void *arg, const struct catalog_entry *c)
{
	struct list *l = arg;
	struct err why;

	check_openable(l, c, &why);
	if (l->json)
		put_json_entry(l, c, &why);
	else
		put_text_entry(l, c, &why);
	l->nr++;
	return out_flush(&l->out);
}

int list_events(char *const *patterns, bool json, struct err *err)
{
	struct list l = {.json = json};
	struct err missing = {0};
	int ret = 0;

	privilege_get(&l.rights);
	out_init(&l.out, STDOUT_FILENO, -1);
	if (!patterns || !*patterns)
		ret = catalog_walk(NULL, put_catalog_entry, &l, &missing);
	for (; patterns && *patterns && !ret; patterns++)
		ret = catalog_walk(*patterns, put_catalog_entry, &l, &missing);
	out_clear(&l.out);
	if (ret)
		return ret == -EPIPE
			       ? 0
			       : err_set(err, -ret, "cannot write the list: %s", strerror(-ret));
	if (missing.code == EACCES) {
		*err = missing;
		err_prefix(err, "tracepoints are not listed");
		return l.nr ? 0 : -EACCES;
	}
	return l.nr ? 0 : err_set(err, ENOENT, "no event of this machine matches");
}
