/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events of processors, by a sysfs that is made up as two machines have it (a Skylake server, a hybrid desktop): what is
 * written is what the kernel is told.  No PMU is needed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel/event/catalog.h"
#include "kernel/event/fallback.h"
#include "kernel/event/parse.h"
#include "kernel/event/pmu.h"

static char root[] = "/tmp/test_hardware.XXXXXX";

static const struct {
	const char *path, *text; /* text NULL: a directory */
} files[] = {
	{"cpu", NULL},
	{"cpu/type", "4\n"},
	{"cpu/caps", NULL},
	{"cpu/caps/max_precise", "3\n"},
	{"cpu/format", NULL},
	{"cpu/format/event", "config:0-7\n"},
	{"cpu/format/umask", "config:8-15\n"},
	{"cpu/format/edge", "config:18\n"},
	{"cpu/format/pc", "config:19\n"},
	{"cpu/format/any", "config:21\n"},
	{"cpu/format/inv", "config:23\n"},
	{"cpu/format/cmask", "config:24-31\n"},
	{"cpu/format/in_tx", "config:32\n"},
	{"cpu/format/in_tx_cp", "config:33\n"},
	{"cpu/format/ldlat", "config1:0-15\n"},
	{"cpu/format/offcore_rsp", "config1:0-63\n"},
	{"cpu/format/frontend", "config1:0-23\n"},
	{"cpu/events", NULL},
	{"cpu/events/cpu-cycles", "event=0x3c\n"},
	{"cpu/events/instructions", "event=0xc0\n"},
	{"cpu/events/cache-references", "event=0x2e,umask=0x4f\n"},
	{"cpu/events/cache-misses", "event=0x2e,umask=0x41\n"},
	{"cpu/events/branch-instructions", "event=0xc4\n"},
	{"cpu/events/branch-misses", "event=0xc5\n"},
	{"cpu/events/bus-cycles", "event=0x3c,umask=0x01\n"},
	{"cpu/events/ref-cycles", "event=0x00,umask=0x03\n"},
	{"cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n"},
	{"cpu/events/mem-stores", "event=0xd0,umask=0x82\n"},
	{"cpu/events/topdown-total-slots", "event=0x3c,umask=0x0,any=1\n"},
	{"cpu/events/topdown-total-slots.scale", "2\n"},
	{"cpu_atom", NULL},
	{"cpu_atom/type", "10\n"},
	{"cpu_atom/format", NULL},
	{"cpu_atom/format/event", "config:0-7\n"},
	{"cpu_atom/format/umask", "config:8-15\n"},
	{"cpu_atom/events", NULL},
	{"cpu_atom/events/cache-misses", "event=0x2e,umask=0x41\n"},
	{"power", NULL},
	{"power/type", "22\n"},
	{"power/cpumask", "0\n"},
	{"power/format", NULL},
	{"power/format/event", "config:0-7\n"},
	{"power/events", NULL},
	{"power/events/energy-pkg", "event=0x02\n"},
	{"power/events/energy-pkg.scale", "2.3283064365386962890625e-10\n"},
	{"power/events/energy-pkg.unit", "Joules\n"},
	{"uncore_imc_0", NULL},
	{"uncore_imc_0/type", "31\n"},
	{"uncore_imc_0/cpumask", "0,24\n"},
	{"uncore_imc_0/format", NULL},
	{"uncore_imc_0/format/event", "config:0-7\n"},
	{"uncore_imc_0/format/umask", "config:8-15\n"},
	{"uncore_imc_0/format/thresh", "config:24-31\n"},
	{"uncore_imc_0/events", NULL},
	{"uncore_imc_0/events/cas_count_read", "event=0x04,umask=0x03\n"},
	{"uncore_imc_0/events/cas_count_read.scale", "6.103515625e-5\n"},
	{"uncore_imc_0/events/cas_count_read.unit", "MiB\n"},
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

static struct event_list list;
static struct err err;

static int parse(const char *text)
{
	event_list_clear(&list);
	err = (struct err){.code = 0};
	return event_parse(text, &list, &err);
}

#define USER 1u   /* exclude_kernel, _hv */
#define KERNEL 2u /* exclude_user, _hv */
#define PINNED 4u

/* type, config, config1 as perf 6.1 with this sysfs has them (perf stat -vv, perf record -vv). */
static const struct {
	const char *text;
	uint32_t type;
	uint64_t config, config1;
	unsigned precise, flags;
} rows[] = {
	{"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, 0, 0},
	{"cycles:upp", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, 2, USER},
	{"instructions:kD", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 0, 0, KERNEL | PINNED},
	{"ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES, 0, 0, 0},
	{"LLC-load-misses", PERF_TYPE_HW_CACHE, 0x10002, 0, 0, 0},
	{"dTLB-store-misses:u", PERF_TYPE_HW_CACHE, 0x10103, 0, 0, USER},
	{"r1a8", PERF_TYPE_RAW, 0x1a8, 0, 0, 0},
	{"r5301c0:ppp", PERF_TYPE_RAW, 0x5301c0, 0, 3, 0},
	{"cpu/cpu-cycles/", 4, 0x3c, 0, 0, 0},
	{"cpu/cache-misses/ppu", 4, 0x412e, 0, 2, USER},
	{"cpu/bus-cycles,period=1000/k", 4, 0x13c, 0, 0, KERNEL},
	{"cpu/event=0xc0,umask=0x01,cmask=1,inv/", 4, 0xc0 | 1u << 8 | 1u << 24 | 1u << 23, 0, 0, 0},
	{"cpu/event=0x3c,in_tx=1,in_tx_cp=1/", 4, 0x3c | 3ull << 32, 0, 0, 0},
	{"cpu/event=0xc6,umask=1,frontend=0x400406/pp", 4, 0x1c6, 0x400406, 2, 0},
	{"cpu/event=0xb7,umask=0x1,offcore_rsp=0x3fffc00001/", 4, 0x1b7, 0x3fffc00001, 0, 0},
	{"cpu/config=0x3c,config1=7/", 4, 0x3c, 7, 0, 0},
	{"cpu/mem-loads/p", 4, 0x1cd, 3, 1, 0},
	{"cpu/mem-loads,ldlat=30/p", 4, 0x1cd, 30, 1, 0},
	{"cpu/mem-stores,name=stores/", 4, 0x82d0, 0, 0, 0},
	{"cpu/topdown-total-slots/", 4, 0x3c | 1u << 21, 0, 0, 0},
	{"mem-stores:u", 4, 0x82d0, 0, 0, USER},
	{"cpu_atom/cache-misses/", 10, 0x412e, 0, 0, 0},
	{"cpu_atom/event=0x3c/u", 10, 0x3c, 0, 0, USER},
	{"power/energy-pkg/", 22, 2, 0, 0, 0},
	{"energy-pkg", 22, 2, 0, 0, 0},
	{"uncore_imc_0/cas_count_read/", 31, 0x304, 0, 0, 0},
	{"uncore_imc_0/event=4,umask=0xf,thresh=0x10/", 31, 0x10000f04, 0, 0, 0},
};

static void test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct perf_event_attr *a;

		if (parse(rows[i].text))
			fail_msg("%s: %s (%s)", rows[i].text, err.text, err.advice);
		assert_int_equal(list.nr, 1);
		a = &list.events[0].attr;
		if (a->type != rows[i].type || a->config != rows[i].config || a->config1 != rows[i].config1 || a->config2 ||
		    a->precise_ip != rows[i].precise)
			fail_msg("%s: type %u, config %llx, config1 %llx, precise_ip %u", rows[i].text, a->type,
				 (unsigned long long)a->config, (unsigned long long)a->config1, a->precise_ip);
		assert_int_equal(a->exclude_kernel, !!(rows[i].flags & USER));
		assert_int_equal(a->exclude_user, !!(rows[i].flags & KERNEL));
		assert_int_equal(a->exclude_hv, rows[i].flags & (USER | KERNEL) ? 1 : 0);
		assert_int_equal(a->pinned, !!(rows[i].flags & PINNED));
		/* Hardware: it may have to wait for a counter, and is sampled by an interrupt. */
		assert_false(event_counts_alone(&list.events[0]));
		assert_false(event_is_soft(&list.events[0]));
	}
}

static void test_units(void **state)
{
	(void)state;
	assert_int_equal(parse("power/energy-pkg/,uncore_imc_0/cas_count_read/,cpu/topdown-total-slots/,cpu/cpu-cycles/"), 0);
	assert_true(fabs(list.events[0].scale * 4294967296.0 - 1) < 1e-12);
	assert_string_equal(list.events[0].scaled, "Joules");
	assert_true(fabs(list.events[1].scale * 16384 - 1) < 1e-12);
	assert_string_equal(list.events[1].scaled, "MiB");
	assert_true(list.events[2].scale == 2);
	assert_true(list.events[3].scale == 0);
}

/* As precise as can be, less where the kernel takes less, visibly. */
static void test_steps(void **state)
{
	struct event *e;

	(void)state;
	assert_int_equal(parse("cpu/mem-loads/P"), 0);
	e = &list.events[0];
	e->attr.precise_ip = e->precise_most ? 3 : 0;
	for (int precise = 2; precise >= 0; precise--) {
		assert_true(fallback_step(e));
		assert_int_equal(e->attr.precise_ip, precise);
	}
	assert_false(fallback_step(e));
}

static void test_groups(void **state)
{
	(void)state;
	assert_int_equal(parse("{cycles,cpu/cache-misses/,page-faults}:uW,{instructions,branches}:D"), 0);
	assert_int_equal(list.nr, 5);
	for (int i = 0; i < 5; i++) {
		assert_int_equal(list.events[i].group, i < 3 ? 1 : 2);
		assert_int_equal(list.events[i].weak, i < 3);
		assert_int_equal(list.events[i].attr.exclude_kernel, i < 3);
		assert_int_equal(list.events[i].attr.pinned, i == 3);
	}
}

static int take(void *arg, const struct catalog_entry *e)
{
	struct catalog_entry *found = arg;

	*found = *e;
	return 0;
}

static void test_listed(void **state)
{
	struct catalog_entry e = {.name = ""};

	(void)state;
	assert_int_equal(catalog_walk("power/*", take, &e, &err), 0);
	assert_string_equal(e.name, "power/energy-pkg/");
	assert_string_equal(e.unit, "Joules");
	e = (struct catalog_entry){.name = ""};
	assert_int_equal(catalog_walk("cpu_atom/*", take, &e, &err), 0);
	assert_string_equal(e.name, "cpu_atom/cache-misses/");
}

static void test_wrong(void **state)
{
	static const struct {
		const char *text, *says;
	} wrong[] = {
		{"cpu/cache-mises/", "cache-misses"}, {"cpu/umask=0x100/", "8 bits"}, {"cpu_atom/ldlat=3/", "umask"},
		{"cpu_core/cache-misses/", "cpu_atom"}, {"cycles:pppp", "three p"}, {"energy-pgk", "unknown event"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		assert_int_equal(parse(wrong[i].text), -EINVAL);
		if (!strstr(err.text, wrong[i].says) && !strstr(err.advice, wrong[i].says))
			fail_msg("%s: %s (%s)", wrong[i].text, err.text, err.advice);
	}
}

static int clear(void **state)
{
	event_list_clear(&list);
	return drop_root(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),   cmocka_unit_test(test_units),  cmocka_unit_test(test_steps),
		cmocka_unit_test(test_groups), cmocka_unit_test(test_listed), cmocka_unit_test(test_wrong),
	};

	return cmocka_run_group_tests_name("hardware", tests, make_root, clear);
}
