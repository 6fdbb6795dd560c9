/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "event/event.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "event/pmu.h"
#include "event/tracepoint.h"

struct known_event {
	const char *name, *alias;
	uint32_t type;
	uint64_t config;
};

static const struct known_event known_events[] = {
	{"cycles", "cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
	{"instructions", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
	{"cache-references", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES},
	{"cache-misses", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
	{"branches", "branch-instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
	{"branch-misses", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
	{"bus-cycles", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES},
	{"stalled-cycles-frontend", "idle-cycles-frontend", PERF_TYPE_HARDWARE,
	 PERF_COUNT_HW_STALLED_CYCLES_FRONTEND},
	{"stalled-cycles-backend", "idle-cycles-backend", PERF_TYPE_HARDWARE,
	 PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
	{"ref-cycles", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES},
	{"cpu-clock", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK},
	{"task-clock", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
	{"page-faults", "faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
	{"context-switches", "cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
	{"cpu-migrations", "migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
	{"minor-faults", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN},
	{"major-faults", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ},
	{"alignment-faults", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS},
	{"emulation-faults", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS},
	{"cgroup-switches", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CGROUP_SWITCHES},
};

#define NR_KNOWN (sizeof(known_events) / sizeof(*known_events))

static const struct known_event *find_known(const char *name)
{
	for (size_t i = 0; i < NR_KNOWN; i++) {
		const struct known_event *k = &known_events[i];

		if (!strcasecmp(name, k->name) || (k->alias && !strcasecmp(name, k->alias)))
			return k;
	}
	return NULL;
}

static int apply_modifiers(struct event *e, const char *mods, struct err *err)
{
	struct perf_event_attr *a = &e->attr;
	bool user = strchr(mods, 'u'), kernel = strchr(mods, 'k'), hv = strchr(mods, 'h');

	if (mods[strspn(mods, "ukhpGHID")] || !*mods)
		return err_set(err, EINVAL, "event '%s': unknown modifier in ':%s' (u k h p G H I D)",
			       e->name, mods);
	if (user || kernel || hv) {
		a->exclude_user = !user;
		a->exclude_kernel = !kernel;
		a->exclude_hv = !hv;
	}
	for (const char *m = mods; *m; m++) {
		if (*m == 'p' && ++a->precise_ip == 0)
			return err_set(err, EINVAL, "event '%s': at most three p", e->name);
	}
	a->exclude_host = strchr(mods, 'G') && !strchr(mods, 'H');
	a->exclude_guest = strchr(mods, 'H') && !strchr(mods, 'G');
	a->exclude_idle = strchr(mods, 'I') != NULL;
	a->pinned = strchr(mods, 'D') != NULL;
	return 0;
}

static void set_known(struct event *e, const struct known_event *k)
{
	e->attr.type = k->type;
	e->attr.config = k->config;
	e->clock = k->type == PERF_TYPE_SOFTWARE && k->config <= PERF_COUNT_SW_TASK_CLOCK;
	e->unit = e->clock ? "ns" : "";
}

static bool parse_raw(struct event *e, const char *name)
{
	char *end;

	if (name[0] != 'r' || !isxdigit((unsigned char)name[1]))
		return false;
	errno = 0;
	e->attr.config = strtoull(name + 1, &end, 16);
	e->attr.type = PERF_TYPE_RAW;
	e->unit = "";
	return !*end && !errno;
}

static int unknown_event(const char *name, struct err *err)
{
	err_set(err, EINVAL, "unknown event '%s'", name);
	return err_advise(err, "known here: cycles, instructions, cache-misses, branches, cpu-clock, "
			       "page-faults, context-switches, cpu-migrations, ..., "
			       "tracepoints SUBSYSTEM:NAME, PMU/TERM=VALUE,.../, raw rHEX");
}

static int parse_one(struct event *e, char *text, struct err *err);

/* A name that perf does not know for itself: one of a PMU's events? */
static int parse_symbolic(struct event *e, const char *name, const char *mods, struct err *err)
{
	int ret = pmu_symbolic(e, name, err);

	if (ret == -ENOENT)
		return unknown_event(e->name, err);
	return ret || !mods ? ret : apply_modifiers(e, mods, err);
}

/* An event that is no PMU's own, with terms that any event may have: cycles/aux-action=pause/u. */
static int parse_with_terms(struct event *e, char *text, const char *terms, const char *mods,
			    struct err *err)
{
	char plain[EVENT_NAME_LEN];
	int ret = parse_one(e, text, err);

	strcpy(plain, e->name);
	if (!ret)
		ret = pmu_general_terms(e, terms, err);
	if (!ret && *mods)
		ret = apply_modifiers(e, mods, err);
	/* Unless it was given one: as it was written, but without slashes around nothing. */
	if (!ret && !strcmp(e->name, plain))
		text_append(e->name, sizeof(e->name), strlen(plain), *terms ? "/%s/%s" : "%s%s",
			    *terms ? terms : *mods ? ":" : "", mods);
	return ret;
}

/* pmu/terms/mods; the colon before the modifiers may be there or not. */
static int parse_pmu(struct event *e, char *text, struct err *err)
{
	char *terms = strchr(text, '/'), *mods;
	int ret;

	*terms++ = '\0';
	mods = strchr(terms, '/');
	if (!mods)
		return err_set(err, EINVAL, "event '%s': a second / ends the terms", e->name);
	*mods++ = '\0';
	mods += *mods == ':';
	if (strchr(text, ':') || find_known(text))
		return parse_with_terms(e, text, terms, mods, err);
	ret = pmu_event(e, text, terms, err);
	return ret || !*mods ? ret : apply_modifiers(e, mods, err);
}

/* One event, split at its colons: name[:mods] or subsystem:name[:mods]. */
static int parse_one(struct event *e, char *text, struct err *err)
{
	char *second = strchr(text, ':'), *third = NULL;
	const struct known_event *k;
	uint64_t id;

	snprintf(e->name, sizeof(e->name), "%s", text);
	if (strchr(text, '/'))
		return parse_pmu(e, text, err);
	if (second)
		*second++ = '\0';
	k = find_known(text);
	if (k)
		set_known(e, k);
	if (k || parse_raw(e, text))
		return second ? apply_modifiers(e, second, err) : 0;
	if (!second || !second[strspn(second, "ukhpGHID")])
		return parse_symbolic(e, text, second, err);
	third = strchr(second, ':');
	if (third)
		*third++ = '\0';
	e->attr.type = PERF_TYPE_TRACEPOINT;
	e->unit = "";
	if (!*text || !*second)
		return unknown_event(e->name, err);
	if (tracepoint_id(text, second, &id, err) < 0)
		return -err->code;
	e->attr.config = id;
	return third ? apply_modifiers(e, third, err) : 0;
}

static struct event *append(struct event_list *list)
{
	struct event *grown = reallocarray(list->events, list->nr + 1, sizeof(*grown));

	if (!grown)
		return NULL;
	list->events = grown;
	grown += list->nr++;
	memset(grown, 0, sizeof(*grown));
	grown->attr.size = sizeof(grown->attr);
	return grown;
}

/* The next event and its end: a comma between slashes belongs to it. */
static char *next_event(char **rest)
{
	char *one = *rest, *s = one;
	bool terms = false;

	for (; *s && (terms || *s != ','); s++)
		terms ^= *s == '/';
	*rest = *s ? s + 1 : NULL;
	*s = '\0';
	return one;
}

static int parse_list(char *text, struct event_list *list, struct err *err)
{
	int ret = 0;

	while (text && !ret) {
		char *one = next_event(&text);
		struct event *e;

		if (strlen(one) >= EVENT_NAME_LEN)
			return err_set(err, EINVAL, "event name of %zu characters is too long",
				       strlen(one));
		if (list->nr == EVENTS_MAX)
			return err_set(err, EINVAL, "more than %d events", EVENTS_MAX);
		e = append(list);
		ret = e ? parse_one(e, one, err) : err_set(err, ENOMEM, "out of memory");
	}
	return ret;
}

int event_parse(const char *text, struct event_list *list, struct err *err)
{
	struct err own;
	char *copy;
	int ret;

	if (!*text || text[strlen(text) - 1] == ',' || *text == ',' || strstr(text, ",,"))
		return err_set(err, EINVAL, "empty event name in '%s'", text);
	if (strpbrk(text, "{}"))
		return err_set(err, EINVAL, "'%s': groups are not understood by this version", text);
	copy = strdup(text);
	if (!copy)
		return err_set(err, ENOMEM, "out of memory");
	ret = parse_list(copy, list, err ? err : &own);
	free(copy);
	return ret;
}

int event_default(struct event_list *list)
{
	struct event *e = append(list);

	if (!e)
		return -ENOMEM;
	strcpy(e->name, "cycles");
	set_known(e, find_known("cycles"));
	e->fallback = true;
	return 0;
}

bool event_step_down(struct event *e)
{
	if (!e->fallback || e->clock)
		return false;
	e->attr.type = 0;
	set_known(e, find_known("cpu-clock"));
	strcpy(e->name, e->attr.exclude_kernel ? "cpu-clock:u" : "cpu-clock");
	return true;
}

static uint32_t max_sample_rate(void)
{
	unsigned rate = 100000; /* the kernel's own default */
	FILE *f = fopen("/proc/sys/kernel/perf_event_max_sample_rate", "re");

	if (f && fscanf(f, "%u", &rate) != 1)
		rate = 100000;
	if (f)
		fclose(f);
	return rate;
}

bool event_is_soft(const struct event *e)
{
	return !e->clock && (e->attr.type == PERF_TYPE_SOFTWARE ||
			     e->attr.type == PERF_TYPE_TRACEPOINT ||
			     e->attr.type == PERF_TYPE_BREAKPOINT);
}

static int set_frequency(struct event *e, uint32_t frequency, struct err *err)
{
	uint32_t limit = max_sample_rate();
	uint32_t most = e->clock && limit > EVENT_CLOCK_MAX ? EVENT_CLOCK_MAX : limit;

	e->slowed = frequency == EVENT_FREQUENCY_MAX && most < limit;
	if (!frequency)
		frequency = EVENT_FREQUENCY_DEFAULT < limit ? EVENT_FREQUENCY_DEFAULT : limit;
	if (frequency == EVENT_FREQUENCY_MAX)
		frequency = most;
	if (frequency > limit) {
		err_set(err, EINVAL, "frequency %u Hz is above the kernel's limit of %u Hz", frequency,
			limit);
		err_advise(err, "use -F max, or as root: sysctl kernel.perf_event_max_sample_rate=%u",
			   frequency);
		return -EINVAL;
	}
	e->attr.freq = 1;
	e->attr.sample_freq = frequency;
	return 0;
}

/* What perf_swevent_init_hrtimer does; said by us, samples need not carry their period. */
static void fix_clock_period(struct event *e)
{
	if (e->attr.freq && e->attr.sample_freq)
		e->attr.sample_period = 1000000000 / e->attr.sample_freq;
	e->attr.freq = 0;
	if (e->attr.sample_period < EVENT_CLOCK_PERIOD_LEAST) {
		e->attr.sample_period = EVENT_CLOCK_PERIOD_LEAST;
		e->slowed = true;
	}
}

int event_set_rate(struct event *e, uint64_t period, uint32_t frequency, struct err *err)
{
	int ret = 0;

	e->slowed = false;
	if (!period && !frequency && event_is_soft(e))
		period = 1;
	if (!e->rated && period) {
		e->attr.freq = 0;
		e->attr.sample_period = period;
	} else if (!e->rated) {
		ret = set_frequency(e, frequency, err);
	}
	if (!ret && e->clock)
		fix_clock_period(e);
	return ret;
}

bool event_wants_aux(const struct event *e)
{
	return e->attr.aux_sample_size || pmu_aux_action(&e->attr);
}

uint64_t event_fixed_period(const struct event *e)
{
	return e->attr.freq ? 0 : e->attr.sample_period;
}

void event_list_clear(struct event_list *list)
{
	free(list->events);
	*list = (struct event_list){0};
}
