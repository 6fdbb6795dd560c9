/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storm_exact N - exactly N system calls from exec to the end, not one more.
 *
 * Without a C library, so that nothing else enters the kernel: N - 1 times getppid(), then
 * exit_group().  With a second argument it reads one byte of stdin first: a profiler that attaches
 * while the read blocks must count exactly N calls too, as the read was entered before it came.
 * x86-64 only; elsewhere the test that wants it is skipped.
 */
#include <stdint.h>

enum { SYSCALL_READ = 0, SYSCALL_GETPPID = 110, SYSCALL_EXIT_GROUP = 231 };

static inline long storm_call(long number, long a, long b, long c)
{
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c)
			 : "rcx", "r11", "memory");
	return result;
}

static __attribute__((noinline)) void storm_exact_calls(uint64_t calls)
{
	for (uint64_t i = 0; i < calls; i++)
		storm_call(SYSCALL_GETPPID, 0, 0, 0);
}

__attribute__((noreturn, used)) void storm_main(const uint64_t *stack)
{
	const uint64_t argc = stack[0];
	const char *digits = argc > 1 ? (const char *)stack[2] : "1";
	uint64_t calls = 0;
	char byte;

	while (*digits >= '0' && *digits <= '9')
		calls = calls * 10 + (uint64_t)(*digits++ - '0');
	if (argc > 2)
		storm_call(SYSCALL_READ, 0, (long)&byte, 1);
	if (calls)
		storm_exact_calls(calls - 1);
	storm_call(SYSCALL_EXIT_GROUP, 0, 0, 0);
	__builtin_unreachable();
}

__asm__(".pushsection .text\n"
	".globl _start\n"
	".type _start, @function\n"
	"_start:\n"
	"	mov %rsp, %rdi\n"
	"	and $-16, %rsp\n"
	"	call storm_main\n"
	".size _start, . - _start\n"
	".popsection\n");
