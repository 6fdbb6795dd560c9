/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that ask for more memory than they are large: what is kept of them is in proportion to the file, or
 * refused by the budget with a word, and all of it is given back.
 */
#include <elf.h>
#include <errno.h>
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

#include "files/elf/elfsym.h"
#include "files/elf/lines.h"
#include "files/jit/perfmap.h"
#include "tests/images.h"
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
	if (symbols_of_fd(fd, path, NULL, &b, &elf, &err))
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
	assert_non_null(strstr(err.text, "would take 40M: more than one object may use of --max-memory 64M"));
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
	assert_int_equal(symbols_of_fd(fd, path, NULL, &b, &elf, &err), -ENOMEM);
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
	struct symtab_entry e[3];
	struct elfsym elf;
	struct lines *l;
	char path[128];
	uint64_t size, taken[3];
	size_t bytes;
	int fd;

	(void)state;
	assert_true(run("for u in a b c; do awk -v u=$u 'BEGIN { print \".text\\n.globl fun_\" u \"\\n.type fun_\" "
			     "u \",@function\\nfun_\" u \":\"; for (i = 1; i <= 100000; i++) print \"nop\"\n"
			     "print \".size fun_\" u \", . - fun_\" u }' >$u.s && cc -c -g -o $u.o $u.s; done && "
			     "cc -shared -nostdlib -o abc a.o b.o c.o"));
	fd = open_in_dir("abc", path, &size);
	if (symbols_of_fd(fd, path, NULL, NULL, &elf, &err) ||
	    lines_open(fd, path, NULL, &b, &l, &err))
		fail_msg("%s", err.text);
	for (size_t i = 0; i < 3; i++) {
		symtab_at(elf.symtab, symtab_count(elf.symtab) - 3 + i, &e[i]);
		assert_int_equal(lines_find(l, e[i].addr + 100, frames), 1);
		taken[i] = b.taken;
		assert_in_range(taken[i], (i + 1) * 100000 * 16, (i + 1) * 2 * MB + MB);
	}
	bytes = lines_bytes(l);
	assert_in_range(bytes, taken[2], 16 * MB);
	assert_int_equal(lines_find(l, e[0].addr + 5000, frames), 1);
	assert_int_equal(frames[0].line, 5000 + 5); /* a nop and a line each, after four */
	assert_int_equal(lines_bytes(l), bytes);
	lines_close(l);
	assert_int_equal(b.taken, 0);
	/* With less memory some go for others. */
	budget_set_limit(32u << 20);
	assert_int_equal(lines_open(fd, path, NULL, &b, &l, &err), 0);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(lines_find(l, e[i].addr + 100, frames), 1);
	assert_in_range(b.taken, 100000 * 16, taken[1] + MB / 4);
	lines_close(l);
	elfsym_clear(&elf);
	close(fd);
}

/*
 * Files against libdw 0.188: 100 000 blocks inside each other end dwarf_getscopes, and 32 MB of special opcodes
 * become 3.4 GB in dwarf_getsrclines.  They cost what they are about, and nothing else.
 */
static void attack_build(const char *entries, const char *program)
{
	assert_true(run("cat >attack.s <<'EOF'\n"
			".text\n.globl _start\n_start: .fill 64,1,0x90\n"
			".section .debug_abbrev\n"
			".uleb128 1,0x11\n.byte 1\n.uleb128 0x10,0x17,0x11,0x01,0x12,0x07,0,0\n"
			".uleb128 2,0x0b\n.byte 1\n.uleb128 0,0\n"
			".uleb128 3,0x2e\n.byte 0\n.uleb128 0x03,0x08,0x11,0x01,0x12,0x07,0,0\n.byte 0\n"
			".section .debug_info\n"
			".long 2f-1f\n1: .short 4\n.long 0\n.byte 8\n"
			".uleb128 1\n.long 0\n.quad _start\n.quad 64\n"
			".uleb128 3\n.asciz \"first\"\n.quad _start\n.quad 32\n%s"
			".byte 0\n2:\n"
			".section .debug_line\n"
			".long 2f-1f\n1: .short 4\n.long 4f-3f\n"
			"3: .byte 1,1,1,-5,14,13,0,1,1,1,1,0,0,0,1,0,0,1\n"
			".byte 0\n.asciz \"a.c\"\n.byte 0,0,0,0\n"
			"4: .byte 0,9,2\n.quad _start\n%s"
			".byte 2,64,0,1,1\n2:\nEOF\n"
			"cc -c -o attack.o attack.s && cc -nostdlib -static -o attack attack.o", entries, program));
}

static size_t attack_find(struct budget *b, struct lines_frame *frames)
{
	struct err err = {.code = 0};
	struct lines *l;
	char path[128], place[64] = "";
	uint64_t size, addr;
	size_t nr;
	FILE *f;
	int fd = open_in_dir("attack", path, &size);

	assert_true(run("nm attack | sed -n 's/ T _start$//p' >at"));
	snprintf(place, sizeof(place), "%s/at", dir);
	f = fopen(place, "r");
	assert_non_null(f);
	assert_int_equal(fscanf(f, "%" SCNx64, &addr), 1);
	fclose(f);
	if (lines_open(fd, path, NULL, b, &l, &err))
		fail_msg("%s", err.text);
	nr = lines_find(l, addr + 8, frames);
	if (nr)
		assert_true(!frames[0].name || !strcmp(frames[0].name, "first"));
	frames[0].name = frames[0].file = NULL; /* they go with it */
	lines_close(l);
	close(fd);
	return nr;
}

static void test_attack_nested(void **state)
{
	struct lines_frame frames[LINES_DEPTH_MAX];
	struct budget b = {.taken = 0};

	(void)state;
	attack_build(".rept 100000\n.uleb128 2\n.endr\n.rept 100000\n.byte 0\n.endr\n", ".byte 20,0x82\n");
	assert_int_equal(attack_find(&b, frames), 1);
	assert_int_equal(frames[0].line, 3);
	assert_int_equal(b.taken, 0);
}

static void test_attack_flood(void **state)
{
	struct lines_frame frames[LINES_DEPTH_MAX];
	struct budget b = {.taken = 0};
	struct err err = {.code = 0};

	(void)state;
	attack_build("", ".fill 33554432,1,0x12\n");
	assert_true(run("test $(stat -c %%s attack) -gt 33554432"));
	attack_find(&b, frames);
	assert_int_equal(budget_say(&b, "its lines", &err), -ENOBUFS);
	assert_non_null(strstr(err.text, "its lines would take 3.53G"));
	assert_int_equal(b.taken, 0);
}

/* 4 KB on disk: a header that leaves the number of its sections to the first of them. */
static void test_attack_sparse(void **state)
{
	Elf64_Ehdr head = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
			   .e_type = ET_DYN, .e_shoff = sizeof(head), .e_shentsize = sizeof(Elf64_Shdr)};
	Elf64_Shdr first = {.sh_size = ((512u << 20) - sizeof(head)) / sizeof(first)};
	struct budget b = {.taken = 0};
	struct err err = {.code = 0};
	struct lines *l;
	char path[128];
	uint64_t size;
	int fd;

	(void)state;
	assert_true(run("truncate -s 512M sparse"));
	fd = open_in_dir("sparse", path, &size);
	close(fd);
	fd = open(path, O_RDWR | O_CLOEXEC);
	assert_int_equal(write(fd, &head, sizeof(head)), sizeof(head));
	assert_int_equal(write(fd, &first, sizeof(first)), sizeof(first));
	assert_int_equal(lines_open(fd, path, NULL, &b, &l, &err), -EFBIG);
	assert_int_equal(b.taken, 0);
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
		cmocka_unit_test_teardown(test_attack_nested, all_given_back),
		cmocka_unit_test_teardown(test_attack_flood, all_given_back),
		cmocka_unit_test_teardown(test_attack_sparse, all_given_back),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
