/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/judge/condition.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "base/units.h"
#include "model/compare/compare.h"

#define WINDOW_NS NSEC_PER_SEC /* the time that shares are of */
#define QUIET_NS  NSEC_PER_SEC /* least time before event:NAME is armed again */

#define DELTA_NOW_NS (8 * NSEC_PER_SEC)
#define DELTA_WAS_NS (32 * NSEC_PER_SEC)

/* --- the text ----------------------------------------------------------------------------- */

static const struct {
	const char *word;
	enum condition_kind kind;
	const char *unit; /* may stand behind the number */
	bool named;
} subjects[] = {
	{"function", CONDITION_FUNCTION, "%", true},     {"task", CONDITION_TASK, "%", true},
	{"lost", CONDITION_LOST, "%", false},	       {"samples/s", CONDITION_SAMPLES, "", false},
	{"delta", CONDITION_DELTA, "sigma", true},
};

#define SUBJECTS (sizeof(subjects) / sizeof(subjects[0]))

static int report_syntax_error(struct err *err, const struct condition *t, const char *text,
			       const char *at, const char *want)
{
	err_set(err, EINVAL, "%s '%.200s': at '%.60s' (character %zu): expected %s", t->option,
		text, at, (size_t)(at - text) + 1, want);
	return err_advise(
		err,
		"for example 'function>80%%:2s', 'task:gzip>50%%:500ms', 'lost>1%%', "
		"'delta>3sigma', 'samples/s<10:5s', 'event:sched:sched_switch'");
}

/* Return the end of a plain decimal: strtod() would also take "inf", "nan" and hexadecimals. */
static const char *number_end(const char *s)
{
	const char *p = s + strspn(s, "0123456789");

	if (*p == '.')
		p += 1 + strspn(p + 1, "0123456789");
	return p == s || (p == s + 1 && *s == '.') || p - s > 20 ? s : p;
}

/* Return the last OP that a number follows, or NULL. */
static const char *find_op(const char *text)
{
	for (const char *p = text + strlen(text); p-- > text;) {
		const char *n = p + 1 + strspn(p + 1, " ");

		if ((*p == '>' || *p == '<') && number_end(n) != n)
			return p;
	}
	return NULL;
}

static const char *past_blanks(const char *p)
{
	return p + strspn(p, " ");
}

static int parse_time(const char *text, const char *p, struct condition *t, struct err *err)
{
	static const struct {
		const char *unit;
		uint64_t ns;
	} units[] = {{"ms", NSEC_PER_MSEC}, {"s", NSEC_PER_SEC}, {"m", 60 * NSEC_PER_SEC},
		     {"", NSEC_PER_SEC}};
	const char *end = number_end(p);
	double n = strtod(p, NULL);

	if (end == p)
		return report_syntax_error(err, t, text, p, "a time such as 2s or 500ms");
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		size_t len = strlen(units[i].unit);

		if (strncmp(end, units[i].unit, len) || *past_blanks(end + len))
			continue;
		if (n * (double)units[i].ns > 3600e9)
			return report_syntax_error(err, t, text, p, "a time of at most an hour");
		t->hold = (uint64_t)(n * (double)units[i].ns);
		return 0;
	}
	return report_syntax_error(err, t, text, end, "ms, s or m");
}

/* Refuse limits that no value could pass, or every value would. */
static int check_limit(const char *text, const char *p, struct condition *t, bool share,
		       struct err *err)
{
	if (share && t->limit > 1)
		return report_syntax_error(err, t, text, p, "a share of at most 100%");
	if (t->below && t->kind == CONDITION_DELTA)
		return report_syntax_error(err, t, text, p,
					   "a number after >: most functions do not change");
	if (t->below ? !(t->limit > 0) : share && t->limit >= 1)
		return report_syntax_error(err, t, text, p,
					   t->below ? "a number above 0: nothing can be less"
						    : "a share below 100%: nothing can be more");
	return 0;
}

static int parse_limit(const char *text, const char *op, struct condition *t, const char *unit,
		       struct err *err)
{
	const char *p = past_blanks(op + 1), *end = number_end(p);
	bool share = *unit == '%';
	int ret;

	t->below = *op == '<';
	t->limit = strtod(p, NULL);
	if (share)
		t->limit /= 100;
	ret = check_limit(text, p, t, share, err);
	if (ret)
		return ret;
	end = past_blanks(end);
	if (*end == '%' && !share)
		return report_syntax_error(err, t, text, end,
					   "a plain number: this is not a share");
	if (*unit && !strncmp(end, unit, strlen(unit)))
		end = past_blanks(end + strlen(unit));
	if (!*end)
		return 0;
	if (*end != ':')
		return report_syntax_error(err, t, text, end, "':' and a time, or nothing");
	return parse_time(text, past_blanks(end + 1), t, err);
}

static int parse_subject(const char *text, const char *op, struct condition *t, const char **unit,
			 struct err *err)
{
	const char *start = past_blanks(text), *end = op;

	while (end > start && end[-1] == ' ')
		end--;
	for (size_t i = 0; i < SUBJECTS; i++) {
		size_t len = strlen(subjects[i].word), left = (size_t)(end - start);

		if (left < len || strncmp(start, subjects[i].word, len))
			continue;
		t->kind = subjects[i].kind;
		*unit = subjects[i].unit;
		if (left == len)
			return 0;
		if (!subjects[i].named || start[len] != ':')
			continue;
		snprintf(t->name, sizeof(t->name), "%.*s", (int)(left - len - 1), start + len + 1);
		return *t->name ? 0 : report_syntax_error(err, t, text, end, "a name");
	}
	return report_syntax_error(
		err, t, text, start,
		"function[:NAME], task[:NAME], lost, samples/s, delta[:NAME] or event:NAME");
}

static bool is_subject(const char *text)
{
	for (size_t i = 0; i < SUBJECTS; i++)
		if (!strncmp(past_blanks(text), subjects[i].word, strlen(subjects[i].word)))
			return true;
	return false;
}

/* Report the first mistake in a text without an OP that a number follows. */
static int bad_form(const char *text, const struct condition *t, struct err *err)
{
	const char *op = text + strcspn(text, "<>");

	if (!is_subject(text))
		return report_syntax_error(
			err, t, text, past_blanks(text),
			"function[:NAME], task[:NAME], lost, samples/s, delta[:NAME] or "
			"event:NAME");
	return *op ? report_syntax_error(err, t, text, past_blanks(op + 1), "a number")
		   : report_syntax_error(err, t, text, op, "'>' or '<' and a number");
}

static int parse_event(const char *text, struct condition *t, struct err *err)
{
	const char *name = past_blanks(text) + strlen("event:");

	t->kind = CONDITION_EVENT;
	snprintf(t->name, sizeof(t->name), "%s", name);
	return *name ? 0 : report_syntax_error(err, t, text, name, "the name of an event");
}

int condition_parse(const char *text, const char *option, struct condition *t, struct err *err)
{
	const char *op, *unit = "";
	int ret;

	memset(t, 0, sizeof(*t));
	t->option = option;
	if (strlen(text) >= sizeof(t->text))
		return err_set(err, EINVAL, "%s: a condition has at most %d characters", option,
			       CONDITION_TEXT - 1);
	snprintf(t->text, sizeof(t->text), "%s", text);
	if (!strncmp(past_blanks(text), "event:", strlen("event:")))
		return parse_event(text, t, err);
	op = find_op(text);
	if (!op)
		return bad_form(text, t, err);
	ret = parse_subject(text, op, t, &unit, err);
	return ret ? ret : parse_limit(text, op, t, unit, err);
}

/* Return true if `name` names the event: "sched:sched_switch" also names "sched:sched_switch:k". */
static bool names_event(const char *event, const char *name)
{
	size_t len = strlen(name);

	return !strncmp(event, name, len) &&
	       (!event[len] || event[len] == ':' || event[len] == '/');
}

int condition_bind(struct condition *t, const struct session_info *info, struct err *err)
{
	char names[256] = "";
	size_t pos = 0;

	if (t->kind != CONDITION_EVENT)
		return 0;
	for (unsigned i = 0; i < info->nevents; i++) {
		pos = text_append(names, sizeof(names), pos, "%s%s", i ? ", " : "",
				  info->events[i].name);
		if (!names_event(info->events[i].name, t->name))
			continue;
		t->event = i;
		return 0;
	}
	err_set(err, EINVAL, "%s '%.200s': '%.100s' is not measured", t->option, t->text, t->name);
	return err_advise(err, "add it with -e; measured events: %s", names);
}

/* --- values ------------------------------------------------------------------------------- */

static void top_row(struct condition *t, struct model *m, struct window w)
{
	const struct query q = {.group = t->kind == CONDITION_TASK ? GROUP_TASK : GROUP_FUNCTION,
				.limit = *t->name ? 0 : 1};
	const struct rows *rows = model_rows(m, &q, w);
	const struct row *best = NULL;
	double sum = 0;

	for (size_t i = 0; rows && i < rows->nr; i++) {
		const struct row *r = &rows->row[i];

		if (*t->name ? strcmp(r->name, t->name) : i > 0)
			continue;
		/* Several processes or objects may have that name: add them up. */
		sum += r->self_share;
		best = best ? best : r;
	}
	t->value = sum;
	if (best)
		snprintf(t->who, sizeof(t->who), "%s", best->name);
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

/* Find the largest delta of the wanted functions; without a name, among those named as changed. */
static void farthest(struct condition *t, const struct comparison *c)
{
	for (size_t i = 0; i < c->nr; i++) {
		const char *name = compare_either(c, i)->name;
		const struct difference *d;
		double deviation, sigmas;

		/* Rows named as changed come first. */
		if (*t->name ? strcmp(name, t->name) != 0 : i >= c->significant)
			continue;
		d = compare_row(c, i);
		deviation = sqrt(d->was_variance + d->variance);
		sigmas = deviation > 0 ? fabs(d->delta) / deviation : 0;
		if (sigmas <= t->value)
			continue;
		t->value = sigmas;
		t->points = d->delta * 100;
		snprintf(t->who, sizeof(t->who), "%s", name);
	}
}

/* Compare two windows of whole slices that do not overlap. */
static void delta_row(struct condition *t, struct model *m)
{
	const struct query q = {.group = GROUP_FUNCTION};
	const struct compare_how how = {.again = true};
	uint64_t at = model_now(m), first = model_first(m);
	struct window now = model_kept(
			      m, (struct window){at > DELTA_NOW_NS ? at - DELTA_NOW_NS : 0, at}),
		      was;
	struct profile was_profile = {.nrows = 0}, now_profile = {.nrows = 0};
	struct comparison c = {.nr = 0};

	was = (struct window){now.from > first + DELTA_WAS_NS ? now.from - DELTA_WAS_NS : first,
			      now.from};
	if (now.from < first + DELTA_NOW_NS)
		return;
	if (!profile_take(m, &q, was, &was_profile) && !profile_take(m, &q, now, &now_profile) &&
	    !compare(&was_profile, &now_profile, &how, &c))
		farthest(t, &c);
	compare_clear(&c);
	profile_clear(&now_profile);
	profile_clear(&was_profile);
}

static void measure_rate(struct condition *t, struct model *m, struct window w)
{
	struct window kept = model_kept(m, w);
	double seconds = (double)(kept.to - kept.from) / NSEC_PER_SEC;

	for (unsigned i = 0; seconds > 0 && i < model_info(m)->nevents; i++)
		t->value += (double)samples_in(m, i, w) / seconds;
}

static void measure_value(struct condition *t, struct model *m, struct window w)
{
	bool looked = t->kind == CONDITION_DELTA && t->seen && w.to - t->seen < NSEC_PER_SEC;

	if (looked)
		return;
	t->value = t->points = 0;
	t->who[0] = '\0';
	t->seen = w.to;
	if (t->kind == CONDITION_LOST)
		t->value = lost_share(m, w);
	else if (t->kind == CONDITION_DELTA)
		delta_row(t, m);
	else if (t->kind == CONDITION_SAMPLES)
		measure_rate(t, m, w);
	else
		top_row(t, m, w);
}

/* --- firing ------------------------------------------------------------------------------- */

static void write_reason(const struct condition *t, char *reason, size_t size)
{
	char count[UNITS_LEN];
	size_t pos = text_append(reason, size, 0, "%s", t->text);

	if (t->kind == CONDITION_EVENT)
		return;
	pos = text_append(reason, size, pos, " (");
	if (*t->who && !*t->name)
		pos = text_append(reason, size, pos, "%s ", t->who);
	if (t->kind == CONDITION_SAMPLES)
		text_append(reason, size, pos, "%s)", units_count(count, t->value));
	else if (t->kind == CONDITION_DELTA)
		text_append(reason, size, pos, "%+.1f points, %.1f sigma)", t->points, t->value);
	else
		text_append(reason, size, pos, "%.1f%%)", t->value * 100);
}

static bool fire(struct condition *t, uint64_t now)
{
	t->fired = true;
	t->fired_at = now;
	t->fires++;
	return true;
}

static bool step_event(struct condition *t, struct model *m)
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

static bool beyond(const struct condition *t, double value, double limit)
{
	return t->below ? value < limit : value > limit;
}

/* Reset the state when time goes back (another stretch of a saved time line). */
static void begin_anew(struct condition *t)
{
	t->holds = t->fired = false;
	t->since = t->seen = t->fired_at = t->last = 0;
}

/* Return true if the condition fires with the present value. */
static bool step_value(struct condition *t, uint64_t now)
{
	if (t->fired) {
		t->fired = beyond(t, t->value, t->limit * (t->below ? 1.1 : 0.9));
		t->holds = false;
		return false;
	}
	if (!beyond(t, t->value, t->limit)) {
		t->holds = false;
		return false;
	}
	if (!t->holds)
		t->since = now;
	t->holds = true;
	return now - t->since >= t->hold && fire(t, now);
}

bool condition_step(struct condition *t, struct model *m, char *reason, size_t size)
{
	uint64_t now = model_now(m);
	struct window w = {now > WINDOW_NS ? now - WINDOW_NS : 0, now};
	bool fires;

	if (now < t->last)
		begin_anew(t);
	t->last = now;
	/* The first window is shorter than a second: no value yet. */
	if (t->kind != CONDITION_EVENT && now < WINDOW_NS)
		return false;
	if (t->kind != CONDITION_EVENT)
		measure_value(t, m, w);
	fires = t->kind == CONDITION_EVENT ? step_event(t, m) : step_value(t, now);
	if (fires)
		write_reason(t, reason, size);
	return fires;
}
