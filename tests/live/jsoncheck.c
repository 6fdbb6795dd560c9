/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jsoncheck - holds ringtop's --json output against its schema and its own arithmetic, and prints
 * values for the shell.
 *
 * jsoncheck [-p] FILE [QUERY...]      "-" reads stdin; -p: partial, without the total
 *
 * Exit 0: all is well; 1: a rule is broken, each told on stderr; 2: usage.  QUERY is
 * [sum:|count:|all:]WHERE.PATH or WHERE.PATH{COLUMN,...} (jsonquery.h), WHERE one of header, total,
 * first, last (interval), each (interval); PATH names members, where an array stands for its elements
 * and may be followed by [N], [MEMBER=TEXT] or [MEMBER~PART].  An object of numbers counts as their
 * sum.  What is not there, or null, prints as "-".
 *
 * A comparison (--diff) is a total alone, and has rules of its own.
 *
 *   total.events[name=cpu-clock].lost    sum:total.functions[function~share_].samples
 */
#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "jsonquery.h"

#define CHECK_FAULTS_MAX 20

__attribute__((format(printf, 2, 3))) static void fault(struct report *r, const char *format, ...)
{
	va_list args;

	if (r->faults++ >= CHECK_FAULTS_MAX)
		return;
	fprintf(stderr, "jsoncheck: line %zu: ", r->line);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

/* --- types: one letter each --- */

static bool type_fits(const json_t *v, char type)
{
	switch (type) {
	case 's':
		return json_is_string(v);
	case 'S':
		return json_is_string(v) || json_is_null(v);
	case 'i': /* a count: an integer, not negative */
		return json_is_integer(v) && json_integer_value(v) >= 0;
	case 'I':
		return json_is_null(v) || type_fits(v, 'i');
	case 'd': /* a difference: may be negative */
		return json_is_null(v) || json_is_integer(v);
	case 'r': /* any number */
		return json_is_number(v);
	case 'n':
		return json_is_number(v) && json_number_value(v) >= 0;
	case 'N':
		return json_is_null(v) || type_fits(v, 'n');
	case 'f': /* a share of one */
		return json_is_number(v) && json_number_value(v) >= 0 &&
		       json_number_value(v) <= 1 + 1e-6;
	case 'F':
		return json_is_null(v) || type_fits(v, 'f');
	case 'b':
		return json_is_boolean(v);
	case 'a':
		return json_is_array(v);
	default:
		return json_is_object(v);
	}
}

/* members: "name:type name:type ..." */
static bool members_check(struct report *r, const char *what, const json_t *object,
			  const char *members)
{
	bool good = true;
	char name[64];
	char type;
	int used;

	if (!json_is_object(object)) {
		fault(r, "%s is not an object", what);
		return false;
	}
	while (sscanf(members, " %63[^:]:%c%n", name, &type, &used) == 2) {
		const json_t *v = json_object_get(object, name);

		members += used;
		if (v && type_fits(v, type))
			continue;
		fault(r, "%s: \"%s\" %s", what, name, v ? "has a wrong type or range" : "is missing");
		good = false;
	}
	return good;
}

static json_int_t member_int(const json_t *object, const char *name)
{
	return json_integer_value(json_object_get(object, name));
}

static double member_num(const json_t *object, const char *name)
{
	return json_number_value(json_object_get(object, name));
}

static const char *member_text(const json_t *object, const char *name)
{
	const char *text = json_string_value(json_object_get(object, name));

	return text ? text : "";
}

static bool object_has_null(const json_t *object)
{
	const char *key;
	json_t *v;

	json_object_foreach((json_t *)object, key, v)
		if (json_is_null(v))
			return true;
	return false;
}

/* --- the parts of an interval --- */

#define EVENT_MEMBERS                                                                              \
	"counted:I attributed:i attributed_share:F pending:d samples:i lost:o lost_exact:b enabled:I running:I"
#define LOST_MEMBERS "overwritten:I full:I paused:I throttled:I dropped:I late:I unknown:I multiplexed:I"

/* counted = attributed + lost + pending, to the last one, wherever all four are known */
static void equation_check(struct report *r, const char *what, const json_t *e)
{
	const json_t *lost = json_object_get(e, "lost");
	json_int_t rest;

	if (json_is_null(json_object_get(e, "counted")) ||
	    json_is_null(json_object_get(e, "pending")) || object_has_null(lost))
		return;
	rest = member_int(e, "counted") - member_int(e, "attributed") - member_int(e, "pending") -
	       object_sum(lost);
	if (rest)
		fault(r, "%s: counted %lld = attributed %lld + lost %lld + pending %lld is off by %lld",
		      what, (long long)member_int(e, "counted"),
		      (long long)member_int(e, "attributed"), (long long)object_sum(lost),
		      (long long)member_int(e, "pending"), (long long)rest);
}

static void event_check(struct report *r, const json_t *e)
{
	const json_t *cpus = json_object_get(e, "cpus");
	const json_t *c;
	size_t i;

	if (!members_check(r, "event", e, "name:s unit:s " EVENT_MEMBERS) ||
	    !members_check(r, "lost", json_object_get(e, "lost"), LOST_MEMBERS))
		return;
	equation_check(r, member_text(e, "name"), e);
	json_array_foreach(cpus, i, c)
		if (members_check(r, "event's cpu", c, "cpu:d " EVENT_MEMBERS))
			equation_check(r, "an event's cpu", c);
}

#define COUNTER_MEMBERS "count:N scaled:N enabled:i running:i"

/* Null where it never ran; as read where it ran all the time, scaled up where it did not. */
static void count_check(struct report *r, const char *what, const json_t *c)
{
	json_int_t enabled = member_int(c, "enabled"), running = member_int(c, "running");
	double count = member_num(c, "count"), scaled = member_num(c, "scaled");

	if (running > enabled)
		fault(r, "%s: it ran for %lld of %lld ns", what, (long long)running, (long long)enabled);
	if (json_is_null(json_object_get(c, "count")) != !running || json_is_null(json_object_get(c, "scaled")) != !running)
		fault(r, "%s: null says that it never ran, and nothing else", what);
	if (running && fabs(count * (double)enabled / (double)running - scaled) > scaled * 1e-9)
		fault(r, "%s: %g scaled is not %g", what, count, scaled);
}

static void counter_check(struct report *r, const json_t *c)
{
	json_int_t enabled = 0, running = 0;
	const json_t *cpu;
	double count = 0;
	size_t i;

	if (!members_check(r, "counter", c, "name:s unit:s " COUNTER_MEMBERS " group:I why:S cpus:a"))
		return;
	count_check(r, member_text(c, "name"), c);
	json_array_foreach(json_object_get(c, "cpus"), i, cpu) {
		if (!members_check(r, "counter's cpu", cpu, "cpu:d " COUNTER_MEMBERS))
			return;
		count_check(r, "a counter's cpu", cpu);
		enabled += member_int(cpu, "enabled");
		running += member_int(cpu, "running");
		count += member_num(cpu, "count");
	}
	if (enabled != member_int(c, "enabled") || running != member_int(c, "running") ||
	    fabs(count - member_num(c, "count")) > count * 1e-9)
		fault(r, "%s: its CPUs do not add up", member_text(c, "name"));
}

/* Those of a group were there for the same time. */
static void counters_check(struct report *r, const json_t *counters)
{
	const json_t *a, *b;
	size_t i, k;

	json_array_foreach(counters, i, a) {
		counter_check(r, a);
		json_array_foreach(counters, k, b)
			if (member_int(a, "group") && member_int(a, "group") == member_int(b, "group") &&
			    json_is_null(json_object_get(a, "why")) && json_is_null(json_object_get(b, "why")) &&
			    (member_int(a, "enabled") != member_int(b, "enabled") ||
			     member_int(a, "running") != member_int(b, "running")))
				fault(r, "%s and %s are a group, and ran for other times", member_text(a, "name"),
				      member_text(b, "name"));
	}
}

static bool word_in(const char *word, const char *words)
{
	size_t n = strlen(word);

	for (const char *p = strstr(words, word); n && p; p = strstr(p + 1, word))
		if ((p == words || p[-1] == ' ') && (p[n] == ' ' || !p[n]))
			return true;
	return false;
}

static void ring_check(struct report *r, const json_t *v)
{
	if (!members_check(r, "ring", v,
			   "cpu:d kind:s mode:S size:i fill:N fill_max:N bytes:I records:I lost:I "
			   "overwritten_bytes:I wakeups:I"))
		return;
	if (!word_in(member_text(v, "kind"), "sample sideband aux ftrace"))
		fault(r, "ring: unknown kind \"%s\"", member_text(v, "kind"));
	if (*member_text(v, "mode") && !word_in(member_text(v, "mode"), "overwrite forward full snapshot"))
		fault(r, "ring: unknown mode \"%s\"", member_text(v, "mode"));
	/* an overwritten ring of perf's may hold more unread than fits: that is what was overwritten */
	if ((strcmp(member_text(v, "mode"), "overwrite") || !strcmp(member_text(v, "kind"), "ftrace")) &&
	    member_num(v, "fill_max") > 1 + 1e-6)
		fault(r, "ring: a ring that is fuller than full");
	if (member_num(v, "fill_max") + 1e-6 < member_num(v, "fill"))
		fault(r, "ring: fill is above fill_max");
}

static const json_t *event_find(const json_t *events, const char *name)
{
	const json_t *e;
	size_t i;

	json_array_foreach(events, i, e)
		if (!strcmp(member_text(e, "name"), name))
			return e;
	return NULL;
}

/*
 * Sorted by self within an event; rows weigh no more than the event was attributed, with what was
 * dropped, which has rows of its own.
 */
static void functions_check(struct report *r, const json_t *events, const json_t *functions)
{
	const json_t *f, *e;
	size_t i, k;

	json_array_foreach(functions, i, f) {
		if (!members_check(r, "function", f,
				   "event:s function:s object:S self:F total:F samples:i weight:i"))
			return;
		if (!event_find(events, member_text(f, "event")))
			fault(r, "function of an unknown event \"%s\"", member_text(f, "event"));
		if (member_num(f, "total") + 1e-6 < member_num(f, "self"))
			fault(r, "%s: self is above total", member_text(f, "function"));
	}
	json_array_foreach(events, k, e) {
		json_int_t weight = 0;
		double last = 2;

		json_array_foreach(functions, i, f) {
			if (strcmp(member_text(f, "event"), member_text(e, "name")))
				continue;
			weight += member_int(f, "weight");
			if (member_num(f, "self") > last + 1e-9)
				fault(r, "%s: not sorted by self", member_text(f, "function"));
			last = member_num(f, "self");
		}
		/* Of a field's weight the account says nothing. */
		if (!json_object_get(e, "weight") && weight > member_int(e, "attributed") +
				     member_int(json_object_get(e, "lost"), "dropped"))
			fault(r, "%s: functions weigh %lld, attributed %lld", member_text(e, "name"),
			      (long long)weight, (long long)member_int(e, "attributed"));
	}
}

static void array_check(struct report *r, const json_t *object, const char *name,
			const char *members)
{
	const json_t *v;
	size_t i;

	json_array_foreach(json_object_get(object, name), i, v)
		members_check(r, name, v, members);
}

/* What samples came to by fields: a histogram of all of them, and none twice. */
static void fields_check(struct report *r, const json_t *events, const json_t *fields)
{
	const json_t *f, *n;
	size_t i, k;

	json_array_foreach(fields, i, f) {
		json_int_t sum = 0;

		if (json_is_null(json_object_get(f, "hist"))) { /* --in-kernel */
			members_check(r, "field", f, "event:s key:o count:i sum:i avg:n");
			if (!json_is_null(json_object_get(f, "min")) || !json_is_null(json_object_get(f, "max")))
				fault(r, "fields of %s: a least or most without a histogram", member_text(f, "event"));
			continue;
		}
		if (!members_check(r, "field", f, "event:s key:o count:i sum:i min:i max:i avg:n hist:a"))
			return;
		json_array_foreach(json_object_get(f, "hist"), k, n)
			sum += json_integer_value(n);
		if (sum != member_int(f, "count") || !sum)
			fault(r, "fields of %s: a histogram of %lld samples, there are %lld", member_text(f, "event"),
			      (long long)sum, (long long)member_int(f, "count"));
		if (member_int(f, "min") > member_int(f, "max"))
			fault(r, "fields of %s: the least is above the most", member_text(f, "event"));
		if (!event_find(events, member_text(f, "event")))
			fault(r, "fields of an unknown event \"%s\"", member_text(f, "event"));
	}
}

static void interval_check(struct report *r, const json_t *o)
{
	const json_t *events = json_object_get(o, "events");
	const json_t *self = json_object_get(o, "self");
	const json_t *v;
	size_t i;

	if (!members_check(r, member_text(o, "type"), o,
			   "time:n seconds:n events:a rings:a functions:a tasks:a cpus:a aux:a self:o counters:a ratios:a"))
		return;
	json_array_foreach(events, i, v)
		event_check(r, v);
	json_array_foreach(json_object_get(o, "rings"), i, v)
		ring_check(r, v);
	counters_check(r, json_object_get(o, "counters"));
	array_check(r, o, "ratios", "name:s unit:s of:s by:S value:N why:S");
	functions_check(r, events, json_object_get(o, "functions"));
	fields_check(r, events, json_object_get(o, "fields")); /* only with --by */
	array_check(r, o, "tasks", "pid:d tid:d comm:s share:F samples:i");
	array_check(r, o, "paths", "event:s path:s weight:i samples:i"); /* only with --paths */
	array_check(r, o, "marks", "time:n name:s"); /* only where there are some */
	array_check(r, o, "cpus", "cpu:I samples:i");
	array_check(r, o, "aux", "cpu:d event:s bytes:I truncated:I collision:I partial:I gap:I "
				 "snapshots:I");
	array_check(r, o, "snapshots", "number:i kind:s state:s time:n bytes:i shared_bytes:I samples:I dropped:I "
				       "file_bytes:I stopped_ns:i written_ns:I");
	if (members_check(r, "self", self,
			  "cpu_seconds:N rss_bytes:I table_rows:I table_capacity:I unresolved:I") &&
	    member_int(self, "table_rows") > member_int(self, "table_capacity"))
		fault(r, "self: more table rows than its capacity");
	array_check(r, self, "helpers", "name:s pid:d uid:I cpu_seconds:N rss_bytes:I calls:I starts:I ends:I refused:I");
	if (json_is_object(json_object_get(o, "recording")))
		members_check(r, "recording", json_object_get(o, "recording"),
			      "file:s state:s bytes:i samples:i lost:i lost_sideband:i "
			      "lost_aux_bytes:i since:n");
}

/* --- a comparison, which is one object --- */

static bool differs(double a, double b)
{
	return fabs(a - b) > 5e-9;
}

static void change_check(struct report *r, const json_t *f)
{
	bool significant = json_is_true(json_object_get(f, "significant"));
	double delta = member_num(f, "delta"), low = member_num(f, "low"), high = member_num(f, "high");
	const char *name = member_text(f, "function");

	if (!members_check(r, "function", f,
			   "event:s function:s object:S baseline_object:S share:f baseline_share:f delta:r low:r high:r "
			   "ratio:N rate:n baseline_rate:n rate_low:r rate_high:r samples:i baseline_samples:i weight:i "
			   "baseline_weight:i p:f significant:b new:b gone:b share_only:b needs:N"))
		return;
	if (differs(delta, member_num(f, "share") - member_num(f, "baseline_share")))
		fault(r, "%s: delta is not the difference of the shares", name);
	if (low > delta || high < delta || low < -1 || high > 1)
		fault(r, "%s: delta %g is not between %g and %g", name, delta, low, high);
	if (significant && low <= 0 && high >= 0)
		fault(r, "%s: significant, and may be 0", name);
	if (significant && member_num(f, "needs") > 0)
		fault(r, "%s: significant, and needs more", name);
	if (!significant && json_is_true(json_object_get(f, "share_only")))
		fault(r, "%s: share_only, and not significant", name);
	if (json_is_true(json_object_get(f, "new")) != !member_int(f, "baseline_weight") ||
	    json_is_true(json_object_get(f, "gone")) != !member_int(f, "weight"))
		fault(r, "%s: new or gone, and not by its weight", name);
}

/* The functions of an event: no more than all of it, on either side, and as many changed as it says. */
static void changes_check(struct report *r, const json_t *o, const json_t *event)
{
	static const char *const names[][2] = {{"share", "weight"}, {"baseline_share", "baseline_weight"}};
	double shares[2] = {0, 0};
	json_int_t weight[2] = {0, 0}, significant = 0;
	const json_t *f;
	size_t i;

	json_array_foreach(json_object_get(o, "functions"), i, f) {
		if (strcmp(member_text(f, "event"), member_text(event, "name")))
			continue;
		significant += json_is_true(json_object_get(f, "significant"));
		for (int side = 0; side < 2; side++) {
			shares[side] += member_num(f, names[side][0]);
			weight[side] += member_int(f, names[side][1]);
		}
	}
	if (significant != member_int(event, "significant"))
		fault(r, "%s: %lld functions changed, not %lld", member_text(event, "name"), (long long)significant,
		      (long long)member_int(event, "significant"));
	for (int side = 0; side < 2; side++)
		if (shares[side] > 1 + 1e-5 ||
		    weight[side] > member_int(json_object_get(event, side ? "baseline" : "now"), "attributed"))
			fault(r, "%s: the functions have more than all", member_text(event, "name"));
}

static void comparison_check(struct report *r, const json_t *o)
{
	json_int_t significant = 0;
	const json_t *v;
	size_t i;

	members_check(r, "comparison", o,
		      "schema:i version:s baseline:o now:o significant:i failed_allocations:i failed_reads:i events:a functions:a");
	for (int side = 0; side < 2; side++)
		members_check(r, side ? "baseline" : "now", json_object_get(o, side ? "baseline" : "now"),
			      "file:S host:S start:n seconds:n error:S log:a");
	json_array_foreach(json_object_get(o, "functions"), i, v)
		change_check(r, v);
	json_array_foreach(json_object_get(o, "events"), i, v) {
		members_check(r, "event", v, "name:s unit:s significant:i rough:b baseline:o now:o");
		for (int side = 0; side < 2; side++)
			members_check(r, "event", json_object_get(v, side ? "baseline" : "now"),
				      "seconds:n samples:i attributed:i lost:i blocks:i");
		changes_check(r, o, v);
		significant += member_int(v, "significant");
	}
	if (significant != member_int(o, "significant"))
		fault(r, "the events' changes are %lld, not %lld", (long long)significant,
		      (long long)member_int(o, "significant"));
}

/* --- the stream --- */

/* A line of the event log. */
static void logged_check(struct report *r, const json_t *o)
{
	members_check(r, "event", o, "time:n cpu:I pid:I tid:I comm:S event:s text:s fields:o");
	r->logged++;
}

/* With a filter there are fewer than were made. */
static void log_check(struct report *r, const json_t *o)
{
	const json_t *log = json_object_get(o, "event_log");

	if (log && members_check(r, "event_log", log, "lines:i not_shown:i not_printed:i late:i lost:i") &&
	    (json_int_t)r->logged > member_int(log, "lines"))
		fault(r, "more lines of the event log than it counts");
	if (!log && r->logged)
		fault(r, "an event log, and nothing that counts it");
}

static void line_take(struct report *r, json_t *o)
{
	const char *type = member_text(o, "type");

	if (r->total && !r->changes && !r->compares && !strcmp(type, "changes")) {
		comparison_check(r, o);
		r->changes = true;
		return;
	}
	if (r->total)
		fault(r, "a line after the total");
	if (!strcmp(type, "header")) {
		if (r->line != 1)
			fault(r, "a header that is not the first line");
		members_check(r, "header", o,
			      "schema:i version:s host:s cpus:i events:a target:s");
		if (member_int(o, "schema") != 1)
			fault(r, "schema is not 1");
		json_decref(r->header);
		r->header = json_incref(o);
		return;
	}
	if (r->line == 1 && !strcmp(type, "total") && json_object_get(o, "baseline")) {
		comparison_check(r, o);
		r->compares = true;
		r->total = json_incref(o);
		return;
	}
	if (r->line == 1)
		fault(r, "the first line is not a header");
	if (!strcmp(type, "interval")) {
		interval_check(r, o);
		json_array_append(r->intervals, o);
	} else if (!strcmp(type, "total")) {
		interval_check(r, o);
		log_check(r, o);
		r->total = json_incref(o);
	} else if (!strcmp(type, "event")) {
		logged_check(r, o);
	} else {
		fault(r, "unknown type \"%s\"", type);
	}
}

static void stream_read(struct report *r, FILE *in)
{
	json_error_t error;
	char *text = NULL;
	size_t size = 0;
	ssize_t n;

	while ((n = getline(&text, &size, in)) > 0) {
		json_t *o;

		r->line++;
		if (text[n - 1] != '\n') {
			fault(r, "the last line is cut off");
			break;
		}
		o = json_loadb(text, (size_t)n, JSON_REJECT_DUPLICATES, &error);
		if (o)
			line_take(r, o);
		else
			fault(r, "not JSON: %s (column %d)", error.text, error.column);
		json_decref(o);
	}
	free(text);
}

/*
 * What the intervals say must add up to no more than the total says, which also has what came after
 * the last of them.  An interval's counted begins with the periods that were pending at the end of
 * the one before; `unsampled` is not carried over like that.
 */
static json_int_t intervals_sum(const struct report *r, size_t event, const char *name)
{
	bool counted = !strcmp(name, "counted");
	json_int_t sum = 0, carried = 0;
	const json_t *interval;
	size_t i;

	json_array_foreach(r->intervals, i, interval) {
		const json_t *e = json_array_get(json_object_get(interval, "events"), event);

		sum += member_int(e, name) - (counted ? carried : 0);
		carried = member_int(e, "pending") - member_int(e, "unsampled");
	}
	return sum;
}

/* What intervals told as unsampled and the total does not: it was sampled, or judged, later. */
static json_int_t taken_back(const struct report *r, size_t event, const json_t *total)
{
	json_int_t sum = -member_int(total, "unsampled");
	const json_t *interval;
	size_t i;

	json_array_foreach(r->intervals, i, interval)
		sum += member_int(json_array_get(json_object_get(interval, "events"), event),
				  "unsampled");
	return sum > 0 ? sum : 0;
}

/*
 * A clock's timer that was only late: what one interval told as unsampled is attributed in a later
 * one.  Beyond what was told, at most a period on each CPU at the end of each interval; counts of
 * events have no such slack.
 */
static json_int_t late_slack(const struct report *r, size_t i, const json_t *event)
{
	json_int_t samples = member_int(event, "samples");

	if (strcmp(json_string_value(json_object_get(event, "unit")), "ns") || samples <= 0)
		return 0;
	return member_int(event, "attributed") / samples * (json_int_t)json_array_size(r->intervals) *
		       (json_int_t)json_array_size(json_object_get(event, "cpus")) +
	       taken_back(r, i, event);
}

static void sums_check(struct report *r)
{
	static const char *const names[] = { "counted", "attributed", "samples" };
	const json_t *events = json_object_get(r->total, "events");
	const json_t *e;
	size_t i;

	json_array_foreach(events, i, e) {
		for (unsigned m = 0; m < 3; m++) {
			json_int_t sum = intervals_sum(r, i, names[m]);
			json_int_t whole = member_int(e, names[m]);

			if (!strcmp(names[m], "counted"))
				whole += late_slack(r, i, e);
			if (!json_is_null(json_object_get(e, names[m])) && sum > whole)
				fault(r, "%s: the intervals' %s add up to %lld, the total says %lld",
				      member_text(e, "name"), names[m], (long long)sum,
				      (long long)whole);
		}
	}
}

int main(int argc, char **argv)
{
	struct report r = { .intervals = json_array() };
	bool partial = false;
	FILE *in;

	if (argc > 1 && !strcmp(argv[1], "-p")) {
		partial = true;
		argv++;
		argc--;
	}
	if (argc < 2) {
		fprintf(stderr, "usage: jsoncheck [-p] FILE [QUERY...]\n");
		return 2;
	}
	in = strcmp(argv[1], "-") ? fopen(argv[1], "r") : stdin;
	if (!in) {
		fprintf(stderr, "jsoncheck: %s: %s\n", argv[1], strerror(errno));
		return 2;
	}
	stream_read(&r, in);
	fclose(in);
	if (!r.header && !r.compares)
		fault(&r, "no header");
	if (!r.total && !partial)
		fault(&r, "no total at the end");
	if (r.total && !r.compares)
		sums_check(&r);
	for (int i = 2; i < argc; i++)
		query_run(&r, argv[i]);
	json_decref(r.header);
	json_decref(r.intervals);
	json_decref(r.total);
	return r.faults ? 1 : 0;
}
