/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/replay/traced.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/clock.h"
#include "base/text.h"
#include "base/vec.h"
#include "sources/replay/fileevents.h"
#include "measure/consumers/samplesums.h"
#include "measure/session/fieldrows.h"
#include "core/table/split.h"

#define KEYS	  65536		    /* most sums by fields in a slice */
#define WAIT_NS	  NSEC_PER_SEC
/* Halves: the least that wait if there are many; the most is twice that. */
#define STRETCH	  (PAIRS_HELD / 4)
#define TIME_MOST (UINT64_MAX >> (PAIRS_KIND_BITS + 1)) /* a half cannot have a later time */
#define CPUS_MOST 8192u

struct traced {
	const struct traced_plan *plan;
	struct fieldsums *sums; /* NULL: no sums */
	uint16_t epoch;		/* counts changes of threads' names */
	/* Counts changes of processes' addresses, by split_bit; NULL: no sums by call paths. */
	uint16_t *mapped;
	struct pairs *pairs;	/* NULL: no pairs */
	struct slice_latency latency; /* since the last slice */
	bool any;
	uint64_t time, stepped; /* time of the newest half; halves before `stepped` are paired */
	uint64_t mark[2]; /* times when the last stretch of halves began, and the one before it */
	unsigned since_mark;
	uint64_t *newest;	/* time of the last sample, by CPU */
	size_t cap_newest;
	unsigned late;		/* losses reported too late, since the last slice */
	bool untimed;		/* some losses had no time */
	bool untimed_said;
};

/* --- the plan --------------------------------------------------------------------------------- */

static int file_format(void *arg, const struct event *e, struct trace_format *f, struct err *err)
{
	const struct recorded_format *from = formats_find(arg, e->attr.config);

	*f = (struct trace_format){.nr = 0};
	if (!from)
		return err_set(err, EINVAL,
			       "%s: the recording lacks the format of its records",
			       e->name);
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
	const struct formats *formats;
};

/*
 * Return true if `name` is the event's: SUBSYSTEM:NAME by the format; else the recorded name
 * without its terms.
 */
static bool is_named_event(const struct names *n, const struct event *e, const char *name)
{
	const struct recorded_format *f = formats_find(n->formats, e->attr.config);
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
			      "recorded tracepoint: '%.100s'",
			      text);
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
static void check_weight(struct traced_plan *p, struct event *e,
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

static int check_order(const struct perfdata *file, const struct traced_wanted *w, struct err *err)
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

static int check_pair_times(const struct traced_plan *p, struct err *err)
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

int traced_plan_make(struct traced_plan *p, const struct perfdata *file,
		     const struct formats *formats, const struct traced_wanted *w, struct err *err)
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

void traced_plan_clear(struct traced_plan *p)
{
	tracefields_free(p->fields);
	event_list_clear(&p->list);
	*p = (struct traced_plan){.fields = NULL};
}

void traced_plan_describe(const struct traced_plan *p, struct session_info *info)
{
	for (unsigned i = 0; i < info->nevents && i < p->list.nr; i++)
		fieldrows_describe(p->fields, i, &p->list.events[i], &info->events[i]);
	fieldrows_describe_between(&p->between, &info->between);
	if (*p->note)
		text_append(info->note, sizeof(info->note), strlen(info->note), "%s%s",
			    *info->note ? "; " : "", p->note);
}

uint64_t traced_plan_hits(const struct traced_plan *p, unsigned event)
{
	return tracefields_weight(p->fields, event) ? p->list.events[event].attr.sample_period : 0;
}

/* --- pairs ------------------------------------------------------------------------------------ */

static void step_pairs(struct traced *t, uint64_t time)
{
	if (time <= t->stepped)
		return;
	t->any |= pairs_held(t->pairs) > 0;
	pairs_step(t->pairs, time, &t->latency);
	t->stepped = time;
}

static bool room_for_halves(struct traced *t, unsigned nr)
{
	if (pairs_room(t->pairs, nr))
		return true;
	step_pairs(t, t->time); /* else they would be lost */
	return pairs_room(t->pairs, nr);
}

static void put_half(struct traced *t, const uint64_t *half, uint64_t time)
{
	if (!room_for_halves(t, 1)) {
		t->latency.lost++;
		t->any = true;
		return;
	}
	pairs_put(t->pairs, half);
	t->time = time > t->time ? time : t->time;
	if (++t->since_mark < STRETCH)
		return;
	step_pairs(t, t->mark[0]);
	t->mark[0] = t->mark[1];
	t->mark[1] = time;
	t->since_mark = 0;
}

static void note_newest(struct traced *t, const struct sample *s)
{
	size_t had = t->cap_newest;

	if (s->cpu >= CPUS_MOST)
		return;
	if (s->cpu >= had) {
		if (!vec_reserve(&t->newest, &t->cap_newest, s->cpu + 1u, sizeof(*t->newest)))
			return;
		memset(t->newest + had, 0, (t->cap_newest - had) * sizeof(*t->newest));
	}
	t->newest[s->cpu] = s->time;
}

static void pair_sample(struct traced *t, unsigned event, const struct sample *s)
{
	uint64_t half[1 + PAIRS_WORDS];
	int is = between_plan_half(&t->plan->between, s->cpu, event, s, half);

	note_newest(t, s);
	if (is > 0 && s->time <= TIME_MOST) {
		put_half(t, half, s->time);
	} else if (is) {
		t->latency.lost++;
		t->any = true;
	}
}

void traced_gap(struct traced *t, uint32_t cpu, uint64_t time)
{
	uint64_t gap[2][1 + PAIRS_WORDS] = {{0}}, from = 0;

	if (!t || !t->pairs || time > TIME_MOST)
		return;
	if (cpu < t->cap_newest && t->newest[cpu] < time)
		from = t->newest[cpu];
	t->late += from < t->stepped;
	if (!room_for_halves(t, 2)) {
		pairs_break(t->pairs, &t->latency);
		return;
	}
	gap[0][0] = pairs_stamp(from, PAIRS_GAP);
	gap[1][0] = pairs_stamp(time > from ? time : from + 1, PAIRS_GAP_END);
	pairs_put(t->pairs, gap[0]);
	pairs_put(t->pairs, gap[1]);
}

void traced_lost(struct traced *t)
{
	if (t && t->pairs)
		t->untimed = true;
}

void traced_exit(struct traced *t, uint32_t tid, uint64_t time)
{
	const uint64_t half[] = {pairs_stamp(time, PAIRS_ENDED), tid};

	if (t && t->pairs && !t->plan->between.nfields && time && time <= TIME_MOST &&
	    room_for_halves(t, 1))
		pairs_put(t->pairs, half);
}

/* --- samples ---------------------------------------------------------------------------------- */

bool traced_sample(struct traced *t, unsigned event, const struct sample *s,
		   const struct path *path, uint64_t *weight)
{
	struct consumer_sample c = {.s = s, .path = path, .event = event, .cpu = (int)s->cpu};
	const struct trace_value *by;
	const struct tracekey *key;

	if (!t)
		return true;
	by = tracefields_weight(t->plan->fields, event);
	key = tracefields_key(t->plan->fields, event);
	c.weight = by ? traced_plan_hits(t->plan, event) : *weight;
	if (by && !samplesums_weigh(by, s, &c.weight))
		return false;
	*weight = c.weight;
	if (key && !samplesums_add(t->sums, key, &c, t->epoch,
				   t->mapped ? t->mapped[split_bit(s->pid)] : 0))
		return false;
	if (t->pairs)
		pair_sample(t, event, s);
	return true;
}

void traced_comm(struct traced *t)
{
	if (t)
		t->epoch++;
}

void traced_remapped(struct traced *t, uint32_t pid)
{
	if (traced_by_path(t))
		t->mapped[split_bit(pid)]++;
}

bool traced_by_path(const struct traced *t)
{
	return t && t->mapped;
}

/* --- slices ----------------------------------------------------------------------------------- */

bool traced_tell_sums(struct traced *t, struct resolver *names, struct slice *s)
{
	if (!t || !t->sums)
		return true;
	if (!samplesums_tell(t->sums, names, false, s))
		return false;
	fieldsums_clear(t->sums);
	return true;
}

static void log_pair_losses(struct traced *t, struct slice *s)
{
	if (t->late)
		slice_log(
			s, SLICE_WARNING,
			"--between: %u losses were reported a second late or later: pairs of that "
			"time may combine unrelated records",
			t->late);
	if (t->untimed && !t->untimed_said)
		slice_log(
			s, SLICE_WARNING,
			"--between: samples were lost at unknown times: pairs may combine "
			"unrelated records");
	t->untimed_said |= t->untimed;
	t->late = 0;
}

static bool tell_latency(struct traced *t, uint64_t time, bool last, struct slice *s)
{
	if (last) {
		pairs_step(t->pairs, UINT64_MAX, &t->latency);
		pairs_end(t->pairs, &t->latency);
		t->any = true;
	} else if (time > WAIT_NS) {
		step_pairs(t, time - WAIT_NS);
	}
	log_pair_losses(t, s);
	if (!t->any)
		return true;
	if (!(s->latency = malloc(sizeof(*s->latency))))
		return false;
	*s->latency = t->latency;
	t->latency = (struct slice_latency){.count = 0};
	t->any = false;
	return true;
}

bool traced_tell(struct traced *t, struct resolver *names, uint64_t time, bool last,
		 struct slice *s)
{
	bool sums = traced_tell_sums(t, names, s);

	/* Paths of several processes are merged in the dictionary, and keys with them. */
	if (traced_by_path(t))
		s->nfields = slice_fields_fold(s->fields, s->nfields);

	return (!t || !t->pairs || tell_latency(t, time, last, s)) && sums;
}

/* --- all of it -------------------------------------------------------------------------------- */

/* Return false if out of memory. */
static bool make_sums(struct traced *t)
{
	const struct tracefields *f = t->plan->fields;

	if (!tracefields_keyed(f))
		return true;
	t->sums = samplesums_create(f, t->plan->list.nr, KEYS);
	if (t->sums && tracefields_by_path(f))
		t->mapped = calloc(SPLIT_BITS, sizeof(*t->mapped));
	return t->sums && (t->mapped || !tracefields_by_path(f));
}

int traced_create(const struct traced_plan *plan, struct traced **to)
{
	bool made;

	struct traced *t;

	*to = NULL;
	if (!plan || (!plan->fields && !plan->between.wanted))
		return 0;
	if (!(t = calloc(1, sizeof(*t))))
		return -ENOMEM;
	t->plan = plan;
	made = make_sums(t);
	if (plan->between.wanted)
		t->pairs = pairs_create(plan->between.nfields);
	if (made && (t->pairs || !plan->between.wanted)) {
		*to = t;
		return 0;
	}
	traced_free(t);
	return -ENOMEM;
}

void traced_free(struct traced *t)
{
	if (!t)
		return;
	fieldsums_free(t->sums);
	free(t->mapped);
	pairs_free(t->pairs);
	free(t->newest);
	free(t);
}
