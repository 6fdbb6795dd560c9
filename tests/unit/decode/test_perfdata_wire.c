/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file that is fed from bytes of perfdata_put must be the file that was read, for all recordings of the corpus. */
#include <dirent.h>
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

#include "files/decode/perfdata_wire.h"

struct there {
	struct perfdata *data;
	struct wire_out out;
	size_t cut; /* of the batch's end, to be lied about */
};

static ssize_t read_fd(void *arg, void *buf, size_t len, uint64_t offset)
{
	ssize_t n = pread(*(int *)arg, buf, len, (off_t)offset);

	return n < 0 ? -errno : n;
}

static int more(void *arg, struct wire_in *in, struct err *err)
{
	struct there *t = arg;

	(void)err;
	wire_clear(&t->out);
	perfdata_put_batch(t->data, &t->out);
	assert_false(t->out.failed);
	*in = (struct wire_in){t->out.data, t->out.data + t->out.len - t->cut, false};
	return 0;
}

static struct perfdata *open_fed(struct there *t, const struct perfdata_feed *feed, struct err *err)
{
	struct wire_out out = {.len = 0};
	struct wire_in in;
	struct perfdata *p;

	perfdata_put(t->data, &out);
	in = (struct wire_in){out.data, out.data + out.len, false};
	p = perfdata_get(&in, feed, err);
	wire_clear(&out);
	return p;
}

static void compare_files(const struct perfdata *a, const struct perfdata *b)
{
	assert_memory_equal(perfdata_info(a), perfdata_info(b), sizeof(struct perfdata_info));
	assert_int_equal(perfdata_events(a), perfdata_events(b));
	for (unsigned i = 0; i < perfdata_events(a); i++) {
		const struct perfdata_event *x = perfdata_event(a, i), *y = perfdata_event(b, i);

		assert_memory_equal(&x->attr, &y->attr, sizeof(x->attr));
		assert_memory_equal(&x->layout, &y->layout, sizeof(x->layout));
		assert_string_equal(x->name, y->name);
	}
	assert_int_equal(perfdata_build_ids(a), perfdata_build_ids(b));
	for (size_t i = 0; i < perfdata_build_ids(a); i++) {
		const struct perfdata_build_id *x = perfdata_build_id(a, i), *y = perfdata_build_id(b, i);

		assert_string_equal(x->path, y->path);
		assert_true(build_id_equal(&x->id, &y->id) && x->kernel == y->kernel);
	}
}

static void compare_ends(const struct perfdata *a, const struct perfdata *b)
{
	uint64_t bad_a, bad_b;
	uint32_t type_a, type_b;

	assert_string_equal(perfdata_problem(a, &bad_a)->text, perfdata_problem(b, &bad_b)->text);
	assert_int_equal(bad_a, bad_b);
	assert_int_equal(perfdata_trace(a), perfdata_trace(b));
	assert_int_equal(perfdata_unknown(a, &type_a), perfdata_unknown(b, &type_b));
	assert_int_equal(type_a, type_b);
}

static size_t compare_records(struct perfdata *a, struct perfdata *b)
{
	struct err err_a = {.code = 0}, err_b = {.code = 0};
	struct perfdata_record x, y;
	size_t nr = 0;

	for (;; nr++) {
		int ret = perfdata_next(a, &x, &err_a);

		assert_int_equal(perfdata_next(b, &y, &err_b), ret);
		if (ret <= 0)
			break;
		assert_int_equal(x.h->size, y.h->size);
		assert_memory_equal(x.h, y.h, x.h->size);
		assert_true(x.event == y.event && x.time == y.time && x.offset == y.offset);
		assert_int_equal((uintptr_t)y.h % 8, 0);
	}
	assert_string_equal(err_a.text, err_b.text);
	return nr;
}

static size_t compare(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct perfdata_source source = {.read = read_fd, .arg = &fd, .seekable = true};
	struct err err;
	struct there t = {.data = perfdata_open(&source, &err)};
	struct perfdata_feed feed = {more, &t};
	struct perfdata *here = perfdata_open(&source, &err), *fed;
	size_t nr = 0;

	if (here) {
		fed = open_fed(&t, &feed, &err);
		assert_non_null(fed);
		compare_files(here, fed);
		nr = compare_records(here, fed);
		compare_ends(here, fed);
		perfdata_close(fed);
	}
	perfdata_close(here);
	perfdata_close(t.data);
	wire_clear(&t.out);
	close(fd);
	return nr;
}

static void test_corpus(void **state)
{
	static const char *const folders[] = {"replay", "perfdata"};
	const char *top = getenv("RINGTOP_SRCDIR");
	size_t records = 0;
	char path[4096];

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct dirent *e;
		DIR *d;

		snprintf(path, sizeof(path), "%s/tests/corpus/%s", top ? top : ".", folders[i]);
		d = opendir(path);
		assert_non_null(d);
		while ((e = readdir(d))) {
			snprintf(path, sizeof(path), "%s/tests/corpus/%s/%s", top ? top : ".", folders[i],
				 e->d_name);
			if (e->d_name[0] != '.')
				records += compare(path);
		}
		closedir(d);
	}
	assert_true(records > 100);
}

/* A batch that ends before it should is nonsense, not the end of the file. */
static void test_cut(void **state)
{
	const char *top = getenv("RINGTOP_SRCDIR");
	struct perfdata_record rec;
	struct there t = {.cut = 9};
	struct perfdata_feed feed = {more, &t};
	struct perfdata_source source = {.read = read_fd, .seekable = true};
	struct perfdata *fed;
	struct err err;
	char path[4096];
	int fd, ret;

	(void)state;
	snprintf(path, sizeof(path), "%s/tests/corpus/replay/flat", top ? top : ".");
	fd = open(path, O_RDONLY | O_CLOEXEC);
	source.arg = &fd;
	t.data = perfdata_open(&source, &err);
	assert_non_null(t.data);
	fed = open_fed(&t, &feed, &err);
	while ((ret = perfdata_next(fed, &rec, &err)) > 0)
		;
	assert_int_equal(ret, -EPROTO);
	perfdata_close(fed);
	perfdata_close(t.data);
	wire_clear(&t.out);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_corpus), cmocka_unit_test(test_cut)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
