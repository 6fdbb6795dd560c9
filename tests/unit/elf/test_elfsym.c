/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fixtures are built here by the machine's own tools; a test whose tool is missing is skipped. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
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

#include "files/elf/elfsym.h"
#include "tests/sandboxed.h"
#include "tests/images.h"
#include "tests/shell.h"
#include "tests/skip.h"

static char dir[] = "/tmp/ringtop-test-XXXXXX";

#define run(...) shell_run(dir, __VA_ARGS__)

static void in_dir(char *path, size_t size, const char *name)
{
	snprintf(path, size, "%s/%s", dir, name);
}

static int setup(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	/* inner is static: in .symtab only.  outer is exported: in .dynsym, too. */
	return run("cat >a.c <<'EOF'\n"
		   "#include <stdlib.h>\n"
		   "#include <stdio.h>\n"
		   "static __attribute__((noinline)) int inner(int x) { return puts(\"a\") + x; }\n"
		   "int outer(int x) { return inner(x) + (getenv(\"A\") != NULL); }\n"
		   "int main(int n, char **v) { (void)v; return outer(n) > 99; }\n"
		   "EOF\n"
		   "cc -O1 -rdynamic -Wl,--build-id=sha1 -o a a.c && cp a whole && strip a")
		       ? 0
		       : -1;
}

static int teardown(void **state)
{
	(void)state;
	return shell_remove(dir);
}

static int load_below(const char *name, const char *root, struct elfsym *e, struct err *err)
{
	char path[128];
	int fd, ret;

	in_dir(path, sizeof(path), name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	ret = symbols_of_fd(fd, root ? path + strlen(dir) : path, root, NULL, e, err);
	close(fd);
	return ret;
}

static void load(const char *name, const char *root, struct elfsym *e)
{
	struct err err = {0};

	if (load_below(name, root, e, &err))
		fail_msg("%s: %s", name, err.text);
}

/* The address of a name; 0: not there. */
static uint64_t address_of(const struct elfsym *e, const char *name)
{
	struct symtab_entry s, found;

	for (size_t i = 0; i < symtab_count(e->symtab); i++) {
		symtab_at(e->symtab, i, &s);
		if (strcmp(s.name, name) != 0)
			continue;
		assert_true(symtab_find(e->symtab, s.addr, &found));
		assert_string_equal(found.name, name);
		return s.addr;
	}
	return 0;
}

/* Every function that nm sees has our name or shares its address with one that has. */
static void check_against_nm(const char *name, const struct elfsym *e)
{
	char line[1024], command[256], symbol[900], type;
	unsigned long long addr;
	struct symtab_entry s;
	unsigned n = 0;
	FILE *nm;

	snprintf(command, sizeof(command), "nm --defined-only %s/%s", dir, name);
	nm = popen(command, "r");
	assert_non_null(nm);
	while (fgets(line, sizeof(line), nm)) {
		if (sscanf(line, "%llx %c %899s", &addr, &type, symbol) != 3 || !strchr("tTW", type))
			continue;
		n += symtab_find(e->symtab, addr, &s) && s.addr == addr &&
		     strcmp(s.name, symbol) == 0;
	}
	pclose(nm);
	assert_true(n >= 4); /* _start, inner, outer, main at the least */
}

static void test_symtab(void **state)
{
	struct elfsym e;

	(void)state;
	load("whole", NULL, &e);
	assert_string_equal(e.source, ".symtab");
	assert_true(address_of(&e, "inner") && address_of(&e, "outer") && address_of(&e, "main"));
	check_against_nm("whole", &e);
	assert_int_equal(e.build_id.len, 20);
	elfsym_clear(&e);
}

/* Begin and end of a function, as the symbols have it that were there before strip. */
static uint64_t nm_range(const char *file, const char *name, uint64_t *end)
{
	char line[1024], command[256], symbol[900];
	unsigned long long addr = 0, size = 0;
	FILE *nm;

	snprintf(command, sizeof(command), "nm -S %s/%s", dir, file);
	nm = popen(command, "r");
	assert_non_null(nm);
	while (fgets(line, sizeof(line), nm))
		if (sscanf(line, "%llx %llx %*c %899s", &addr, &size, symbol) == 3 && !strcmp(symbol, name))
			break;
	pclose(nm);
	assert_string_equal(symbol, name);
	*end = addr + size;
	return addr;
}

/* How many names nm has for the function at this address, by their size as well. */
static unsigned nm_names(const char *file, uint64_t addr, uint64_t size)
{
	char line[1024], command[256];
	unsigned long long at, bytes;
	unsigned n = 0;
	FILE *nm;

	snprintf(command, sizeof(command), "nm -S %s/%s | sort -u", dir, file);
	nm = popen(command, "r");
	assert_non_null(nm);
	while (fgets(line, sizeof(line), nm))
		n += sscanf(line, "%llx %llx", &at, &bytes) == 2 && at == addr && bytes == size;
	pclose(nm);
	return n;
}

/* Each function of a program has as many names as nm counts; that at `name`'s address `least` or more. */
static void check_several(const char *file, const char *name, unsigned least)
{
	uint64_t end, at = nm_range(file, name, &end);
	struct symtab_entry s;
	unsigned sized = 0;
	struct elfsym e;

	load(file, NULL, &e);
	for (size_t i = 0; i < symtab_count(e.symtab); i++) {
		unsigned n;

		symtab_at(e.symtab, i, &s);
		n = nm_names(file, s.addr, s.size);
		symtab_names(e.symtab, &s);
		if (!n) /* nm has no size for it */
			continue;
		sized++;
		assert_int_equal(s.names, n);
		assert_true(s.addr != at || s.names >= least);
	}
	assert_true(sized >= 4);
	elfsym_clear(&e);
}

/* Aliases by the compiler, in .symtab and .dynsym; then functions that the linker folds. */
static void test_several(void **state)
{
	(void)state;
	if (!run("cat >several.c <<'EOF'\n"
		 "#define ALSO __attribute__((alias(\"one\")))\n"
		 "int one(int x) { return x * 3; }\n"
		 "int two(int) ALSO; int three(int) ALSO; int four(int) ALSO;\n"
		 "int __five(int) __attribute__((weak)) ALSO;\n"
		 "static int six(int) ALSO;\n"
		 "int fold(int x) { return x * 7 + 1; }\nint like(int x) { return x * 7 + 1; }\n"
		 "int main(int n, char **v) { (void)v; return six(n) + fold(n) + like(n); }\n"
		 "EOF\n"
		 "cc -O1 -rdynamic -ffunction-sections -fno-ipa-icf -o several several.c"))
		SKIP("no aliases here");
	check_several("several", "one", 6);
	check_several("several", "fold", 1);
	if (run("cc -O1 -ffunction-sections -fno-ipa-icf -fuse-ld=gold -Wl,--icf=all "
		"-o folded several.c"))
		check_several("folded", "fold", 2);
}

/* A symbol without a size reaches to the next one, but not over functions that .eh_frame knows and that have none. */
static void test_sizeless(void **state)
{
	static const char *const hidden[] = {"hid1", "hid2"};
	struct symtab_entry s;
	uint64_t addr, end, first = UINT64_MAX;
	struct elfsym e;

	(void)state;
	if (!run("cat >hid.c <<'EOF'\n"
		 "static __attribute__((noinline)) int hid1(int x) { for (int i = 0; i < 999; i++) x = x * 7 + 1; return x; }\n"
		 "static __attribute__((noinline)) int hid2(int x) { for (int i = 0; i < 999; i++) x = (x >> 3) ^ i; return x; }\n"
		 "void bare(void);\nint entry(int x) { bare(); return hid2(hid1(x)); }\n"
		 "EOF\n"
		 "printf '\t.text\n\t.globl bare\n\t.type bare,%%%%function\nbare:\n\t.rept 40\n\tnop\n\t.endr\n' >bare.s\n"
		 "echo '\t.section .note.GNU-stack' >>bare.s\n"
		 "cc -O1 -shared -fPIC -o named.so bare.s hid.c && cp named.so bare.so && strip bare.so && "
		 "cc -O1 -shared -fPIC -Wl,--no-eh-frame-hdr -o nohdr.so bare.s hid.c && strip nohdr.so"))
		SKIP("cannot build it");
	load("bare.so", NULL, &e);
	for (unsigned i = 0; i < 2; i++) {
		addr = nm_range("named.so", hidden[i], &end);
		first = addr < first ? addr : first;
		for (; addr < end; addr++)
			assert_false(symtab_find(e.symtab, addr, &s));
	}
	addr = address_of(&e, "bare");
	assert_true(addr && addr < first);
	assert_true(symtab_find(e.symtab, addr + 39, &s));
	assert_string_equal(s.name, "bare");
	assert_int_equal(s.addr + s.size, first);
	assert_true(address_of(&e, "entry"));
	elfsym_clear(&e);
	/* Where nothing says better, perf's rule holds. */
	load("nohdr.so", NULL, &e);
	assert_true(symtab_find(e.symtab, first, &s));
	assert_string_equal(s.name, "bare");
	elfsym_clear(&e);
}

static void test_dynsym_only(void **state)
{
	struct elfsym e;

	(void)state;
	load("a", NULL, &e);
	assert_string_equal(e.source, ".dynsym");
	assert_true(address_of(&e, "outer"));
	assert_false(address_of(&e, "inner"));
	elfsym_clear(&e);
}

static void test_plt(void **state)
{
	struct elfsym e, dynamic;

	(void)state;
#if !defined(__x86_64__) && !defined(__i386__) && !defined(__aarch64__)
	SKIP("PLTs of this machine are not read");
#endif
	load("whole", NULL, &e);
	load("a", NULL, &dynamic);
	assert_true(address_of(&e, "puts@plt"));
	assert_true(address_of(&e, "getenv@plt"));
	assert_int_equal(address_of(&e, "puts@plt"), address_of(&dynamic, "puts@plt"));
	elfsym_clear(&e);
	elfsym_clear(&dynamic);
}

/* Names from objdump, whose decoder is not ours, for each way to link. */
static void check_plt(const char *flags)
{
	char command[256], line[1024], name[900];
	unsigned long long addr;
	struct symtab_entry s;
	unsigned n = 0;
	struct elfsym e;
	FILE *objdump;

	if (!run("cc -O1 %s -o plt a.c && command -v objdump", flags))
		return;
	load("plt", NULL, &e);
	snprintf(command, sizeof(command), "objdump -d %s/plt", dir);
	objdump = popen(command, "r");
	assert_non_null(objdump);
	while (fgets(line, sizeof(line), objdump)) {
		if (sscanf(line, "%llx <%899[^>]>:", &addr, name) != 2 || strlen(name) < 5 ||
		    strcmp(name + strlen(name) - 4, "@plt") != 0)
			continue;
		assert_true(symtab_find(e.symtab, addr, &s));
		assert_string_equal(s.name, name);
		assert_true(s.addr == addr);
		n++;
	}
	pclose(objdump);
	if (n < 2)
		fail_msg("%s: %u entries", flags, n);
	elfsym_clear(&e);
}

static void test_plt_layouts(void **state)
{
	static const char *const flags[] = {
		"-no-pie", "-Wl,-z,now", "-Wl,-z,lazy", "-fuse-ld=lld", "-fuse-ld=gold",
#if defined(__x86_64__)
		"-fcf-protection -Wl,-z,ibtplt", "-m32", "-m32 -no-pie",
		"-m32 -fcf-protection -Wl,-z,ibtplt", "-m32 -Wl,-z,now",
#endif
	};

	(void)state;
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		check_plt(flags[i]);
}

static void test_plt_aarch64(void **state)
{
	struct elfsym e;

	(void)state;
	if (!run("cat >b.s <<'EOF'\n.globl f\n.type f,@function\nf: bl puts\n bl exit\n ret\n"
		 ".size f,.-f\nEOF\n"
		 "clang --target=aarch64-linux-gnu -c b.s && ld.lld -shared -o b.so b.o && "
		 "ld.lld -shared -z force-bti -o bti.so b.o"))
		SKIP("no clang and lld for aarch64");
	load("b.so", NULL, &e);
	assert_true(address_of(&e, "f"));
	assert_true(address_of(&e, "puts@plt"));
	assert_int_equal(address_of(&e, "exit@plt"), address_of(&e, "puts@plt") + 16);
	elfsym_clear(&e);
}

static void test_debugdata(void **state)
{
	struct elfsym e, whole;

	(void)state;
	if (!run("objcopy -S --keep-symbol=inner whole mini && rm -f mini.xz && xz mini && "
		 "objcopy --add-section .gnu_debugdata=mini.xz a small"))
		SKIP("no objcopy, or no xz");
	load("small", NULL, &e);
	load("whole", NULL, &whole);
	assert_string_equal(e.source, ".dynsym and .gnu_debugdata");
	assert_int_equal(address_of(&e, "inner"), address_of(&whole, "inner"));
	assert_int_equal(address_of(&e, "outer"), address_of(&whole, "outer"));
	elfsym_clear(&e);
	elfsym_clear(&whole);
}

/* A broken one costs its own symbols and no others. */
static void test_debugdata_broken(void **state)
{
	static const char *const commands[] = {
		"head -c 300 mini.xz >cut", "head -c 100000 /dev/zero | xz >cut", "echo x >cut",
		"head -c 90000000 /dev/zero | xz >cut",
	};
	struct elfsym e;

	(void)state;
	if (!run("objcopy -S --keep-symbol=inner whole mini && rm -f mini.xz && xz mini"))
		SKIP("no objcopy, or no xz");
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		assert_true(run("%s && objcopy --add-section .gnu_debugdata=cut a small",
				commands[i]));
		load("small", NULL, &e);
		assert_true(address_of(&e, "outer"));
		assert_string_equal(e.source, ".dynsym");
		elfsym_clear(&e);
	}
}

static void build_id_path(char *path, size_t size, const struct elfsym *e)
{
	size_t n = (size_t)snprintf(path, size, "usr/lib/debug/.build-id/%02x/", e->build_id.bytes[0]);

	for (unsigned i = 1; i < e->build_id.len; i++)
		n += (size_t)snprintf(path + n, size - n, "%02x", e->build_id.bytes[i]);
	snprintf(path + n, size - n, ".debug");
}

static void test_build_id(void **state)
{
	char path[128];
	struct elfsym e;

	(void)state;
	load("a", dir, &e);
	assert_string_equal(e.source, ".dynsym");
	build_id_path(path, sizeof(path), &e);
	elfsym_clear(&e);

	assert_true(run("mkdir -p $(dirname %s) && objcopy --only-keep-debug whole %s", path, path));
	load("a", dir, &e);
	assert_string_equal(e.source + 1, path);
	assert_true(address_of(&e, "inner"));
	assert_true(address_of(&e, "puts@plt"));
	elfsym_clear(&e);

	/* Another program's symbols under that name */
	assert_true(run("cc -O2 -DX -Wl,--build-id=0x0102030405 -o other a.c && "
			"objcopy --only-keep-debug other %s", path));
	load("a", dir, &e);
	assert_string_equal(e.source, ".dynsym");
	assert_false(address_of(&e, "inner"));
	elfsym_clear(&e);

	/* One without a build id proves nothing either */
	assert_true(run("cc -O1 -Wl,--build-id=none -o other a.c && cp other %s", path));
	load("a", dir, &e);
	assert_string_equal(e.source, ".dynsym");
	elfsym_clear(&e);
	assert_true(run("rm -r usr"));
}

/* Links in paths lead where they lead the process, not into our own tree. */
static void test_build_id_links(void **state)
{
	char path[128];
	struct elfsym e;

	(void)state;
	load("a", dir, &e);
	build_id_path(path, sizeof(path), &e);
	elfsym_clear(&e);
	assert_true(run("mkdir -p $(dirname %s) && objcopy --only-keep-debug whole stored && "
			"ln -s /stored %s", path, path));
	load("a", dir, &e);
	if (!strcmp(e.source, ".dynsym")) { /* a kernel before 5.6 */
		elfsym_clear(&e);
		SKIP("a kernel before 5.6");
	}
	assert_true(address_of(&e, "inner"));
	elfsym_clear(&e);
	assert_true(run("rm -r usr"));
}

static void check_link(const char *place, bool found)
{
	struct elfsym e;

	assert_true(run("mkdir -p $(dirname %s) && mv linked.debug %s", place, place));
	load("linked", dir, &e);
	if (found)
		assert_string_equal(e.source + 1, place);
	else
		assert_string_equal(e.source, ".dynsym");
	assert_int_equal(address_of(&e, "inner") != 0, found);
	elfsym_clear(&e);
	assert_true(run("mv %s linked.debug", place));
}

static void test_debuglink(void **state)
{
	(void)state;
	assert_true(run("rm -rf linked.debug && cc -O1 -rdynamic -Wl,--build-id=none -o linked a.c && "
			"objcopy --only-keep-debug linked linked.debug && strip linked && "
			"objcopy --add-gnu-debuglink=linked.debug linked"));
	check_link("linked.debug.of.another", false);
	check_link(".debug/linked.debug", true);
	check_link("usr/lib/debug/linked.debug", true);
	check_link("elsewhere/linked.debug", false);
	assert_true(run("cp linked.debug kept && printf x >>linked.debug")); /* the CRC is wrong */
	check_link(".debug/linked.debug", false);
	check_link("usr/lib/debug/linked.debug", false);
	assert_true(run("rm -r usr .debug linked.debug && mkfifo linked.debug"));
	check_link("linked.debug.d/linked.debug", false);
	check_link(".debug/linked.debug", false); /* and does not wait for a writer */
	assert_true(run("rm linked.debug; mkdir linked.debug"));
	check_link(".debug/linked.debug", false);
}

static void test_32bit(void **state)
{
	struct elfsym e;

	(void)state;
	if (!run("cc -m32 -O1 -o a32 a.c"))
		SKIP("no compiler for 32 bits");
	load("a32", NULL, &e);
	assert_true(e.is_32bit);
	assert_true(address_of(&e, "inner") && address_of(&e, "outer"));
	check_against_nm("a32", &e);
	elfsym_clear(&e);
}

static void test_static_pie(void **state)
{
	struct elfsym e;

	(void)state;
	if (!run("cc -static-pie -O1 -o pie a.c"))
		SKIP("no static-pie");
	load("pie", NULL, &e);
	assert_true(address_of(&e, "inner") && address_of(&e, "exit"));
	check_against_nm("pie", &e);
#if defined(__x86_64__)
	assert_true(address_of(&e, "strlen@plt")); /* chosen at start-up, named by its symbol */
#endif
	elfsym_clear(&e);
}

static void test_cxx(void **state)
{
	struct elfsym e;

	(void)state;
	if (!run("echo 'namespace n { template <class T> struct s { s(T); T v; }; template <class T>"
		 " s<T>::s(T x) : v(x) {} } int main() { return n::s<int>(1).v; }' >c.cc && "
		 "c++ -O0 -o c c.cc"))
		SKIP("no C++ compiler");
	load("c", NULL, &e);
	assert_true(address_of(&e, "_ZN1n1sIiEC1Ei") || address_of(&e, "_ZN1n1sIiEC2Ei"));
	elfsym_clear(&e);
}

/* Code without types: labels count, but those that are hidden, or in sections of other names. */
static void test_assembly(void **state)
{
	struct elfsym e;
	struct symtab_entry s;
	uint64_t f;

	(void)state;
	if (!run("cat >asm.s <<'EOF'\n.text\n.globl typeless, typed, _start, hidden\n"
		 ".hidden hidden\n"
		 "_start:\ntypeless: .skip 16\nlabel: .skip 16\nhidden: .skip 16\n"
		 ".type typed,@function\ntyped: .skip 16\n.type table,@object\n"
		 "table: .skip 16\n.size table,16\n.skip 16\n"
		 ".section .other,\"ax\"\n.type other,@function\nother: .skip 16\n"
		 "within: .skip 16\n"
		 ".data\n.globl object\nobject: .skip 8\nEOF\n"
		 "cc -nostdlib -static -o asm asm.s"))
		SKIP("no assembler for this");
	load("asm", NULL, &e);
	f = address_of(&e, "label");
	assert_true(f);
	assert_true(symtab_find(e.symtab, f - 1, &s));
	assert_string_equal(s.name, "_start"); /* global too, and added last */
	assert_true(symtab_find(e.symtab, f + 31, &s));
	assert_string_equal(s.name, "label");
	f = address_of(&e, "typed");
	assert_true(symtab_find(e.symtab, f + 15, &s));
	assert_string_equal(s.name, "typed");
	assert_true(symtab_find(e.symtab, f + 16, &s));
	assert_string_equal(s.name, "table");
	assert_false(symtab_find(e.symtab, f + 32, &s));
	f = address_of(&e, "other");
	assert_true(symtab_find(e.symtab, f + 31, &s));
	assert_string_equal(s.name, "other");
	assert_false(address_of(&e, "object"));
	elfsym_clear(&e);
}

static void test_many(void **state)
{
	struct elfsym e;

	(void)state;
	assert_true(run("awk 'BEGIN { for (i = 0; i < 20000; i++) printf \".globl function_%%d\\n.type function_%%d,"
			"@function\\nfunction_%%d: .zero 8\\n.size function_%%d,8\\n\", i, i, i, i }' "
			">many.s && cc -shared -nostdlib -o many many.s"));
	load("many", NULL, &e);
	assert_true(symtab_count(e.symtab) >= 20000);
	assert_true(address_of(&e, "function_0") && address_of(&e, "function_19999"));
	assert_true(symtab_bytes(e.symtab) < 20000 * (16 + sizeof("function_19999")) + 8192);
	elfsym_clear(&e);
}

static void test_vaddr(void **state)
{
	struct elfsym e;
	uint64_t main_at, vaddr;

	(void)state;
	assert_true(run("cc -no-pie -O1 -o fixed a.c"));
	load("fixed", NULL, &e);
	main_at = address_of(&e, "main");
	assert_true(e.nsegments >= 1);
	for (unsigned i = 0; i < e.nsegments; i++)
		if (main_at - e.segments[i].vaddr < e.segments[i].filesz) {
			assert_true(elfsym_vaddr(&e, main_at - e.segments[i].vaddr +
						 e.segments[i].offset, &vaddr));
			assert_true(vaddr == main_at);
		}
	assert_false(elfsym_vaddr(&e, 1ull << 40, &vaddr));
	elfsym_clear(&e);
}

static void test_vdso(void **state)
{
	const char *vdso = (const char *)getauxval(AT_SYSINFO_EHDR);
	struct elfsym e;

	(void)state;
	if (!vdso)
		SKIP("no vdso");
	assert_int_equal(symbols_of_memory(vdso, 4096, &e, NULL), -EINVAL);
	assert_int_equal(symbols_of_memory(vdso, 8192, &e, NULL), 0);
	assert_true(symtab_count(e.symtab) >= 2);
	elfsym_clear(&e);
}

static void test_refused(void **state)
{
	static const struct {
		const char *command;
		int code;
	} files[] = {
		{"> bad", EINVAL},
		{"echo hello > bad", EINVAL},
		{"head -c 63 whole > bad", EINVAL},
		{"head -c 4000 whole > bad", EINVAL},
		{"cc -c -o bad a.c", EINVAL},
		{"head -c 16 whole >bad && head -c 100000 /dev/zero | tr '\\0' '\\377' >>bad", EINVAL},
	};
	struct elfsym e;
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		assert_true(run("%s", files[i].command));
		assert_int_equal(load_below("bad", NULL, &e, &err), -files[i].code);
		assert_non_null(strstr(err.text, "/bad"));
	}
	assert_int_equal(load_below(".", NULL, &e, &err), -EINVAL);
}

static uint8_t *read_file(const char *name, size_t *len)
{
	char path[128];
	struct stat st;
	uint8_t *data;
	int fd;

	in_dir(path, sizeof(path), name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	*len = (size_t)st.st_size;
	data = malloc(*len);
	assert_non_null(data);
	assert_int_equal(read(fd, data, *len), *len);
	close(fd);
	return data;
}

/* Two libraries stored in an archive, at pages: each is the one whose code is asked for, and no other. */
static void test_stored(void **state)
{
	static const size_t base[] = {0x3000, 0x3000 + (1u << 20)};
	size_t len, size = 2u << 20;
	uint8_t *file = read_file("whole", &len), *archive = calloc(1, size);
	struct elfsym e, alone;
	uint64_t at, vaddr;
	struct image im;
	struct err err;

	(void)state;
	assert_non_null(archive);
	assert_true(len < 1u << 20);
	assert_int_equal(symbols_of_memory(file, len, &alone, NULL), 0);
	memcpy(archive, "PK\3\4", 4);
	for (unsigned i = 0; i < 2; i++)
		memcpy(archive + base[i], file, len);
	for (unsigned i = 0; i < 2; i++) {
		at = base[i] + alone.segments[0].offset;
		im = image_from_memory(archive, size, NULL);
		im.at = at;
		assert_int_equal(symbols_of(im, &e, NULL), 0);
		assert_int_equal(symtab_count(e.symtab), symtab_count(alone.symtab));
		assert_true(elfsym_vaddr(&e, at + 8, &vaddr));
		assert_int_equal(vaddr, alone.segments[0].vaddr + 8);
		assert_false(elfsym_vaddr(&e, base[!i] + alone.segments[0].offset, &vaddr));
		elfsym_clear(&e);
	}
	im = image_from_memory(archive, size, NULL);
	im.at = 0x1000; /* the place is before both */
	assert_int_equal(symbols_of(im, &e, &err), -EINVAL);
	assert_non_null(strstr(err.text, "none at its beginning, nor one with the code at 0x1000"));
	im = image_from_memory(file, len, NULL); /* bytes that begin as an object are that one */
	im.at = alone.segments[0].offset;
	assert_int_equal(symbols_of(im, &e, NULL), 0);
	elfsym_clear(&e);
	elfsym_clear(&alone);
	free(archive);
	free(file);
}

static void try_image(const uint8_t *data, size_t len)
{
	uint8_t *copy = malloc(len ? len : 1); /* of its very size, for the address sanitizer */
	struct elfsym e;
	int ret;

	assert_non_null(copy);
	memcpy(copy, data, len);
	ret = symbols_of_memory(copy, len, &e, NULL);
	if (!ret)
		elfsym_clear(&e);
	else
		assert_true(ret == -EINVAL || ret == -EFBIG);
	free(copy);
}

static void test_truncated(void **state)
{
	size_t len;
	uint8_t *data = read_file("whole", &len);

	(void)state;
	for (size_t n = 0; n < len; n += n < 1200 ? 1 : 97)
		try_image(data, n);
	free(data);
}

static void flip(const char *name)
{
	uint64_t x = 88172645463325252ull;
	size_t len;
	uint8_t *data = read_file(name, &len), *broken = malloc(len);

	assert_non_null(broken);
	for (unsigned round = 0; round < 3000; round++) {
		memcpy(broken, data, len);
		for (unsigned i = 0; i <= round % 8; i++) {
			size_t area;

			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			/* mostly the headers at both ends */
			area = x % 3 == 0 ? len : 2200;
			area = (x >> 8) % area;
			broken[x % 3 == 1 ? len - 1 - area : area] ^= (uint8_t)(1u << (x >> 40) % 8);
		}
		try_image(broken, len);
	}
	free(broken);
	free(data);
}

static void test_flipped(void **state)
{
	(void)state;
	flip("whole");
	flip("a");
	if (run("cc -m32 -O1 -o a32 a.c"))
		flip("a32");
}

/* The file shrinks after it was opened. */
static void test_shrinking(void **state)
{
	char path[128];
	struct elfsym e;
	int fd;

	(void)state;
	assert_true(run("cp whole shrinks"));
	in_dir(path, sizeof(path), "shrinks");
	fd = open(path, O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 5000), 0);
	assert_int_equal(symbols_of_fd(fd, path, NULL, NULL, &e, NULL), -EINVAL);
	close(fd);
}

/* A sparse file whose headers promise more than anyone should allocate. */
static void test_promises(void **state)
{
	Elf64_Ehdr header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64},
			     .e_type = ET_DYN, .e_machine = EM_X86_64, .e_shoff = 4096,
			     .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 3};
	Elf64_Shdr sections[3] = {
		{0},
		{.sh_type = SHT_SYMTAB, .sh_link = 2, .sh_entsize = sizeof(Elf64_Sym),
		 .sh_size = 1ull << 40, .sh_offset = 8192},
		{.sh_type = SHT_STRTAB, .sh_size = 1ull << 40, .sh_offset = 8192},
	};
	struct elfsym e;
	char path[128];
	int fd;

	(void)state;
	in_dir(path, sizeof(path), "sparse");
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	header.e_ident[EI_DATA] = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB
									     : ELFDATA2MSB;
	if (ftruncate(fd, 1ll << 42)) {
		close(fd);
		SKIP("no files of 4 TB here");
	}
	assert_int_equal(pwrite(fd, &header, sizeof(header), 0), sizeof(header));
	assert_int_equal(pwrite(fd, sections, sizeof(sections), 4096), sizeof(sections));
	assert_int_equal(symbols_of_fd(fd, path, NULL, NULL, &e, NULL), -EFBIG);
	header.e_shnum = 0; /* then the first section's size is their number */
	sections[0].sh_size = 1ull << 32;
	assert_int_equal(pwrite(fd, &header, sizeof(header), 0), sizeof(header));
	assert_int_equal(pwrite(fd, sections, sizeof(sections), 4096), sizeof(sections));
	assert_int_equal(symbols_of_fd(fd, path, NULL, NULL, &e, NULL), -EFBIG);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_symtab),		cmocka_unit_test(test_sizeless), cmocka_unit_test(test_dynsym_only),
		cmocka_unit_test(test_several),
		cmocka_unit_test(test_plt),		cmocka_unit_test(test_plt_layouts),
		cmocka_unit_test(test_plt_aarch64),	cmocka_unit_test(test_debugdata),
		cmocka_unit_test(test_debugdata_broken), cmocka_unit_test(test_build_id),
		cmocka_unit_test(test_build_id_links),	cmocka_unit_test(test_debuglink),
		cmocka_unit_test(test_32bit),		cmocka_unit_test(test_static_pie),
		cmocka_unit_test(test_cxx),		cmocka_unit_test(test_assembly),
		cmocka_unit_test(test_many),		cmocka_unit_test(test_vaddr),
		cmocka_unit_test(test_vdso),		cmocka_unit_test(test_refused), cmocka_unit_test(test_stored),
		cmocka_unit_test(test_truncated),	cmocka_unit_test(test_flipped),
		cmocka_unit_test(test_shrinking),	cmocka_unit_test(test_promises),
	};

	int failed = cmocka_run_group_tests_name("in this process", tests, setup, NULL);

	failed += cmocka_run_group_tests_name("by a helper", tests, sandboxed_setup_all, NULL);
	sandbox_end();
	return failed + !!teardown(NULL);
}
