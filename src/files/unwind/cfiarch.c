/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/unwind/cfiarch.h"

#include <elf.h>
#include <stddef.h>
#include <string.h>

/*
 * A signal's frame is struct rt_sigframe of the kernel: siginfo (128 bytes) and ucontext, whose
 * registers are at 176 (on aarch64 behind the fault's address).
 */
static const struct cfi_arch archs[] = {
	{
		.name = "x86_64", .machine = EM_X86_64,
		.dwarf = {.sp = 7, .fp = 6, .ra = 16},
		.perf = {.sp = 7, .fp = 6, .ip = 8, .link = 63},
		.pc_bits = UINT64_MAX, .up = 0, .ra = 8, .record_ends_frame = true,
	},
	{
		.name = "aarch64", .machine = EM_AARCH64,
		.dwarf = {.sp = 31, .fp = 29, .ra = 30},
		.perf = {.sp = 31, .fp = 29, .ip = 32, .link = 30},
		.linked = true, .pc_bits = (1ull << 48) - 1, .up = 0, .ra = 8,
		.trampoline = {0xd2801168, 0xd4000001}, /* mov x8, 139; svc 0 */
		.signal = {.sp = 312 + 8 * 31, .fp = 312 + 8 * 29, .ip = 312 + 8 * 32,
			   .link = 312 + 8 * 30},
	},
	{
		.name = "riscv64", .machine = EM_RISCV,
		.dwarf = {.sp = 2, .fp = 8, .ra = 1},
		.perf = {.sp = 2, .fp = 8, .ip = 0, .link = 1},
		.linked = true, .pc_bits = UINT64_MAX, .up = -16, .ra = -8,
		.record_ends_frame = true,
		.trampoline = {0x08b00893, 0x00000073}, /* li a7, 139; ecall */
		.signal = {.sp = 304 + 8 * 2, .fp = 304 + 8 * 8, .ip = 304, .link = 304 + 8},
	},
};

#define ARCHS (sizeof(archs) / sizeof(*archs))

const struct cfi_arch *cfi_arch_of(uint16_t machine)
{
	for (size_t i = 0; i < ARCHS; i++)
		if (archs[i].machine == machine)
			return &archs[i];
	return NULL;
}

const struct cfi_arch *cfi_arch_named(const char *name)
{
	for (size_t i = 0; i < ARCHS; i++)
		if (!strcmp(archs[i].name, name))
			return &archs[i];
	return NULL;
}

const struct cfi_arch *cfi_arch_here(void)
{
#if defined(__x86_64__)
	return &archs[0];
#elif defined(__aarch64__)
	return &archs[1];
#elif defined(__riscv) && __riscv_xlen == 64
	return &archs[2];
#else
	return NULL;
#endif
}
