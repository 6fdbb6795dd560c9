/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/synth_counters.h"

#include <linux/perf_event.h>
#include <stdio.h>

#define TICK 100000000u /* ns */

enum { CLOCK, SWITCHES, CYCLES, INSTRUCTIONS, MISSES, ENERGY, STARVED, REFUSED, PINNED, NR };

static struct session_counter counters[NR] = {
	[CLOCK] = {.name = "task-clock", .unit = "ns", .scale = 1, .type = PERF_TYPE_SOFTWARE,
		   .config = PERF_COUNT_SW_TASK_CLOCK},
	[SWITCHES] = {.name = "context-switches", .scale = 1, .type = PERF_TYPE_SOFTWARE,
		      .config = PERF_COUNT_SW_CONTEXT_SWITCHES},
	[CYCLES] = {.name = "cycles", .scale = 1, .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES,
		    .group = 1},
	[INSTRUCTIONS] = {.name = "instructions", .scale = 1, .type = PERF_TYPE_HARDWARE,
			  .config = PERF_COUNT_HW_INSTRUCTIONS, .group = 1},
	[MISSES] = {.name = "cache-misses", .scale = 1, .type = PERF_TYPE_HARDWARE,
		    .config = PERF_COUNT_HW_CACHE_MISSES},
	[ENERGY] = {.name = "power/energy-pkg/", .unit = "Joules", .scale = 0x1p-32f, .type = 12, .config = 2},
	[STARVED] = {.name = "branches", .scale = 1, .type = PERF_TYPE_HARDWARE,
		     .config = PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
		     .starved = "other events hold the hardware; the NMI watchdog has one"},
	[REFUSED] = {.name = "stalled-cycles-backend", .scale = 1, .type = PERF_TYPE_HARDWARE,
		     .config = PERF_COUNT_HW_STALLED_CYCLES_BACKEND,
		     .why = "this machine cannot count stalled-cycles-backend: no such event here"},
	[PINNED] = {.name = "ref-cycles:D", .scale = 1, .type = PERF_TYPE_HARDWARE,
		    .config = PERF_COUNT_HW_REF_CPU_CYCLES, .pinned = true},
};

void synth_counters_info(struct session_info *info, bool hostile)
{
	info->counters = counters;
	info->ncounters = NR;
	snprintf(counters[SWITCHES].name, sizeof(counters[SWITCHES].name), "%s",
		 hostile ? "\033[31mswitch\x9b\xe2\x80\xae" : "context-switches");
}

static void add(struct slice *s, unsigned counter, unsigned cpu, uint64_t count, uint64_t running)
{
	struct slice_counter *c = slice_add_counter(s);

	if (c)
		*c = (struct slice_counter){.counter = (uint16_t)counter, .cpu = (int16_t)cpu, .count = count,
					    .enabled = TICK, .running = running};
}

void synth_counters_tick(struct slice *s, unsigned cpus, uint64_t tick)
{
	for (unsigned cpu = 0; cpu < cpus; cpu++) {
		uint64_t busy = TICK / (cpu + 1), half = TICK / 2, wave = tick % 8 * 1000000;

		add(s, CLOCK, cpu, busy, TICK);
		add(s, SWITCHES, cpu, 40 + tick % 5 * 10 + cpu, TICK);
		add(s, CYCLES, cpu, busy * 3 / 2, half);
		add(s, INSTRUCTIONS, cpu, busy * 3 / 2 * 5 / 4 + wave, half);
		add(s, MISSES, cpu, busy / 1000 + wave / 100, TICK - half);
		add(s, STARVED, cpu, 0, 0);
	}
	add(s, ENERGY, 0, 6442450944 /* 1.5 J */, TICK);
}
