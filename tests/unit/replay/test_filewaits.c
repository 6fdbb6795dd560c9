/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Off-CPU times of files made by hand: switches of machines of 32 and of 64 bits, old and new kernels' letters for states,
 * and waits that go on when the file ends.
 */
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/hash.h"
#include "sources/replay/filesession.h"
#include "core/table/combine.h"
#include "tests/perfimage.h"

#define TYPE   (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_RAW)
#define MSEC   1000000ull
#define NUMBER 316
#define WAKING 317
#define OF_TWO (TYPE | PERF_SAMPLE_IDENTIFIER) /* of a file with both: samples begin with their event's number */
#define TIMES  5

/* The fields of sched_switch with a prev_state of that size, and what it prints. */
#define FORMAT(size, letters)                                                                                       \
	"name: sched_switch\nID: 316\nformat:\n"                                                                    \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"                                       \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"                                       \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"                               \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"                                                 \
	"\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:1;\n"                                              \
	"\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"                                                  \
	"\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"                                                   \
	"\tfield:long prev_state;\toffset:32;\tsize:" size ";\tsigned:1;\n"                                          \
	"\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:1;\n"                                             \
	"\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"                                                  \
	"\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n\n"                                                 \
	"print fmt: \"prev_state=%s\", __print_flags(REC->prev_state, \"|\", " letters ")\n"

#define LETTERS_3_16 "{ 1, \"S\"} , { 2, \"D\" }, { 16, \"Z\" }, { 32, \"X\" }, { 64, \"x\" }"
#define LETTERS_6_18 "{ 0x00000001, \"S\" }, { 0x00000002, \"D\" }, { 0x00000010, \"X\" }, { 0x00000040, \"P\" }"

#define WAKING_FORMAT                                                                                               \
	"name: sched_waking\nID: 317\nformat:\n"                                                                    \
	"\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:1;\n"                                                 \
	"\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n\n"                                                   \
	"print fmt: \"pid=%d\", REC->pid\n"

static struct perfimage im;
static uint64_t sample_type;

static size_t begin_sample(uint64_t event, uint32_t thread, uint64_t time)
{
	size_t at = image_begin(&im, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL);

	if (sample_type & PERF_SAMPLE_IDENTIFIER)
		image_put64(&im, event);
	image_put64(&im, 0xffffffff81000000);
	image_put32(&im, thread);
	image_put32(&im, thread);
	image_put64(&im, time);
	image_put64(&im, 0); /* the CPU */
	return at;
}

static void put_switch(uint64_t time, uint32_t prev, uint32_t state, uint32_t next)
{
	size_t at = begin_sample(NUMBER, prev, time), raw;

	image_put32(&im, 68);
	raw = im.size;
	image_put64(&im, NUMBER);
	image_put_text(&im, "prev", 16);
	image_put32(&im, prev);
	image_put32(&im, 120);
	image_put32(&im, state);
	image_put32(&im, 0xffffffff); /* a prev_state of 8 bytes overwrites it */
	image_put_text(&im, "next", 16);
	image_put32(&im, next);
	image_put32(&im, 120);
	while (im.size < raw + 68)
		image_put(&im, "", 1);
	image_end(&im, at);
}

static void put_waking(uint64_t time, uint32_t waker, uint32_t woken)
{
	size_t at = begin_sample(WAKING, waker, time);

	image_put32(&im, 28);
	image_put64(&im, WAKING);
	image_put_text(&im, "woken", 16);
	image_put32(&im, woken);
	image_end(&im, at);
}

static void put_event(uint64_t number)
{
	size_t at = image_begin(&im, 64, 0);

	image_put_attr(&im, number, OF_TWO);
	image_put_at(&im, at + 8, PERF_TYPE_TRACEPOINT, 4);
	image_put_at(&im, at + 8 + 16, 1, 8); /* sample_period */
	image_put64(&im, number);
	image_end(&im, at);
}

static void start_both(void)
{
	const char *formats[] = {FORMAT("8", LETTERS_6_18), WAKING_FORMAT};

	sample_type = OF_TWO;
	image_start_stream(&im);
	put_event(NUMBER);
	put_event(WAKING);
	image_put_tracing(&im, "sched", formats, 2, NULL, NULL);
}

static void start(const char *format)
{
	sample_type = TYPE;
	image_start_stream(&im);
	image_put_tracepoint(&im, NUMBER, TYPE);
	image_put_tracing(&im, "sched", &format, 1, NULL, NULL);
}

struct found {
	uint64_t ns[COMBINE_EVENTS], waits[COMBINE_EVENTS];
	char said[512]; /* text of what is missing */
};

static void add(struct found *f, const struct slice *s)
{
	for (size_t i = 0; i < s->naccounts; i++) {
		const struct slice_account *a = &s->accounts[i];

		assert_int_equal(a->counted, a->attributed);
		f->ns[a->event] += a->attributed;
		f->waits[a->event] += a->samples;
	}
	for (size_t i = 0; i < s->nlogs; i++)
		if (strstr(s->logs[i].text, "off-cpu: "))
			snprintf(f->said, sizeof(f->said), "%s", s->logs[i].text);
}

static struct session *open_image(void)
{
	struct err err = {.code = 0};
	struct session *s;
	char path[64];
	int fd = image_fd(&im);

	assert_true(fd >= 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	s = file_open(&(struct measure_config){.input = path, .no_lines = true, .off_cpu = true}, &err);
	close(fd);
	if (!s)
		fail_msg("%s", err.text);
	return s;
}

static struct found take_all(struct session *s)
{
	struct pollfd fd = {.fd = s->ops->fd(s), .events = POLLIN};
	struct found found = {.said = ""};
	struct session_end end;
	struct slice *slice;
	int ret;

	while (!(ret = session_next(s, &slice))) {
		if (slice)
			add(&found, slice);
		else
			poll(&fd, 1, -1);
		slice_free(slice);
	}
	assert_int_equal(ret, -ESHUTDOWN);
	s->ops->end(s, &end);
	assert_int_equal(end.error, 0);
	return found;
}

static uint64_t ns_of(const struct session *s, const struct found *f, const char *event)
{
	for (unsigned i = 0; i < s->info.nevents; i++)
		if (!strcmp(s->info.events[i].name, event))
			return f->ns[i];
	fail_msg("no event %s", event);
	return 0;
}

/*
 * Thread 10 sleeps from 1.0 to 1.2 s, and again from 1.5 s on, without an end in the file; 11 ends at 1.2 s; 12 waits for
 * a disk from 1.9 s on.  The file ends at 2.0 s, where 13 is preempted.
 */
static void threads_wait(const char *format, uint32_t dead)
{
	struct session *s;
	struct found f;

	start(format);
	put_switch(1000 * MSEC, 10, 1, 11);
	put_switch(1200 * MSEC, 11, dead, 10);
	put_switch(1500 * MSEC, 10, 1, 12);
	put_switch(1900 * MSEC, 12, 2, 13);
	put_switch(2000 * MSEC, 13, 0, 0);
	s = open_image();
	f = take_all(s);
	assert_int_equal(ns_of(s, &f, "off-cpu"), (200 + 500 + 100) * MSEC);
	/* No waking is in the file, so how much of a wait was runnable, waiting for a CPU is not known. */
	assert_int_equal(ns_of(s, &f, "off-cpu:unknown"), (200 + 500 + 100) * MSEC);
	assert_int_equal(ns_of(s, &f, "off-cpu:runnable"), 0);
	assert_int_equal(ns_of(s, &f, "on-cpu"), (200 + 300 + 400 + 100) * MSEC);
	assert_non_null(strstr(f.said, "; 3 waits lasted beyond its end and are counted up to there; "));
	session_close(s);
}

/* A long has 4 bytes there; what follows prev_state in the record is nothing of it. */
static void of_32_bits(void **state)
{
	(void)state;
	threads_wait(FORMAT("4", LETTERS_6_18), 0x10);
}

/* Before 4.14 a thread that is dead has the bit that is said of a parked one now. */
static void of_old_kernels(void **state)
{
	(void)state;
	threads_wait(FORMAT("4", LETTERS_3_16), 0x40);
}

/* A state of another size cannot be read: that is said, and nothing is guessed. */
static void of_no_kernel(void **state)
{
	struct err err = {.code = 0};
	char path[64];
	int fd;

	(void)state;
	start(FORMAT("2", LETTERS_6_18));
	put_switch(1000 * MSEC, 10, 1, 11);
	fd = image_fd(&im);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_null(file_open(&(struct measure_config){.input = path, .no_lines = true, .off_cpu = true}, &err));
	assert_non_null(strstr(err.text, "lacks a field"));
	close(fd);
}

/*
 * Threads 20 to 59 sleep for 2 s and come back without a waking, though wakings are recorded: each slept as far as it was
 * reported while it did.  Which those are is the same whenever the file is read, whatever the hashes' secret.
 */
static void figures_stay(void **state)
{
	const struct hash_secret mine = hash_secret;
	struct found first = {.said = ""};
	uint64_t slept, unknown;

	(void)state;
	start_both();
	put_waking(999 * MSEC, 0, 10);
	for (uint32_t i = 20; i < 60; i++)
		put_switch((1000 + i) * MSEC, i, 1, i + 1);
	for (uint64_t ms = 1100; ms < 3000; ms += 20) {
		put_switch(ms * MSEC, 10, 0, 11);
		put_switch((ms + 10) * MSEC, 11, 0, 10);
	}
	for (uint32_t i = 20; i < 60; i++)
		put_switch((3000 + i) * MSEC, i == 20 ? 10 : i - 1, 1, i);
	for (uint64_t n = 1; n <= TIMES; n++) {
		struct session *s;
		struct found f;

		hash_secret = (struct hash_secret){mine.start * (2 * n + 1), mine.factor * (2 * n + 1)};
		s = open_image();
		f = take_all(s);
		slept = ns_of(s, &f, "off-cpu:sleeping");
		unknown = ns_of(s, &f, "off-cpu:unknown");
		session_close(s);
		assert_true(slept && unknown);
		first = n == 1 ? f : first;
		assert_memory_equal(f.ns, first.ns, sizeof(f.ns));
		assert_memory_equal(f.waits, first.waits, sizeof(f.waits));
	}
	hash_secret = mine;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_32_bits), cmocka_unit_test(of_old_kernels), cmocka_unit_test(of_no_kernel),
		cmocka_unit_test(figures_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
