/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/consumers/between_plan.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "kernel/event/parse.h"

static const struct {
	const char *name, *text;
} known[] = {
	{"syscalls", "raw_syscalls:sys_enter,raw_syscalls:sys_exit"},
	{"block", "block:block_rq_issue,block:block_rq_complete:dev+sector"},
	{"wakeup", "sched:sched_waking,sched:sched_switch:pid=next_pid"},
};

static const char *expand_known_plan(const char *text)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strcmp(known[i].name, text))
			return known[i].text;
	return text;
}

static int is_none(const char *text, struct err *err)
{
	err_set(err, EINVAL, "--between: '%.80s' is not A,B[:FIELD[+FIELD...]]", text);
	return err_advise(
		err, "A and B are tracepoints, as raw_syscalls:sys_enter,raw_syscalls:sys_exit");
}

/* Add "pid" or, where B has another name for it, "pid=next_pid", to the key. */
static bool add_key_field(struct between_plan *plan, const char *text, size_t len)
{
	const char *other = memchr(text, '=', len);
	size_t from = other ? (size_t)(other - text) : len, to = other ? len - from - 1 : len;

	if (!from || !to || from >= FORMAT_NAME || to >= FORMAT_NAME ||
	    plan->nfields == PAIRS_WORDS)
		return false;
	memcpy(plan->name[BETWEEN_FROM][plan->nfields], text, from);
	memcpy(plan->name[BETWEEN_TO][plan->nfields], other ? other + 1 : text, to);
	text_append(plan->key, sizeof(plan->key), strlen(plan->key), "%s%.*s",
		    plan->nfields ? ", " : "", (int)len, text);
	plan->nfields++;
	return true;
}

static bool split_fields(struct between_plan *plan, const char *text)
{
	for (;; text++) {
		size_t len = strcspn(text, "+");

		if (!add_key_field(plan, text, len))
			return false;
		text += len;
		if (!*text)
			return true;
	}
}

int between_plan_event(void *arg, const char *name, unsigned *event, struct err *err)
{
	struct event_list *list = arg;
	unsigned before = list->nr;
	struct event *e;
	int ret = event_parse(name, list, err);

	if (ret)
		return err_option(err, "--between");
	e = &list->events[before];
	if (list->nr != before + 1 || e->attr.type != PERF_TYPE_TRACEPOINT)
		return err_set(err, EINVAL, "--between: %s is not one tracepoint", name);
	e->rated = true;
	e->attr.sample_period = 1;
	e->attr.freq = 0;
	for (*event = 0; *event < before; ++*event) {
		const struct event *a = &list->events[*event];

		if (event_has_record(a) && a->attr.config == e->attr.config && !a->group) {
			event_clear(e);
			list->nr--;
			return 0;
		}
	}
	return 0;
}

int between_plan_parse(struct between_plan *plan, const char *text, between_plan_find_event *find,
		       void *arg, struct err *err)
{
	char name[BETWEEN_SIDES][EVENT_NAME_LEN];
	const char *full = expand_known_plan(text), *comma = strchr(full, ','),
		   *b = comma ? comma + 1 : full;
	size_t sub = strcspn(b, ":"), len = b[sub] ? sub + 1 + strcspn(b + sub + 1, ":") : 0;
	int ret;

	*plan = (struct between_plan){.wanted = true};
	if (!comma || !len || (size_t)(comma - full) >= sizeof(*name) || len >= sizeof(*name) ||
	    strcspn(b, ",") < len)
		return is_none(text, err);
	snprintf(name[BETWEEN_FROM], sizeof(*name), "%.*s", (int)(comma - full), full);
	snprintf(name[BETWEEN_TO], sizeof(*name), "%.*s", (int)len, b);
	if (b[len] && !split_fields(plan, b + len + 1))
		return is_none(text, err);
	ret = find(arg, name[BETWEEN_FROM], &plan->event[BETWEEN_FROM], err);
	if (!ret)
		ret = find(arg, name[BETWEEN_TO], &plan->event[BETWEEN_TO], err);
	if (!ret && plan->event[BETWEEN_FROM] == plan->event[BETWEEN_TO])
		ret = err_set(err, EINVAL, "--between: %s is the start and the end",
			      name[BETWEEN_FROM]);
	return ret;
}

static int find_fields(struct between_plan *plan, enum between_side side,
		       const struct tracefields_source *source, struct event *e, struct err *err)
{
	struct trace_format format;
	int ret = tracefields_format(source, e, &format, err);

	for (unsigned i = 0; i < plan->nfields && !ret; i++) {
		ret = format_value(&format, plan->name[side][i], &plan->field[side][i], err);
		ret = ret ? err_option(err, "--between") : 0;
		if (!ret && plan->field[side][i].text)
			ret = err_set(err, EINVAL,
				      "--between: %s of %s is a text; keys of pairs must be "
				      "numbers", plan->name[side][i], e->name);
	}
	format_clear(&format);
	e->raw |= !ret;
	return ret;
}

int between_plan_find(struct between_plan *plan, struct event_list *list,
		      const struct tracefields_source *source, struct err *err)
{
	int ret = 0;

	for (unsigned side = 0; plan->wanted && side < BETWEEN_SIDES && !ret; side++) {
		struct event *e = &list->events[plan->event[side]];

		if (event_fixed_period(e) != 1)
			ret = err_set(err, EINVAL,
				      "--between: it needs every hit of %s (-c 1)", e->name);
		else if (plan->nfields)
			ret = find_fields(plan, side, source, e, err);
	}
	return ret;
}

/* Make a number for the thread: each CPU has an idle thread, all with TID 0. */
static uint64_t pair_thread(unsigned cpu, const struct sample *s)
{
	if ((int32_t)s->tid < 0)
		return PAIRS_NOBODY;
	return s->tid ? s->tid : (uint64_t)1 << 32 | cpu;
}

static bool read_half_key(const struct between_plan *plan, enum between_side side,
			  const struct sample *s, uint64_t *key)
{
	const struct sample_span *raw = &s->span[SAMPLE_RAW];

	for (unsigned i = 0; i < plan->nfields; i++)
		if (!raw->offset || !trace_number(&plan->field[side][i], sample_at(s, SAMPLE_RAW),
						  raw->len, &key[i]))
			return false;
	return true;
}

int between_plan_half(const struct between_plan *plan, unsigned cpu, unsigned event,
		      const struct sample *s, uint64_t *half)
{
	enum between_side side = event == plan->event[BETWEEN_TO] ? BETWEEN_TO : BETWEEN_FROM;

	if (event != plan->event[side])
		return 0;
	half[0] = pairs_stamp(s->time, side == BETWEEN_TO ? PAIRS_TO : PAIRS_FROM);
	half[1] = pair_thread(cpu, s);
	return read_half_key(plan, side, s, half + 1) ? 1 : -EINVAL;
}
