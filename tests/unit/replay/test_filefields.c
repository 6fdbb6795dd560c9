/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is planned for recorded tracepoints, and their sums by call paths. */
#include "sources/replay/filefields.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "files/decode/perfwrite.h"
#include "sources/replay/fileconsumers.h"

static struct event events[2] = {
	{.name = "a:from", .raw = true, .attr = {.type = PERF_TYPE_TRACEPOINT, .config = 1, .sample_period = 1}},
	{.name = "a:to", .raw = true, .attr = {.type = PERF_TYPE_TRACEPOINT, .config = 2, .sample_period = 1}},
};

static struct filefields_plan plan;
static struct filefields *t;
static struct slice *slice;

static int setup(void **state)
{
	(void)state;
	plan = (struct filefields_plan){.list = {events, 2, 0}};
	slice = slice_create();
	assert_non_null(slice);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	filefields_free(t);
	t = NULL;
	slice_free(slice);
	return 0;
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

	assert_true(filefields_consumer.sample(t, &(struct consumer_sample){.s = &s, .path = &(struct path){ips, 3}, .weight = weight}));
}

/* By call paths: of one place are processes that have the same functions there; what was before is told as it was. */
static void by_paths(void **state)
{
	const struct tracefields_source source = {.format = no_fields, .paths = has_paths};
	struct event_list list = {.events = events, .nr = 2};
	struct resolver *r;
	struct err err;

	(void)state;
	assert_int_equal(tracefields_create(&list, "stack", &source, &plan.fields, &err), 0);
	assert_int_equal(filefields_create(&plan, &t), 0);
	assert_true(filefields_by_path(t));
	r = resolver_create(&(struct resolver_config){.recorded = true, .workers = 1}, &err);
	assert_non_null(r);
	resolver_begin(r, slice, 0);
	sample_at_path(5, 0xffffffff81000010, 10, 2);
	sample_at_path(5, 0xffffffff81000010, 11, 3);
	sample_at_path(6, 0xffffffff81000010, 12, 4); /* another process, there too */
	filefields_remapped(t, 5);
	sample_at_path(5, 0xffffffff81000010, 13, 5);
	assert_true(filefields_tell(t, r, slice));
	assert_int_equal(slice->nfields, 1);
	sample_at_path(5, 0xffffffff81000018, 14, 6);
	sample_at_path(5, 0xffffffff81000010, 15, 7);
	assert_true(filefields_tell(t, r, slice));
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

/* Maps of kernel code change it for all processes: sums until then get the names until then. */
static void kernel_maps(void **state)
{
	const struct tracefields_source source = {.format = no_fields, .paths = has_paths};
	const struct fileconsumers_plan wanted = {.traced = &plan};
	struct perf_event_header h = {.type = PERF_RECORD_MMAP, .misc = PERF_RECORD_MISC_KERNEL};
	struct record rec = {.h = &h, .whole = true, .mmap = {.pid = UINT32_MAX, .tid = 0}};
	struct event_list list = {.events = events, .nr = 2};
	struct fileconsumers c = {.traced = NULL};
	struct resolver *r;
	struct err err;

	(void)state;
	assert_int_equal(tracefields_create(&list, "stack", &source, &plan.fields, &err), 0);
	r = resolver_create(&(struct resolver_config){.recorded = true, .workers = 1}, &err);
	assert_non_null(r);
	assert_int_equal(fileconsumers_init(&c, &wanted, r, 1, NULL), 0);
	t = c.traced;
	resolver_begin(r, slice, 0);
	sample_at_path(5, 0xffffffff81000010, 10, 2);
	rec.mmap.pid = 5;
	fileconsumers_sideband(&c, &rec, slice);
	assert_int_equal(slice->nfields, 0);
	rec.mmap.pid = UINT32_MAX;
	fileconsumers_sideband(&c, &rec, slice);
	assert_int_equal(slice->nfields, 1);
	t = NULL;
	resolver_end(r, 20);
	fileconsumers_clear(&c);
	resolver_free(r);
	tracefields_free(plan.fields);
	plan.fields = NULL;
}

static void nothing_wanted(void **state)
{
	(void)state;
	assert_int_equal(filefields_create(&plan, &t), 0);
	assert_null(t);
	filefields_comm(t);
	filefields_remapped(t, 5);
	assert_false(filefields_by_path(t));
	assert_true(filefields_tell(t, NULL, slice));
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
		struct measure_config wanted;
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
		const struct fileformats none = {.nr = 0};
		struct filefields_plan made = {.fields = NULL};
		struct err err = {.code = 0};

		assert_non_null(p);
		assert_int_equal(filefields_plan_make(&made, p, &none, &cases[i].wanted, &err), cases[i].word ? -EINVAL : 0);
		if (cases[i].word && !strstr(err.text, cases[i].word))
			fail_msg("'%s' is not said: %s", cases[i].word, err.text);
		filefields_plan_clear(&made);
		perfdata_close(p);
		perfwrite_clear(&w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(nothing_wanted, setup, teardown),
		cmocka_unit_test_setup_teardown(by_paths, setup, teardown),
		cmocka_unit_test_setup_teardown(kernel_maps, setup, teardown),
		cmocka_unit_test(plans),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
