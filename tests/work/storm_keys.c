/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storm_keys -n CALLS [-w] KEYS - getppid() with a first argument that goes round from 1 to KEYS, and never the
 * same one twice in turn: a storm of system calls with so many values of a field.  With a further ARG `numbers` it is the
 * number of the call that goes round, from 1001 on: of most there is none, and they are hits all the same.
 */
#include <sys/syscall.h>

#include "work.h"

int main(int argc, char **argv)
{
	uint64_t keys, key = 0;
	bool numbers;
	struct work w;

	work_parse(&w, argc, argv);
	keys = w.nrest ? strtoull(w.rest[0], NULL, 0) : 0;
	if (keys < 2)
		errx(2, "usage: storm_keys [-n CALLS] [-s SEC] [-w] KEYS");
	numbers = w.nrest > 1 && !strcmp(w.rest[1], "numbers");
	work_begin(&w);
	for (uint64_t i = 0, end = work_deadline(&w); w.count ? i < w.count : i % 1024 || work_now() < end; i++) {
		syscall(numbers ? (long)(1001 + key) : SYS_getppid, key + 1);
		key = key + 1 < keys ? key + 1 : 0;
	}
	printf("keys=%" PRIu64 "\n", keys);
	return 0;
}
