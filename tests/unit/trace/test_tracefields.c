/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keys of samples: their words, what they read as, and records that end before them. */
#include "measure/trace/tracefields.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernel/event/parse.h"
#include "kernel/event/tracepoint.h"
#include "tests/skip.h"

static struct err err;

struct record {
	int32_t a;
	char text[16];
	uint64_t where;
	char rest[80];
};

static const struct tracekey key = {
	.nr = 4,
	.field = {
		{.value = {.offset = offsetof(struct record, a), .size = 4, .is_signed = true}},
		{.value = {.offset = offsetof(struct record, text), .size = 16, .text = true}},
		{.what = TRACEKEY_TID, .value = {.is_signed = true}},
		{.value = {.offset = offsetof(struct record, where), .size = 8}, .modifier = FIELDFORM_HEX},
	},
};

static const struct tracekey_sample sample = {.cpu = 3, .pid = 41, .tid = 42, .epoch = 7};

static const char *comm(void *arg, uint32_t tid, uint64_t time)
{
	assert_null(arg);
	return tid != 42 ? NULL : time == 5 ? "na\nme" : "other";
}

static const struct tracekey_comms comms = {.comm = comm};

static void comm_keys(void **state)
{
	const struct tracekey by = {.nr = 2, .field = {{.what = TRACEKEY_COMM}, {.what = TRACEKEY_CPU, .value = {.is_signed = true}}}};
	struct tracekey_sample unknown = {.cpu = -1, .tid = 9};
	uint64_t w[TRACEKEY_WORDS];
	char text[64];

	(void)state;
	assert_int_equal(tracekey_take(&by, NULL, 0, &sample, w), 2);
	tracekey_text(&by, w, 5, &comms, text, sizeof(text));
	assert_string_equal(text, "na\\x0ame\t3");
	tracekey_text(&by, w, 6, &comms, text, sizeof(text));
	assert_string_equal(text, "other\t3");
	tracekey_take(&by, NULL, 0, &unknown, w);
	tracekey_text(&by, w, 5, &comms, text, sizeof(text));
	assert_string_equal(text, ":9\t-1");
}

/* A path is a number in the key, and nothing in the text: what is told of it is no text. */
static void path_keys(void **state)
{
	const struct tracekey by = {.nr = 3, .has_path = true, .field = {{.value = {.offset = offsetof(struct record, text), .size = 16, .text = true}},
		{.what = TRACEKEY_PATH, .value = {.is_signed = true}}, {.what = TRACEKEY_CPU, .value = {.is_signed = true}}}};
	const struct tracekey alone = {.nr = 1, .has_path = true, .field = {{.what = TRACEKEY_PATH, .value = {.is_signed = true}}}};
	const struct tracekey_sample with = {.cpu = 3, .path = 77};
	const struct record r = {.text = "ab"};
	uint64_t w[TRACEKEY_WORDS];
	char text[64];

	(void)state;
	assert_int_equal(tracekey_take(&by, &r, sizeof(r), &with, w), TRACEKEY_TEXT + 2);
	assert_int_equal(tracekey_path(&by, w), 77);
	tracekey_text(&by, w, 5, &comms, text, sizeof(text));
	assert_string_equal(text, "ab\t\t3");
	assert_int_equal(tracekey_take(&alone, NULL, 0, &with, w), 1);
	assert_int_equal(tracekey_path(&alone, w), 77);
	tracekey_text(&alone, w, 5, &comms, text, sizeof(text));
	assert_string_equal(text, "");
}

static void words(void **state)
{
	const struct record r = {.a = -7, .text = "a\tb", .where = 0xffff0000};
	uint64_t w[TRACEKEY_WORDS], again[TRACEKEY_WORDS];
	char text[256];
	unsigned n;

	(void)state;
	memset(w, 0xff, sizeof(w));
	n = tracekey_take(&key, &r, sizeof(r), &sample, w);
	assert_int_equal(n, 3 + TRACEKEY_TEXT);
	tracekey_text(&key, w, 0, &comms, text, sizeof(text));
	assert_string_equal(text, "-7\ta\\x09b\t42\t0xffff0000");
	/* Of equal values they are equal, whatever was there before. */
	memset(again, 0, sizeof(again));
	tracekey_take(&key, &r, sizeof(r), &sample, again);
	assert_memory_equal(w, again, n * sizeof(*w));
	/* Each length: a key, or none. */
	for (size_t len = 0; len <= sizeof(r); len++) {
		char *copy = malloc(len + 1);

		memcpy(copy, &r, len);
		n = tracekey_take(&key, copy, len, &sample, w);
		assert_int_equal(n, len >= offsetof(struct record, rest) ? 3 + TRACEKEY_TEXT : 0);
		free(copy);
	}
}

/* A modified number is kept, and reads, as what is made of it; a signed one is no large one in hex. */
static void modified(void **state)
{
	const struct record r = {.a = -7, .where = 1000};
	const struct tracekey by = {.nr = 3, .field = {
		{.value = {.offset = offsetof(struct record, where), .size = 8}, .modifier = FIELDFORM_LOG2},
		{.value = {.offset = offsetof(struct record, a), .size = 4}, .modifier = FIELDFORM_HEX},
		{.value = {.offset = offsetof(struct record, where), .size = 8}},
	}};
	uint64_t w[TRACEKEY_WORDS];
	char text[256];

	(void)state;
	assert_int_equal(tracekey_take(&by, &r, sizeof(r), &sample, w), 3);
	assert_int_equal(w[0], 512);
	tracekey_text(&by, w, 0, &comms, text, sizeof(text));
	assert_string_equal(text, "512\t0xfffffff9\t1000");
}

static void long_texts(void **state)
{
	const struct tracekey one = {.nr = 1, .field = {{.value = {.offset = 0, .size = 100, .text = true}}}};
	uint64_t w[TRACEKEY_WORDS];
	char record[100], text[256];

	(void)state;
	memset(record, 'x', sizeof(record));
	assert_int_equal(tracekey_take(&one, record, sizeof(record), &sample, w), TRACEKEY_TEXT);
	tracekey_text(&one, w, 0, &comms, text, sizeof(text));
	assert_int_equal(strlen(text), 64);
	assert_string_equal(text + 60, "x...");
	record[64] = '\0'; /* just fits */
	tracekey_take(&one, record, sizeof(record), &sample, w);
	tracekey_text(&one, w, 0, &comms, text, sizeof(text));
	assert_string_equal(text + 60, "xxxx");
}

static int create(const char *events, const char *by, struct tracefields **f, struct event_list *list)
{
	int ret = event_parse(events, list, &err);

	for (unsigned i = 0; i < list->nr && !ret; i++)
		ret = event_set_rate(&list->events[i], 0, 0, &err);
	assert_int_equal(ret, 0);
	return tracefields_create(list, by, NULL, f, &err);
}

static void of_events(void **state)
{
	static const struct {
		const char *events, *by, *word;
	} wrong[] = {
		{"sched:sched_switch", "nosuch", "no field 'nosuch'"}, {"sched:sched_switch", "", "not a field name"},
		{"sched:sched_switch", "prev_pid,,cpu", "not a field name"}, {"cpu-clock", "cpu", "no tracepoint"},
		{"sched:sched_switch", "prev_pid,cpu,pid,tid,next_pid", "more than 4"},
		{"sched:sched_switch", "cpu,prev_pid,cpu", "cpu is given twice"},
		{"sched:sched_switch/weight=nosuch/", NULL, "no field 'nosuch'"},
		{"sched:sched_switch", "prev_comm.hex", "is a text"}, {"sched:sched_switch", "nosuch.hex", "no field 'nosuch'"},
		{"sched:sched_switch", "prev_pid.foo", "hex, log2 or syscall"}, {"sched:sched_switch", "cpu.hex", "no field 'cpu'"},
	};
	struct event_list list = {.nr = 0};
	struct tracefields *f;
	char names[128], kinds[8];

	(void)state;
	if (!tracepoint_root(&err) || tracepoint_format("sched:sched_switch", names, sizeof(names)))
		SKIP("tracefs cannot be read");
	assert_int_equal(create("cpu-clock,sched:sched_switch,sched:sched_waking/weight=prio/", "prev_comm,cpu", &f, &list), 0);
	assert_null(tracefields_key(f, 0));
	assert_null(tracefields_key(f, 2));
	assert_null(tracefields_weight(f, 1));
	assert_non_null(tracefields_weight(f, 2));
	assert_false(list.events[0].raw);
	assert_true(list.events[1].raw && list.events[2].raw);
	assert_int_equal(tracefields_words(f), TRACEKEY_TEXT + 1);
	tracefields_names(f, 1, names, sizeof(names), kinds);
	assert_string_equal(names, "prev_comm, cpu");
	assert_string_equal(kinds, "sn");
	tracefields_names(f, 2, names, sizeof(names), kinds);
	assert_string_equal(names, "");
	tracefields_free(f);
	event_list_clear(&list);
	assert_int_equal(create("sched:sched_switch", "prev_pid.hex,prev_prio.log2,prev_pid.syscall", &f, &list), 0);
	tracefields_names(f, 0, names, sizeof(names), kinds);
	assert_string_equal(names, "prev_pid.hex, prev_prio.log2, prev_pid.syscall");
	assert_string_equal(kinds, "sns");
	tracefields_free(f);
	event_list_clear(&list);
	assert_int_equal(create("cpu-clock,sched:sched_switch", NULL, &f, &list), 0);
	assert_null(f);
	event_list_clear(&list);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		assert_int_equal(create(wrong[i].events, wrong[i].by, &f, &list), -EINVAL);
		assert_null(f);
		if (!strstr(err.text, wrong[i].word))
			fail_msg("%s is not said: %s", wrong[i].word, err.text);
		event_list_clear(&list);
	}
}

/* One event of a list by other fields: the others stay as they were, and what was before too. */
static void changes(void **state)
{
	struct event_list list = {.nr = 0};
	struct tracefields *f, *next, *last;
	char names[128], kinds[8];

	(void)state;
	if (!tracepoint_root(&err) || tracepoint_format("sched:sched_switch", names, sizeof(names)))
		SKIP("tracefs cannot be read");
	assert_int_equal(create("cpu-clock,sched:sched_switch,sched:sched_waking/weight=prio/", NULL, &f, &list), 0);
	list.events[1].raw = false;
	assert_int_equal(tracefields_change(f, &list, 1, "prev_comm,cpu", 3, NULL, &next, &err), 0);
	assert_true(list.events[1].raw);
	assert_false(tracefields_keyed(f));
	assert_non_null(tracefields_key(next, 1));
	assert_null(tracefields_key(next, 2));
	assert_non_null(tracefields_weight(next, 2));
	assert_int_equal(tracefields_number(next, 1), 3);
	assert_int_equal(tracefields_number(next, 2), 0);
	tracefields_names(next, 1, names, sizeof(names), kinds);
	assert_string_equal(names, "prev_comm, cpu");
	assert_int_equal(tracefields_change(next, &list, 1, "", 4, NULL, &last, &err), 0);
	assert_false(tracefields_keyed(last));
	assert_int_equal(tracefields_number(last, 1), 4);
	assert_non_null(tracefields_key(next, 1));
	tracefields_free(last);
	assert_int_equal(tracefields_change(next, &list, 1, "cpu,nosuch", 4, NULL, &last, &err), -EINVAL);
	assert_non_null(strstr(err.text, "no field 'nosuch'"));
	assert_null(last);
	assert_int_equal(tracefields_change(next, &list, 0, "cpu", 4, NULL, &last, &err), -EINVAL);
	assert_non_null(strstr(err.text, "not a tracepoint"));
	/* Of a list in which nothing was taken so far. */
	assert_int_equal(tracefields_change(NULL, &list, 2, "cpu", 1, NULL, &last, &err), 0);
	assert_non_null(tracefields_key(last, 2));
	tracefields_free(last);
	tracefields_free(next);
	tracefields_free(f);
	event_list_clear(&list);
}

/* Of "a" the samples have paths, of others not; "own" has a field of that name. */
static int some_paths(void *arg, const struct event *e, struct err *e_err)
{
	(void)arg;
	return *e->name == 'a' ? 0 : err_set(e_err, EINVAL, "stack: %s has none", e->name);
}

static int some_format(void *arg, const struct event *e, struct trace_format *f, struct err *e_err)
{
	const char *text = "name: x\nID: 1\nformat:\n\tfield:int id;\toffset:8;\tsize:4;\tsigned:1;\n";
	char own[256];

	(void)arg;
	snprintf(own, sizeof(own), "%s\tfield:int stack;\toffset:12;\tsize:4;\tsigned:1;\n", text);
	*f = (struct trace_format){.nr = 0};
	if (!strcmp(e->name, "own"))
		text = own;
	return format_parse(text, strlen(text), f, e_err);
}

static void by_path(void **state)
{
	struct event events[] = {{.name = "a", .attr.type = PERF_TYPE_TRACEPOINT}, {.name = "b", .attr.type = PERF_TYPE_TRACEPOINT},
				 {.name = "own", .attr.type = PERF_TYPE_TRACEPOINT}};
	struct event_list list = {.events = events, .nr = 3};
	struct tracefields_source source = {.format = some_format, .paths = some_paths};
	struct tracefields *f, *next;
	char names[64], kinds[8];

	(void)state;
	assert_int_equal(tracefields_create(&list, "id,stack", &source, &f, &err), 0);
	assert_true(tracefields_by_path(f));
	assert_true(tracefields_key(f, 0)->has_path && !tracefields_key(f, 0)->one);
	assert_null(tracefields_key(f, 1));
	assert_false(tracefields_key(f, 2)->has_path);
	assert_true(events[0].by_path && !events[1].by_path && !events[2].by_path);
	tracefields_names(f, 0, names, sizeof(names), kinds);
	assert_string_equal(kinds, "np");
	tracefields_names(f, 2, names, sizeof(names), kinds);
	assert_string_equal(kinds, "nn");
	/* By something else from now on, or by what it does not have. */
	assert_int_equal(tracefields_change(f, &list, 0, "id", 1, &source, &next, &err), 0);
	assert_false(tracefields_by_path(next) || events[0].by_path);
	tracefields_free(next);
	assert_int_equal(tracefields_change(f, &list, 1, "stack", 1, &source, &next, &err), -EINVAL);
	assert_string_equal(err.text, "--by: stack: b has none");
	tracefields_free(f);
	/* None has it; who knows of no paths has none. */
	list.nr = 2;
	list.events = events + 1;
	events[2] = events[1];
	assert_int_equal(tracefields_create(&list, "stack", &source, &f, &err), -EINVAL);
	assert_string_equal(err.text, "--by: stack: b has none");
	list.events = events;
	source.paths = NULL;
	assert_int_equal(tracefields_create(&list, "stack", &source, &f, &err), -EINVAL);
	assert_non_null(strstr(err.text, "no call paths"));
	assert_string_equal(tracefields_other(TRACEKEY_OTHERS - 1), "stack");
	assert_null(tracefields_other(TRACEKEY_OTHERS));
	assert_int_equal(tracefields_has_other(&source, events, 0, &err), 0);
	assert_int_equal(tracefields_has_other(&source, events, TRACEKEY_OTHERS - 1, &err), -EINVAL);
}

/* Numbers of another machine's system calls have no names here. */
static void other_machine(void **state)
{
	struct event event = {.name = "x", .attr.type = PERF_TYPE_TRACEPOINT};
	struct event_list list = {.events = &event, .nr = 1};
	struct tracefields_source source = {.format = some_format, .machine = "riscv64"};
	struct tracefields *f;

	(void)state;
	assert_int_equal(tracefields_create(&list, "id.syscall", &source, &f, &err), -EINVAL);
	assert_string_equal(err.text, "--by: id.syscall: the names of system calls on riscv64 are not known");
	assert_int_equal(tracefields_create(&list, "id.hex", &source, &f, &err), 0);
	tracefields_free(f);
	source.machine = NULL;
	assert_int_equal(tracefields_create(&list, "id.syscall", &source, &f, &err), 0);
	tracefields_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(words), cmocka_unit_test(path_keys), cmocka_unit_test(by_path), cmocka_unit_test(comm_keys), cmocka_unit_test(modified), cmocka_unit_test(long_texts), cmocka_unit_test(of_events), cmocka_unit_test(changes), cmocka_unit_test(other_machine)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
