/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spin_named - runs in one function, SPIN_NAME, for a time; built in many forms (static,
 * static-pie, 32-bit, stripped, ...).  With "unlink" as an argument it first removes its own file.
 */
#include <limits.h>

#include "work.h"

#ifndef SPIN_NAME
#define SPIN_NAME spin_hot
#endif

static __attribute__((noinline)) uint32_t SPIN_NAME(uint32_t x)
{
	return work_spin(x, 20011);
}

static void spin_unlink_self(void)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (n <= 0)
		err(1, "/proc/self/exe");
	path[n] = '\0';
	if (unlink(path))
		err(1, "%s", path);
}

int main(int argc, char **argv)
{
	uint64_t deadline, limit, turns = 0;
	uint32_t x = 1;
	struct work w;

	work_parse(&w, argc, argv);
	if (w.nrest && !strcmp(w.rest[0], "unlink"))
		spin_unlink_self();
	work_begin(&w);
	deadline = work_deadline(&w);
	limit = w.count ? w.count : UINT64_MAX;
	for (; turns < limit && work_now() < deadline; turns++)
		x = SPIN_NAME(x);
	printf("pid=%d turns=%" PRIu64 " x=%u\n", (int)getpid(), turns, x);
	return 0;
}
