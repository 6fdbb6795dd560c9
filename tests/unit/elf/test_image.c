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
#include <sys/auxv.h>
#include <unistd.h>

#include <cmocka.h>

#include "files/elf/elfsym.h"
#include "files/elf/image.h"
#include "tests/sandboxed.h"
#include "tests/shell.h"
#include "tests/skip.h"

static char dir[] = "/tmp/ringtop-test-XXXXXX";

#define run(...) shell_run(dir, __VA_ARGS__)

/* A program that was built twice, the second time with its debug file beside it. */
static int setup(void **state)
{
	(void)state;
	return mkdtemp(dir) && run("echo 'int main(void) { return N; }' >a.c && "
				   "cc -g -DN=1 -Wl,--build-id=sha1 -o first a.c && "
				   "cc -g -DN=2 -Wl,--build-id=sha1 -o second a.c && "
				   "objcopy --only-keep-debug second second.debug && "
				   "objcopy --strip-all --add-gnu-debuglink=second.debug second")
		       ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	return shell_remove(dir);
}

static const char *path_of(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static unsigned open_files(void)
{
	unsigned nr = 0;

	for (int fd = 0; fd < 256; fd++)
		nr += fcntl(fd, F_GETFD) >= 0;
	return nr;
}

static void test_build(void **state)
{
	struct objfile of = {.pid = getpid(), .path = path_of("first")};
	struct objfile_rules recorded = {.recorded = true};
	unsigned before = open_files();
	struct image im;
	struct err err;

	(void)state;
	assert_int_equal(image_open(&im, &of, NULL, &err), 0);
	assert_int_equal(image_parse(&im, &err), 0);
	of.id = elffile_build_id(&im.elf);
	assert_int_equal(of.id.len, 20);
	assert_non_null(strstr(im.root, "/root"));
	assert_null(image_debug(&im));
	image_close(&im);
	assert_int_equal(image_open(&im, &of, NULL, &err), 0);
	image_close(&im);
	of.path = path_of("second");
	assert_int_equal(image_open(&im, &of, NULL, &err), -ESTALE);
	assert_non_null(strstr(err.text, "/second is another build than the one that ran"));
	of.rules = &recorded;
	assert_int_equal(image_open(&im, &of, NULL, &err), -ESTALE);
	assert_non_null(strstr(err.text, "/second is another build than the recorded one"));
	of = (struct objfile){.pid = getpid(), .path = path_of("a.c")};
	assert_int_equal(image_open(&im, &of, NULL, &err), 0);
	assert_int_equal(image_parse(&im, &err), -EINVAL);
	assert_non_null(strstr(err.text, "/a.c: not an ELF file"));
	image_close(&im);
	assert_int_equal(open_files(), before);
}

/* Looked for once: what came or went since is not seen. */
static void test_debug(void **state)
{
	struct objfile of = {.pid = getpid(), .path = path_of("second")};
	unsigned before = open_files();
	struct elffile *debug;
	struct image im;

	(void)state;
	assert_int_equal(image_open(&im, &of, NULL, NULL), 0);
	assert_int_equal(image_parse(&im, NULL), 0);
	assert_int_equal(image_parse(&im, NULL), 0);
	debug = image_debug(&im);
	assert_non_null(debug);
	assert_non_null(elffile_section(debug, ".debug_info", 0));
	assert_non_null(strstr(im.debug_path, "/second.debug"));
	assert_true(run("mv second.debug away"));
	assert_ptr_equal(image_debug(&im), debug);
	image_close(&im);
	assert_int_equal(image_open(&im, &of, NULL, NULL), 0);
	assert_int_equal(image_parse(&im, NULL), 0);
	assert_null(image_debug(&im));
	assert_true(run("mv away second.debug"));
	assert_null(image_debug(&im));
	image_close(&im);
	assert_int_equal(open_files(), before);
}

static void test_vdso(void **state)
{
	struct objfile of = {.path = "[vdso]"};
	struct image im;
	struct err err;

	(void)state;
	if (!getauxval(AT_SYSINFO_EHDR))
		SKIP("no vdso");
	assert_int_equal(image_open_vdso(&im, &of, NULL, &err), 0);
	of.id = elffile_build_id(&im.elf);
	assert_null(image_debug(&im));
	image_close(&im);
	of.id.len = 20;
	of.id.bytes[0] ^= 1;
	assert_int_equal(image_open_vdso(&im, &of, NULL, &err), -ESTALE);
}

/* A process can map what it likes where its vdso was: then a helper reads it, and the kernel's own as ever. */
static void test_vdso_of_a_process(void **state)
{
	static char bytes[8192] __attribute__((aligned(4096)));
	const void *own = (const void *)getauxval(AT_SYSINFO_EHDR);
	struct objfile of = {.path = "[vdso]", .pid = getpid(), .start = (uintptr_t)bytes,
			     .end = (uintptr_t)bytes + sizeof(bytes)};
	struct image im;
	struct elfsym e;
	struct err err;
	size_t nr;

	(void)state;
	if (!own)
		SKIP("no vdso");
	memcpy(bytes, own, sizeof(bytes));
	assert_int_equal(image_open_vdso(&im, &of, NULL, &err), 0);
	assert_true(im.fd < 0);
	assert_int_equal(elfsym_load(&im, &e, &err), 0);
	nr = symtab_count(e.symtab);
	elfsym_clear(&e);
	image_close(&im);
	bytes[9]++; /* of the padding */
	assert_int_equal(image_open_vdso(&im, &of, NULL, &err), 0);
	assert_true(im.fd >= 0 && !im.parsed);
	assert_int_equal(elfsym_load(&im, &e, &err), 0);
	assert_true(e.sandboxed);
	assert_int_equal(symtab_count(e.symtab), nr);
	elfsym_clear(&e);
	image_close(&im);
}

int main(void)
{
	const struct CMUnitTest sandboxed[] = {cmocka_unit_test(test_vdso), cmocka_unit_test(test_vdso_of_a_process)};
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_build), cmocka_unit_test(test_debug),
		cmocka_unit_test(test_vdso),
	};

	int failed = cmocka_run_group_tests(tests, setup, teardown);

	return failed + cmocka_run_group_tests(sandboxed, sandboxed_setup, sandboxed_teardown);
}
