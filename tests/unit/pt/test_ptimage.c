/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code for a trace: what a process maps need not be there. */
#include "names/pt/ptimage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/auxv.h>

#include <cmocka.h>

#include "tests/skip.h"

#define VDSO 0x10000ull
#define LEN  (4ull << 20)

/* Another kind of program's may be longer than ours. */
static void test_long_vdso(void **state)
{
	const struct record_mmap m = {.addr = VDSO, .len = LEN, .filename = "[vdso]"};
	struct ptimage *im = ptimage_create();
	uint32_t space = ptimage_space(im, 0);
	char bytes[16];

	(void)state;
	if (!getauxval(AT_SYSINFO_EHDR))
		SKIP("this kernel gives no vdso");
	ptimage_map(im, space, &m);
	assert_int_equal(ptimage_read(im, space, VDSO, bytes, sizeof(bytes)), sizeof(bytes));
	assert_memory_equal(bytes, "\177ELF", 4);
	for (uint64_t at = 0; at < LEN; at += 4096)
		ptimage_read(im, space, VDSO + at, bytes, sizeof(bytes)); /* what is there, or nothing */
	ptimage_free(im);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_long_vdso)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
