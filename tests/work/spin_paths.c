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
 * often it stands on a path.  -n is turns.  As spin_large its functions have no frame pointers, and frames so large
 * that a piece of the stack does not reach their callers.  As spin_rbp it has frame pointers, but of walk's part
 * path_mix in assembly, which uses that register for something else, as hashes do.
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
#elif defined(SPIN_LARGE)
	char frame[1024];

	__asm__ volatile("" : : "r"(frame) : "memory");
#endif
}

static __attribute__((noinline, aligned(64))) uint32_t path_lex(uint32_t x, unsigned percent)
{
	have_frame();
	return work_spin(x, percent * PART_ROUNDS);
}

#ifdef SPIN_RBP
/* Where rbp points there are words of a hash instead of a frame. */
uint64_t path_words[] = {0xe9b5dba5b5c0fbce, 0xe9b5dba5b5c0fbce};
uint32_t path_mix(uint32_t x, unsigned rounds);

__asm__(".text\n"
	".globl path_mix\n"
	".type path_mix, @function\n"
	"path_mix: .cfi_startproc\n"
	"	push %rbp\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	.cfi_rel_offset rbp, 0\n"
	"	lea path_words(%rip), %rbp\n"
	"	mov %edi, %eax\n"
	"1:	imul $1664525, %eax\n"
	"	add $1013904223, %eax\n"
	"	dec %esi\n"
	"	jnz 1b\n"
	"	pop %rbp\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	.cfi_restore rbp\n"
	"	ret\n"
	"	.cfi_endproc\n"
	"	.size path_mix, .-path_mix\n");
#else
#define path_mix work_spin
#endif

static __attribute__((noinline, aligned(64))) uint32_t path_walk(uint32_t x, unsigned depth)
{
	have_frame();
	if (!depth)
		return keep(path_mix(x, 30 * PART_ROUNDS));
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
