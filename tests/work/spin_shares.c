/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spin_shares - four functions that take 50, 30, 15 and 5 % of one CPU.
 *
 * One loop, laid out alike four times, with as many rounds as its share.  A turn of all four takes
 * 0.1 to 0.3 ms, drawn anew each time: turns of even length may keep step with a sampling period, and
 * an emulated machine makes any length of them.  -n is turns.  Four other percentages may follow the
 * options.
 */
#include "work.h"

#define SHARE_ROUNDS 2113u /* on average, for each percent */

/* The name in an asm, or four equal functions would become one. */
#define SHARE(name)                                                                                \
	static __attribute__((noinline, aligned(64))) uint32_t name(uint32_t x, uint32_t rounds)   \
	{                                                                                          \
		__asm__ volatile("# " #name);                                                      \
		return work_spin(x, rounds);                                                       \
	}

SHARE(share_50)
SHARE(share_30)
SHARE(share_15)
SHARE(share_05)

int main(int argc, char **argv)
{
	uint64_t start, deadline, limit, turns = 0;
	uint32_t x = 1, drawn = 1, percent[] = {50, 30, 15, 5};
	struct work w;

	work_parse(&w, argc, argv);
	for (int i = 0; i < w.nrest && i < 4; i++)
		percent[i] = (uint32_t)strtoul(w.rest[i], NULL, 10);
	work_pin(w.cpus[w.ncpus - 1]);
	work_begin(&w);
	start = work_now();
	deadline = work_deadline(&w);
	limit = w.count ? w.count : UINT64_MAX;
	while (turns < limit && work_now() < deadline) {
		uint32_t rounds;

		drawn = drawn * 1664525u + 1013904223u; /* constants of Numerical Recipes */
		rounds = SHARE_ROUNDS / 2 + (drawn >> 16) % SHARE_ROUNDS;
		x = share_50(x, percent[0] * rounds);
		x = share_30(x, percent[1] * rounds);
		x = share_15(x, percent[2] * rounds);
		x = share_05(x, percent[3] * rounds);
		turns++;
	}
	printf("pid=%d cpu=%d turns=%" PRIu64 " seconds=%.6f x=%u\n", (int)getpid(),
	       w.cpus[w.ncpus - 1], turns, (double)(work_now() - start) / 1e9, x);
	return 0;
}
