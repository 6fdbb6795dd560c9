/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spin_leaf - functions with frame pointers, each of which calls one that has none: of libc, of the
 * vdso, of the kernel, of its own.  Whoever follows frame pointers from there misses the caller.
 */
#include "work.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

#define BYTES 16384u

static char from[BYTES + 1], to[BYTES + 1];
static volatile uint32_t sink;

/* By these the compiler knows nothing of the functions, and calls them. */
static void *(*volatile copy)(void *, const void *, size_t) = memcpy;
static void *(*volatile set)(void *, int, size_t) = memset;
static size_t (*volatile length)(const char *) = strlen;

#define CALLER __attribute__((noinline, noclone)) void

CALLER call_copy(void)
{
	for (int i = 0; i < 40; i++)
		copy(to, from, BYTES);
}

CALLER call_set(void)
{
	for (int i = 0; i < 40; i++)
		set(to, i, BYTES);
}

CALLER call_length(void)
{
	for (int i = 0; i < 80; i++)
		sink += (uint32_t)length(from);
}

CALLER call_clock(void)
{
	struct timespec t;

	for (int i = 0; i < 1000; i++)
		clock_gettime(CLOCK_MONOTONIC, &t);
}

CALLER call_kernel(void)
{
	for (int i = 0; i < 100; i++)
		sink += (uint32_t)getppid();
}

/* Every other instruction is of a prologue or an epilogue. */
__attribute__((noinline, noclone)) uint32_t leaf_tiny(uint32_t x)
{
	__asm__ volatile("" : "+r"(x) : : "memory");
	return x + 1;
}

CALLER call_tiny(void)
{
	for (uint32_t i = 0; i < 16000; i++)
		sink = leaf_tiny(i);
}

/* It keeps no frame pointer, and uses the register. */
uint32_t leaf_bare(uint32_t rounds);

#ifdef __x86_64__
__asm__(".text\n"
	".globl leaf_bare\n"
	".type leaf_bare, @function\n"
	"leaf_bare: .cfi_startproc\n"
	"	push %rbp\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	.cfi_rel_offset rbp, 0\n"
	"	mov %edi, %ebp\n"
	"1:	dec %ebp\n"
	"	jnz 1b\n"
	"	mov %edi, %eax\n"
	"	pop %rbp\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	.cfi_restore rbp\n"
	"	ret\n"
	"	.cfi_endproc\n"
	"	.size leaf_bare, .-leaf_bare\n");
#else
uint32_t leaf_bare(uint32_t rounds)
{
	return work_spin(rounds, rounds);
}
#endif

CALLER call_bare(void)
{
	sink += leaf_bare(60000);
}

CALLER run_calls(void)
{
	call_copy();
	call_set();
	call_length();
	call_clock();
	call_kernel();
	call_tiny();
	call_bare();
	sink++;
}

int main(int argc, char **argv)
{
	uint64_t deadline, limit, turns = 0;
	struct work w;

	work_parse(&w, argc, argv);
	work_pin(w.cpus[w.ncpus - 1]);
	work_begin(&w);
	memset(from, 'x', BYTES);
	deadline = work_deadline(&w);
	limit = w.count ? w.count : UINT64_MAX;
	for (; turns < limit && work_now() < deadline; turns++)
		run_calls();
	printf("pid=%d turns=%" PRIu64 "\n", (int)getpid(), turns);
	return 0;
}
