/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What perffile and perfwrite write, perfdata reads back: events with their ids, records, losses,
 * features, and traces; and a file has its name only when it is whole.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/limits.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "decode/perfdata.h"
#include "record/buildids.h"
#include "record/facts.h"
#include "record/perffile.h"
#include "record/procstate.h"
#include "tests/shell.h"

#define TRAILER (PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)
#define TYPE    (TRAILER | PERF_SAMPLE_IP)

static const uint64_t clock_ids[] = {7, 8, 9}, dummy_ids[] = {10, 11};
static const struct perf_event_attr clock_attr = {
	.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK, .size = sizeof(clock_attr),
	.sample_period = 1000000, .sample_type = TYPE, .sample_id_all = 1,
};
static const struct perf_event_attr dummy_attr = {
	.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY, .size = sizeof(dummy_attr),
	.sample_type = TRAILER, .sample_id_all = 1, .mmap2 = 1,
};
static const struct perfwrite_event events[] = {
	{&clock_attr, "cpu-clock:u", clock_ids, 3}, {&dummy_attr, "sideband", dummy_ids, 2},
};

static struct err err;
static char dir[64], path[PATH_MAX];

static int make_dir(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/ringtop-perffile.XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/perf.data", dir);
	memset(&err, 0, sizeof(err));
	return 0;
}

static int remove_dir(void **state)
{
	(void)state;
	return shell_remove(dir);
}

static size_t files_there(void)
{
	struct dirent *d;
	DIR *dp = opendir(dir);
	size_t n = 0;

	assert_non_null(dp);
	while ((d = readdir(dp)))
		n += d->d_name[0] != '.';
	closedir(dp);
	return n;
}

/* --- reading back ------------------------------------------------------------------------- */

static ssize_t read_fd(void *arg, void *buf, size_t len, uint64_t offset)
{
	ssize_t n = pread(*(int *)arg, buf, len, (off_t)offset);

	return n < 0 ? -errno : n;
}

struct back {
	int fd;
	struct perfdata_source source;
	struct perfdata *data;
};

static void open_back(struct back *b, const char *name)
{
	b->fd = open(name, O_RDONLY);
	assert_true(b->fd >= 0);
	b->source = (struct perfdata_source){.read = read_fd, .arg = &b->fd, .seekable = true};
	b->data = perfdata_open(&b->source, &err);
	assert_non_null(b->data);
}

static void close_back(struct back *b)
{
	perfdata_close(b->data);
	close(b->fd);
}

static const struct perf_event_header *next(struct back *b, struct perfdata_record *rec,
					    uint32_t type)
{
	int ret = perfdata_next(b->data, rec, &err);

	if (ret < 0)
		print_error("%s\n", err.text);
	assert_int_equal(ret, 1);
	assert_int_equal(rec->h->type, type);
	return rec->h;
}

static void no_more(struct back *b)
{
	struct perfdata_record rec;
	uint64_t bad;

	assert_int_equal(perfdata_next(b->data, &rec, &err), 0);
	perfdata_problem(b->data, &bad);
	assert_int_equal(bad, 0);
}

/* --- making ------------------------------------------------------------------------------- */

static void put_sample(struct perfwrite *w, uint64_t id, uint64_t ip, uint64_t time)
{
	const struct perf_event_header h = {PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, 48};

	perfwrite_bytes(w, &h, sizeof(h));
	perfwrite_u64(w, id);
	perfwrite_u64(w, ip);
	perfwrite_u32(w, 41);
	perfwrite_u32(w, 42);
	perfwrite_u64(w, time);
	perfwrite_u64(w, 3); /* the CPU */
}

static struct perffile *begin(void)
{
	struct perffile *pf = perffile_create(path, &err);

	if (!pf)
		print_error("%s\n", err.text);
	assert_non_null(pf);
	assert_int_equal(perffile_begin(pf, events, 2), 0);
	return pf;
}

static void give(struct perffile *pf, struct perfwrite *w)
{
	assert_false(w->failed);
	assert_int_equal(perffile_records(pf, w->data, w->len), 0);
	perfwrite_clear(w);
	w->trailer = TRAILER;
}

static void finish(struct perffile *pf)
{
	if (perffile_finish(pf, events, 2, &err))
		print_error("%s\n", err.text);
	assert_int_equal(err.code, 0);
	perffile_free(pf);
}

/* --- tests -------------------------------------------------------------------------------- */

static const struct perfwrite_id lost_id = {.pid = 1, .tid = 2, .time = 5000, .id = 8, .cpu = 1};

/* One record of each kind that we make. */
static void give_each(struct perffile *pf)
{
	static const char trace[] = "0123456789abc"; /* and no NUL: 13 bytes */
	const struct iovec parts[] = {{(char *)trace, 5}, {NULL, 0}, {(char *)trace + 5, 7},
				      {(char *)trace + 12, 1}};
	struct perfwrite w = {.trailer = TRAILER};

	perfwrite_kernel_map(&w, &(struct record_mmap){.pid = UINT32_MAX, .addr = 0x1000, .len = 0x100,
						       .pgoff = 0x1000, .filename = "[k]_text"});
	perfwrite_fork(&w, &(struct record_task){.pid = 41, .ppid = 1, .tid = 42, .ptid = 41});
	perfwrite_comm(&w, &(struct record_comm){.pid = 41, .tid = 42, .comm = "seven77"});
	perfwrite_map(&w, &(struct record_mmap){.pid = 41, .tid = 41, .addr = 0x4000, .len = 0x2000,
						.pgoff = 0x10, .maj = 8, .min = 1, .ino = 77,
						.prot = 5, .filename = "/bin/eight888"});
	put_sample(&w, 8, 0x4004, 5000);
	perfwrite_lost(&w, &lost_id, 12);
	perfwrite_round(&w);
	give(pf, &w);
	assert_int_equal(perffile_auxtrace(pf, &(struct perfwrite_auxtrace){.size = 13, .cpu = 1},
					   parts, 4), 0);
	perfwrite_lost_samples(&w, &lost_id, 12);
	give(pf, &w);
}

static void check_events(struct back *b)
{
	assert_int_equal(perfdata_events(b->data), 2);
	assert_int_equal(perfdata_event(b->data, 0)->attr.sample_period, 1000000);
	assert_int_equal(perfdata_find(b->data, 9, NULL), 0);
	assert_int_equal(perfdata_find(b->data, 11, NULL), 1);
}

static void check_tasks(struct back *b, const struct record_layout *l)
{
	struct perfdata_record rec;
	struct record_mmap m;
	struct record_comm c;
	struct record_task t;

	assert_true(record_mmap(l, next(b, &rec, PERF_RECORD_MMAP), &m));
	assert_int_equal(m.pid, UINT32_MAX);
	assert_string_equal(m.filename, "[k]_text");
	assert_true(record_task(l, next(b, &rec, PERF_RECORD_FORK), &t));
	assert_int_equal(t.ptid, 41);
	assert_int_equal(rec.time, 0);
	assert_true(record_comm(l, next(b, &rec, PERF_RECORD_COMM), &c));
	assert_string_equal(c.comm, "seven77");
	assert_true(record_mmap(l, next(b, &rec, PERF_RECORD_MMAP2), &m));
	assert_string_equal(m.filename, "/bin/eight888");
	assert_int_equal(m.ino, 77);
	assert_int_equal(m.prot, 5);
}

static void check_samples(struct back *b, const struct record_layout *l)
{
	struct perfdata_record rec;
	struct record_lost lost;
	uint64_t samples;
	struct sample s;

	assert_true(record_sample(l, next(b, &rec, PERF_RECORD_SAMPLE), &s));
	assert_int_equal(rec.event, 0);
	assert_int_equal(rec.time, 5000);
	assert_int_equal(s.ip, 0x4004);
	assert_true(record_lost(l, next(b, &rec, PERF_RECORD_LOST), &lost));
	assert_int_equal(lost.id, 8);
	assert_int_equal(lost.lost, 12);
	assert_int_equal(rec.time, 5000);
	next(b, &rec, PERFDATA_FINISHED_ROUND);
	assert_true(record_lost_samples(l, next(b, &rec, PERF_RECORD_LOST_SAMPLES), &samples));
	assert_int_equal(samples, 12);
	assert_int_equal(rec.event, 0);
	assert_int_equal(perfdata_trace(b->data), 16); /* passed over, padded */
}

static void test_records_come_back(void **state)
{
	struct perffile *pf = begin();
	const struct record_layout *l;
	struct back b;

	(void)state;
	give_each(pf);
	assert_int_equal(files_there(), 1);
	assert_int_equal(access(path, F_OK), -1);
	finish(pf);
	assert_int_equal(files_there(), 1);
	open_back(&b, path);
	check_events(&b);
	l = &perfdata_event(b.data, 0)->layout;
	check_tasks(&b, l);
	check_samples(&b, l);
	no_more(&b);
	close_back(&b);
}

/* Of the kernel and of perf, later than both: passed over, and told. */
static void test_unknown_types(void **state)
{
	const struct perf_event_header later[] = {{.type = 40, .size = 48}, {.type = 200, .size = 8}};
	struct perfwrite w = {.trailer = TRAILER};
	struct perffile *pf = begin();
	struct perfdata_record rec;
	const char zeros[40] = "";
	uint32_t type;
	struct back b;

	(void)state;
	perfwrite_bytes(&w, &later[0], sizeof(later[0]));
	perfwrite_bytes(&w, zeros, sizeof(zeros));
	perfwrite_bytes(&w, &later[1], sizeof(later[1]));
	put_sample(&w, 7, 0x4000, 1000);
	give(pf, &w);
	finish(pf);
	open_back(&b, path);
	assert_int_equal(perfdata_unknown(b.data, &type), 0);
	next(&b, &rec, 40);
	next(&b, &rec, PERF_RECORD_SAMPLE);
	assert_int_equal(rec.time, 1000);
	assert_int_equal(perfdata_unknown(b.data, &type), 2);
	assert_int_equal(type, 40);
	no_more(&b);
	close_back(&b);
}

/* More than is collected for one write, in odd pieces. */
static void test_many_records(void **state)
{
	struct perfwrite w = {.trailer = TRAILER};
	struct perffile *pf = begin();
	struct perfdata_record rec;
	struct back b;
	const int nr = 100000;

	(void)state;
	for (int i = 0; i < nr; i++) {
		put_sample(&w, 7, 0x4000, 1000 + (uint64_t)i);
		if (i % 33333 == 0 || i == nr - 1)
			give(pf, &w);
	}
	finish(pf);
	open_back(&b, path);
	for (int i = 0; i < nr; i++) {
		next(&b, &rec, PERF_RECORD_SAMPLE);
		assert_int_equal(rec.time, 1000 + i);
	}
	no_more(&b);
	close_back(&b);
}

static void test_late_ids(void **state)
{
	static const uint64_t more[] = {7, 8, 9, 20, 21};
	const struct perfwrite_event later[] = {{&clock_attr, "cpu-clock", more, 5}, events[1]};
	struct perfwrite w = {.trailer = TRAILER};
	struct perffile *pf = begin();
	struct perfdata_record rec;
	struct back b;

	(void)state;
	put_sample(&w, 21, 0x4000, 1);
	give(pf, &w);
	assert_int_equal(perffile_finish(pf, later, 2, &err), 0);
	perffile_free(pf);
	open_back(&b, path);
	next(&b, &rec, PERF_RECORD_SAMPLE);
	assert_int_equal(rec.event, 0);
	no_more(&b);
	close_back(&b);
}

/* The test itself is a file with a build-id that is mapped. */
static void test_facts_and_build_ids(void **state)
{
	struct perfwrite w = {.trailer = TRAILER};
	struct procstate ps;
	struct buildids *ids = buildids_create();
	struct record_layout l;
	pid_t self = getpid();
	char own[PATH_MAX];
	struct perffile *pf = begin();
	ssize_t n = readlink("/proc/self/exe", own, sizeof(own) - 1);
	const struct perfdata_info *info;
	struct perfdata_record rec;
	bool comm = false, map = false, id = false;
	struct back b;

	(void)state;
	assert_true(n > 0 && ids);
	own[n] = '\0';
	record_layout_init(&l, TRAILER);
	assert_int_equal(procstate_begin(&ps, &self, 1), 0);
	assert_int_equal(ps.nr, 1);
	while (procstate_next(&ps, &w))
		;
	procstate_clear(&ps);
	for (size_t at = 0; at < w.len;) {
		struct perf_event_header *h = (void *)(w.data + at);

		assert_int_equal(buildids_record(ids, &l, h), 0);
		at += h->size;
	}
	give(pf, &w);
	buildids_write(ids, perffile_feature(pf, PERFWRITE_BUILD_ID));
	buildids_free(ids);
	facts_write(pf, events, 2);
	finish(pf);

	open_back(&b, path);
	info = perfdata_info(b.data);
	assert_string_not_equal(info->host, "");
	assert_string_not_equal(info->release, "");
	assert_string_not_equal(info->arch, "");
	assert_true(info->cpus > 0);
	assert_non_null(strstr(info->command, "test_perffile"));
	assert_string_equal(perfdata_event(b.data, 0)->name, "cpu-clock:u");
	assert_string_equal(perfdata_event(b.data, 1)->name, "sideband");
	for (size_t i = 0; i < perfdata_build_ids(b.data); i++)
		id |= !strcmp(perfdata_build_id(b.data, i)->path, own) &&
		      perfdata_build_id(b.data, i)->len == 20;
	assert_true(id);
	while (perfdata_next(b.data, &rec, &err) > 0) {
		struct record_comm c;
		struct record_mmap m;

		comm |= record_comm(&l, rec.h, &c) && c.pid == (uint32_t)self;
		map |= record_mmap(&l, rec.h, &m) && !strcmp(m.filename, own);
	}
	assert_true(comm && map);
	close_back(&b);
}

static void test_name_only_when_whole(void **state)
{
	struct perffile *pf = begin();
	char old[PATH_MAX + 8];
	struct stat first, st;

	(void)state;
	finish(pf);
	assert_int_equal(stat(path, &first), 0);
	assert_int_equal(first.st_mode & 0777, 0600);
	/* An unfinished one leaves what is there alone, and nothing of its own. */
	perffile_free(begin());
	assert_int_equal(files_there(), 1);
	finish(begin());
	snprintf(old, sizeof(old), "%s.old", path);
	assert_int_equal(stat(old, &st), 0);
	assert_int_equal(st.st_ino, first.st_ino);
	assert_int_equal(files_there(), 2);
}

static void test_what_is_no_file(void **state)
{
	(void)state;
	assert_null(perffile_create("-", &err));
	assert_int_equal(err.code, EINVAL);
	assert_null(perffile_create("/dev/null", &err));
	assert_int_equal(err.code, EINVAL);
	assert_null(perffile_create(dir, &err));
	assert_int_equal(err.code, EINVAL);
	snprintf(path, sizeof(path), "%s/none/perf.data", dir);
	assert_null(perffile_create(path, &err));
	assert_int_equal(err.code, ENOENT);
}

/* A limit on a file's size stands for a full disk: the file ends with the last whole record. */
static void test_full(void **state)
{
	struct rlimit before, limit;
	struct perfwrite w = {.trailer = TRAILER};
	struct perffile *pf = begin();
	struct perfdata_record rec;
	uint64_t dropped;
	int ret = 0, given = 0, seen = 0;
	struct back b;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	limit = before;
	limit.rlim_cur = 4000001;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	for (; given < 200000 && !ret; given++) {
		put_sample(&w, 7, 0x4000, 1000 + (uint64_t)given);
		ret = perffile_records(pf, w.data, w.len);
		w.len = 0;
	}
	assert_int_equal(ret, -EFBIG);
	put_sample(&w, 7, 0x4000, 1000 + (uint64_t)given++);
	assert_int_equal(perffile_records(pf, w.data, w.len), -EFBIG);
	dropped = perffile_dropped(pf);
	perfwrite_clear(&w);
	setrlimit(RLIMIT_FSIZE, &before);
	finish(pf);
	open_back(&b, path);
	while (perfdata_next(b.data, &rec, &err) > 0) {
		assert_int_equal(rec.h->type, PERF_RECORD_SAMPLE);
		assert_int_equal(rec.time, 1000 + seen);
		seen++;
	}
	assert_int_equal(err.code, 0);
	assert_true(seen > 40000 && seen < given);
	assert_int_equal(seen + dropped, given);
	close_back(&b);
}

static void test_too_long_for_a_record(void **state)
{
	struct perfwrite w = {.trailer = TRAILER};
	static uint64_t words[9000];

	(void)state;
	perfwrite_auxtrace_info(&w, 1, words, 17);
	assert_false(w.failed);
	assert_int_equal(w.len, 16 + 17 * 8);
	perfwrite_auxtrace_info(&w, 1, words, 9000);
	assert_true(w.failed);
	assert_int_equal(w.len, 16 + 17 * 8);
	perfwrite_clear(&w);
}

/* As perf reads it: u64 nr, then id, idx, cpu and tid of each; no record is longer than its size can say. */
static void test_id_index(void **state)
{
	static struct perfwrite_index index[2500];
	struct perfwrite w = {.trailer = TRAILER};
	const uint64_t *words;

	(void)state;
	for (unsigned i = 0; i < 2500; i++)
		index[i] = (struct perfwrite_index){.id = 100 + i, .idx = i % 64, .cpu = i % 64, .tid = -1};
	perfwrite_id_index(&w, index, 2500);
	assert_false(w.failed);
	assert_int_equal(w.len, 2 * 16 + 2500 * 32);
	words = (const uint64_t *)(const void *)w.data;
	assert_int_equal((uint32_t)words[0], 69);
	assert_int_equal(words[0] >> 48, 16 + words[1] * 32);
	assert_memory_equal(words + 2, index, words[1] * 32);
	words += (words[0] >> 48) / 8;
	assert_int_equal((uint32_t)words[0], 69);
	assert_int_equal(words[0] >> 48, 16 + words[1] * 32);
	assert_int_equal(words[2 + 4 * words[1] - 4], 2599);
	perfwrite_clear(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_records_come_back, make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(test_unknown_types, make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(test_many_records, make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(test_late_ids, make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(test_facts_and_build_ids, make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(test_name_only_when_whole, make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(test_what_is_no_file, make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(test_full, make_dir, remove_dir),
		cmocka_unit_test(test_too_long_for_a_record),
		cmocka_unit_test(test_id_index),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
