/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/capture/sharing.h"

#include "kernel/capture/open.h"

#define ABOUT 64 /* times that differ by less than this part of them are of the same stretch, read one after the other */

static uint64_t since(uint64_t now, uint64_t was)
{
	return now > was ? now - was : 0;
}

/* Return how much of the time that the event was enabled passed where the witness is. */
static uint64_t part_here(uint64_t enabled, uint64_t witness_enabled, uint64_t witness_running)
{
	uint64_t apart = since(enabled, witness_enabled) + since(witness_enabled, enabled);

	if (apart <= witness_enabled / ABOUT)
		return witness_running;
	return (uint64_t)((double)enabled * ((double)witness_running / (double)witness_enabled));
}

void sharing_add(struct sharing_sum *sum, struct sharing_mark *mark, const struct perf_count *now,
		 const struct perf_count *witness, bool spread, bool on)
{
	uint64_t there = witness ? since(witness->enabled, mark->witness_enabled) : 0;
	uint64_t here = witness ? since(witness->running, mark->witness_running) : 0;
	uint64_t enabled = now ? since(now->enabled, mark->enabled) : on ? there : 0;
	uint64_t running = now ? since(now->running, mark->running) : 0;

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
