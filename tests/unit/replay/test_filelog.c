/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines of the event log of files made by hand: texts and functions by the lists that the file has, and sums by such a
 * text.  No name is this machine's: these addresses stand in no other list.
 */
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "sources/replay/filesession.h"
#include "tests/perfimage.h"
#include "tests/tracedatfile.h"

#define TYPE (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_RAW)

static const char format[] =
	"name: said\nID: 400\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:const char * s;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long site;\toffset:16;\tsize:8;\tsigned:0;\n\n"
	"print fmt: \"%s at %pS\", REC->s, (void *)REC->site\n";
static const char kallsyms[] = "ffffffff81000000 T _text\nffffffff81001000 t made_up\nffffffff81002000 T another\n"
			       "ffffffff81003000 T _etext\n";
static const char printk[] = "0xffffffff82000010 : \"Start made up\"\n0xffffffff82000020 : \"End made up\"\n";

static struct perfimage im;
static struct err err;

/* All lines, one behind the other; of sums by fields "KEY COUNT". */
static void take_all(struct session *s, char *to, size_t size)
{
	struct pollfd fd = {.fd = s->ops->fd(s), .events = POLLIN};
	struct slice *slice;
	size_t pos = 0;

	*to = '\0';
	while (!session_next(s, &slice)) {
		for (size_t i = 0; slice && i < slice->nlogged; i++)
			pos += (size_t)snprintf(to + pos, size - pos, "%s;", slice->logged[i].text);
		for (size_t i = 0; slice && i < slice->nfields; i++)
			pos += (size_t)snprintf(to + pos, size - pos, "%s %llu;", slice->fields[i].key,
						(unsigned long long)slice->fields[i].count);
		if (!slice)
			poll(&fd, 1, -1);
		slice_free(slice);
	}
}

static void expect(int fd, const char *by, const char *want)
{
	char path[64], lines[1024];
	struct session *s;

	assert_true(fd >= 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	s = file_open(&(struct measure_config){.input = path, .no_lines = true, .log_lines = !by, .log_events = !by, .by = by}, &err);
	close(fd);
	if (!s)
		fail_msg("%s", err.text);
	take_all(s, lines, sizeof(lines));
	assert_string_equal(lines, want);
	session_close(s);
}

static void put_sample(uint64_t time, uint64_t text, uint64_t site)
{
	size_t at = image_begin(&im, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL);

	image_put64(&im, site);
	image_put32(&im, 42);
	image_put32(&im, 42);
	image_put64(&im, time);
	image_put64(&im, 0); /* the CPU */
	image_put32(&im, 28);
	image_put64(&im, 400);
	image_put64(&im, text);
	image_put64(&im, site);
	image_put32(&im, 0);
	image_end(&im, at);
}

static void put_image(void)
{
	const char *formats = format;

	image_start_stream(&im);
	image_put_tracepoint(&im, 400, TYPE);
	image_put_tracing(&im, "made", &formats, 1, kallsyms, printk);
	put_sample(1000, 0xffffffff82000010, 0xffffffff81001004);
	put_sample(2000, 0xffffffff82000020, 0xffffffff81002000);
	put_sample(3000, 0xffffffff82000010, 0xffffffff81001004);
	put_sample(4000, 0xffffffff82000030, 0xffffffff90000000);
}

static void of_perf(void **state)
{
	(void)state;
	put_image();
	expect(image_fd(&im), NULL, "Start made up at made_up+0x4;End made up at another+0x0;Start made up at made_up+0x4;"
				    "ffffffff82000030 at 0xffffffff90000000;");
}

static void summed_up(void **state)
{
	(void)state;
	put_image();
	expect(image_fd(&im), "s", "Start made up 2;End made up 1;0xffffffff82000030 1;");
}

/* A trace.dat's functions, in both versions, of longs of 8 and of 4 bytes. */
static void of_trace_cmd(void **state)
{
	static const char narrow[] = "c1000000 T _text\nc1001000 t made_up\nc1002000 T another\nc1003000 T _etext\n";

	(void)state;
	for (unsigned way = 0; way < 4; way++) {
		struct tracedatfile f = {.version = way & 1 ? 7 : 6, .packed = way & 1, .long_size = way & 2 ? 4 : 8,
					 .kallsyms = way & 2 ? narrow : kallsyms};
		uint64_t base = way & 2 ? 0xc1000000 : 0xffffffff81000000;
		int fd = memfd_create("trace.dat", MFD_CLOEXEC);

		tracedatfile_page(&f, 0, 1000, 0);
		tracedatfile_call(&f, 0, 0, 10, base + 0x1000, base + 0x2008);
		tracedatfile_make(&f);
		assert_int_equal(write(fd, f.bytes, f.len), f.len);
		tracedatfile_clear(&f);
		expect(fd, NULL, "made_up <-- another;");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_perf), cmocka_unit_test(summed_up), cmocka_unit_test(of_trace_cmd),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
