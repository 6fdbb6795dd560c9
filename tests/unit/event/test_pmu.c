/* SPDX-License-Identifier: GPL-2.0-or-later */
/* PMUs as sysfs shows them, in a directory made up for the test. */
#include "kernel/event/catalog.h"
#include "kernel/event/parse.h"
#include "kernel/event/pmu.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char root[] = "/tmp/test_pmu.XXXXXX";

static const struct {
	const char *path, *text; /* text NULL: a directory */
} files[] = {
	{"intel_pt", NULL},
	{"intel_pt/type", "9\n"},
	{"intel_pt/format", NULL},
	{"intel_pt/format/tsc", "config:10\n"},
	{"intel_pt/format/mtc_period", "config:14-17\n"},
	{"intel_pt/format/wide", "config1:0-63\n"},
	{"intel_pt/format/split", "config2:0-3,60-63\n"},
	{"intel_pt/format/odd", "confog:0\n"},
	{"uncore_x", NULL},
	{"uncore_x/type", "23\n"},
	{"uncore_x/cpumask", "0,8\n"},
	{"uncore_x/format", NULL},
	{"uncore_x/format/event", "config:0-7,21\n"},
	{"uncore_x/format/umask", "config:8-15\n"},
	{"uncore_x/events", NULL},
	{"uncore_x/events/reads", "event=0x104,umask=0x3\n"},
	{"uncore_x/events/reads.scale", "6.1e-5\n"},
	{"uncore_x/events/reads.unit", "MiB\n"},
	{"uncore_x/events/loop", "loop\n"},
	{"traced", NULL},
	{"traced/type", "11\n"},
	{"traced/format", NULL},
	{"traced/format/pt", "config:0\n"},
	{"traced/format/branch", "config:13\n"},
	{"traced/format/tsc", "config:10\n"},
	{"traced/format/mtc", "config:9\n"},
	{"traced/format/mtc_period", "config:14-17\n"},
	{"traced/format/psb_period", "config:24-27\n"},
	{"traced/caps", NULL},
	{"traced/caps/mtc", "1\n"},
	{"traced/caps/psb_cyc", "1\n"},
	{"kprobe", NULL},
	{"kprobe/type", "6\n"},
	{"kprobe/format", NULL},
	{"kprobe/format/retprobe", "config:3\n"},
	{"broken", NULL},
	{"broken/type", "many\n"},
};

#define FILES (sizeof(files) / sizeof(*files))

static int make_root(void **state)
{
	char path[256];

	(void)state;
	if (!mkdtemp(root))
		return -1;
	for (size_t i = 0; i < FILES; i++) {
		FILE *f;

		snprintf(path, sizeof(path), "%s/%s", root, files[i].path);
		if (!files[i].text) {
			if (mkdir(path, 0755))
				return -1;
			continue;
		}
		f = fopen(path, "we");
		if (!f || fputs(files[i].text, f) < 0 || fclose(f))
			return -1;
	}
	pmu_set_root(root);
	return 0;
}

static int drop_root(void **state)
{
	char path[256];

	(void)state;
	for (size_t i = FILES; i-- > 0;) {
		snprintf(path, sizeof(path), "%s/%s", root, files[i].path);
		remove(path);
	}
	return remove(root);
}

static struct event parse(const char *text)
{
	struct event_list list = {0};
	struct err err = {0};
	struct event e;

	if (event_parse(text, &list, &err))
		fail_msg("%s: %s (%s)", text, err.text, err.advice);
	assert_int_equal(list.nr, 1);
	e = list.events[0];
	event_list_clear(&list);
	return e;
}

static void refuse(const char *text, const char *says)
{
	struct event_list list = {0};
	struct err err = {0};

	assert_int_equal(event_parse(text, &list, &err), -EINVAL);
	if (!strstr(err.text, says) && !strstr(err.advice, says))
		fail_msg("%s: '%s' (%s) does not say '%s'", text, err.text, err.advice, says);
	event_list_clear(&list);
}

static void test_fields(void **state)
{
	static const struct {
		const char *text;
		int word; /* -1: refused */
		uint64_t bits;
	} cases[] = {
		{"config:0-7,21", 0, 0x2000ff}, {"config:0-7,21\n", 0, 0x2000ff},
		{"config1:0-63", 1, ~0ull},	{"config2:63", 2, 1ull << 63},
		{"config3:5", 3, 32},		{"config:", -1, 0},
		{"config", -1, 0},		{"config:64", -1, 0},
		{"config:8-7", -1, 0},		{"config:0-", -1, 0},
		{"config:0,", -1, 0},		{"config4:0", -1, 0},
		{"config: 1", -1, 0},		{"config:1 ", -1, 0},
		{"config:0x1", -1, 0},		{"config:-1", -1, 0},
		{"config:000000000001", -1, 0}, {"", -1, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct pmu_field f;
		bool ok = pmu_parse_field(cases[i].text, &f);

		assert_int_equal(ok, cases[i].word >= 0);
		if (ok) {
			assert_int_equal(f.word, cases[i].word);
			assert_int_equal(f.bits, cases[i].bits);
		}
	}
}

static void test_place(void **state)
{
	struct pmu_field f = {0, 0x2000ff};
	uint64_t word = 0xf00;

	(void)state;
	assert_true(pmu_place(&f, 0x1a5, &word));
	assert_int_equal(word, 0x200fa5);
	assert_true(pmu_place(&f, 0, &word));
	assert_int_equal(word, 0xf00);
	assert_false(pmu_place(&f, 0x200, &word));
}

static void test_terms(void **state)
{
	struct event e;

	(void)state;
	e = parse("intel_pt//u");
	assert_int_equal(e.attr.type, 9);
	assert_int_equal(e.attr.config, 0);
	assert_int_equal(e.attr.exclude_kernel, 1);
	assert_string_equal(e.name, "intel_pt//u");
	assert_string_equal(e.pmu, "intel_pt");
	e = parse("intel_pt/tsc,mtc_period=0xa,wide=0xffffffffffffffff,split=0xf1,name=trace/");
	assert_int_equal(e.attr.config, 1 << 10 | 0xa << 14);
	assert_int_equal(e.attr.config1, ~0ull);
	assert_int_equal(e.attr.config2, 0xf000000000000001);
	assert_string_equal(e.name, "trace");
	assert_int_equal(e.attr.exclude_kernel, 0);
	e = parse("intel_pt/config=0x300e601,period=7/:k");
	assert_int_equal(e.attr.config, 0x300e601);
	assert_int_equal(e.attr.sample_period, 7);
	assert_int_equal(e.attr.exclude_user, 1);
	assert_true(e.rated);
	e = parse("intel_pt/aux-action=start-paused,aux-sample-size=4096/");
	assert_int_equal(pmu_aux_action(&e.attr), PMU_AUX_START_PAUSED);
	assert_int_equal(e.attr.aux_sample_size, 4096);
	assert_int_equal(e.attr.sig_data, 0);
}

static void test_general_terms(void **state)
{
	struct event e;

	(void)state;
	e = parse("cycles/aux-action=pause,period=1000/u");
	assert_int_equal(e.attr.type, PERF_TYPE_HARDWARE);
	assert_int_equal(pmu_aux_action(&e.attr), PMU_AUX_PAUSE);
	assert_int_equal(e.attr.sample_period, 1000);
	assert_int_equal(e.attr.exclude_kernel, 1);
	assert_string_equal(e.name, "cycles/aux-action=pause,period=1000/u");
	assert_true(event_wants_aux(&e));
	e = parse("cs/name=switches/");
	assert_string_equal(e.name, "switches");
	assert_false(event_wants_aux(&e));
	refuse("cycles/tsc=1/", "no term 'tsc'");
	/* no terms at all */
	assert_string_equal(parse("cpu-clock//").name, "cpu-clock");
	assert_string_equal(parse("cpu-clock//u").name, "cpu-clock:u");
	refuse("cycles/aux-action=x/", "start-paused");
}

static void test_defaults(void **state)
{
	struct event e = parse("intel_pt//");
	struct err err;

	(void)state;
	/* This PMU has no field "pt": nothing is set. */
	assert_int_equal(pmu_trace_defaults(&e, &err), 0);
	assert_int_equal(e.attr.config, 0);
	e = parse("traced//");
	assert_int_equal(pmu_trace_defaults(&e, &err), 0);
	assert_int_equal(e.attr.config, 0x300e601); /* as perf record has it */
	e = parse("traced/tsc=0,branch/");
	assert_int_equal(pmu_trace_defaults(&e, &err), 0);
	assert_int_equal(e.attr.config, 1 << 13);
}

static void test_symbolic(void **state)
{
	struct event e;

	(void)state;
	e = parse("uncore_x/reads/");
	assert_int_equal(e.attr.config, 0x200304);
	e = parse("uncore_x/reads,umask=1/");
	assert_int_equal(e.attr.config, 0x200104);
	e = parse("reads:u");
	assert_int_equal(e.attr.type, 23);
	assert_int_equal(e.attr.config, 0x200304);
	assert_int_equal(e.attr.exclude_kernel, 1);
	assert_string_equal(e.name, "reads:u");
}

static void test_lists(void **state)
{
	struct event_list list = {0};
	struct err err = {0};

	(void)state;
	assert_int_equal(event_parse("cs,intel_pt/tsc=1,wide=2/u,cpu-clock", &list, &err), 0);
	assert_int_equal(list.nr, 3);
	assert_string_equal(list.events[1].name, "intel_pt/tsc=1,wide=2/u");
	assert_string_equal(list.events[2].name, "cpu-clock");
	event_list_clear(&list);
}

static void test_refused(void **state)
{
	(void)state;
	refuse("intel_bts//", "broken, intel_pt, kprobe, traced, uncore_x");
	refuse("intel_pt/nonsense=1/", "mtc_period, odd, split, tsc, wide");
	refuse("uncore_x/write/", "loop, reads");
	refuse("intel_pt/tsc=2/", "1 bits");
	refuse("intel_pt/tsc=x/", "not a number");
	refuse("intel_pt/tsc=-1/", "not a number");
	refuse("intel_pt/tsc=/", "not a number");
	refuse("intel_pt/wide=0x1ffffffffffffffff/", "not a number");
	refuse("intel_pt/odd=1/", "confog:0");
	refuse("intel_pt/aux-action=stop/", "start-paused");
	refuse("intel_pt/tsc", "second /");
	refuse("intel_pt/tsc/x", "modifier");
	refuse("broken//", "type 'many'");
	refuse("../x//", "no PMU");
	refuse("uncore_x/..%2ftype/", "no term");
	refuse("uncore_x/reads.scale/", "no term");
	refuse("uncore_x/loop/", "no term"); /* an event is made of fields, not of events */
	refuse("write", "unknown event");
}

/* Where the function is, is the kernel's to know: its name is what the attribute points to. */
static void test_kprobes(void **state)
{
	struct event_list list = {0};
	struct err err = {0};
	const struct event *e;

	(void)state;
	assert_int_equal(event_parse("kprobe:do_exit,kretprobe:do_exit:k,kprobe:do_exit+0x10,kprobe:0xffff1000", &list,
				     &err), 0);
	e = list.events;
	assert_int_equal(list.nr, 4);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(e[i].attr.type, 6);
		assert_true(event_is_soft(&e[i])); /* each one is a sample */
		assert_string_equal(e[i].pmu, "");
	}
	assert_string_equal(e[0].name, "kprobe:do_exit");
	assert_string_equal((const char *)(uintptr_t)e[0].attr.kprobe_func, "do_exit");
	assert_int_equal(e[0].attr.config, 0);
	assert_int_equal(e[1].attr.config, 8);
	assert_int_equal(e[1].attr.exclude_user, 1);
	assert_string_equal((const char *)(uintptr_t)e[2].attr.kprobe_func, "do_exit");
	assert_int_equal(e[2].attr.probe_offset, 16);
	assert_int_equal(e[3].attr.kprobe_func, 0);
	assert_int_equal(e[3].attr.kprobe_addr, 0xffff1000);
	event_list_clear(&list);
	refuse("kprobe:", "the function is missing");
	refuse("kprobe:do_exit+x", "'x' is not an offset");
	refuse("kprobe:+1", "the function is missing");
	refuse("uprobe:/bin/true:main", "no PMU 'uprobe'");
}

struct listed {
	unsigned nr;
	struct catalog_entry reads; /* the PMU's event of that name */
};

static int take_listed(void *arg, const struct catalog_entry *e)
{
	struct listed *l = arg;

	l->nr++;
	if (strstr(e->name, "reads"))
		l->reads = *e;
	return l->nr == 1000 ? 7 : 0;
}

static void test_catalog(void **state)
{
	struct listed l = {0};
	struct err err;

	(void)state;
	assert_int_equal(catalog_walk("uncore_x/*", take_listed, &l, &err), 0);
	assert_int_equal(l.nr, 2);
	assert_string_equal(l.reads.name, "uncore_x/reads/");
	assert_string_equal(l.reads.unit, "MiB");
	assert_int_equal(l.reads.kind, CATALOG_PMU);
	assert_string_equal(l.reads.text, "event=0x104,umask=0x3");
	l.nr = 0;
	assert_int_equal(catalog_walk("ACHE-MISS", take_listed, &l, &err), 0); /* in any case, a part of it */
	assert_int_equal(l.nr, 1);
	l.nr = 0;
	assert_int_equal(catalog_walk("another CPU", take_listed, &l, &err), 0); /* or of its text */
	assert_int_equal(l.nr, 1);
	l.nr = 999;
	assert_int_equal(catalog_walk(NULL, take_listed, &l, &err), 7);
	assert_int_equal(l.nr, 1000);
}

static void test_cpumask(void **state)
{
	char mask[64];

	(void)state;
	pmu_cpumask("uncore_x", mask, sizeof(mask));
	assert_string_equal(mask, "0,8");
	pmu_cpumask("intel_pt", mask, sizeof(mask));
	assert_string_equal(mask, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields),	 cmocka_unit_test(test_place),
		cmocka_unit_test(test_terms),	 cmocka_unit_test(test_general_terms),
		cmocka_unit_test(test_defaults), cmocka_unit_test(test_symbolic),
		cmocka_unit_test(test_lists),	 cmocka_unit_test(test_refused),
		cmocka_unit_test(test_cpumask), cmocka_unit_test(test_kprobes),
		cmocka_unit_test(test_catalog),
	};

	return cmocka_run_group_tests(tests, make_root, drop_root);
}
