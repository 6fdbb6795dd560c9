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

#include "sources/replay/file.h"
#include "core/table/combine.h"
#include "tests/perfimage.h"

#define TYPE   (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_RAW)
#define MSEC   1000000ull
#define NUMBER 316

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

static struct perfimage im;

static void put_switch(uint64_t time, uint32_t prev, uint32_t state, uint32_t next)
{
	size_t at = image_begin(&im, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL), raw;

	image_put64(&im, 0xffffffff81000000);
	image_put32(&im, prev);
	image_put32(&im, prev);
	image_put64(&im, time);
	image_put64(&im, 0); /* the CPU */
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

static void start(const char *format)
{
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_32_bits), cmocka_unit_test(of_old_kernels), cmocka_unit_test(of_no_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
