/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pfm: what libpfm4 makes of its names is what the event wants, with and without a processor that has them; wrong names
 * are pointed at.  Without the library every name is refused, with the reason.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel/capture/open.h"
#include "kernel/event/parse.h"
#include "tests/skip.h"

static struct event_list list;
static struct err err;

static int parse(const char *text)
{
	event_list_clear(&list);
	err = (struct err){.code = 0};
	return event_parse(text, &list, &err);
}

/* No test of this: it is refused as it is to be. */
static void need_library(void)
{
	if (parse("pfm:perf::PERF_COUNT_SW_PAGE_FAULTS") != -ENOSYS)
		return;
	assert_non_null(strstr(err.text, "libpfm4"));
	assert_true(*err.advice);
	SKIP("%s", err.text);
}

/* The same attribute as the kernel's own name makes. */
static void assert_same(const char *pfm, const char *own)
{
	struct perf_event_attr a;

	if (parse(pfm))
		fail_msg("%s: %s", pfm, err.text);
	assert_int_equal(list.nr, 1);
	assert_string_equal(list.events[0].name, pfm);
	a = list.events[0].attr;
	a.exclude_hv = 0; /* libpfm4 leaves hypervisors out, perf's names do not */
	assert_int_equal(parse(own), 0);
	list.events[0].attr.exclude_hv = 0;
	if (memcmp(&a, &list.events[0].attr, sizeof(a)))
		fail_msg("%s: not the attribute of %s", pfm, own);
}

static void test_generic(void **state)
{
	(void)state;
	need_library();
	assert_same("pfm:perf::PERF_COUNT_SW_PAGE_FAULTS", "page-faults");
	assert_same("pfm:perf::PERF_COUNT_SW_PAGE_FAULTS:u", "page-faults:u");
	assert_same("pfm:perf::CONTEXT-SWITCHES:k", "context-switches:kH");
	assert_same("pfm:perf::PERF_COUNT_HW_INSTRUCTIONS", "instructions");
	assert_same("pfm:perf::PERF_COUNT_HW_CACHE_L1D:READ:MISS", "L1-dcache-load-misses");
	assert_same("pfm:perf_raw::r5301c0", "r5301c0");
	assert_int_equal(parse("{pfm:perf::CYCLES:u,pfm:perf::INSTRUCTIONS:u},page-faults"), 0);
	assert_int_equal(list.nr, 3);
	assert_int_equal(list.events[0].group, 1);
	assert_int_equal(list.events[1].group, 1);
	assert_int_equal(list.events[2].group, 0);
}

static void test_wrong(void **state)
{
	static const struct {
		const char *text, *says;
	} wrong[] = {
		{"pfm:perf::PERF_COUNT_SW_PAGE_FALTS", "perf::PERF_COUNT_SW_PAGE_FAULTS"},
		{"pfm:perf::PERF_COUNT_SW_PAGE_FAULTS:nosuch", "attribute"},
		{"pfm:nosuchpmu::CYCLES", "not found"},
		{"pfm:", "libpfm4"},
		{"pfm:::::", "libpfm4"},
		{"cycles,pfm:nope", "not found"},
	};

	(void)state;
	need_library();
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		assert_int_equal(parse(wrong[i].text), -EINVAL);
		assert_int_equal(list.nr, 0);
		if (!strstr(err.text, wrong[i].says) && !strstr(err.advice, wrong[i].says))
			fail_msg("%s: %s (%s)", wrong[i].text, err.text, err.advice);
	}
}

static bool is_raw(const char *text, uint64_t config, bool exclude_kernel, unsigned precise)
{
	const struct perf_event_attr *a;

	if (parse(text)) {
		print_message("%s: %s\n", text, err.text);
		return false;
	}
	a = &list.events[0].attr;
	if (a->type == PERF_TYPE_RAW && (a->config & 0xffff) == config && a->exclude_kernel == exclude_kernel &&
	    a->precise_ip == precise)
		return true;
	print_message("%s: type %u, config %llx, exclude_kernel %u, precise_ip %u\n", text, a->type,
		      (unsigned long long)a->config, a->exclude_kernel, a->precise_ip);
	return false;
}

/* A processor's own names, on whatever machine: event and unit mask as Intel's manual has them. */
static void test_forced(void **state)
{
	int status = 1;
	pid_t pid;

	(void)state;
#ifndef __x86_64__
	SKIP("the processor of this test is x86's");
#endif
	need_library();
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		/* The library looks once: a process of its own, that execs to look anew. */
		setenv("LIBPFM_FORCE_PMU", "skl", 1);
		execl("/proc/self/exe", "test_pfm", "forced", (char *)NULL);
		_exit(2);
	}
	waitpid(pid, &status, 0);
	assert_int_equal(status, 0);
}

static int forced(void)
{
	bool ok = is_raw("pfm:skl::INST_RETIRED:ANY_P", 0xc0, false, 0) &&
		  is_raw("pfm:skl::BR_MISP_RETIRED:ALL_BRANCHES:u", 0xc5, true, 0) &&
		  is_raw("pfm:skl::MEM_LOAD_RETIRED:L3_MISS:u:precise=2", 0x20d1, true, 2);

	return ok ? 0 : 1;
}

static void test_hardware(void **state)
{
	int fd;

	(void)state;
	need_library();
	if (access("/sys/bus/event_source/devices/cpu", F_OK))
		SKIP("no PMU in this machine: its names were tried with one made up");
	assert_int_equal(parse("pfm:perf::INSTRUCTIONS:u"), 0);
	fd = perf_open(&list.events[0].attr, 0, -1);
	if (fd == -EACCES || fd == -EPERM)
		SKIP("no right to count");
	assert_true(fd >= 0);
	close(fd);
}

static int clear(void **state)
{
	(void)state;
	event_list_clear(&list);
	return 0;
}

int main(int argc, char *argv[])
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_generic),
		cmocka_unit_test(test_wrong),
		cmocka_unit_test(test_forced),
		cmocka_unit_test(test_hardware),
	};

	if (argc > 1 && !strcmp(argv[1], "forced"))
		return forced();
	return cmocka_run_group_tests_name("pfm", tests, NULL, clear);
}
