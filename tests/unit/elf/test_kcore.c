/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's memory out of a made-up /proc/kcore. */
#include "files/elf/kcore.h"

#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define TEXT   0xffffffff81000000ull
#define MODULE 0xffffffffc0123000ull

static char path[] = "/tmp/ringtop-kcore-XXXXXX";

/* Head, two segments, then the bytes of each: 'T's and 'M's with their place in them. */
static void make(uint16_t phnum)
{
	Elf64_Ehdr e = {.e_type = ET_CORE, .e_machine = EM_X86_64, .e_version = EV_CURRENT,
			.e_phoff = sizeof(e), .e_ehsize = sizeof(e),
			.e_phentsize = sizeof(Elf64_Phdr), .e_phnum = phnum};
	Elf64_Phdr p[2] = {
		{.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_offset = 4096, .p_vaddr = TEXT,
		 .p_filesz = 512, .p_memsz = 512},
		{.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_offset = 8192, .p_vaddr = MODULE,
		 .p_filesz = 512, .p_memsz = 1024},
	};
	char bytes[512];
	int fd;

	memcpy(e.e_ident, ELFMAG, SELFMAG);
	e.e_ident[EI_CLASS] = ELFCLASS64;
	e.e_ident[EI_DATA] = ELFDATA2LSB;
	e.e_ident[EI_VERSION] = EV_CURRENT;
	strcpy(path + strlen(path) - 6, "XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, &e, sizeof(e)), sizeof(e));
	assert_int_equal(write(fd, p, sizeof(p)), sizeof(p));
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)(i % 2 ? 'T' : i / 2 % 128);
	assert_int_equal(pwrite(fd, bytes, sizeof(bytes), 4096), sizeof(bytes));
	for (size_t i = 1; i < sizeof(bytes); i += 2)
		bytes[i] = 'M';
	assert_int_equal(pwrite(fd, bytes, sizeof(bytes), 8192), sizeof(bytes));
	close(fd);
}

static void test_read(void **state)
{
	struct err err = {.code = 0};
	char buf[16];

	(void)state;
	make(2);
	assert_int_equal(kcore_read(path, TEXT + 10, buf, sizeof(buf), &err), 0);
	assert_int_equal(buf[0], 5);
	assert_int_equal(buf[1], 'T');
	assert_int_equal(kcore_read(path, MODULE + 512 - 16, buf, sizeof(buf), &err), 0);
	assert_int_equal(buf[15], 'M');
	unlink(path);
}

static void test_outside(void **state)
{
	struct err err = {.code = 0};
	char buf[16];

	(void)state;
	make(2);
	assert_int_equal(kcore_read(path, TEXT - 1, buf, sizeof(buf), &err), -EINVAL);
	assert_non_null(strstr(err.text, "80ffffff"));
	assert_int_equal(kcore_read(path, TEXT + 500, buf, sizeof(buf), &err), -EINVAL);
	assert_int_equal(kcore_read(path, MODULE + 512, buf, sizeof(buf), NULL), -EINVAL);
	assert_int_equal(kcore_read(path, 0, buf, sizeof(buf), &err), -EINVAL);
	/* the second segment's bytes are cut off */
	assert_int_equal(truncate(path, 8192 + 100), 0);
	assert_int_equal(kcore_read(path, MODULE + 8, buf, sizeof(buf), &err), 0);
	assert_int_equal(kcore_read(path, MODULE + 96, buf, sizeof(buf), &err), -EINVAL);
	unlink(path);
	make(200); /* headers that are not there */
	assert_true(kcore_read(path, TEXT, buf, sizeof(buf), &err) < 0);
	unlink(path);
}

static void test_advice(void **state)
{
	struct err err = {.code = 0};
	char buf[1];

	(void)state;
	assert_int_equal(kcore_read("/nonexistent/kcore", TEXT, buf, 1, &err), -ENOENT);
	assert_non_null(strstr(err.advice, "CONFIG_PROC_KCORE"));
	make(2);
	assert_int_equal(truncate(path, 3), 0);
	assert_int_equal(kcore_read(path, TEXT, buf, 1, &err), -EINVAL);
	assert_int_equal(chmod(path, 0), 0);
	if (geteuid()) {
		assert_int_equal(kcore_read(path, TEXT, buf, 1, &err), -EACCES);
		assert_non_null(strstr(err.advice, "CAP_SYS_RAWIO"));
	}
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read),
		cmocka_unit_test(test_outside),
		cmocka_unit_test(test_advice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
