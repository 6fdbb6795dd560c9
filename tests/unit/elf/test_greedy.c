/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that ask for more memory than they are large: what is kept of them is in proportion to the file, or
 * refused by the budget with a word, and all of it is given back.
 */
#include <errno.h>
#include <fcntl.h>
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

#include "elf/elfsym.h"
#include "elf/lines.h"
#include "jit/perfmap.h"
#include "tests/shell.h"
#include "tests/skip.h"

#define MB (1u << 20)

static char dir[] = "/tmp/ringtop-test-XXXXXX";

#define run(...) shell_run(dir, __VA_ARGS__)

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

/* After each test: nothing is taken any more. */
static int all_given_back(void **state)
{
	struct budget_figures f;

	(void)state;
	budget_set_limit(BUDGET_DEFAULT);
	budget_figures(&f);
	return f.taken ? -1 : 0;
}

static int open_in_dir(const char *name, char path[128], uint64_t *size)
{
	struct stat st;
	int fd;

	snprintf(path, 128, "%s/%s", dir, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	*size = (uint64_t)st.st_size;
	return fd;
}

/* The assembler itself puts names that end alike on one string. */
static void test_overlapping_names(void **state)
{
	struct budget b = {.taken = 0};
	struct symtab_entry e;
	struct elfsym elf;
	struct err err;
	char path[128];
	uint64_t size;
	int fd;

	(void)state;
	/* Names of 1 to 3000 letters, all the ends of the longest. */
	assert_true(run("awk 'BEGIN { print \".text\"; for (i = 1; i <= 3000; i++) { name = name \"n\"\n"
			     "print \".type \" name \",@function\"\n"
			     "print name \": nop\"; print \".size \" name \",1\" } }' >n.s &&"
			     "cc -shared -nostdlib -o n n.s"));
	fd = open_in_dir("n", path, &size);
	assert_in_range(size, 1, 400000); /* else this binutils shares no ends, and the test tests nothing */
	if (elfsym_load(fd, path, NULL, &b, &elf, &err))
		fail_msg("%s", err.text);
	close(fd);
	assert_in_range(symtab_count(elf.symtab), 3000, 3010);
	assert_in_range(symtab_bytes(elf.symtab), 3000, size);
	assert_in_range(b.taken, 3000, 2 * size);
	for (size_t i = 0; i < 3000; i++) {
		symtab_at(elf.symtab, i, &e);
		assert_int_equal(strlen(e.name), i + 1);
		assert_int_equal(strspn(e.name, "n"), i + 1);
	}
	elfsym_clear(&elf);
	assert_int_equal(b.taken, 0);
}

/* A long name is seen in as many pieces as others lie upon it. */
static void test_pieces_of_a_map(void **state)
{
	size_t room = MB, len, bad;
	char *text = malloc(room);
	struct symtab *t = NULL;
	struct symtab_entry e;

	(void)state;
	assert_non_null(text);
	len = (size_t)sprintf(text, "100000 100000 ");
	memset(text + len, 'n', 4000);
	len += 4000;
	for (unsigned i = 0; i < 5000; i++)
		len += (size_t)snprintf(text + len, room - len, "\n%x 8 f", 0x100010 + i * 16);
	assert_int_equal(perfmap_parse(text, len, &t, &bad), 0);
	free(text);
	assert_int_equal(symtab_count(t), 10001);
	assert_in_range(symtab_bytes(t), 1, len + 10001 * 16 + 4096);
	assert_true(symtab_find(t, 0x100018, &e));
	assert_int_equal(strlen(e.name), 4000);
	assert_true(symtab_find(t, 0x100010, &e));
	assert_string_equal(e.name, "f");
	symtab_free(t);
}

/* Sections that unpack to much: refused before they are unpacked, or within what there is. */
static void packed(const char *how)
{
	struct budget b = {.taken = 0};
	struct err err = {.code = 0};
	struct lines *l;
	char path[128];
	uint64_t size;
	int fd;

	if (!run("printf '.section .debug_abbrev\\n.byte 1,17,0,0,0,0\\n.section .debug_info\\n.zero 41943040\\n"
		".text\\n.globl _start\\n_start: nop\\n' >z.s &&"
		"cc -c -Wa,--compress-debug-sections=%s -o z.o z.s && cc -nostdlib -static -o z z.o "
		"-Wl,--compress-debug-sections=%s", how, how))
		SKIP("this binutils cannot compress by %s", how);
	fd = open_in_dir("z", path, &size);
	assert_in_range(size, 1, MB);
	budget_set_limit(64u << 20);
	assert_int_equal(lines_open(fd, path, NULL, &b, &l, &err), -ENOBUFS);
	assert_non_null(strstr(err.text, "would take 40M: more than one object may of --max-memory 64M"));
	assert_int_equal(b.taken, 0);
	budget_set_limit(BUDGET_DEFAULT);
	err.code = 0;
	if (lines_open(fd, path, NULL, &b, &l, &err))
		fail_msg("%s", err.text);
	assert_in_range(b.taken, 40 * MB, 50 * MB);
	lines_close(l);
	assert_int_equal(b.taken, 0);
	close(fd);
}

static void test_packed_zlib(void **state)
{
	(void)state;
	packed("zlib");
}

static void test_packed_zstd(void **state)
{
	(void)state;
	packed("zstd");
}

/* Symbols that are a hole in the file. */
static void test_sparse(void **state)
{
	struct budget b = {.taken = 0};
	struct err err = {.code = 0};
	struct elfsym elf;
	char path[128];
	uint64_t size;
	int fd;

	(void)state;
	assert_true(run("printf '.text\\n.globl f\\nf: nop\\n.section .hole,\"\",@progbits\\n.byte 0\\n' >s.s && "
			     "cc -shared -nostdlib -o s s.s"));
	/* Its section of strings reaches over a hole of 100 MB. */
	fd = open_in_dir("s", path, &size);
	close(fd);
	assert_true(run("at=$(readelf -hW s | sed -n 's/.*Start of section headers: *\\([0-9]*\\).*/\\1/p') &&"
			     "n=$(readelf -SW s | sed -n 's/.*\\[ *\\([0-9]*\\)\\] \\.strtab.*/\\1/p') &&"
			     "truncate -s 200M s && printf '\\0\\0\\100\\006' | dd of=s bs=1 conv=notrunc "
			     "seek=$((at + 64 * n + 32)) 2>/dev/null"));
	fd = open_in_dir("s", path, &size);
	budget_set_limit(64u << 20);
	assert_int_equal(elfsym_load(fd, path, NULL, &b, &elf, &err), -ENOMEM);
	assert_int_equal(budget_say(&b, "its symbols", &err), -ENOBUFS);
	assert_non_null(strstr(err.text, "its symbols would take 100M"));
	assert_int_equal(b.taken, 0);
	close(fd);
}

/* Units of several megabytes each stay, all that are asked for: to read them costs seconds. */
static void test_large_units_stay(void **state)
{
	struct budget b = {.taken = 0};
	struct lines_frame frames[LINES_DEPTH_MAX];
	struct err err = {.code = 0};
	struct symtab_entry first, second;
	struct elfsym elf;
	struct lines *l;
	char path[128];
	uint64_t size, one, both;
	int fd;

	(void)state;
	assert_true(run("for u in a b; do awk -v u=$u 'BEGIN { print \".text\\n.globl fun_\" u \"\\n.type fun_\" "
			     "u \",@function\\nfun_\" u \":\"; for (i = 1; i <= 300000; i++) print \"nop\"\n"
			     "print \".size fun_\" u \", . - fun_\" u }' >$u.s && cc -c -g -o $u.o $u.s; done && "
			     "cc -shared -nostdlib -o ab a.o b.o"));
	fd = open_in_dir("ab", path, &size);
	if (elfsym_load(fd, path, NULL, NULL, &elf, &err) ||
	    lines_open(fd, path, NULL, &b, &l, &err))
		fail_msg("%s", err.text);
	symtab_at(elf.symtab, symtab_count(elf.symtab) - 2, &first);
	symtab_at(elf.symtab, symtab_count(elf.symtab) - 1, &second);
	assert_int_equal(lines_find(l, first.addr + 100, frames), 1);
	one = lines_bytes(l);
	assert_in_range(one, 300000 * 16, 16 * MB); /* more than was kept of all units once */
	assert_int_equal(lines_find(l, second.addr + 100, frames), 1);
	both = lines_bytes(l);
	assert_in_range(both, one + 300000 * 16, 2 * one + MB / 4);
	assert_int_equal(lines_find(l, first.addr + 5000, frames), 1);
	assert_int_equal(frames[0].line, 5000 + 5); /* a nop and a line each, after four */
	assert_int_equal(lines_bytes(l), both);
	lines_close(l);
	assert_int_equal(b.taken, 0);
	/* With less memory one goes for the other. */
	budget_set_limit(64u << 20);
	assert_int_equal(lines_open(fd, path, NULL, &b, &l, &err), 0);
	assert_int_equal(lines_find(l, first.addr + 100, frames), 1);
	assert_int_equal(lines_find(l, second.addr + 100, frames), 1);
	assert_in_range(lines_bytes(l), 300000 * 16, one + MB / 4);
	lines_close(l);
	elfsym_clear(&elf);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_overlapping_names, all_given_back),
		cmocka_unit_test_teardown(test_pieces_of_a_map, all_given_back),
		cmocka_unit_test_teardown(test_packed_zlib, all_given_back),
		cmocka_unit_test_teardown(test_packed_zstd, all_given_back),
		cmocka_unit_test_teardown(test_sparse, all_given_back),
		cmocka_unit_test_teardown(test_large_units_stay, all_given_back),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
