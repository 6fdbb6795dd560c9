/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unwind information of files that are not trusted, from a real helper: the same as read here. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/sandboxed.h"
#include "tests/images.h"
#include "tests/shell.h"
#include "files/unwind/cfi_sandbox.h"

#define MEMORY (64u << 20)

static char dir[] = "/tmp/ringtop-test-XXXXXX";

#define run(...) shell_run(dir, __VA_ARGS__)

/* small stays in memory, large in its file; the others have .debug_frame alone. */
static const char source[] =
	"{ for i in $(seq 4000); do echo \"int f$i(int a) { volatile char b[$i]; b[a] = 1; return b[0]; }\"; done\n"
	"echo 'int main(int n, char **v) { return f7(n) + !v; }'; } >large.c\n"
	"echo 'int f(int a) { return a * 7; } int main(int n, char **v) { return f(n) + !v; }' >small.c\n"
	"cc -O1 -o small small.c && cc -O1 -o large large.c && cc -O1 -o nohdr large.c -Wl,--no-eh-frame-hdr &&\n"
	"cc -g -O1 -fno-asynchronous-unwind-tables -fno-unwind-tables -o debug large.c &&\n"
	"objcopy --compress-debug-sections=zlib debug zlib && objcopy --only-keep-debug debug debug.dbg &&\n"
	"strip -o beside debug && objcopy --add-gnu-debuglink=debug.dbg beside && chmod 0777 *";

static struct image open_image(const char *name, char path[300])
{
	int fd;

	snprintf(path, 300, "%s/%s", dir, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	return image_from_fd(fd, path, NULL, NULL);
}

static struct cfi *open_helped(const char *name, struct cfi_memory *memory)
{
	char path[300];
	struct image im = open_image(name, path);
	struct err err = {.code = 0};
	struct cfi *c = cfi_open(&im, memory, &err);

	if (!c)
		fail_msg("%s: %s", name, err.text);
	assert_true(cfi_helped(c));
	close(im.fd);
	image_close(&im);
	return c;
}

/* As its owner would read it: rows here have what only libunwind follows. */
static uint8_t kind_of(struct cfi_rule rule)
{
	return rule.kind == CFI_SLOW ? CFI_BROKEN : rule.kind;
}

/* From the far end, so that neighbours come late, and then all of it. */
static void expect_same(struct cfi *here, struct cfi *there, const char *name)
{
	const struct cfi_segment *s = here->segments;
	size_t covered = 0;

	assert_int_equal(cfi_functions(here), cfi_functions(there));
	assert_int_equal(here->nsegments, there->nsegments);
	assert_memory_equal(here->segments, there->segments, here->nsegments * sizeof(*s));
	while (!s->executable)
		s++;
	for (uint64_t at = 0, end = s->vaddr + s->filesz; at < s->filesz + 5000; at++) {
		uint64_t vaddr = at < 5000 ? end - at : s->vaddr + at - 5000;
		struct cfi_rule one = cfi_find(here, vaddr), two = cfi_find(there, vaddr);

		covered += one.kind != CFI_UNCOVERED;
		one.kind = kind_of(one);
		if (memcmp(&one, &two, sizeof(one)) != 0)
			fail_msg("%s: another rule at %#lx: %d, not %d", name, (unsigned long)vaddr, two.kind, one.kind);
	}
	assert_true(covered > 10);
}

static uint64_t calls(void)
{
	struct sandbox_figures f;

	sandbox_figures(SANDBOX_FRAMES, &f);
	return f.calls;
}

static void check_file(const char *name, uint64_t max)
{
	struct cfi_memory memory = {.max = MEMORY}, helped = {.max = max};
	struct cfi *here, *there = open_helped(name, &helped);
	uint64_t before = calls();
	char path[300];
	struct image im = open_image(name, path);

	here = cfi_read(&im, &memory, NULL);
	assert_non_null(here);
	expect_same(here, there, name);
	if (max == MEMORY && calls() - before > cfi_functions(there) / 8 + 8)
		fail_msg("%s: %lu calls for %lu functions", name, (unsigned long)(calls() - before),
			 (unsigned long)cfi_functions(there));
	assert_int_equal(cfi_copy(there, 0, NULL), -EPERM);
	cfi_free(here);
	cfi_free(there);
	close(im.fd);
	image_close(&im);
	assert_int_equal(memory.used, 0);
	assert_int_equal(helped.used, 0);
}

static void test_same(void **state)
{
	static const char *const names[] = {"small", "large", "nohdr", "debug", "zlib", "beside"};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		check_file(names[i], MEMORY);
}

/* Where rows find no room, they are asked for each time. */
static void test_memory(void **state)
{
	struct cfi_memory none = {.max = 100};
	char path[300];
	struct image im = open_image("small", path);
	struct err err = {.code = 0};

	(void)state;
	assert_null(cfi_open(&im, &none, &err));
	assert_int_equal(err.code, ENOSPC);
	assert_int_equal(none.used, 0);
	close(im.fd);
	image_close(&im);
	check_file("small", 4096);
}

static pid_t helper(void)
{
	struct sandbox_figures f;

	sandbox_figures(SANDBOX_FRAMES, &f);
	assert_true(f.pid > 0);
	return f.pid;
}

/* In one of the large program's last functions; some pages back are others than come with it. */
static uint64_t last_function(const struct cfi *c, unsigned back)
{
	const struct cfi_segment *s = c->segments;

	while (!s->executable)
		s++;
	return s->vaddr + s->filesz - 64 - 4096 * (1 + back);
}

/* One that was killed between two questions costs nothing, as nothing of it is needed. */
static void test_restarted(void **state)
{
	struct cfi_memory memory = {.max = MEMORY};
	struct cfi *c = open_helped("large", &memory);
	pid_t before = helper();

	(void)state;
	assert_int_equal(cfi_find(c, last_function(c, 0)).kind, CFI_REG);
	assert_int_equal(helper(), before);
	sandbox_end();
	assert_int_equal(cfi_find(c, last_function(c, 8)).kind, CFI_REG);
	assert_int_not_equal(helper(), before);
	cfi_free(c);
}

/* One that hangs costs the object that asked, once; what has come stays, and others go on. */
static void test_lost(void **state)
{
	struct cfi_memory memory = {.max = MEMORY};
	struct cfi *c = open_helped("large", &memory), *other = open_helped("nohdr", &memory);
	uint64_t known = last_function(c, 0), asked;

	(void)state;
	assert_int_equal(cfi_find(c, known).kind, CFI_REG);
	assert_true(helper() > 0); /* else it would be us */
	assert_int_equal(kill(helper(), SIGSTOP), 0);
	assert_int_equal(cfi_find(c, last_function(c, 8)).kind, CFI_LATER);
	asked = calls();
	assert_int_equal(cfi_find(c, last_function(c, 8)).kind, CFI_BROKEN);
	assert_int_equal(cfi_find(c, last_function(c, 16)).kind, CFI_BROKEN);
	assert_int_equal(cfi_find(c, known).kind, CFI_REG);
	assert_int_equal(calls(), asked);
	assert_int_equal(cfi_find(other, last_function(other, 8)).kind, CFI_REG);
	cfi_free(c);
	cfi_free(other);
}

/* Who had more than its part of the helper's time waits, and is not lost. */
static void test_spent(void **state)
{
	struct cfi_memory memory = {.max = MEMORY};
	struct cfi *c = open_helped("large", &memory);
	uint64_t asked = calls();

	(void)state;
	c->spent = 1ull << 50;
	assert_int_equal(cfi_find(c, last_function(c, 0)).kind, CFI_LATER);
	assert_int_equal(calls(), asked);
	c->spent = 0;
	assert_int_equal(cfi_find(c, last_function(c, 0)).kind, CFI_REG);
	cfi_free(c);
}

struct finder {
	struct cfi *c;
	uint64_t sum;
};

static void *find_all(void *arg)
{
	struct finder *f = arg;

	for (uint64_t at = last_function(f->c, 40); at < last_function(f->c, 0); at++) {
		struct cfi_rule rule = cfi_find(f->c, at);

		f->sum = f->sum * 31 + (uint64_t)rule.cfa_off + rule.kind;
	}
	return NULL;
}

static void test_threads(void **state)
{
	struct cfi_memory memory = {.max = MEMORY};
	struct cfi *c = open_helped("large", &memory);
	struct finder f[3] = {{.c = c}, {.c = c}, {.c = c}};
	pthread_t threads[2];

	(void)state;
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, find_all, &f[i]), 0);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	find_all(&f[2]);
	assert_true(f[0].sum == f[1].sum && f[0].sum == f[2].sum);
	cfi_free(c);
	assert_int_equal(memory.used, 0);
}

/* --- answers ------------------------------------------------------------------------------ */

static struct cfitable_rows *get_rows(const struct wire_out *o, bool *failed)
{
	struct wire_in in = {o->data, o->data + o->len, false};
	struct cfitable_rows *rows = cfitable_get_rows(&in);

	*failed = in.failed;
	return rows;
}

static void put_rows(struct wire_out *o, uint32_t size, const struct cfi_row *rows, uint64_t nr, size_t there)
{
	o->len = 0;
	wire_put(o, size, 4);
	wire_put(o, nr, 8);
	wire_put_bytes(o, rows, there * sizeof(*rows));
}

static void test_nonsense(void **state)
{
	struct cfi_row rows[2] = {{0, {.kind = CFI_REG}}, {4, {.kind = CFI_SLOW}}};
	struct wire_out o = {.len = 0};
	struct cfitable_rows *got;
	bool failed;

	(void)state;
	put_rows(&o, 100, rows, 2, 2);
	got = get_rows(&o, &failed);
	assert_true(got && got != &cfitable_broken && !failed);
	free(got);
	put_rows(&o, 100, rows, 0, 0);
	assert_ptr_equal(get_rows(&o, &failed), &cfitable_broken);
	put_rows(&o, 100, rows, 3, 2);
	assert_null(get_rows(&o, &failed));
	assert_true(failed);
	rows[1].rule.kind = CFI_LATER;
	put_rows(&o, 100, rows, 2, 2);
	assert_null(get_rows(&o, &failed));
	assert_true(failed);
	rows[1] = (struct cfi_row){4, {.kind = CFI_RA_IN + 15, .rbp = CFI_RBP_IN_REG, .rbp_off = 15}};
	put_rows(&o, 100, rows, 2, 2);
	got = get_rows(&o, &failed);
	assert_true(got && !failed);
	free(got);
	/* No such register, no such place. */
	rows[1].rule.kind = CFI_KINDS;
	put_rows(&o, 100, rows, 2, 2);
	assert_null(get_rows(&o, &failed));
	rows[1].rule = (struct cfi_rule){.kind = CFI_REG, .rbp = CFI_RBP_IN_REG, .rbp_off = 16};
	put_rows(&o, 100, rows, 2, 2);
	assert_null(get_rows(&o, &failed));
	rows[1].rule = (struct cfi_rule){.kind = CFI_REG, .rbp = CFI_RBPS};
	put_rows(&o, 100, rows, 2, 2);
	assert_null(get_rows(&o, &failed));
	rows[1] = (struct cfi_row){0, {.kind = CFI_REG}};
	put_rows(&o, 100, rows, 2, 2);
	assert_null(get_rows(&o, &failed));
	assert_true(failed);
	wire_clear(&o);
}

/* Each byte of an opened table, changed: taken or not, it is in order then. */
static void test_table(void **state)
{
	struct cfi_memory memory = {.max = MEMORY};
	struct cfi *c = open_helped("small", &memory);
	struct wire_out o = {.len = 0};

	(void)state;
	cfitable_put(&c->tables[CFI_EH], 0, c->tables[CFI_EH].nr, c->tables[CFI_EH].section.data, &o);
	for (size_t i = 0; i < o.len; i++) {
		struct cfi_budget budget = {.memory = &memory};
		struct cfitable t = {.section = {.fd = -1}, .budget = &budget};
		struct wire_in in = {o.data, o.data + o.len, false};
		int ret;

		o.data[i] ^= 0xff;
		ret = cfitable_get(&in, &t);
		assert_true(ret == 0 || ret == -EPROTO || ret == -ENOSPC);
		if (!ret)
			for (uint64_t at = 0; at < 8192; at += 16)
				assert_true(cfitable_rule(&t, t.base + at).kind <= CFI_BROKEN);
		cfitable_clear(&t);
		cfitable_give(&budget, budget.taken);
		o.data[i] ^= 0xff;
	}
	wire_clear(&o);
	cfi_free(c);
	assert_int_equal(memory.used, 0);
}

static int setup(void **state)
{
	(void)state;
	if (!mkdtemp(dir) || chmod(dir, 0755) || sandboxed_start(false))
		return -1;
	return run("%s", source) ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	sandbox_end();
	return shell_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same),	 cmocka_unit_test(test_memory), cmocka_unit_test(test_restarted),
		cmocka_unit_test(test_lost),	 cmocka_unit_test(test_spent),	cmocka_unit_test(test_threads),
		cmocka_unit_test(test_nonsense), cmocka_unit_test(test_table),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
