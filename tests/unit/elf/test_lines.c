/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Programs are built here and every one of their instructions is looked up: files, lines and how
 * deep the inlining is must be what binutils' addr2line says.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "files/elf/demangle.h"
#include "files/elf/lines.h"
#include "tests/shell.h"
#include "tests/skip.h"

static char dir[] = "/tmp/ringtop-test-XXXXXX";

#define run(...) shell_run(dir, __VA_ARGS__)

static int setup(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	return run("cat >a.c <<'EOF'\n"
		   "#include <stdio.h>\n"
		   "#define INLINE static inline __attribute__((always_inline))\n"
		   "INLINE int twice(int x) { return x ^ (x << 3); }\n"
		   "INLINE int four(int x)\n"
		   "{\n"
		   "\treturn x > 3 ? twice(twice(x)) : x;\n"
		   "}\n"
		   "__attribute__((noinline)) int work(int x)\n"
		   "{\n"
		   "\tint s = 0;\n"
		   "\tfor (int i = 0; i < x; i++)\n"
		   "\t\ts += four(s + i);\n"
		   "\treturn s;\n"
		   "}\n"
		   "__attribute__((cold, noinline)) int cold(int x) { puts(\"a\"); return work(x); }\n"
		   "int main(int n, char **v) { (void)v; return n > 3 ? cold(n) : work(n) & 1; }\n"
		   "EOF\n"
		   "cat >b.cc <<'EOF'\n"
		   "#include <algorithm>\n"
		   "#include <map>\n"
		   "#include <string>\n"
		   "#include <vector>\n"
		   "namespace app {\n"
		   "template <class T> struct Box {\n"
		   "\tstd::map<std::string, std::vector<T>> m;\n"
		   "\tT run(const std::string &k, T n) {\n"
		   "\t\tauto &v = m[k];\n"
		   "\t\tv.push_back(n);\n"
		   "\t\tstd::sort(v.begin(), v.end(), [](T a, T b) { return a > b; });\n"
		   "\t\treturn v.back();\n"
		   "\t}\n"
		   "};\n"
		   "}\n"
		   "int main(int n, char **v) {\n"
		   "\tapp::Box<long> b;\n"
		   "\treturn (int)b.run(v[0], n) + (int)b.run(\"x\", n);\n"
		   "}\n"
		   "EOF\n")
		       ? 0
		       : -1;
}

static int teardown(void **state)
{
	(void)state;
	return shell_remove(dir);
}

static void build(const char *fmt, ...)
{
	char command[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(command, sizeof(command), fmt, ap);
	va_end(ap);
	if (!run("%s", command))
		SKIP("this compiler or binutils cannot: %s", command);
}

static int try_open(const char *name, struct lines **l, struct err *err)
{
	char path[128];
	int fd, ret;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	ret = lines_open(fd, path, NULL, NULL, l, err);
	close(fd);
	return ret;
}

static struct lines *lines_of(const char *name)
{
	struct err err = {0};
	struct lines *l;

	if (try_open(name, &l, &err))
		fail_msg("%s: %s", name, err.text);
	return l;
}

/* --- against addr2line -------------------------------------------------------------------- */

#define FRAMES_MAX LINES_DEPTH_MAX

struct answer {
	uint64_t addr;
	char name[FRAMES_MAX][2048];
	char place[FRAMES_MAX][512];
	size_t nr;
};

static bool is_address(const char *line)
{
	return !strncmp(line, "0x", 2);
}

static char *read_line(FILE *f, char *buf, int size)
{
	if (!fgets(buf, size, f))
		return NULL;
	buf[strcspn(buf, "\n")] = '\0';
	return buf;
}

/* The next address's frames, innermost first; `line` holds its first line, then the next's. */
static bool read_answer(FILE *f, char *line, int size, struct answer *a)
{
	char *tail;

	if (!is_address(line))
		return false;
	a->addr = strtoull(line, NULL, 16);
	a->nr = 0;
	while (read_line(f, line, size) && !is_address(line)) {
		assert_true(a->nr < FRAMES_MAX);
		snprintf(a->name[a->nr], sizeof(a->name[0]), "%s", line);
		assert_non_null(read_line(f, a->place[a->nr], sizeof(a->place[0])));
		tail = strstr(a->place[a->nr], " (discriminator");
		if (tail)
			*tail = '\0';
		a->nr++;
	}
	return true;
}

/* As both tell it: mangled names are made readable here, not by whoever was asked. */
static bool same_name(const char *ours, const char *theirs)
{
	struct demangle_work work = {0};
	char *readable = demangle(theirs, &work);
	bool same = ours && !strcmp(ours, readable ? readable : theirs);

	free(readable);
	return same;
}

static bool same_place(const struct lines_frame *f, const char *place)
{
	char ours[1024];

	if (!f->line && strchr("?0", place[strlen(place) - 1]))
		return true; /* a line that the compiler made up */
	snprintf(ours, sizeof(ours), "%s:%u", f->file ? f->file : "??", f->line);
	return !strcmp(ours, place);
}

static bool agrees(const struct lines_frame *frames, size_t nr, const struct answer *a)
{
	if (nr != a->nr)
		return false;
	for (size_t i = 0; i < nr; i++) {
		const struct lines_frame *f = &frames[nr - 1 - i];

		if (!same_place(f, a->place[i]))
			return false;
		/* the outermost's symbol may be another: main.cold */
		if (i + 1 < nr && !same_name(f->name, a->name[i]))
			return false;
	}
	return true;
}

static void show(const char *who, const struct answer *a)
{
	for (size_t i = 0; i < a->nr; i++)
		print_message("%s: 0x%lx %s %s\n", who, (unsigned long)a->addr, a->name[i], a->place[i]);
}

/* binutils, and LLVM's where it is there: each has errors, but not at the same places. */
struct judge {
	const char *command;
	FILE *f;
	char line[2048];
	struct answer answer;
	bool more;
};

static bool judge_open(struct judge *j, const char *name)
{
	char path[128];

	if (!run("%s -a -i -f -e %s <addresses >answers.%s && test -s answers.%s", j->command, name,
		 j->command, j->command))
		return false;
	snprintf(path, sizeof(path), "%s/answers.%s", dir, j->command);
	j->f = fopen(path, "r");
	assert_non_null(j->f);
	assert_non_null(read_line(j->f, j->line, sizeof(j->line)));
	return true;
}

struct tally {
	unsigned addresses, inlined, alone, against;
};

static void compare(struct lines *l, struct judge *judge, unsigned nr, struct tally *t)
{
	struct lines_frame frames[LINES_DEPTH_MAX];
	size_t found = lines_find(l, judge[0].answer.addr, frames);
	unsigned with = 0;

	if (!found)
		return; /* they go on to guess from symbols */
	for (unsigned i = 0; i < nr; i++) {
		assert_int_equal(judge[i].answer.addr, judge[0].answer.addr);
		with += agrees(frames, found, &judge[i].answer);
	}
	t->addresses++;
	t->inlined += found > 1;
	t->alone += with < nr;
	t->against += !with;
	for (unsigned i = 0; !with && nr > 1 && i < nr; i++)
		show(judge[i].command, &judge[i].answer);
}

static void compare_all(struct lines *l, const char *name, struct tally *t)
{
	struct judge *judge = calloc(2, sizeof(*judge));
	unsigned nr;

	assert_non_null(judge);
	judge[0].command = "addr2line";
	judge[1].command = "llvm-addr2line";
	if (!judge_open(&judge[0], name))
		SKIP("no addr2line");
	nr = judge_open(&judge[1], name) ? 2 : 1;
	for (;;) {
		bool more = true;

		for (unsigned i = 0; i < nr; i++)
			more &= read_answer(judge[i].f, judge[i].line, sizeof(judge[i].line),
					    &judge[i].answer);
		if (!more)
			break;
		compare(l, judge, nr, t);
	}
	/* binutils alone is wrong for some compilers, and then often */
	assert_true(t->against <= (nr == 2 ? 0 : t->addresses / 2));
	for (unsigned i = 0; i < nr; i++)
		fclose(judge[i].f);
	free(judge);
}

static struct tally check(const char *name, const char *symbols)
{
	struct lines *l = lines_of(name);
	struct tally t = {0};

	if (!run("objdump -d --no-show-raw-insn -j .text %s | sed -n 's/^ *\\([0-9a-f]*\\):.*/0x\\1/p' "
		 ">addresses", symbols))
		SKIP("no objdump");
	compare_all(l, name, &t);
	lines_close(l);
	print_message("%s: %u addresses, %u in inlined code, %u otherwise for one judge\n", name,
		      t.addresses, t.inlined, t.alone);
	return t;
}

static void check_all(const char *name, const char *symbols)
{
	struct tally t = check(name, symbols);

	assert_true(t.addresses >= 20);
	assert_true(t.inlined >= 5);
}

static void test_versions(void **state)
{
	(void)state;
	for (int version = 2; version <= 5; version++) {
		char name[16];

		snprintf(name, sizeof(name), "c%d", version);
		build("cc -g -gdwarf-%d -gstrict-dwarf -O2 -o %s a.c", version, name);
		check_all(name, name);
	}
}

static void test_cplusplus(void **state)
{
	(void)state;
	build("c++ -g -gdwarf-4 -O2 -o cc4 b.cc && c++ -g -gdwarf-5 -O2 -o cc5 b.cc");
	check_all("cc4", "cc4");
	check_all("cc5", "cc5");
}

static void test_clang(void **state)
{
	(void)state;
	build("clang -g -gdwarf-4 -O2 -o l4 a.c && clang -g -gdwarf-5 -O2 -o l5 a.c");
	check("l4", "l4");
	assert_true(check("l5", "l5").inlined >= 5);
}

static void test_sections(void **state)
{
	(void)state;
	build("cc -g -O2 -ffunction-sections -Wl,--gc-sections -o sections a.c");
	check_all("sections", "sections");
}

static void test_lto(void **state)
{
	(void)state;
	build("c++ -g -O2 -flto -o lto b.cc");
	check_all("lto", "lto");
}

static void test_compressed(void **state)
{
	(void)state;
	build("cc -g -O2 -gz=zlib -o zlib a.c");
	check_all("zlib", "zlib");
	build("cc -g -O2 -gz=zlib-gnu -o zdebug a.c");
	check_all("zdebug", "zdebug");
}

static void test_zstd(void **state)
{
	(void)state;
	build("cc -g -O2 -o plain a.c && objcopy --compress-debug-sections=zstd plain zstd");
	check_all("zstd", "plain");
}

static void test_debuglink(void **state)
{
	struct lines *l;

	(void)state;
	build("cc -g -O2 -o linked a.c && objcopy --only-keep-debug linked linked.debug && "
	      "strip linked && objcopy --add-gnu-debuglink=linked.debug linked");
	check_all("linked", "linked");
	l = lines_of("linked");
	assert_non_null(strstr(lines_source(l), "linked.debug"));
	lines_close(l);
}

static uint64_t address_of(const char *program, const char *symbol)
{
	char command[256], line[64] = "";
	FILE *f;

	snprintf(command, sizeof(command), "nm %s/%s | sed -n 's/ [tT] %s$//p'", dir, program, symbol);
	f = popen(command, "r");
	assert_non_null(f);
	assert_non_null(fgets(line, sizeof(line), f));
	pclose(f);
	return strtoull(line, NULL, 16);
}

/*
 * What the linker dropped is in the line table, at 0, and longer here than what is below the code: its rows must
 * not mix with those of what was kept.
 */
static void test_dropped(void **state)
{
	struct lines_frame frames[LINES_DEPTH_MAX];
	struct lines *l;
	uint64_t start;

	(void)state;
	build("awk 'BEGIN { print \"volatile int v; void dropped(void) {\"; for (i = 0; i < 3000; i++) print \"v++;\"\n"
	      "print \"}\" }' | cat - a.c >drop.c && "
	      "cc -g -O2 -ffunction-sections -Wl,--gc-sections -o drop drop.c && ! nm drop | grep -q ' dropped$'");
	l = lines_of("drop");
	start = address_of("drop", "work");
	assert_in_range(start, 1, 9000);
	for (uint64_t addr = start; addr < start + 24; addr++) {
		size_t nr = lines_find(l, addr, frames);

		assert_true(nr > 0);
		if (frames[nr - 1].line)
			assert_in_range(frames[nr - 1].line, 3003, 3020);
	}
	lines_close(l);
}

/* What two programs have in common is in a third file. */
static void test_shared(void **state)
{
	struct lines_frame shared[LINES_DEPTH_MAX], own[LINES_DEPTH_MAX];
	struct lines *a, *b;
	unsigned deep = 0;
	uint64_t start;

	(void)state;
	build("c++ -g -gdwarf-4 -O2 -Wl,--build-id -o d1 b.cc && sed s/x/y/ b.cc >c.cc && "
	      "c++ -g -gdwarf-4 -O2 -Wl,--build-id -o d2 c.cc && cp d1 d0 && "
	      "dwz -m common.debug -M common.debug d1 d2");
	a = lines_of("d0");
	b = lines_of("d1");
	start = address_of("d0", "main");
	for (uint64_t addr = start; addr < start + 128; addr++) {
		size_t nr = lines_find(a, addr, own);

		assert_int_equal(lines_find(b, addr, shared), nr);
		deep += nr > 1;
		for (size_t i = 0; i < nr; i++) {
			assert_string_equal(shared[i].name, own[i].name);
			assert_string_equal(shared[i].file, own[i].file);
			assert_int_equal(shared[i].line, own[i].line);
		}
	}
	assert_true(deep > 0);
	lines_close(a);
	lines_close(b);
}

static void test_none(void **state)
{
	struct err err = {0};
	struct lines *l;

	(void)state;
	build("cc -O2 -o bare a.c && strip bare");
	assert_int_equal(try_open("bare", &l, &err), -ENOENT);
	assert_null(l);
	assert_non_null(strstr(err.text, "no debug information"));
	assert_int_equal(try_open("a.c", &l, &err), -EINVAL);
}

/* --- names and ranges --------------------------------------------------------------------- */

static void test_names(void **state)
{
	struct lines_frame frames[LINES_DEPTH_MAX];
	uint64_t start;
	bool deep = false;
	struct lines *l;

	(void)state;
	build("cc -g -O2 -o names a.c");
	l = lines_of("names");
	start = address_of("names", "work");
	for (uint64_t addr = start; addr < start + 64; addr++) {
		size_t nr = lines_find(l, addr, frames);

		if (nr != 3 || strcmp(frames[0].name, "work"))
			continue;
		deep = true;
		assert_string_equal(frames[1].name, "four");
		assert_string_equal(frames[2].name, "twice");
		assert_int_equal(frames[0].line, 12);
		assert_int_equal(frames[1].line, 6);
		assert_int_equal(frames[2].line, 3);
	}
	assert_true(deep);
	assert_int_equal(lines_find(l, 0, frames), 0);
	assert_int_equal(lines_find(l, UINT64_MAX, frames), 0);
	lines_close(l);
}

static void test_range(void **state)
{
	struct lines_frame frames[LINES_DEPTH_MAX];
	uint64_t start;
	struct lines_row *rows;
	struct lines *l;
	size_t nr;

	(void)state;
	build("cc -g -O2 -o range a.c");
	l = lines_of("range");
	start = address_of("range", "work");
	assert_int_equal(lines_range(l, start + 1, start + 40, &rows, &nr), 0);
	assert_true(nr >= 3);
	assert_int_equal(rows[0].addr, start + 1);
	for (size_t i = 0; i < nr; i++) {
		size_t n = lines_find(l, rows[i].addr, frames);

		assert_true(rows[i].addr < start + 40);
		assert_true(!i || rows[i].addr > rows[i - 1].addr);
		assert_true(n > 0);
		assert_int_equal(frames[n - 1].line, rows[i].line);
		assert_string_equal(frames[n - 1].file, rows[i].file);
	}
	free(rows);
	assert_int_equal(lines_range(l, 1, 2, &rows, &nr), 0);
	assert_int_equal(nr, 0);
	free(rows);
	lines_close(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_versions),   cmocka_unit_test(test_cplusplus),
		cmocka_unit_test(test_clang),	   cmocka_unit_test(test_sections),
		cmocka_unit_test(test_lto),	   cmocka_unit_test(test_compressed),
		cmocka_unit_test(test_zstd),	   cmocka_unit_test(test_debuglink),
		cmocka_unit_test(test_dropped),
		cmocka_unit_test(test_shared),   cmocka_unit_test(test_none),	   cmocka_unit_test(test_names),
		cmocka_unit_test(test_range),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
