/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What datafile and perfwrite write, perfdata reads back: events with their ids, what was there before,
 * records, losses, traces and features; a file has its name only when it is whole, and a disk that is
 * full costs samples, not the file.
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
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/budget.h"
#include "files/decode/perfdata.h"
#include "sources/record/buildids.h"
#include "sources/record/datafile.h"
#include "tests/shell.h"
#include "tests/skip.h"

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
static struct err err;
static char dir[64], path[PATH_MAX];

static int make_dir(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/ringtop-datafile.XXXXXX");
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

static struct datafile *create(void)
{
	struct datafile *df = datafile_create(path, 0, &err);

	if (!df)
		fail_msg("%s", err.text);
	assert_int_equal(datafile_event(df, &clock_attr, "cpu-clock:u"), 0);
	assert_int_equal(datafile_event(df, &dummy_attr, "sideband"), 1);
	assert_int_equal(datafile_ids(df, 0, clock_ids, 3), 0);
	assert_int_equal(datafile_ids(df, 1, dummy_ids, 2), 0);
	return df;
}

static struct datafile *begin(void)
{
	struct datafile *df = create();

	assert_int_equal(datafile_begin(df), 0);
	return df;
}

static void give(struct datafile *df, struct perfwrite *w)
{
	assert_false(w->failed);
	assert_int_equal(datafile_put(df, w), 0);
	assert_int_equal(w->len, 0);
	assert_int_equal(w->trailer, TRAILER);
}

static void finish(struct datafile *df)
{
	if (datafile_finish(df, &err))
		print_error("%s\n", err.text);
	assert_int_equal(err.code, 0);
	assert_int_equal(datafile_failed(df), 0);
	datafile_free(df);
}

/* --- tests -------------------------------------------------------------------------------- */

static const struct perfwrite_id lost_id = {.pid = 1, .tid = 2, .time = 5000, .id = 8, .cpu = 1};

/* One record of each kind that we make. */
static void give_each(struct datafile *df)
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
	give(df, &w);
	assert_int_equal(datafile_auxtrace(df, &(struct perfwrite_auxtrace){.size = 13, .cpu = 1},
					   parts, 4), 0);
	perfwrite_lost_samples(&w, &lost_id, 12);
	give(df, &w);
}

static void check_events(struct back *b)
{
	assert_int_equal(perfdata_events(b->data), 2);
	assert_int_equal(perfdata_event(b->data, 0)->attr.sample_period, 1000000);
	assert_int_equal(perfdata_find(b->data, 9), 0);
	assert_int_equal(perfdata_find(b->data, 11), 1);
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
	struct datafile *df = begin();
	const struct record_layout *l;
	struct back b;

	(void)state;
	give_each(df);
	assert_int_equal(files_there(), 1);
	assert_int_equal(access(path, F_OK), -1);
	finish(df);
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
	struct datafile *df = begin();
	struct perfdata_record rec;
	const char zeros[40] = "";
	uint32_t type;
	struct back b;

	(void)state;
	perfwrite_bytes(&w, &later[0], sizeof(later[0]));
	perfwrite_bytes(&w, zeros, sizeof(zeros));
	perfwrite_bytes(&w, &later[1], sizeof(later[1]));
	put_sample(&w, 7, 0x4000, 1000);
	give(df, &w);
	finish(df);
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
	struct datafile *df = begin();
	struct perfdata_record rec;
	struct back b;
	const int nr = 100000;

	(void)state;
	for (int i = 0; i < nr; i++) {
		put_sample(&w, 7, 0x4000, 1000 + (uint64_t)i);
		if (i % 33333 == 0 || i == nr - 1)
			give(df, &w);
	}
	finish(df);
	open_back(&b, path);
	for (int i = 0; i < nr; i++) {
		next(&b, &rec, PERF_RECORD_SAMPLE);
		assert_int_equal(rec.time, 1000 + i);
	}
	no_more(&b);
	close_back(&b);
}

/* Of counters that were opened meanwhile; in place of all, or one more. */
static void test_late_ids(void **state)
{
	static const uint64_t more[] = {12, 10, 11};
	struct perfwrite w = {.trailer = TRAILER};
	struct datafile *df = begin();
	struct perfdata_record rec;
	struct back b;

	(void)state;
	assert_int_equal(datafile_id(df, 0, 20), 0);
	assert_int_equal(datafile_id(df, 0, 21), 0);
	assert_int_equal(datafile_ids(df, 1, more, 3), 0);
	put_sample(&w, 21, 0x4000, 1);
	give(df, &w);
	assert_int_equal(datafile_finish(df, &err), 0);
	assert_int_equal(datafile_id(df, 0, 22), 0); /* too late */
	datafile_free(df);
	open_back(&b, path);
	next(&b, &rec, PERF_RECORD_SAMPLE);
	assert_int_equal(rec.event, 0);
	assert_int_equal(perfdata_find(b.data, 9), 0);
	assert_int_equal(perfdata_find(b.data, 12), 1);
	assert_int_equal(perfdata_find(b.data, 22), PERFDATA_NO_EVENT);
	no_more(&b);
	close_back(&b);
}

/* Their own times and numbers, in any order, and of which piece the newest is asked. */
static void test_times(void **state)
{
	static const uint64_t times[] = {500, 300, 900, 700};
	struct perfwrite w = {.trailer = TRAILER};
	struct datafile *df = begin();
	uint64_t newest = 1, before = datafile_bytes(df);
	struct back b;

	(void)state;
	perfwrite_lost(&w, &(struct perfwrite_id){.time = 4000, .id = 8}, 1);
	assert_int_equal(datafile_records(df, w.data, w.len, &newest), 0);
	assert_int_equal(newest, 1); /* no sample */
	assert_int_equal(datafile_samples(df), 0);
	w.len = 0;
	for (unsigned i = 0; i < 4; i++)
		put_sample(&w, 7, 0x4000, times[i]);
	assert_int_equal(datafile_records(df, w.data, w.len, &newest), 0);
	assert_int_equal(newest, 700);
	assert_int_equal(datafile_samples(df), 4);
	assert_true(datafile_bytes(df) >= before + 4 * 48);
	perfwrite_clear(&w);
	finish(df);
	open_back(&b, path);
	assert_int_equal(perfdata_info(b.data)->first, 300);
	assert_int_equal(perfdata_info(b.data)->last, 900);
	close_back(&b);
}

/* --- what was there before ---------------------------------------------------------------- */

static void take_all(struct datafile *df, const pid_t *tids, size_t ntids)
{
	assert_int_equal(datafile_earlier(df, tids, ntids, -1), 0);
	assert_false(datafile_complete(df));
	while (!datafile_complete(df))
		assert_int_equal(datafile_take_earlier(df, true), 0);
}

/* Is there our own process, by name and by the map of `own`? */
static void find_self(struct back *b, const char *own, bool *comm, bool *map)
{
	struct record_layout l;
	struct perfdata_record rec;

	*comm = *map = false;
	record_layout_init(&l, TRAILER);
	while (perfdata_next(b->data, &rec, &err) > 0) {
		struct record_comm c;
		struct record_mmap m;

		*comm |= rec.h->type == PERF_RECORD_COMM && record_comm(&l, rec.h, &c) &&
			 c.pid == (uint32_t)getpid();
		*map |= rec.h->type == PERF_RECORD_MMAP2 && record_mmap(&l, rec.h, &m) &&
			!strcmp(m.filename, own);
	}
	assert_int_equal(err.code, 0);
}

static void own_path(char own[PATH_MAX])
{
	ssize_t n = readlink("/proc/self/exe", own, PATH_MAX - 1);

	assert_true(n > 0);
	own[n] = '\0';
}

static bool has_build_id(const struct back *b, const char *name)
{
	for (size_t i = 0; i < perfdata_build_ids(b->data); i++)
		if (!strcmp(perfdata_build_id(b->data, i)->path, name))
			return perfdata_build_id(b->data, i)->id.len == 20;
	return false;
}

/* The test itself is a file with a build-id that is mapped, before and while the file is written. */
static void test_earlier_and_build_ids(void **state)
{
	struct perfwrite w = {.trailer = TRAILER};
	struct datafile *df = begin();
	pid_t self = getpid();
	char own[PATH_MAX];
	bool comm, map;
	struct back b;

	(void)state;
	own_path(own);
	take_all(df, &self, 1);
	finish(df);
	open_back(&b, path);
	assert_true(has_build_id(&b, own));
	find_self(&b, own, &comm, &map);
	assert_true(comm && map);
	close_back(&b);

	df = begin();
	take_all(df, NULL, 0); /* of nobody, and the kernel */
	perfwrite_map(&w, &(struct record_mmap){.pid = (uint32_t)self, .addr = 0x4000,
						.len = 0x1000, .prot = 5, .filename = own});
	give(df, &w);
	finish(df);
	open_back(&b, path);
	assert_true(has_build_id(&b, own));
	find_self(&b, own, &comm, &map);
	assert_true(!comm && map);
	close_back(&b);
}

static void test_facts(void **state)
{
	const struct perfdata_info *info;
	struct perfwrite w = {.trailer = TRAILER};
	struct datafile *df = begin();
	struct back b;

	(void)state;
	perfwrite_round(&w);
	give(df, &w); /* a file without records stands as one that is not finished */
	finish(df);
	open_back(&b, path);
	info = perfdata_info(b.data);
	assert_string_not_equal(info->host, "");
	assert_string_not_equal(info->release, "");
	assert_string_not_equal(info->arch, "");
	assert_true(info->cpus > 0);
	assert_non_null(strstr(info->command, "test_datafile"));
	assert_string_equal(perfdata_event(b.data, 0)->name, "cpu-clock:u");
	assert_string_equal(perfdata_event(b.data, 1)->name, "sideband");
	close_back(&b);
}

/* --- AUX data ----------------------------------------------------------------------------- */

/* The section of a feature, by the table behind the data. */
static struct perfwrite_section feature_at(int fd, unsigned feature)
{
	uint64_t head[PERFWRITE_HEADER / 8];
	struct perfwrite_section s;
	off_t at;

	assert_int_equal(pread(fd, head, sizeof(head), 0), sizeof(head));
	assert_true(head[9] & 1ull << feature);
	at = (off_t)(head[5] + head[6]) + /* where the data ends */
	     (off_t)sizeof(s) * __builtin_popcountll(head[9] & ((1ull << feature) - 1));
	assert_int_equal(pread(fd, &s, sizeof(s), at), sizeof(s));
	return s;
}

static const struct event made_up = {.name = "made-up", .pmu = "made_up",
				     .attr = {.type = 77, .sample_period = 1}};

/* AUXTRACE_INFO first, and every trace in the index, with its bytes from several places. */
static void test_aux(void **state)
{
	static const struct auxset_info info = {.event = &made_up, .pmu = "made_up", .size = 4096};
	static char trace[1000];
	struct iovec parts[] = {{trace, 100}, {trace + 100, 900}};
	struct perfwrite w = {.trailer = TRAILER};
	struct datafile *df = begin();
	struct perfdata_record rec;
	uint64_t index[7], type;
	struct perfwrite_section s;
	struct back b;

	(void)state;
	assert_int_equal(datafile_aux(df, &info, true), 0);
	for (unsigned i = 0; i < 3; i++) {
		put_sample(&w, 7, 0x4000, i);
		give(df, &w);
		assert_int_equal(datafile_auxtrace(df, &(struct perfwrite_auxtrace){
						.size = sizeof(trace) - i, .cpu = (int)i}, parts, 2), 0);
		parts[1].iov_len--;
	}
	finish(df);
	open_back(&b, path);
	assert_int_equal(pread(b.fd, &type, sizeof(type), (off_t)perfdata_info(b.data)->data), 8);
	assert_int_equal((uint32_t)type, 70); /* which the reader keeps to itself */
	for (unsigned i = 0; i < 3; i++)
		next(&b, &rec, PERF_RECORD_SAMPLE);
	no_more(&b);
	assert_int_equal(perfdata_trace(b.data), 3000);
	s = feature_at(b.fd, PERFWRITE_AUXTRACE);
	assert_int_equal(s.size, sizeof(index));
	assert_int_equal(pread(b.fd, index, sizeof(index), (off_t)s.offset), sizeof(index));
	assert_int_equal(index[0], 3);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(pread(b.fd, &type, sizeof(type), (off_t)index[1 + 2 * i]), 8);
		assert_int_equal((uint32_t)type, PERFDATA_AUXTRACE);
		assert_int_equal(index[2 + 2 * i], PERFWRITE_AUXTRACE_RECORD);
	}
	close_back(&b);
}

/* --- names -------------------------------------------------------------------------------- */

static void test_name_only_when_whole(void **state)
{
	struct datafile *df = begin();
	char old[PATH_MAX + 8];
	struct stat first, st;

	(void)state;
	finish(df);
	assert_int_equal(stat(path, &first), 0);
	assert_int_equal(first.st_mode & 0777, 0600);
	/* An unfinished one leaves what is there alone, and nothing of its own. */
	datafile_free(begin());
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
	assert_null(datafile_create("-", 0, &err));
	assert_int_equal(err.code, EINVAL);
	assert_null(datafile_create("/dev/null", 0, &err));
	assert_int_equal(err.code, EINVAL);
	assert_null(datafile_create(dir, 0, &err));
	assert_int_equal(err.code, EINVAL);
	snprintf(path, sizeof(path), "%s/none/perf.data", dir);
	assert_null(datafile_create(path, 0, &err));
	assert_int_equal(err.code, ENOENT);
}

/* A path.old that cannot be replaced: what there is stays, under the name that is told. */
static void test_cannot_be_named(void **state)
{
	char old[PATH_MAX + 8], kept[PATH_MAX];
	struct perfwrite w = {.failed = false};
	struct perfdata_record rec;
	struct datafile *df;
	struct back b;
	int fd;

	(void)state;
	snprintf(old, sizeof(old), "%s.old", path);
	assert_int_equal(mkdir(old, 0700), 0);
	fd = open(path, O_CREAT | O_WRONLY, 0600);
	assert_true(fd >= 0);
	close(fd);
	df = begin();
	perfwrite_round(&w);
	assert_int_equal(datafile_put(df, &w), 0);
	assert_int_equal(datafile_finish(df, &err), -EISDIR);
	assert_non_null(strstr(err.text, ".part"));
	snprintf(kept, sizeof(kept), "%s", strstr(err.text, "file is ") + strlen("file is "));
	datafile_free(df);
	open_back(&b, kept);
	check_events(&b);
	next(&b, &rec, PERFDATA_FINISHED_ROUND);
	no_more(&b);
	close_back(&b);
	unlink(kept);
	df = begin();
	assert_int_equal(datafile_finish(df, &err), -EISDIR);
	datafile_discard(df); /* now nothing is left */
	assert_int_equal(files_there(), 2);
}

/* Bytes that are no records end the file there, and it is told. */
static void test_no_records(void **state)
{
	static char zeros[2 << 20];
	struct perfwrite w = {.trailer = TRAILER};
	struct datafile *df = begin();
	struct perfdata_record rec;
	struct back b;

	(void)state;
	put_sample(&w, 7, 0x4000, 1);
	give(df, &w);
	assert_int_equal(datafile_records(df, zeros, sizeof(zeros), NULL), -EBADMSG);
	put_sample(&w, 7, 0x4000, 2);
	assert_int_equal(datafile_put(df, &w), -EBADMSG);
	w.failed = true;
	assert_int_equal(datafile_put(df, &w), -ENOMEM);
	assert_int_equal(datafile_samples(df), 1);
	assert_int_equal(datafile_finish(df, &err), 0);
	assert_int_equal(datafile_failed(df), -EBADMSG);
	datafile_free(df);
	open_back(&b, path);
	next(&b, &rec, PERF_RECORD_SAMPLE);
	close_back(&b);
}

/* --- a full disk -------------------------------------------------------------------------- */

/* Samples, each one later, until they are refused.  How many were given. */
static unsigned fill(struct datafile *df, int refusal)
{
	struct perfwrite w = {.trailer = TRAILER};
	unsigned given = 0;
	int ret = 0;

	while (given < 400000 && !ret) {
		put_sample(&w, 7, 0x4000, 1000 + given++);
		ret = datafile_records(df, w.data, w.len, NULL);
		w.len = 0;
	}
	assert_int_equal(ret, refusal);
	put_sample(&w, 7, 0x4000, 1000 + given++);
	assert_int_equal(datafile_put(df, &w), refusal);
	assert_int_equal(datafile_failed(df), refusal);
	return given;
}

/* Of the samples as many as were told, without a gap. */
static void check_filled(struct back *b, unsigned given, uint64_t told)
{
	struct perfdata_record rec;
	unsigned seen = 0;

	while (perfdata_next(b->data, &rec, &err) > 0)
		if (rec.h->type == PERF_RECORD_SAMPLE)
			assert_int_equal(rec.time, 1000 + seen++);
	assert_int_equal(err.code, 0);
	assert_true(seen > 40000 && seen < given);
	assert_int_equal(seen, told);
}

/* A limit on a file's size that cuts a record: the file ends with the last whole one. */
static void test_cut(void **state)
{
	struct rlimit before, limit;
	struct datafile *df = begin();
	unsigned given;
	uint64_t told;
	struct back b;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	limit = before;
	limit.rlim_cur = 4000001;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	given = fill(df, -EFBIG);
	told = datafile_samples(df);
	setrlimit(RLIMIT_FSIZE, &before);
	assert_int_equal(datafile_finish(df, &err), 0);
	datafile_free(df);
	open_back(&b, path);
	check_filled(&b, given, told);
	close_back(&b);
}

/* A disk of our own.  False: not allowed to. */
static bool mount_disk(const char *size)
{
	char options[32];

	snprintf(options, sizeof(options), "size=%s", size);
	return !unshare(CLONE_NEWNS) && !mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
	       !mount("none", dir, "tmpfs", 0, options);
}

/*
 * Maps that come when the disk is full find room yet, and so do the features; a sixteenth stays free for
 * others.
 */
static void test_full_disk(void **state)
{
	pid_t self = getpid();
	struct datafile *df;
	struct statvfs st;
	char own[PATH_MAX];
	bool comm, map;
	unsigned given;
	uint64_t told;
	struct back b;

	(void)state;
	if (!mount_disk("8m"))
		SKIP("no file system may be mounted here: %s", strerror(errno));
	assert_null(datafile_create(path, 8 << 20, &err));
	assert_int_equal(err.code, ENOSPC);
	assert_int_equal(files_there(), 0);
	err.code = 0;
	df = begin();
	given = fill(df, -ENOSPC);
	told = datafile_samples(df);
	assert_int_equal(statvfs(dir, &st), 0);
	assert_true(st.f_bavail >= st.f_blocks / 16);
	take_all(df, &self, 1);
	assert_int_equal(datafile_finish(df, &err), 0);
	assert_int_equal(datafile_failed(df), -ENOSPC);
	datafile_free(df);
	assert_int_equal(files_there(), 1);
	own_path(own);
	open_back(&b, path);
	assert_true(has_build_id(&b, own));
	check_filled(&b, given, told);
	close_back(&b);
	open_back(&b, path);
	find_self(&b, own, &comm, &map);
	assert_true(comm && map);
	close_back(&b);
	assert_int_equal(umount(dir), 0);
}

/* --- perfwrite ---------------------------------------------------------------------------- */

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

#define IN_DIR(test) cmocka_unit_test_setup_teardown(test, make_dir, remove_dir)

/* A program may map as many files of long names as it likes. */
static void test_names_of_the_budget(void **state)
{
	static union {
		struct {
			struct perf_event_header h;
			uint32_t pid, tid;
			uint64_t addr, len, pgoff;
			char name[4000];
		} mmap;
		uint64_t aligned;
	} r = {.mmap = {.h = {PERF_RECORD_MMAP, 0, sizeof(r)}, .len = 4096}};
	struct buildids *b;
	struct record_layout l;
	struct budget_figures f;
	unsigned nr = 0;

	(void)state;
	budget_set_limit(BUDGET_MIN);
	b = buildids_create();
	assert_non_null(b);
	record_layout_init(&l, 0);
	memset(r.mmap.name, 'n', sizeof(r.mmap.name) - 1);
	do {
		sprintf(r.mmap.name, "/%08u", nr++);
		r.mmap.name[9] = 'n';
	} while (nr < BUILDIDS_MAX && !buildids_record(b, &l, &r.mmap.h));
	assert_in_range(nr, 1000, BUDGET_MIN / sizeof(r.mmap.name));
	buildids_free(b);
	budget_figures(&f);
	assert_int_equal(f.taken, 0);
	budget_set_limit(BUDGET_DEFAULT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_DIR(test_records_come_back),
		IN_DIR(test_unknown_types),
		IN_DIR(test_many_records),
		IN_DIR(test_late_ids),
		IN_DIR(test_times),
		IN_DIR(test_earlier_and_build_ids),
		IN_DIR(test_facts),
		IN_DIR(test_aux),
		IN_DIR(test_name_only_when_whole),
		IN_DIR(test_what_is_no_file),
		IN_DIR(test_cannot_be_named),
		IN_DIR(test_no_records),
		IN_DIR(test_cut),
		IN_DIR(test_full_disk),
		cmocka_unit_test(test_too_long_for_a_record),
		cmocka_unit_test(test_id_index),
		cmocka_unit_test(test_names_of_the_budget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
