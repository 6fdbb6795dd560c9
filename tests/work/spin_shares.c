/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spin_shares - four functions that take 50, 30, 15 and 5 % of one CPU.
 *
 * The same loop, laid out alike, with as many rounds as its share; a turn of all four takes about
 * 0.2 ms, odd to any sampling period.  -n is turns.
 */
#include "work.h"

#define SHARE_ROUNDS 2113u

#define SHARE(name, percent)                                                                       \
	static __attribute__((noinline, aligned(64))) uint32_t name(uint32_t x)                    \
	{                                                                                          \
		return work_spin(x, (percent) * SHARE_ROUNDS);                                     \
	}

SHARE(share_50, 50)
SHARE(share_30, 30)
SHARE(share_15, 15)
SHARE(share_05, 5)

int main(int argc, char **argv)
{
	uint64_t start, deadline, limit, turns = 0;
	uint32_t x = 1;
	struct work w;

	work_parse(&w, argc, argv);
	work_pin(w.cpus[w.ncpus - 1]);
	work_begin(&w);
	start = work_now();
	deadline = work_deadline(&w);
	limit = w.count ? w.count : UINT64_MAX;
	while (turns < limit && work_now() < deadline) {
		x = share_50(x);
		x = share_30(x);
		x = share_15(x);
		x = share_05(x);
		turns++;
	}
	printf("pid=%d cpu=%d turns=%" PRIu64 " seconds=%.6f x=%u\n", (int)getpid(),
	       w.cpus[w.ncpus - 1], turns, (double)(work_now() - start) / 1e9, x);
	return 0;
}
