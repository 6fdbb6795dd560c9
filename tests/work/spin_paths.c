/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spin_paths - a call tree with known shares of one CPU; built with frame pointers, or as spin_nofp
 * without.
 *
 *	main	path_parse 20	path_lex 40
 *		path_emit	path_lex 10
 *				path_walk	path_walk	path_walk 30
 *
 * so that with all they call parse has 60 %, emit 40, lex 50 from two callers, and walk 30 however
 * often it stands on a path.  -n is turns.
 */
#include "work.h"

#define PART_ROUNDS 2113u /* of one per cent */

/* What follows a call keeps it from being a jump. */
static inline __attribute__((always_inline)) uint32_t keep(uint32_t x)
{
	__asm__ volatile("" : "+r"(x) : : "memory");
	return x;
}

/* A leaf has no frame of its own, whatever the flags, unless it asks for it: its caller would miss. */
static inline __attribute__((always_inline)) void have_frame(void)
{
#ifndef SPIN_NOFP
	__asm__ volatile("" : : "r"(__builtin_frame_address(0)) : "memory");
#endif
}

static __attribute__((noinline, aligned(64))) uint32_t path_lex(uint32_t x, unsigned percent)
{
	have_frame();
	return work_spin(x, percent * PART_ROUNDS);
}

static __attribute__((noinline, aligned(64))) uint32_t path_walk(uint32_t x, unsigned depth)
{
	have_frame();
	if (!depth)
		return work_spin(x, 30 * PART_ROUNDS);
	return keep(path_walk(x, depth - 1));
}

static __attribute__((noinline, aligned(64))) uint32_t path_parse(uint32_t x)
{
	x = work_spin(x, 20 * PART_ROUNDS);
	return keep(path_lex(x, 40));
}

static __attribute__((noinline, aligned(64))) uint32_t path_emit(uint32_t x)
{
	x = keep(path_lex(x, 10));
	return keep(path_walk(x, 2));
}

int main(int argc, char **argv)
{
	uint64_t deadline, limit, turns = 0;
	uint32_t x = 1;
	struct work w;

	work_parse(&w, argc, argv);
	work_pin(w.cpus[w.ncpus - 1]);
	work_begin(&w);
	deadline = work_deadline(&w);
	limit = w.count ? w.count : UINT64_MAX;
	for (; turns < limit && work_now() < deadline; turns++) {
		x = path_parse(x);
		x = path_emit(x);
	}
	printf("pid=%d turns=%" PRIu64 " x=%u\n", (int)getpid(), turns, x);
	return 0;
}
