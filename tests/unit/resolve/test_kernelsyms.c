/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Symbols are read anew when other modules are there, and then only: by files in place of /proc's. */
#include "names/kernel/kernelsyms.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char kallsyms[64], modules[64];
static unsigned loads;

static void loaded(void *arg)
{
	(void)arg;
	loads++;
}

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static const char *name_of(const struct kernel *k, uint64_t addr)
{
	struct symtab_entry e;

	return symtab_find(k->syms.symtab, addr, &e) ? e.name : "";
}

static void finish(struct workers *w)
{
	workers_wait(w);
	workers_collect(w, NULL);
}

static void look(struct kernel *k, struct workers *w)
{
	kernel_look(k, w, loaded);
	assert_false(k->busy); /* nobody waits for a look */
	finish(w);
}

#define CORE "ffffffff81000000 T _text\n"

static void test_modules(void **state)
{
	struct kernel k = {.kallsyms_file = kallsyms, .modules_file = modules};
	struct workers *w = workers_create(1, NULL);

	(void)state;
	assert_non_null(w);
	write_file(kallsyms, CORE "ffffffffc0000000 t before\t[one]\n");
	write_file(modules, "one 16384 0 - Live 0xffffffffc0000000\n");
	kernel_load(&k, w, loaded);
	assert_true(k.busy);
	finish(w);
	assert_true(k.loaded && loads == 1);
	assert_string_equal(name_of(&k, 0xffffffffc0000010), "before");

	/* A module that is used now is no other module. */
	write_file(kallsyms, CORE "ffffffffc0000000 t after\t[two]\n");
	write_file(modules, "one 16384 3 user,other, Live 0xffffffffc0000000\n");
	look(&k, w);
	assert_int_equal(loads, 1);
	assert_string_equal(name_of(&k, 0xffffffffc0000010), "before");

	/* Another in its place; the same module again, elsewhere; none. */
	write_file(modules, "two 16384 0 - Live 0xffffffffc0000000\n");
	look(&k, w);
	assert_int_equal(loads, 2);
	assert_string_equal(name_of(&k, 0xffffffffc0000010), "after");
	look(&k, w);
	assert_int_equal(loads, 2);
	write_file(modules, "two 16384 0 - Live 0xffffffffc0010000\n");
	look(&k, w);
	assert_int_equal(loads, 3);
	write_file(modules, "");
	look(&k, w);
	assert_int_equal(loads, 4);
	workers_close(w);
	kernel_clear(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_modules)};
	int ret;

	snprintf(kallsyms, sizeof(kallsyms), "/tmp/test_kernel.%d.kallsyms", (int)getpid());
	snprintf(modules, sizeof(modules), "/tmp/test_kernel.%d.modules", (int)getpid());
	ret = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(kallsyms);
	unlink(modules);
	return ret;
}
