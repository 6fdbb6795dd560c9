/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/replay/filefields.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/text.h"
#include "sources/replay/fileevents.h"
#include "measure/consumers/samplesums.h"
#include "core/table/split.h"

#define KEYS 65536 /* most sums by fields in a slice */

struct filefields {
	const struct filefields_plan *plan;
	struct fieldsums *sums;
	uint16_t epoch; /* counts changes of threads' names */
	/* Counts changes of processes' addresses, by split_bit; NULL: no sums by call paths. */
	uint16_t *mapped;
};

/* --- the plan --------------------------------------------------------------------------------- */

static int file_format(void *arg, const struct event *e, struct trace_format *f, struct err *err)
{
	const struct recorded_format *from = fileformats_find(arg, e->attr.config);

	*f = (struct trace_format){.nr = 0};
	if (!from)
		return err_set(err, EINVAL,
			       "%s: the recording lacks the format of its records", e->name);
	if (!e->raw)
		return err_set(err, EINVAL, "%s: its records were not recorded", e->name);
	*f = from->format;
	f->field = malloc((from->format.nr + 1) * sizeof(*f->field));
	if (!f->field) {
		f->nr = 0;
		return err_set(err, ENOMEM, "out of memory");
	}
	memcpy(f->field, from->format.field, f->nr * sizeof(*f->field));
	return 0;
}

static int file_paths(void *arg, const struct event *e, struct err *err)
{
	(void)arg;
	if (e->attr.sample_type &
	    (PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_STACK_USER | PERF_SAMPLE_BRANCH_STACK))
		return 0;
	err_set(err, EINVAL, "stack: %s was recorded without call paths", e->name);
	return err_advise(err, "perf record -g, or ringtop -g -w");
}

/* Return the field behind weight= in NAME/TERM,TERM.../, malloc'ed; NULL: none, or no memory. */
static char *weight_in(const char *name)
{
	const char *at = strchr(name, '/');
	size_t len;

	while (at && *at) {
		at++;
		len = strcspn(at, ",/");
		if (len > 7 && !strncmp(at, "weight=", 7))
			return strndup(at + 7, len - 7);
		at += len;
	}
	return NULL;
}

/* List the session's events; one that is no tracepoint, or several at once, has no fields. */
static int list_session_events(struct event_list *list, const struct perfdata *file,
			       struct err *err)
{
	struct event *e;
	unsigned n = 0;

	for (unsigned i = 0; i < perfdata_events(file); i++) {
		const struct perfdata_event *from = perfdata_event(file, i);
		uint32_t index = fileevents_number(file, i, &n);

		if (index == PERFDATA_NO_EVENT)
			continue;
		if (index < list->nr) {
			event_clear(&list->events[index]);
			list->events[index].attr =
				(struct perf_event_attr){.type = PERF_TYPE_SOFTWARE};
			continue;
		}
		if (!(e = event_list_add(list, from->name)))
			return err_set(err, ENOMEM, "out of memory");
		e->attr = from->attr;
		e->raw = from->attr.sample_type & PERF_SAMPLE_RAW;
		e->weight = from->attr.type == PERF_TYPE_TRACEPOINT && e->raw
				    ? weight_in(from->name)
				    : NULL;
	}
	return 0;
}

struct names {
	const struct event_list *list;
	const struct fileformats *formats;
};

/*
 * Return true if `name` is the event's: SUBSYSTEM:NAME by the format; else the recorded name
 * without its terms.
 */
static bool is_named_event(const struct names *n, const struct event *e, const char *name)
{
	const struct recorded_format *f = fileformats_find(n->formats, e->attr.config);
	size_t system = strcspn(e->name, ":"), len = strlen(name);

	if (e->attr.type != PERF_TYPE_TRACEPOINT)
		return false;
	if (f)
		return !strncmp(name, f->system, strlen(f->system)) &&
		       name[strlen(f->system)] == ':' &&
		       !strcmp(name + strlen(f->system) + 1, f->format.name);
	return e->name[system] && len == system + 1 + strcspn(e->name + system + 1, ":/") &&
	       !strncmp(e->name, name, len);
}

static int find_tracepoint(void *arg, const char *name, unsigned *event, struct err *err)
{
	const struct names *n = arg;

	for (*event = 0; *event < n->list->nr; ++*event)
		if (is_named_event(n, &n->list->events[*event], name))
			return 0;
	return err_set(err, EINVAL, "no tracepoint %.100s was recorded", name);
}

/* Set a weight by -e NAME/weight=FIELD/. */
static int take_weight(const struct names *n, const char *text, struct err *err)
{
	size_t len = strcspn(text, "/");
	char *weight = weight_in(text), name[EVENT_NAME_LEN];
	unsigned event;
	int ret = 0;

	snprintf(name, sizeof(name), "%.*s", (int)(len < sizeof(name) ? len : sizeof(name) - 1),
		 text);
	if (!weight || strlen(text) != len + strlen("/weight=/") + strlen(weight))
		ret = err_set(err, EINVAL,
			      "-e: with -i only NAME/weight=FIELD/ is valid, the weight of a "
			      "recorded tracepoint: '%.100s'", text);
	else if (find_tracepoint((void *)n, name, &event, err))
		ret = err_option(err, "-e");
	if (ret) {
		free(weight);
		return ret;
	}
	free(n->list->events[event].weight);
	n->list->events[event].weight = weight;
	return 0;
}

/*
 * Check the weight in a recorded name. One that cannot be used is noted, no error: the names were
 * chosen by the recorder.
 */
static void check_weight(struct filefields_plan *p, struct event *e,
			 const struct tracefields_source *source)
{
	struct trace_format f = {.nr = 0};
	struct trace_value v;

	if (!event_fixed_period(e) || tracefields_format(source, e, &f, NULL) ||
	    format_value(&f, e->weight, &v, NULL) || v.text) {
		snprintf(p->note, sizeof(p->note),
			 "%.80s: its hits count 1 each, as its field '%.40s' cannot be read",
			 e->name, e->weight);
		free(e->weight);
		e->weight = NULL;
	}
	format_clear(&f);
}

static int check_order(const struct perfdata *file, const struct measure_config *w, struct err *err)
{
	if (!perfdata_info(file)->swapped || (!w->by && !w->between && !w->nevents))
		return 0;
	return err_set(
		err, EINVAL,
		"%s: the recording has the other byte order: fields of its tracepoints cannot be "
		"read",
		w->by	     ? "--by"
		: w->between ? "--between"
			     : "-e");
}

static int check_pair_times(const struct filefields_plan *p, struct err *err)
{
	for (unsigned side = 0; side < BETWEEN_SIDES; side++) {
		const struct event *e = &p->list.events[p->between.event[side]];

		if (!(e->attr.sample_type & PERF_SAMPLE_TIME))
			return err_set(err, EINVAL, "--between: %s was recorded without times",
				       e->name);
	}
	return 0;
}

/*
 * Return the file's machine if it is another one; a file that does not have it is taken for this
 * one's.
 */
static const char *other_machine(const struct perfdata *file)
{
	const char *arch = perfdata_info(file)->arch;
	struct utsname here;

	return *arch && !uname(&here) && strcmp(arch, here.machine) ? arch : NULL;
}

int filefields_plan_make(struct filefields_plan *p, const struct perfdata *file,
			 const struct fileformats *formats, const struct measure_config *w,
			 struct err *err)
{
	const struct tracefields_source source = {.format = file_format,
						  .paths = file_paths,
						  .arg = (void *)formats,
						  .texts = &formats->texts,
						  .machine = other_machine(file)};
	struct names names = {&p->list, formats};
	int ret = check_order(file, w, err);

	if (!ret)
		ret = list_session_events(&p->list, file, err);
	for (unsigned i = 0; i < p->list.nr && !ret; i++)
		if (p->list.events[i].weight)
			check_weight(p, &p->list.events[i], &source);
	for (unsigned i = 0; i < w->nevents && !ret; i++)
		ret = take_weight(&names, w->events[i], err);
	if (!ret)
		ret = tracefields_create(&p->list, w->by, &source, &p->fields, err);
	if (!ret && w->between &&
	    between_plan_parse(&p->between, w->between, find_tracepoint, &names, err))
		ret = err_option(err, "--between");
	if (!ret && w->between)
		ret = between_plan_find(&p->between, &p->list, &source, err);
	if (!ret && w->between)
		ret = check_pair_times(p, err);
	return ret;
}

void filefields_plan_clear(struct filefields_plan *p)
{
	tracefields_free(p->fields);
	event_list_clear(&p->list);
	*p = (struct filefields_plan){.fields = NULL};
}

void filefields_plan_describe(const struct filefields_plan *p, struct session_info *info)
{
	for (unsigned i = 0; i < info->nevents && i < p->list.nr; i++)
		samplesums_describe(p->fields, i, &p->list.events[i], &info->events[i]);
	samplesums_describe_pairs(&p->between, &info->between);
	if (*p->note)
		text_append(info->note, sizeof(info->note), strlen(info->note), "%s%s",
			    *info->note ? "; " : "", p->note);
}

uint64_t filefields_plan_hits(const struct filefields_plan *p, unsigned event)
{
	return tracefields_weight(p->fields, event) ? p->list.events[event].attr.sample_period : 0;
}

/* --- samples ---------------------------------------------------------------------------------- */

static bool sum_traced(void *of, const struct consumer_sample *c)
{
	struct filefields *t = of;
	const struct tracekey *key = tracefields_key(t->plan->fields, c->event);

	return samplesums_add(t->sums, key, c, t->epoch,
			      t->mapped ? t->mapped[split_bit(c->s->pid)] : 0);
}

const struct consumer_ops filefields_consumer = {.sample = sum_traced};

void filefields_comm(struct filefields *t)
{
	if (t)
		t->epoch++;
}

void filefields_remapped(struct filefields *t, uint32_t pid)
{
	if (filefields_by_path(t))
		t->mapped[split_bit(pid)]++;
}

bool filefields_by_path(const struct filefields *t)
{
	return t && t->mapped;
}

/* --- slices ----------------------------------------------------------------------------------- */

bool filefields_tell(struct filefields *t, struct resolver *names, struct slice *s)
{
	if (!t)
		return true;
	if (!samplesums_tell(t->sums, names, false, s))
		return false;
	fieldsums_clear(t->sums);
	/* Paths of several processes are merged in the dictionary, and keys with them. */
	if (filefields_by_path(t))
		s->nfields = slice_fields_fold(s->fields, s->nfields);
	return true;
}

/* --- all of it -------------------------------------------------------------------------------- */

int filefields_create(const struct filefields_plan *plan, struct filefields **to)
{
	struct filefields *t;

	*to = NULL;
	if (!plan || !tracefields_keyed(plan->fields))
		return 0;
	if (!(t = calloc(1, sizeof(*t))))
		return -ENOMEM;
	t->plan = plan;
	t->sums = samplesums_create(plan->fields, plan->list.nr, KEYS);
	if (tracefields_by_path(plan->fields))
		t->mapped = calloc(SPLIT_BITS, sizeof(*t->mapped));
	if (t->sums && (t->mapped || !tracefields_by_path(plan->fields))) {
		*to = t;
		return 0;
	}
	filefields_free(t);
	return -ENOMEM;
}

void filefields_free(struct filefields *t)
{
	if (!t)
		return;
	fieldsums_free(t->sums);
	free(t->mapped);
	free(t);
}
