/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * N turns of two instructions, three of four in one function, one in the other: of the aarch64
 * machine of pmu_aarch64.sh.  With another argument a signal's handler has the first part, four
 * times, and interrupts the second, which has all N.
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>

__asm__(".globl hot, warm\n"
	".type hot, %function\n"
	"hot:\t.cfi_startproc\n\tsubs x0, x0, #1\n\tb.ne hot\n\tret\n\t.cfi_endproc\n"
	".size hot, .-hot\n"
	".type warm, %function\n"
	"warm:\t.cfi_startproc\n\tsubs x0, x0, #1\n\tb.ne warm\n\tret\n\t.cfi_endproc\n"
	".size warm, .-warm\n");

void hot(long turns);
void warm(long turns);

static long in_handler;
static int handled;

__attribute__((noinline)) static void handle(int n)
{
	const struct itimerval again = {.it_value = {.tv_usec = 10000}};

	(void)n;
	hot(in_handler);
	if (++handled < 4)
		setitimer(ITIMER_REAL, &again, NULL);
}

static int interrupted(long turns)
{
	const struct itimerval first = {.it_value = {.tv_usec = 10000}};

	in_handler = turns / 4;
	signal(SIGALRM, handle);
	setitimer(ITIMER_REAL, &first, NULL);
	warm(turns);
	return handled != 4;
}

int main(int argc, char **argv)
{
	long turns = argc > 1 ? atol(argv[1]) : 4;

	if (argc > 2)
		return interrupted(turns);
	hot(turns / 4 * 3);
	warm(turns / 4);
	return 0;
}
