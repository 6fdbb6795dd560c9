/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rules of processors with a link register: instructions by hand, entries of an object that is made
 * here for another processor (and of those that RINGTOP_OBJECTS names) as libdw reads them, and
 * stacks made by hand.
 */
#include <dwarf.h>
#include <elf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/images.h"
#include "tests/shell.h"
#include "tests/skip.h"
#include "files/unwind/proof.h"
#include "files/unwind/unwind.h"

#define MEMORY (64u << 20)

static char dir[] = "/tmp/ringtop-test-XXXXXX";

#define run(...) shell_run(dir, __VA_ARGS__)

/* --- instructions by hand -------------------------------------------------------------------- */

#define PROGRAM(...) ((const uint8_t[]){__VA_ARGS__}), sizeof((const uint8_t[]){__VA_ARGS__})

static void expect_rows(uint16_t machine, bool signal, const uint8_t *program, size_t len,
			const struct cfi_row *want, uint32_t nr)
{
	const struct cfi_arch *a = cfi_arch_of(machine);
	const uint8_t start[] = {0x0c, a->dwarf.sp, 0}; /* CFA = sp */
	struct cfi_cie cie = {.code_align = 4, .data_align = -8, .ra = a->dwarf.ra,
			      .signal = signal, .program = start, .len = sizeof(start)};
	struct cfi_fde fde = {.start = 0x1000, .size = 400, .program = program, .len = len};
	struct cfi_row rows[16];
	uint32_t n;

	assert_int_equal(cfirows_run(a, &cie, &fde, rows, 16, &n), 0);
	assert_int_equal(n, nr);
	for (uint32_t i = 0; i < n; i++) {
		assert_int_equal(rows[i].pc, want[i].pc);
		assert_int_equal(rows[i].rule.kind, want[i].rule.kind);
		assert_int_equal(rows[i].rule.base, want[i].rule.base);
		assert_int_equal(rows[i].rule.signal, want[i].rule.signal);
		assert_int_equal(rows[i].rule.cfa_off, want[i].rule.cfa_off);
		assert_int_equal(rows[i].rule.rbp, want[i].rule.rbp);
		assert_int_equal(rows[i].rule.rbp_off, want[i].rule.rbp_off);
	}
}

#define ROW(at, k, b, cfa, how, off) \
	{.pc = at, .rule = {.kind = k, .base = b, .cfa_off = cfa, .rbp = how, .rbp_off = off}}
#define EXPECT_ROWS(machine, program, ...) \
	expect_rows(machine, false, program, (const struct cfi_row[]){__VA_ARGS__}, \
		    sizeof((const struct cfi_row[]){__VA_ARGS__}) / sizeof(struct cfi_row))

static void test_aarch64(void **state)
{
	(void)state;
	/* paciasp; stp x29, x30, [sp, -32]!; mov x29, sp; ...; ldp; autiasp; ret */
	EXPECT_ROWS(EM_AARCH64,
		    PROGRAM(0x41, 0x2d, 0x41, 0x0e, 32, 0x9d, 4, 0x9e, 3, 0x41, 0x0d, 29, 0x44,
			    0x0a, 0xde, 0xdd, 0x0c, 31, 0, 0x41, 0x2d, 0x41, 0x0b),
		    ROW(0, CFI_LINK, CFI_RSP, 0, CFI_RBP_SAME, 0),
		    ROW(8, CFI_PAIR, CFI_RSP, 32, CFI_RBP_AT_CFA, -4),
		    ROW(12, CFI_PAIR, CFI_RBP, 32, CFI_RBP_AT_CFA, -4),
		    ROW(28, CFI_LINK, CFI_RSP, 0, CFI_RBP_SAME, 0),
		    ROW(36, CFI_PAIR, CFI_RBP, 32, CFI_RBP_AT_CFA, -4));
	/* str x30, [sp, -16]!, without a frame pointer; then x29 far from it */
	EXPECT_ROWS(EM_AARCH64, PROGRAM(0x41, 0x0e, 16, 0x9e, 2, 0x41, 0x0e, 80, 0x9d, 9),
		    ROW(0, CFI_LINK, CFI_RSP, 0, CFI_RBP_SAME, 0),
		    ROW(4, CFI_SAVED, CFI_RSP, 16, CFI_RBP_SAME, -2),
		    ROW(8, CFI_SAVED, CFI_RSP, 80, CFI_RBP_LOST, -2));
	/* the CFA by x6, whose number is that of rbp in rules; x29 in x7; no caller */
	EXPECT_ROWS(EM_AARCH64,
		    PROGRAM(0x0c, 6, 0, 0x41, 0x0c, 31, 0, 0x09, 29, 7, 0x41, 0x10, 29, 2, 0x76, 0,
			    0x41, 0x07, 30),
		    ROW(0, CFI_SLOW, 0, 0, 0, 0), ROW(4, CFI_LINK, CFI_RSP, 0, CFI_RBP_LOST, 0),
		    ROW(12, CFI_OUTERMOST, 0, 0, 0, 0));
}

static void test_riscv64(void **state)
{
	(void)state;
	/* addi sp, -32; sd ra, 24(sp); sd s0, 16(sp); addi s0, sp, 32 */
	EXPECT_ROWS(EM_RISCV,
		    PROGRAM(0x41, 0x0e, 32, 0x41, 0x81, 1, 0x41, 0x88, 2, 0x41, 0x0c, 8, 0),
		    ROW(0, CFI_LINK, CFI_RSP, 0, CFI_RBP_SAME, 0),
		    ROW(4, CFI_LINK, CFI_RSP, 32, CFI_RBP_SAME, 0),
		    ROW(8, CFI_SAVED, CFI_RSP, 32, CFI_RBP_SAME, -1),
		    ROW(12, CFI_PAIR, CFI_RSP, 32, CFI_RBP_AT_CFA, -2),
		    ROW(16, CFI_PAIR, CFI_RBP, 0, CFI_RBP_AT_CFA, -2));
}

/* Entries may begin with the CFA's register, and no offset. */
static void test_register_alone(void **state)
{
	static const uint8_t start[] = {0x0d, 2}, program[] = {0x44, 0x0e, 16};
	const struct cfi_cie cie = {.code_align = 1, .data_align = -4, .ra = 1, .program = start,
				    .len = sizeof(start)};
	const struct cfi_fde fde = {.size = 64, .program = program, .len = sizeof(program)};
	struct cfi_row rows[2];
	uint32_t nr;

	(void)state;
	assert_int_equal(cfirows_run(cfi_arch_of(EM_RISCV), &cie, &fde, rows, 2, &nr), 0);
	assert_int_equal(nr, 2);
	assert_int_equal(rows[0].rule.kind, CFI_LINK);
	assert_int_equal(rows[0].rule.cfa_off, 0);
	assert_int_equal(rows[1].rule.cfa_off, 16);
}

/* Whatever its entry says, a trampoline's callers are where the kernel puts them. */
static void test_trampoline(void **state)
{
	const struct cfi_row row = {
		.rule = {.kind = CFI_SIGNAL, .base = CFI_RSP, .signal = 1}};

	(void)state;
	expect_rows(EM_AARCH64, true, PROGRAM(0x0c, 29, 0, 0x9d, 0, 0x05, 30, 0), &row, 1);
	expect_rows(EM_RISCV, true, PROGRAM(0), &row, 1);
}

static void test_unknown_instruction(void **state)
{
	static const uint8_t sign[] = {0x2d};
	const struct cfi_cie cie = {.code_align = 1, .data_align = 1, .ra = 16};
	const struct cfi_fde fde = {.size = 4, .program = sign, .len = 1};
	uint32_t nr;

	(void)state;
	assert_true(cfirows_run(cfi_arch_of(EM_X86_64), &cie, &fde, NULL, 16, &nr) != 0);
	assert_true(cfirows_run(cfi_arch_of(EM_RISCV), &cie, &fde, NULL, 16, &nr) != 0);
}

/* --- objects, with libdw --------------------------------------------------------------------- */

struct judged {
	struct cfi *c;
	const struct cfi_arch *a;
	Dwarf_CFI *theirs;
	unsigned rows, kinds[CFI_KINDS];
};

/* Return true if ops are one register and an offset. */
static bool register_offset(const Dwarf_Op *ops, size_t nops, uint64_t *reg, int64_t *off)
{
	if (nops != 1 || ops[0].atom < DW_OP_breg0 || ops[0].atom > DW_OP_bregx)
		return false;
	*reg = ops[0].atom == DW_OP_bregx ? ops[0].number : (uint64_t)ops[0].atom - DW_OP_breg0;
	*off = (int64_t)(ops[0].atom == DW_OP_bregx ? ops[0].number2 : ops[0].number);
	return true;
}

enum where { UNDEFINED, SAME, AT_CFA, ELSEWHERE };

static enum where place_of(Dwarf_Frame *frame, int reg, int64_t *off)
{
	Dwarf_Op mem[3], *ops;
	size_t nops;

	assert_int_equal(dwarf_frame_register(frame, reg, mem, &ops, &nops), 0);
	if (nops == 0)
		return ops == mem ? UNDEFINED : SAME;
	*off = 0;
	if (nops == 2 && ops[1].atom == DW_OP_plus_uconst)
		*off = (int64_t)ops[1].number;
	return ops[0].atom == DW_OP_call_frame_cfa && nops <= 2 ? AT_CFA : ELSEWHERE;
}

/* Check the rule of rows that libdw reads as well. */
static void judge_row(struct judged *j, Dwarf_Frame *frame, uint64_t at, struct cfi_rule rule)
{
	int64_t cfa, fp = 0, ra = 0, off = 8 * (int64_t)rule.rbp_off;
	enum where fp_at = place_of(frame, j->a->dwarf.fp, &fp);
	enum where ra_at = place_of(frame, j->a->dwarf.ra, &ra);
	Dwarf_Op *ops;
	uint64_t reg;
	size_t nops;
	bool plain;

	assert_int_equal(dwarf_frame_cfa(frame, &ops, &nops), 0);
	plain = register_offset(ops, nops, &reg, &cfa) &&
		(reg == j->a->dwarf.sp || reg == j->a->dwarf.fp);
	j->rows++;
	j->kinds[rule.kind]++;
	if (rule.kind == CFI_SLOW) {
		if (plain && ra_at != ELSEWHERE)
			fail_msg("%#" PRIx64 ": no rule", at);
		return;
	}
	if (rule.kind == CFI_OUTERMOST) {
		assert_int_equal(ra_at, UNDEFINED);
		return;
	}
	if (!plain || cfa != rule.cfa_off ||
	    reg != (rule.base == CFI_RSP ? j->a->dwarf.sp : j->a->dwarf.fp))
		fail_msg("%#" PRIx64 ": the CFA is register %" PRIu64 " %+" PRId64, at, reg, cfa);
	if (rule.kind == CFI_LINK)
		assert_int_equal(ra_at, SAME);
	else if (ra_at != AT_CFA || ra != off + (rule.kind == CFI_PAIR ? 8 : 0))
		fail_msg("%#" PRIx64 ": the return address is at CFA %+" PRId64, at, ra);
	if (rule.kind == CFI_PAIR)
		assert_true(fp_at == AT_CFA && fp == off);
	else if (rule.rbp == CFI_RBP_AT_CFA)
		assert_true(fp_at == AT_CFA && fp == rule.rbp_off);
	else if (rule.rbp == CFI_RBP_SAME)
		assert_int_equal(fp_at, SAME);
}

static void judge_code(struct judged *j, uint64_t start, uint64_t end)
{
	Dwarf_Addr from, to;
	bool signal;

	for (uint64_t at = start; at < end; at = to > at ? to : at + 4) {
		struct cfi_rule rule = cfi_find(j->c, at);
		Dwarf_Frame *frame = NULL;

		to = 0;
		if (dwarf_cfi_addrframe(j->theirs, at, &frame)) {
			assert_true(rule.kind == CFI_UNCOVERED || rule.kind == CFI_BROKEN ||
				    rule.kind == CFI_SIGNAL); /* a bare trampoline */
			continue;
		}
		assert_true(dwarf_frame_info(frame, &from, &to, &signal) >= 0);
		if (!signal)
			judge_row(j, frame, at, rule);
		free(frame);
	}
}

static unsigned judge_object(const char *path, unsigned kinds[CFI_KINDS])
{
	struct cfi_memory memory = {.max = MEMORY};
	struct judged j = {.rows = 0};
	struct err err = {0};
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t nr = 0;
	Elf *elf;

	assert_true(fd >= 0);
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	j.theirs = dwarf_getcfi_elf(elf);
	assert_non_null(j.theirs);
	j.c = cfi_of_fd(fd, path, &memory, &err);
	if (!j.c)
		fail_msg("%s: %s", path, err.text);
	j.a = cfi_arch(j.c);
	assert_int_equal(elf_getphdrnum(elf, &nr), 0);
	for (size_t i = 0; i < nr; i++) {
		Elf64_Phdr p = elf64_getphdr(elf)[i];

		if (p.p_type == PT_LOAD && p.p_flags & PF_X)
			judge_code(&j, p.p_vaddr, p.p_vaddr + p.p_filesz);
	}
	memcpy(kinds, j.kinds, sizeof(j.kinds));
	dwarf_cfi_end(j.theirs);
	elf_end(elf);
	cfi_free(j.c);
	close(fd);
	return j.rows;
}

static void test_named_objects(void **state)
{
	const char *names = getenv("RINGTOP_OBJECTS");
	char path[512];
	unsigned kinds[CFI_KINDS];
	int n;

	(void)state;
	if (!names)
		SKIP("RINGTOP_OBJECTS names no objects");
	for (; sscanf(names, " %511s%n", path, &n) == 1; names += n) {
		unsigned rows = judge_object(path, kinds);

		printf("%s: %u rows, %u by link register, %u pairs, %u saved, %u slow\n", path,
		       rows, kinds[CFI_LINK], kinds[CFI_PAIR], kinds[CFI_SAVED], kinds[CFI_SLOW]);
		assert_true(kinds[CFI_PAIR] && kinds[CFI_LINK]);
	}
}

/* --- stacks by hand -------------------------------------------------------------------------- */

#define TEXT  0x10000u /* address of the object's code; functions are 64 bytes long */
#define BIAS  0x7f0000000000ull
#define SP    0x7ffc00000000ull
#define WORDS 256u

enum function { LEAF, PAIR, SAVED, BY_FP, TRAMPOLINE, START, BARE, RETURN };

/* Code of a function, behind its first instructions. */
#define IN(function) (BIAS + TEXT + 64 * (function) + 32)
#define SIGNED       (0x12ull << 48)

/* An object of another processor: entries by an assembler of any, and no instructions. */
static int make_object(const char *name, const struct cfi_arch *a)
{
	char path[64];
	FILE *f;

	if (!run("cat >%s.s <<'EOF'\n"
		".macro begin\n.cfi_startproc simple\n.cfi_return_column %u\n"
		".cfi_escape 0x0c, %u, 0\n.skip 8\n.endm\n"
		".macro end\n.balign 64\n.cfi_endproc\n.endm\n"
		".text\n.balign 64\n"
		"begin\n end\n"
		"begin\n .cfi_escape 0x0e, 32, 0x80 + %u, 2, 0x80 + %u, 1\n .skip 4\n end\n"
		"begin\n .cfi_escape 0x0e, 48, 0x80 + %u, 5\n .skip 4\n end\n"
		"begin\n .cfi_escape 0x0c, %u, 16, 0x80 + %u, 2, 0x80 + %u, 1\n .skip 4\n end\n"
		"begin\n .cfi_signal_frame\n end\n"
		"begin\n .cfi_undefined %u\n end\n"
		".skip 100\n.long %#x, %#x\nEOF\n"
		"cc -shared -nostdlib -Wl,-Ttext=%#x -o %s %s.s",
		name, a->dwarf.ra, a->dwarf.sp, a->dwarf.fp, a->dwarf.ra, a->dwarf.ra, a->dwarf.fp,
		a->dwarf.fp, a->dwarf.ra, a->dwarf.ra, a->trampoline[0], a->trampoline[1], TEXT,
		name, name))
		return -1;
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "r+");
	if (!f || fseek(f, offsetof(Elf64_Ehdr, e_machine), SEEK_SET))
		return -1;
	return fwrite(&a->machine, 2, 1, f) == 1 && !fclose(f) ? 0 : -1;
}

struct stack {
	const struct cfi_arch *a;
	uint64_t word[WORDS], regs[4];
	size_t size;
	struct unwind_map map;
	uint64_t ips[32];
	struct unwind_path path;
};

static bool find_only_map(void *arg, uint64_t addr, struct unwind_map *map)
{
	struct stack *s = arg;

	*map = s->map;
	return addr >= map->start && addr < map->end;
}

/* Set a register of the leaf, by its number for perf. */
static void set_register(struct stack *s, unsigned reg, uint64_t value)
{
	unsigned at = 0;

	at += s->a->perf.sp < reg;
	at += s->a->perf.fp < reg;
	at += s->a->perf.ip < reg;
	at += s->a->perf.link < reg;
	s->regs[at] = value;
}

static enum unwind_end unwind_stack(struct stack *s)
{
	const struct cfi_arch *a = s->a;
	struct unwind_sample sample = {
		.arch = a, .regs = s->regs, .stack = (const uint8_t *)s->word, .size = s->size,
		.mask = 1ull << a->perf.sp | 1ull << a->perf.fp | 1ull << a->perf.ip |
			1ull << a->perf.link,
	};
	struct unwind_space space = {.find = find_only_map, .arg = s};
	struct unwinder *u = unwind_create();
	enum unwind_end end;

	assert_non_null(u);
	s->path = (struct unwind_path){.ips = s->ips, .max = 32};
	end = unwind_run(u, &sample, &space, &s->path);
	unwind_free(u);
	return end;
}

static void expect_path(const struct stack *s, const uint64_t *want, uint32_t nr)
{
	for (uint32_t i = 0; i < nr && i < s->path.nr; i++)
		assert_int_equal(s->ips[i], want[i]);
	if (s->path.nr != nr)
		fail_msg("%s: %u frames, not %u", s->a->name, s->path.nr, nr);
}

#define EXPECT_PATH(s, ...) \
	expect_path(s, (const uint64_t[]){__VA_ARGS__}, \
		    sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

static void put_word(struct stack *s, uint64_t at, uint64_t value)
{
	assert_true(at % 8 == 0 && at - SP < sizeof(s->word));
	s->word[(at - SP) / 8] = value;
}

/*
 * A signal's handler: its leaf has its caller in the link register, and so has the leaf that the
 * signal interrupted.
 */
static void check_signal(struct stack *s, uint64_t sign)
{
	const uint64_t record = SP + 96, frame = record + 16, before = SP + 800;
	const uint64_t path[] = {IN(LEAF), IN(PAIR), IN(SAVED), IN(BY_FP), IN(TRAMPOLINE),
				 IN(LEAF), IN(PAIR), IN(START)};

	set_register(s, s->a->perf.ip, IN(LEAF));
	set_register(s, s->a->perf.sp, SP);
	set_register(s, s->a->perf.fp, SP);
	set_register(s, s->a->perf.link, IN(PAIR) | sign);
	put_word(s, SP + 16, record); /* of the pair */
	put_word(s, SP + 24, IN(SAVED) | sign);
	put_word(s, SP + 32 + 8, IN(BY_FP) | sign);
	put_word(s, record + 8, IN(TRAMPOLINE));
	put_word(s, frame + s->a->signal.ip, IN(LEAF));
	put_word(s, frame + s->a->signal.sp, before);
	put_word(s, frame + s->a->signal.link, IN(PAIR) | sign);
	put_word(s, before + 24, IN(START) | sign);
	s->size = sizeof(s->word);
	assert_int_equal(unwind_stack(s), UNWIND_END);
	expect_path(s, path, 8);
	assert_int_equal(s->path.guessed, 0);
	assert_int_equal(s->path.ninterrupted, 1);
	assert_int_equal(s->path.interrupted[0], 5);
	s->size = 48; /* up to the return address of SAVED */
	assert_int_equal(unwind_stack(s), UNWIND_TRUNCATED);
	expect_path(s, path, 4);
}

/* A trampoline without an entry, known by its instructions. */
static void check_bare_trampoline(struct stack *s)
{
	const uint64_t first = TEXT + 64 * RETURN + 36;

	assert_int_equal(cfi_find(s->map.cfi, first - 5).kind, CFI_UNCOVERED);
	assert_int_equal(cfi_find(s->map.cfi, first - 1).kind, CFI_SIGNAL);
	assert_int_equal(cfi_find(s->map.cfi, first + 4).kind, CFI_SIGNAL);
	assert_int_equal(cfi_find(s->map.cfi, first + 8).kind, CFI_UNCOVERED);
	set_register(s, s->a->perf.ip, BIAS + first + 4);
	set_register(s, s->a->perf.sp, SP);
	put_word(s, SP + s->a->signal.ip, IN(START));
	s->size = sizeof(s->word);
	assert_int_equal(unwind_stack(s), UNWIND_END);
	EXPECT_PATH(s, BIAS + first + 4, IN(START));
	assert_int_equal(s->path.ninterrupted, 1);
}

/* Code without entries, whose caller has some. */
static void check_guessed(struct stack *s, uint64_t sign)
{
	const uint64_t record = SP + 64, above = SP + 160;

	set_register(s, s->a->perf.ip, IN(BARE));
	set_register(s, s->a->perf.sp, SP);
	set_register(s, s->a->perf.fp, record - (uint64_t)(int64_t)s->a->up);
	put_word(s, record, above);
	put_word(s, record + 8, IN(PAIR) | sign);
	/* Frame of PAIR: at the record, where its frame pointer leads, or above the other. */
	put_word(s, (s->a->record_ends_frame ? record + 16 + 24 : above + 8), IN(START) | sign);
	s->size = sizeof(s->word);
	assert_int_equal(unwind_stack(s), UNWIND_END);
	EXPECT_PATH(s, IN(BARE), IN(PAIR), IN(START));
	assert_int_equal(s->path.guessed, 1);
}

/* A return address below the stack's pointer, or in no code, and a lost link register. */
static void check_bad(struct stack *s)
{
	set_register(s, s->a->perf.ip, IN(LEAF));
	set_register(s, s->a->perf.sp, SP);
	set_register(s, s->a->perf.fp, SP - 64);
	set_register(s, s->a->perf.link, IN(BY_FP));
	s->size = sizeof(s->word);
	assert_int_equal(unwind_stack(s), UNWIND_BAD);
	EXPECT_PATH(s, IN(LEAF), IN(BY_FP));
	set_register(s, s->a->perf.link, 0x1234);
	assert_int_equal(unwind_stack(s), UNWIND_BAD);
	EXPECT_PATH(s, IN(LEAF));
	set_register(s, s->a->perf.ip, IN(PAIR));
	put_word(s, SP + 24, IN(LEAF));
	assert_int_equal(unwind_stack(s), UNWIND_BAD);
	EXPECT_PATH(s, IN(PAIR), IN(LEAF));
}

static void check_stacks(uint16_t machine, uint64_t sign)
{
	const struct cfi_arch *a = cfi_arch_of(machine);
	struct cfi_memory memory = {.max = MEMORY};
	struct stack s = {.a = a};
	unsigned kinds[CFI_KINDS];
	struct err err = {0};
	char path[64];
	int fd;

	if (make_object(a->name, a))
		SKIP("no assembler that knows all directives");
	snprintf(path, sizeof(path), "%s/%s", dir, a->name);
	assert_true(judge_object(path, kinds) >= 7);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	s.map.cfi = cfi_of_fd(fd, path, &memory, &err);
	assert_non_null(s.map.cfi);
	s.map.start = BIAS + TEXT;
	s.map.end = s.map.start + 4096;
	for (uint64_t vaddr = 0; vaddr != TEXT && s.map.pgoff < 1u << 20;)
		cfi_vaddr(s.map.cfi, s.map.pgoff += 4096, &vaddr);
	check_signal(&s, sign);
	memset(s.word, 0, sizeof(s.word));
	check_guessed(&s, sign);
	check_bad(&s);
	check_bare_trampoline(&s);
	/* Its code in a process of another processor has no rules. */
	s.a = cfi_arch_of(machine == EM_RISCV ? EM_AARCH64 : EM_RISCV);
	assert_int_not_equal(unwind_stack(&s), UNWIND_END);
	assert_int_equal(s.path.nr, 1);
	cfi_free(s.map.cfi);
	close(fd);
}

static void test_stacks(void **state)
{
	(void)state;
	check_stacks(EM_AARCH64, SIGNED);
	check_stacks(EM_RISCV, 0);
}

/* --- chains that follow frame pointers -------------------------------------------------------- */

/* Rules of functions by their number: calls nothing, keeps a frame pointer, keeps none, ends. */
static enum proof_found find_rule(void *arg, uint64_t addr, struct cfi_rule *rule)
{
	static const struct cfi_rule rules[] = {
		[LEAF] = {.kind = CFI_LINK, .base = CFI_RSP},
		[PAIR] = {.kind = CFI_PAIR, .base = CFI_RSP, .cfa_off = 32,
			  .rbp = CFI_RBP_AT_CFA, .rbp_off = -4},
		[SAVED] = {.kind = CFI_SAVED, .base = CFI_RSP, .cfa_off = 48, .rbp_off = -5},
		[BY_FP] = {.kind = CFI_PAIR, .base = CFI_RBP, .cfa_off = 64,
			   .rbp = CFI_RBP_AT_CFA, .rbp_off = -8},
		[TRAMPOLINE] = {.kind = CFI_SIGNAL, .base = CFI_RSP, .signal = 1},
		[START] = {.kind = CFI_OUTERMOST},
		[BARE] = {.kind = CFI_UNCOVERED},
	};
	uint64_t n = (addr - BIAS - TEXT) / 64;

	(void)arg;
	if (n > BARE)
		return PROOF_NOTHING;
	*rule = rules[n];
	return PROOF_RULE;
}

struct proved_case {
	const char *what;
	uint64_t ip, link, fp;
	uint64_t word[8]; /* the stack */
	uint64_t chain[4];
	enum proof_end end;
	uint64_t callers[3];
	size_t rest;
};

static void check_proof(const struct proved_case *c)
{
	const struct proof_rules rules = {find_rule, NULL};
	struct proof_sample in = {
		.arch = cfi_arch_of(EM_AARCH64), .ip = c->ip, .sp = SP, .bp = c->fp,
		.link = c->link, .stack = (const uint8_t *)c->word, .size = sizeof(c->word),
		.chain = c->chain,
	};
	struct proof p;
	unsigned nr = 0;

	while (in.nr < 4 && c->chain[in.nr])
		in.nr++;
	while (nr < 3 && c->callers[nr])
		nr++;
	proof_run(&in, &rules, &p);
	if (p.end != c->end || p.nr != nr || p.rest != c->rest ||
	    memcmp(p.callers, c->callers, nr * sizeof(*p.callers)) != 0)
		fail_msg("%s: end %d, %u callers, from %zu on", c->what, (int)p.end, p.nr, p.rest);
}

static void test_chains(void **state)
{
	static const struct proved_case cases[] = {
		{.what = "a leaf", .ip = IN(LEAF), .link = SIGNED | IN(PAIR), .fp = SP,
		 .chain = {IN(LEAF), IN(BY_FP)},
		 .end = PROOF_STANDS, .callers = {IN(PAIR)}, .rest = 1},
		{.what = "a frame that stands", .ip = IN(PAIR), .link = IN(LEAF), .fp = SP,
		 .chain = {IN(PAIR), IN(BY_FP)}, .end = PROOF_STANDS, .rest = 1},
		{.what = "a frame by its pointer", .ip = IN(BY_FP), .link = IN(LEAF),
		 .fp = SP + 400, .chain = {IN(BY_FP), IN(PAIR)}, .end = PROOF_STANDS, .rest = 1},
		{.what = "before the frame pointer is set", .ip = IN(PAIR), .fp = SP + 400,
		 .word = {SP + 400, SIGNED | IN(BY_FP)}, .chain = {IN(PAIR), IN(START)},
		 .end = PROOF_STANDS, .callers = {IN(BY_FP)}, .rest = 1},
		{.what = "no frame pointer between two", .ip = IN(LEAF), .link = IN(SAVED),
		 .fp = SP + 48, .word = {0, IN(PAIR)}, .chain = {IN(LEAF), IN(BY_FP)},
		 .end = PROOF_STANDS, .callers = {IN(SAVED), IN(PAIR)}, .rest = 1},
		{.what = "the outermost", .ip = IN(START), .chain = {IN(START)},
		 .end = PROOF_STANDS, .rest = 1},
		{.what = "code without rules", .ip = IN(BARE), .link = IN(PAIR), .fp = SP + 400,
		 .chain = {IN(BARE), IN(BY_FP)}, .end = PROOF_OPEN, .rest = 1},
		{.what = "a trampoline", .ip = IN(TRAMPOLINE), .fp = SP + 400,
		 .chain = {IN(TRAMPOLINE), IN(BY_FP)}, .end = PROOF_OPEN, .rest = 1},
		{.what = "a lost link register", .ip = IN(LEAF), .link = IN(LEAF), .fp = SP + 400,
		 .chain = {IN(LEAF), IN(BY_FP)}, .end = PROOF_OPEN, .callers = {IN(LEAF)},
		 .rest = 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		check_proof(&cases[i]);
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
		cmocka_unit_test(test_aarch64), cmocka_unit_test(test_riscv64),
		cmocka_unit_test(test_register_alone), cmocka_unit_test(test_trampoline),
		cmocka_unit_test(test_unknown_instruction),
		cmocka_unit_test(test_named_objects), cmocka_unit_test(test_stacks),
		cmocka_unit_test(test_chains),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
