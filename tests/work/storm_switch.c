/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storm_switch - a pair of processes on each CPU that pass one byte to and fro through pipes.
 *
 * The truth is the kernel's own count of their context switches; -n is round trips per pair.
 */
#include <sys/resource.h>

#include "work.h"

struct pair {
	int there[2], back[2];
};

static void pair_answer(const struct pair *p)
{
	char byte;

	while (read(p->there[0], &byte, 1) == 1)
		if (write(p->back[1], &byte, 1) != 1)
			return;
}

static uint64_t pair_play(const struct pair *p, uint64_t limit, uint64_t deadline)
{
	uint64_t trips = 0;
	char byte = 0;

	while (trips < limit && (trips % 64 || work_now() < deadline)) {
		if (write(p->there[1], &byte, 1) != 1 || read(p->back[0], &byte, 1) != 1)
			err(1, "pipe");
		trips++;
	}
	return trips;
}

static uint64_t pair_run(const struct work *w, void *arg)
{
	uint64_t trips;
	struct pair p;
	pid_t pid;

	(void)arg;
	if (pipe(p.there) || pipe(p.back))
		err(1, "pipe");
	pid = fork();
	if (pid < 0)
		err(1, "fork");
	if (pid == 0) {
		close(p.there[1]);
		close(p.back[0]);
		pair_answer(&p);
		_exit(0);
	}
	close(p.there[0]);
	close(p.back[1]);
	trips = pair_play(&p, w->count ? w->count : UINT64_MAX, work_deadline(w));
	close(p.there[1]);
	waitpid(pid, NULL, 0);
	return trips;
}

int main(int argc, char **argv)
{
	uint64_t start, total;
	struct rusage usage;
	struct work w;

	work_parse(&w, argc, argv);
	work_begin(&w);
	start = work_now();
	total = work_each_cpu(&w, pair_run, NULL);
	getrusage(RUSAGE_CHILDREN, &usage);
	printf("pid=%d trips=%" PRIu64 " switches=%ld seconds=%.6f\n", (int)getpid(), total,
	       usage.ru_nvcsw + usage.ru_nivcsw, (double)(work_now() - start) / 1e9);
	return 0;
}
