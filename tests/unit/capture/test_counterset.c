/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counterset, against a made-up kernel with two hardware counters: groups are whole or refused, weak ones are split,
 * software events share groups of ours, what kernels cannot read together is read alone; counts outlive a close.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/capture/counterset.h"
#include "kernel/event/parse.h"

#define MOST 2048
#define HARDWARE 2 /* counters */

/* What the kernel has open; a fd is an index. */
struct made_up {
	struct perf_source source;
	struct {
		bool open, on;
		int leader;
		struct perf_event_attr attr;
	} event[MOST];
	unsigned nr, opens, reads;
	bool no_inherited_groups; /* before 6.13 */
	int fails;                /* all opens: with this */
	bool short_reads;
};

static struct made_up k;
static struct event_list list;

static bool is_hardware(const struct perf_event_attr *a)
{
	return a->type != PERF_TYPE_SOFTWARE && a->type != PERF_TYPE_TRACEPOINT;
}

static unsigned hardware_in(int leader)
{
	unsigned nr = 0;

	for (unsigned i = 0; i < k.nr; i++)
		nr += k.event[i].open && k.event[i].leader == leader && is_hardware(&k.event[i].attr);
	return nr;
}

static int made_open(struct perf_source *s, struct perf_event_attr *a, pid_t tid, int cpu, int leader, unsigned long flags)
{
	int fd = (int)k.nr;

	(void)s, (void)tid, (void)cpu, (void)flags;
	k.opens++;
	if (k.fails)
		return k.fails;
	if (a->type == PERF_TYPE_RAW && a->config == 0xbad)
		return -ENOENT;
	if (k.no_inherited_groups && a->inherit && a->read_format & PERF_FORMAT_GROUP)
		return -EINVAL;
	if (leader >= 0 && (!k.event[leader].open || k.event[leader].leader != leader))
		return -EINVAL;
	/* Only what fits on the hardware at once is a group. */
	if (leader >= 0 && is_hardware(a) && hardware_in(leader) == HARDWARE)
		return -EINVAL;
	assert_true(k.nr < MOST);
	assert_true(leader < 0 ? a->disabled : !a->disabled);
	k.event[k.nr].open = true;
	k.event[k.nr].on = false;
	k.event[k.nr].attr = *a;
	k.event[k.nr].leader = leader < 0 ? fd : leader;
	return (int)k.nr++;
}

static void made_close(struct perf_source *s, int fd)
{
	(void)s;
	assert_true(k.event[fd].open);
	k.event[fd].open = false;
}

static int made_control(struct perf_source *s, int fd, unsigned long request, uintptr_t arg)
{
	(void)s, (void)arg;
	k.event[fd].on = request == PERF_EVENT_IOC_ENABLE;
	return 0;
}

/* Event n counts 100 n + 1; a group is enabled for 1000 ns, and for fewer running the later it was opened. */
static ssize_t made_read(struct perf_source *s, int fd, void *buf, size_t len)
{
	uint64_t *v = buf, nr = 0;
	bool group = k.event[fd].attr.read_format & PERF_FORMAT_GROUP;
	size_t head = group ? 3 : 1;

	(void)s;
	k.reads++;
	if (k.short_reads)
		return 0;
	for (unsigned i = 0; i < k.nr; i++) {
		if (!k.event[i].open || (group ? k.event[i].leader != fd : (int)i != fd))
			continue;
		if ((head + nr + 1) * sizeof(*v) > len + (group ? 0 : 2 * sizeof(*v)))
			return -ENOSPC;
		v[group ? head + nr : 0] = 100 * i + 1;
		nr++;
	}
	if (group)
		v[0] = nr;
	v[1] = 1000;
	v[2] = 1000 - (uint64_t)fd;
	return (ssize_t)((group ? head + nr : 3) * sizeof(*v));
}

static const struct perf_ops ops = {.open = made_open, .close = made_close, .control = made_control, .read = made_read};

static struct counterset *create(const char *text, bool inherit)
{
	struct counterset_config c = {.source = &k.source, .events = &list, .inherit = inherit};
	struct err err = {.code = 0};
	struct counterset *cs;

	k = (struct made_up){.source = {.ops = &ops}};
	event_list_clear(&list);
	if (event_parse(text, &list, &err))
		fail_msg("%s: %s", text, err.text);
	cs = counterset_create(&c, 0, -1);
	assert_non_null(cs);
	return cs;
}

static unsigned still_open(void)
{
	unsigned nr = 0;

	for (unsigned i = 0; i < k.nr; i++)
		nr += k.event[i].open;
	return nr;
}

static void drop(struct counterset *cs)
{
	counterset_free(cs);
	assert_int_equal(still_open(), 0);
}

static void test_group(void **state)
{
	struct counterset *cs = create("{cycles,instructions,page-faults},branches", false);
	const struct perf_count *sum = counterset_sums(cs);

	(void)state;
	assert_int_equal(counterset_open(cs), 0);
	assert_int_equal(counterset_reads(cs), 2);
	counterset_enable(cs, true);
	assert_true(k.event[0].on && k.event[3].on && !k.event[1].on); /* members follow their leader */
	counterset_read(cs);
	assert_int_equal(k.reads, 2);
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(sum[i].value, 100 * i + 1);
		assert_int_equal(sum[i].running, i < 3 ? 1000 : 997);
		assert_false(counterset_split(cs, i));
	}
	/* A read that says nothing changes nothing. */
	k.short_reads = true;
	counterset_read(cs);
	assert_int_equal(sum[2].value, 201);
	drop(cs);
}

/* More than there are counters: refused whole where the group must be, else its rest is counted alone. */
static void test_weak(void **state)
{
	struct counterset *cs = create("{cycles,instructions,branches}", false);

	(void)state;
	assert_int_equal(counterset_open(cs), 0);
	assert_int_equal(counterset_code(cs, 1), 0);
	assert_int_equal(counterset_code(cs, 2), -EINVAL);
	assert_false(counterset_split(cs, 2));
	drop(cs);

	cs = create("{cycles,instructions,branches,page-faults}:W", false);
	assert_int_equal(counterset_open(cs), 0);
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(counterset_code(cs, i), 0);
		assert_int_equal(counterset_split(cs, i), i == 2);
	}
	counterset_enable(cs, true);
	assert_true(k.event[0].on && k.event[2].on);
	counterset_read(cs);
	assert_int_equal(counterset_sums(cs)[2].value, 201);
	assert_int_equal(counterset_sums(cs)[2].running, 998);
	assert_int_equal(counterset_sums(cs)[3].value, 301);
	assert_int_equal(counterset_sums(cs)[3].running, 1000);
	drop(cs);
}

/* One that there is not, even the first, costs the others nothing. */
static void test_refused(void **state)
{
	struct counterset *cs = create("{rbad,cycles,instructions},rbad,page-faults", false);

	(void)state;
	assert_int_equal(counterset_open(cs), 0);
	assert_int_equal(counterset_code(cs, 0), -ENOENT);
	assert_int_equal(counterset_code(cs, 3), -ENOENT);
	assert_int_equal(counterset_reads(cs), 2);
	counterset_read(cs);
	assert_int_equal(counterset_sums(cs)[0].enabled, 0);
	assert_int_equal(counterset_sums(cs)[1].value, 1);
	assert_int_equal(counterset_sums(cs)[2].value, 101);
	assert_int_equal(counterset_sums(cs)[1].running, counterset_sums(cs)[2].running);
	assert_false(counterset_split(cs, 1));
	assert_int_equal(counterset_sums(cs)[4].value, 201);
	drop(cs);
}

static void test_inherited(void **state)
{
	struct counterset *cs = create("{cycles,instructions},page-faults,context-switches", true);

	(void)state;
	k.no_inherited_groups = true;
	assert_int_equal(counterset_open(cs), 0);
	assert_int_equal(counterset_reads(cs), 4);
	assert_int_equal(k.event[1].leader, 0); /* still counted together */
	assert_int_equal(k.event[3].leader, 3);
	counterset_read(cs);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(counterset_sums(cs)[i].value, 100 * i + 1);
	drop(cs);
	cs = create("{cycles,instructions},page-faults,context-switches", true);
	assert_int_equal(counterset_open(cs), 0);
	assert_int_equal(counterset_reads(cs), 2);
	drop(cs);
}

/* Children get a group whole, as its leader says. */
static void test_inherit_alike(void **state)
{
	struct counterset *cs = create("page-faults,minor-faults/no-inherit/,major-faults/inherit-thread/,context-switches,"
				       "cpu-migrations/no-inherit/,page-faults/inherit-thread/", true);

	(void)state;
	assert_int_equal(counterset_open(cs), 0);
	assert_int_equal(counterset_reads(cs), 3);
	for (int i = 0; i < 6; i++) {
		assert_int_equal(k.event[i].leader, i % 3);
		assert_int_equal(k.event[i].attr.inherit, i % 3 != 1);
		assert_int_equal(k.event[i].attr.inherit_thread, i % 3 == 2);
	}
	drop(cs);
}

/* What the kernel reads in one go has a bound. */
static void test_many(void **state)
{
	struct counterset *cs;
	char *text = calloc(EVENTS_MAX, sizeof("page-faults,"));

	(void)state;
	assert_non_null(text);
	for (unsigned i = 0; i < EVENTS_MAX; i++)
		strcat(text, i ? ",page-faults" : "page-faults");
	cs = create(text, false);
	free(text);
	assert_int_equal(counterset_open(cs), 0);
	assert_int_equal(counterset_reads(cs), 1);
	counterset_read(cs);
	assert_int_equal(counterset_sums(cs)[EVENTS_MAX - 1].value, 100 * (EVENTS_MAX - 1) + 1);
	drop(cs);
}

/* The CPU, or the thread, is gone: nothing stays open, what was counted stays, and comes on top of later. */
static void test_gone(void **state)
{
	struct counterset *cs = create("page-faults,cycles", false);

	(void)state;
	assert_int_equal(counterset_open(cs), 0);
	counterset_read(cs);
	counterset_close(cs);
	assert_int_equal(still_open(), 0);
	assert_int_equal(counterset_sums(cs)[1].value, 101);
	k.fails = -ENODEV;
	assert_int_equal(counterset_open(cs), -ENODEV);
	k.fails = -ESRCH;
	assert_int_equal(counterset_open(cs), -ESRCH);
	assert_int_equal(k.opens, 4);
	k.fails = 0;
	assert_int_equal(counterset_open(cs), 0);
	counterset_read(cs);
	assert_int_equal(counterset_sums(cs)[0].value, 1 + 201);
	assert_int_equal(counterset_sums(cs)[1].value, 101 + 301);
	assert_int_equal(counterset_sums(cs)[1].enabled, 2000);
	drop(cs);
}

static int clear(void **state)
{
	(void)state;
	event_list_clear(&list);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_group), cmocka_unit_test(test_weak), cmocka_unit_test(test_refused),
		cmocka_unit_test(test_inherited), cmocka_unit_test(test_inherit_alike),
		cmocka_unit_test(test_many), cmocka_unit_test(test_gone),
	};

	return cmocka_run_group_tests_name("counterset", tests, NULL, clear);
}
