/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tiny [ROUNDS] - a short-lived program that works in a function of its own, so that samples land
 * there.  Built with several names and link modes; TINY_NAME is the function's.
 */
#include <stdlib.h>

#include "work.h"

#ifndef TINY_NAME
#define TINY_NAME tiny_work
#endif

static __attribute__((noinline)) uint32_t TINY_NAME(unsigned rounds)
{
	return work_spin(1, rounds) | 1;
}

int main(int argc, char **argv)
{
	unsigned rounds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 0) : 100000;

	return TINY_NAME(rounds) == 0;
}
