/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plt_calls - calls a library's short function through the PLT for a time. */
#include "work.h"

unsigned plt_target(unsigned x);

int main(int argc, char **argv)
{
	uint64_t deadline, calls = 0;
	unsigned x = 0;
	struct work w;

	work_parse(&w, argc, argv);
	work_begin(&w);
	for (deadline = work_deadline(&w); work_now() < deadline; calls += 100000)
		for (unsigned i = 0; i < 100000; i++)
			x = plt_target(x);
	printf("pid=%d calls=%" PRIu64 " x=%u\n", (int)getpid(), calls, x);
	return 0;
}
