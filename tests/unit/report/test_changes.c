/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reports of a comparison, as files tests/golden/changes*. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/changes.h"
#include "tests/report.h"

#define PERIOD 1000000u /* ns */

struct cast {
	const char *name, *object;
	unsigned samples[CHANGES_SIDES]; /* of a second */
	unsigned beat;			 /* so many more in every second one, and so many less in the others */
	uint32_t flags;
};

#define REST 8 /* index in the cast: the function that has the rest of a second */

static const struct cast cast[] = {
	{"compress", "/usr/bin/gzip", {300, 200}, 3, 0},
	{"copy_page", "[kernel]", {50, 80}, 2, ROW_KERNEL},
	{"read_all", "/usr/bin/gzip", {20, 20}, 4, 0},
	{"before", "/usr/lib/libold.so", {40, 0}, 0, 0},
	{"fresh", "/usr/lib/libnew.so", {0, 60}, 0, 0},
	{"restless", "/usr/bin/sort", {100, 120}, 90, 0},
	{"evil\033[31m\xff", "/tmp/a\nb", {1, 1}, 0, 0},
	{"[0x401000]", "", {0, 1}, 0, ROW_UNMAPPED | ROW_UNRESOLVED},
	{"rest", "/usr/bin/sort", {489, 518}, 0, 0},
};

/* It is so seldom that one side has none of it by chance. */
static const struct cast seldom = {.name = "seldom", .object = "/usr/bin/sort"};

static void add(struct profile *p, const struct cast *c, unsigned samples)
{
	int64_t row = samples ? profile_row(p, c->name, c->object) : 0;
	uint64_t weight = (uint64_t)samples * PERIOD;

	assert_true(row >= 0);
	if (!samples)
		return;
	assert_int_equal(profile_add(p, (size_t)row, weight), 0);
	p->rows[row].samples += samples;
	p->rows[row].weight += weight;
	p->rows[row].flags = c->flags;
	p->samples += samples;
	p->weight += weight;
}

static void fill(struct profile *p, const char *event, const char *unit, int side, unsigned seconds)
{
	assert_int_equal(profile_init(p), 0);
	snprintf(p->event, sizeof(p->event), "%s", event);
	snprintf(p->unit, sizeof(p->unit), "%s", unit);
	p->seconds = seconds;
	for (unsigned s = 0; s < seconds; s++) {
		uint64_t before = p->weight;
		unsigned once = side && s == 3;

		for (size_t i = 0; i < sizeof(cast) / sizeof(*cast); i++)
			add(p, &cast[i],
			    cast[i].samples[side] + (cast[i].samples[side] ? s % 2 ? cast[i].beat : -cast[i].beat : 0) -
				    (i == REST ? once : 0));
		add(p, &seldom, once);
		assert_int_equal(profile_end_block(p, 1, p->weight - before), 0);
	}
	assert_int_equal(profile_finish(p), 0);
}

/* Of one event much, of the other nothing. */
static void changes_make(struct changes *c)
{
	static struct changes_event events[2];
	static struct changes_log logs[] = {{true, (char *)"the file is cut off\033"}, {false, (char *)"a note"}};

	*c = (struct changes){.version = "0.0", .events = events, .nevents = 2,
			      .side = {{"before.data", "web01", 1700000000000000000, 20},
				       {"/tmp/after\033.data", "", 1700000100000000000, 20, "cut off at \033", logs, 2}},
			      .failed_reads = 3};
	fill(&events[0].profile[0], "cpu-clock", "ns", 0, 20);
	fill(&events[0].profile[1], "cpu-clock", "ns", 1, 20);
	events[0].profile[1].lost = events[0].profile[1].weight / 1000;
	fill(&events[1].profile[0], "page-faults", "", 0, 5);
	fill(&events[1].profile[1], "page-faults", "", 0, 5);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(compare(&events[i].profile[0], &events[i].profile[1],
					 &(struct compare_how){.again = false}, &events[i].comparison), 0);
		c->significant += events[i].comparison.significant;
	}
}

static void changes_free(struct changes *c)
{
	for (size_t i = 0; i < c->nevents; i++) {
		compare_clear(&c->events[i].comparison);
		profile_clear(&c->events[i].profile[0]);
		profile_clear(&c->events[i].profile[1]);
	}
}

static void assert_golden(const char *name, void (*put)(struct out *o, const struct changes *c), size_t top)
{
	struct changes c;
	struct out o;

	changes_make(&c);
	c.top = top;
	out_init(&o, -1, -1);
	put(&o, &c);
	assert_int_equal(o.error, 0);
	out_bytes(&o, "", 1);
	report_golden(name, o.data);
	out_clear(&o);
	changes_free(&c);
}

static void in_words(void **state)
{
	(void)state;
	assert_golden("changes.txt", changes_text, 0);
	assert_golden("changes-top.txt", changes_text, 1);
}

static void in_json(void **state)
{
	(void)state;
	assert_golden("changes.json", changes_json, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(in_words), cmocka_unit_test(in_json)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
