/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dlopen_churn LIBRARY... - loads each library in turn, works in it, unloads it: the same addresses
 * belong to another file every few milliseconds.  Prints the rounds per library.
 */
#include <dlfcn.h>

#include "work.h"

static uint32_t churn_once(const char *path, uint32_t x)
{
	void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	uint32_t (*enter)(uint32_t);
	void *symbol;

	if (!handle)
		errx(1, "%s", dlerror());
	symbol = dlsym(handle, "churn_enter");
	if (!symbol)
		errx(1, "%s", dlerror());
	memcpy(&enter, &symbol, sizeof(enter));
	for (unsigned i = 0; i < 100; i++)
		x = enter(x);
	dlclose(handle);
	return x;
}

int main(int argc, char **argv)
{
	uint64_t deadline, limit, rounds = 0;
	uint32_t x = 1;
	struct work w;

	work_parse(&w, argc, argv);
	if (!w.nrest)
		errx(2, "no library");
	work_begin(&w);
	deadline = work_deadline(&w);
	limit = w.count ? w.count : UINT64_MAX;
	for (; rounds < limit && work_now() < deadline; rounds++)
		for (int i = 0; i < w.nrest; i++)
			x = churn_once(w.rest[i], x);
	printf("pid=%d rounds=%" PRIu64 " x=%u\n", (int)getpid(), rounds, x);
	return 0;
}
