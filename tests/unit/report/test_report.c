/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text report (report/textreport.h); test_text is about base/text.h. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/section_parts.h"
#include "report/textreport.h"
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
	char *text = run(&c, 23, (struct headless_options){.show.delay = 1});

	(void)state;
	report_golden("report.txt", text);
	free(text);
}

static void test_golden_hostile(void **state)
{
	struct synth_config c = {.end_ticks = 15, .second_event = 7, .command = true, .hostile = true,
				 .functions = 2};
	char *text = run(&c, 15, (struct headless_options){.show.delay = 1, .show.show_self = true, .show.top = 6});

	(void)state;
	check_harmless(text);
	report_golden("report-hostile.txt", text);
	free(text);
}

/* By call path: as many of its functions as there is room for. */
static void test_golden_stacks(void **state)
{
	const struct synth_config c = {.fields = true, .stacks = true, .callchains = true, .deep = true, .hostile = true, .functions = 5, .end_ticks = 15};
	char *text = run(&c, 15, (struct headless_options){.show.delay = 1, .show.top = 20});

	(void)state;
	check_harmless(text);
	report_golden("report-stacks.txt", text);
	free(text);
}

/* Cut for ever: the last host's name, and why, are not to be believed. */
static void test_golden_hosts(void **state)
{
	struct synth_config c = {.hosts = 3, .losses = true, .callchains = true, .end_ticks = 23, .hostile = true,
				 .cut_from = 12, .cut_to = 1000, .aux = SYNTH_AUX_FULL};
	char *text = run(&c, 23, (struct headless_options){.show.delay = 1, .show.top = 6});

	(void)state;
	check_harmless(text);
	report_golden("report-hosts.txt", text);
	free(text);
}

static void test_top_says_what_is_left(void **state)
{
	struct synth_config c = {.functions = 100, .end_ticks = 10};
	char *text = run(&c, 10, (struct headless_options){.show.delay = 1, .show.top = 3});

	(void)state;
	assert_non_null(strstr(text, "in 107 more functions"));
	assert_null(strstr(strstr(text, "total of"), " more functions"));
	free(text);
}

static void test_unwinding(void **state)
{
	struct synth_config c = {.callchains = true, .unwind = true, .end_ticks = 10};
	char *text = run(&c, 10, (struct headless_options){.show.delay = 1});

	(void)state;
	assert_non_null(strstr(text, "unwinding: 2000 samples, outermost 90.0%, truncated 6.0%, "
				     "limit 0.5%, broken 3.5%; backlog 10%^15 of 16M, dropped 40; "
				     "of 32-bit code, not unwound: 20\n"));
	assert_non_null(strstr(text, "advice: 40 samples arrived faster than their stacks could be unwound"));
	free(text);
}

static void test_shared(void **state)
{
	char *text = run(&(struct synth_config){.second_event = 7, .shared = 25, .end_ticks = 10}, 10,
			 (struct headless_options){.show.delay = 1});

	(void)state;
	assert_non_null(strstr(text, "counted ~8.000 s")); /* ns of two CPUs in a second, times four */
	assert_non_null(strstr(text, "attributed 24.62%, lost 6.000 s (~multiplexed 6.000 s), pending 0.040 s"));
	assert_non_null(strstr(text, ", it counted 25.00% of the time\n"));
	assert_non_null(strstr(text, ", it counted 75.00% of the time\n"));
	assert_non_null(strstr(text, "2 events share the hardware counters"));
	free(text);
	text = run(&(struct synth_config){.second_event = 7, .barred = true, .end_ticks = 10}, 10,
		   (struct headless_options){.show.delay = 1});
	assert_non_null(strstr(text, ": 0 samples, counted -, attributed -, lost -, pending -, it never had a counter\n"));
	free(text);
}

static void test_quiet(void **state)
{
	struct synth_config c = {.quiet = true, .end_ticks = 10};
	char *text = run(&c, 10, (struct headless_options){.show.delay = 1});

	(void)state;
	assert_non_null(strstr(text, "0 samples"));
	assert_non_null(strstr(text, "attributed -, lost 0.000 s"));
	assert_null(strstr(text, "nan"));
	free(text);
}

static void test_doubt(void **state)
{
	struct synth_config c = {.doubt = true, .file = true, .end_ticks = 10};
	char *text = run(&c, 10, (struct headless_options){.show.delay = 1});

	(void)state;
	assert_non_null(strstr(text, "  ? gzip                    gzip\n"));
	assert_non_null(strstr(text, "  libz.so.1.2.13            gzip\n"));
	assert_non_null(strstr(text, "  [unknown]  "));
	free(text);
}

static void say(struct slice *s, enum dict_kind kind, const void *what)
{
	assert_int_equal(slice_upsert(s, kind, what), 0);
}

static void say_string(struct slice *s, uint32_t id, const char *text)
{
	say(s, DICT_STRING, &(struct dict_string){.id = id, .text = text, .len = (uint32_t)strlen(text)});
}

static size_t times(const char *text, const char *word)
{
	size_t nr = 0;

	for (; (text = strstr(text, word)); text++)
		nr++;
	return nr;
}

/* Thread 7 waits under two names, once each: its waker stands there once, with both. */
static void test_wakers_of_a_renamed(void **state)
{
	struct session_event event = {.name = "off-cpu:woken", .unit = "ns"};
	const struct session_info info = {.live = true, .cpus = 1, .nevents = 1, .events = &event};
	struct session_end end = {.error = 0};
	struct model *m = model_create(&info, 16 << 20);
	const struct headless_view v = {.model = m, .window = WINDOW_ALL, .end = &end};
	struct slice *s = slice_create();
	struct out o;

	(void)state;
	assert_true(m && s);
	s->end = 100000000;
	say_string(s, 1, "known");
	say_string(s, 2, "locked");
	say_string(s, 3, "holder (6)");
	say(s, DICT_SYMBOL, &(struct dict_symbol){.id = 1, .name = 3});
	say(s, DICT_FRAME, &(struct dict_frame){.id = 1, .symbol = 1});
	say(s, DICT_PATH, &(struct dict_path){.id = 1, .frame = 1});
	for (uint32_t i = 1; i <= 2; i++) {
		say(s, DICT_TASK, &(struct dict_task){.id = i, .comm = i, .proc_comm = 1, .pid = 5, .tid = 7});
		*slice_add_row(s) = (struct slice_row){.path = 1, .task = i, .samples = 1, .weight = 1000 * i};
	}
	assert_int_equal(model_add(m, s), 0);
	out_init(&o, -1, -1);
	section_json(&o, &v, &section_wakers);
	section_json(&o, &v, &section_wakers_not_listed);
	out_bytes(&o, "", 1); /* a text's end */
	assert_int_equal(o.error, 0);
	assert_int_equal(times(o.data, "\"waker_tid\":6"), 1);
	assert_non_null(strstr(o.data, "\"count\":2,\"ns\":3000"));
	assert_non_null(strstr(o.data, "\"wakers_not_listed\":{\"threads\":0,"));
	out_clear(&o);
	model_free(m);
}

/* A thread that is not known is "-" in text, like its process, and null in JSON. */
static void test_unknown_tid(void **state)
{
	struct session_event event = {.name = "cpu-clock", .unit = "ns"};
	const struct session_info info = {.live = true, .cpus = 1, .nevents = 1, .events = &event};
	struct session_end end = {.error = 0};
	struct model *m = model_create(&info, 16 << 20);
	const struct headless_view v = {.model = m, .window = WINDOW_ALL, .end = &end};
	struct slice *s = slice_create();
	struct out o;

	(void)state;
	assert_true(m && s);
	s->end = 100000000;
	say_string(s, 1, "known");
	say(s, DICT_SYMBOL, &(struct dict_symbol){.id = 1, .name = 1});
	say(s, DICT_FRAME, &(struct dict_frame){.id = 1, .symbol = 1});
	say(s, DICT_PATH, &(struct dict_path){.id = 1, .frame = 1});
	say(s, DICT_TASK, &(struct dict_task){.id = 1, .comm = 1, .proc_comm = 1, .pid = 5, .tid = -1});
	*slice_add_row(s) = (struct slice_row){.path = 1, .task = 1, .samples = 1, .weight = 1000};
	assert_int_equal(model_add(m, s), 0);
	out_init(&o, -1, -1);
	section_text(&o, &v, &section_tasks, 0);
	section_json(&o, &v, &section_tasks);
	out_bytes(&o, "", 1); /* a text's end */
	assert_non_null(strstr(o.data, "  100.00         5        -  known\n"));
	assert_non_null(strstr(o.data, "\"pid\":5,\"tid\":null,"));
	out_clear(&o);
	model_free(m);
}

/* The head of a recording with hundreds of events names the first. */
static void test_many_events(void **state)
{
	static struct session_event many[20];
	struct session *s = synth_session_create(&(struct synth_config){.end_ticks = 5});
	struct headless_options o = {.format = &text_format, .stop_fd = -1, .signal_fd = -1};
	struct headless_result result;
	struct err err = {.code = 0};
	char *text, *line;
	int ret;

	(void)state;
	for (unsigned i = 0; i < 20; i++) {
		many[i] = (struct session_event){.unit = "", .period = 1};
		snprintf(many[i].name, sizeof(many[i].name), "s:event%u", i);
	}
	s->info.events = many;
	s->info.nevents = 20;
	synth_advance(s, 5);
	text = report_session(s, &o, &result, &err, &ret);
	assert_int_equal(ret, 0);
	line = strtok(text, "\n");
	assert_non_null(strstr(line, "s:event15 every 1 and 4 more"));
	assert_null(strstr(line, "s:event16"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden), cmocka_unit_test(test_many_events),
		cmocka_unit_test(test_golden_hostile), cmocka_unit_test(test_golden_stacks),
		cmocka_unit_test(test_golden_hosts),
		cmocka_unit_test(test_top_says_what_is_left),
		cmocka_unit_test(test_unwinding),
		cmocka_unit_test(test_shared), cmocka_unit_test(test_quiet),
		cmocka_unit_test(test_doubt),
		cmocka_unit_test(test_wakers_of_a_renamed), cmocka_unit_test(test_unknown_tid),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
