/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cost of twice the rate is guessed as twice the cost.  A step up that has to be taken back
 * within a while makes the next one later, so that a load at the limit does not open rings anew all
 * the time.
 */
#include "sources/change/cpulimit.h"

#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "measure/session/measure_config.h"
#include "sources/live/tick_parts.h"

#define BORNE 0.5 /* of the limit: below it another rate would change too little */
#define ROOM  0.8 /* of the limit: most that a step up may cost */

void cpulimit_init(struct cpulimit *p, unsigned percent, unsigned cpus)
{
	*p = (struct cpulimit){.percent = percent,
			   .limit = percent * cpus / 100.0,
			   .patience = CPULIMIT_BELOW,
			   .since_up = CPULIMIT_PATIENCE};
}

static void *create_pace(const struct tick_parts *parts)
{
	struct cpulimit *p = malloc(sizeof(*p));

	if (p)
		cpulimit_init(p, (unsigned)parts->config->max_cpu, parts->scope->watched.nr);
	return p;
}

static void step_rate_down(struct cpulimit *p)
{
	double share = p->share;

	while (p->wanted < CPULIMIT_HALVINGS && share > p->limit) {
		p->wanted++;
		share /= 2;
	}
	if (p->since_up < 2 * CPULIMIT_BELOW && p->patience < CPULIMIT_PATIENCE)
		p->patience *= 2;
	p->above = p->below = 0;
}

static void step_up(struct cpulimit *p)
{
	p->wanted--;
	p->above = p->below = p->since_up = 0;
}

static void take_second(struct cpulimit *p, double borne)
{
	p->above = p->share > p->limit && p->share * borne > p->limit * BORNE ? p->above + 1 : 0;
	p->below = p->share * 2 < p->limit * ROOM ? p->below + 1 : 0;
	p->since_up += p->since_up < CPULIMIT_PATIENCE;
	if (p->above >= CPULIMIT_ABOVE)
		step_rate_down(p);
	else if (p->below >= p->patience && p->wanted)
		step_up(p);
}

void cpulimit_take(struct cpulimit *p, uint64_t span_ns, uint64_t cpu_ns, double borne,
	       enum self_cause cause)
{
	p->span_ns += span_ns;
	p->cpu_ns += cpu_ns;
	if (p->span_ns < NSEC_PER_SEC || p->limit <= 0)
		return;
	p->share = (double)p->cpu_ns / (double)p->span_ns;
	p->span_ns = p->cpu_ns = 0;
	p->cause = cause;
	take_second(p, borne);
}

/* Log why the rate cannot be lowered: once for each reason, which does not change. */
static void log_no_lower_rate(struct cpulimit *p, int ret, struct slice *s)
{
	bool *said = ret == -EBUSY ? &p->busy_said : &p->fixed_said;

	if (*said)
		return;
	*said = true;
	slice_log(
		s, SLICE_WARNING,
		"--max-cpu %u: measuring takes %.0f%% of a CPU, more than %.0f%%; %s", p->percent,
		p->share * 100, p->limit * 100,
		ret == -EBUSY
			? "the rate does not change during a recording"
			: "no event here has a rate that could be lower: -c PERIOD, --filter or "
			  "fewer events cost less");
}

static void log_rate(struct cpulimit *p, unsigned before, struct slice *s)
{
	if (p->halvings > before)
		slice_log(
			s, SLICE_WARNING,
			"--max-cpu %u: measuring takes %.0f%% of a CPU, more than %.0f%%, most of "
			"it for %s: from now on events are sampled at 1/%u of the requested rate",
			p->percent, p->share * 100, p->limit * 100, self_cause_names[p->cause],
			1u << p->halvings);
	else if (p->halvings)
		slice_log(
			s, SLICE_INFO,
			"--max-cpu %u: the load has fallen: from now on events are sampled at "
			"1/%u of the requested rate", p->percent, 1u << p->halvings);
	else
		slice_log(
			s, SLICE_INFO,
			"--max-cpu %u: from now on events are sampled at the requested rate again",
			p->percent);
}

/*
 * A change of events by the user starts anew: all have the requested rate, until that is too much.
 */
static void follow_user(struct cpulimit *p, const struct eventchange *c)
{
	if (p->changes == eventchange_changes(c))
		return;
	p->changes = eventchange_changes(c);
	p->wanted = 0;
	p->fixed_said = false;
}

/* Change the rates as wanted. */
static void change_rates(void *pace, struct tick_now *n)
{
	struct eventchange *c = n->parts->eventchange;
	struct cpulimit *p = pace;
	unsigned before = p->halvings;
	int ret;

	follow_user(p, c);
	if (p->wanted == p->halvings)
		return;
	ret = eventchange_slow(c, p->wanted, n->s);
	if (ret == -EAGAIN)
		return;
	if (!ret || (ret == -ENOENT && p->wanted < before)) {
		p->halvings = p->wanted;
		p->busy_said = false;
	} else if (p->wanted > before) {
		log_no_lower_rate(p, ret, n->s);
	}
	p->wanted = p->halvings;
	if (!ret)
		log_rate(p, before, n->s);
}

/* Take the slice's cost; put the limit and the present divisor of rates into it. */
static void tell_limit(void *pace, struct tick_now *n)
{
	struct slice *s = n->s;
	struct cpulimit *p = pace;

	if (!n->parts->readers->off)
		cpulimit_take(p, s->end - s->start, s->self.cpu_ns, n->borne, s->self.cause);
	s->self.cpu_limit = (uint32_t)(p->limit * 100 + 0.5);
	s->self.rate_divisor = 1u << p->halvings;
}

const struct tick_part tick_part_pace = {
	create_pace, .work = {[TICK_CHANGE] = change_rates, [TICK_END] = tell_limit}};
