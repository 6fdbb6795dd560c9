/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/core/ratios.h"

#include <linux/perf_event.h>
#include <math.h>

#define HW(id)	  PERF_TYPE_HARDWARE, PERF_COUNT_HW_##id
#define SW(id)	  PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##id
#define CACHE(id, result)                                                                          \
	PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_##id | PERF_COUNT_HW_CACHE_OP_READ << 8 |          \
				    PERF_COUNT_HW_CACHE_RESULT_##result << 16

/* Where `by` is the same event as `of`: divided by the seconds of the window. */
static const struct ratio_row {
	const char *name, *unit;
	double factor;
	uint32_t of_type;
	uint64_t of;
	uint32_t by_type;
	uint64_t by;
} table[] = {
	{"CPUs utilized", "", 1e-9, SW(TASK_CLOCK), SW(TASK_CLOCK)},
	{"instructions per cycle", "", 1, HW(INSTRUCTIONS), HW(CPU_CYCLES)},
	{"clock", "GHz", 1, HW(CPU_CYCLES), SW(TASK_CLOCK)},
	{"clock", "GHz", 1, HW(CPU_CYCLES), SW(CPU_CLOCK)},
	{"branches missed", "%", 100, HW(BRANCH_MISSES), HW(BRANCH_INSTRUCTIONS)},
	{"branches missed", "per 1000 instructions", 1000, HW(BRANCH_MISSES), HW(INSTRUCTIONS)},
	{"cache accesses missed", "%", 100, HW(CACHE_MISSES), HW(CACHE_REFERENCES)},
	{"cache misses", "per 1000 instructions", 1000, HW(CACHE_MISSES), HW(INSTRUCTIONS)},
	{"L1 data loads missed", "%", 100, CACHE(L1D, MISS), CACHE(L1D, ACCESS)},
	{"L1 instruction loads missed", "%", 100, CACHE(L1I, MISS), CACHE(L1I, ACCESS)},
	{"LLC loads missed", "%", 100, CACHE(LL, MISS), CACHE(LL, ACCESS)},
	{"dTLB loads missed", "%", 100, CACHE(DTLB, MISS), CACHE(DTLB, ACCESS)},
	{"iTLB loads missed", "%", 100, CACHE(ITLB, MISS), CACHE(ITLB, ACCESS)},
	{"cycles stalled, front end", "%", 100, HW(STALLED_CYCLES_FRONTEND), HW(CPU_CYCLES)},
	{"cycles stalled, back end", "%", 100, HW(STALLED_CYCLES_BACKEND), HW(CPU_CYCLES)},
	{"context switches", "per CPU second", 1e9, SW(CONTEXT_SWITCHES), SW(TASK_CLOCK)},
	{"CPU migrations", "per CPU second", 1e9, SW(CPU_MIGRATIONS), SW(TASK_CLOCK)},
	{"page faults", "per CPU second", 1e9, SW(PAGE_FAULTS), SW(TASK_CLOCK)},
};

static unsigned find_counter_by_config(const struct session_info *info, uint32_t type,
				       uint64_t config)
{
	unsigned i = 0;

	while (i < info->ncounters &&
	       (info->counters[i].type != type || info->counters[i].config != config ||
		info->counters[i].why[0]))
		i++;
	return i;
}

static struct counter_sum sum_of(const struct partsum *all, unsigned counter)
{
	size_t nr;
	const struct slice_counter *of = counters_of(all, counter, &nr);

	return counters_sum(of, nr);
}

static bool together(const struct session_info *info, const struct ratio *r,
		     const struct counter_sum *of, const struct counter_sum *by)
{
	unsigned group = info->counters[r->of].group;

	return of->running == by->running && of->enabled == by->enabled &&
	       (of->running == of->enabled || (group && group == info->counters[r->by].group));
}

static void divide(struct ratio *r, double factor, const struct counter_sum *of,
		   const struct counter_sum *by)
{
	if (by->count)
		r->value = (double)of->count / (double)by->count * factor;
	else
		r->why = "the event that it is divided by was not counted";
}

static void make_ratio(const struct session_info *info, const struct partsum *all, double seconds,
		       double factor, struct ratio *r)
{
	const struct counter_sum of = sum_of(all, r->of), by = sum_of(all, r->by);

	r->value = NAN;
	r->why = NULL;
	if (!of.running || !by.running)
		r->why = "not counted in this window";
	else if (!together(info, r, &of, &by))
		r->why = "they were not counted at the same time: use a group, -S '{...}'";
	else if (r->of != r->by)
		divide(r, factor, &of, &by);
	else if (seconds > 0)
		r->value = (double)of.count * factor / seconds;
}

size_t ratios_make(const struct session_info *info, const struct partsum *all, double seconds,
		   struct ratio ratios[RATIOS_MAX])
{
	size_t nr = 0;

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]) && nr < RATIOS_MAX; i++) {
		const struct ratio_row *t = &table[i];
		struct ratio r = {.name = t->name, .unit = t->unit,
				  .of = find_counter_by_config(info, t->of_type, t->of),
				  .by = find_counter_by_config(info, t->by_type, t->by)};

		if (r.of == info->ncounters || r.by == info->ncounters)
			continue;
		make_ratio(info, all, seconds, t->factor, &r);
		ratios[nr++] = r;
	}
	return nr;
}
