/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The hot function of big_binary, in the middle of what big_binary.sh generates. */
#include "work.h"

extern const char big_data[];

static __attribute__((noinline)) uint32_t big_hot_loop(uint32_t x)
{
	return work_spin(x, 20011);
}

int main(int argc, char **argv)
{
	uint64_t deadline, turns = 0;
	uint32_t x = (unsigned char)big_data[0];
	struct work w;

	work_parse(&w, argc, argv);
	work_begin(&w);
	for (deadline = work_deadline(&w); work_now() < deadline; turns++)
		x = big_hot_loop(x);
	printf("pid=%d turns=%" PRIu64 " x=%u\n", (int)getpid(), turns, x);
	return 0;
}
