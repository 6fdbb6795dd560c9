/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "names/kernel/kernelfile.h"
#include "tests/skip.h"

#define LINKED 0xffffffff81000000ull /* where the files have the kernel */
#define MOVED  0x2c00000ull          /* by KASLR, in the recording */
#define STOOD  (LINKED + MOVED)
#define MODULE 0xffffffffc0300000ull

static char dir[] = "/tmp/ringtop-test-XXXXXX";
static char vmlinux[64], kallsyms[64];

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static int setup(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(vmlinux, sizeof(vmlinux), "%s/vmlinux", dir);
	snprintf(kallsyms, sizeof(kallsyms), "%s/kallsyms", dir);
	return 0;
}

static int teardown(void **state)
{
	char command[80];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", dir);
	return system(command);
}

/* An ELF file with _text, first_function at 0x1000 and second_function at 0x2000 behind it. */
static void make_vmlinux(const char *flags)
{
	char command[900];

	snprintf(command, sizeof(command),
		 "cd %s && cat >v.s <<'EOF'\n"
		 ".text\n.globl _text, first_function, second_function\n_text: .skip 0x1000\n"
		 ".type first_function,@function\nfirst_function: .skip 0x1000\n"
		 ".type second_function,@function\nsecond_function: .skip 0x1000\nEOF\n"
		 "${CC:-cc} -nostdlib -static -no-pie -Wl,-Ttext=0x%llx,-e,_text "
		 "-Wl,--build-id=0x0102030405060708090a0b0c0d0e0f1011121314 %s -o vmlinux v.s",
		 dir, LINKED, flags);
	if (system(command))
		SKIP("no assembler for this");
}

static void make_kallsyms(uint64_t text, const char *names)
{
	char content[600];

	snprintf(content, sizeof(content),
		 "%llx T _stext\n%llx T %s\n%llx T first_function\n%llx T second_function\n"
		 "%llx t module_function\t[some_module]\n",
		 (unsigned long long)text, (unsigned long long)text, names,
		 (unsigned long long)text + 0x1000, (unsigned long long)text + 0x2000,
		 (unsigned long long)MODULE + 0x40);
	write_file(kallsyms, content);
}

/* What a recording says of its kernel, which stood `moved` from where it is linked. */
static struct kmaps recorded(uint64_t moved)
{
	struct record_mmap kernel = {.addr = LINKED + moved, .len = 0x4000, .pgoff = LINKED + moved,
				     .filename = "[kernel.kallsyms]_text"};
	struct record_mmap module = {.addr = MODULE, .len = 0x1000,
				     .filename = "/lib/modules/6.1/kernel/some-module.ko.xz"};
	struct kmaps m = {.nr = 0};

	assert_true(kmaps_mmap(&m, &kernel, 0));
	assert_true(kmaps_mmap(&m, &module, 0));
	return m;
}

static const char *name_at(const struct kernel *k, const struct kmaps *m, uint64_t ip)
{
	struct symtab_entry e = {.name = ""};

	return kernelfile_find(k, m, kmaps_find(m, ip, KMAPS_NOW), ip, &e) ? e.name : "";
}

static const char *why_not(const struct kernel *k, const struct kmaps *m, uint64_t ip)
{
	const char *why = NULL;
	uint64_t moved;

	assert_null(kernelfile_symbols(k, m, kmaps_find(m, ip, KMAPS_NOW), &moved, &why));
	assert_non_null(why);
	return why;
}

static void test_vmlinux(void **state)
{
	struct kernelfile_config c = {.vmlinux = vmlinux};
	struct kernel k = {.why = strdup("no kallsyms")};
	struct kmaps m = recorded(MOVED);
	struct err err;

	(void)state;
	make_vmlinux("");
	assert_int_equal(kernelfile_open(&k, &c, &err), 0);
	assert_string_equal(name_at(&k, &m, STOOD + 0x1010), "first_function");
	assert_string_equal(name_at(&k, &m, STOOD + 0x2fff), "second_function");
	assert_string_equal(name_at(&k, &m, MODULE + 0x50), "");
	assert_string_equal(why_not(&k, &m, MODULE + 0x50), "no kallsyms");
	kmaps_clear(&m);
	m = recorded(0); /* nokaslr */
	assert_string_equal(name_at(&k, &m, LINKED + 0x1010), "first_function");
	kmaps_clear(&m);
	m = recorded(MOVED + 0x1000); /* no kernel moves so */
	assert_string_equal(name_at(&k, &m, STOOD + 0x2010), "");
	assert_non_null(strstr(why_not(&k, &m, STOOD + 0x2010), "another kernel"));
	m.reference = 0;
	assert_non_null(strstr(why_not(&k, &m, STOOD + 0x2010), "does not contain"));
	kmaps_clear(&m);
	kernel_clear(&k);
}

static void test_vmlinux_build(void **state)
{
	static const struct build_id id = {20, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20}};
	static const struct build_id other = {20, {1, 2, 4}}, unknown = {0};
	struct kernelfile_config c = {.vmlinux = vmlinux, .id = id};
	struct kernel k = {.why = NULL};
	struct kmaps m = recorded(MOVED);
	struct err err;

	(void)state;
	make_vmlinux("");
	assert_int_equal(kernelfile_open(&k, &c, &err), 0);
	assert_true(kernelfile_recorded(&k, &id));
	assert_true(kernelfile_recorded(&k, &unknown));
	assert_false(kernelfile_recorded(&k, &other)); /* a record of the kernel's map says so */
	assert_string_equal(name_at(&k, &m, STOOD + 0x1010), "");
	assert_non_null(strstr(why_not(&k, &m, STOOD + 0x1010), "another build"));
	kernel_clear(&k);
	c.id = other;
	assert_int_equal(kernelfile_open(&k, &c, &err), -ESTALE);
	assert_non_null(strstr(err.text, "(build-id 0102030405060708090a0b0c0d0e0f1011121314)"));
	assert_non_null(strstr(err.text, "(0102040000000000000000000000000000000000)"));
	kernel_clear(&k);
	kmaps_clear(&m);
}

static void check_wrong(const struct kernelfile_config *c, int code, const char *text)
{
	struct kernel k = {.why = NULL};
	struct err err = {.code = 0};

	assert_int_equal(kernelfile_open(&k, c, &err), -code);
	if (!strstr(err.text, text))
		fail_msg("'%s' does not say '%s'", err.text, text);
	kernel_clear(&k);
}

static void test_wrong_files(void **state)
{
	struct kernelfile_config v = {.vmlinux = vmlinux}, k = {.kallsyms = kallsyms};
	char text[120];

	(void)state;
	v.vmlinux = "/nonexistent/vmlinux";
	check_wrong(&v, ENOENT, "--vmlinux /nonexistent/vmlinux: No such file");
	v.vmlinux = vmlinux;
	write_file(vmlinux, "MZ, a bzImage");
	check_wrong(&v, EBADMSG, "--vmlinux ");
	make_vmlinux("-s");
	check_wrong(&v, EBADMSG, "has no kernel symbols (_text)");
	v.vmlinux = "/proc/self/exe";
	check_wrong(&v, EBADMSG, "has no kernel symbols (_text)");
	k.kallsyms = "/nonexistent/kallsyms";
	check_wrong(&k, ENOENT, "--kallsyms /nonexistent/kallsyms: No such file");
	k.kallsyms = kallsyms;
	write_file(kallsyms, "");
	check_wrong(&k, EBADMSG, kallsyms);
	write_file(kallsyms, "ffffffff81000000 T _text\nnonsense\n");
	check_wrong(&k, EBADMSG, "line 2 is broken");
	write_file(kallsyms, "0000000000000000 T _text\n0000000000000000 T first_function\n");
	check_wrong(&k, EBADMSG, "copy /proc/kallsyms as root");
	snprintf(text, sizeof(text), "%llx T first_function\n", LINKED);
	write_file(kallsyms, text);
	check_wrong(&k, EBADMSG, "has no _text");
	make_kallsyms(LINKED + 0x777000, "_text"); /* no boot puts it there */
	k.running = true;
	if (geteuid() == 0)
		check_wrong(&k, ESTALE, "than the running one");
}

static void test_kallsyms(void **state)
{
	struct kernelfile_config c = {.kallsyms = kallsyms};
	struct kernel k = {.why = NULL};
	struct kmaps m = recorded(MOVED);
	struct err err;

	(void)state;
	make_kallsyms(STOOD, "_text"); /* of the same boot */
	assert_int_equal(kernelfile_open(&k, &c, &err), 0);
	assert_string_equal(name_at(&k, &m, STOOD + 0x1010), "first_function");
	assert_string_equal(name_at(&k, &m, MODULE + 0x50), "module_function");
	kernel_clear(&k);
	make_kallsyms(LINKED + 0x1000000, "_text"); /* of another */
	assert_int_equal(kernelfile_open(&k, &c, &err), 0);
	assert_string_equal(name_at(&k, &m, STOOD + 0x1010), "first_function");
	assert_string_equal(name_at(&k, &m, MODULE + 0x50), "");
	assert_non_null(strstr(why_not(&k, &m, MODULE + 0x50), "another boot"));
	kernel_clear(&k);
	make_kallsyms(LINKED + 0x1234000, "_text"); /* of another kernel */
	assert_int_equal(kernelfile_open(&k, &c, &err), 0);
	assert_string_equal(name_at(&k, &m, STOOD + 0x1010), "");
	assert_non_null(strstr(why_not(&k, &m, STOOD + 0x1010), "another kernel"));
	kernel_clear(&k);
	kmaps_clear(&m);
}

/* The kernel from its ELF file, its modules from the list. */
static void test_both(void **state)
{
	struct kernelfile_config c = {.vmlinux = vmlinux, .kallsyms = kallsyms};
	struct kernel k = {.why = NULL};
	struct kmaps m = recorded(MOVED);
	struct err err;

	(void)state;
	make_vmlinux("");
	make_kallsyms(STOOD, "_text");
	assert_int_equal(kernelfile_open(&k, &c, &err), 0);
	assert_string_equal(name_at(&k, &m, STOOD + 0x1010), "first_function");
	assert_string_equal(name_at(&k, &m, MODULE + 0x50), "module_function");
	kernel_clear(&k);
	kmaps_clear(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vmlinux),     cmocka_unit_test(test_vmlinux_build),
		cmocka_unit_test(test_wrong_files), cmocka_unit_test(test_kallsyms),
		cmocka_unit_test(test_both),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
