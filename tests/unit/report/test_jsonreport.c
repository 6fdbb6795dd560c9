/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

#include "report/jsonreport.h"
#include "report/jsonout.h"
#include "tests/report.h"
#include "tests/skip.h"

#define LINES 64

struct report {
	char *text;
	json_t *line[LINES];
	size_t nr;
	int ret;
	struct headless_result result;
	struct err err;
};

static void parse(struct report *r)
{
	char *save = NULL, *copy = strdup(r->text);
	json_error_t error;

	assert_non_null(copy);
	for (char *l = strtok_r(copy, "\n", &save); l; l = strtok_r(NULL, "\n", &save)) {
		assert_true(r->nr < LINES);
		r->line[r->nr] = json_loads(l, JSON_REJECT_DUPLICATES, &error);
		if (!r->line[r->nr])
			fail_msg("line %zu: %s at %d", r->nr + 1, error.text, error.position);
		r->nr++;
	}
	free(copy);
}

static struct report run(const struct synth_config *c, unsigned ticks, struct headless_options o)
{
	struct report r = {0};

	o.format = &json_format;
	o.stop_fd = o.signal_fd = -1;
	r.text = report_run(c, ticks, &o, &r.result, &r.err, &r.ret);
	parse(&r);
	return r;
}

static void done(struct report *r)
{
	for (size_t i = 0; i < r->nr; i++)
		json_decref(r->line[i]);
	free(r->text);
}

static const char *type(const json_t *line)
{
	return json_string_value(json_object_get(line, "type"));
}

static json_int_t number(const json_t *object, const char *key)
{
	json_t *n = json_object_get(object, key);

	if (!json_is_integer(n))
		fail_msg("%s is no integer", key);
	return json_integer_value(n);
}

static void check_account(const json_t *a)
{
	json_t *lost = json_object_get(a, "lost"), *n;
	const char *cause;
	json_int_t sum = 0;

	assert_int_equal(json_object_size(lost), LOST_CAUSES);
	json_object_foreach(lost, cause, n)
		sum += json_integer_value(n);
	assert_int_equal(number(a, "counted"),
			 number(a, "attributed") + sum + number(a, "pending"));
	assert_true(number(a, "pending") >= number(a, "unsampled"));
	n = json_object_get(a, "attributed_share");
	/* 0 of 0 is no share at all */
	if (number(a, "attributed") + sum)
		assert_true(json_is_number(n) && json_number_value(n) <= 1);
	else
		assert_true(json_is_null(n));
}

static void check_report(const json_t *line)
{
	json_t *events = json_object_get(line, "events"), *e, *c;
	size_t i, j;

	assert_true(json_array_size(events) > 0);
	json_array_foreach(events, i, e) {
		json_int_t counted = 0;

		check_account(e);
		json_array_foreach(json_object_get(e, "cpus"), j, c) {
			check_account(c);
			counted += number(c, "counted");
		}
		assert_int_equal(counted, number(e, "counted"));
	}
}

static void test_golden(void **state)
{
	struct synth_config c = {.losses = true, .callchains = true, .end_ticks = 23,
				 .second_event = 7, .command = true, .hostile = true};
	struct report r = run(&c, 23, (struct headless_options){.show.delay = 1});

	(void)state;
	assert_int_equal(r.ret, 0);
	report_golden("report.json", r.text);
	done(&r);
}

static const struct synth_config three = {.hosts = 3, .losses = true, .callchains = true, .end_ticks = 23,
					  .cut_from = 12, .cut_to = 18};

static void test_golden_hosts(void **state)
{
	struct report r = run(&three, 23, (struct headless_options){.show.delay = 1, .show.top = 6});

	(void)state;
	assert_int_equal(r.ret, 0);
	report_golden("report-hosts.json", r.text);
	done(&r);
}

/* The sum of a key over the rows of one host. */
static json_int_t sum_of(const json_t *rows, const char *host, const char *key)
{
	json_int_t sum = 0;
	json_t *row;
	size_t i;

	json_array_foreach(rows, i, row)
		if (!strcmp(json_string_value(json_object_get(row, "host")), host))
			sum += number(row, key);
	return sum;
}

/* All of it by whose it is; tasks say so, too. */
/* Of rows by line: what one says of itself where it has a line, and where not. */
static unsigned check_line_row(json_t *row)
{
	const char *name = json_string_value(json_object_get(row, "name")), *file = json_string_value(json_object_get(row, "file"));
	json_t *line = json_object_get(row, "line");
	char text[512];

	assert_non_null(name);
	assert_true(json_is_number(json_object_get(row, "total_share")));
	assert_int_equal(!file, !line);
	if (!file) {
		assert_true(*name == '[');
		return 0;
	}
	snprintf(text, sizeof(text), "%s:%lld", strrchr(file, '/') + 1, (long long)json_integer_value(line));
	assert_string_equal(name, text);
	return 1;
}

static void test_group_lines(void **state)
{
	const struct synth_config c = {.callchains = true, .code = true, .lines = true, .end_ticks = 23};
	struct report r = run(&c, 23, (struct headless_options){.show.delay = 1, .show.show_self = true, .group = GROUP_LINE});
	json_t *total = r.line[r.nr - 1], *row;
	json_int_t samples = 0, functions = 0;
	unsigned lines = 0;
	size_t i;

	(void)state;
	json_array_foreach(json_object_get(total, "groups"), i, row) {
		samples += json_integer_value(json_object_get(row, "samples"));
		lines += check_line_row(row);
	}
	json_array_foreach(json_object_get(total, "functions"), i, row)
		functions += json_integer_value(json_object_get(row, "samples"));
	assert_int_equal(samples, functions);
	assert_int_equal(lines, 6); /* deflate.c's four, and two of others */
	done(&r);
}

/* Two events took turns: the sums of each stand for all of the time, and say for how much it counted. */
static void test_shared(void **state)
{
	struct report r = run(&(struct synth_config){.second_event = 7, .shared = 25, .end_ticks = 10}, 10,
			      (struct headless_options){.show.delay = 1});
	json_t *total = r.line[r.nr - 1], *events = json_object_get(total, "events");

	(void)state;
	check_report(total);
	for (unsigned e = 0; e < 2; e++) {
		json_t *of = json_array_get(events, e);
		json_int_t enabled = number(of, "enabled"), running = number(of, "running");

		assert_int_equal(enabled, 2 * 10 * 100000000);
		assert_int_equal(running, enabled / 4 * (e ? 3 : 1));
		assert_true(number(json_object_get(of, "lost"), "multiplexed") > 0);
		assert_true(json_is_false(json_object_get(of, "lost_exact")));
		assert_int_equal(number(json_object_get(of, "lost"), "overwritten"), 0);
	}
	done(&r);
}

/* An event that never had a counter: what nobody counted is null, what we know stays a number. */
static void test_barred(void **state)
{
	struct report r = run(&(struct synth_config){.second_event = 7, .barred = true, .end_ticks = 10}, 10,
			      (struct headless_options){.show.delay = 1});
	json_t *events = json_object_get(r.line[r.nr - 1], "events"), *of = json_array_get(events, 1);
	json_t *cpus = json_object_get(of, "cpus");

	(void)state;
	assert_true(json_is_null(json_object_get(of, "counted")));
	assert_true(json_is_null(json_object_get(of, "attributed_share")));
	assert_true(json_is_null(json_object_get(json_object_get(of, "lost"), "multiplexed")));
	assert_true(json_is_null(json_object_get(json_array_get(cpus, 0), "counted")));
	assert_true(json_is_false(json_object_get(of, "lost_exact")));
	assert_int_equal(number(of, "samples"), 0);
	assert_int_equal(number(of, "enabled"), 2 * 10 * 100000000);
	assert_int_equal(number(of, "running"), 0);
	of = json_array_get(events, 0); /* the event that told no times */
	assert_true(json_is_null(json_object_get(of, "enabled")));
	assert_true(json_is_null(json_object_get(of, "running")));
	done(&r);
}

static void test_groups(void **state)
{
	static const enum group_by groups[] = {GROUP_USER, GROUP_CGROUP, GROUP_PARENT, GROUP_COMMAND};
	const struct synth_config c = {.owned = true, .forks = 3, .end_ticks = 23};

	(void)state;
	for (size_t g = 0; g < sizeof(groups) / sizeof(*groups); g++) {
		struct report r = run(&c, 23, (struct headless_options){.show.delay = 1, .show.show_self = true, .group = groups[g]});
		json_t *total = r.line[r.nr - 1], *rows = json_object_get(total, "groups"), *row, *task;
		const char *by = group_words[groups[g]].name;
		json_int_t samples = 0, all = 0;
		size_t i, t;

		check_report(total);
		json_array_foreach(json_object_get(total, "tasks"), t, task)
			all += number(task, "samples");
		assert_true(json_array_size(rows) >= 3);
		json_array_foreach(rows, i, row) {
			json_t *name = json_object_get(row, groups[g] == GROUP_CGROUP ? "cgroup" : "name");
			json_int_t of = 0;

			assert_string_equal(json_string_value(json_object_get(row, "by")), by);
			samples += number(row, "samples");
			if (groups[g] == GROUP_CGROUP) { /* synth.c: a period a tick, each second one used up */
				bool limited = name && !strcmp(json_string_value(name), "/system.slice/web.service");

				assert_true(limited == (json_object_get(row, "periods") != NULL));
				assert_true(!limited || (number(row, "periods") == 23 && number(row, "throttled") == 11 &&
							 number(row, "throttled_ns") == 330000000));
			}
			if (groups[g] == GROUP_COMMAND || !name || *json_string_value(name) == '(' || *json_string_value(name) == '[')
				continue;
			json_array_foreach(json_object_get(total, "tasks"), t, task)
				if (json_equal(json_object_get(task, by), name))
					of += number(task, "samples");
			assert_int_equal(of, number(row, "samples"));
		}
		assert_int_equal(samples, all);
		done(&r);
	}
}

/* The one that has a quota is not the one with most samples: --sort says which of them is first. */
static void test_sorted(void **state)
{
	const struct synth_config c = {.functions = 30, .callchains = true, .owned = true, .end_ticks = 40};

	(void)state;
	for (unsigned limited = 0; limited < 2; limited++) {
		struct report r = run(&c, 40, (struct headless_options){.show.delay = 1, .group = GROUP_CGROUP,
									.sort = limited ? SORT_THROTTLED : SORT_SELF});

		json_t *rows = json_object_get(r.line[r.nr - 1], "groups");

		assert_true(json_array_size(rows) >= 3);
		assert_int_equal(json_object_get(json_array_get(rows, 0), "periods") != NULL, limited);
		for (size_t i = 1 + limited; i < json_array_size(rows); i++)
			assert_true(number(json_array_get(rows, i - 1), "weight") >= number(json_array_get(rows, i), "weight"));
		done(&r);
	}
}

/* Every row says whose it is, and each host's rows are what its CPUs' accounts have; paths too. */
static void test_hosts(void **state)
{
	static const char *const names[] = {"web01", "root@web02", "web03"};
	static const char *const rows[] = {"functions", "tasks", "paths"};
	struct report r = run(&three, 23, (struct headless_options){.show.delay = 1, .show.show_self = true, .show.paths = true});

	(void)state;
	assert_int_equal(r.ret, 0);
	for (size_t i = 1; i < r.nr; i++) {
		json_t *event = json_array_get(json_object_get(r.line[i], "events"), 0);
		json_t *hosts = json_object_get(r.line[i], "hosts");

		check_report(r.line[i]);
		assert_int_equal(json_array_size(hosts), 3);
		for (size_t h = 0; h < 3; h++) {
			json_t *host = json_array_get(hosts, h);
			json_int_t samples = sum_of(json_object_get(event, "cpus"), names[h], "samples");

			assert_string_equal(json_string_value(json_object_get(host, "name")), names[h]);
			assert_int_equal(sum_of(json_object_get(r.line[i], "cpus"), names[h], "samples"), samples);
			assert_true(number(host, "bytes_in") > 0);
			for (size_t k = 0; k < 3; k++)
				assert_int_equal(sum_of(json_object_get(r.line[i], rows[k]), names[h],
							"samples"), samples);
			assert_int_equal(sum_of(json_object_get(r.line[i], "rings"), names[h], "cpu"), 2);
		}
	}
	done(&r);
}

/* One host's report is a local one, but for what is said of the link to it. */
static void test_one_host(void **state)
{
	struct synth_config c = {.losses = true, .callchains = true, .end_ticks = 23};
	struct report local = run(&c, 23, (struct headless_options){.show.delay = 1}), remote;

	(void)state;
	c.hosts = 1;
	remote = run(&c, 23, (struct headless_options){.show.delay = 1});
	assert_int_equal(local.nr, remote.nr);
	for (size_t i = 0; i < local.nr; i++) {
		assert_int_equal(json_array_size(json_object_get(remote.line[i], "hosts")), 1);
		assert_null(json_object_get(local.line[i], "hosts"));
		json_object_del(remote.line[i], "hosts");
		assert_true(json_equal(local.line[i], remote.line[i]));
	}
	done(&local);
	done(&remote);
}

static void test_shape(void **state)
{
	static const char *const keys[] = {"type", "time", "seconds", "events", "rings", "functions",
					   "tasks", "cpus", "aux", "snapshots", "self", "call_paths", "unwind", "log"};
	struct synth_config c = {.losses = true, .end_ticks = 37, .second_event = 3, .forks = 9};
	struct report r = run(&c, 37, (struct headless_options){.show.delay = 0.5, .show.top = 5});
	json_t *total, *row;
	json_int_t weight = 0, before = INT64_MAX;
	size_t i;

	(void)state;
	assert_int_equal(r.ret, 0);
	assert_int_equal(r.nr, 1 + 7 + 1);
	assert_string_equal(type(r.line[0]), "header");
	assert_int_equal(number(r.line[0], "schema"), 1);
	for (i = 1; i < r.nr; i++) {
		assert_string_equal(type(r.line[i]), i < 8 ? "interval" : "total");
		for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++)
			assert_non_null(json_object_get(r.line[i], keys[k]));
		check_report(r.line[i]);
	}
	assert_int_equal(json_array_size(json_object_get(r.line[1], "functions")), 5 + 1);
	assert_int_equal(json_array_size(json_object_get(r.line[1], "log")), 2);
	assert_int_equal(json_array_size(json_object_get(r.line[2], "log")), 0);
	/* what is unknown is null */
	row = json_array_get(json_object_get(r.line[1], "rings"), 0);
	assert_true(json_is_null(json_object_get(row, "lost")));
	assert_int_equal(number(row, "overwritten_bytes"), 0);
	/* the total: all rows, largest first, their weight is what was attributed, less our own */
	total = r.line[8];
	assert_true(json_is_null(json_object_get(total, "command")));
	json_array_foreach(json_object_get(total, "functions"), i, row) {
		if (strcmp(json_string_value(json_object_get(row, "event")), "cpu-clock"))
			continue;
		assert_true(number(row, "weight") <= before);
		before = number(row, "weight");
		weight += before;
	}
	row = json_array_get(json_object_get(total, "events"), 0);
	assert_true(weight < number(row, "attributed"));
	assert_true(weight > number(row, "attributed") / 100 * 97);
	done(&r);
}

static const char *text_of(const json_t *row, const char *key)
{
	const char *text = json_string_value(json_object_get(row, key));

	return text ? text : "";
}

/* No object is null, whatever the screen calls it; what is to be said of an object is said. */
static void test_doubt(void **state)
{
	struct synth_config c = {.doubt = true, .end_ticks = 10};
	struct report r = run(&c, 10, (struct headless_options){.show.delay = 1});
	unsigned unknown = 0, doubts = 0, nameless = 0;
	json_t *row;
	size_t i;

	(void)state;
	assert_int_equal(r.ret, 0);
	json_array_foreach(json_object_get(r.line[1], "functions"), i, row) {
		const char *object = text_of(row, "object");

		assert_true(*object || json_is_null(json_object_get(row, "object")));
		assert_string_not_equal(object, "[unknown]");
		unknown += !*object;
		if (!strcmp(object, "/usr/bin/gzip"))
			doubts += !strcmp(text_of(row, "doubt"), "another file than was mapped");
		else
			assert_null(json_object_get(row, "doubt"));
		if (strstr(object, "libz"))
			nameless += !strcmp(text_of(row, "nameless"), "it was changed since");
	}
	assert_int_equal(unknown, 1);
	assert_int_equal(doubts, 2);
	assert_int_equal(nameless, 2);
	done(&r);
}

/* All that was sampled but our own, by path; and no paths where nobody asked. */
static void test_paths(void **state)
{
	struct synth_config c = {.callchains = true, .hostile = true, .end_ticks = 20, .second_event = 3};
	struct headless_options o = {.show.delay = 0.5, .show.paths = true, .show.show_self = true};
	struct report r = run(&c, 20, o), without;
	json_t *events, *e, *p;
	bool recursion = false;
	size_t i, k;

	(void)state;
	assert_int_equal(r.ret, 0);
	for (size_t line = 1; line < r.nr; line++) {
		events = json_object_get(r.line[line], "events");
		json_array_foreach(events, i, e) {
			json_int_t weight = 0, samples = 0;

			json_array_foreach(json_object_get(r.line[line], "paths"), k, p) {
				const char *path = json_string_value(json_object_get(p, "path"));

				if (strcmp(json_string_value(json_object_get(p, "event")),
					   json_string_value(json_object_get(e, "name"))))
					continue;
				assert_true(number(p, "weight") > 0 && *path);
				weight += number(p, "weight");
				samples += number(p, "samples");
				recursion |= strstr(path, "override\\xc2\\x9bC1;\\xe2") != NULL;
			}
			assert_int_equal(weight, number(e, "attributed"));
			assert_int_equal(samples, number(e, "samples"));
		}
	}
	assert_true(recursion);
	o.show.paths = false;
	without = run(&c, 20, o);
	assert_null(json_object_get(without.line[1], "paths"));
	done(&without);
	done(&r);
}

/* Counts add up, what stands at the end is the last tick's. */
/* An interval that knows nothing. */
/* No 0 stands where nobody looked: neither of a ring nor of an AUX area. */
static void test_unread(void **state)
{
	static const char *const ring[] = {"fill", "fill_max", "bytes", "records", "lost", "wakeups"};
	static const char *const area[] = {"unread", "bytes", "consumed", "lost_bytes", "records", "truncated", "collision",
		"partial", "overwrite", "gap", "starts", "restarts", "lost_records", "snapshots", "samples",
		"sample_bytes"};
	struct synth_config c = {.aux = SYNTH_AUX_FULL, .unread = true, .end_ticks = 20};
	struct report r = run(&c, 20, (struct headless_options){.show.delay = 1});
	const json_t *rings, *areas, *one;
	size_t i;

	(void)state;
	assert_true(r.nr > 1);
	rings = json_object_get(r.line[1], "rings");
	areas = json_object_get(r.line[1], "aux");
	assert_int_equal(json_array_size(areas), 2);
	json_array_foreach(rings, i, one)
		for (size_t k = 0; k < sizeof(ring) / sizeof(*ring); k++)
			if (strcmp(json_string_value(json_object_get(one, "kind")), "aux") != 0 && strcmp(ring[k], "lost") != 0)
				assert_int_equal(json_is_null(json_object_get(one, ring[k])), number(one, "cpu") == 1);
	for (i = 0; i < sizeof(area) / sizeof(*area); i++) {
		assert_false(json_is_null(json_object_get(json_array_get(areas, 0), area[i])));
		assert_true(json_is_null(json_object_get(json_array_get(areas, 1), area[i])));
	}
	done(&r);
}

static void test_quiet(void **state)
{
	struct synth_config c = {.quiet = true, .end_ticks = 10};
	struct report r = run(&c, 10, (struct headless_options){.show.delay = 1});

	(void)state;
	assert_int_equal(r.ret, 0);
	assert_null(strstr(r.text, "nan"));
	for (size_t line = 1; line < r.nr; line++)
		check_report(r.line[line]);
	assert_non_null(strstr(r.text, "\"attributed_share\":null"));
	done(&r);
}

static void test_unwinding(void **state)
{
	struct synth_config c = {.callchains = true, .unwind = true, .end_ticks = 20};
	struct report r = run(&c, 20, (struct headless_options){.show.delay = 0.5});
	json_t *u = json_object_get(r.line[r.nr - 1], "unwind"), *ends = json_object_get(u, "ends");

	(void)state;
	assert_int_equal(number(u, "stack_bytes"), 8192);
	assert_int_equal(number(u, "samples"), 20 * 200);
	assert_int_equal(number(u, "frames"), 20 * 4100);
	assert_int_equal(number(u, "guessed"), 20 * 3);
	assert_int_equal(number(u, "slow"), 20);
	assert_int_equal(number(ends, "outermost"), 20 * 180);
	assert_int_equal(number(ends, "truncated"), 20 * 12);
	assert_int_equal(number(ends, "limit"), 20);
	assert_int_equal(number(ends, "broken"), 20 * 7);
	assert_int_equal(number(u, "compat"), 20 * 2);
	assert_int_equal(number(u, "dropped"), 40);
	assert_int_equal(number(u, "waiting"), 20);
	assert_int_equal(number(u, "bytes"), 1700000);
	assert_int_equal(number(u, "bytes_max"), 2500000);
	assert_int_equal(number(u, "capacity"), 16 << 20);
	/* in the interval alone */
	assert_int_equal(number(json_object_get(r.line[2], "unwind"), "samples"), 5 * 200);
	done(&r);
}

/* What is copied now, and of whom; what was chosen adds up. */
static void test_call_paths(void **state)
{
	struct synth_config c = {.callchains = true, .unwind = true, .auto_paths = true, .end_ticks = 20}, none = {.end_ticks = 2};
	struct report r = run(&c, 20, (struct headless_options){.show.delay = 0.5});
	json_t *p = json_object_get(r.line[r.nr - 1], "call_paths");

	(void)state;
	assert_int_equal(number(p, "stack_bytes"), 4096);
	assert_int_equal(number(p, "bytes_per_second"), 9200000);
	assert_int_equal(number(p, "budget"), 32 << 20);
	assert_int_equal(number(p, "chained"), 20 * 150);
	assert_int_equal(number(p, "crowded"), 7);
	assert_string_equal(json_string_value(json_object_get(p, "shallow")), "worker, libfast\\x1b[31m.so and 2 more");
	done(&r);
	r = run(&none, 2, (struct headless_options){.show.delay = 0.1});
	assert_true(json_is_null(json_object_get(r.line[r.nr - 1], "call_paths")));
	done(&r);
}

static void test_iterations_and_duration(void **state)
{
	struct synth_config c = {0};
	struct report r = run(&c, 50, (struct headless_options){.show.delay = 1, .show.iterations = 2});

	(void)state;
	assert_int_equal(r.ret, 0);
	assert_int_equal(r.nr, 1 + 2 + 1);
	assert_int_equal(r.result.intervals, 2);
	done(&r);
	r = run(&c, 50, (struct headless_options){.show.delay = 1, .show.duration = 3.4});
	assert_int_equal(r.nr, 1 + 3 + 1);
	/* all that was ready is in the total: 50 ticks and the last one */
	assert_true(json_number_value(json_object_get(r.line[4], "seconds")) > 5.09);
	check_report(r.line[4]);
	done(&r);
}

static void test_command_and_failure(void **state)
{
	struct synth_config c = {.end_ticks = 12, .command = true};
	struct report r = run(&c, 12, (struct headless_options){0});

	(void)state;
	assert_int_equal(number(json_object_get(r.line[2], "command"), "exit"), 3);
	done(&r);
	c = (struct synth_config){.end_ticks = 12, .fail = EIO};
	r = run(&c, 12, (struct headless_options){0});
	assert_int_equal(r.ret, -EIO);
	assert_string_equal(r.err.text, "synth: told to fail");
	assert_int_equal(r.nr, 3);
	assert_string_equal(json_string_value(json_object_get(r.line[2], "error")),
			    "synth: told to fail");
	done(&r);
}

static void test_strings(void **state)
{
	static const char *const cases[][2] = {
		{"plain", "\"plain\""},
		{"q\"b\\", "\"q\\\"b\\\\\""},
		{"\033[1m\n", "\"\\\\x1b[1m\\\\x0a\""},
		{"\xff\xc3\xa9", "\"\\\\xff\xc3\xa9\""},
		{"", "\"\""},
	};
	struct out o;
	char *huge = malloc(100001);

	(void)state;
	out_init(&o, -1, -1);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		o.len = 0;
		jsonout_name(&o, cases[i][0]);
		assert_int_equal(o.len, strlen(cases[i][1]));
		assert_memory_equal(o.data, cases[i][1], o.len);
	}
	assert_non_null(huge);
	memset(huge, '\1', 100000);
	huge[100000] = '\0';
	o.len = 0;
	jsonout_name(&o, huge);
	assert_int_equal(o.len, 2 + 5 * 100000);
	free(huge);
	out_clear(&o);
}

/* --- where it goes ---------------------------------------------------------------------- */

static int run_to(int fd, int stop_fd, unsigned ticks, uint64_t end_ticks,
		  struct headless_result *result, struct err *err)
{
	struct synth_config c = {.end_ticks = end_ticks, .functions = 200};
	struct session *s = synth_session_create(&c);
	struct model *m = s ? model_create(&s->info, 0) : NULL;
	struct headless_options o = {.format = &json_format, .out_fd = fd, .stop_fd = stop_fd,
				      .signal_fd = -1};
	int ret;

	assert_non_null(m);
	synth_advance(s, ticks);
	ret = headless_run(s, m, &o, result, err);
	model_free(m);
	session_close(s);
	return ret;
}

static void test_reader_gone(void **state)
{
	struct headless_result result;
	struct err err = {0};
	int p[2];

	(void)state;
	assert_int_equal(pipe2(p, O_CLOEXEC), 0);
	close(p[0]);
	assert_int_equal(run_to(p[1], -1, 30, 30, &result, &err), 0);
	assert_true(result.reader_gone);
	close(p[1]);
}

static void test_disk_full(void **state)
{
	struct headless_result result;
	struct err err = {0};
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);

	(void)state;
	if (fd < 0)
		SKIP("no /dev/full");
	assert_int_equal(run_to(fd, -1, 30, 30, &result, &err), -ENOSPC);
	assert_non_null(strstr(err.text, "No space left"));
	assert_false(result.reader_gone);
	close(fd);
}

/* Told to stop: the session stops, and the total follows with all that is there. */
static void test_stop(void **state)
{
	struct headless_result result;
	struct err err = {0};
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	int stop = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);

	(void)state;
	assert_int_equal(run_to(fd, stop, 15, 0, &result, &err), 0);
	assert_int_equal(result.intervals, 0);
	close(fd);
	close(stop);
}

/* Told to stop while nobody reads a full pipe: it does not hang. */
static void test_stop_with_stuck_reader(void **state)
{
	struct headless_result result;
	struct err err = {0};
	int stop = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK), p[2];

	(void)state;
	assert_int_equal(pipe2(p, O_CLOEXEC), 0);
	assert_true(fcntl(p[1], F_SETPIPE_SZ, 4096) > 0); /* less than any total */
	assert_int_equal(run_to(p[1], stop, 40, 40, &result, &err), -ETIMEDOUT);
	close(p[0]);
	close(p[1]);
	close(stop);
}

/* Long intervals, whose slices are merged before they are reported: no sample is in two of them. */
static void test_intervals_add_up(void **state)
{
	struct synth_config c = {.functions = 20, .end_ticks = 1000};
	struct report r = run(&c, 1000, (struct headless_options){.show.delay = 30.3});
	json_int_t samples = 0, total = 0;

	(void)state;
	for (size_t i = 0; i < r.nr; i++) {
		json_t *e = json_array_get(json_object_get(r.line[i], "events"), 0);

		if (!strcmp(type(r.line[i]), "interval"))
			samples += number(e, "samples");
		else if (!strcmp(type(r.line[i]), "total"))
			total = number(e, "samples");
	}
	/* the last interval is cut short, and not reported */
	assert_int_equal(r.result.intervals, 3);
	assert_in_range(samples, total * 908 / 1000, total * 910 / 1000);
	done(&r);
}

/* A row's call path as those of "paths" are written. */
static void join(json_t *stack, char *buf, size_t size)
{
	size_t pos = 0;

	*buf = '\0';
	for (size_t i = json_array_size(stack); i-- > 0;)
		pos += (size_t)snprintf(buf + pos, size - pos, "%s%s", pos ? ";" : "", json_string_value(json_array_get(stack, i)));
}

static json_int_t weight_of(json_t *total, const char *path)
{
	json_int_t weight = 0;
	json_t *p;
	size_t i;

	json_array_foreach(json_object_get(total, "paths"), i, p) {
		if (!strcmp(json_string_value(json_object_get(p, "path")), path))
			weight += number(p, "weight");
	}
	return weight;
}

static json_int_t stack_sum(json_t *total, const char *path)
{
	json_int_t sum = 0;
	char text[4096];
	json_t *f;
	size_t i;

	json_array_foreach(json_object_get(total, "fields"), i, f) {
		join(json_object_get(json_object_get(f, "key"), "stack"), text, sizeof(text));
		if (!strcmp(text, path))
			sum += number(f, "sum");
	}
	return sum;
}

/* Keys with a call path are its functions, and weigh what the paths of the rows do. */
static void test_stacks(void **state)
{
	struct headless_options o = {.show.delay = 1, .show.paths = true, .show.show_self = true};
	struct synth_config c = {.fields = true, .stacks = true, .callchains = true, .functions = 5, .strangers = 1, .end_ticks = 23};
	struct report r = run(&c, 23, o);
	json_t *total, *f;
	char text[4096];
	size_t i, deep = 0;

	(void)state;
	assert_int_equal(r.ret, 0);
	total = r.line[r.nr - 1];
	json_array_foreach(json_object_get(total, "fields"), i, f) {
		json_t *key = json_object_get(f, "key"), *stack = json_object_get(key, "stack");

		assert_true(json_is_integer(json_object_get(key, "cpu")));
		assert_true(json_array_size(stack) > 0);
		join(stack, text, sizeof(text));
		if (strstr(text, "ring_read")) /* ours is one path among the others */
			continue;
		if (stack_sum(total, text) != weight_of(total, text))
			fail_msg("%s: %lld and %lld", text, (long long)stack_sum(total, text), (long long)weight_of(total, text));
		deep += json_array_size(stack) > 2;
	}
	assert_true(i > 20 && deep);
	done(&r);
	c.hostile = true;
	c.deep = true;
	o = (struct headless_options){.show.delay = 1, .show.top = 8};
	r = run(&c, 23, o);
	report_golden("report-stacks.json", r.text);
	done(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden),
		cmocka_unit_test(test_golden_hosts),
		cmocka_unit_test(test_shared), cmocka_unit_test(test_barred),
		cmocka_unit_test(test_groups), cmocka_unit_test(test_sorted), cmocka_unit_test(test_group_lines), cmocka_unit_test(test_hosts),
		cmocka_unit_test(test_one_host),
		cmocka_unit_test(test_intervals_add_up),
		cmocka_unit_test(test_shape),
		cmocka_unit_test(test_doubt),
		cmocka_unit_test(test_paths), cmocka_unit_test(test_stacks),
		cmocka_unit_test(test_unread),
		cmocka_unit_test(test_quiet), cmocka_unit_test(test_unwinding), cmocka_unit_test(test_call_paths),
		cmocka_unit_test(test_iterations_and_duration),
		cmocka_unit_test(test_command_and_failure),
		cmocka_unit_test(test_strings),
		cmocka_unit_test(test_reader_gone),
		cmocka_unit_test(test_disk_full),
		cmocka_unit_test(test_stop),
		cmocka_unit_test(test_stop_with_stuck_reader),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
