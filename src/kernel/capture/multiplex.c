/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/capture/multiplex.h"

#include "kernel/capture/open.h"

#define ABOUT 64 /* divisor: times that differ by less are of one interval */

static uint64_t time_since(uint64_t now, uint64_t was)
{
	return now > was ? now - was : 0;
}

/* Return the part of the time enabled that passed on the witness's CPU. */
static uint64_t part_here(uint64_t enabled, uint64_t witness_enabled, uint64_t witness_running)
{
	uint64_t apart = time_since(enabled, witness_enabled) +
			 time_since(witness_enabled, enabled);

	if (apart <= witness_enabled / ABOUT)
		return witness_running;
	return (uint64_t)((double)enabled * ((double)witness_running / (double)witness_enabled));
}

void multiplex_add(struct multiplex_sum *sum, struct multiplex_mark *mark,
		   const struct perf_count *now, const struct perf_count *witness, bool spread,
		   bool on)
{
	uint64_t there = witness ? time_since(witness->enabled, mark->witness_enabled) : 0;
	uint64_t here = witness ? time_since(witness->running, mark->witness_running) : 0;
	uint64_t enabled = now ? time_since(now->enabled, mark->enabled) : on ? there : 0;
	uint64_t running = now ? time_since(now->running, mark->running) : 0;

	sum->running += running;
	if (!spread)
		sum->enabled += enabled;
	else if (there)
		sum->enabled += part_here(enabled, there, here);
	else
		sum->enabled += witness ? 0 : running;
	if (witness) {
		mark->witness_enabled = witness->enabled;
		mark->witness_running = witness->running;
	}
	if (now) {
		mark->enabled = now->enabled;
		mark->running = now->running;
	}
}
