/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names, the queue, and what a snapfile made of hand-written rings becomes as a file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/clock.h"
#include "files/decode/perfdata.h"
#include "sources/record/snapshot.h"
#include "tests/shell.h"

static char dir[64];
static struct err err;

static int make_dir(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/ringtop-snapshot.XXXXXX");
	memset(&err, 0, sizeof(err));
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	(void)state;
	return shell_remove(dir);
}

/* --- a snapfile ----------------------------------------------------------------------------- */

static struct event events[2] = {
	{.name = "cpu-clock", .attr = {.type = PERF_TYPE_SOFTWARE, .sample_period = 5}},
	{.name = "page-faults", .attr = {.type = PERF_TYPE_SOFTWARE, .config = 2, .sample_period = 7}},
};
static struct event_list list = {.events = events, .nr = 1};

#define RING 4096

struct writing_ring {
	char *buf;
	size_t at; /* backward: records stand from here to the end */
};

/* A sample as a ring of ours has it: one event without IDENTIFIER, more with it. */
static void put_sample(struct writing_ring *r, uint64_t id, uint32_t tid, uint64_t time)
{
	const bool several = list.nr > 1;
	uint64_t words[5] = {id, 0x1000 + time, (uint64_t)tid << 32 | 40, time};
	struct perf_event_header h = {PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER,
				      (uint16_t)(sizeof(h) + (several ? 32 : 24))};

	r->at -= h.size;
	memcpy(r->buf + r->at, &h, sizeof(h));
	memcpy(r->buf + r->at + sizeof(h), words + !several, h.size - sizeof(h));
}

static void put_ring(struct snapfile *f, int cpu, struct writing_ring *r)
{
	struct snapfile_ring *to = &f->rings[f->nrings++];

	*to = (struct snapfile_ring){.buf = r->buf, .room = RING, .len = RING - r->at, .cpu = cpu};
	memmove(r->buf, r->buf + r->at, to->len);
}

static void add_counter(struct snapfile *f, uint16_t event, uint64_t id)
{
	struct counter c = {.fd = -1, .event = event, .id = id};
	struct ringset set = {.counters = &c, .ncounters = 1};

	assert_int_equal(snapfile_ids(f, &set), 0);
}

static struct snapfile *make_snapfile(unsigned samples)
{
	const struct ringset_config c = {.events = &list, .overwrite = true, .sample_bytes = RING,
					 .tids = (pid_t[]){getpid()}, .ntids = 1};
	struct snapfile *f = snapfile_create(&c, 2);

	assert_non_null(f);
	for (int cpu = 0; cpu < 2; cpu++) {
		struct writing_ring r = {snapfile_buffer(RING), RING};

		assert_non_null(r.buf);
		for (unsigned i = 0; i < samples; i++)
			put_sample(&r, 70 + 10 * (i % list.nr) + (unsigned)cpu, 41, 1000 + i * 10 + (unsigned)cpu);
		put_ring(f, cpu, &r);
		for (uint16_t e = 0; e < list.nr; e++)
			add_counter(f, e, 70 + 10 * e + (unsigned)cpu);
	}
	return f;
}

static void add_sideband(struct snapfile *f)
{
	struct sidelog *sl = sidelog_create(4096);
	struct record_layout l;
	struct record open;
	struct {
		struct perf_event_header h;
		uint32_t pid, tid;
		char comm[16];
		uint32_t id_pid, id_tid;
		uint64_t time, cpu, id;
	} rec = {{PERF_RECORD_COMM, 0, sizeof(rec)}, 40, 41, "worker", 40, 41, 900, 1, 99};

	assert_non_null(sl);
	record_layout_init(&l, RINGSET_SIDEBAND_TYPE);
	record_open(&l, &rec.h, &open);
	assert_int_equal(sidelog_add(sl, &open), 0);
	f->sideband = sidelog_copy(sl, &f->sideband_len);
	assert_non_null(f->sideband);
	assert_int_equal(f->sideband_len, sizeof(rec) - 8); /* without the id */
	sidelog_free(sl);
}

/* --- reading it back ---------------------------------------------------------------------- */

static ssize_t read_fd(void *arg, void *buf, size_t len, uint64_t offset)
{
	ssize_t n = pread(*(int *)arg, buf, len, (off_t)offset);

	return n < 0 ? -errno : n;
}

struct found {
	unsigned samples, comms, bad_cpu, unordered;
};

static void look(struct perfdata *data, struct found *found)
{
	struct perfdata_record rec;
	uint64_t last[2] = {0, 0};

	*found = (struct found){.samples = 0};
	while (perfdata_next(data, &rec, &err) > 0) {
		const struct record_layout *l;
		struct record_comm c;
		struct sample s;

		l = &perfdata_event(data, rec.event == PERFDATA_NO_EVENT ? 0 : rec.event)->layout;
		if (rec.h->type == PERF_RECORD_SAMPLE && record_sample(l, rec.h, &s)) {
			uint32_t cpu = s.cpu;

			found->samples++;
			found->bad_cpu += cpu > 1 || s.time % 10 != cpu || s.ip != 0x1000 + s.time;
			if (cpu < 2) {
				found->unordered += s.time <= last[cpu];
				last[cpu] = s.time;
			}
		}
		if (rec.h->type == PERF_RECORD_COMM && record_comm(l, rec.h, &c))
			found->comms += !strcmp(c.comm, "worker") &&
					record_time(l, rec.h) == 900 &&
					record_cpu(l, rec.h) == 1;
	}
}

static void check_file(const char *path, unsigned samples)
{
	int fd = open(path, O_RDONLY);
	struct perfdata_source source = {.read = read_fd, .arg = &fd, .seekable = true};
	struct perfdata *data;
	struct found found;

	assert_true(fd >= 0);
	data = perfdata_open(&source, &err);
	assert_non_null(data);
	look(data, &found);
	assert_int_equal(found.samples, samples);
	assert_int_equal(found.comms, 1);
	assert_int_equal(found.bad_cpu, 0);
	assert_int_equal(found.unordered, 0);
	perfdata_close(data);
	close(fd);
}

static void write_and_check(unsigned nevents, unsigned samples)
{
	bool cancel = false;
	struct snapfile *f;
	char path[96];

	list.nr = nevents;
	snprintf(path, sizeof(path), "%s/%u.data", dir, nevents);
	f = make_snapfile(samples);
	add_sideband(f);
	if (snapfile_write(f, path, &cancel, &err))
		fail_msg("%s", err.text);
	assert_int_equal(f->said.samples, 2 * samples);
	assert_true(f->said.file_bytes > 0);
	snapfile_free(f);
	check_file(path, 2 * samples);
	list.nr = 1;
}

static void test_file(void **state)
{
	(void)state;
	write_and_check(1, 50);
	write_and_check(2, 50);
	write_and_check(1, 0);
}

/* --- chains beside copies of stacks ----------------------------------------------------------- */

#define BOTH_TYPE (PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER)

#define COPY      (SAMPLE_PIECE + 8)

struct both {
	struct perf_event_header h;
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t time;
	uint64_t nr, chain[5];
	uint64_t abi, reg;
	uint64_t size;
	char stack[COPY];
	uint64_t used;
};

/* Samples in the kernel, called by a program, and in a program. */
static void put_both(struct writing_ring *r)
{
	struct both b = {.h = {PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL, sizeof(b)}, .ip = 0x1000, .pid = 40, .tid = 41,
			 .nr = 5, .chain = {(uint64_t)PERF_CONTEXT_KERNEL, 0x1000, (uint64_t)PERF_CONTEXT_USER, 0x20, 0x30},
			 .abi = PERF_SAMPLE_REGS_ABI_64, .reg = 0x77, .size = COPY, .stack = "fifteen letters", .used = COPY};
	const uint64_t user[] = {(uint64_t)PERF_CONTEXT_USER, 0x1010, 0x20, 0x30, 0x40};

	for (unsigned i = 0; i < 2; i++) {
		if (i)
			memcpy(b.chain, user, sizeof(user));
		b.h.misc = i ? PERF_RECORD_MISC_USER : PERF_RECORD_MISC_KERNEL;
		b.time = i * 10;
		b.ip = 0x1000 + b.time;
		r->at -= sizeof(b);
		memcpy(r->buf + r->at, &b, sizeof(b));
	}
}

/* A piece of the stack is not in the file, and the chain is. */
static void check_piece(const struct perfdata_event *e, const struct sample *s)
{
	assert_false(e->attr.exclude_callchain_user);
	assert_false(e->attr.sample_regs_user || e->attr.sample_stack_user);
	assert_false(e->attr.sample_type & (PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER));
	assert_int_equal(s->nr_chain, 5);
	assert_int_equal(s->chain[4], s->time ? 0x40 : 0x30);
	assert_int_equal(s->ip, 0x1000 + s->time);
	assert_int_equal(s->user_abi, PERF_SAMPLE_REGS_ABI_NONE);
}

/* Of the chain only the kernel's part is in the file, and all else is as it was. */
static void check_both(const char *path, bool piece)
{
	int fd = open(path, O_RDONLY);
	struct perfdata_source source = {.read = read_fd, .arg = &fd, .seekable = true};
	struct perfdata *data = perfdata_open(&source, &err);
	struct perfdata_record rec;
	unsigned nr = 0;

	assert_non_null(data);
	while (perfdata_next(data, &rec, &err) > 0) {
		const struct perfdata_event *e = perfdata_event(data, rec.event == PERFDATA_NO_EVENT ? 0 : rec.event);
		struct sample s;
		uint64_t reg;

		if (rec.h->type != PERF_RECORD_SAMPLE)
			continue;
		assert_true(record_sample(&e->layout, rec.h, &s));
		if (piece) {
			check_piece(e, &s);
			nr++;
			continue;
		}
		assert_true(e->attr.exclude_callchain_user);
		assert_int_equal(s.nr_chain, nr ? 0 : 2);
		if (!nr)
			assert_int_equal(s.chain[1], 0x1000);
		assert_int_equal(s.ip, 0x1000 + s.time);
		assert_int_equal(s.user_abi, PERF_SAMPLE_REGS_ABI_64);
		memcpy(&reg, sample_at(&s, SAMPLE_REGS_USER), sizeof(reg));
		assert_int_equal(reg, 0x77);
		assert_int_equal(s.span[SAMPLE_STACK_USER].len, COPY);
		assert_string_equal(sample_at(&s, SAMPLE_STACK_USER), "fifteen letters");
		nr++;
	}
	assert_int_equal(nr, 2);
	perfdata_close(data);
	close(fd);
}

static void write_both(bool piece)
{
	const struct ringset_config c = {.events = &list, .overwrite = true, .sample_bytes = RING, .callchain = true,
					 .auto_paths = true, .auto_stack = piece ? 0 : COPY, .user_regs = 1,
					 .piece = SAMPLE_PIECE, .piece_regs = 1,
					 .tids = (pid_t[]){getpid()}, .ntids = 1};
	struct snapfile *f = snapfile_create(&c, 1);
	struct writing_ring r = {snapfile_buffer(RING), RING};
	bool cancel = false;
	char path[96];

	assert_non_null(f);
	assert_int_equal(f->events[0].attr.sample_type & BOTH_TYPE, BOTH_TYPE);
	put_both(&r);
	put_ring(f, 0, &r);
	add_counter(f, 0, 70);
	snprintf(path, sizeof(path), "%s/both.data", dir);
	if (snapfile_write(f, path, &cancel, &err))
		fail_msg("%s", err.text);
	snapfile_free(f);
	check_both(path, piece);
}

static void test_both(void **state)
{
	(void)state;
	write_both(false);
	write_both(true);
}

static void test_cancelled(void **state)
{
	struct snapfile *f = make_snapfile(10);
	bool cancel = true;
	char path[96];

	(void)state;
	snprintf(path, sizeof(path), "%s/x.data", dir);
	add_sideband(f);
	assert_int_equal(snapfile_write(f, path, &cancel, &err), -ECANCELED);
	snapfile_free(f);
	assert_int_equal(rmdir(dir), 0); /* nothing is left in it */
}

/* --- the queue ---------------------------------------------------------------------------- */

static void test_names(void **state)
{
	char name[128], tiny[16];

	(void)state;
	setenv("TZ", "UTC", 1);
	assert_true(snapshot_name(name, sizeof(name), "/x", 1767225600ull * NSEC_PER_SEC, 3));
	assert_string_equal(name, "/x/ringtop-snapshot-20260101-000000-3.data");
	assert_true(snapshot_name(name, sizeof(name), "", 1767225600ull * NSEC_PER_SEC, 12));
	assert_string_equal(name, "ringtop-snapshot-20260101-000000-12.data");
	assert_false(snapshot_name(tiny, sizeof(tiny), "/x", 0, 1));
}

static void test_directory(void **state)
{
	(void)state;
	assert_null(snapshots_create("/nowhere/at/all", &err));
	assert_int_equal(err.code, EINVAL);
	assert_null(snapshots_create("/dev/null", &err));
	assert_int_equal(err.code, EINVAL);
	/* There, and nobody makes a file in it: not even root. */
	assert_null(snapshots_create("/proc/self/fdinfo", &err));
	assert_int_not_equal(err.code, EINVAL);
	assert_non_null(strstr(err.text, "/proc/self/fdinfo"));
}

static void test_asking(void **state)
{
	struct snapshots *sn = snapshots_create(dir, &err);
	struct slice *s = slice_create();
	enum snapshot_kind kind;
	char *reason;

	(void)state;
	assert_non_null(sn);
	assert_false(snapshots_next(sn, &kind, &reason));
	assert_int_equal(snapshots_ask(sn, SNAPSHOT_RINGS, "one", &err), 0);
	assert_int_equal(snapshots_ask(sn, SNAPSHOT_AUX, "two", &err), 0);
	assert_int_equal(snapshots_ask(sn, SNAPSHOT_RINGS, "three", &err), -EBUSY);
	assert_true(snapshots_next(sn, &kind, &reason));
	assert_int_equal(kind, SNAPSHOT_RINGS);
	assert_string_equal(reason, "one");
	free(reason);
	snapshots_report(sn, s);
	assert_int_equal(s->nlogs, 1); /* the refused one */
	assert_int_equal(s->logs[0].level, SLICE_WARNING);
	snapshots_report(sn, s);
	assert_int_equal(s->nlogs, 1);
	snapshots_stop(sn, NSEC_PER_SEC, false);
	assert_false(snapshots_next(sn, &kind, &reason));
	slice_free(s);
	snapshots_free(sn);
}

/* Two into the same directory in one second, and their states in the slices. */
static void test_sending(void **state)
{
	struct snapshots *sn = snapshots_create(dir, &err);
	unsigned states[SNAPSHOT_STATES] = {0};
	struct slice *s = slice_create();

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct snapfile *f = make_snapfile(20);

		add_sideband(f);
		f->said.reason = strdup("key");
		f->said.wall = NSEC_PER_SEC;
		snapshots_send(sn, f);
	}
	snapshots_stop(sn, 60 * NSEC_PER_SEC, true);
	snapshots_report(sn, s);
	for (size_t i = 0; i < s->nsnapshots; i++) {
		states[s->snapshots[i].state]++;
		if (s->snapshots[i].state == SNAPSHOT_WRITTEN)
			check_file(s->snapshots[i].file, 40);
	}
	assert_int_equal(states[SNAPSHOT_WRITING], 2);
	assert_int_equal(states[SNAPSHOT_WRITTEN], 2);
	/* After the stop nothing is begun any more, and that is said. */
	snapshots_send(sn, make_snapfile(1));
	slice_free(s);
	s = slice_create();
	snapshots_report(sn, s);
	assert_int_equal(s->nsnapshots, 1);
	assert_int_equal(s->snapshots[0].state, SNAPSHOT_FAILED);
	slice_free(s);
	snapshots_free(sn);
}

static void test_sidelog_is_bounded(void **state)
{
	struct sidelog *sl = sidelog_create(1000);
	struct record_layout l;
	struct record open;
	struct {
		struct perf_event_header h;
		uint32_t pid, tid;
		char comm[16];
		uint32_t id_pid, id_tid;
		uint64_t time, cpu, id;
	} rec = {{PERF_RECORD_COMM, 0, sizeof(rec)}, 1, 1, "x", 1, 1, 0, 0, 9};
	uint64_t time = 0, kept = 0;
	size_t len;
	char *copy;

	(void)state;
	record_layout_init(&l, RINGSET_SIDEBAND_TYPE);
	for (rec.time = 1; rec.time <= 500; rec.time++) {
		record_open(&l, &rec.h, &open);
		assert_int_equal(sidelog_add(sl, &open), 0);
	}
	copy = sidelog_copy(sl, &len);
	assert_true(len > 500 && len <= 1000);
	record_layout_init(&l, SIDELOG_TYPE);
	for (size_t at = 0; at < len; at += ((struct perf_event_header *)(void *)(copy + at))->size) {
		uint64_t now = record_time(&l, (struct perf_event_header *)(void *)(copy + at));

		assert_true(!time || now == time + 1);
		time = now;
		kept++;
	}
	assert_int_equal(time, 500); /* the newest is there */
	assert_int_equal(kept + sidelog_dropped(sl), 500);
	free(copy);
	sidelog_free(sl);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_directory),
		cmocka_unit_test(test_sidelog_is_bounded),
		cmocka_unit_test_setup_teardown(test_file, make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(test_both, make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(test_cancelled, make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(test_asking, make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(test_sending, make_dir, remove_dir),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
