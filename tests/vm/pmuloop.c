/* SPDX-License-Identifier: GPL-2.0-or-later */
/* N turns of two instructions, three of four in one function, one in the other: of the aarch64 machine of pmu_aarch64.sh. */
#include <stdlib.h>

__asm__(".globl hot, warm\n"
	".type hot, %function\n"
	"hot:\t.cfi_startproc\n\tsubs x0, x0, #1\n\tb.ne hot\n\tret\n\t.cfi_endproc\n"
	".size hot, .-hot\n"
	".type warm, %function\n"
	"warm:\t.cfi_startproc\n\tsubs x0, x0, #1\n\tb.ne warm\n\tret\n\t.cfi_endproc\n"
	".size warm, .-warm\n");

void hot(long turns);
void warm(long turns);

int main(int argc, char **argv)
{
	long turns = argc > 1 ? atol(argv[1]) : 4;

	hot(turns / 4 * 3);
	warm(turns / 4);
	return 0;
}
