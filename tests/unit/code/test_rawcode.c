/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code that goes undecoded to who can decode it becomes what it would have been. */
#include "names/code/rawcode.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "names/code/disasm.h"
#include "files/elf/elffile.h"
#include "tests/sandboxed.h"
#include "tests/skip.h"

static struct code *create(uint64_t asked, uint64_t addr, uint64_t size)
{
	struct code_place place = {.object = (char *)"object", .addr = asked};
	struct code *c = code_create(&place);

	assert_non_null(c);
	c->addr = c->from = addr;
	c->size = size;
	c->to = addr + size;
	return c;
}

static uint32_t text(struct code *c, const char *s)
{
	return code_add_text(c, s, strlen(s));
}

/* Our own code, a page of it. */
static uint8_t *own_text(uint64_t *addr, size_t *len)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	const Elf64_Shdr *section;
	struct elffile f;
	uint8_t *bytes;

	assert_int_equal(elffile_open(&f, fd, NULL), 0);
	section = elffile_section(&f, ".text", 0);
	assert_non_null(section);
	*addr = section->sh_addr;
	*len = section->sh_size < CODE_PAGE_BYTES ? section->sh_size : CODE_PAGE_BYTES;
	bytes = malloc(*len);
	assert_non_null(bytes);
	assert_int_equal(elffile_read_vaddr(&f, *addr, bytes, *len), 0);
	elffile_close(&f);
	close(fd);
	return bytes;
}

static bool has_target(const struct code *c, uint64_t target)
{
	for (size_t i = 0; i < c->ninsns; i++)
		if (c->insns[i].target == target)
			return true;
	return false;
}

/* Whatever a disassembler says code branches to is among the guesses, and few other things in the object are. */
static void expect_guessed(uint16_t machine, const uint8_t *bytes, size_t len, uint64_t addr, size_t least)
{
	struct code *c = create(addr, addr, len), *raw = create(addr, addr, len);
	struct disasm d = {.machine = machine, .bytes = bytes, .len = len, .addr = addr, .from = addr, .to = addr + len};
	struct err err = {.code = 0};
	size_t found = 0;

	if (disasm_run(&d, c, &err) == -EOPNOTSUPP)
		SKIP("%s", err.text);
	raw->size = c->size = 1; /* all of it lies outside */
	assert_int_equal(rawcode_keep(raw, machine, bytes, len), 0);
	assert_int_equal(rawcode_targets(raw), 0);
	for (size_t i = 0; i < c->ninsns; i++) {
		const struct code_insn *in = &c->insns[i];

		if (!in->target || in->target == addr || in->flow == CODE_PLAIN)
			continue;
		found++;
		if (!has_target(raw, in->target))
			fail_msg("%s at %llx is not guessed", code_text(c, in->text), (unsigned long long)in->addr);
	}
	assert_true(found >= least);
	for (size_t i = 1; i < raw->ninsns; i++)
		assert_true(raw->insns[i].addr > raw->insns[i - 1].addr);
	code_free(c);
	code_free(raw);
}

static void test_guesses(void **state)
{
	/* b . ; bl .+0x1000; b.eq .-8; cbz x1, .+32; tbnz w2, #3, .-64; adr x0, .+5; adrp x1, .+0x3000; ret; nop */
	static const uint32_t arm[] = {0x14000000, 0x94000400, 0x54ffffc0, 0xb4000101, 0x371ffe02, 0x30000020, 0xf0000001,
				       0xd65f03c0, 0xd503201f};
	uint64_t addr;
	size_t len;
	uint8_t *own = own_text(&addr, &len);

	(void)state;
	expect_guessed(EM_AARCH64, (const uint8_t *)arm, sizeof(arm), 0x40000, 3);
	expect_guessed(disasm_machine(), own, len > 16384 ? 16384 : len, addr, 100);
	free(own);
}

/* Of adr and adrp. */
static void test_arm_addresses(void **state)
{
	static const uint32_t arm[] = {0x30000020, 0xf0000001, 0xb0ffffe2};
	struct code *c = create(0x41000, 0x41000, sizeof(arm));

	(void)state;
	assert_int_equal(rawcode_keep(c, EM_AARCH64, (const uint8_t *)arm, sizeof(arm)), 0);
	assert_int_equal(rawcode_targets(c), 0);
	assert_int_equal(c->ninsns, 3);
	assert_int_equal(c->insns[0].target, 0x41005);
	assert_int_equal(c->insns[1].target, 0x44000);
	assert_int_equal(c->insns[2].target, 0x3e000);
	assert_int_equal(c->insns[2].flow, CODE_PLAIN);
	code_free(c);
}

/* push; call 1016; je 1008; call rax; ret: a function of 11 bytes. */
static const uint8_t some[] = {0x55, 0xe8, 0x10, 0x00, 0x00, 0x00, 0x74, 0x00, 0xff, 0xd0, 0xc3};

static struct code *raw_some(void)
{
	struct code *c = create(0x1001, 0x1000, sizeof(some));
	const struct lines_row rows[] = {{.addr = 0xfff}, {.addr = 0x1001}, {.addr = 0x1008}, {.addr = 0x1008}};

	assert_int_equal(rawcode_keep(c, EM_X86_64, some, sizeof(some)), 0);
	assert_int_equal(rawcode_targets(c), 0);
	assert_int_equal(c->ninsns, 1);
	assert_int_equal(rawcode_rows(c, rows, 4), 0);
	assert_int_equal(c->ninsns, 3); /* a row's and a target's are one */
	assert_int_equal(c->insns[0].addr, 0x1000);
	assert_int_equal(c->insns[1].target, 0x1016);
	for (size_t i = 0; i < c->ninsns; i++)
		c->insns[i].line = (uint32_t)(10 + i);
	c->insns[2].file = text(c, "file.c");
	c->why = strdup("no disassembler");
	return c;
}

static void name_all(struct code *c)
{
	for (size_t i = 0; i < c->ninsns; i++) {
		if (c->insns[i].target)
			c->insns[i].target_name = text(c, "callee");
		c->insns[i].target_off = 6;
	}
}

static void test_decoded(void **state)
{
	struct code *c = raw_some();

	(void)state;
	name_all(c);
	rawcode_drop(c);
	assert_int_equal(c->ninsns, 3);
	if (rawcode_decode(c) == -EOPNOTSUPP)
		SKIP("%s", c->why);
	assert_null(c->why);
	assert_null(c->bytes);
	assert_int_equal(c->nbytes, 0);
	assert_int_equal(c->ninsns, 5);
	assert_string_equal(code_text(c, c->insns[0].text), "pushq\t%rbp");
	assert_int_equal(c->insns[0].line, 10);
	assert_int_equal(c->insns[1].line, 11);
	assert_string_equal(code_text(c, c->insns[1].target_name), "callee");
	assert_int_equal(c->insns[1].target_off, 6);
	assert_int_equal(c->insns[1].flow, CODE_CALL);
	assert_int_equal(c->insns[2].line, 11); /* as the instruction above: no row begins there */
	assert_int_equal(c->insns[2].target, 0x1008);
	assert_int_equal(c->insns[2].target_name, 0);
	assert_int_equal(c->insns[3].line, 12);
	assert_string_equal(code_text(c, c->insns[3].file), "file.c");
	assert_int_equal(rawcode_decode(c), 0); /* nothing more to do */
	assert_int_equal(c->ninsns, 5);
	code_free(c);
}

/* What has no name and says nothing new need not travel. */
static void test_dropped(void **state)
{
	struct code *c = raw_some();

	(void)state;
	c->insns[1].line = 10;
	rawcode_drop(c);
	assert_int_equal(c->ninsns, 2);
	assert_int_equal(c->insns[0].line, 10);
	assert_int_equal(c->insns[1].line, 12);
	c->nbytes = 0; /* decoded: nothing is a hint */
	c->insns[1] = c->insns[0];
	rawcode_drop(c);
	assert_int_equal(c->ninsns, 2);
	code_free(c);
}

/* A later page begins where it was asked for. */
static void test_later_page(void **state)
{
	struct code *c = create(0x1000 + CODE_PAGE_BYTES + 8, 0x1000, 3 * CODE_PAGE_BYTES);
	uint8_t bytes[64] = {[60] = 0xe8}; /* add %al,(%rax) and more, the last one cut */

	(void)state;
	c->from = 0x1000 + CODE_PAGE_BYTES;
	c->to = c->from + CODE_PAGE_BYTES;
	assert_int_equal(rawcode_cut(c), CODE_PAGE_BYTES + 8);
	assert_int_equal(c->from, c->place.addr);
	assert_int_equal(c->addr, 0x1000);
	assert_int_equal(rawcode_keep(c, EM_X86_64, bytes, sizeof(bytes)), 0);
	assert_int_equal(c->to, c->from + sizeof(bytes));
	if (rawcode_decode(c) == -EOPNOTSUPP)
		SKIP("%s", c->why);
	assert_int_equal(c->insns[0].addr, c->place.addr);
	assert_int_equal(c->addr, 0x1000);
	assert_int_equal(c->size, 3 * CODE_PAGE_BYTES);
	assert_int_equal(c->to, c->from + sizeof(bytes));
	code_free(c);
}

/* From a host that lies, and of a machine that nobody here knows. */
static void test_refused(void **state)
{
	struct code *c = raw_some();

	(void)state;
	c->place.addr = 0x999;
	assert_int_equal(rawcode_decode(c), -EPROTO);
	assert_true(c->why && !c->bytes && !c->ninsns);
	code_free(c);

	c = raw_some();
	c->from--;
	assert_int_equal(rawcode_decode(c), -EPROTO);
	code_free(c);

	c = raw_some();
	c->machine = EM_SPARC;
	assert_int_equal(rawcode_decode(c), -EOPNOTSUPP);
	assert_true(c->why && !c->bytes && !c->ninsns);
	code_free(c);

	c = raw_some();
	c->size = UINT64_MAX; /* it ends before it begins: what is there is decoded, or refused */
	assert_true(rawcode_decode(c) <= 0);
	assert_null(c->bytes);
	code_free(c);
}

static int setup(void **state)
{
	rawcode_want();
	return sandboxed_setup(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_guesses),	   cmocka_unit_test(test_arm_addresses),
		cmocka_unit_test(test_decoded),	   cmocka_unit_test(test_dropped),
		cmocka_unit_test(test_later_page), cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, setup, sandboxed_teardown);
}
