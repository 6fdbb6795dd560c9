/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Our own code, as objdump reads it: the same instructions at the same addresses. */
#include "names/code/disasm.h"

#include <ctype.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "files/elf/elffile.h"
#include "tests/skip.h"

static struct code *code_of(uint16_t machine, const void *bytes, size_t len, uint64_t addr,
			    uint64_t from)
{
	struct code_place place = {.object = (char *)"test"};
	struct code *c = code_create(&place);
	struct disasm d = {.machine = machine, .bytes = bytes, .len = len, .addr = addr,
			   .from = from, .to = addr + len};
	struct err err;
	int ret;

	assert_non_null(c);
	ret = disasm_run(&d, c, &err);
#ifndef HAVE_CAPSTONE
	assert_int_equal(ret, -EOPNOTSUPP);
	assert_non_null(strstr(err.advice, "libcapstone"));
	code_free(c);
	SKIP("built without capstone");
#endif
	assert_int_equal(ret, 0);
	return c;
}

static const char *text_at(const struct code *c, size_t i)
{
	assert_true(i < c->ninsns);
	return code_text(c, c->insns[i].text);
}

/* --- by hand ------------------------------------------------------------------------------ */

static void test_flow(void **state)
{
	static const uint8_t bytes[] = {
		0x55,                               /* 0: push %rbp */
		0xe8, 0x10, 0x00, 0x00, 0x00,       /* 1: call 0x1016 */
		0x74, 0x02,                         /* 6: je 0x100a */
		0xff, 0xe0,                         /* 8: jmp *%rax */
		0x48, 0x8d, 0x05, 0x10, 0, 0, 0,    /* a: lea 0x10(%rip),%rax: 0x1021 */
		0xff, 0x15, 0x20, 0x00, 0x00, 0x00, /* 11: call *0x20(%rip): 0x1037 */
		0xeb, 0xe7,                         /* 17: jmp 0x1000 */
		0xc3,                               /* 19: ret */
		0xf0, 0x0f, 0xc1, 0x03,             /* 1a: lock xadd %eax,(%rbx) */
		0x06,                               /* 1e: not in 64-bit code */
		0x90,
	};
	static const struct {
		uint8_t offset, flow;
		uint64_t target;
		const char *text;
	} want[] = {
		{0, CODE_PLAIN, 0, "pushq\t%rbp"}, {1, CODE_CALL, 0x1016, "callq\t"},
		{6, CODE_JUMP, 0x100a, "je\t"}, {8, CODE_JUMP, 0, "jmpq\t*%rax"},
		{0xa, CODE_PLAIN, 0x1021, "leaq\t0x10(%rip), %rax"},
		{0x11, CODE_CALL, 0x1037, "callq\t*0x20(%rip)"}, {0x17, CODE_JUMP, 0x1000, "jmp\t"},
		{0x19, CODE_RETURN, 0, "retq\t"}, {0x1a, CODE_PLAIN, 0, "lock xaddl\t%eax, (%rbx)"},
		{0x1e, CODE_PLAIN, 0, ".byte\t0x06"}, {0x1f, CODE_PLAIN, 0, "nop\t"},
	};
	struct code *c = code_of(EM_X86_64, bytes, sizeof(bytes), 0x1000, 0x1000);

	(void)state;
	assert_int_equal(c->ninsns, sizeof(want) / sizeof(want[0]));
	for (size_t i = 0; i < c->ninsns; i++) {
		assert_int_equal(c->insns[i].addr, 0x1000 + want[i].offset);
		assert_int_equal(c->insns[i].flow, want[i].flow);
		assert_int_equal(c->insns[i].target, want[i].target);
		assert_string_equal(text_at(c, i), want[i].text);
	}
	code_free(c);
}

static void test_machines(void **state)
{
	static const uint8_t arm[] = {
		0x08, 0x00, 0x00, 0x94, /* bl +0x20 */
		0x60, 0x00, 0x00, 0xb4, /* cbz x0, +0xc */
		0x00, 0x02, 0x1f, 0xd6, /* br x16 */
		0xc0, 0x03, 0x5f, 0xd6, /* ret */
		0xff, 0xff, 0xff, 0xff, /* nothing */
		0x20, 0x00,             /* a piece */
	};
	static const uint8_t i386[] = {0x06, 0x40, 0xe8, 0, 0, 0, 0}; /* push %es, inc %eax, call */
	struct code *c = code_of(EM_AARCH64, arm, sizeof(arm), 0x4000, 0x4000);

	(void)state;
	assert_int_equal(c->ninsns, 6);
	assert_int_equal(c->insns[0].flow, CODE_CALL);
	assert_int_equal(c->insns[0].target, 0x4020);
	assert_int_equal(c->insns[1].flow, CODE_JUMP);
	assert_int_equal(c->insns[1].target, 0x4010);
	assert_string_equal(text_at(c, 1), "cbz\tx0,");
	assert_int_equal(c->insns[2].flow, CODE_JUMP);
	assert_int_equal(c->insns[2].target, 0);
	assert_int_equal(c->insns[3].flow, CODE_RETURN);
	assert_string_equal(text_at(c, 4), ".byte\t0xff, 0xff, 0xff, 0xff");
	assert_int_equal(c->insns[5].len, 2);
	code_free(c);
	c = code_of(EM_386, i386, sizeof(i386), 0, 0);
	assert_int_equal(c->ninsns, 3);
	assert_string_equal(text_at(c, 1), "incl\t%eax");
	assert_int_equal(c->insns[2].target, 7);
	code_free(c);
}

static void test_unknown(void **state)
{
	struct code_place place = {.object = (char *)"test"};
	struct code *c = code_create(&place);
	struct disasm d = {.machine = EM_S390, .bytes = (const uint8_t *)"", .len = 1, .to = 1};
	struct err err;

	(void)state;
	assert_int_equal(disasm_run(&d, c, &err), -EOPNOTSUPP);
	assert_true(err.text[0]);
	assert_int_equal(c->ninsns, 0);
	code_free(c);
}

/* A function that is all prefixes takes as long as another of its size: seconds, each read to the end, or hours. */
static void test_prefixes(void **state)
{
	static const uint8_t prefix[] = {0x66, 0xf0, 0x2e, 0xf2};
	const size_t len = 256u << 10;
	uint8_t *bytes = malloc(len);

	(void)state;
	for (size_t i = 0; i < sizeof(prefix); i++) {
		clock_t begin = clock();
		struct code *c;

		memset(bytes, prefix[i], len);
		c = code_of(EM_X86_64, bytes, len, 0x1000, 0x1000 + len - 64);
		assert_in_range(c->ninsns, 1, 64);
		code_free(c);
		assert_in_range(clock() - begin, 0, 3 * CLOCKS_PER_SEC); /* of our own CPU time */
	}
	free(bytes);
}

/* A page that begins inside the range has the instructions from there on, and no others. */
static void test_page(void **state)
{
	uint8_t bytes[300];
	struct code *c;

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i += 3)
		memcpy(bytes + i, "\x48\x89\xc3", 3); /* mov %rax,%rbx */
	c = code_of(EM_X86_64, bytes, sizeof(bytes), 0x1000, 0x1064);
	assert_int_equal(c->insns[0].addr, 0x1066);
	assert_int_equal(c->ninsns, 66);
	code_free(c);
}

static const char *object = "/proc/self/exe"; /* or the first argument */

/* --- against objdump ---------------------------------------------------------------------- */

struct line {
	uint64_t addr;
	char mnemonic[32];
};

static size_t split(char *text, char *words[8])
{
	size_t nr = 0;

	for (char *save, *w = strtok_r(text, " \t", &save); w && nr < 8;
	     w = strtok_r(NULL, " \t", &save))
		words[nr++] = w;
	return nr;
}

static bool is_prefix(const char *word)
{
	static const char *const prefixes[] = {"lock", "rep", "repz", "repnz", "bnd", "notrack",
					       "data16", "cs", "ds", "es", "fs", "gs", "addr32",
					       "ss", "repne", "repe", "xacquire", "xrelease"};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (!strcmp(word, prefixes[i]))
			return true;
	return !strncmp(word, "rex", 3);
}

/* The instruction's own name, without prefixes: assemblers disagree on which are said. */
static void name_of(char *text, char *out, size_t size)
{
	char *words[8];
	size_t nr = split(text, words), i = 0;

	while (i + 1 < nr && is_prefix(words[i]))
		i++;
	snprintf(out, size, "%s", nr ? words[i] : "");
}

/* AT&T's size letters are left out where operands say the same: objdump does, capstone does not. */
static bool same_name(const char *a, const char *b)
{
	static const char *const pairs[][2] = {{"xchg", "nop"}, {"movq", "movd"}};
	size_t n = strlen(a), m = strlen(b);

	if (!strcmp(a, b))
		return true;
	if (m == n + 1 && !strncmp(a, b, n) && strchr("bwlqst", b[n]))
		return true;
	if (n == m + 1 && !strncmp(a, b, m) && strchr("bwlqst", a[m]))
		return true;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		if (!strcmp(a, pairs[i][0]) && !strcmp(b, pairs[i][1]))
			return true;
	return false;
}

static size_t read_objdump(const char *path, uint64_t from, uint64_t to, struct line **lines)
{
	char command[800], text[1000], *colon;
	size_t nr = 0, cap = 0;
	FILE *f;

	snprintf(command, sizeof(command),
		 "LC_ALL=C objdump -d --no-show-raw-insn -w --start-address=0x%llx "
		 "--stop-address=0x%llx %s 2>/dev/null",
		 (unsigned long long)from, (unsigned long long)to, path);
	f = popen(command, "r");
	assert_non_null(f);
	while (fgets(text, sizeof(text), f)) {
		unsigned long long addr;

		colon = strchr(text, ':');
		if (!colon || colon[1] != '\t' || sscanf(text, " %llx:", &addr) != 1)
			continue;
		if (nr == cap) {
			cap = cap ? 2 * cap : 1024;
			*lines = realloc(*lines, cap * sizeof(**lines));
			assert_non_null(*lines);
		}
		(*lines)[nr].addr = addr;
		colon[strcspn(colon, "#<\n")] = '\0';
		name_of(colon + 1, (*lines)[nr].mnemonic, sizeof((*lines)[nr].mnemonic));
		nr++;
	}
	pclose(f);
	return nr;
}

static void test_objdump(void **state)
{
	struct line *lines = NULL;
	const Elf64_Shdr *text;
	struct elffile f;
	struct code *c;
	char path[512], name[64];
	size_t nr, others = 0;
	uint8_t *bytes;
	ssize_t len = readlink(object, path, sizeof(path) - 1);
	int fd = open(object, O_RDONLY);

	(void)state;
	assert_true(fd >= 0);
	if (len < 0)
		len = snprintf(path, sizeof(path), "%s", object);
	path[len] = '\0';
	assert_int_equal(elffile_open(&f, fd, NULL), 0);
	text = elffile_section(&f, ".text", 0);
	assert_non_null(text);
	bytes = malloc(text->sh_size);
	assert_int_equal(elffile_read_vaddr(&f, text->sh_addr, bytes, text->sh_size), 0);
	nr = read_objdump(path, text->sh_addr, text->sh_addr + text->sh_size, &lines);
	if (!nr) {
		SKIP("objdump is not here");
	}
	c = code_of(f.ehdr.e_machine, bytes, text->sh_size, text->sh_addr, text->sh_addr);
	assert_true(nr > 1000);
	for (size_t i = 0; i < nr; i++) {
		char own[300];

		assert_true(i < c->ninsns);
		if (c->insns[i].addr != lines[i].addr)
			print_message("before: objdump %s, here %s\n", lines[i - 1].mnemonic,
				      text_at(c, i - 1));
		assert_int_equal(c->insns[i].addr, lines[i].addr);
		snprintf(own, sizeof(own), "%s", text_at(c, i));
		name_of(own, name, sizeof(name));
		/* Newer than this capstone: its bytes are shown, and what follows is right. */
		if (same_name(lines[i].mnemonic, name) || (!strcmp(name, ".byte") && c->insns[i].len > 3))
			continue;
		if (others++ < 20)
			print_message("%llx: objdump %s, here %s\n", (unsigned long long)lines[i].addr,
				      lines[i].mnemonic, name);
	}
	assert_int_equal(c->ninsns, nr);
	assert_int_equal(others, 0);
	code_free(c);
	free(lines);
	free(bytes);
	elffile_close(&f);
	close(fd);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_flow),    cmocka_unit_test(test_machines),
		cmocka_unit_test(test_unknown), cmocka_unit_test(test_page),
		cmocka_unit_test(test_objdump), cmocka_unit_test(test_prefixes),
	};

	object = argc > 1 ? argv[1] : object;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
