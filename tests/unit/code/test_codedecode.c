/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code that a helper decodes: the same as decoded here. */
#include "names/code/codedecode.h"

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

static const char object[] = "/proc/self/exe";

static struct coderead *create(uint64_t asked, uint64_t addr, uint64_t size)
{
	struct code_place place = {.object = (char *)object, .addr = asked};
	struct coderead *r = calloc(1, sizeof(*r));

	assert_non_null(r);
	r->image.fd = r->dump.fd = -1;
	r->code = code_create(&place);
	r->path = strdup(object);
	coderead_set_range(r, addr, size);
	r->bytes = budget_alloc(&r->budget, BUDGET_CODE, r->nbytes);
	assert_true(r->code && r->path && r->bytes);
	return r;
}

static void end(struct coderead *r)
{
	coderead_clear(r);
	free(r);
}

/* Decoded by either. */
static struct coderead *of_file(int fd, uint64_t asked, uint64_t addr, uint64_t size, bool trusted)
{
	struct coderead *r = create(asked, addr, size);
	struct err err = {.code = 0};

	r->image = image_from_fd(fd, r->path, NULL, &r->budget);
	if (codedecode_run(r, trusted, &err) == -EOPNOTSUPP)
		SKIP("%s", err.text);
	if (err.code)
		fail_msg("%s", err.text);
	return r;
}

static struct coderead *of_bytes(uint16_t machine, const void *bytes, size_t len, bool trusted, struct err *err)
{
	struct coderead *r = create(0x1000, 0x1000, len);

	r->machine = machine;
	memcpy(r->bytes, bytes, len);
	if (codedecode_run(r, trusted, err) == -EOPNOTSUPP && machine == EM_X86_64)
		SKIP("%s", err->text);
	return r;
}

static void expect_same(struct coderead *here, struct coderead *there)
{
	const struct code *a = here->code, *b = there->code;

	assert_int_equal(a->addr, b->addr);
	assert_int_equal(a->size, b->size);
	assert_int_equal(a->from, b->from);
	assert_int_equal(a->to, b->to);
	assert_int_equal(a->ninsns, b->ninsns);
	for (size_t i = 0; i < a->ninsns; i++) {
		const struct code_insn *one = &a->insns[i], *two = &b->insns[i];

		assert_true(one->addr == two->addr && one->target == two->target && one->len == two->len &&
			    one->flow == two->flow);
		assert_string_equal(code_text(a, one->text), code_text(b, two->text));
	}
	end(here);
	end(there);
}

static void test_file(void **state)
{
	int fd = open(object, O_RDONLY | O_CLOEXEC);
	const Elf64_Shdr *text;
	struct coderead *r;
	struct elffile f;
	uint64_t entry, addr, size;

	(void)state;
	assert_int_equal(elffile_open(&f, fd, NULL), 0);
	text = elffile_section(&f, ".text", 0);
	assert_non_null(text);
	addr = text->sh_addr;
	size = text->sh_size;
	entry = f.ehdr.e_entry;
	elffile_close(&f);
	expect_same(of_file(fd, addr, addr, size, true), of_file(fd, addr, addr, size, false));
	/* Where no symbol says how long it is, its unwind entry does, which the helper looks for. */
	r = of_file(fd, entry, entry, 0, false);
	assert_true(r->code->size && r->code->ninsns > 3);
	expect_same(of_file(fd, entry, entry, 0, true), r);
	close(fd);
}

static const uint8_t bytes[] = {
	0x55, 0xe8, 0x10, 0x00, 0x00, 0x00, 0x74, 0x02, 0xff, 0xe0, 0x06, 0xc3, /* 06: no instruction */
};

static void test_bytes(void **state)
{
	struct err err = {.code = 0};
	struct coderead *r = of_bytes(EM_X86_64, bytes, sizeof(bytes), false, &err);

	(void)state;
	assert_int_equal(err.code, 0);
	assert_int_equal(r->code->ninsns, 6);
	assert_int_equal(r->code->insns[1].flow, CODE_CALL);
	assert_int_equal(r->code->insns[1].target, 0x1016);
	expect_same(of_bytes(EM_X86_64, bytes, sizeof(bytes), true, &err), r);
}

/* What goes wrong there is said here in the same words. */
static void test_refused(void **state)
{
	struct err here = {.code = 0}, there = {.code = 0};

	(void)state;
	end(of_bytes(EM_SPARC, bytes, sizeof(bytes), true, &here));
	end(of_bytes(EM_SPARC, bytes, sizeof(bytes), false, &there));
	assert_int_equal(there.code, EOPNOTSUPP);
	assert_string_equal(here.text, there.text);
	assert_string_equal(here.advice, there.advice);
}

static void test_no_elf(void **state)
{
	struct coderead *r = create(0x1000, 0x1000, 16);
	int fd = open("/etc/passwd", O_RDONLY | O_CLOEXEC);
	struct err err = {.code = 0};

	(void)state;
	r->image = image_from_fd(fd, r->path, NULL, &r->budget);
	assert_true(codedecode_run(r, false, &err) < 0);
	assert_non_null(strstr(err.text, object));
	assert_int_equal(r->code->ninsns, 0);
	end(r);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_file),
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_no_elf),
	};

	return cmocka_run_group_tests(tests, sandboxed_setup, sandboxed_teardown);
}
