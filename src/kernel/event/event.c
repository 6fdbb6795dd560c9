/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/event/event.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "kernel/event/pmu.h"

struct event *event_list_add(struct event_list *list, const char *name)
{
	struct event *grown = reallocarray(list->events, list->nr + 1, sizeof(*grown)), *e;

	if (!grown)
		return NULL;
	list->events = grown;
	e = &grown[list->nr++];
	*e = (struct event){.unit = "", .attr = {.size = sizeof(e->attr), .exclude_guest = 1}};
	snprintf(e->name, sizeof(e->name), "%s", name);
	return e;
}

void event_set_kind(struct event *e, uint32_t type, uint64_t config)
{
	e->attr.type = type;
	e->attr.config = config;
	e->clock = type == PERF_TYPE_SOFTWARE && config <= PERF_COUNT_SW_TASK_CLOCK;
	e->unit = e->clock ? "ns" : "";
}

void event_clear(struct event *e)
{
	free(e->text);
	free(e->filter);
	free(e->weight);
	e->text = e->filter = e->weight = NULL;
}

int event_default(struct event_list *list)
{
	struct event *e = event_list_add(list, "cycles");

	if (!e)
		return -ENOMEM;
	event_set_kind(e, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
	e->fallback = true;
	return 0;
}

bool event_counts_alone(const struct event *e)
{
	return (e->attr.type == PERF_TYPE_SOFTWARE || e->attr.type == PERF_TYPE_TRACEPOINT) &&
	       !e->group && !e->attr.pinned && !e->attr.exclusive;
}

static bool is_counted_by_code(const struct event *e)
{
	return e->probe || e->attr.type == PERF_TYPE_SOFTWARE ||
	       e->attr.type == PERF_TYPE_TRACEPOINT;
}

bool event_always_runs(const struct event_list *list, unsigned i)
{
	unsigned group = list->events[i].group;

	for (unsigned k = 0; k < list->nr; k++)
		if ((k == i || (group && list->events[k].group == group)) &&
		    !is_counted_by_code(&list->events[k]))
			return false;
	return true;
}

bool event_is_soft(const struct event *e)
{
	return !e->clock && (e->probe || e->attr.type == PERF_TYPE_SOFTWARE ||
			     e->attr.type == PERF_TYPE_TRACEPOINT ||
			     e->attr.type == PERF_TYPE_BREAKPOINT);
}

static int set_frequency(struct event *e, uint32_t frequency, struct err *err)
{
	const char *file = "/proc/sys/kernel/perf_event_max_sample_rate";
	uint32_t limit = (uint32_t)io_read_number(file, 100000 /* the kernel's own default */);
	uint32_t most = e->clock && limit > EVENT_CLOCK_MAX ? EVENT_CLOCK_MAX : limit;

	e->slowed = frequency == EVENT_FREQUENCY_MAX && most < limit;
	if (!frequency)
		frequency = EVENT_FREQUENCY_DEFAULT < limit ? EVENT_FREQUENCY_DEFAULT : limit;
	if (frequency == EVENT_FREQUENCY_MAX)
		frequency = most;
	if (frequency > limit) {
		err_set(err, EINVAL, "frequency %u Hz is above the kernel's limit of %u Hz",
			frequency, limit);
		err_advise(err,
			   "use -F max, or as root: sysctl kernel.perf_event_max_sample_rate=%u",
			   frequency);
		return -EINVAL;
	}
	e->attr.freq = 1;
	e->attr.sample_freq = frequency;
	return 0;
}

/* Set the period as perf_swevent_init_hrtimer would: samples need not have a fixed one. */
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
	e->asked = 0;
	if (e->led) {
		e->attr.freq = 0;
		e->attr.sample_period = 0;
		return 0;
	}
	if (e->precise_most)
		e->attr.precise_ip = 3;
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

/* A union of perf_event_attr holds either the period or the frequency. */
bool event_slow(struct event *e, unsigned halvings)
{
	uint64_t asked = e->asked ? e->asked : e->attr.sample_period,
		 slowest = 1000000000 / EVENT_SLOWEST, rate;

	if (e->led || e->weight || e->role != EVENT_PLAIN || event_is_soft(e) || !asked)
		return false;
	if (e->attr.freq) {
		rate = asked >> halvings;
		if (rate < EVENT_SLOWEST)
			rate = asked < EVENT_SLOWEST ? asked : EVENT_SLOWEST;
	} else {
		rate = asked << halvings;
		/* The rate of counting is known for clocks only. */
		if (e->clock && rate > slowest)
			rate = asked > slowest ? asked : slowest;
	}
	if (rate == e->attr.sample_period)
		return false;
	e->asked = halvings ? asked : 0;
	e->attr.sample_period = rate;
	return true;
}

/* Return the leader of e's group, or e itself without one. */
static const struct event *leading_event(const struct event_list *list, const struct event *e)
{
	for (unsigned i = 0; e->group && i < list->nr; i++)
		if (list->events[i].group == e->group)
			return &list->events[i];
	return e;
}

void event_list_lead(struct event_list *list)
{
	for (unsigned i = 0; i < list->nr; i++) {
		struct event *e = &list->events[i];
		const struct event *leader = leading_event(list, e);

		e->led = leader != e && leader->sample_read;
		/* A leader alone has no other counts for its samples. */
		e->sample_read = leader == e && e->sample_read && i + 1 < list->nr && e->group &&
				 list->events[i + 1].group == e->group;
	}
}

bool event_wants_aux(const struct event *e)
{
	return e->attr.aux_sample_size || pmu_aux_action(&e->attr);
}

uint64_t event_fixed_period(const struct event *e)
{
	/* Each hit is a sample, weighted by its count. */
	if (e->own_count && e->attr.sample_period == 1)
		return 0;
	return e->attr.freq ? 0 : e->attr.sample_period;
}

void event_list_clear(struct event_list *list)
{
	while (list->nr)
		event_clear(&list->events[--list->nr]);
	free(list->events);
	*list = (struct event_list){0};
}
