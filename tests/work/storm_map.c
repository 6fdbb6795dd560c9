/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storm_map ever|children - executable maps without end, each at an address of its own and unmapped at
 * once (-n, -s), or -n maps and -k processes that share them all (CLONE_VM), map one more each and run for
 * a moment now and then.
 */
#include <fcntl.h>

#include "work.h"

#define BASE   0x10000000000ul
#define STRIDE 8192ul
#define STACK  16384
#define PAUSE_NS 200000000

static int file;
static pid_t parent;

static void map_at(uint64_t nr)
{
	if (mmap((void *)(BASE + nr * STRIDE), 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, file, 0) ==
	    MAP_FAILED)
		err(1, "mmap");
}

static int child(void *arg)
{
	work_child(parent);
	map_at((uint64_t)(uintptr_t)arg);
	for (;;) {
		work_spin(1, 2003);
		nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
	}
}

static void share(const struct work *w)
{
	pid_t *pid = calloc(w->children + 1, sizeof(*pid));

	for (uint64_t i = 0; i < w->count; i++)
		map_at(i);
	for (unsigned i = 0; pid && i < w->children; i++) {
		char *stack = malloc(STACK);

		pid[i] = clone(child, stack + STACK, CLONE_VM | SIGCHLD, (void *)(uintptr_t)(w->count + i));
		if (!stack || pid[i] < 0)
			err(1, "clone");
	}
	for (uint64_t until = work_deadline(w); work_now() < until;)
		work_spin(1, 10007);
	for (unsigned i = 0; pid && i < w->children; i++) {
		kill(pid[i], SIGKILL);
		waitpid(pid[i], NULL, 0);
	}
}

int main(int argc, char **argv)
{
	uint64_t maps = 0, until;
	struct work w;

	work_parse(&w, argc, argv);
	parent = getpid();
	file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	work_begin(&w);
	if (w.nrest && !strcmp(w.rest[0], "children")) {
		share(&w);
		return 0;
	}
	until = work_deadline(&w);
	for (; work_now() < until && maps < w.count; maps++) {
		map_at(maps);
		munmap((void *)(BASE + maps * STRIDE), 4096);
	}
	printf("pid=%d maps=%" PRIu64 "\n", (int)getpid(), maps);
	return 0;
}
