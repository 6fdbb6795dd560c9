/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call frame instructions of hand-written code, each in a function that burns the time and is sampled there: its callers
 * are known, and libunwind's frames are the second source.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/sandboxed.h"
#include "tests/shell.h"
#include "tests/skip.h"
#include "tests/unwindcase.h"

static char dir[] = "/tmp/ringtop-test-XXXXXX";

#define A(line) "\"" line "\\n\"\n"

/* rbp is what the callers find their frames by. */
#define BUILD "cc -O1 -fno-omit-frame-pointer"

#define SPIN A("mov $20000, %eax") A("1: dec %eax") A("jnz 1b")

/* A stack of some depth, and what the caller keeps of it by rbp. */
#define CALLER \
	"void odd(void);\n" \
	"__attribute__((noinline)) int caller(int n) { volatile char *p = __builtin_alloca(n & 63); p[0] = 1;\n" \
	"	odd(); return p[0]; }\n"

#define ODD(body) \
	"asm(\".text\\n.globl odd\\n.type odd, @function\\n\"\n" A("odd: .cfi_startproc") body A(".cfi_endproc") \
	A(".size odd, .-odd") ");\n"

#define MAIN "int main(void) { int s = 0; for (int i = 0; i < 20000; i++) s += caller(i | 8); return s == 1; }\n"

#define CASE(called, body, ...) \
	{.name = called, .file = called ".c", .build = BUILD, .stack = 8192, .text = CALLER ODD(body) MAIN, \
	 .chain = {"odd", "caller", "main"}, __VA_ARGS__}

/* The C library's vfork: the return address waits in a register while the child may use the stack. */
#define HELD(spin) \
	A("pop %rdi") A(".cfi_adjust_cfa_offset -8") A(".cfi_register rip, rdi") spin A("push %rdi") \
	A(".cfi_adjust_cfa_offset 8") A("ret")

static const struct unwindcase cases[] = {
	CASE("held", HELD(SPIN)),
	/* The CFA itself by another register than rsp and rbp. */
	CASE("other_cfa", A("mov %rsp, %r10") A(".cfi_def_cfa_register r10") A("sub $64, %rsp") A("and $-32, %rsp") SPIN
	     A("mov %r10, %rsp") A(".cfi_def_cfa_register rsp") A("ret")),
	CASE("other_cfa_held", A("pop %r8") A(".cfi_adjust_cfa_offset -8") A(".cfi_register rip, r8")
	     A("mov %rsp, %r9") A(".cfi_def_cfa_register r9") A("sub $128, %rsp") SPIN A("mov %r9, %rsp")
	     A(".cfi_def_cfa_register rsp") A("jmp *%r8")),
	CASE("rbp_held", A("mov %rbp, %r11") A(".cfi_register rbp, r11") A("xor %ebp, %ebp") SPIN A("mov %r11, %rbp")
	     A(".cfi_restore rbp") A("ret")),
	/* The values of rsp and rbp, not their places. */
	CASE("values", A(".cfi_val_offset rsp, 0") A("mov %rbp, %rdx") A("sub %rsp, %rdx") A("push %rdx")
	     A(".cfi_adjust_cfa_offset 8") SPIN A("pop %rdx") A(".cfi_adjust_cfa_offset -8") A("ret"),
	     .no_reference = true /* it knows no DW_CFA_val_offset */),
	CASE("nested", A(".cfi_remember_state") A("push %rbx") A(".cfi_adjust_cfa_offset 8") A(".cfi_rel_offset rbx, 0")
	     A(".cfi_remember_state") A("push %rbp") A(".cfi_adjust_cfa_offset 8") A(".cfi_rel_offset rbp, 0")
	     A(".cfi_remember_state") A("xor %ebp, %ebp") A("jmp 2f") A("3: pop %rbp") A(".cfi_adjust_cfa_offset -8")
	     A(".cfi_restore rbp") A("pop %rbx") A(".cfi_adjust_cfa_offset -8") A(".cfi_restore rbx") A("ret")
	     A(".cfi_restore_state") A("2: push %r12") A(".cfi_adjust_cfa_offset 8") SPIN A("pop %r12")
	     A(".cfi_adjust_cfa_offset -8") A("jmp 3b") A(".cfi_restore_state") A(".cfi_restore_state")),
	/* DW_CFA_GNU_args_size, DW_CFA_def_cfa_offset_sf, DW_CFA_def_cfa_sf, DW_CFA_offset_extended_sf */
	CASE("signed", A("push %rbp") A(".cfi_escape 0x13, 0x7e") A(".cfi_escape 0x11, 6, 2") A("xor %ebp, %ebp")
	     A("push %rax") A(".cfi_escape 0x12, 7, 0x7d") A(".cfi_escape 0x2e, 8") SPIN A("pop %rax")
	     A(".cfi_def_cfa_offset 16") A("pop %rbp") A(".cfi_def_cfa rsp, 8") A(".cfi_escape 0x06, 6") A("ret")),
	/* Places by expressions: DW_OP_breg7 + 8 of rbp; the CFA behind a word of the stack. */
	CASE("places", A("push %rbp") A(".cfi_adjust_cfa_offset 8") A("sub $8, %rsp") A(".cfi_adjust_cfa_offset 8")
	     A(".cfi_escape 0x10, 6, 2, 0x77, 8") A("xor %ebp, %ebp") SPIN A("add $8, %rsp")
	     A(".cfi_adjust_cfa_offset -8") A(".cfi_escape 0x10, 6, 2, 0x77, 0") A("pop %rbp")
	     A(".cfi_adjust_cfa_offset -8") A(".cfi_restore rbp") A("ret")),
	CASE("behind", A("mov %rsp, %rax") A("and $-64, %rsp") A(".cfi_def_cfa rax, 8") A("push %rax")
	     A(".cfi_escape 0x0f, 5, 0x77, 0, 6, 0x23, 8") A("mov $20000, %eax") A("1: dec %eax") A("jnz 1b")
	     A("pop %rsp") A(".cfi_def_cfa rsp, 8") A("ret")),
};

/* No return address: the path ends there, whatever lies on the stack. */
static const struct unwindcase undefined = {
	.name = "undefined", .file = "undefined.c", .build = BUILD, .stack = 8192, .chain = {"odd"},
	.text = CALLER ODD(A(".cfi_undefined rip") SPIN A("ret")) MAIN,
};

/* The C library's longjmp, between two stacks: rsp, rbp and the return address are in registers, the CFA is none. */
static const struct unwindcase between =
	CASE("between", A("lea 8(%rsp), %r8") A("mov %rbp, %r9") A("mov (%rsp), %rdx") A("lea -256(%rsp), %rdi")
	     A(".cfi_def_cfa rdi, 0") A(".cfi_register rsp, r8") A(".cfi_register rbp, r9") A(".cfi_register rip, rdx")
	     A("xor %ebp, %ebp") SPIN A("mov %r8, %rsp") A("mov %r9, %rbp") A("jmp *%rdx"),
	     .no_reference = true /* it takes the CFA for rsp */);

/* A signal comes while the return address is in a register: that is the interrupted frame's, which libunwind follows. */
static const struct unwindcase interrupted = {
	.name = "interrupted", .file = "interrupted.c", .build = BUILD " -D_GNU_SOURCE", .stack = 16384, .slow = true,
	.text = "#include <signal.h>\n#include <ucontext.h>\n"
		"__attribute__((noinline, noclone)) void leaf(void) { for (volatile int i = 0; i < 20000; i++); }\n"
		"void on_signal(int n, siginfo_t *i, void *arg) { ucontext_t *u = arg; (void)n; (void)i; leaf();\n"
		"	u->uc_mcontext.gregs[REG_RIP] += 2; }\n"
		CALLER ODD(HELD(A("ud2")))
		"int main(void) { struct sigaction a = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};\n"
		"	int s = 0; sigaction(SIGILL, &a, 0);\n"
		"	for (int i = 0; i < 20000; i++) s += caller(i | 8); return s == 1; }\n",
	.chain = {"leaf", "on_signal", "*", "odd", "caller", "main"}, .interrupted = 3,
};

/*
 * Each sample in the function has been checked.  Of the others some are of the dynamic linker's first instructions, which
 * have no unwind information: on a busy machine a program may be sampled there more often.
 */
static void check_whole(const struct unwindcase *p)
{
	struct unwind_counts c;

	unwindcase_check(p, dir, &c);
	assert_true(c.ends[UNWIND_END] * 100 >= c.samples * 80);
}

static void test_operations(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check_whole(&cases[i]);
	check_whole(&between);
	check_whole(&undefined);
}

static void test_interrupted(void **state)
{
	(void)state;
	if (!unwindcase_slow)
		SKIP("libunwind is not built in");
	check_whole(&interrupted);
}

/* The contents of rows hold as well where a helper makes them. */
static void test_helped(void **state)
{
	(void)state;
	assert_int_equal(sandboxed_start(true), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check_whole(&cases[i]);
	check_whole(&between);
	check_whole(&undefined);
	sandbox_end();
}

static int setup(void **state)
{
	(void)state;
	return mkdtemp(dir) ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	return shell_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_operations),
		cmocka_unit_test(test_interrupted),
		cmocka_unit_test(test_helped),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
