/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/replay/replay_accounts.h"

#include <errno.h>
#include <string.h>

#include "base/vec.h"

#define WEIGHT_MAX (INT64_MAX / 4) /* limit for an event's total: no real count is higher */

struct replay_account *replay_account_of(struct replay *r, uint32_t index, uint32_t cpu)
{
	size_t had = r->cap_account, need;

	cpu = cpu < REPLAY_CPUS_MAX ? cpu : 0;
	need = ((size_t)cpu + 1) * r->nsession;
	if (need > had) {
		if (!vec_reserve(&r->account, &r->cap_account, need, sizeof(*r->account)))
			return NULL;
		memset(r->account + had, 0, (r->cap_account - had) * sizeof(*r->account));
	}
	r->cpus = cpu + 1 > r->cpus ? cpu + 1 : r->cpus;
	return &r->account[cpu * r->nsession + index];
}

bool replay_add(uint64_t *sum, uint64_t more)
{
	bool sane = more <= WEIGHT_MAX - *sum;

	*sum += sane ? more : 0;
	return sane;
}

int replay_lost_samples(struct replay *r, struct replay_event *e, uint32_t cpu, uint64_t lost,
			uint64_t offset)
{
	uint64_t each = e->period ? e->period : e->samples ? e->attributed / e->samples : 0, weight;
	struct replay_account *a = replay_account_of(r, e->index, cpu);

	if (__builtin_mul_overflow(lost, each, &weight) || !replay_add(&r->lost[e->index], lost) ||
	    !replay_add(&r->counted[e->index], weight)) {
		perfdata_complain(r->config.file, offset, "an implausible number of lost samples");
		return 0;
	}
	if (!a)
		return -ENOMEM;
	a->lost.samples += lost;
	a->lost.weight += weight;
	/* A lost switch is a missing wait, or merges two, of unknown length. */
	if (!r->consumers.waits || r->config.consumers.waits->role[e->index] != EVENT_SWITCH)
		return 0;
	a = replay_account_of(r, r->config.consumers.waits->made[EVENT_OFFCPU], cpu);
	if (!a)
		return -ENOMEM;
	a->lost.samples += lost;
	return 0;
}

void replay_lost_waits(struct replay *r)
{
	unsigned cpus = r->cpus, off = r->config.consumers.waits
					       ? r->config.consumers.waits->made[EVENT_OFFCPU]
					       : 0;
	uint64_t waits, ns;

	for (unsigned cpu = 0; cpu < cpus; cpu++) {
		struct replay_account *a = filewaits_lost(r->consumers.waits, cpu, &waits, &ns)
						   ? replay_account_of(r, off, cpu)
						   : NULL;

		if (!a)
			continue;
		if (!replay_add(&r->lost[off], waits) || !replay_add(&r->counted[off], ns)) {
			perfdata_complain(r->config.file, r->offset, "waits of impossible length");
			continue;
		}
		a->lost.samples += waits;
		a->lost.weight += ns;
	}
}

void replay_enabled(void *arg, unsigned event, uint32_t cpu, uint64_t enabled, uint64_t starved)
{
	struct replay_account *a = replay_account_of(arg, event, cpu);

	if (!a) /* out of memory: unknown then */
		return;
	a->enabled += enabled;
	a->starved += starved;
}

int replay_accounts(struct replay *r)
{
	for (size_t i = 0; i < (size_t)r->cpus * r->nsession; i++) {
		struct replay_account *from = &r->account[i];
		struct slice_account *to;

		if (!from->taken.samples && !from->taken.weight && !from->lost.samples &&
		    !from->throttles && !from->enabled)
			continue;
		to = slice_add_account(r->slicer.slice);
		if (!to)
			return -ENOMEM;
		to->event = (uint16_t)(i % r->nsession);
		to->cpu = (int16_t)(i / r->nsession);
		to->samples = from->sums.attributed.samples;
		to->attributed = r->hits[to->event] ? to->samples * r->hits[to->event]
						    : from->sums.attributed.weight;
		to->throttles = from->throttles;
		to->enabled = from->enabled;
		to->starved = from->starved;
		to->lost[LOST_FULL] = from->lost.weight;
		to->lost_samples[LOST_FULL] = from->lost.samples;
		/* Samples without a row: the table was full, or there was no memory. */
		to->lost[LOST_DROPPED] = from->taken.weight - to->attributed;
		to->lost_samples[LOST_DROPPED] = from->taken.samples - to->samples;
		/* The file lacks the counters' totals: sum what is known. */
		to->counted = from->taken.weight + from->lost.weight;
		to->exact = (r->fixed[i % r->nsession] &&
			     !perfdata_info(r->config.file)->lost_shared) ||
			    !from->lost.samples;
		*from = (struct replay_account){0};
	}
	return 0;
}
