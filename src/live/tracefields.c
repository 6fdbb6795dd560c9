/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/tracefields.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "event/tracepoint.h"

struct of_event {
	struct trace_value weight;
	bool weighed;
};

struct tracefields {
	struct of_event *event;
	unsigned nr;
};

static int read_format(const struct event *e, struct trace_format *f, struct err *err)
{
	char *text = malloc(FORMAT_BYTES), name[EVENT_NAME_LEN];
	int ret = text ? tracepoint_name(e->name, e->attr.config, name, sizeof(name)) : -ENOMEM;

	*f = (struct trace_format){.nr = 0};
	if (!ret)
		ret = tracepoint_format(name, text, FORMAT_BYTES);
	if (ret == -ENOMEM)
		err_set(err, ENOMEM, "out of memory");
	else if (ret)
		ret = err_set(err, EACCES, "cannot read the format of %s in tracefs: %s", e->name, strerror(-ret));
	else
		ret = format_parse(text, strlen(text), f, err);
	free(text);
	return ret;
}

/* One that counts by itself can weigh nothing else: the kernel would give a sample for each of its counts. */
static int check_own(struct event *e, struct err *err)
{
	char name[EVENT_NAME_LEN];
	const char *own;

	if (tracepoint_name(e->name, e->attr.config, name, sizeof(name)))
		return err_set(err, EINVAL, "%s has no name in tracefs", e->name);
	own = tracepoint_own_count(name);
	if (strcmp(own, e->weight))
		return err_set(err, EINVAL, "-e: a hit of %s counts its %s, and weighs nothing else", name, own);
	free(e->weight);
	e->weight = NULL;
	return 0;
}

static int find_weight(struct event *e, struct of_event *of, struct err *err)
{
	struct trace_format f;
	int ret;

	if (!event_fixed_period(e))
		return err_set(err, EINVAL, "-e: %s: weight= adds up what each hit says, which goes with a fixed period (-c), "
			       "not with a frequency", e->name);
	ret = read_format(e, &f, err);
	if (!ret)
		ret = format_value(&f, e->weight, &of->weight, err) ? err_option(err, "-e") : 0;
	if (!ret && of->weight.text)
		ret = err_set(err, EINVAL, "-e: %s of %s is a text, which weighs nothing", e->weight, f.name);
	format_clear(&f);
	of->weighed = e->raw = !ret;
	return ret;
}

int tracefields_create(struct event_list *list, struct tracefields **to, struct err *err)
{
	struct tracefields *f = calloc(1, sizeof(*f));
	bool any = false;
	int ret = 0;

	*to = NULL;
	if (!f || !(f->event = calloc(list->nr, sizeof(*f->event)))) {
		free(f);
		return err_set(err, ENOMEM, "out of memory");
	}
	f->nr = list->nr;
	for (unsigned i = 0; i < list->nr && !ret; i++) {
		struct event *e = &list->events[i];

		if (e->weight && e->own_count)
			ret = check_own(e, err);
		else if (e->weight)
			ret = find_weight(e, &f->event[i], err);
		any |= f->event[i].weighed;
	}
	if (any && !ret)
		*to = f;
	else
		tracefields_free(f);
	return ret;
}

void tracefields_free(struct tracefields *f)
{
	if (!f)
		return;
	free(f->event);
	free(f);
}

const struct trace_value *tracefields_weight(const struct tracefields *f, unsigned event)
{
	return f && f->event[event].weighed ? &f->event[event].weight : NULL;
}
