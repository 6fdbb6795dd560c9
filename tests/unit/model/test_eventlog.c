/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The event log in the model: numbers that count on, a bounded memory, counts that outlive the lines, filters. */
#include "model/core/eventlog.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/vec.h"
#include "model/core/model.h"

static struct session_event events[] = {{.name = "sched:sched_switch", .unit = ""}, {.name = "irq:softirq_entry", .unit = ""}};
static const struct session_info info = {.nevents = 2, .events = events, .cpus = 4};

static void give(struct model *m, unsigned from, unsigned to, uint64_t unshown)
{
	static uint64_t now;
	struct slice *s = slice_create();

	s->start = now;
	s->end = now += 100;
	for (unsigned i = from; i < to; i++) {
		struct slice_logged *l = VEC_ADD(s->logged, s->nlogged, s->cap_logged);

		*l = (struct slice_logged){.time = i, .event = i % 2, .cpu = (int16_t)(i % 4), .pid = 100, .tid = 100 + (int)(i % 3),
					   .comm = "make"};
		assert_true(asprintf(&l->text, "number %u of many", i) > 0);
		l->fields = strdup("n\tn1\n");
	}
	s->logging = (struct slice_logging){.lines = to - from, .unshown = unshown};
	assert_int_equal(model_add(m, s), 0);
}

static void numbers(void **state)
{
	struct model *m = model_create(&info, 1 << 20);
	uint64_t first, next;

	(void)state;
	give(m, 0, 300, 7);
	next = eventlog_lines(m, &first);
	assert_int_equal(first, 0);
	assert_int_equal(next, 300);
	for (uint64_t i = 0; i < next; i++)
		assert_int_equal(eventlog_line(m, i)->time, i);
	assert_null(eventlog_line(m, 300));
	eventlog_mark(m);
	give(m, 300, 310, 1);
	assert_int_equal(eventlog_counts(m, false)->lines, 310);
	assert_int_equal(eventlog_counts(m, false)->unshown, 8);
	assert_int_equal(eventlog_counts(m, true)->lines, 10);
	assert_int_equal(eventlog_counts(m, true)->unshown, 1);
	model_zero(m);
	next = eventlog_lines(m, &first);
	assert_int_equal(first, 310);
	assert_int_equal(next, 310);
	assert_int_equal(eventlog_counts(m, false)->lines, 0);
	give(m, 310, 311, 0);
	assert_int_equal(eventlog_line(m, 310)->time, 310);
	model_free(m);
}

static void bounded(void **state)
{
	struct model *m = model_create(&info, 1 << 20);
	struct model_memory mem;
	uint64_t first, next;

	(void)state;
	for (unsigned i = 0; i < 50; i++)
		give(m, i * 1000, (i + 1) * 1000, 0);
	next = eventlog_lines(m, &first);
	assert_int_equal(next, 50000);
	assert_in_range(next - first, 500, 2000); /* an eighth of a MB */
	assert_int_equal(eventlog_line(m, first)->time, first);
	assert_null(eventlog_line(m, first - 1));
	assert_int_equal(eventlog_counts(m, false)->lines, 50000);
	model_memory(m, &mem);
	assert_in_range(mem.bytes, 100000, 2 << 20);
	model_free(m);
}

static bool passes(const char *filter, const struct slice_logged *l)
{
	struct rowfilter *f = NULL;
	struct err err;
	bool ret;

	assert_int_equal(rowfilter_compile(filter, &f, &err), 0);
	ret = eventlog_passes(&info, l, f);
	rowfilter_free(f);
	return ret;
}

static void filters(void **state)
{
	char text[] = "prev_comm=make next_comm=cc1", fields[] = "";
	const struct slice_logged l = {.event = 1, .cpu = 2, .pid = 42, .tid = 43, .comm = "kworker/0:1", .text = text,
				       .fields = fields};
	const struct rowfilter_subject row = {.function = "sched", .object = "libc", .task = "make"};
	struct rowfilter *f = NULL;

	(void)state;
	assert_true(passes("", &l));
	assert_true(passes("event:softirq", &l));
	assert_false(passes("event:sched_switch", &l));
	assert_true(passes("!event:sched_switch comm:^kworker text:next_comm=cc1", &l));
	assert_false(passes("text:kworker", &l));
	assert_true(passes("kworker", &l));
	assert_true(passes("softirq cc1", &l));
	assert_true(passes("cpu:1-3 pid:42 tid:43", &l));
	assert_false(passes("cpu:1", &l));
	/* Other views pass over event:, which says nothing of their rows. */
	assert_int_equal(rowfilter_compile("event:softirq comm:make", &f, NULL), 0);
	assert_true(rowfilter_match(f, &row));
	assert_int_equal(rowfilter_fields(f), ROWFILTER_TASK);
	rowfilter_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(numbers), cmocka_unit_test(bounded), cmocka_unit_test(filters)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
