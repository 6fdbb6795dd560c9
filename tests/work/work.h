/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * work - what the workloads share: options, the clock, pinning, and the start signal.
 *
 * Every workload is bounded by a count or by time and prints what it did as name=value words on one
 * line of stdout, so that a test can hold the profiler's figures against it.
 */
#ifndef RINGTOP_TESTS_WORK_H
#define RINGTOP_TESTS_WORK_H

#include <err.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WORK_CPUS_MAX 1024

struct work {
	uint64_t count;   /* -n: units of work, 0: by time */
	double seconds;   /* -s: how long, 0: by count */
	double rate;      /* -r: units a second, 0: as fast as it goes */
	unsigned threads; /* -t */
	unsigned children; /* -k */
	bool wait;        /* -w: begin at the first byte (or the end) of stdin */
	unsigned ncpus;   /* -c LIST, default: those we may run on */
	int cpus[WORK_CPUS_MAX];
	char **rest;      /* what follows the options */
	int nrest;
};

static inline uint64_t work_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static inline void work_pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		err(1, "cannot run on cpu %d", cpu);
}

static inline void work_cpus_parse(struct work *w, const char *list)
{
	char *end;

	w->ncpus = 0;
	do {
		long cpu = strtol(list, &end, 10);

		if (end == list || (*end && *end != ',') || cpu < 0 || w->ncpus == WORK_CPUS_MAX)
			errx(2, "bad CPU list: %s", list);
		w->cpus[w->ncpus++] = (int)cpu;
		list = end + 1;
	} while (*end);
}

static inline void work_cpus_default(struct work *w)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set))
		err(1, "sched_getaffinity");
	for (int cpu = 0; cpu < CPU_SETSIZE && w->ncpus < WORK_CPUS_MAX; cpu++)
		if (CPU_ISSET(cpu, &set))
			w->cpus[w->ncpus++] = cpu;
}

static inline void work_parse(struct work *w, int argc, char **argv)
{
	int opt;

	memset(w, 0, sizeof(*w));
	while ((opt = getopt(argc, argv, "+n:s:r:t:k:c:w")) != -1) {
		if (opt == 'n')
			w->count = strtoull(optarg, NULL, 0);
		else if (opt == 's')
			w->seconds = strtod(optarg, NULL);
		else if (opt == 'r')
			w->rate = strtod(optarg, NULL);
		else if (opt == 't')
			w->threads = (unsigned)strtoul(optarg, NULL, 0);
		else if (opt == 'k')
			w->children = (unsigned)strtoul(optarg, NULL, 0);
		else if (opt == 'c')
			work_cpus_parse(w, optarg);
		else if (opt == 'w')
			w->wait = true;
		else
			errx(2, "usage: [-n COUNT] [-s SEC] [-r RATE] [-t THREADS] [-k CHILDREN] "
				"[-c CPUS] [-w] [ARG...]");
	}
	if (!w->count && w->seconds <= 0)
		w->seconds = 1;
	if (!w->ncpus)
		work_cpus_default(w);
	w->rest = argv + optind;
	w->nrest = argc - optind;
}

/* A forked part of the workload must not outlive it, however it ends. */
static inline void work_child(pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
}

/* Tell our pid, then block until the test says go. */
static inline void work_begin(const struct work *w)
{
	char byte;

	if (!w->wait)
		return;
	printf("waiting pid=%d\n", (int)getpid());
	fflush(stdout);
	if (read(STDIN_FILENO, &byte, 1) < 0)
		err(1, "cannot read the start signal");
}

static inline uint64_t work_deadline(const struct work *w)
{
	return w->seconds > 0 ? work_now() + (uint64_t)(w->seconds * 1e9) : UINT64_MAX;
}

/* Let a process on each CPU run the part that is its own; the sum of what they return. */
static inline uint64_t work_each_cpu(const struct work *w,
				     uint64_t (*part)(const struct work *w, void *arg), void *arg)
{
	void *map = mmap(NULL, sizeof(uint64_t) * WORK_CPUS_MAX, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	uint64_t total = 0, *done = (uint64_t *)map; /* C++ includes this, too */
	pid_t parent = getpid();

	if (map == MAP_FAILED)
		err(1, "mmap");
	for (unsigned i = 0; i < w->ncpus; i++) {
		pid_t pid = fork();

		if (pid < 0)
			err(1, "fork");
		if (pid == 0) {
			work_child(parent);
			work_pin(w->cpus[i]);
			done[i] = part(w, arg);
			_exit(0);
		}
	}
	while (wait(NULL) > 0)
		;
	for (unsigned i = 0; i < w->ncpus; i++)
		total += done[i];
	return total;
}

/* Arithmetic the compiler can neither shorten nor move; always inlined into a named function. */
static inline __attribute__((always_inline)) uint32_t work_spin(uint32_t x, unsigned rounds)
{
	for (unsigned i = 0; i < rounds; i++) {
		x = x * 1664525u + 1013904223u;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}

#endif
