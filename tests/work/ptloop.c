/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptloop - the loop of which tests/vm/softpt tells in Intel PT packets (see its stream.c); nothing
 * else while it runs.  Linked at fixed addresses, which it prints as parameters of the module.
 *
 * With an argument it only prints them.  x86-64 only.
 */
#include "work.h"

extern char pt_loop[], pt_leaf[];

__asm__(".pushsection .text\n"
	".type pt_loop, @function\n"
	"pt_loop:\n"
	"	mov $6, %ecx\n"
	"1:	dec %ecx\n"
	"	jnz 1b\n"
	"	lea pt_leaf(%rip), %rax\n"
	"	call *%rax\n"
	"	jmp pt_loop\n"
	".size pt_loop, . - pt_loop\n"
	".type pt_leaf, @function\n"
	"pt_leaf:\n"
	"	ret\n"
	".size pt_leaf, . - pt_leaf\n"
	".popsection\n");

static void end(int sig)
{
	(void)sig;
	_exit(0);
}

int main(int argc, char **argv)
{
	struct work w;

	work_parse(&w, argc, argv);
	printf("loop_ip=%#lx leaf_ip=%#lx\n", (unsigned long)pt_loop, (unsigned long)pt_leaf);
	fflush(stdout);
	if (w.nrest)
		return 0;
	work_pin(w.cpus[w.ncpus - 1]);
	signal(SIGALRM, end);
	alarm(w.seconds < 1 ? 1 : (unsigned)w.seconds);
	work_begin(&w);
	__asm__ volatile("jmp pt_loop");
	__builtin_unreachable();
}
