/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All sections of a report, as text and as JSON, from sessions made up to have them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "report/jsonreport.h"
#include "report/textreport.h"
#include "tests/report.h"

static const struct {
	const char *name;
	struct synth_config config;
	struct headless_options o;
	unsigned ticks;
} cases[] = {
	{"counters", {.quiet = true, .counters = true, .second_event = 7}, {.show.delay = 100}, 12},
	{"aux", {.quiet = true, .aux = SYNTH_AUX_FULL, .unread = true, .cpus = 3}, {.show.delay = 100}, 12},
	{"snapshots", {.quiet = true, .aux = SYNTH_AUX_SNAPSHOT, .hostile = true}, {.show.delay = 100}, 60},
	{"pt", {.quiet = true, .aux = SYNTH_AUX_PT}, {.show.delay = 100}, 60},
	{"ftrace", {.quiet = true, .ftrace = true, .unread = true}, {.show.delay = 100}, 12},
	{"fields", {.fields = true, .second_event = 3}, {.show.delay = 100}, 12},
	{"stacks", {.fields = true, .stacks = true, .callchains = true}, {.show.delay = 100, .show.paths = true}, 12},
	{"in-kernel", {.quiet = true, .fields = true, .in_kernel = true}, {.show.delay = 100}, 12},
	{"log", {.logged = true, .losses = true}, {.show.delay = 100, .log_events = true}, 3},
	{"log-hosts", {.logged = true, .hosts = 2, .hostile = true}, {.show.delay = 100, .log_events = true}, 2},
	{"off-cpu", {.off_cpu = true, .queued = true, .callchains = true, .owned = true}, {.show.delay = 100}, 12},
	{"hosts", {.hosts = 3, .counters = true, .aux = SYNTH_AUX_DUMPS, .cut_from = 4, .cut_to = 8, .off_cpu = true}, {.show.delay = 100}, 9},
	{"auto", {.auto_paths = true, .callchains = true, .unwind = true}, {.show.delay = 100}, 12},
	{"costly", {.costly = true, .greedy = true, .several = true, .jit = true}, {.show.delay = 100}, 12},
	{"shared", {.second_event = 5, .shared = 40}, {.show.delay = 100}, 12},
	{"barred", {.second_event = 5, .barred = true}, {.show.delay = 100}, 12},
	{"idle", {.idle = 10, .one = true, .nodes = 2, .cpus = 4}, {.show.delay = 100, .show.show_self = true}, 12},
	{"users", {.owned = true}, {.show.delay = 100, .group = GROUP_USER}, 12},
	{"cgroups", {.owned = true, .hosts = 2}, {.show.delay = 100, .group = GROUP_CGROUP}, 12},
	{"lines", {.lines = true, .callchains = true}, {.show.delay = 1, .group = GROUP_LINE, .show.top = 3}, 12},
	{"threads", {.tasks = 15}, {.show.delay = 1, .group = GROUP_THREAD, .show.top = 4}, 12},
};

static void assert_sections(const struct headless_format *format, const char *golden)
{
	char *all = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&all, &size);

	assert_non_null(f);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct synth_config c = cases[i].config;
		struct headless_options o = cases[i].o;
		struct headless_result result;
		struct err err = {.code = 0};
		char *text;
		int ret;

		c.end_ticks = cases[i].ticks;
		o.format = format;
		o.stop_fd = o.signal_fd = -1;
		text = report_run(&c, cases[i].ticks, &o, &result, &err, &ret);
		assert_int_equal(ret, 0);
		fprintf(f, "=== %s\n%s", cases[i].name, text);
		free(text);
	}
	assert_int_equal(fclose(f), 0);
	report_golden(golden, all);
	free(all);
}

static void test_text(void **state)
{
	(void)state;
	assert_sections(&text_format, "sections.txt");
}

static void test_json(void **state)
{
	(void)state;
	assert_sections(&json_format, "sections.json");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
