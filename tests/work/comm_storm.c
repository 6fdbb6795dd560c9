/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * comm_storm - a process that renames itself all the time, hostile names among the others, and
 * works in comm_work() between two renames.  Prints the number of renames.
 */
#include <sys/prctl.h>

#include "work.h"

static const char *const hostile[] = {
	"\033[2J\033[31mred", "a\nb\tc\rd", "\"}],\"x\":[{", "\xff\xfe\xc3(", "(x) R 1 2", "%s%n%d",
	"", "   ", "\xe2\x80\xae" "txt.exe", "\001\002\177",
};

static __attribute__((noinline)) uint32_t comm_work(uint32_t x)
{
	return work_spin(x, 2003);
}

int main(int argc, char **argv)
{
	uint64_t deadline, limit, renames = 0;
	uint32_t x = 1;
	struct work w;

	work_parse(&w, argc, argv);
	work_begin(&w);
	deadline = work_deadline(&w);
	limit = w.count ? w.count : UINT64_MAX;
	for (; renames < limit && work_now() < deadline; renames++) {
		char name[16];

		snprintf(name, sizeof(name), "comm-%u", (unsigned)(renames % 100000));
		prctl(PR_SET_NAME, renames % 4 ? name
			: hostile[renames / 4 % (sizeof(hostile) / sizeof(*hostile))]);
		x = comm_work(x);
	}
	printf("pid=%d renames=%" PRIu64 " x=%u\n", (int)getpid(), renames, x);
	return 0;
}
