/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/change/autopaths.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "base/units.h"
#include "files/unwind/unwind.h"
#include "sources/live/tick_parts.h"

#define HEAD_BYTES 512u /* average bytes of a sample beside its stack */
#define FPCHECK_NS (2 * NSEC_PER_SEC) /* session time after which shallow stacks are logged */
#define SPARE      0.7  /* of the budget: most that a larger copy may take */

static const uint32_t sizes[] = {8192, 4096, 2048, 1024};

void autopaths_init(struct autopaths *a, uint64_t budget, unsigned cpus)
{
	*a = (struct autopaths){.budget = budget ? budget : (uint64_t)AUTOPATHS_BUDGET * cpus};
}

static void *create_autopaths(const struct tick_parts *p)
{
	struct autopaths *a = malloc(sizeof(*a));

	if (a)
		autopaths_init(a, p->scope->callgraph.budget, p->scope->watched.nr);
	return a;
}

static double copy_cost(uint64_t per_second, uint32_t stack)
{
	return (double)per_second * (stack + HEAD_BYTES);
}

uint32_t autopaths_stack(uint64_t per_second, uint64_t budget, uint32_t now)
{
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		if (copy_cost(per_second, sizes[i]) <=
		    (double)budget * (sizes[i] > now ? SPARE : 1))
			return sizes[i];
	return 0;
}

bool autopaths_take(struct autopaths *a, uint64_t span_ns, uint64_t samples, uint64_t bytes,
		    uint64_t unwound)
{
	double seconds;

	a->span_ns += span_ns;
	a->samples += samples;
	a->bytes += bytes;
	a->idle = unwound ? 0 : a->idle;
	if (a->span_ns < NSEC_PER_SEC)
		return false;
	seconds = (double)a->span_ns / NSEC_PER_SEC;
	a->rate = (uint64_t)((double)a->bytes / seconds);
	a->per_second = (uint64_t)((double)a->samples / seconds);
	a->span_ns = a->samples = a->bytes = 0;
	return true;
}

static void judge_nothing(struct autopaths *a, bool shallow)
{
	uint32_t may = autopaths_stack(a->per_second, a->budget, 0);

	a->room = may ? a->room + 1 : 0;
	if (shallow && may && (!a->over || a->room >= AUTOPATHS_UP))
		a->wanted = may;
	else if (shallow && !may)
		a->over = true;
}

/* Return the next smaller size.  One step at a time: the next second is measured again. */
static uint32_t less_than(uint32_t stack)
{
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		if (sizes[i] < stack)
			return sizes[i];
	return 0;
}

static void judge_copies(struct autopaths *a, bool shallow)
{
	uint32_t may = autopaths_stack(a->per_second, a->budget, a->stack);

	a->above = a->rate > a->budget ? a->above + 1 : 0;
	a->room = may > a->stack ? a->room + 1 : 0;
	a->idle = shallow ? 0 : a->idle + 1;
	if (a->above >= AUTOPATHS_DOWN)
		a->wanted = may < a->stack ? may : less_than(a->stack);
	else if (a->room >= AUTOPATHS_UP)
		a->wanted = may;
	else if (a->idle > AUTOPATHS_IDLE)
		a->wanted = 0;
	a->over = a->above >= AUTOPATHS_DOWN && !a->wanted;
}

void autopaths_judge(struct autopaths *a, bool shallow)
{
	if (a->wanted != a->stack)
		return; /* it is still to be done */
	if (a->stack)
		judge_copies(a, shallow);
	else if (!a->failed)
		judge_nothing(a, shallow);
}

/* --- log lines ---------------------------------------------------------------------------- */

static void say_over(const struct autopaths *a, struct slice *s)
{
	char budget[UNITS_LEN], need[UNITS_LEN];

	slice_log(
		s, SLICE_WARNING,
		"call graph auto: call stacks end after one function, or lead to no code, in %s, "
		"and copies of stacks would take %s a second with %llu samples a second, more than "
		"%s: --call-graph auto,BYTES allows more, a lower rate needs less",
		a->names,
		units_bytes(need,
			    copy_cost(a->per_second, sizes[sizeof(sizes) / sizeof(sizes[0]) - 1])),
		(unsigned long long)a->per_second, units_bytes(budget, (double)a->budget));
}

static void log_copying(const struct autopaths *a, uint32_t before, struct slice *s)
{
	char budget[UNITS_LEN], rate[UNITS_LEN];

	if (!before)
		slice_log(
			s, SLICE_INFO,
			"call graph auto: call stacks end after one function, or lead to no code, "
			"in %s, for lack of frame pointers: from now on %u bytes of stacks are "
			"copied, about %s a second of %s at most",
			a->names, a->stack, units_bytes(rate, copy_cost(a->per_second, a->stack)),
			units_bytes(budget, (double)a->budget));
	else if (a->stack)
		slice_log(s, a->stack < before ? SLICE_WARNING : SLICE_INFO,
			  "call graph auto: samples take %s a second of %s at most: from now on "
			  "%u bytes of stacks are copied", units_bytes(rate, (double)a->rate),
			  units_bytes(budget, (double)a->budget), a->stack);
	else if (!a->over)
		slice_log(
			s, SLICE_INFO,
			"call graph auto: no copy of a stack was needed for %u s: only frame "
			"pointers are used from now on", AUTOPATHS_IDLE);
}

static void log_not_copying(struct autopaths *a, int ret, struct slice *s)
{
	if (ret == -EBUSY && a->busy_said)
		return;
	a->busy_said = ret == -EBUSY;
	a->failed = ret != -EBUSY;
	if (ret == -EBUSY && !a->stack)
		slice_log(
			s, SLICE_WARNING,
			"call graph auto: call stacks end after one function, or lead to no code, "
			"in %s, for lack of frame pointers; a running recording cannot be "
			"changed: --call-graph dwarf copies stacks from the start", a->names);
	else if (ret == -EBUSY)
		slice_log(
			s, SLICE_INFO,
			"call graph auto: the size of stack copies does not change during a "
			"recording");
	else
		slice_log(
			s, SLICE_WARNING,
			"call graph auto: stacks cannot be copied here (%s): only frame pointers "
			"are used",
			ret == -EOPNOTSUPP ? "they are not unwound here" : strerror(-ret));
}

/* --- the tick's --------------------------------------------------------------------------- */

static bool any_auto(const struct tick_now *n)
{
	const struct scope *sc = n->parts->scope;

	return callgraph_any_auto(&sc->callgraph, &sc->events);
}

/* Copy as wanted, where some event is auto. */
static void copy_as_wanted(void *autopaths, struct tick_now *n)
{
	struct autopaths *a = autopaths;
	uint32_t before = a->stack;
	int ret;

	if (n->last || !any_auto(n) || a->wanted == before)
		return;
	ret = cfi_arch_here() ? eventchange_copy(n->parts->eventchange, a->wanted, n->s)
			      : -EOPNOTSUPP;
	if (ret == -EAGAIN)
		return;
	if (ret) {
		log_not_copying(a, ret, n->s);
		if (ret != -EBUSY)
			a->wanted = before;
		return;
	}
	a->stack = a->wanted;
	a->above = a->room = a->idle = 0;
	a->busy_said = false;
	log_copying(a, before, n->s);
}

static uint64_t sample_bytes(const struct slice *s, uint64_t *records)
{
	uint64_t bytes = 0;

	*records = 0;
	for (size_t i = 0; i < s->ngauges; i++) {
		const struct slice_gauge *g = &s->gauges[i];

		if (g->kind != RING_SAMPLE)
			continue;
		*records += g->records;
		bytes += g->bytes +
			 (g->overwritten_bytes == GAUGE_UNKNOWN ? 0 : g->overwritten_bytes);
	}
	return bytes;
}

/* Log once how shallow the stacks are that frame pointers have given since the start. */
static void log_shallow(struct autopaths *a, struct resolver *r, struct slice *s)
{
	char text[1024];

	if (a->shallow_said || s->end < FPCHECK_NS || !resolver_shallow(r, text, sizeof(text)))
		return;
	a->shallow_said = true;
	slice_log(s, SLICE_WARNING, "%s", text);
}

/*
 * Take the figures of the slice, with its gauges and unwound copies, and put the present state into
 * it.  Where nothing copies, log once how shallow the stacks of frame pointers are.
 */
static void tell_copying(void *autopaths, struct tick_now *n)
{
	struct resolver *r = n->parts->resolver;
	struct autopaths *a = autopaths;
	struct slice *s = n->s;
	uint64_t records, bytes = sample_bytes(s, &records);
	bool was_over = a->over, on = any_auto(n);

	if (!on || a->failed)
		log_shallow(a, r, s);
	if (!on)
		return;
	if (autopaths_take(a, s->end - s->start, records, bytes,
			   a->stack ? s->self.unwind.samples : 0))
		autopaths_judge(a, resolver_find_shallow(r, a->names, sizeof(a->names)));
	if (a->over && !was_over)
		say_over(a, s);
	s->self.unwind.auto_stack = a->stack;
	s->self.unwind.auto_rate = a->rate;
	s->self.unwind.auto_budget = a->budget;
	text_append(s->self.shallow, sizeof(s->self.shallow), 0, "%s", a->names);
}

const struct tick_part tick_part_autopaths = {
	create_autopaths, .work = {[TICK_CHANGE] = copy_as_wanted, [TICK_END] = tell_copying}};
