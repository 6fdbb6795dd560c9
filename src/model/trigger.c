/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/trigger.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "base/units.h"

#define WINDOW_NS NSEC_PER_SEC /* what a share is of */
#define QUIET_NS  NSEC_PER_SEC /* between two snapshots of one event */

/* --- the text ----------------------------------------------------------------------------- */

static const struct {
	const char *word;
	enum trigger_kind kind;
	bool share, named;
} subjects[] = {
	{"function", TRIGGER_FUNCTION, true, true}, {"task", TRIGGER_TASK, true, true},
	{"lost", TRIGGER_LOST, true, false},	    {"samples/s", TRIGGER_SAMPLES, false, false},
};

#define SUBJECTS (sizeof(subjects) / sizeof(subjects[0]))

static int bad(struct err *err, const char *text, const char *at, const char *want)
{
	err_set(err, EINVAL, "--snapshot-on '%.200s': at '%.60s' (character %zu) there must be %s",
		text, at, (size_t)(at - text) + 1, want);
	return err_advise(err, "for example 'function>80%%:2s', 'task:gzip>50%%:500ms', 'lost>1%%', "
			       "'samples/s<10:5s', 'event:sched:sched_switch'");
}

/* A plain decimal: strtod would take "inf", "nan" and hexadecimals too. */
static const char *number_end(const char *s)
{
	const char *p = s + strspn(s, "0123456789");

	if (*p == '.')
		p += 1 + strspn(p + 1, "0123456789");
	return p == s || (p == s + 1 && *s == '.') || p - s > 20 ? s : p;
}

/* The last OP that a number follows, or NULL. */
static const char *find_op(const char *text)
{
	for (const char *p = text + strlen(text); p-- > text;) {
		const char *n = p + 1 + strspn(p + 1, " ");

		if ((*p == '>' || *p == '<') && number_end(n) != n)
			return p;
	}
	return NULL;
}

static const char *skip(const char *p)
{
	return p + strspn(p, " ");
}

static int parse_time(const char *text, const char *p, struct trigger *t, struct err *err)
{
	static const struct {
		const char *unit;
		uint64_t ns;
	} units[] = {{"ms", NSEC_PER_MSEC}, {"s", NSEC_PER_SEC}, {"m", 60 * NSEC_PER_SEC},
		     {"", NSEC_PER_SEC}};
	const char *end = number_end(p);
	double n = strtod(p, NULL);

	if (end == p)
		return bad(err, text, p, "a time such as 2s or 500ms");
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		size_t len = strlen(units[i].unit);

		if (strncmp(end, units[i].unit, len) || *skip(end + len))
			continue;
		if (n * (double)units[i].ns > 3600e9)
			return bad(err, text, p, "a time of at most an hour");
		t->hold = (uint64_t)(n * (double)units[i].ns);
		return 0;
	}
	return bad(err, text, end, "ms, s or m");
}

static int parse_limit(const char *text, const char *op, struct trigger *t, bool share,
		       struct err *err)
{
	const char *p = skip(op + 1), *end = number_end(p);

	t->below = *op == '<';
	t->limit = strtod(p, NULL);
	if (share)
		t->limit /= 100;
	if (share && t->limit > 1)
		return bad(err, text, p, "a share of at most 100%");
	if (t->below ? !(t->limit > 0) : share && t->limit >= 1)
		return bad(err, text, p, t->below ? "a number above 0: nothing is less"
						  : "a share below 100%: nothing is more");
	end = skip(end);
	if (*end == '%' && !share)
		return bad(err, text, end, "a plain number: it is no share");
	if (*end == '%')
		end = skip(end + 1);
	if (!*end)
		return 0;
	if (*end != ':')
		return bad(err, text, end, "':' and a time, or nothing");
	return parse_time(text, skip(end + 1), t, err);
}

static int parse_subject(const char *text, const char *op, struct trigger *t, bool *share,
			 struct err *err)
{
	const char *start = skip(text), *end = op;

	while (end > start && end[-1] == ' ')
		end--;
	for (size_t i = 0; i < SUBJECTS; i++) {
		size_t len = strlen(subjects[i].word), left = (size_t)(end - start);

		if (left < len || strncmp(start, subjects[i].word, len))
			continue;
		t->kind = subjects[i].kind;
		*share = subjects[i].share;
		if (left == len)
			return 0;
		if (!subjects[i].named || start[len] != ':')
			continue;
		snprintf(t->name, sizeof(t->name), "%.*s", (int)(left - len - 1), start + len + 1);
		return *t->name ? 0 : bad(err, text, end, "a name");
	}
	return bad(err, text, start, "function[:NAME], task[:NAME], lost, samples/s or event:NAME");
}

static bool is_subject(const char *text)
{
	for (size_t i = 0; i < SUBJECTS; i++)
		if (!strncmp(skip(text), subjects[i].word, strlen(subjects[i].word)))
			return true;
	return false;
}

/* There is no OP with a number: what comes first is told first. */
static int bad_form(const char *text, struct err *err)
{
	const char *op = text + strcspn(text, "<>");

	if (!is_subject(text))
		return bad(err, text, skip(text), "function[:NAME], task[:NAME], lost, samples/s or event:NAME");
	return *op ? bad(err, text, skip(op + 1), "a number")
		   : bad(err, text, op, "'>' or '<' and a number");
}

static int parse_event(const char *text, struct trigger *t, struct err *err)
{
	const char *name = skip(text) + strlen("event:");

	t->kind = TRIGGER_EVENT;
	snprintf(t->name, sizeof(t->name), "%s", name);
	return *name ? 0 : bad(err, text, name, "the name of an event");
}

int trigger_parse(const char *text, struct trigger *t, struct err *err)
{
	const char *op;
	bool share = false;
	int ret;

	memset(t, 0, sizeof(*t));
	if (strlen(text) >= sizeof(t->text))
		return err_set(err, EINVAL, "--snapshot-on: a condition has at most %d characters",
			       TRIGGER_TEXT - 1);
	snprintf(t->text, sizeof(t->text), "%s", text);
	if (!strncmp(skip(text), "event:", strlen("event:")))
		return parse_event(text, t, err);
	op = find_op(text);
	if (!op)
		return bad_form(text, err);
	ret = parse_subject(text, op, t, &share, err);
	return ret ? ret : parse_limit(text, op, t, share, err);
}

/* "sched:sched_switch" stands for "sched:sched_switch:k" too. */
static bool is_event(const char *event, const char *name)
{
	size_t len = strlen(name);

	return !strncmp(event, name, len) && (!event[len] || event[len] == ':' || event[len] == '/');
}

int trigger_bind(struct trigger *t, const struct session_info *info, struct err *err)
{
	char names[256] = "";
	size_t pos = 0;

	if (t->kind != TRIGGER_EVENT)
		return 0;
	for (unsigned i = 0; i < info->nevents; i++) {
		pos = text_append(names, sizeof(names), pos, "%s%s", i ? ", " : "",
				  info->events[i].name);
		if (!is_event(info->events[i].name, t->name))
			continue;
		t->event = i;
		return 0;
	}
	err_set(err, EINVAL, "--snapshot-on '%.200s': '%.100s' is not measured", t->text, t->name);
	return err_advise(err, "give it with -e; measured are: %s", names);
}

/* --- values ------------------------------------------------------------------------------- */

struct value {
	double value;
	char who[256]; /* the function or task, "" */
};

static void top_row(const struct trigger *t, struct model *m, struct window w, struct value *v)
{
	const struct query q = {.group = t->kind == TRIGGER_TASK ? GROUP_TASK : GROUP_FUNCTION,
				.limit = *t->name ? 0 : 1};
	const struct rows *rows = model_rows(m, &q, w);
	const struct row *best = NULL;
	double sum = 0;

	for (size_t i = 0; rows && i < rows->nr; i++) {
		const struct row *r = &rows->row[i];

		if (*t->name ? strcmp(r->name, t->name) : i > 0)
			continue;
		/* Several processes or objects may have it: together. */
		sum += r->self_share;
		best = best ? best : r;
	}
	v->value = sum;
	if (best)
		snprintf(v->who, sizeof(v->who), "%s", best->name);
}

static uint64_t samples_in(const struct model *m, unsigned event, struct window w)
{
	struct account a;

	model_account(m, event, ALL_CPUS, w, &a);
	return a.samples;
}

static double lost_share(const struct model *m, struct window w)
{
	double worst = 0;
	struct account a;

	for (unsigned i = 0; i < model_info(m)->nevents; i++) {
		model_account(m, i, ALL_CPUS, w, &a);
		if (1 - a.attributed_share > worst)
			worst = 1 - a.attributed_share;
	}
	return worst;
}

static void measure(const struct trigger *t, struct model *m, struct window w, struct value *v)
{
	struct window kept = model_kept(m, w);
	double seconds = (double)(kept.to - kept.from) / NSEC_PER_SEC;

	*v = (struct value){.value = 0};
	if (t->kind == TRIGGER_LOST)
		v->value = lost_share(m, w);
	else if (t->kind != TRIGGER_SAMPLES)
		top_row(t, m, w, v);
	else
		for (unsigned i = 0; seconds > 0 && i < model_info(m)->nevents; i++)
			v->value += (double)samples_in(m, i, w) / seconds;
}

/* --- firing ------------------------------------------------------------------------------- */

static void say(const struct trigger *t, const struct value *v, char *reason, size_t size)
{
	char count[UNITS_LEN];
	size_t pos = text_append(reason, size, 0, "%s", t->text);

	if (t->kind == TRIGGER_EVENT)
		return;
	pos = text_append(reason, size, pos, " (");
	if (*v->who && !*t->name)
		pos = text_append(reason, size, pos, "%s ", v->who);
	if (t->kind == TRIGGER_SAMPLES)
		text_append(reason, size, pos, "%s)", units_count(count, v->value));
	else
		text_append(reason, size, pos, "%.1f%%)", v->value * 100);
}

static bool fire(struct trigger *t, uint64_t now)
{
	t->fired = true;
	t->fired_at = now;
	t->fires++;
	return true;
}

static bool step_event(struct trigger *t, struct model *m)
{
	uint64_t now = model_now(m);
	bool hit = samples_in(m, t->event, (struct window){t->seen, now}) > 0;

	t->seen = now;
	if (!t->fired)
		return hit && fire(t, now);
	if (!hit && now - t->fired_at >= QUIET_NS)
		t->fired = false;
	return false;
}

static bool beyond(const struct trigger *t, double value, double limit)
{
	return t->below ? value < limit : value > limit;
}

bool trigger_step(struct trigger *t, struct model *m, char *reason, size_t size)
{
	uint64_t now = model_now(m);
	struct window w = {now > WINDOW_NS ? now - WINDOW_NS : 0, now};
	struct value v = {.value = 0};

	/* The first window is short: it says nothing of a second. */
	if (t->kind == TRIGGER_EVENT) {
		if (!step_event(t, m))
			return false;
		say(t, &v, reason, size);
		return true;
	}
	if (now < WINDOW_NS)
		return false;
	measure(t, m, w, &v);
	if (t->fired) {
		t->fired = beyond(t, v.value, t->limit * (t->below ? 1.1 : 0.9));
		t->holds = false;
		return false;
	}
	if (!beyond(t, v.value, t->limit)) {
		t->holds = false;
		return false;
	}
	if (!t->holds)
		t->since = now;
	t->holds = true;
	if (now - t->since < t->hold)
		return false;
	say(t, &v, reason, size);
	return fire(t, now);
}

void triggers_serve(struct trigger *t, unsigned nr, struct model *m, struct session *s)
{
	char reason[TRIGGER_TEXT + 320];
	struct session_request rq = {.command = SESSION_SNAPSHOT, .text = reason};
	struct err err = {.code = 0};

	for (unsigned i = 0; i < nr; i++)
		if (trigger_step(&t[i], m, reason, sizeof(reason)) && s->ops->command(s, &rq, &err))
			log_msg(LOG_SESSION, "snapshot (%s): %s", reason, err.text);
}
