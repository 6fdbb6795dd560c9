/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of trace-cmd, made by hand: what comes out of them as records of perf's, and what is said of those that are none. */
#include "sources/ftrace/tracedat.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "files/decode/perfdata.h"
#include "tests/tracedatfile.h"

#define SEEN 64u

struct seen {
	unsigned event, cpu, tid;
	uint64_t time, lost;
	char comm[16];
	uint64_t ips[4], nr;
	uint32_t type, raw;
};

static struct tracedatfile file;
static size_t cut; /* bytes of it; 0: all */
static struct tracedat *dat;
static struct perfdata *data;
static struct seen seen[SEEN];
static unsigned nseen;
static struct err err;

static ssize_t read_made(void *arg, void *buf, size_t len, uint64_t offset)
{
	size_t size = cut ? cut : file.len;

	(void)arg;
	if (offset >= size)
		return 0;
	len = len < size - offset ? len : (size_t)(size - offset);
	memcpy(buf, file.bytes + offset, len);
	return (ssize_t)len;
}

static const struct perfdata_source made = {.read = read_made, .seekable = true};

static void see(const struct perfdata_record *rec)
{
	const struct record_layout *l = &perfdata_event(data, rec->event)->layout;
	struct record_comm c;
	struct record_ksymbol k;
	struct record_lost lost;
	struct sample s;
	struct seen *n = &seen[nseen];

	assert_true(nseen < SEEN);
	*n = (struct seen){.event = rec->event, .time = rec->time, .type = rec->h->type};
	if (rec->h->type == PERF_RECORD_SAMPLE) {
		assert_true(record_sample(l, rec->h, &s));
		n->cpu = s.cpu;
		n->tid = s.tid;
		n->raw = s.span[SAMPLE_RAW].len;
		n->nr = s.nr_chain;
		for (uint64_t i = 0; i < s.nr_chain && i < 4; i++)
			n->ips[i] = s.chain[i];
	} else if (rec->h->type == PERF_RECORD_COMM && record_comm(l, rec->h, &c)) {
		n->tid = c.tid;
		snprintf(n->comm, sizeof(n->comm), "%s", c.comm);
	} else if (rec->h->type == PERF_RECORD_LOST && record_lost(l, rec->h, &lost)) {
		n->lost = lost.lost;
	} else if (rec->h->type == PERF_RECORD_KSYMBOL && record_ksymbol(l, rec->h, &k)) {
		snprintf(n->comm, sizeof(n->comm), "%s", k.name);
		n->ips[0] = k.addr;
		n->nr = k.len;
	} else {
		return;
	}
	nseen++;
}

static int open_made(void)
{
	err = (struct err){.code = 0};
	nseen = 0;
	dat = tracedat_open(&made, &err);
	if (!dat)
		return -err.code;
	data = perfdata_open(tracedat_stream(dat), &err);
	assert_non_null(data);
	return 0;
}

static void read_all(void)
{
	struct perfdata_record rec;
	int ret;

	while ((ret = perfdata_next(data, &rec, &err)) > 0)
		see(&rec);
	assert_int_equal(ret, 0);
}

static void close_made(void)
{
	perfdata_close(data);
	tracedat_free(dat);
	data = NULL;
	dat = NULL;
}

static int clear(void **state)
{
	(void)state;
	close_made();
	tracedatfile_clear(&file);
	cut = 0;
	return 0;
}

static void read_made_file(void)
{
	tracedatfile_make(&file);
	assert_int_equal(open_made(), 0);
	read_all();
}

static const char *name_of(unsigned i)
{
	return perfdata_event(data, seen[i].event)->name;
}

static void expect_sample(unsigned i, const char *event, unsigned cpu, unsigned tid, uint64_t time)
{
	assert_true(i < nseen);
	assert_int_equal(seen[i].type, PERF_RECORD_SAMPLE);
	assert_string_equal(name_of(i), event);
	assert_int_equal(seen[i].cpu, cpu);
	assert_int_equal(seen[i].tid, tid);
	assert_int_equal(seen[i].time, time);
}

static void expect_comm(unsigned i, unsigned tid, const char *comm, uint64_t time)
{
	assert_true(i < nseen);
	assert_int_equal(seen[i].type, PERF_RECORD_COMM);
	assert_int_equal(seen[i].tid, tid);
	assert_string_equal(seen[i].comm, comm);
	assert_int_equal(seen[i].time, time);
}

/* Two CPUs, their records in turns. */
static void fill(void)
{
	file.names = "10 first\n11 second\n";
	tracedatfile_page(&file, 0, 1000, 0);
	tracedatfile_enter(&file, 0, 0, 10, 1);
	tracedatfile_enter(&file, 0, 20, 10, 2);
	tracedatfile_page(&file, 1, 1010, 0);
	tracedatfile_enter(&file, 1, 0, 11, 3);
}

static void expect_filled(void)
{
	assert_int_equal(nseen, 5);
	expect_comm(0, 10, "first", 1000);
	expect_sample(1, "raw_syscalls:sys_enter", 0, 10, 1000);
	expect_comm(2, 11, "second", 1010);
	expect_sample(3, "raw_syscalls:sys_enter", 1, 11, 1010);
	expect_sample(4, "raw_syscalls:sys_enter", 0, 10, 1020);
	assert_string_equal(perfdata_info(data)->host, "made");
	assert_string_equal(perfdata_info(data)->release, "6.1.0");
	assert_int_equal(perfdata_info(data)->cpus, 2);
	assert_int_equal(perfdata_formats(data), file.big ? 0 : 1);
	assert_string_equal(tracedat_remarks(dat), "");
}

static void test_both_versions(void **state)
{
	(void)state;
	for (file.version = 6; file.version <= 7; file.version++) {
		fill();
		read_made_file();
		expect_filled();
		assert_int_equal(seen[1].raw, 20); /* 16, and what makes it even */
		close_made();
		for (unsigned i = 0; i < 2; i++)
			file.cpu[i].len = 0;
	}
}

static void test_packed(void **state)
{
	(void)state;
	file = (struct tracedatfile){.version = 7, .packed = true};
	fill();
	tracedatfile_page(&file, 0, 2000, 0);
	tracedatfile_enter(&file, 0, 0, 10, 1);
	tracedatfile_page(&file, 0, 3000, 0);
	tracedatfile_enter(&file, 0, 0, 10, 1);
	read_made_file();
	assert_int_equal(nseen, 7);
	expect_sample(6, "raw_syscalls:sys_enter", 0, 10, 3000); /* in the second chunk */
}

/* Whatever wrote it: samples, times and names are the same, fields are left out of what is the other way round. */
static void test_other_machines(void **state)
{
	static const struct {
		int version;
		bool big;
		unsigned long_size;
	} machines[] = {{6, false, 4}, {7, false, 4}, {6, true, 8}, {7, true, 8}, {6, true, 4}, {7, true, 4}};

	(void)state;
	for (size_t i = 0; i < sizeof(machines) / sizeof(*machines); i++) {
		file = (struct tracedatfile){.version = machines[i].version, .big = machines[i].big,
					     .long_size = machines[i].long_size};
		fill();
		tracedatfile_call(&file, 1, 100, 11, 0x81000010, 0x81000120);
		read_made_file();
		assert_int_equal(nseen, 6);
		expect_sample(3, "raw_syscalls:sys_enter", 1, 11, 1010);
		expect_sample(5, "ftrace:function", 1, 11, 1110);
		assert_int_equal(seen[5].ips[1], 0x81000010);
		assert_int_equal(seen[5].ips[2], 0x81000120);
		assert_int_equal(seen[3].raw, machines[i].big ? 0 : 20);
		close_made();
		tracedatfile_clear(&file);
	}
}

/* The names at the start are those at the end of the recording; a switch tells better. */
static void test_names(void **state)
{
	(void)state;
	file = (struct tracedatfile){.version = 6, .names = "10 last\n0 <idle>\nnonsense\n12\n13 nobody\n"};
	tracedatfile_page(&file, 0, 1000, 0);
	tracedatfile_switch(&file, 0, 0, 10, "before", 11, "other");
	tracedatfile_switch(&file, 0, 5, 11, "other", 10, "before");
	tracedatfile_switch(&file, 0, 5, 10, "last", 0, "swapper/0");
	read_made_file();
	assert_int_equal(nseen, 6); /* of 13, which no record is of, nothing */
	expect_comm(0, 10, "before", 1000);
	expect_comm(1, 11, "other", 1000);
	expect_sample(2, "sched:sched_switch", 0, 10, 1000);
	expect_sample(3, "sched:sched_switch", 0, 11, 1005);
	expect_comm(4, 10, "last", 1010);
	expect_sample(5, "sched:sched_switch", 0, 10, 1010);
}

static uint64_t lost_of(const char *event)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < nseen; i++)
		n += !strcmp(name_of(i), event) ? seen[i].lost : 0;
	return n;
}

static void test_lost(void **state)
{
	(void)state;
	file.version = 6;
	fill();
	tracedatfile_page(&file, 1, 5000, 77);
	tracedatfile_enter(&file, 1, 0, 11, 3);
	read_made_file();
	assert_int_equal(lost_of("raw_syscalls:sys_enter"), 77);
	assert_int_equal(seen[5].type, PERF_RECORD_LOST);
	assert_int_equal(seen[5].time, 5000);
	assert_false(tracedat_lost_shared(dat));
	close_made();

	/* Of several events: as much of each as was read of it, and said. */
	tracedatfile_switch(&file, 1, 10, 10, "a", 11, "b");
	read_made_file();
	assert_int_equal(lost_of("raw_syscalls:sys_enter") + lost_of("sched:sched_switch"), 77);
	assert_int_equal(lost_of("sched:sched_switch"), 77 / 5);
	assert_true(tracedat_lost_shared(dat));
	assert_non_null(strstr(tracedat_remarks(dat), "distributed"));
	close_made();

	/* A number that the kernel had no room for; and what is lost with nothing behind it. */
	tracedatfile_page(&file, 0, 6000, UINT64_MAX);
	tracedatfile_enter(&file, 0, 0, 10, 1);
	tracedatfile_page(&file, 0, 7000, 5);
	read_made_file();
	assert_int_equal(lost_of("raw_syscalls:sys_enter") + lost_of("sched:sched_switch"), 77 + 1 + 5);
	assert_non_null(strstr(tracedat_remarks(dat), "1 losses of unknown size"));
	assert_int_equal(seen[nseen - 1].time, 6000);
}

/* What pages do not tell the kernel's statistics do. */
static void test_statistics(void **state)
{
	(void)state;
	for (int version = 6; version <= 7; version++) {
		file = (struct tracedatfile){.version = version, .stats = "entries: 0\noverrun: 45\ncommit overrun: 2\nbytes: 0\n"
									  "oldest event ts:     0.000000\nnow ts:   123.000000\n"
									  "dropped events: 3\nread events: 4\n"};
		fill();
		tracedatfile_page(&file, 0, 6000, 5);
		tracedatfile_enter(&file, 0, 0, 10, 1);
		read_made_file();
		assert_int_equal(lost_of("raw_syscalls:sys_enter"), 5 + 2 + 3); /* what was overwritten the page told */
		close_made();
		tracedatfile_page(&file, 0, 7000, UINT64_MAX);
		tracedatfile_enter(&file, 0, 0, 10, 1);
		read_made_file();
		assert_int_equal(lost_of("raw_syscalls:sys_enter"), 45 + 2 + 3);
		assert_false(tracedat_lost_shared(dat));
		assert_string_equal(tracedat_remarks(dat), "");
		close_made();
		tracedatfile_clear(&file);
	}
}

static void test_instances(void **state)
{
	(void)state;
	for (int version = 6; version <= 7; version++) {
		file = (struct tracedatfile){.version = version, .instance = "mine"};
		fill();
		file.cpu[2].other = true;
		file.cpu[2].cpu = version == 7 ? 1 : 0; /* version 6 tells it by its place */
		tracedatfile_page(&file, 2, 1015, 9);
		tracedatfile_enter(&file, 2, 0, 12, 1);
		tracedatfile_switch(&file, 2, 1, 12, "c", 13, "d");
		read_made_file();
		expect_sample(6, "raw_syscalls:sys_enter@mine", version == 7 ? 1 : 2, 12, 1015);
		assert_int_equal(lost_of("raw_syscalls:sys_enter@mine") + lost_of("sched:sched_switch"), 9);
		assert_int_equal(lost_of("raw_syscalls:sys_enter"), 0);
		close_made();
		tracedatfile_clear(&file);
	}
}

/* Functions that are met have the names that the file's copy of kallsyms has, once each. */
static void test_functions(void **state)
{
	static const char kallsyms[] = "ffffffff81000000 T _text\nffffffff81000000 T _stext\nffffffff81001000 t first\n"
				       "ffffffff81002000 T second\nffffffff81003000 T third\nffffffff81004000 T _etext\n"
				       "ffffffffa0000000 t load\t[mod]\nffffffffa0000100 t unload\t[mod]\n";

	(void)state;
	for (int version = 6; version <= 7; version++) {
		file = (struct tracedatfile){.version = version, .packed = version == 7, .kallsyms = kallsyms};
		tracedatfile_page(&file, 0, 1000, 0);
		tracedatfile_call(&file, 0, 0, 10, 0xffffffff81001004, 0xffffffff81003000); /* second's last call */
		tracedatfile_call(&file, 0, 0, 10, 0xffffffff81001004, 0xffffffffa0000010);
		read_made_file();
		assert_int_equal(nseen, 5);
		for (unsigned i = 0; i < 3; i++) {
			static const char *const names[] = {"first", "second", "load\t[mod]"};

			assert_int_equal(seen[i].type, PERF_RECORD_KSYMBOL);
			assert_string_equal(seen[i].comm, names[i]);
		}
		assert_int_equal(seen[0].ips[0], 0xffffffff81001000);
		assert_int_equal(seen[0].nr, 0x1000);
		assert_string_equal(tracedat_remarks(dat), "");
		close_made();
		tracedatfile_clear(&file);
	}
	file = (struct tracedatfile){.version = 6, .kallsyms = "what is this\n"};
	tracedatfile_page(&file, 0, 1000, 0);
	tracedatfile_call(&file, 0, 0, 10, 0xffffffff81001004, 0);
	read_made_file();
	assert_int_equal(nseen, 1);
	assert_non_null(strstr(tracedat_remarks(dat), "kallsyms names no functions: "));
}

static void test_clocks(void **state)
{
	(void)state;
	file = (struct tracedatfile){.version = 7, .clock = "x86-tsc"};
	fill();
	read_made_file();
	assert_non_null(strstr(tracedat_remarks(dat), "clock x86-tsc does not count ns"));
	assert_int_equal(seen[1].time, 1000);
	close_made();

	file.mult = 5;
	file.shift = 1;
	file.offset = "-100";
	read_made_file();
	assert_string_equal(tracedat_remarks(dat), "");
	assert_int_equal(seen[1].time, 2400);
	assert_int_equal(seen[4].time, 2450);
	close_made();

	file = (struct tracedatfile){.version = 6, .cpu = {file.cpu[0], file.cpu[1]}, .cpus = 2, .bytes = file.bytes,
				     .cap = file.cap, .clock = "local global [counter] perf"};
	read_made_file();
	assert_non_null(strstr(tracedat_remarks(dat), "clock counter does not count ns"));
}

/* --- what is none ------------------------------------------------------------------------------ */

static void expect_refused(int code, const char *text)
{
	assert_int_equal(open_made(), -code);
	if (!strstr(err.text, text))
		fail_msg("'%s' does not say '%s'", err.text, text);
	close_made();
}

static void test_refused(void **state)
{
	(void)state;
	file.version = 7;
	fill();
	tracedatfile_make(&file);
	file.bytes[10] = '8';
	expect_refused(EOPNOTSUPP, "its version is 8; only 6 and 7 are supported");
	file.bytes[10] = '7';
	memcpy(file.bytes + 18, "lzma", 4);
	expect_refused(EOPNOTSUPP, "compressed with lzma; only zstd");
	memcpy(file.bytes + 18, "none", 4);
	memset(file.bytes + 24, 0, 8);
	expect_refused(EBADMSG, "it has no header_page");
	memset(file.bytes + 24, 0x11, 8);
	expect_refused(EBADMSG, "list of options");
	tracedatfile_make(&file);
	cut = 12;
	expect_refused(EBADMSG, "the file ends within its first bytes, at offset 12");
}

/* Wherever it ends: an answer, and no record that is not there. */
static void cut_everywhere(void)
{
	unsigned opened = 0, whole;

	read_made_file();
	whole = nseen;
	close_made();
	for (cut = 1; cut < file.len; cut += 37) {
		if (open_made()) {
			assert_true(err.text[0]);
		} else {
			uint64_t nr;

			opened++;
			read_all();
			assert_true(nseen <= whole);
			tracedat_problem(dat, &nr);
			assert_true(nr || nseen == whole);
		}
		close_made();
	}
	assert_true(opened || file.version == 7); /* version 7 has its options last */
	cut = 0;
}

static void test_cut(void **state)
{
	(void)state;
	for (int version = 6; version <= 7; version++) {
		file = (struct tracedatfile){.version = version, .packed = version == 7};
		fill();
		tracedatfile_page(&file, 1, 2000, 0);
		tracedatfile_enter(&file, 1, 0, 11, 3);
		cut_everywhere();
		tracedatfile_clear(&file);
	}
}

/* Bytes in turn are something else: every third that says something, and some of those that do not. */
static void test_damaged(void **state)
{
	unsigned refused = 0;

	(void)state;
	for (int version = 6; version <= 7; version++) {
		file = (struct tracedatfile){.version = version, .packed = version == 7, .kallsyms = "81000000 T _text\n"};
		fill();
		tracedatfile_make(&file);
		for (size_t i = 10; i < file.len; i += file.bytes[i] ? 3 : 61) {
			char was = file.bytes[i];

			file.bytes[i] = (char)~was;
			if (!open_made())
				read_all();
			else
				refused += *err.text != '\0';
			close_made();
			file.bytes[i] = was;
		}
		tracedatfile_clear(&file);
	}
	assert_true(refused > 100);
}

/* Files for tests/corpus/tracedat: TRACEDAT_CORPUS=DIR. */
static void write_corpus(const char *dir)
{
	static const struct {
		const char *name;
		struct tracedatfile as;
	} files[] = {{"six", {.version = 6, .clock = "[local]", .instance = "mine"}}, {"seven", {.version = 7, .mult = 3, .shift = 1}},
		     {"packed", {.version = 7, .packed = true, .kallsyms = "ffffffff81000000 T _text\nffffffff81000008 T made\nffffffff81000018 T up\nffffffff81000080 T _etext\n"}},
		     {"big", {.version = 6, .big = true, .long_size = 4}}};
	char path[256];
	FILE *to;

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		file = files[i].as;
		fill();
		tracedatfile_switch(&file, 0, 5, 10, "a", 11, "b");
		tracedatfile_call(&file, 0, 5, 10, 0xffffffff81000010, 0xffffffff81000020);
		tracedatfile_page(&file, 0, 9000, 7);
		tracedatfile_enter(&file, 0, 0, 10, 1);
		tracedatfile_make(&file);
		snprintf(path, sizeof(path), "%s/%s", dir, files[i].name);
		to = fopen(path, "w");
		assert_non_null(to);
		assert_int_equal(fwrite(file.bytes, 1, file.len, to), file.len);
		fclose(to);
		tracedatfile_clear(&file);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_both_versions, clear), cmocka_unit_test_teardown(test_packed, clear),
		cmocka_unit_test_teardown(test_other_machines, clear), cmocka_unit_test_teardown(test_names, clear),
		cmocka_unit_test_teardown(test_lost, clear), cmocka_unit_test_teardown(test_statistics, clear),
		cmocka_unit_test_teardown(test_instances, clear),
		cmocka_unit_test_teardown(test_functions, clear), cmocka_unit_test_teardown(test_clocks, clear), cmocka_unit_test_teardown(test_refused, clear),
		cmocka_unit_test_teardown(test_cut, clear), cmocka_unit_test_teardown(test_damaged, clear),
	};

	if (getenv("TRACEDAT_CORPUS"))
		write_corpus(getenv("TRACEDAT_CORPUS"));
	return cmocka_run_group_tests(tests, NULL, NULL);
}
