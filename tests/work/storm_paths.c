/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storm_paths N M [ROUNDS] - N times getppid() called by storm_left, and M times by storm_right, in each of ROUNDS (1).
 *
 * The system call is theirs, not the C library's, so that the two call paths differ in nothing but these functions; and
 * each has a frame, which compilers leave out where nothing else is called.
 */
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline __attribute__((always_inline)) long parent(void)
{
	long result;

	__asm__ volatile("" : : "r"(__builtin_frame_address(0)));
#ifdef __x86_64__
	__asm__ volatile("syscall" : "=a"(result) : "a"(SYS_getppid) : "rcx", "r11", "memory");
#else
	result = syscall(SYS_getppid);
#endif
	return result;
}

__attribute__((noinline)) uint64_t storm_left(uint64_t calls)
{
	uint64_t sum = 0;

	while (calls--)
		sum += (uint64_t)parent();
	return sum;
}

__attribute__((noinline)) uint64_t storm_right(uint64_t calls)
{
	uint64_t sum = 1; /* or both may become one function */

	while (calls--)
		sum += (uint64_t)parent();
	return sum;
}

int main(int argc, char **argv)
{
	uint64_t left = argc > 1 ? strtoull(argv[1], NULL, 0) : 1, right = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	uint64_t rounds = argc > 3 ? strtoull(argv[3], NULL, 0) : 1, sum = 0;

	while (rounds--)
		sum += storm_left(left) + storm_right(right);
	return sum == 0;
}
