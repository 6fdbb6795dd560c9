/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/live/idle.h"

/* Idle time is two figures (idle, iowait), each rounded down. */
#define IDLE_GRAIN (2 * CPUTIME_GRAIN)

static uint64_t saturated_difference(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

void idle_look(struct idle_watch *w, const struct cputime *now, uint64_t at, bool counting)
{
	uint64_t elapsed = saturated_difference(at, w->at);
	struct cputime before = w->last;
	bool known = w->known && now;

	w->known = now != NULL;
	if (now)
		w->last = *now;
	if (w->at && counting) {
		w->elapsed += elapsed;
		/* The figures of a CPU that went and came between two looks may be anything. */
		if (known && now->idle >= before.idle &&
		    now->idle - before.idle <= elapsed + IDLE_GRAIN) {
			w->idle += now->idle - before.idle;
			w->irq += saturated_difference(now->irq, before.irq);
			w->stolen += saturated_difference(now->stolen, before.stolen);
		} else {
			w->unsure += elapsed;
		}
	}
	w->at = at;
}

void idle_tell(const struct idle_watch *w, uint64_t read, struct loss_input *in)
{
	in->stolen = w->stolen;
	/* A task's clock counts only while it runs: never idle, and stolen from in proportion. */
	if (in->task && in->counted < w->elapsed)
		in->stolen = (uint64_t)((double)w->stolen * (double)in->counted / (double)w->elapsed);
	in->idle_least = in->idle_most = in->idle_irq = 0;
	if (in->task)
		return;
	in->idle_least = saturated_difference(w->idle, IDLE_GRAIN);
	in->idle_most = w->idle + w->unsure + IDLE_GRAIN + saturated_difference(read, w->at);
	in->idle_irq = w->irq;
}
