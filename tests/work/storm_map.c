/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storm_map ever|over|children - executable maps without end, each at an address of its own and unmapped at
 * once (-n, -s); or -n maps, and then others over them without end, across their borders (-s); or -n maps and
 * -k processes that share them all (CLONE_VM), map one more each and run for a moment now and then.
 */
#include <fcntl.h>

#include "work.h"

#define BASE   0x10000000000ul
#define STRIDE 8192ul
#define PAGE   4096ul
#define STACK  16384
#define PAUSE_NS 200000000

static int file;
static pid_t parent;

static void map_pages(uint64_t addr, unsigned pages, unsigned from)
{
	if (mmap((void *)addr, pages * PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, file,
		 from * PAGE) == MAP_FAILED)
		err(1, "mmap");
}

static void map_at(uint64_t nr)
{
	map_pages(BASE + nr * STRIDE, 1, 0);
}

static uint64_t map_ever(const struct work *w)
{
	uint64_t maps = 0;

	for (uint64_t until = work_deadline(w); work_now() < until && maps < w->count; maps++) {
		map_at(maps);
		munmap((void *)(BASE + maps * STRIDE), PAGE);
	}
	return maps;
}

/* One, two or three pages anywhere among them, and never the same of the file. */
static uint64_t map_over(const struct work *w)
{
	uint64_t until = work_deadline(w), maps = 0, random = 1;

	for (; maps < w->count; maps++)
		map_at(maps);
	for (; work_now() < until; maps++) {
		random = random * 6364136223846793005 + 1442695040888963407;
		map_pages(BASE + (random >> 33) % w->count * STRIDE, 1 + random % 3, 1 + maps % 4);
	}
	return maps;
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
	struct work w;
	uint64_t maps;

	work_parse(&w, argc, argv);
	parent = getpid();
	file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	work_begin(&w);
	if (w.nrest && !strcmp(w.rest[0], "children")) {
		share(&w);
		return 0;
	}
	maps = w.nrest && !strcmp(w.rest[0], "over") ? map_over(&w) : map_ever(&w);
	printf("pid=%d maps=%" PRIu64 "\n", (int)getpid(), maps);
	return 0;
}
