/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Programs of call frame instructions by hand, whole objects beside readelf, and broken ones. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/images.h"
#include "tests/shell.h"
#include "tests/skip.h"
#include "files/unwind/cfi.h"

#define MEMORY (64u << 20)

static char dir[] = "/tmp/ringtop-test-XXXXXX";

#define run(...) shell_run(dir, __VA_ARGS__)

/* Functions with frames of several kinds, some cold parts, and calls through the PLT. */
static const char source[] =
	"cat >a.c <<'EOF'\n"
	"#include <stdio.h>\n"
	"#include <stdlib.h>\n"
	"#include <string.h>\n"
	"__attribute__((noinline)) int frame(int n) { volatile char b[4000]; b[n] = 1; return b[0]; }\n"
	"__attribute__((noinline)) int vary(int n) { char *b = __builtin_alloca(n); \n"
	"	memset(b, n, n); return puts(b); }\n"
	"__attribute__((noinline)) int pushes(int a, int b, int c, int d) { int e = rand(), f = rand();\n"
	"	int g = rand(), h = rand(); if (!e) abort(); \n"
	"	return a + b * c + d + e * f + g * h + frame(h & 7) + vary(a & 255); }\n"
	"__attribute__((noinline)) int align(int n) { char b[256] __attribute__((aligned(64)));\n"
	"	memset(b, n, 256); return puts(b) + puts(__builtin_alloca(n)); }\n"
	"int main(int n, char **v) { (void)v; return pushes(n, n, n, n) + align(n); }\n"
	"EOF\n";

static int setup(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	return run("%s\ncc -O2 -g -o a a.c && cc -O2 -o nohdr a.c -Wl,--no-eh-frame-hdr && "
		   "cc -O2 -g -fno-asynchronous-unwind-tables -fno-unwind-tables -o debug a.c && "
		   "cc -O2 -static -o static a.c && cc -O2 -fno-omit-frame-pointer -o fp a.c",
		   source)
		       ? 0
		       : -1;
}

static int teardown(void **state)
{
	(void)state;
	return shell_remove(dir);
}

static int open_file(const char *name)
{
	char path[512];
	int fd;

	snprintf(path, sizeof(path), "%s%s%s", name[0] == '/' ? "" : dir, name[0] == '/' ? "" : "/",
		 name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	return fd;
}

static struct cfi *load(const char *name, struct cfi_memory *memory)
{
	struct err err = {0};
	int fd = open_file(name);
	struct cfi *c;

	if (!memory->max)
		memory->max = MEMORY;
	c = cfi_of_fd(fd, "object", memory, &err);
	if (!c)
		fail_msg("%s: %s", name, err.text);
	close(fd);
	return c;
}

static char *load_bytes(const char *name, size_t *len)
{
	int fd = open_file(name);
	struct stat st;
	char *bytes;

	assert_int_equal(fstat(fd, &st), 0);
	bytes = malloc((size_t)st.st_size);
	assert_non_null(bytes);
	assert_int_equal(read(fd, bytes, (size_t)st.st_size), st.st_size);
	close(fd);
	*len = (size_t)st.st_size;
	return bytes;
}

/* --- programs --------------------------------------------------------------------------------- */

#define CIE_START 0x0c, 7, 8, 0x90, 1 /* CFA = rsp + 8, the return address at CFA - 8 */

static int run_program(const uint8_t *program, size_t len, struct cfi_row *rows, uint32_t *nr)
{
	static const uint8_t start[] = {CIE_START};
	struct cfi_cie cie = {.code_align = 1, .data_align = -8, .ra = 16, .program = start,
			      .len = sizeof(start)};
	struct cfi_fde fde = {.start = 0x1000, .size = 100, .program = program, .len = len};

	return cfirows_run(cfi_arch_of(EM_X86_64), &cie, &fde, rows, 16, nr);
}

#define PROGRAM(...) ((const uint8_t[]){__VA_ARGS__}), sizeof((const uint8_t[]){__VA_ARGS__})

static void expect_row(const struct cfi_row *row, uint32_t pc, enum cfi_kind kind, unsigned base,
		       int cfa_off, enum cfi_rbp rbp, int rbp_off)
{
	assert_int_equal(row->pc, pc);
	assert_int_equal(row->rule.kind, kind);
	assert_int_equal(row->rule.base, base);
	assert_int_equal(row->rule.cfa_off, cfa_off);
	assert_int_equal(row->rule.rbp, rbp);
	assert_int_equal(row->rule.rbp_off, rbp_off);
}

static void test_frame_pointer(void **state)
{
	struct cfi_row rows[16];
	uint32_t nr;

	(void)state;
	/* push %rbp; mov %rsp, %rbp; ...; pop %rbp; ret; a cold part */
	assert_int_equal(run_program(PROGRAM(0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6, 2, 20, 0x0a, 0x0c,
					     7, 8, 0xc6, 0x41, 0x0b),
				     rows, &nr), 0);
	assert_int_equal(nr, 5);
	expect_row(&rows[0], 0, CFI_REG, CFI_RSP, 8, CFI_RBP_SAME, 0);
	expect_row(&rows[1], 1, CFI_REG, CFI_RSP, 16, CFI_RBP_AT_CFA, -16);
	expect_row(&rows[2], 4, CFI_REG, CFI_RBP, 16, CFI_RBP_AT_CFA, -16);
	expect_row(&rows[3], 24, CFI_REG, CFI_RSP, 8, CFI_RBP_SAME, 0);
	expect_row(&rows[4], 25, CFI_REG, CFI_RBP, 16, CFI_RBP_AT_CFA, -16);
	assert_int_equal(cfirows_find(rows, nr, 0).cfa_off, 8);
	assert_int_equal(cfirows_find(rows, nr, 3).base, CFI_RSP);
	assert_int_equal(cfirows_find(rows, nr, 4).base, CFI_RBP);
	assert_int_equal(cfirows_find(rows, nr, 99).base, CFI_RBP);
}

/* Pushes of registers that are not followed change the CFA only. */
static void test_same_rows_merge(void **state)
{
	struct cfi_row rows[16];
	uint32_t nr;

	(void)state;
	assert_int_equal(run_program(PROGRAM(0x42, 0x8f, 2, 0x42, 0x8e, 3, 0x2e, 16, 0x44, 0x0e, 64), rows,
				     &nr), 0);
	assert_int_equal(nr, 2);
	expect_row(&rows[0], 0, CFI_REG, CFI_RSP, 8, CFI_RBP_SAME, 0);
	expect_row(&rows[1], 8, CFI_REG, CFI_RSP, 64, CFI_RBP_SAME, 0);
}

static void test_expressions(void **state)
{
	struct cfi_row rows[16];
	uint32_t nr;

	(void)state;
	/* the PLT's */
	assert_int_equal(run_program(PROGRAM(0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24,
					     0x22), rows, &nr), 0);
	assert_int_equal(rows[0].rule.kind, CFI_PLT);
	assert_int_equal(rows[0].rule.rbp_off, 11);
	/* gcc's realigned frame: rbp at *rbp, CFA = *(rbp - 8) */
	assert_int_equal(run_program(PROGRAM(0x10, 6, 2, 0x76, 0, 0x0f, 3, 0x76, 0x78, 6), rows, &nr), 0);
	expect_row(&rows[0], 0, CFI_DEREF, CFI_RBP, -8, CFI_RBP_AT_BASE, 0);
	/* and where it begins and ends: CFA = r10 */
	assert_int_equal(run_program(PROGRAM(0x0c, 10, 0, 0x10, 6, 2, 0x76, 0), rows, &nr), 0);
	expect_row(&rows[0], 0, CFI_REG, 10, 0, CFI_RBP_AT_RBP, 0);
	/* hand-written code that keeps the old rsp in its frame */
	assert_int_equal(run_program(PROGRAM(0x0f, 5, 0x77, 16, 6, 0x23, 8), rows, &nr), 0);
	expect_row(&rows[0], 0, CFI_DEREF8, CFI_RSP, 16, CFI_RBP_SAME, 0);
	/* the C library's signal return */
	assert_int_equal(run_program(PROGRAM(0x0f, 4, 0x77, 0xa0, 1, 6, 0x10, 7, 3, 0x77, 0xa0, 1, 0x10, 6, 3,
					     0x77, 0xf8, 0, 0x10, 16, 3, 0x77, 0xa8, 1), rows, &nr), 0);
	expect_row(&rows[0], 0, CFI_SIGNAL, CFI_RSP, 160, CFI_RBP_AT_BASE, 120);
	/* anything else */
	assert_int_equal(run_program(PROGRAM(0x0f, 4, 0x77, 0, 0x38, 0x22), rows, &nr), 0);
	assert_int_equal(rows[0].rule.kind, CFI_SLOW);
	/* rbp where rows do not look: lost, not wrong */
	assert_int_equal(run_program(PROGRAM(0x10, 6, 3, 0x76, 0, 6), rows, &nr), 0);
	assert_int_equal(rows[0].rule.rbp, CFI_RBP_LOST);
	/* the return address elsewhere */
	assert_int_equal(run_program(PROGRAM(0x90, 2), rows, &nr), 0);
	assert_int_equal(rows[0].rule.kind, CFI_SLOW);
	assert_int_equal(run_program(PROGRAM(0x07, 16), rows, &nr), 0);
	assert_int_equal(rows[0].rule.kind, CFI_OUTERMOST);
}

/* Registers in others, and values that are told by the CFA. */
static void test_registers(void **state)
{
	struct cfi_row rows[16];
	uint32_t nr;

	(void)state;
	/* the C library's vfork */
	assert_int_equal(run_program(PROGRAM(0x41, 0x0e, 0, 0x09, 16, 5, 0x48, 0x0e, 8), rows, &nr), 0);
	assert_int_equal(nr, 3);
	expect_row(&rows[0], 0, CFI_REG, CFI_RSP, 8, CFI_RBP_SAME, 0);
	expect_row(&rows[1], 1, CFI_RA_IN + 5, CFI_RSP, 0, CFI_RBP_SAME, 0);
	expect_row(&rows[2], 9, CFI_RA_IN + 5, CFI_RSP, 8, CFI_RBP_SAME, 0);
	assert_int_equal(run_program(PROGRAM(0x09, 6, 3), rows, &nr), 0);
	expect_row(&rows[0], 0, CFI_REG, CFI_RSP, 8, CFI_RBP_IN_REG, 3);
	assert_int_equal(run_program(PROGRAM(0x09, 6, 17), rows, &nr), 0);
	expect_row(&rows[0], 0, CFI_REG, CFI_RSP, 8, CFI_RBP_LOST, 0);
	assert_int_equal(run_program(PROGRAM(0x09, 16, 17), rows, &nr), 0);
	assert_int_equal(rows[0].rule.kind, CFI_SLOW);
	/* its longjmp, which goes from one stack to another */
	assert_int_equal(run_program(PROGRAM(0x0c, 5, 0, 0x09, 7, 8, 0x09, 6, 9, 0x09, 16, 1), rows, &nr), 0);
	expect_row(&rows[0], 0, CFI_RA_IN + 1, 8, 0, CFI_RBP_IN_REG, 9);
	/* a longjmp with registers that are found by the CFA, which is not rsp then */
	assert_int_equal(run_program(PROGRAM(0x0c, 5, 0, 0x09, 7, 8, 0x86, 1, 0x09, 16, 1), rows, &nr), 0);
	assert_int_equal(rows[0].rule.kind, CFI_SLOW);
	assert_int_equal(run_program(PROGRAM(0x0c, 5, 0, 0x09, 7, 8), rows, &nr), 0);
	assert_int_equal(rows[0].rule.kind, CFI_SLOW);
	/* values */
	assert_int_equal(run_program(PROGRAM(0x14, 7, 0, 0x15, 6, 2), rows, &nr), 0);
	expect_row(&rows[0], 0, CFI_REG, CFI_RSP, 8, CFI_RBP_IS_CFA, -16);
	assert_int_equal(run_program(PROGRAM(0x14, 7, 1), rows, &nr), 0);
	assert_int_equal(rows[0].rule.kind, CFI_SLOW);
	assert_int_equal(run_program(PROGRAM(0x15, 7, 0x7e, 0x09, 16, 3), rows, &nr), 0);
	expect_row(&rows[0], 0, CFI_RA_IN + 3, CFI_RSP, 24, CFI_RBP_SAME, 0);
	assert_int_equal(run_program(PROGRAM(0x2f, 6, 2), rows, &nr), 0);
	expect_row(&rows[0], 0, CFI_REG, CFI_RSP, 8, CFI_RBP_AT_CFA, 16);
}

static void test_broken_programs(void **state)
{
	static const struct {
		uint8_t bytes[8];
		size_t len;
	} bad[] = {
		{{0x0e}, 1},                      /* cut off */
		{{0x0e, 0x80}, 2},
		{{0x0b}, 1},                      /* nothing remembered */
		{{0x3f}, 1},                      /* no such instruction */
		{{0x0f, 200, 1}, 3},              /* a block that is too long */
		{{0x01, 0, 0, 0, 0, 0, 0, 0}, 8}, /* half a location */
		{{0x0f, 1, 0x50, 0x0e, 8}, 5},    /* an offset where there is no register */
	};
	struct cfi_row rows[16];
	uint8_t many[64];
	uint32_t nr;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(run_program(bad[i].bytes, bad[i].len, rows, &nr), -EINVAL);
	memset(many, 0x0a, sizeof(many));
	assert_int_equal(run_program(many, sizeof(many), rows, &nr), -EINVAL);
	for (uint8_t i = 0; i < 60; i += 3)
		memcpy(many + i, (uint8_t[]){0x41, 0x0e, (uint8_t)(8 + i)}, 3);
	assert_int_equal(run_program(many, 60, rows, &nr), -EFBIG);
	/* beyond the function's end nothing counts, not even nonsense */
	assert_int_equal(run_program(PROGRAM(0x03, 0xff, 0xff, 0x3f), rows, &nr), 0);
	assert_int_equal(nr, 1);
}

/* --- objects ---------------------------------------------------------------------------------- */

struct columns {
	int cfa, rbp; /* which word of a line */
};

/* One line of readelf's table beside our rule; returns whether it says anything of ours. */
static bool check_line(struct cfi *c, const char *line, const struct columns *columns)
{
	char words[24][32];
	struct cfi_rule rule;
	unsigned long pc;
	int n = 0, off, at;
	bool is_rbp;

	for (const char *p = line; n < 24 && sscanf(p, "%31s%n", words[n], &at) == 1; p += at)
		n++;
	if (n <= columns->cfa || strlen(words[0]) != 16 || sscanf(words[0], "%lx", &pc) != 1)
		return false;
	rule = cfi_find(c, pc);
	is_rbp = strncmp(words[1], "rbp", 3) == 0;
	if (sscanf(words[1], "rsp%d", &off) != 1 && sscanf(words[1], "rbp%d", &off) != 1)
		return rule.kind != CFI_UNCOVERED && rule.kind != CFI_BROKEN;
	if (rule.kind == CFI_OUTERMOST) {
		assert_string_equal(words[n - 1], "u");
		return true;
	}
	if (words[n - 1][0] == '(' && sscanf(words[n - 2], "r%d", &at) == 1) { /* "r5 (rdi)": vfork */
		assert_int_equal(rule.kind, CFI_RA_IN + at);
		return true;
	}
	assert_string_equal(words[n - 1], "c-8");
	assert_int_equal(rule.kind, CFI_REG);
	assert_int_equal(rule.base, is_rbp ? CFI_RBP : CFI_RSP);
	assert_int_equal(rule.cfa_off, off);
	if (columns->rbp && sscanf(words[columns->rbp], "c%d", &off) == 1) {
		assert_int_equal(rule.rbp, CFI_RBP_AT_CFA);
		assert_int_equal(rule.rbp_off, off);
	} else if (!columns->rbp || !strcmp(words[columns->rbp], "u")) {
		assert_int_equal(rule.rbp, CFI_RBP_SAME);
	}
	return true;
}

static void read_columns(const char *line, struct columns *columns)
{
	char word[32];
	int n = 0, at;

	*columns = (struct columns){.cfa = 1};
	for (const char *p = line; sscanf(p, "%31s%n", word, &at) == 1; p += at, n++) {
		if (!strcmp(word, "rbp"))
			columns->rbp = n;
	}
}

static unsigned functions_alike; /* of which readelf and cfi_function say the same */

/* "... FDE cie=... pc=START..END": its bounds are ours, too, unless a later entry covers its begin.  1 */
static int check_function(struct cfi *c, const char *line)
{
	const char *pc = strstr(line, "pc=");
	uint64_t start, end, size, from;

	assert_non_null(pc);
	assert_int_equal(sscanf(pc, "pc=%" SCNx64 "..%" SCNx64, &start, &end), 2);
	if (start == end || !cfi_function(c, end - 1, &from, &size) || from != start)
		return 1;
	assert_int_equal(size, end - start);
	functions_alike++;
	return 1;
}

static unsigned compare_readelf(const char *name)
{
	struct cfi_memory memory = {0};
	struct cfi *c = load(name, &memory);
	struct columns columns = {0};
	char line[1024];
	unsigned n = 0;
	FILE *f;

	snprintf(line, sizeof(line), "cd %s && readelf --debug-dump=frames-interp %s 2>/dev/null", dir,
		 name);
	f = popen(line, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		if (strstr(line, " CIE ") || line[0] == '\n')
			columns.cfa = 1000; /* a CIE's own row has no place */
		else if (strstr(line, "  LOC ") == NULL && strstr(line, " FDE "))
			columns.cfa = check_function(c, line);
		else if (!strncmp(line, "   LOC", 6) && columns.cfa < 1000)
			read_columns(line, &columns);
		else if (columns.cfa == 1)
			n += check_line(c, line, &columns);
	}
	pclose(f);
	cfi_free(c);
	assert_int_equal(memory.used, 0);
	return n;
}

static void test_like_readelf(void **state)
{
	static const char *const libraries[] = {
		"/lib/x86_64-linux-gnu/libc.so.6", "/usr/lib/x86_64-linux-gnu/libstdc++.so.6",
		"/lib64/libc.so.6",
	};

	(void)state;
	if (!run("readelf --version"))
		SKIP("no readelf");
	assert_true(compare_readelf("a") > 20);
	assert_true(compare_readelf("fp") > 20);
	assert_true(compare_readelf("nohdr") > 20);
	assert_true(compare_readelf("debug") > 10);
	functions_alike = 0;
	assert_true(compare_readelf("static") > 1000);
	assert_true(functions_alike > 500);
	for (unsigned i = 0; i < 3; i++) {
		if (!access(libraries[i], R_OK))
			assert_true(compare_readelf(libraries[i]) > 10000);
	}
}

/* From a mapping's place to the object's own addresses. */
static void test_vaddr(void **state)
{
	struct cfi_memory memory = {0};
	struct cfi *c = load("a", &memory);
	size_t len;
	char *bytes = load_bytes("a", &len);
	const Elf64_Ehdr *e = (void *)bytes;
	const Elf64_Phdr *p = (void *)(bytes + e->e_phoff);
	unsigned seen = 0;
	uint64_t vaddr;

	(void)state;
	for (unsigned i = 0; i < e->e_phnum; i++) {
		if (p[i].p_type != PT_LOAD || !(p[i].p_flags & PF_X))
			continue;
		assert_true(cfi_vaddr(c, p[i].p_offset & ~4095ull, &vaddr));
		assert_int_equal(vaddr, p[i].p_vaddr & ~4095ull);
		assert_true(cfi_vaddr(c, p[i].p_offset + 5, &vaddr));
		assert_int_equal(vaddr, p[i].p_vaddr + 5);
		seen++;
	}
	assert_int_equal(seen, 1);
	assert_false(cfi_vaddr(c, 1ull << 40, &vaddr));
	assert_int_equal(cfi_find(c, 0).kind, CFI_UNCOVERED);
	assert_int_equal(cfi_find(c, UINT64_MAX).kind, CFI_UNCOVERED);
	free(bytes);
	cfi_free(c);
}

static uint64_t entry_point(const char *bytes)
{
	return ((const Elf64_Ehdr *)(const void *)bytes)->e_entry;
}

/* sstrip and the like leave no section headers: .eh_frame_hdr tells. */
static void test_without_sections(void **state)
{
	struct cfi_memory memory = {.max = MEMORY};
	size_t len;
	char *bytes = load_bytes("a", &len);
	Elf64_Ehdr *e = (void *)bytes;
	struct cfi *c, *whole = cfi_of_memory(bytes, len, &memory, NULL);

	(void)state;
	e->e_shoff = e->e_shnum = e->e_shstrndx = 0;
	c = cfi_of_memory(bytes, len, &memory, NULL);
	assert_non_null(c);
	assert_non_null(whole);
	assert_true(cfi_functions(c) > 4 && cfi_functions(c) <= cfi_functions(whole));
	for (uint64_t at = entry_point(bytes) & ~4095ull, end = at + 8192; at < end; at++) {
		struct cfi_rule one = cfi_find(c, at), other = cfi_find(whole, at);

		assert_memory_equal(&one, &other, sizeof(one));
	}
	cfi_free(c);
	cfi_free(whole);
	assert_int_equal(memory.used, 0);
	free(bytes);
}

static void test_outermost(void **state)
{
	struct cfi_memory memory = {0};
	struct cfi *c = load("a", &memory);
	size_t len;
	char *bytes = load_bytes("a", &len);

	(void)state;
	assert_int_equal(cfi_find(c, entry_point(bytes)).kind, CFI_OUTERMOST);
	free(bytes);
	cfi_free(c);
}

static void test_vdso(void **state)
{
	const char *vdso = (const char *)getauxval(AT_SYSINFO_EHDR);
	struct cfi_memory memory = {.max = MEMORY};
	struct cfi *c;

	(void)state;
	if (!vdso)
		SKIP("no vdso");
	c = cfi_of_memory(vdso, 4096, &memory, NULL);
	if (!c)
		c = cfi_of_memory(vdso, 8192, &memory, NULL);
	assert_non_null(c);
	assert_true(cfi_functions(c) > 0);
	cfi_free(c);
}

static void test_memory(void **state)
{
	struct cfi_memory memory = {0}, tight = {0}, none = {.max = 1000};
	struct cfi *c = load("static", &memory), *small;
	size_t len;
	char *bytes = load_bytes("static", &len);
	uint64_t from = entry_point(bytes), opened = memory.used;
	struct err err = {0};
	int fd = open_file("static");

	(void)state;
	assert_null(cfi_of_fd(fd, "object", &none, &err));
	assert_int_equal(err.code, ENOSPC);
	assert_int_equal(none.used, 0);
	/* no room for rows: the same answers, nothing kept */
	tight.max = opened + 64;
	small = load("static", &tight);
	for (uint64_t at = from; at < from + 50000; at += 7) {
		struct cfi_rule one = cfi_find(c, at), other = cfi_find(small, at);

		assert_memory_equal(&one, &other, sizeof(one));
		assert_true(tight.used <= tight.max);
	}
	assert_true(memory.used > opened + 64);
	cfi_free(c);
	cfi_free(small);
	assert_int_equal(memory.used, 0);
	assert_int_equal(tight.used, 0);
	close(fd);
	free(bytes);
}

struct finder {
	struct cfi *c;
	uint64_t from, sum;
};

static void *find_all(void *arg)
{
	struct finder *f = arg;

	for (uint64_t at = f->from; at < f->from + 200000; at++) {
		struct cfi_rule rule = cfi_find(f->c, at);

		f->sum = f->sum * 31 + (uint64_t)rule.cfa_off + rule.kind;
	}
	return NULL;
}

static void test_threads(void **state)
{
	struct cfi_memory memory = {0};
	struct cfi *c = load("static", &memory), *alone;
	struct finder f[3];
	pthread_t threads[2];
	size_t len;
	uint64_t used;
	char *bytes = load_bytes("static", &len);

	(void)state;
	for (int i = 0; i < 2; i++) {
		f[i] = (struct finder){.c = c, .from = entry_point(bytes)};
		assert_int_equal(pthread_create(&threads[i], NULL, find_all, &f[i]), 0);
	}
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	used = memory.used;
	cfi_free(c);
	alone = load("static", &memory);
	f[2] = (struct finder){.c = alone, .from = entry_point(bytes)};
	find_all(&f[2]);
	assert_int_equal(used, memory.used);
	assert_true(f[0].sum == f[1].sum && f[0].sum == f[2].sum);
	cfi_free(alone);
	free(bytes);
}

static void test_refused(void **state)
{
	struct cfi_memory memory = {.max = MEMORY};
	struct err err = {0};
	size_t len;
	char *bytes = load_bytes("a", &len);
	int fd = open_file("a.c");

	(void)state;
	assert_null(cfi_of_fd(fd, "object", &memory, &err));
	assert_true(err.text[0]);
	((Elf64_Ehdr *)(void *)bytes)->e_machine = EM_S390;
	assert_null(cfi_of_memory(bytes, len, &memory, &err));
	assert_int_equal(memory.used, 0);
	close(fd);
	free(bytes);
}

/* --- where .debug_frame may be --------------------------------------------------------------- */

/* Enough functions that their entries stay in the file. */
static const char many_source[] =
	"{ for i in $(seq 2000); do echo \"int f$i(int a) { return a * $i; }\"; done\n"
	"echo 'int main(void) { return f7(3); }'; } >many.c\n"
	"cc -g -O0 -fno-asynchronous-unwind-tables -fno-unwind-tables -o many many.c";

static struct cfi *load_beside(const char *name, struct cfi_memory *memory)
{
	struct err err = {0};
	char path[300];
	int fd = open_file(name);
	struct cfi *c;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	c = cfi_of_fd(fd, path, memory, &err);
	if (!c)
		fail_msg("%s: %s", name, err.text);
	close(fd);
	return c;
}

/* What `name` says of every address is what `plain` says, and it is not nothing. */
static void expect_same(const char *plain, const char *name)
{
	struct cfi_memory memory = {.max = MEMORY}, other = {.max = MEMORY};
	struct cfi *a = load_beside(plain, &memory), *b = load_beside(name, &other);
	size_t len, covered = 0;
	char *bytes = load_bytes(plain, &len);
	uint64_t from = entry_point(bytes);

	assert_int_equal(cfi_functions(a), cfi_functions(b));
	for (uint64_t at = from; at < from + 20000; at++) {
		struct cfi_rule one = cfi_find(a, at), two = cfi_find(b, at);

		covered += one.kind != CFI_UNCOVERED;
		if (memcmp(&one, &two, sizeof(one)) != 0)
			fail_msg("%s: another rule at %#lx", name, (unsigned long)at);
	}
	assert_true(covered > 300);
	cfi_free(a);
	cfi_free(b);
	assert_int_equal(memory.used, 0);
	assert_int_equal(other.used, 0);
	free(bytes);
}

static void test_compressed(void **state)
{
	(void)state;
	assert_true(run("objcopy --compress-debug-sections=zlib debug zlib && "
			"objcopy --compress-debug-sections=zlib-gnu debug gnu"));
	expect_same("debug", "zlib");
	expect_same("debug", "gnu");
	if (run("objcopy --compress-debug-sections=zstd debug zstd"))
		expect_same("debug", "zstd");
}

static void test_debug_file(void **state)
{
	(void)state;
	assert_true(run("%s", many_source));
	assert_true(run("for i in debug many; do objcopy --only-keep-debug $i $i.dbg && "
			"strip -o $i.stripped $i && "
			"objcopy --add-gnu-debuglink=$i.dbg $i.stripped || exit; done"));
	expect_same("debug", "debug.stripped");
	expect_same("many", "many.stripped");
	assert_true(run("objcopy --compress-debug-sections=zlib many.dbg"));
	assert_true(run("strip -o many.stripped many && "
			"objcopy --add-gnu-debuglink=many.dbg many.stripped"));
	expect_same("many", "many.stripped");
}

/* A compressed section that lies, or has no room, costs what stands in .eh_frame nothing. */
static void test_broken_compressed(void **state)
{
	struct cfi_memory memory = {.max = MEMORY};
	uint64_t alone, whole;
	size_t len;
	char *bytes;
	Elf64_Shdr *sections;
	Elf64_Ehdr *head;
	struct cfi *c;

	(void)state;
	assert_true(run("objcopy --compress-debug-sections=zlib debug zlib && strip -o bare debug"));
	c = load("bare", &memory);
	alone = cfi_functions(c);
	cfi_free(c);
	bytes = load_bytes("zlib", &len);
	c = cfi_of_memory(bytes, len, &memory, NULL);
	assert_non_null(c);
	whole = cfi_functions(c);
	assert_true(whole > alone && alone > 0);
	cfi_free(c);
	head = (void *)bytes;
	sections = (void *)(bytes + head->e_shoff);
	for (unsigned i = 0; i < head->e_shnum; i++) {
		char *at = bytes + sections[i].sh_offset;
		Elf64_Chdr *packed = (void *)at;

		if (!(sections[i].sh_flags & SHF_COMPRESSED))
			continue;
		packed->ch_size = i % 3 ? packed->ch_size + 1 : (uint64_t)1 << (20 + i % 44);
	}
	c = cfi_of_memory(bytes, len, &memory, NULL);
	assert_non_null(c);
	assert_int_equal(cfi_functions(c), alone);
	cfi_free(c);
	assert_int_equal(memory.used, 0);
	free(bytes);
}

/* Whatever stands in the two sections: an answer, in bounds. */
static void test_flipped(void **state)
{
	struct cfi_memory memory = {.max = MEMORY};
	size_t len;
	char *bytes = load_bytes("a", &len), *copy = malloc(len);
	uint64_t from = entry_point(bytes) & ~4095ull, seed = 88172645463325252ull;
	unsigned opened = 0;

	(void)state;
	assert_non_null(copy);
	for (unsigned i = 0; i < 3000; i++) {
		struct cfi *c;
		size_t cut = i % 4 == 3 ? len - (seed >> 20) % (len / 2) : len;

		memcpy(copy, bytes, len);
		for (unsigned k = 0; k < 40; k++) {
			seed ^= seed << 13;
			seed ^= seed >> 7;
			seed ^= seed << 17;
			copy[0x2000 + seed % (len > 0x3000 ? 0x1000 : len - 0x2000)] ^= (char)(seed >> 33);
		}
		c = cfi_of_memory(copy, cut, &memory, NULL);
		opened += c != NULL;
		for (uint64_t at = from; c && at < from + 4096; at += 16)
			cfi_find(c, at);
		cfi_free(c);
		assert_int_equal(memory.used, 0);
	}
	assert_true(opened > 1000);
	free(copy);
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_frame_pointer),  cmocka_unit_test(test_same_rows_merge),
		cmocka_unit_test(test_expressions),    cmocka_unit_test(test_broken_programs),
		cmocka_unit_test(test_registers),
		cmocka_unit_test(test_like_readelf),   cmocka_unit_test(test_vaddr),
		cmocka_unit_test(test_without_sections), cmocka_unit_test(test_outermost),
		cmocka_unit_test(test_vdso),	       cmocka_unit_test(test_memory),
		cmocka_unit_test(test_threads),	       cmocka_unit_test(test_refused),
		cmocka_unit_test(test_flipped),	       cmocka_unit_test(test_compressed),
		cmocka_unit_test(test_debug_file),     cmocka_unit_test(test_broken_compressed),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
