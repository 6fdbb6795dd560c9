/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A copy of the text is cut up in place; an error's place in the copy is its place in the text, too
 * (err_point).
 */
#include "kernel/event/parse.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/worddistance.h"
#include "base/text.h"
#include "kernel/event/breakpoint.h"
#include "kernel/event/modifiers.h"
#include "kernel/event/eventnames.h"
#include "kernel/event/pfm.h"
#include "kernel/event/pmu.h"
#include "kernel/event/probe.h"
#include "kernel/event/tracepoint.h"

struct parse {
	struct event_list *list;
	const char *written; /* the text as given */
	char *copy;
	const char *at;      /* in the copy: place being parsed, and of the error if there is one */
	struct err *err;
};

static int modify(struct parse *p, struct event *e, const char *letters, bool add)
{
	p->at = letters;
	return modifiers_apply(e, letters, add, &p->at, p->err);
}

static struct event *append_event(struct parse *p, const char *name)
{
	struct event *e;

	p->at = name;
	if (strlen(name) >= EVENT_NAME_LEN)
		return err_null(err_set(p->err, EINVAL,
				"event name of %zu characters is too long", strlen(name)));
	if (p->list->nr == EVENTS_MAX)
		return err_null(err_set(p->err, EINVAL, "more than %d events", EVENTS_MAX));
	e = event_list_add(p->list, name);
	if (!e)
		err_set(p->err, ENOMEM, "out of memory");
	return e;
}

/* --- names ---------------------------------------------------------------------------------- */

struct nearest {
	const char *word;
	char best[EVENT_NAME_LEN];
	unsigned distance;
};

static void nearest_try(struct nearest *n, const char *name)
{
	unsigned d = worddistance(n->word, name);

	if (d >= n->distance)
		return;
	n->distance = d;
	snprintf(n->best, sizeof(n->best), "%s", name);
}

static int unknown_event(struct parse *p, const char *name)
{
	struct nearest n = {.word = name, .distance = (unsigned)strlen(name) / 3 + 1};
	char cache[EVENT_CACHE_LEN];
	const struct event_name *k;
	uint64_t config;

	p->at = name;
	for (size_t i = 0; (k = event_name_at(i)); i++) {
		nearest_try(&n, k->name);
		nearest_try(&n, k->alias ? k->alias : k->name);
	}
	for (size_t i = 0; event_cache_at(i, cache, &config); i++)
		nearest_try(&n, cache);
	err_set(p->err, EINVAL, "unknown event '%s'", name);
	if (*n.best)
		return err_advise(p->err, "did you mean '%s'?", n.best);
	return err_advise(
		p->err,
		"ringtop --list shows what this machine has; names are cycles, instructions, "
		"cache-misses, branches, cpu-clock, page-faults, context-switches, cpu-migrations, "
		"..., L1-dcache-load-misses, ..., tracepoints SUBSYSTEM:NAME, PMU/TERM=VALUE,.../, "
		"kprobe:FUNCTION, uprobe:FILE:FUNCTION, mem:ADDRESS, raw rHEX");
}

static bool parse_known_name(struct event *e, const char *name)
{
	const struct event_name *k = event_name_find(name);
	uint64_t config;

	if (k) {
		event_set_kind(e, k->type, k->config);
		return true;
	}
	if (!event_cache_find(name, &config))
		return false;
	event_set_kind(e, PERF_TYPE_HW_CACHE, config);
	return true;
}

/* Parse rHEX. */
static bool parse_raw(struct event *e, const char *name)
{
	uint64_t config;
	char *end;

	if (name[0] != 'r' || !isxdigit((unsigned char)name[1]))
		return false;
	errno = 0;
	config = strtoull(name + 1, &end, 16);
	if (*end || errno)
		return false;
	event_set_kind(e, PERF_TYPE_RAW, config);
	return true;
}

/* Parse TYPE:CONFIG in numbers; config is the text after the colon, and ends at *rest. */
static bool take_numbers(struct event *e, const char *type, char *config, char **rest)
{
	uint64_t t, c;
	char *end;

	errno = 0;
	if (!isdigit((unsigned char)*type) || !isdigit((unsigned char)*config))
		return false;
	t = strtoull(type, &end, 0);
	if (*end || t > UINT32_MAX)
		return false;
	c = strtoull(config, rest, 0);
	if (errno || (**rest && **rest != ':'))
		return false;
	event_set_kind(e, (uint32_t)t, c);
	return true;
}

/* --- tracepoints ---------------------------------------------------------------------------- */

static void set_tracepoint(struct event *e, const char *name, uint64_t id)
{
	event_set_kind(e, PERF_TYPE_TRACEPOINT, id);
	e->own_count = tracepoint_own_count(name) != NULL;
	e->targeted = tracepoint_is_targeted(name);
	if (e->own_count)
		e->unit = "ns";
}

/* Add all tracepoints that match, the first into the event that is there already. */
static int take_tracepoints(struct parse *p, struct event *e, const char *subsystem,
			    const char *name, const char *mods)
{
	struct tracepoints found;
	int ret = tracepoint_match(subsystem, name, &found, p->err);

	for (size_t i = 0; i < found.nr && !ret; i++) {
		char text[EVENT_NAME_LEN];

		if (snprintf(text, sizeof(text), "%s%s%s", found.at[i].name, *mods ? ":" : "",
			     mods) >= EVENT_NAME_LEN)
			continue; /* the kernel's names are not half as long */
		if (i)
			e = append_event(p, text);
		if (!e) {
			ret = -p->err->code;
			break;
		}
		strcpy(e->name, text);
		set_tracepoint(e, found.at[i].name, found.at[i].id);
		if (*mods)
			ret = modify(p, e, mods, false);
	}
	tracepoints_clear(&found);
	return ret;
}

/* Parse SUBSYSTEM:NAME[:modifiers], already cut after the subsystem. */
static int parse_tracepoint(struct parse *p, struct event *e, const char *subsystem, char *name)
{
	char *mods = strchr(name, ':'), full[EVENT_NAME_LEN];
	uint64_t id;
	int ret;

	if (mods)
		*mods++ = '\0';
	p->at = *subsystem ? subsystem : name;
	if (!*subsystem || !*name)
		return unknown_event(p, e->name);
	if (strpbrk(subsystem, "*?[") || strpbrk(name, "*?["))
		return take_tracepoints(p, e, subsystem, name, mods ? mods : "");
	ret = tracepoint_id(subsystem, name, &id, p->err);
	if (ret)
		return ret;
	snprintf(full, sizeof(full), "%s:%s", subsystem, name);
	set_tracepoint(e, full, id);
	return mods ? modify(p, e, mods, false) : 0;
}

/* --- one event ------------------------------------------------------------------------------ */

/* Try a name unknown to perf's tables as one of a PMU's events. */
static int take_symbolic(struct parse *p, struct event *e, const char *name)
{
	int ret = pmu_symbolic(e, name, p->err);

	return ret == -ENOENT ? unknown_event(p, name) : ret;
}

/* NAME[:modifiers], TYPE:CONFIG[:modifiers] or a tracepoint. */
static int take_plain(struct parse *p, struct event *e, char *text)
{
	char *second = strchr(text, ':'), *rest = NULL;
	int ret = 0;

	if (second)
		*second++ = '\0';
	p->at = text;
	if (second && take_numbers(e, text, second, &rest))
		return *rest ? modify(p, e, rest + 1, false) : 0;
	if (!parse_known_name(e, text) && !parse_raw(e, text)) {
		if (second && !modifiers_are(second) && *second)
			return parse_tracepoint(p, e, text, second);
		if (second && (!*text || !*second))
			return unknown_event(p, e->name);
		ret = take_symbolic(p, e, text);
	}
	if (ret || !second)
		return ret;
	if (!*second)
		return err_set(p->err, EINVAL, "event '%s': a modifier follows the colon", e->name);
	return modify(p, e, second, false);
}

/*
 * Parse an event that is not a PMU's own, with terms that any event may have:
 * cycles/aux-action=pause/u.
 */
static int take_with_terms(struct parse *p, struct event *e, char *text, const char *terms,
			   const char *mods)
{
	unsigned first = p->list->nr - 1;
	int ret;

	/* Name the event as written, but without empty slashes. */
	if (!*terms)
		text_append(e->name, sizeof(e->name), strlen(text), "%s%s", *mods ? ":" : "", mods);
	ret = take_plain(p, e, text);
	p->at = terms;
	for (unsigned i = first; i < p->list->nr && !ret; i++) {
		e = &p->list->events[i];
		ret = pmu_general_terms(e, terms, p->err);
		if (!ret && *mods)
			ret = modify(p, e, mods, false);
	}
	return ret;
}

/* NAME/terms/[:]modifiers */
static int take_terms(struct parse *p, struct event *e, char *text)
{
	char *terms = strchr(text, '/'), *mods;
	uint64_t config;
	int ret;

	*terms++ = '\0';
	mods = strrchr(terms, '/');
	p->at = terms;
	if (!mods)
		return err_set(p->err, EINVAL, "event '%s': a second / ends the terms", e->name);
	*mods++ = '\0';
	mods += *mods == ':';
	if (strchr(text, ':') || event_name_find(text) || event_cache_find(text, &config) ||
	    parse_raw(e, text))
		return take_with_terms(p, e, text, terms, mods);
	p->at = text;
	ret = pmu_event(e, text, terms, p->err);
	return ret || !*mods ? ret : modify(p, e, mods, false);
}

static int take_breakpoint(struct parse *p, struct event *e, char *text)
{
	int ret = breakpoint_parse(e, text, &p->at, p->err);

	return ret || !*p->at ? ret : modify(p, e, p->at, false);
}

static int take_probe(struct parse *p, struct event *e, char *text, enum probe_kind kind)
{
	char *mods = strrchr(text, ':');

	if (mods && modifiers_are(mods + 1) && (kind < PROBE_USER || strchr(text, ':') != mods))
		*mods++ = '\0';
	else
		mods = NULL;
	p->at = text;
	if (probe_parse(e, kind, text, p->err))
		return -p->err->code;
	return mods ? modify(p, e, mods, false) : 0;
}

static int take_kprobe(struct parse *p, struct event *e, char *text)
{
	return take_probe(p, e, text, PROBE_KERNEL);
}

static int take_kretprobe(struct parse *p, struct event *e, char *text)
{
	return take_probe(p, e, text, PROBE_KERNEL_RETURN);
}

static int take_uprobe(struct parse *p, struct event *e, char *text)
{
	return take_probe(p, e, text, PROBE_USER);
}

static int take_uretprobe(struct parse *p, struct event *e, char *text)
{
	return take_probe(p, e, text, PROBE_USER_RETURN);
}

/* Parse a static probe point. Several places may have it: each is an event. */
static int parse_sdt(struct parse *p, struct event *e, char *text)
{
	char name[EVENT_NAME_LEN], *mods = strrchr(text, ':');
	int ret = 0, colons = 0;

	for (const char *c = text; *c; c++)
		colons += *c == ':';
	mods = mods && colons > 2 && modifiers_are(mods + 1) ? mods : NULL;
	if (mods)
		*mods++ = '\0';
	strcpy(name, e->name);
	for (unsigned i = 0; !ret; i++) {
		if (i) {
			text_append(name, sizeof(name), strcspn(name, "#"), "#%u", i + 1);
			e = append_event(p, name);
		}
		p->at = text;
		ret = e ? probe_usdt(e, text, i, p->err) : -p->err->code;
		if (ret == -ENOENT && i) { /* no more places */
			event_clear(&p->list->events[--p->list->nr]);
			return 0;
		}
		if (!ret && mods)
			ret = modify(p, e, mods, false);
	}
	return ret;
}

/* The whole text is libpfm4's, modifiers included. */
static int take_pfm(struct parse *p, struct event *e, char *text)
{
	p->at = text;
	return pfm_event(e, text, p->err);
}

/* Prefixes of events that are not names. */
static const struct kind {
	const char *prefix;
	int (*take)(struct parse *p, struct event *e, char *text);
	bool path; /* slashes are part of a path */
} kinds[] = {
	{"mem:", take_breakpoint, true},
	{"kprobe:", take_kprobe, false},
	{"kretprobe:", take_kretprobe, false},
	{"uprobe:", take_uprobe, true},
	{"uretprobe:", take_uretprobe, true},
	{"sdt:", parse_sdt, true},
	{"pfm:", take_pfm, true},
};

static const struct kind *prefix_kind(const char *text)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strncmp(text, kinds[i].prefix, strlen(kinds[i].prefix)))
			return &kinds[i];
	return NULL;
}

static int parse_one_event(struct parse *p, char *text)
{
	const struct kind *kind = prefix_kind(text);
	struct event *e = append_event(p, text);

	if (!e)
		return p->err->code == ENOMEM ? -ENOMEM : -EINVAL;
	if (kind)
		return kind->take(p, e, text + strlen(kind->prefix));
	return strchr(text, '/') ? take_terms(p, e, text) : take_plain(p, e, text);
}

/* --- lists and groups ----------------------------------------------------------------------- */

/* Return the end of the event at s: its terms, and quoted text, may have commas and braces. */
static char *event_end(char *s)
{
	const struct kind *kind = prefix_kind(s);
	bool terms = false, quoted = false;

	for (; *s && (terms || quoted || !strchr(",{}", *s)); s++) {
		quoted ^= *s == '\'';
		terms ^= *s == '/' && !quoted && !(kind && kind->path);
	}
	return s;
}

static int take_list(struct parse *p, char **at, bool group);

static void skip_blanks(char **at)
{
	*at += strspn(*at, " \t");
}

/* Return the end of the text without the blanks there. */
static char *cut_blanks(char *text, char *end)
{
	while (end > text && strchr(" \t", end[-1]))
		end--;
	return end;
}

/* Parse {event,...}[:modifiers]; *at is after the opening brace. */
static int parse_group(struct parse *p, char **at)
{
	unsigned first = p->list->nr;
	const char *mods;
	int ret = take_list(p, at, true);

	for (unsigned i = first; i < p->list->nr && !ret; i++)
		p->list->events[i].group = i == first ? ++p->list->groups : p->list->groups;
	if (ret || **at != ':')
		return ret;
	mods = ++*at;
	*at += strcspn(mods, ",}{ \t");
	p->at = mods;
	if (*at == mods || *at - mods >= 32)
		return err_set(p->err, EINVAL, "a modifier follows the group's colon");
	for (unsigned i = first; i < p->list->nr && !ret; i++) {
		char letters[32];

		snprintf(letters, sizeof(letters), "%.*s", (int)(*at - mods), mods);
		ret = modifiers_apply(&p->list->events[i], letters, true, &p->at, p->err);
		p->at = mods + (p->at - letters);
		/* Only the leader is marked: the whole group is on the CPU when the leader is. */
		p->list->events[i].attr.pinned &= i == first;
		p->list->events[i].attr.exclusive &= i == first;
	}
	return ret;
}

/* Parse the event or group at *at, and move *at past it. */
static int take_item(struct parse *p, char **at, bool group)
{
	char *text, *end, *behind, stop;
	int ret;

	skip_blanks(at);
	text = *at;
	behind = event_end(text);
	end = cut_blanks(text, behind);
	stop = *behind;
	p->at = text;
	if (stop == '{' && !group) {
		*at = behind + 1; /* a group's name is not shown anywhere */
		return parse_group(p, at);
	}
	if (end == text)
		return err_set(p->err, EINVAL, "empty event name in '%s'", p->written);
	if (stop == '{')
		return err_set(p->err, EINVAL, "a group in a group");
	*behind = *end = '\0';
	ret = parse_one_event(p, text);
	*behind = stop;
	*at = behind;
	return ret;
}

static int take_list(struct parse *p, char **at, bool group)
{
	for (;;) {
		int ret = take_item(p, at, group);

		if (ret)
			return ret;
		skip_blanks(at);
		p->at = *at;
		if (**at != ',')
			break;
		++*at;
	}
	if (**at == (group ? '}' : '\0')) {
		*at += group;
		return 0;
	}
	if (!**at)
		return err_set(p->err, EINVAL, "the group has no end: a } is missing");
	return err_set(p->err, EINVAL, "a comma must separate events, not '%.16s'", *at);
}

/* Remove the events added for this text; earlier ones are kept. */
static void remove_new_events(struct parse *p, unsigned before)
{
	while (p->list->nr > before)
		event_clear(&p->list->events[--p->list->nr]);
}

int event_parse(const char *text, struct event_list *list, struct err *err)
{
	struct err own;
	struct parse p = {
		.list = list, .written = text, .copy = strdup(text), .err = err ? err : &own};
	unsigned before = list->nr;
	char *at = p.copy;
	int ret;

	if (!p.copy)
		return err_set(err, ENOMEM, "out of memory");
	ret = take_list(&p, &at, false);
	if (ret && p.at >= p.copy && p.at <= p.copy + strlen(text))
		err_point(p.err, text, text + (p.at - p.copy));
	if (ret)
		remove_new_events(&p, before);
	free(p.copy);
	return ret;
}
