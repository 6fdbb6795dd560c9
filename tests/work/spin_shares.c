/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spin_shares - four functions that take 50, 30, 15 and 5 % of one CPU.
 *
 * The same loop, laid out alike, with as many rounds as its share; a turn of all four takes about
 * 0.2 ms, odd to any sampling period.  -n is turns.  Four other percentages may follow the options.
 */
#include "work.h"

#define SHARE_ROUNDS 2113u

/* The name in an asm, or four equal functions would become one. */
#define SHARE(name)                                                                                \
	static __attribute__((noinline, aligned(64))) uint32_t name(uint32_t x, uint32_t percent)  \
	{                                                                                          \
		__asm__ volatile("# " #name);                                                      \
		return work_spin(x, percent * SHARE_ROUNDS);                                       \
	}

SHARE(share_50)
SHARE(share_30)
SHARE(share_15)
SHARE(share_05)

int main(int argc, char **argv)
{
	uint64_t start, deadline, limit, turns = 0;
	uint32_t x = 1, percent[] = {50, 30, 15, 5};
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
		x = share_50(x, percent[0]);
		x = share_30(x, percent[1]);
		x = share_15(x, percent[2]);
		x = share_05(x, percent[3]);
		turns++;
	}
	printf("pid=%d cpu=%d turns=%" PRIu64 " seconds=%.6f x=%u\n", (int)getpid(),
	       w.cpus[w.ncpus - 1], turns, (double)(work_now() - start) / 1e9, x);
	return 0;
}
