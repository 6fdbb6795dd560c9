/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text report (front/text.h); test_text is about base/text.h. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "front/text.h"
#include "tests/report.h"

static char *run(const struct synth_config *c, unsigned ticks, struct headless_options o)
{
	struct headless_result result;
	struct err err = {0};
	char *text;
	int ret;

	o.format = &text_format;
	o.stop_fd = o.signal_fd = -1;
	text = report_run(c, ticks, &o, &result, &err, &ret);
	assert_int_equal(ret, 0);
	return text;
}

static void check_harmless(const char *text)
{
	for (const unsigned char *p = (const unsigned char *)text; *p; p++)
		if ((*p < 0x20 && *p != '\n') || *p >= 0x7f)
			fail_msg("byte %02x in the report", *p);
}

static void test_golden(void **state)
{
	struct synth_config c = {.losses = true, .callchains = true, .end_ticks = 23};
	char *text = run(&c, 23, (struct headless_options){.delay = 1});

	(void)state;
	report_golden("report.txt", text);
	free(text);
}

static void test_golden_hostile(void **state)
{
	struct synth_config c = {.end_ticks = 15, .second_event = 7, .command = true, .hostile = true,
				 .functions = 2};
	char *text = run(&c, 15, (struct headless_options){.delay = 1, .show_self = true, .top = 6});

	(void)state;
	check_harmless(text);
	report_golden("report-hostile.txt", text);
	free(text);
}

/* Cut for ever: the last host's name, and why, are not to be believed. */
static void test_golden_hosts(void **state)
{
	struct synth_config c = {.hosts = 3, .losses = true, .callchains = true, .end_ticks = 23, .hostile = true,
				 .cut_from = 12, .cut_to = 1000, .aux = SYNTH_AUX_FULL};
	char *text = run(&c, 23, (struct headless_options){.delay = 1, .top = 6});

	(void)state;
	check_harmless(text);
	report_golden("report-hosts.txt", text);
	free(text);
}

static void test_top_says_what_is_left(void **state)
{
	struct synth_config c = {.functions = 100, .end_ticks = 10};
	char *text = run(&c, 10, (struct headless_options){.delay = 1, .top = 3});

	(void)state;
	assert_non_null(strstr(text, "in 107 more functions"));
	assert_null(strstr(strstr(text, "total of"), " more functions"));
	free(text);
}

static void test_unwinding(void **state)
{
	struct synth_config c = {.callchains = true, .unwind = true, .end_ticks = 10};
	char *text = run(&c, 10, (struct headless_options){.delay = 1});

	(void)state;
	assert_non_null(strstr(text, "unwinding: 2000 samples, outermost 90.0%, truncated 6.0%, "
				     "limit 0.5%, broken 3.5%; backlog 10%^15 of 16M, dropped 40; "
				     "of 32-bit code, not unwound: 20\n"));
	assert_non_null(strstr(text, "advice: 40 samples came faster than their stacks can be unwound"));
	free(text);
}

static void test_quiet(void **state)
{
	struct synth_config c = {.quiet = true, .end_ticks = 10};
	char *text = run(&c, 10, (struct headless_options){.delay = 1});

	(void)state;
	assert_non_null(strstr(text, "0 samples"));
	assert_non_null(strstr(text, "attributed -, lost 0.000 s"));
	assert_null(strstr(text, "nan"));
	free(text);
}

static void test_doubt(void **state)
{
	struct synth_config c = {.doubt = true, .file = true, .end_ticks = 10};
	char *text = run(&c, 10, (struct headless_options){.delay = 1});

	(void)state;
	assert_non_null(strstr(text, "  ? gzip                    gzip\n"));
	assert_non_null(strstr(text, "  libz.so.1.2.13            gzip\n"));
	assert_non_null(strstr(text, "  [unknown]  "));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden),
		cmocka_unit_test(test_golden_hostile),
		cmocka_unit_test(test_golden_hosts),
		cmocka_unit_test(test_top_says_what_is_left),
		cmocka_unit_test(test_unwinding),
		cmocka_unit_test(test_quiet),
		cmocka_unit_test(test_doubt),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
