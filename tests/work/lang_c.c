/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lang_c - call paths that are hard to follow: a signal handler's, a deep recursion's, a leaf's
 * without a frame, the vdso's.  Prints the CPU time that each part took, in ns.
 */
#include <errno.h>
#include <sys/syscall.h>

#include "work.h"

#define ROUNDS 400000u
#define DEPTH  30u

enum part { PART_SIGNAL, PART_DEEP, PART_LEAF, PART_CLOCK, PARTS };

static volatile uint32_t sink;

static uint64_t cpu_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static __attribute__((noinline)) void c_spin(void)
{
	__asm__ volatile("" : : "r"(__builtin_frame_address(0)) : "memory");
	sink = work_spin(sink, ROUNDS);
}

static __attribute__((noinline)) void c_handler(int sig)
{
	(void)sig;
	c_spin();
	__asm__ volatile("" : : : "memory");
}

/* Not by raise(): libc's functions would stand between. */
static __attribute__((noinline)) void c_interrupted(void)
{
	syscall(SYS_tgkill, getpid(), (pid_t)syscall(SYS_gettid), SIGUSR1);
	__asm__ volatile("" : : : "memory");
}

static __attribute__((noinline)) void c_signal(void)
{
	c_interrupted();
	__asm__ volatile("" : : : "memory");
}

static __attribute__((noinline)) void c_deep(unsigned depth)
{
	if (depth)
		c_deep(depth - 1);
	else
		c_spin();
	__asm__ volatile("" : : : "memory");
}

/* Needs no frame, whatever the flags say. */
static __attribute__((noinline)) uint32_t c_leaf(uint32_t x)
{
	return work_spin(x, ROUNDS);
}

static __attribute__((noinline)) void c_caller(void)
{
	sink = c_leaf(sink);
	__asm__ volatile("" : : : "memory");
}

static __attribute__((noinline)) void c_clock(void)
{
	struct timespec ts;

	for (int i = 0; i < 15000; i++)
		clock_gettime(CLOCK_MONOTONIC, &ts);
	sink = (uint32_t)ts.tv_nsec;
}

static __attribute__((noinline)) void c_part(int part)
{
	if (part == PART_SIGNAL)
		c_signal();
	else if (part == PART_DEEP)
		c_deep(DEPTH);
	else if (part == PART_LEAF)
		c_caller();
	else
		c_clock();
	__asm__ volatile("" : : : "memory");
}

int main(int argc, char **argv)
{
	struct sigaction sa = {.sa_handler = c_handler};
	uint64_t until, spent[PARTS] = {0};
	struct work w;

	work_parse(&w, argc, argv);
	if (sigaction(SIGUSR1, &sa, NULL))
		err(1, "sigaction");
	work_begin(&w);
	for (until = work_deadline(&w); work_now() < until;)
		for (int part = 0; part < PARTS; part++) {
			uint64_t begin = cpu_now();

			c_part(part);
			spent[part] += cpu_now() - begin;
		}
	printf("signal=%" PRIu64 " deep=%" PRIu64 " leaf=%" PRIu64 " clock=%" PRIu64 "\n",
	       spent[PART_SIGNAL], spent[PART_DEEP], spent[PART_LEAF], spent[PART_CLOCK]);
	return 0;
}
