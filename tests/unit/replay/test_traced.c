/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What recorded tracepoints' records come to: weights and sums, pairs across CPUs, and losses told before and too late. */
#include "sources/replay/traced.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "files/decode/perfwrite.h"

#define SEC NSEC_PER_SEC

static struct event events[2] = {
	{.name = "a:from", .raw = true, .attr = {.type = PERF_TYPE_TRACEPOINT, .config = 1, .sample_period = 1}},
	{.name = "a:to", .raw = true, .attr = {.type = PERF_TYPE_TRACEPOINT, .config = 2, .sample_period = 1}},
};

static struct traced_plan plan;
static struct traced *t;
static struct slice *slice;

static int setup(void **state)
{
	(void)state;
	plan = (struct traced_plan){.list = {events, 2, 0}, .between = {.wanted = true, .event = {0, 1}}};
	assert_int_equal(traced_create(&plan, &t), 0);
	slice = slice_create();
	assert_non_null(slice);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	traced_free(t);
	slice_free(slice);
	return 0;
}

static void sample(unsigned event, uint32_t cpu, uint32_t tid, uint64_t time)
{
	struct sample s = {.time = time, .cpu = cpu, .tid = tid, .pid = tid};
	uint64_t weight = 1;

	assert_true(traced_sample(t, event, &s, NULL, &weight));
	assert_int_equal(weight, 1);
}

/* pairs, without their first, without their last, lost */
static void tell(uint64_t time, bool last, uint64_t count, uint64_t from, uint64_t to, uint64_t lost)
{
	assert_true(traced_tell(t, NULL, time, last, slice));
	if (!slice->latency) {
		assert_int_equal(count + from + to + lost, 0);
		return;
	}
	assert_int_equal(slice->latency->count, count);
	assert_int_equal(slice->latency->unpaired_from, from);
	assert_int_equal(slice->latency->unpaired_to, to);
	assert_int_equal(slice->latency->lost, lost);
	free(slice->latency);
	slice->latency = NULL;
}

/* A second later, whichever CPU they are of. */
static void pairs_wait(void **state)
{
	(void)state;
	sample(0, 0, 7, 100);
	sample(1, 1, 7, 350);
	sample(0, 1, 8, 400);
	tell(SEC, false, 0, 0, 0, 0);
	assert_true(traced_tell(t, NULL, SEC + 500, false, slice));
	assert_int_equal(slice->latency->count, 1);
	assert_int_equal(slice->latency->sum, 250);
	free(slice->latency);
	slice->latency = NULL;
	tell(SEC + 600, true, 0, 1, 0, 0);
	assert_int_equal(slice->nlogs, 0);
}

/* On one CPU, but what came before is of both: what was open then and what came meanwhile is lost. */
static void losses(void **state)
{
	(void)state;
	sample(0, 0, 1, 100);
	sample(1, 0, 1, 200); /* before it */
	sample(0, 1, 2, 300); /* open on the other CPU */
	sample(1, 1, 2, 450); /* in it: of what? */
	sample(0, 0, 3, 380); /* open, the last that is seen of this CPU */
	traced_gap(t, 0, 600);
	sample(0, 0, 3, 610);
	sample(1, 1, 3, 650);
	tell(700, true, 2, 0, 0, 3);
	assert_int_equal(slice->nlogs, 0);
}

static void told_late(void **state)
{
	(void)state;
	sample(0, 0, 1, 100);
	sample(1, 1, 1, 200);
	tell(3 * SEC, false, 1, 0, 0, 0);
	sample(0, 1, 2, 3 * SEC);
	traced_gap(t, 0, 4 * SEC);
	tell(4 * SEC, false, 0, 0, 0, 1);
	assert_int_equal(slice->nlogs, 1);
	assert_non_null(strstr(slice->logs[0].text, "1 losses"));
	traced_lost(t);
	traced_lost(t);
	tell(5 * SEC, true, 0, 0, 0, 0);
	assert_int_equal(slice->nlogs, 2);
	assert_non_null(strstr(slice->logs[1].text, "at unknown times"));
}

/* Of no CPU: all that waits, whenever it came. */
static void lost_anywhere(void **state)
{
	(void)state;
	sample(0, UINT32_MAX, 1, 100);
	sample(1, UINT32_MAX, 1, 200);
	traced_gap(t, UINT32_MAX, 300);
	sample(0, UINT32_MAX, 1, 400);
	sample(1, UINT32_MAX, 1, 500);
	tell(SEC, true, 1, 0, 0, 2);
}

static void threads_end(void **state)
{
	(void)state;
	sample(0, 0, 5, 100);
	traced_exit(t, 5, 200);
	sample(1, 0, 5, 300); /* another thread of that number */
	sample(0, 0, 6, UINT64_MAX / 2); /* no time */
	tell(SEC, true, 0, 1, 1, 1);
}

/* More than can wait are taken as they come, and none is lost. */
static void many(void **state)
{
	const unsigned nr = PAIRS_HELD + 1000;

	(void)state;
	for (unsigned i = 0; i < nr; i++)
		sample(i & 1, i % 3, 9, 1000 + i);
	tell(2000, true, nr / 2, 0, 0, 0);
}

static int no_fields(void *arg, const struct event *e, struct trace_format *f, struct err *err)
{
	(void)arg;
	(void)e;
	(void)err;
	*f = (struct trace_format){.nr = 0};
	return 0;
}

static int has_paths(void *arg, const struct event *e, struct err *err)
{
	(void)arg;
	return *e->name == 'a' && e->attr.config == 1 ? 0 : err_set(err, EINVAL, "none");
}

/* A sample of pid's in the kernel, called from there. */
static void sample_at_path(uint32_t pid, uint64_t ip, uint64_t time, uint64_t weight)
{
	const uint64_t ips[] = {(uint64_t)PERF_CONTEXT_KERNEL, ip, 0xffffffff81000020};
	struct sample s = {.time = time, .pid = pid, .tid = pid, .mode = PERF_RECORD_MISC_KERNEL,
			   .h = (const void *)ips, .span[SAMPLE_RAW] = {.offset = 8, .len = 8}};

	assert_true(traced_sample(t, 0, &s, &(struct path){ips, 3}, &weight));
}

/* By call paths: of one place are processes that have the same functions there; what was before is told as it was. */
static void by_paths(void **state)
{
	const struct tracefields_source source = {.format = no_fields, .paths = has_paths};
	struct event_list list = {.events = events, .nr = 2};
	struct resolver *r;
	struct err err;

	(void)state;
	traced_free(t);
	plan.between.wanted = false;
	assert_int_equal(tracefields_create(&list, "stack", &source, &plan.fields, &err), 0);
	assert_int_equal(traced_create(&plan, &t), 0);
	assert_true(traced_by_path(t));
	r = resolver_create(&(struct resolver_config){.recorded = true, .workers = 1}, &err);
	assert_non_null(r);
	resolver_begin(r, slice, 0);
	sample_at_path(5, 0xffffffff81000010, 10, 2);
	sample_at_path(5, 0xffffffff81000010, 11, 3);
	sample_at_path(6, 0xffffffff81000010, 12, 4); /* another process, there too */
	traced_remapped(t, 5);
	sample_at_path(5, 0xffffffff81000010, 13, 5);
	assert_true(traced_tell_sums(t, r, slice));
	assert_int_equal(slice->nfields, 3);
	sample_at_path(5, 0xffffffff81000018, 14, 6);
	sample_at_path(5, 0xffffffff81000010, 15, 7);
	assert_true(traced_tell(t, r, 20, true, slice));
	assert_int_equal(slice->nfields, 2);
	for (size_t i = 0; i < slice->nfields; i++) {
		const struct slice_field *f = &slice->fields[i];

		assert_true(f->path && !f->rest && !*f->key);
		assert_int_equal(f->sum, f->count == 1 ? 6 : 2 + 3 + 4 + 5 + 7);
	}
	assert_int_equal(slice->fields[0].count + slice->fields[1].count, 6);
	assert_true(slice->fields[0].path != slice->fields[1].path);
	resolver_end(r, 20);
	resolver_free(r);
	tracefields_free(plan.fields);
	plan.fields = NULL;
}

static void nothing_wanted(void **state)
{
	uint64_t weight = 5;

	(void)state;
	traced_free(t);
	plan.between.wanted = false;
	assert_int_equal(traced_create(&plan, &t), 0);
	assert_null(t);
	assert_true(traced_sample(t, 0, &(struct sample){.time = 1}, NULL, &weight));
	traced_gap(t, 0, 5);
	traced_exit(t, 1, 5);
	traced_comm(t);
	traced_lost(t);
	assert_true(traced_tell(t, NULL, 5, true, slice));
	assert_int_equal(weight, 5);
}

/* A file of two tracepoints, in memory. */
static struct perfdata *file_of(struct perfwrite *w, uint64_t sample_type, struct perfdata_source *source)
{
	static const uint64_t ids[] = {11, 22};
	struct perf_event_attr attr[2];
	struct perfwrite_event e[2];
	struct perfwrite_section attrs = {0, 0}, data = {0, 0};
	struct perfwrite desc = {.failed = false};
	struct err err;

	for (unsigned i = 0; i < 2; i++) {
		attr[i] = (struct perf_event_attr){.type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr[i]), .config = 1 + i,
						   .sample_period = 1, .sample_type = sample_type, .sample_id_all = 1};
		e[i] = (struct perfwrite_event){.attr = &attr[i], .name = i ? "a:to" : "a:from", .ids = &ids[i], .nids = 1};
	}
	perfwrite_event_desc(&desc, e, 2);
	for (int round = 0; round < 2; round++) { /* its header says where things are */
		perfwrite_clear(w);
		*w = (struct perfwrite){.failed = false};
		perfwrite_header(w, 2, attrs, data, 1u << PERFWRITE_EVENT_DESC);
		perfwrite_events(w, w->len, e, 2, &attrs);
		data.offset = w->len;
		perfwrite_round(w);
		data.size = w->len - data.offset;
		perfwrite_u64(w, w->len + 16);
		perfwrite_u64(w, desc.len);
		perfwrite_bytes(w, desc.data, desc.len);
	}
	perfwrite_clear(&desc);
	return perfdata_open(source, &err);
}

static ssize_t read_bytes(void *arg, void *buf, size_t len, uint64_t offset)
{
	const struct perfwrite *w = arg;
	size_t n = offset < w->len ? w->len - (size_t)offset : 0;

	n = n < len ? n : len;
	memcpy(buf, w->data + (n ? offset : 0), n);
	return (ssize_t)n;
}

/* What cannot be done with a file is said, and why. */
static void plans(void **state)
{
	static const char *const weight[] = {"a:from/weight=id/"}, *const name[] = {"a:from"};
	static const struct {
		uint64_t sample_type;
		struct traced_wanted wanted;
		const char *word; /* NULL: it can be done */
	} cases[] = {
		{PERF_SAMPLE_TID | PERF_SAMPLE_TIME, {.between = "a:from,a:to"}, NULL},
		{PERF_SAMPLE_TID, {.between = "a:from,a:to"}, "without times"},
		{PERF_SAMPLE_TID | PERF_SAMPLE_TIME, {.between = "a:from,a:other"}, "no tracepoint a:other"},
		{PERF_SAMPLE_TID | PERF_SAMPLE_TIME, {.between = "a:from,a:to:id"}, "lacks the format of its records"},
		{PERF_SAMPLE_TID | PERF_SAMPLE_TIME, {.by = "id"}, "lacks the format of its records"},
		{PERF_SAMPLE_TID | PERF_SAMPLE_TIME, {.events = weight, .nevents = 1},
		 "lacks the format of its records"},
		{PERF_SAMPLE_TID | PERF_SAMPLE_TIME, {.events = name, .nevents = 1}, "NAME/weight=FIELD/"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct perfwrite w = {.failed = false};
		struct perfdata_source source = {.read = read_bytes, .arg = &w, .seekable = true};
		struct perfdata *p = file_of(&w, cases[i].sample_type, &source);
		const struct formats none = {.nr = 0};
		struct traced_plan made = {.fields = NULL};
		struct err err = {.code = 0};

		assert_non_null(p);
		assert_int_equal(traced_plan_make(&made, p, &none, &cases[i].wanted, &err), cases[i].word ? -EINVAL : 0);
		if (cases[i].word && !strstr(err.text, cases[i].word))
			fail_msg("'%s' is not said: %s", cases[i].word, err.text);
		traced_plan_clear(&made);
		perfdata_close(p);
		perfwrite_clear(&w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(pairs_wait, setup, teardown),
		cmocka_unit_test_setup_teardown(losses, setup, teardown),
		cmocka_unit_test_setup_teardown(told_late, setup, teardown),
		cmocka_unit_test_setup_teardown(lost_anywhere, setup, teardown),
		cmocka_unit_test_setup_teardown(threads_end, setup, teardown),
		cmocka_unit_test_setup_teardown(many, setup, teardown),
		cmocka_unit_test_setup_teardown(nothing_wanted, setup, teardown),
		cmocka_unit_test_setup_teardown(by_paths, setup, teardown),
		cmocka_unit_test(plans),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
