/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Programs with known call chains, built here, sampled by cpu-clock with registers and stack, and
 * unwound: every sample whose leaf is the function that burns the time must give the chain, and
 * every sample at all must give the frames that libunwind finds in it.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/sandboxed.h"
#include "tests/shell.h"
#include "tests/skip.h"
#include "tests/unwindcase.h"
#include "files/unwind/unwind.h"
#include "files/unwind/unwind_slow.h"

static char dir[] = "/tmp/ringtop-test-XXXXXX";

#define BURN \
	"static volatile unsigned sink;\n" \
	"static inline __attribute__((always_inline)) void burn(void)\n" \
	"{ for (unsigned i = 0; i < TURNS; i++) sink = sink * 7 + i; }\n"
#define NOINLINE "__attribute__((noinline, noclone)) "

/* leaf has no frame at all; the additions keep the calls from becoming jumps. */
#define CHAIN \
	BURN NOINLINE "int leaf(int n) { burn(); return n + (int)sink; }\n" \
	NOINLINE "int third(int n) { return leaf(n + 1) + 3; }\n" \
	NOINLINE "int second(int n) { volatile int a[40]; a[n & 31] = third(n); return a[n & 31] + 1; }\n" \
	NOINLINE "int first(int n) { return second(n) * 5 + second(n + 1); }\n" \
	"int main(void) { unsigned s = 0; for (int i = 0; i < CALLS; i++) s += first(i); return s == 1; }\n"

static const struct unwindcase chain_nofp = {
	.name = "nofp", .file = "nofp.c", .text = CHAIN, .stack = 8192,
	.build = "cc -O1 -fomit-frame-pointer", .chain = {"leaf", "third", "second", "first", "main"},
};

static const struct unwindcase chain_fp = {
	.name = "fp", .file = "fp.c", .text = CHAIN, .stack = 8192,
	.build = "cc -O1 -fno-omit-frame-pointer", .chain = {"leaf", "third", "second", "first", "main"},
};

static const struct unwindcase chain_static_pie = {
	.name = "spie", .file = "spie.c", .text = CHAIN, .stack = 8192,
	.build = "cc -O1 -static-pie", .chain = {"leaf", "third", "second", "first", "main"},
};

static const struct unwindcase chain_static = {
	.name = "static", .file = "static.c", .text = CHAIN, .stack = 8192, .no_reference = true,
	.build = "cc -O1 -static -no-pie", .chain = {"leaf", "third", "second", "first", "main"},
};

static const struct unwindcase chain_no_hdr = {
	.name = "nohdr", .file = "nohdr.c", .text = CHAIN, .stack = 8192, .no_reference = true,
	.build = "cc -O1 -Wl,--no-eh-frame-hdr", .chain = {"leaf", "third", "second", "first", "main"},
};

static const struct unwindcase chain_debug_frame = {
	.name = "debugframe", .file = "debugframe.c", .text = CHAIN, .stack = 8192,
	.build = "cc -O1 -g -fno-asynchronous-unwind-tables -fno-unwind-tables -fomit-frame-pointer",
	.chain = {"leaf", "third", "second", "first", "main"}, .no_reference = true,
};

/* Not optimised, so that leaf has a frame: without one it would hide its caller. */
static const struct unwindcase chain_guessed = {
	.name = "noinfo", .file = "noinfo.c", .text = CHAIN, .stack = 8192,
	.build = "cc -O0 -fno-asynchronous-unwind-tables -fno-unwind-tables -fno-omit-frame-pointer",
	.chain = {"leaf", "third", "second", "first", "main"}, .guessed = true,
	.no_reference = true, /* it loses rsp by guessing, and goes astray in the C library */
};

static const struct unwindcase variable = {
	.name = "alloca", .file = "alloca.c", .stack = 8192, .build = "cc -O2",
	.text = BURN "#include <string.h>\n"
		NOINLINE "int leaf(char *p) { burn(); return *p; }\n"
		NOINLINE "int middle(int n) { char *p = __builtin_alloca(n & 255); char b[n & 63];\n"
		"	memset(b, 1, n & 63); p[0] = 1; return leaf(p) + leaf(b) + 1; }\n"
		NOINLINE "int aligned(int n) { char b[64] __attribute__((aligned(64)));\n"
		"	char *p = __builtin_alloca(n & 127); memset(b, n, 64); p[0] = 2;\n"
		"	return middle(n) + b[n & 63] + leaf(p); }\n"
		"int main(void) { int s = 0; for (int i = 1; i < CALLS; i++) s += aligned(i | 8);\n"
		"	return s == 1; }\n",
};

static const struct unwindcase realigned = {
	.name = "realigned", .file = "realigned.c", .stack = 8192,
	.build = "cc -O2 -fomit-frame-pointer -maccumulate-outgoing-args",
	.text = BURN "#include <string.h>\n"
		NOINLINE "int leaf(char *p) { burn(); return *p; }\n"
		NOINLINE "int aligned(int n, int a, int b, int c, int d, int e, int f, int g) {\n"
		"	char x[64] __attribute__((aligned(64))); memset(x, n, 64);\n"
		"	char *p = __builtin_alloca(n & 127); p[0] = 1;\n"
		"	return leaf(x) + leaf(p) + a + b + c + d + e + f + g; }\n"
		NOINLINE "int caller(int n) { volatile char *p = __builtin_alloca(n & 63); p[0] = 1;\n"
		"	return aligned(n, 1, 2, 3, 4, 5, 6, 7) + p[0]; }\n"
		"int main(void) { int s = 0; for (int i = 1; i < CALLS; i++) s += caller(i | 8);\n"
		"	return s == 1; }\n",
	.chain = {"leaf", "aligned", "caller", "main"},
};

/* Calls through the PLT to what has no frame: the stack is as it was in the stub. */
static const struct unwindcase plt = {
	.name = "plt", .file = "plt.c", .stack = 8192,
	.before = "echo 'int nothing(int n) { for (int i = 0; i < 20; i++)\n"
		  "__asm__ volatile(\"\" : \"+r\"(n)); return n; }' |\n"
		  "cc -O2 -fomit-frame-pointer -shared -fPIC -o libplt.so -x c -",
	.build = "cc -O1 -Wl,-z,lazy -Wl,-rpath,'$ORIGIN' -L.", .libs = "-lplt",
	.text = "int nothing(int n);\n"
		NOINLINE "int caller(int n) { for (int i = 0; i < 30000; i++) n += nothing(i); return n; }\n"
		"int main(void) { int s = 0; for (int i = 0; i < CALLS; i++) s += caller(i);\n"
		"	return s == 1; }\n",
};

/* The signal hits the very first instruction of `faulty`: before it lies another function. */
static const struct unwindcase handler = {
	.name = "handler", .file = "handler.c", .stack = 16384,
	.build = "cc -O1 -D_GNU_SOURCE",
	.text = BURN "#include <signal.h>\n#include <ucontext.h>\n"
		NOINLINE "void leaf(void) { burn(); }\n"
		"void on_signal(int n, siginfo_t *i, void *arg) {\n"
		"	ucontext_t *u = arg; (void)n; (void)i; for (int k = 0; k < 30; k++) leaf();\n"
		"	u->uc_mcontext.gregs[REG_RIP] += 2; }\n"
		"void faulty(void);\n"
		"asm(\".text\\n.type faulty, @function\\nfaulty: .cfi_startproc\\n ud2\\n ret\\n\"\n"
		"    \".cfi_endproc\\n.size faulty, .-faulty\\n\");\n"
		NOINLINE "int caller(int n) { faulty(); return n + 1; }\n"
		"int main(void) { struct sigaction a = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};\n"
		"	int s = 0; sigaction(SIGILL, &a, 0);\n"
		"	for (int i = 0; i < CALLS; i++) s += caller(i); return s == 1; }\n",
	.chain = {"leaf", "on_signal", "*", "faulty", "caller", "main"}, .interrupted = 3,
};

/* On a stack of its own the handler's frames are all that can be had. */
static const struct unwindcase altstack = {
	.name = "altstack", .file = "altstack.c", .stack = 8192, .build = "cc -O1",
	.text = BURN "#include <signal.h>\n"
		NOINLINE "void leaf(void) { burn(); }\n"
		"static char stack[65536];\n"
		"void on_signal(int n) { (void)n; for (int k = 0; k < 30; k++) leaf(); }\n"
		"int main(void) { struct sigaction a = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};\n"
		"	stack_t st = {.ss_sp = stack, .ss_size = sizeof(stack)};\n"
		"	sigaltstack(&st, 0); sigaction(SIGUSR1, &a, 0);\n"
		"	for (int i = 0; i < CALLS; i++) raise(SIGUSR1); return 0; }\n",
	.chain = {"leaf", "on_signal", "*", "*"}, .end = UNWIND_TRUNCATED, .interrupted = 3,
};

static const struct unwindcase exceptions = {
	.name = "exceptions", .file = "exceptions.cc", .stack = 32768, .build = "c++ -O2",
	.text = "#include <stdexcept>\n#include <vector>\n#include <string>\n"
		"template <int N> struct level { " NOINLINE "static int run(int n) {\n"
		"	std::vector<std::string> v(2, std::string(N + 20, 'x'));\n"
		"	return level<N - 1>::run(n + (int)v.size()) + 1; } };\n"
		"template <> struct level<0> { " NOINLINE "static int run(int n) {\n"
		"	if (n & 1) throw std::runtime_error(\"odd\"); return n; } };\n"
		"int main() { int s = 0; for (int i = 0; i < 2000000; i++) {\n"
		"	try { s += level<20>::run(i | 1); } catch (const std::exception &e) { s += e.what()[0]; }\n"
		"	} return s == 1; }\n",
};

static const struct unwindcase recursion = {
	.name = "recursion", .file = "recursion.c", .stack = 4096, .build = "cc -O1",
	.text = BURN NOINLINE "int leaf(int n) { burn(); return n + (int)sink; }\n"
		NOINLINE "int down(int n) { volatile char b[64]; b[n & 63] = 1;\n"
		"	return n ? down(n - 1) + b[n & 63] : leaf(n) + 1; }\n"
		"int main(void) { unsigned s = 0; for (int i = 0; i < CALLS; i++) s += down(400);\n"
		"	return s == 1; }\n",
	.chain = {"leaf", "down", "down", "down", "down", "down", "down", "down"},
	.end = UNWIND_TRUNCATED,
};

/* The CFA of `odd` by an expression that rows do not know: rsp + 8 in many words. */
static const struct unwindcase expression = {
	.name = "expression", .file = "expression.c", .stack = 8192, .build = "cc -O1", .slow = true,
	.text = BURN "int odd(int (*f)(int), int n);\n"
		"asm(\".text\\n.type odd, @function\\nodd: .cfi_startproc\\n push %rbx\\n\"\n"
		"    \".cfi_escape 0x0f, 5, 0x77, 8, 0x38, 0x22, 0x96\\n\"\n"
		"    \" mov %rdi, %rax\\n mov %esi, %edi\\n call *%rax\\n pop %rbx\\n\"\n"
		"    \".cfi_def_cfa rsp, 8\\n ret\\n.cfi_endproc\\n.size odd, .-odd\\n\");\n"
		NOINLINE "int leaf(int n) { burn(); return n + (int)sink; }\n"
		NOINLINE "int caller(int n) { return odd(leaf, n) + 1; }\n"
		"int main(void) { unsigned s = 0; for (int i = 0; i < CALLS; i++) s += caller(i);\n"
		"	return s == 1; }\n",
	.chain = {"leaf", "odd", "caller", "main"},
};

/* The CFA of `odd` by rbx, which its callee saved: rows follow no rbx. */
#define OTHER_BASE(leaf_cfi) BURN "int odd(int (*f)(int), int n);\n" \
	"asm(\".text\\n.type odd, @function\\nodd: .cfi_startproc\\n push %rbx\\n\"\n" \
	"    \".cfi_def_cfa_offset 16\\n.cfi_offset rbx, -16\\n mov %rsp, %rbx\\n\"\n" \
	"    \".cfi_def_cfa_register rbx\\n sub $64, %rsp\\n and $-64, %rsp\\n\"\n" \
	"    \" mov %rdi, %rax\\n mov %esi, %edi\\n call *%rax\\n mov %rbx, %rsp\\n\"\n" \
	"    \".cfi_def_cfa rsp, 16\\n pop %rbx\\n.cfi_def_cfa_offset 8\\n.cfi_restore rbx\\n ret\\n\"\n" \
	"    \".cfi_endproc\\n.size odd, .-odd\\n\");\n" \
	NOINLINE "int leaf(int n) { asm volatile(\"" leaf_cfi "\" ::: \"rbx\"); burn(); return n + (int)sink; }\n" \
	NOINLINE "int caller(int n) { return odd(leaf, n) + 1; }\n" \
	"int main(void) { unsigned s = 0; for (int i = 0; i < CALLS; i++) s += caller(i);\n" \
	"	return s == 1; }\n"

static const struct unwindcase other_base = {
	.name = "otherbase", .file = "otherbase.c", .stack = 8192, .build = "cc -O1", .slow = true,
	.text = OTHER_BASE(""), .chain = {"leaf", "odd", "caller", "main"},
};

/* The leaf loses rbp: libunwind takes that for the outermost frame. */
static const struct unwindcase lost_rbp = {
	.name = "lostrbp", .file = "lostrbp.c", .stack = 8192, .build = "cc -O1",
	.text = OTHER_BASE(".cfi_undefined rbp"), .chain = {"leaf", "odd"}, .end = UNWIND_BAD,
	.no_reference = true,
};
static const struct unwindcase vdso = {
	.name = "vdso", .file = "vdso.c", .stack = 8192, .build = "cc -O1",
	.text = "#include <time.h>\n"
		NOINLINE "long caller(void) { struct timespec t; long n = 0;\n"
		"	for (int i = 0; i < 100000; i++) { clock_gettime(CLOCK_MONOTONIC, &t); n += t.tv_nsec; }\n"
		"	return n; }\n"
		"int main(void) { long s = 0; for (int i = 0; i < 2000; i++) s += caller(); return s == 1; }\n",
};

#define PERCENT(part, whole) ((part) * 100 / (whole))

static void test_chains(void **state)
{
	static const struct unwindcase *const programs[] = {
		&chain_nofp, &chain_fp, &chain_static_pie, &chain_static, &chain_no_hdr,
		&chain_debug_frame,
	};
	struct unwind_counts c;

	(void)state;
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		unwindcase_check(programs[i], dir, &c);
		/* One in the dynamic linker's first instructions may be. */
		assert_int_equal(PERCENT(c.guessed, c.samples), 0);
		assert_true(PERCENT(c.ends[UNWIND_END], c.samples) >= 98);
	}
}

static void test_guessed(void **state)
{
	struct unwind_counts c;

	(void)state;
	unwindcase_check(&chain_guessed, dir, &c);
	assert_true(c.guessed >= c.samples);
}

static void check_whole(const struct unwindcase *p)
{
	struct unwind_counts c;

	unwindcase_check(p, dir, &c);
	assert_true(PERCENT(c.ends[UNWIND_END], c.samples) >= 98);
	assert_int_equal(c.guessed, 0);
}

static void test_frames(void **state)
{
	(void)state;
	check_whole(&variable);
	check_whole(&realigned);
	check_whole(&plt);
	check_whole(&vdso);
}

/* Also where functions begin and end, which samples by time seldom hit. */
static void test_instructions(void **state)
{
	(void)state;
	unwindcase_instructions(&chain_nofp, dir);
	unwindcase_instructions(&chain_fp, dir);
	unwindcase_instructions(&variable, dir);
	unwindcase_instructions(&realigned, dir);
}

/* The first slot of the program's PLT, as an address. */
static uint64_t plt_slot(const struct sampled *s, const char *object)
{
	for (size_t i = 0; i < s->nmaps; i++) {
		const struct sampled_map *m = &s->maps[i];

		if (!m->object || !strstr(m->object->path, object))
			continue;
		for (uint64_t at = m->start; at < m->end; at += 16) {
			if (cfi_find(m->object->cfi, at - m->bias).kind == CFI_PLT)
				return at;
		}
	}
	return 0;
}

/*
 * A call that has just entered the library is moved into the stub it came through: first with the
 * stack as it is, then with what a lazy stub pushes.  Not if it cannot be unwound where it is: the
 * library's start has code without unwind information.
 */
static bool check_slot(struct unwinder *u, const struct sampled *s,
		       const struct unwind_sample *sample, uint64_t slot)
{
	static uint64_t ips[SAMPLED_FRAMES_MAX], moved_ips[SAMPLED_FRAMES_MAX], regs[17];
	static uint8_t stack[8192 + 8];
	struct unwind_path path = {.ips = ips, .max = SAMPLED_FRAMES_MAX};
	struct unwind_path moved_path = {.ips = moved_ips, .max = SAMPLED_FRAMES_MAX};
	struct unwind_sample moved = *sample;

	if (unwind_run(u, sample, &s->space, &path) != UNWIND_END)
		return false;
	memcpy(regs, sample->regs, sizeof(regs));
	memcpy(stack + 8, sample->stack, sample->size);
	moved.regs = regs;
	for (unsigned pc = 0; pc < 16; pc++) {
		bool pushed = pc >= 11;

		regs[UNWIND_IP] = slot + pc;
		regs[UNWIND_SP] = sample->regs[UNWIND_SP] - (pushed ? 8 : 0);
		moved.stack = pushed ? stack : sample->stack;
		moved.size = sample->size + (pushed ? 8 : 0);
		assert_int_equal(unwind_run(u, &moved, &s->space, &moved_path), UNWIND_END);
		assert_int_equal(moved_path.nr, path.nr);
		assert_memory_equal(moved_ips + 1, ips + 1, (path.nr - 1) * sizeof(ips[0]));
	}
	return true;
}

static void test_plt_slot(void **state)
{
	struct unwinder *u = unwind_create();
	struct sampled s;
	unsigned checked = 0;
	uint64_t slot;

	(void)state;
	assert_non_null(u);
	unwindcase_record(&plt, dir, &s);
	slot = plt_slot(&s, "/plt");
	for (size_t i = 0; slot && i < s.nr; i++) {
		struct unwind_sample sample = sampled_sample(&s, i);
		const struct sampled_map *m = sampled_map(&s, sample.regs[UNWIND_IP]);

		if (!m || !m->object || !strstr(m->object->path, "libplt"))
			continue;
		checked += check_slot(u, &s, &sample, slot);
	}
	sampled_free(&s);
	unwind_free(u);
	if (!slot)
		SKIP("a linker that makes stubs of another kind");
	assert_true(checked > 0);
}

static void test_signals(void **state)
{
	struct unwind_counts c;

	(void)state;
	check_whole(&handler);
	unwindcase_check(&altstack, dir, &c);
}

static void test_exceptions(void **state)
{
	(void)state;
	check_whole(&exceptions);
}

static void test_truncated(void **state)
{
	struct unwind_counts c;

	(void)state;
	unwindcase_check(&recursion, dir, &c);
	assert_true(PERCENT(c.ends[UNWIND_TRUNCATED], c.samples) >= 90);
	assert_true(c.frames > c.samples * 20);
}

static void test_slow(void **state)
{
	static const struct unwindcase *const programs[] = {&expression, &other_base, &lost_rbp};
	struct unwind_counts c;

	(void)state;
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		unwindcase_check(programs[i], dir, &c);
		assert_true((unwindcase_slow ? c.slow : c.slow_absent) >= UNWINDCASE_ENOUGH);
	}
}

/* --- by a helper's rows ----------------------------------------------------------------------- */

/* libunwind, which sees nothing but what is made of rows, goes the way that the rows go. */
static void check_slow_like_rows(const char *name, const struct sampled *s)
{
	static uint64_t ips[SAMPLED_FRAMES_MAX], others[SAMPLED_FRAMES_MAX];
	struct unwind_path rows = {.ips = ips, .max = SAMPLED_FRAMES_MAX};
	struct unwind_path slow = {.ips = others, .max = SAMPLED_FRAMES_MAX};
	struct unwinder *u = unwind_create();
	struct unwind_slow *lib = unwind_slow_create();

	for (size_t i = 0; lib && i < s->nr; i++) {
		struct unwind_sample sample = sampled_sample(s, i);

		unwind_run(u, &sample, &s->space, &rows);
		slow.nr = 0;
		unwind_slow_run(lib, &sample, &s->space, &slow);
		if (slow.nr != rows.nr || memcmp(ips, others, rows.nr * sizeof(ips[0])) != 0)
			fail_msg("%s: sample %zu: %u frames, by libunwind %u", name, i, rows.nr, slow.nr);
		assert_int_equal(slow.ninterrupted, rows.ninterrupted);
		assert_memory_equal(slow.interrupted, rows.interrupted, rows.ninterrupted * sizeof(rows.interrupted[0]));
	}
	unwind_slow_free(lib);
	unwind_free(u);
}

static void check_helped(const struct unwindcase *p, bool whole)
{
	struct unwind_counts c;
	struct unwindcase_names names;
	struct sampled s;

	unwindcase_record(p, dir, &s);
	unwindcase_load(&names, &s, dir, p->name);
	unwindcase_samples(p, &s, &names, &c);
	if (whole)
		assert_true(PERCENT(c.ends[UNWIND_END], c.samples) >= 98);
	/* The first call of a function is the dynamic linker's, whose frames stand on rbx: libunwind's. */
	assert_true(PERCENT(c.slow, c.samples) <= 5);
	check_slow_like_rows(p->name, &s);
	elfsym_clear(&names.elf);
	sampled_free(&s);
}

/* What only libunwind could follow ends there: it is not shown another user's programs. */
static void check_broken(const struct unwindcase *p)
{
	struct unwind_path path = {.ips = (uint64_t[64]){0}, .max = 64};
	struct unwinder *u = unwind_create();
	struct sampled s;

	unwindcase_record(p, dir, &s);
	for (size_t i = 0; i < s.nr; i++) {
		struct unwind_sample sample = sampled_sample(&s, i);

		unwind_run(u, &sample, &s.space, &path);
	}
	assert_true(unwind_counts(u)->ends[UNWIND_BAD] >= UNWINDCASE_ENOUGH);
	unwind_free(u);
	sampled_free(&s);
}

static void test_helped(void **state)
{
	(void)state;
	assert_int_equal(sandboxed_start(true), 0);
	check_helped(&chain_nofp, true);
	check_helped(&chain_no_hdr, true);
	check_helped(&chain_debug_frame, true);
	check_helped(&realigned, true);
	check_helped(&plt, true);
	check_helped(&handler, true);
	check_helped(&recursion, false);
	check_broken(&expression);
	check_broken(&other_base);
	sandbox_end();
}

static void test_instructions_helped(void **state)
{
	(void)state;
	assert_int_equal(sandboxed_start(true), 0);
	unwindcase_instructions(&realigned, dir);
	sandbox_end();
}

/* --- without programs ------------------------------------------------------------------------- */

struct fake {
	uint64_t start, end;
	unsigned asked;
};

static bool fake_find(void *arg, uint64_t addr, struct unwind_map *map)
{
	struct fake *f = arg;

	f->asked++;
	*map = (struct unwind_map){.start = f->start, .end = f->end};
	return addr >= f->start && addr < f->end;
}

#define CODE 0x400000ull
#define TOP  0x7000000ull

static enum unwind_end run_fake(const uint64_t *stack, size_t words, uint64_t bp, uint32_t max,
				struct unwind_path *path)
{
	static uint64_t ips[64];
	struct fake fake = {.start = CODE, .end = CODE + 4096};
	struct unwind_space space = {.find = fake_find, .arg = &fake};
	uint64_t regs[] = {bp, TOP, CODE + 8};
	struct unwind_sample sample = {
		.mask = 1 << UNWIND_BP | 1 << UNWIND_SP | 1 << UNWIND_IP, .regs = regs,
		.stack = (const uint8_t *)stack, .size = words * 8,
	};
	struct unwinder *u = unwind_create();
	enum unwind_end end;

	assert_non_null(u);
	*path = (struct unwind_path){.ips = ips, .max = max};
	end = unwind_run(u, &sample, &space, path);
	unwind_free(u);
	return end;
}

static void test_frame_pointers(void **state)
{
	uint64_t stack[8] = {0, 0, TOP + 32, CODE + 100, 0, CODE + 200, 0, 0};
	struct unwind_path path;

	(void)state;
	assert_int_equal(run_fake(stack, 8, TOP + 16, 64, &path), UNWIND_END);
	assert_int_equal(path.nr, 3);
	assert_int_equal(path.guessed, 2);
	assert_int_equal(path.ips[2], CODE + 200);
	assert_int_equal(run_fake(stack, 8, TOP + 16, 2, &path), UNWIND_LIMIT);
	assert_int_equal(path.nr, 2);
	assert_int_equal(run_fake(stack, 5, TOP + 16, 64, &path), UNWIND_TRUNCATED);
	assert_int_equal(path.nr, 2);
	stack[4] = TOP + 16; /* leads back */
	assert_int_equal(run_fake(stack, 8, TOP + 16, 64, &path), UNWIND_BAD);
	stack[4] = TOP + 32;
	assert_int_equal(run_fake(stack, 8, TOP + 16, 64, &path), UNWIND_BAD);
	stack[3] = 0x1234; /* no code there */
	assert_int_equal(run_fake(stack, 8, TOP + 16, 64, &path), UNWIND_BAD);
	assert_int_equal(path.nr, 1);
	assert_int_equal(run_fake(stack, 8, TOP - 16, 64, &path), UNWIND_BAD);
	assert_int_equal(run_fake(stack, 8, 1ull << 60, 64, &path), UNWIND_BAD);
	assert_int_equal(run_fake(stack, 8, TOP + 17, 64, &path), UNWIND_BAD);
	assert_int_equal(run_fake(stack, 0, TOP + 16, 64, &path), UNWIND_TRUNCATED);
}

/* Without rsp, or without a map, there is at most the leaf. */
static void test_nothing(void **state)
{
	uint64_t ips[4], regs[] = {CODE};
	struct fake fake = {.start = CODE, .end = CODE};
	struct unwind_space space = {.find = fake_find, .arg = &fake};
	struct unwind_sample sample = {.mask = 1 << UNWIND_IP, .regs = regs};
	struct unwind_path path = {.ips = ips, .max = 4};
	struct unwinder *u = unwind_create();
	uint64_t three[] = {0, TOP, CODE};

	(void)state;
	assert_non_null(u);
	assert_int_equal(unwind_run(u, &sample, &space, &path), UNWIND_BAD);
	assert_int_equal(path.nr, 0);
	sample.mask |= 1 << UNWIND_BP | 1 << UNWIND_SP;
	sample.regs = three;
	assert_int_equal(unwind_run(u, &sample, &space, &path), UNWIND_BAD);
	assert_int_equal(path.nr, 1);
	assert_int_equal(path.ips[0], CODE);
	assert_int_equal(unwind_counts(u)->ends[UNWIND_BAD], 2);
	unwind_free(u);
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
		cmocka_unit_test(test_frame_pointers), cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_chains),	       cmocka_unit_test(test_guessed),
		cmocka_unit_test(test_frames),	       cmocka_unit_test(test_instructions),
		cmocka_unit_test(test_signals),
		cmocka_unit_test(test_exceptions),     cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_slow),
		cmocka_unit_test(test_plt_slot),       cmocka_unit_test(test_helped),
		cmocka_unit_test(test_instructions_helped),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
