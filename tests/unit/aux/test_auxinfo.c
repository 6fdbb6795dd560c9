// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What AUXTRACE_INFO says of each kind of PMU, from a directory made up like sysfs.  With AUXINFO_FILES=DIR
 * a perf.data file of each is left there, for perf to read (tests/live/auxinfo.sh).
 */
#include "sources/aux/auxinfo.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cmocka.h>

#include "files/decode/perfwrite.h"
#include "kernel/event/pmu.h"
#include "sources/record/datafile.h"

static char root[] = "/tmp/test_auxinfo.XXXXXX";

static const struct {
	const char *path, *text; /* text NULL: a directory */
} files[] = {
	{"cs_etm", NULL},
	{"cs_etm/type", "8\n"},
	{"cs_etm/format", NULL},
	{"cs_etm/format/cycacc", "config:12\n"},
	{"cs_etm/format/contextid", "config:14\n"},
	{"cs_etm/format/contextid1", "config:14\n"},
	{"cs_etm/format/contextid2", "config:15\n"},
	{"cs_etm/format/timestamp", "config:28\n"},
	{"cs_etm/format/retstack", "config:29\n"},
	{"cs_etm/cpu0", NULL},
	{"cs_etm/cpu0/trcidr", NULL},
	{"cs_etm/cpu0/trcidr/trcidr0", "0x28000ea1\n"},
	{"cs_etm/cpu0/trcidr/trcidr1", "0x4100f403\n"},
	{"cs_etm/cpu0/trcidr/trcidr2", "0x488\n"},
	{"cs_etm/cpu0/trcidr/trcidr8", "0\n"},
	{"cs_etm/cpu0/mgmt", NULL},
	{"cs_etm/cpu0/mgmt/trcauthstatus", "0xcc\n"},
	{"cs_etm/cpu0/ts_source", "1\n"},
	{"cs_etm/cpu3", NULL},
	{"cs_etm/cpu3/trcidr", NULL},
	{"cs_etm/cpu3/trcidr/trcidr0", "0x28000ea1\n"},
	{"cs_etm/cpu3/trcidr/trcidr1", "0x4100fff3\n"},
	{"cs_etm/cpu3/trcidr/trcidr2", "0xd0001088\n"},
	{"cs_etm/cpu3/trcidr/trcidr8", "0\n"},
	{"cs_etm/cpu3/mgmt", NULL},
	{"cs_etm/cpu3/mgmt/trcauthstatus", "0xcc\n"},
	{"cs_etm/cpu3/mgmt/trcdevarch", "0x47705a13\n"},
	{"arm_spe_0", NULL},
	{"arm_spe_0/type", "10\n"},
	{"hisi_ptt0_2", NULL},
	{"hisi_ptt0_2/type", "11\n"},
	{"intel_bts", NULL},
	{"intel_bts/type", "6\n"},
};

#define FILES (sizeof(files) / sizeof(*files))

static int make_root(void **state)
{
	char path[256];

	(void)state;
	assert_non_null(mkdtemp(root));
	for (size_t i = 0; i < FILES; i++) {
		FILE *f;

		snprintf(path, sizeof(path), "%s/%s", root, files[i].path);
		if (!files[i].text) {
			assert_int_equal(mkdir(path, 0755), 0);
			continue;
		}
		f = fopen(path, "w");
		assert_non_null(f);
		fputs(files[i].text, f);
		assert_int_equal(fclose(f), 0);
	}
	pmu_set_root(root);
	return 0;
}

static int remove_root(void **state)
{
	char path[256];

	(void)state;
	pmu_set_root(NULL);
	for (size_t i = FILES; i--;) {
		snprintf(path, sizeof(path), "%s/%s", root, files[i].path);
		remove(path);
	}
	return rmdir(root);
}

/* A file with this information and some trace, where one is wanted. */
static void leave_file(const struct auxset_info *info)
{
	const char *dir = getenv("AUXINFO_FILES");
	const struct perf_event_attr dummy = {.type = PERF_TYPE_SOFTWARE, .size = sizeof(dummy),
					      .config = PERF_COUNT_SW_DUMMY, .sample_id_all = 1,
					      .sample_type = info->event->attr.sample_type};
	static char trace[96]; /* whole records of all of them */
	const struct iovec part = {trace, sizeof(trace)};
	/* An AUX record of all of it: offset of its end, size, flags, and the trailer of AUXEVENT_TYPE. */
	const uint64_t aux[AUX_RECORD_WORDS] = {PERF_RECORD_AUX | 64ull << 48, sizeof(trace), sizeof(trace),
						PERF_AUX_FLAG_OVERWRITE, 1 | 1ull << 32, 1000, 0, 1};
	struct datafile *df;
	char path[512];
	struct err err;

	if (!dir)
		return;
	snprintf(path, sizeof(path), "%s/%s.data", dir, info->pmu);
	df = datafile_create(path, 0, &err);
	assert_non_null(df);
	assert_int_equal(datafile_event(df, &info->event->attr, info->event->name), 0);
	assert_int_equal(datafile_event(df, &dummy, "dummy:u"), 1);
	assert_int_equal(datafile_id(df, 0, 1), 0);
	assert_int_equal(datafile_id(df, 1, 2), 0);
	assert_int_equal(datafile_begin(df), 0);
	assert_int_equal(datafile_aux(df, info, true), 0);
	assert_int_equal(datafile_auxtrace(df, &(struct perfwrite_auxtrace){.size = sizeof(trace),
					   .tid = -1}, &part, 1), 0);
	assert_int_equal(datafile_records(df, aux, sizeof(aux), NULL), 0);
	assert_int_equal(datafile_finish(df, &err), 0);
	datafile_free(df);
}

static void make(const char *text, struct event *e, struct auxset_info *info, struct auxinfo *words)
{
	struct err err = {.code = 0};

	assert_int_equal(auxset_parse(text, e, &err), 0);
	e->attr.size = sizeof(e->attr);
	e->attr.sample_period = 1;
	e->attr.sample_id_all = 1;
	e->attr.sample_type = AUXEVENT_TYPE;
	*info = (struct auxset_info){.event = e, .pmu = e->pmu, .size = 4096, .mode = AUX_SNAPSHOT,
				     .time_shift = 3, .time_mult = 5, .time_zero = 7};
	auxinfo_make(info, true, words);
	assert_false(words->failed);
	leave_file(info);
}

static void test_plain(void **state)
{
	static const struct {
		const char *event;
		unsigned type, nr;
		uint64_t words[8];
	} want[] = {
		{"arm_spe_0//", 4, 2, {10, 1}},
		{"hisi_ptt0_2//", 6, 1, {11}},
		{"intel_bts//", 2, 6, {6, 3, 5, 7, 1, 1}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(want) / sizeof(*want); i++) {
		struct auxset_info info;
		struct auxinfo words;
		struct event e;

		make(want[i].event, &e, &info, &words);
		assert_int_equal(words.type, want[i].type);
		assert_int_equal(words.nr, want[i].nr);
		assert_memory_equal(words.words, want[i].words, words.nr * sizeof(*words.words));
		auxinfo_clear(&words);
	}
}

/* An ETMv4 and an ETE, on CPUs that do not follow each other. */
static void test_coresight(void **state)
{
	static const uint64_t want[] = {
		2, 8ull << 32 | 2, 1,
		0x4040404040404040, 0, 8, 1 << 6 | 1 << 11, 0x90, 0x28000ea1, 0x4100f403, 0x488, 0, 0xcc, 1,
		0x5050505050505050, 3, 9, 1 << 6 | 1 << 11, 0x96, 0x28000ea1, 0x4100fff3, 0xd0001088, 0, 0xcc,
		0x47705a13, (uint64_t)-1,
	};
	struct auxset_info info;
	struct auxinfo words;
	struct event e;

	(void)state;
	make("cs_etm//", &e, &info, &words);
	assert_int_equal(e.attr.config, 1 << 14 | 1 << 28); /* as perf does where nothing is said */
	assert_int_equal(words.type, 3);
	assert_int_equal(words.nr, sizeof(want) / sizeof(*want));
	assert_memory_equal(words.words, want, sizeof(want));
	auxinfo_clear(&words);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_coresight),
	};

	return cmocka_run_group_tests(tests, make_root, remove_root);
}
