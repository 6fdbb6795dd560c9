/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "names/kernel/kallsyms.h"
#include "tests/skip.h"

static const char sample[] =
	"0000000000000000 A fixed_percpu_data\n"
	"ffffffff81000000 T _stext\n"
	"ffffffff81000000 T _text\n"
	"ffffffff81000000 t __pi_startup\n"
	"ffffffff81000100 t do_one\n"
	"ffffffff81000200 W weak_one\n"
	"ffffffff81000200 T strong\n"
	"ffffffff81000300 D data_one\n"
	"ffffffff81000400 R not_seen\n"
	"ffffffffc0100000 t ext4_open\t[ext4]\n"
	"ffffffffc0100200 T ext4_read\t[ext4]\n"
	"ffffffffc0300000 t xfs_open\t[xfs]\n"
	"ffffffffc0200000 t bpf_prog_0123456789abcdef_a\t[bpf]\n"
	"ffffffffc0400000 t bpf_prog_0123456789abcdef_b\t[bpf]\n";

static void check(const struct kallsyms *k, uint64_t addr, const char *name, const char *module)
{
	struct symtab_entry e;

	assert_true(symtab_find(k->symtab, addr, &e));
	assert_string_equal(e.name, name);
	assert_string_equal(kallsyms_module_of(k, addr), module);
}

static void test_sample(void **state)
{
	struct kallsyms k;
	struct symtab_entry e;

	(void)state;
	assert_int_equal(kallsyms_parse(sample, strlen(sample), &k, NULL), 0);
	assert_int_equal(symtab_count(k.symtab), 8);
	check(&k, 0xffffffff81000010, "__pi_startup", "");
	check(&k, 0xffffffff810001ff, "do_one", "");
	check(&k, 0xffffffff81000200, "strong", "");
	assert_false(symtab_find(k.symtab, 0xffffffff81000300, &e));
	check(&k, 0xffffffffc0100010, "ext4_open", "ext4");
	check(&k, 0xffffffffc0100201, "ext4_read", "ext4");
	check(&k, 0xffffffffc0200001, "bpf_prog_0123456789abcdef_a", "bpf");
	check(&k, 0xffffffffc0300001, "xfs_open", "xfs");
	check(&k, 0xffffffffc0400001, "bpf_prog_0123456789abcdef_b", "bpf");
	assert_false(symtab_find(k.symtab, 0xffffffff80ffffff, &e));
	assert_string_equal(kallsyms_module_of(&k, 0xffffffffffffffff), "");
	assert_string_equal(kallsyms_module_of(&k, 0x1000), "");
	assert_int_equal(k.nmodules, 5); /* the kernel, ext4, bpf, xfs, bpf */
	assert_string_equal(k.modules[0].name, "");
	assert_true(k.modules[0].start == 0xffffffff81000000);
	assert_true(k.modules[1].start == 0xffffffffc0100000);
	assert_true(k.modules[1].end > 0xffffffffc0100200);
	kallsyms_clear(&k);
}

static void test_hidden(void **state)
{
	static const char zeros[] = "0000000000000000 T _stext\n0000000000000000 t do_one\n";
	struct kallsyms k;
	struct err err;

	(void)state;
	assert_int_equal(kallsyms_parse(zeros, strlen(zeros), &k, &err), -EACCES);
	assert_int_equal(err.code, EACCES);
	assert_non_null(strstr(err.advice, "kernel.kptr_restrict"));
	assert_int_equal(kallsyms_parse(zeros, strlen(zeros), &k, NULL), -EACCES);
}

static void test_broken(void **state)
{
	static const char *const texts[] = {
		"ffffffff81000000 T a\nnonsense\n", "ffffffff81000000 T a\nffffffff81000001\n",
		"ffffffff81000000 T a\nffffffff81000001 T \n",
		"ffffffff81000000 T a\nffffffff81000001 T b\t[mod\n",
		"ffffffff81000000 T a\n1ffffffff81000001 T b\n",
	};
	struct kallsyms k;
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		assert_int_equal(kallsyms_parse(texts[i], strlen(texts[i]), &k, &err), -EINVAL);
		assert_non_null(strstr(err.text, "line 2"));
	}
	assert_int_equal(kallsyms_parse("", 0, &k, &err), -EINVAL);
}

/* Lines that the read buffer's end cuts in two. */
static void test_long_file(void **state)
{
	char path[] = "/tmp/ringtop-test-XXXXXX", name[64];
	int fd = mkstemp(path);
	FILE *f = fdopen(fd, "w+");
	struct kallsyms k;

	(void)state;
	assert_non_null(f);
	unlink(path);
	for (unsigned i = 0; i < 60000; i++)
		fprintf(f, "%016llx t function_%u%s\n", 0xffffffff81000000ull + i * 16ull, i,
			i >= 50000 ? "\t[mod]" : "");
	fflush(f);
	lseek(fd, 0, SEEK_SET);
	assert_int_equal(kallsyms_load(fd, &k, NULL), 0);
	assert_int_equal(symtab_count(k.symtab), 60000);
	for (unsigned i = 0; i < 60000; i += 7) {
		snprintf(name, sizeof(name), "function_%u", i);
		check(&k, 0xffffffff81000000ull + i * 16ull, name, i >= 50000 ? "mod" : "");
	}
	kallsyms_clear(&k);
	fclose(f);
}

static void test_live(void **state)
{
	int fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
	struct kallsyms k;
	struct err err = {0};
	int ret;

	(void)state;
	if (fd < 0)
		SKIP("no /proc/kallsyms");
	ret = kallsyms_load(fd, &k, &err);
	close(fd);
	if (ret == -EACCES)
		SKIP("kernel addresses are hidden");
	assert_int_equal(ret, 0);
	assert_true(symtab_count(k.symtab) > 1000);
	kallsyms_clear(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sample), cmocka_unit_test(test_hidden),
		cmocka_unit_test(test_broken), cmocka_unit_test(test_long_file),
		cmocka_unit_test(test_live),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
