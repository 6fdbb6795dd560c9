/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/ftrace/lossshare.h"

void ftrace_share(uint64_t nr, const uint64_t *weight, unsigned n, uint64_t *count)
{
	uint64_t sum = 0, left = nr;
	unsigned most = 0;

	for (unsigned i = 0; i < n; i++) {
		sum += weight[i];
		most = weight[i] > weight[most] ? i : most;
	}
	for (unsigned i = 0; i < n && sum; i++) {
		uint64_t part = (uint64_t)((unsigned __int128)nr * weight[i] / sum);

		count[i] += part;
		left -= part;
	}
	/* rest of the rounding */
	if (n)
		count[most] += left;
}
