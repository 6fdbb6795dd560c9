/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of where a uprobe may be: offsets of code in a file made by hand, whose code stands at another address than its
 * offset.
 */
#include "kernel/event/probe.h"

#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/skip.h"

#define PMU "/sys/bus/event_source/devices/uprobe/type"

/* Data at offset 0, address 0x400000; 0x200 bytes of code at offset 0x1000, address 0x402000. */
static int file_of_code(void)
{
	const struct {
		Elf64_Ehdr head;
		Elf64_Phdr segment[2];
	} f = {
		{.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
			     __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB, EV_CURRENT},
		 .e_type = ET_EXEC, .e_version = EV_CURRENT, .e_phoff = sizeof(Elf64_Ehdr), .e_ehsize = sizeof(Elf64_Ehdr),
		 .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 2},
		{{.p_type = PT_LOAD, .p_flags = PF_R, .p_vaddr = 0x400000, .p_filesz = 0x800, .p_memsz = 0x800},
		 {.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_offset = 0x1000, .p_vaddr = 0x402000, .p_filesz = 0x200,
		  .p_memsz = 0x200}},
	};
	int fd = memfd_create("code", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, &f, sizeof(f)), sizeof(f));
	assert_int_equal(ftruncate(fd, 0x1200), 0);
	return fd;
}

static int parse(int fd, const char *place, uint64_t *offset, struct err *err)
{
	struct event_list list = {.nr = 0};
	struct event *e = event_list_add(&list, "uprobe");
	char text[96];
	int ret;

	snprintf(text, sizeof(text), "/proc/self/fd/%d:%s", fd, place);
	ret = probe_parse(e, PROBE_USER, text, err);
	*offset = e->attr.probe_offset;
	event_list_clear(&list);
	return ret;
}

static void places(void **state)
{
	struct err err = {.code = 0};
	int fd = file_of_code();
	uint64_t offset;

	(void)state;
	if (access(PMU, F_OK)) {
		close(fd);
		SKIP("this kernel has no uprobe PMU");
	}
	assert_int_equal(parse(fd, "0x1000", &offset, &err), 0);
	assert_int_equal(offset, 0x1000);
	assert_int_equal(parse(fd, "4607", &offset, &err), 0); /* 0x11ff */
	assert_int_equal(parse(fd, "0x402010", &offset, &err), -EINVAL);
	assert_non_null(strstr(err.text, "0x402010 is an address"));
	assert_non_null(strstr(err.advice, ":0x1010"));
	assert_int_equal(parse(fd, "0x1200", &offset, &err), -EINVAL);
	assert_non_null(strstr(err.text, "0x1200 is not in a code section of the file"));
	assert_int_equal(parse(fd, "0", &offset, &err), -EINVAL);
	assert_int_equal(parse(fd, "0x400010", &offset, &err), -EINVAL); /* an address of data */
	assert_non_null(strstr(err.text, "not in a code section"));
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(places)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
