/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/replay/fileevents.h"

#include <stdio.h>

#include "core/table/combine.h"

static bool is_dummy(const struct perf_event_attr *a)
{
	return a->type == PERF_TYPE_SOFTWARE && a->config == PERF_COUNT_SW_DUMMY;
}

static bool is_clock(const struct perf_event_attr *a)
{
	return a->type == PERF_TYPE_SOFTWARE &&
	       (a->config == PERF_COUNT_SW_CPU_CLOCK || a->config == PERF_COUNT_SW_TASK_CLOCK);
}

static void describe_session_event(const struct perfdata_event *from, struct session_event *to)
{
	*to = (struct session_event){.unit = is_clock(&from->attr) ? "ns" : ""};
	to->precise = session_precise(from->attr.type, from->attr.precise_ip);
	snprintf(to->name, sizeof(to->name), "%s", from->name);
	if (from->attr.freq)
		to->frequency = (uint32_t)from->attr.sample_freq;
	else
		to->period = from->attr.sample_period;
}

uint32_t fileevents_number(const struct perfdata *file, unsigned i, unsigned *nr)
{
	if (is_dummy(&perfdata_event(file, i)->attr) && perfdata_events(file) > 1)
		return PERFDATA_NO_EVENT;
	return *nr < COMBINE_EVENTS ? (*nr)++ : COMBINE_EVENTS - 1;
}

unsigned fileevents_describe(const struct perfdata *file, struct session_event *events)
{
	unsigned nr = 0;

	for (unsigned i = 0; i < perfdata_events(file); i++) {
		unsigned before = nr;
		uint32_t n = fileevents_number(file, i, &nr);

		if (n == PERFDATA_NO_EVENT)
			continue;
		if (nr > before)
			describe_session_event(perfdata_event(file, i), &events[n]);
		else
			events[n] = (struct session_event){.name = "other events", .unit = ""};
	}
	if (!nr) /* nothing but dummies */
		describe_session_event(perfdata_event(file, 0), &events[nr++]);
	return nr;
}
