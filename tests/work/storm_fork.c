/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storm_fork - fork and exec of short-lived programs, at a rate or as fast as it goes.
 *
 * storm_fork [-s SEC | -n COUNT] [-r RATE] [-c CPUS] -- PROGRAM[,PROGRAM...] [ARG...]
 * One spawner per CPU takes its part of the rate (and -n each); the programs take turns.
 */
#include <spawn.h>

#include "work.h"

extern char **environ;

#define FORK_PROGRAMS_MAX 16

struct programs {
	char *path[FORK_PROGRAMS_MAX];
	unsigned n;
};

static void programs_parse(struct programs *p, char *list)
{
	for (char *word = strtok(list, ","); word; word = strtok(NULL, ",")) {
		if (p->n == FORK_PROGRAMS_MAX)
			errx(2, "too many programs");
		p->path[p->n++] = word;
	}
	if (!p->n)
		errx(2, "no program");
}

static void fork_one(char *path, char **argv)
{
	int error, status;
	pid_t pid;

	argv[0] = path;
	error = posix_spawn(&pid, path, NULL, NULL, argv, environ);
	if (error)
		errx(1, "%s: %s", path, strerror(error));
	if (waitpid(pid, &status, 0) != pid || status)
		errx(1, "%s ended with status %#x", path, (unsigned)status);
}

static void fork_wait_until(uint64_t when)
{
	struct timespec ts = { (time_t)(when / 1000000000u), (long)(when % 1000000000u) };

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
}

static uint64_t fork_run(const struct work *w, void *arg)
{
	const struct programs *p = arg;
	uint64_t limit = w->count ? w->count : UINT64_MAX;
	uint64_t start = work_now(), deadline = work_deadline(w);
	double step = w->rate > 0 ? 1e9 * w->ncpus / w->rate : 0;
	uint64_t spawned = 0;

	while (spawned < limit && work_now() < deadline) {
		fork_one(p->path[spawned % p->n], w->rest);
		spawned++;
		fork_wait_until(start + (uint64_t)((double)spawned * step));
	}
	return spawned;
}

int main(int argc, char **argv)
{
	struct programs p = { .n = 0 };
	uint64_t start, total;
	struct work w;

	work_parse(&w, argc, argv);
	if (!w.nrest)
		errx(2, "no program");
	programs_parse(&p, w.rest[0]);
	work_begin(&w);
	start = work_now();
	total = work_each_cpu(&w, fork_run, &p);
	printf("pid=%d processes=%" PRIu64 " seconds=%.6f\n", (int)getpid(), total,
	       (double)(work_now() - start) / 1e9);
	return total ? 0 : 1;
}
