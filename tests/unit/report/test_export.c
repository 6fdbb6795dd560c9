/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is exported, read back: by jansson, by zlib and a small decoder of protobuf, line by line.
 * Weights must add up to the tree's; names are hostile.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <dirent.h>
#include <jansson.h>
#include <zlib.h>

#include "base/text.h"
#include "report/export/export.h"
#include "report/export/export_parts.h"
#include "model/tree/tree.h"
#include "tests/synth.h"

static char dir[64], path[128];
static struct session *session;
static struct model *model;
static struct query query;

static int begin_with(const struct synth_config *c)
{
	strcpy(dir, "/tmp/ringtop-export.XXXXXX");
	session = synth_session_create(c);
	model = session ? model_create(&session->info, 0) : NULL;
	query = (struct query){0};
	if (!model || !mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/out", dir);
	for (unsigned i = 0; i < 25; i++) {
		struct slice *slice;

		synth_advance(session, 1);
		if (session_next(session, &slice) || !slice)
			return -1;
		model_add(model, slice);
	}
	return 0;
}

static int begin(void **state)
{
	(void)state;
	return begin_with(&(struct synth_config){.callchains = true, .hostile = true, .losses = true,
						 .second_event = 7, .tasks = 6, .functions = 20});
}

static int begin_idle(void **state)
{
	(void)state;
	return begin_with(&(struct synth_config){.quiet = true});
}

static int end(void **state)
{
	(void)state;
	model_free(model);
	session_close(session);
	unlink(path);
	return rmdir(dir); /* fails where a temporary file was left */
}

static const struct export_format *format_of(const char *name)
{
	for (size_t i = 0; export_formats[i]; i++)
		if (!strcmp(export_formats[i]->name, name))
			return export_formats[i];
	fail_msg("no format %s", name);
	return NULL;
}

static int write_to(const char *format, const char *file, struct err *err)
{
	struct export_source src = {.model = model, .query = &query, .window = WINDOW_ALL,
				    .version = "0"};

	return export_write(format_of(format), file, &src, err);
}

static char *read_whole(size_t *len)
{
	FILE *f = fopen(path, "r");
	char *text;

	assert_non_null(f);
	fseek(f, 0, SEEK_END);
	*len = (size_t)ftell(f);
	rewind(f);
	text = malloc(*len + 1);
	assert_non_null(text);
	assert_int_equal(fread(text, 1, *len, f), *len);
	text[*len] = '\0';
	fclose(f);
	return text;
}

static char *exported(const char *format, size_t *len)
{
	struct err err = {.code = 0};

	if (write_to(format, path, &err))
		fail_msg("%s: %s", format, err.text);
	return read_whole(len);
}

static uint64_t tree_total(unsigned event)
{
	struct tree_query q = {.q = query};
	const struct tree *t;

	q.q.event = event;
	t = model_tree(model, &q, WINDOW_ALL);
	assert_non_null(t);
	return t->node[0].total;
}

/* Nothing but characters that may be shown, and of the others only `also`. */
static void assert_clean(const char *text, size_t len, const char *also)
{
	for (size_t i = 0, n; i < len; i += n) {
		uint32_t c = 0;

		n = text_decode(text + i, len - i, &c);
		if (!n)
			fail_msg("no UTF-8 at %zu", i);
		if ((c < 0x20 || (c >= 0x7f && c < 0xa0)) && !(c && c < 0x80 && strchr(also, (int)c)))
			fail_msg("control character %x at %zu", c, i);
	}
}

/* --- folded ----------------------------------------------------------------------------- */

static void test_folded(void **state)
{
	uint64_t sum = 0;
	size_t len;
	char *text = exported("folded", &len), *save = NULL;
	bool escaped = false;

	(void)state;
	assert_clean(text, len, "\n");
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *space = strrchr(line, ' '), *rest;

		assert_non_null(space);
		sum += strtoull(space + 1, &rest, 10);
		assert_true(!*rest && space > line && strchr(line, ';'));
		escaped |= strstr(line, "line\\x0abreak") != NULL;
	}
	assert_true(escaped); /* a hostile name */
	assert_int_equal(sum, tree_total(0));
	free(text);
}

/* --- JSON ------------------------------------------------------------------------------- */

static json_t *exported_json(const char *format)
{
	json_error_t error;
	size_t len;
	char *text = exported(format, &len);
	json_t *root = json_loadb(text, len, JSON_REJECT_DUPLICATES, &error);

	assert_clean(text, len, "\n");
	if (!root)
		fail_msg("%s: %s at %d", format, error.text, error.position);
	free(text);
	return root;
}

/* The report's last line: the total. */
static json_t *total_line(void)
{
	size_t len;
	char *text = exported("json", &len), *line;
	json_t *root;

	while (len && text[len - 1] == '\n')
		text[--len] = '\0';
	line = strrchr(text, '\n');
	root = json_loads(line ? line + 1 : text, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(root);
	free(text);
	return root;
}

/* Marks of the window, their names escaped as all others. */
static void test_marks(void **state)
{
	json_t *root = total_line(), *marks, *mark;

	(void)state;
	assert_null(json_object_get(root, "marks"));
	json_decref(root);
	assert_int_equal(model_mark(model, 2500000000, "second \"one\"\n"), 0);
	assert_int_equal(model_mark(model, 300000000, "first"), 0);
	root = total_line();
	marks = json_object_get(root, "marks");
	assert_int_equal(json_array_size(marks), 2);
	mark = json_array_get(marks, 0);
	assert_string_equal(json_string_value(json_object_get(mark, "name")), "first");
	assert_true(json_real_value(json_object_get(mark, "time")) == 0.3);
	mark = json_array_get(marks, 1);
	assert_string_equal(json_string_value(json_object_get(mark, "name")), "second \"one\"\\x0a");
	json_decref(root);
}

static json_int_t at(const json_t *array, size_t i)
{
	return json_integer_value(json_array_get(array, i));
}

static uint64_t sum_of(const json_t *array)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < json_array_size(array); i++)
		sum += (uint64_t)at(array, i);
	return sum;
}

static void test_speedscope(void **state)
{
	json_t *root = exported_json("speedscope"), *p;
	json_t *frames = json_object_get(json_object_get(root, "shared"), "frames");
	size_t e, i, k;

	(void)state;
	assert_string_equal(json_string_value(json_object_get(root, "$schema")),
			    "https://www.speedscope.app/file-format-schema.json");
	json_array_foreach(json_object_get(root, "profiles"), e, p) {
		json_t *samples = json_object_get(p, "samples"), *stack;
		json_t *weights = json_object_get(p, "weights");

		assert_string_equal(json_string_value(json_object_get(p, "type")), "sampled");
		assert_non_null(strstr(json_string_value(json_object_get(p, "name")), "lost"));
		assert_string_equal(json_string_value(json_object_get(p, "unit")),
				    e ? "none" : "nanoseconds");
		assert_int_equal(json_array_size(samples), json_array_size(weights));
		json_array_foreach(samples, i, stack) {
			assert_true(json_array_size(stack) >= 2);
			for (k = 0; k < json_array_size(stack); k++)
				assert_in_range(at(stack, k), 0, json_array_size(frames) - 1);
		}
		assert_int_equal(sum_of(weights), tree_total((unsigned)e));
		assert_int_equal(json_integer_value(json_object_get(p, "endValue")),
				 tree_total((unsigned)e));
	}
	assert_int_equal(e, 2);
	json_decref(root);
}

/* Every column as long as its table says. */
static void check_table(const json_t *shared, const char *name)
{
	json_t *table = json_object_get(shared, name), *column;
	size_t length = (size_t)json_integer_value(json_object_get(table, "length"));
	const char *key;

	json_object_foreach(table, key, column)
		if (strcmp(key, "length") && json_array_size(column) != length)
			fail_msg("%s.%s has %zu, not %zu", name, key, json_array_size(column), length);
}

static size_t length_of(const json_t *shared, const char *name)
{
	return (size_t)json_integer_value(json_object_get(json_object_get(shared, name), "length"));
}

static void check_indices(const json_t *shared, const char *table, const char *column, size_t below)
{
	json_t *v;
	size_t i;

	json_array_foreach(json_object_get(json_object_get(shared, table), column), i, v)
		if (!json_is_null(v) && json_integer_value(v) != -1)
			assert_in_range(json_integer_value(v), 0, below - 1);
}

static void check_shared(const json_t *root)
{
	static const char *const tables[] = {"stackTable", "frameTable", "funcTable", "resourceTable",
					     "nativeSymbols", "sources"};
	json_t *shared = json_object_get(root, "shared"), *v;
	size_t strings = json_array_size(json_object_get(shared, "stringArray")), i;

	for (i = 0; i < sizeof(tables) / sizeof(*tables); i++)
		check_table(shared, tables[i]);
	check_indices(shared, "stackTable", "frame", length_of(shared, "frameTable"));
	check_indices(shared, "frameTable", "func", length_of(shared, "funcTable"));
	check_indices(shared, "funcTable", "name", strings);
	check_indices(shared, "funcTable", "resource", length_of(shared, "resourceTable"));
	check_indices(shared, "resourceTable", "name", strings);
	check_indices(shared, "resourceTable", "lib", json_array_size(json_object_get(root, "libs")));
	json_array_foreach(json_object_get(json_object_get(shared, "stackTable"), "prefix"), i, v)
		if (!json_is_null(v))
			assert_true((size_t)json_integer_value(v) < i);
}

static double check_thread(const json_t *root, const json_t *thread)
{
	json_t *samples = json_object_get(thread, "samples"), *v;
	size_t stacks = length_of(json_object_get(root, "shared"), "stackTable"), i;
	double sum = 0, before = 0;

	assert_true(json_is_string(json_object_get(thread, "pid")));
	check_table(thread, "markers");
	json_array_foreach(json_object_get(samples, "stack"), i, v)
		assert_in_range(json_integer_value(v), 0, stacks - 1);
	assert_int_equal(i, json_integer_value(json_object_get(samples, "length")));
	json_array_foreach(json_object_get(samples, "time"), i, v) {
		assert_true(json_number_value(v) >= before && json_number_value(v) <= 2500);
		before = json_number_value(v);
	}
	assert_int_equal(i, json_integer_value(json_object_get(samples, "length")));
	json_array_foreach(json_object_get(samples, "weight"), i, v)
		sum += json_number_value(v);
	assert_int_equal(i, json_integer_value(json_object_get(samples, "length")));
	return sum;
}

static void test_firefox(void **state)
{
	json_t *root = exported_json("firefox"), *v, *threads = json_object_get(root, "threads");
	json_t *meta = json_object_get(root, "meta"), *counters = json_object_get(root, "counters");
	struct account a;
	double ms = 0;
	size_t i;

	(void)state;
	assert_int_equal(json_integer_value(json_object_get(meta, "preprocessedProfileVersion")),
			 FIREFOX_VERSION);
	check_shared(root);
	json_array_foreach(threads, i, v)
		ms += check_thread(root, v);
	assert_true(ms * 1e6 > (double)tree_total(0) - 1e4 && ms * 1e6 < (double)tree_total(0) + 1e4);
	json_array_foreach(json_object_get(meta, "initialVisibleThreads"), i, v)
		assert_in_range(json_integer_value(v), 0, json_array_size(threads) - 1);
	model_account(model, 0, ALL_CPUS, WINDOW_ALL, &a);
	assert_true(a.lost_samples_all > 0);
	v = json_object_get(json_object_get(json_array_get(counters, 0), "samples"), "count");
	assert_int_equal(json_array_size(v), 25);
	assert_int_equal(sum_of(v), a.lost_samples_all);
	assert_int_equal(json_array_size(counters), 3); /* and the fill of two sample rings */
	json_decref(root);
}

/* --- pprof ------------------------------------------------------------------------------ */

struct bytes {
	const uint8_t *p, *end;
};

struct field {
	unsigned number;
	uint64_t n;         /* of a varint */
	struct bytes bytes; /* of a message or text */
	bool is_bytes;
};

static uint64_t varint(struct bytes *b)
{
	uint64_t n = 0;

	for (unsigned shift = 0;; shift += 7) {
		assert_true(b->p < b->end && shift < 64);
		n |= (uint64_t)(*b->p & 0x7f) << shift;
		if (!(*b->p++ & 0x80))
			return n;
	}
}

static bool field_next(struct bytes *b, struct field *f)
{
	uint64_t tag;

	if (b->p == b->end)
		return false;
	tag = varint(b);
	*f = (struct field){.number = (unsigned)(tag >> 3), .is_bytes = (tag & 7) == 2};
	assert_true((tag & 7) == 0 || (tag & 7) == 2);
	f->n = varint(b);
	if (!f->is_bytes)
		return true;
	assert_true(f->n <= (uint64_t)(b->end - b->p));
	f->bytes = (struct bytes){b->p, b->p + f->n};
	b->p += f->n;
	return true;
}

/* The first field of that number in a message: its value, 0 where there is none. */
static uint64_t member(struct bytes b, unsigned number)
{
	struct field f;

	while (field_next(&b, &f))
		if (f.number == number)
			return f.n;
	return 0;
}

#define PPROF_MAX 4096

struct pprof_told {
	struct bytes of[16][PPROF_MAX]; /* by field, in order */
	size_t nr[16];
	uint64_t number[16];
};

static struct pprof_told *pprof_parse(struct bytes b)
{
	struct pprof_told *p = calloc(1, sizeof(*p));
	struct field f;

	assert_non_null(p);
	while (field_next(&b, &f)) {
		assert_in_range(f.number, 1, 15);
		if (f.is_bytes) {
			assert_true(p->nr[f.number] < PPROF_MAX);
			p->of[f.number][p->nr[f.number]++] = f.bytes;
		} else {
			p->number[f.number] = f.n;
		}
	}
	return p;
}

static bool text_is(const struct pprof_told *p, uint64_t string, const char *want)
{
	struct bytes b = {0};

	assert_true(string < p->nr[6]);
	b = p->of[6][string];
	return (size_t)(b.end - b.p) == strlen(want) && !memcmp(b.p, want, strlen(want));
}

/* Ids from 1 on in order, and every reference to one that is there. */
static void check_references(const struct pprof_told *p)
{
	for (unsigned table = 3; table <= 5; table++)
		for (size_t i = 0; i < p->nr[table]; i++)
			assert_int_equal(member(p->of[table][i], 1), i + 1);
	for (size_t i = 0; i < p->nr[3]; i++) {
		assert_true(member(p->of[3][i], 5) > 0); /* no mapping without a file name */
		assert_true(member(p->of[3][i], 5) < p->nr[6]);
		assert_true(member(p->of[3][i], 6) < p->nr[6]);
	}
	for (size_t i = 0; i < p->nr[4]; i++) {
		struct bytes location = p->of[4][i];
		struct field f;

		assert_true(member(location, 2) <= p->nr[3]);
		while (field_next(&location, &f))
			if (f.number == 4)
				assert_in_range(member(f.bytes, 1), 1, p->nr[5]);
	}
	for (size_t i = 0; i < p->nr[5]; i++)
		assert_in_range(member(p->of[5][i], 2), 1, p->nr[6] - 1);
	for (size_t i = 0; i < p->nr[6]; i++)
		assert_clean((const char *)p->of[6][i].p,
			     (size_t)(p->of[6][i].end - p->of[6][i].p), "");
}

static void check_sample(const struct pprof_told *p, struct bytes sample, uint64_t sums[4])
{
	unsigned labels = 0, values = 0;
	struct field f;

	while (field_next(&sample, &f)) {
		if (f.number == 1)
			while (f.bytes.p < f.bytes.end)
				assert_in_range(varint(&f.bytes), 1, p->nr[4]);
		else if (f.number == 2)
			for (; f.bytes.p < f.bytes.end; values++)
				sums[values] += varint(&f.bytes);
		else
			labels += member(f.bytes, 1) > 0 && member(f.bytes, 1) < p->nr[6];
	}
	assert_int_equal(values, 4);
	assert_int_equal(labels, 3);
}

static struct bytes gunzip(const char *data, size_t len)
{
	z_stream z = {.next_in = (Bytef *)data, .avail_in = (uInt)len};
	size_t room = 8u << 20;
	uint8_t *to = malloc(room);

	assert_non_null(to);
	assert_int_equal(inflateInit2(&z, 15 + 16), Z_OK);
	z.next_out = to;
	z.avail_out = (uInt)room;
	assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
	assert_int_equal(z.avail_in, 0);
	inflateEnd(&z);
	return (struct bytes){to, to + z.total_out};
}

static void test_pprof(void **state)
{
	uint64_t sums[4] = {0}, build_ids = 0, lost = 0;
	size_t len;
	char *data = exported("pprof", &len);
	struct bytes plain = gunzip(data, len);
	struct pprof_told *p = pprof_parse(plain);

	(void)state;
	assert_int_equal(p->of[6][0].p, p->of[6][0].end); /* string 0 is empty */
	assert_int_equal(p->nr[1], 4);
	assert_true(text_is(p, member(p->of[1][0], 1), "cpu-clock samples"));
	assert_true(text_is(p, member(p->of[1][1], 1), "cpu-clock"));
	assert_true(text_is(p, member(p->of[1][1], 2), "nanoseconds"));
	assert_true(text_is(p, member(p->of[1][3], 2), "count"));
	check_references(p);
	for (size_t i = 0; i < p->nr[2]; i++)
		check_sample(p, p->of[2][i], sums);
	assert_int_equal(sums[1], tree_total(0));
	assert_int_equal(sums[3], tree_total(1));
	assert_int_equal(sums[0] * model_info(model)->events[0].period, sums[1]);
	for (size_t i = 0; i < p->nr[3]; i++)
		build_ids += text_is(p, member(p->of[3][i], 6),
				     "0101010101010101010101010101010101010101");
	assert_int_equal(build_ids, 1);
	for (size_t i = 0; i < p->nr[6]; i++)
		lost += memmem(p->of[6][i].p, (size_t)(p->of[6][i].end - p->of[6][i].p), "overwritten",
			       11) != NULL;
	assert_int_equal(lost, 1); /* one event lost some */
	assert_int_equal(p->number[12], model_info(model)->events[0].period);
	assert_int_equal(p->number[10], 2500000000);
	free(p);
	free((void *)plain.p);
	free(data);
}

/* --- hosts ------------------------------------------------------------------------------ */

#define HOSTS 3

static int begin_hosts(void **state)
{
	int ret = begin_with(&(struct synth_config){.hosts = HOSTS, .callchains = true, .losses = true});

	(void)state;
	query.show_self = true;
	return ret;
}

/* Which host that is, told by its name, before `end`. */
static size_t host_of(const char *text, const char *end)
{
	for (size_t h = 0; h < HOSTS; h++) {
		const char *name = model_info(model)->hosts[h].name;

		if (!strncmp(text, name, strlen(name)) && text[strlen(name)] == *end)
			return h;
	}
	fail_msg("no host: %s", text);
	return 0;
}

static void check_hosts(const char *format, const double weight[HOSTS])
{
	for (size_t h = 0; h < HOSTS; h++) {
		struct account a;

		model_host_account(model, 0, h, WINDOW_ALL, &a);
		if (weight[h] < (double)a.attributed - 1e4 || weight[h] > (double)a.attributed + 1e4)
			fail_msg("%s: host %zu has %f, not %llu", format, h, weight[h],
				 (unsigned long long)a.attributed);
	}
}

static void test_folded_hosts(void **state)
{
	double weight[HOSTS] = {0};
	size_t len;
	char *text = exported("folded", &len), *save = NULL;

	(void)state;
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		weight[host_of(line, ";")] += strtod(strrchr(line, ' '), NULL);
	check_hosts("folded", weight);
	free(text);
}

static void test_speedscope_hosts(void **state)
{
	json_t *root = exported_json("speedscope"), *stack;
	json_t *frames = json_object_get(json_object_get(root, "shared"), "frames");
	json_t *profile = json_array_get(json_object_get(root, "profiles"), 0);
	double weight[HOSTS] = {0};
	size_t i;

	(void)state;
	json_array_foreach(json_object_get(profile, "samples"), i, stack) {
		json_t *first = json_array_get(frames, (size_t)at(stack, 0));

		weight[host_of(json_string_value(json_object_get(first, "name")), "")] +=
			(double)at(json_object_get(profile, "weights"), i);
	}
	check_hosts("speedscope", weight);
	json_decref(root);
}

static void test_firefox_hosts(void **state)
{
	json_t *root = exported_json("firefox"), *threads = json_object_get(root, "threads"), *v;
	double weight[HOSTS] = {0};
	size_t i, gzips = 0;

	(void)state;
	json_array_foreach(threads, i, v) {
		const char *process = json_string_value(json_object_get(v, "processName"));
		const char *pid = json_string_value(json_object_get(v, "pid"));

		if (!i)
			continue; /* the rings' */
		weight[host_of(process, ":")] += check_thread(root, v) * 1e6;
		gzips += !strcmp(pid, "web01 4242") || !strcmp(pid, "root@web02 4242") || !strcmp(pid, "web03 4242");
	}
	assert_int_equal(gzips, HOSTS);
	check_hosts("firefox", weight);
	json_decref(root);
}

static void test_pprof_hosts(void **state)
{
	double weight[HOSTS] = {0};
	size_t len;
	char *data = exported("pprof", &len);
	struct bytes plain = gunzip(data, len);
	struct pprof_told *p = pprof_parse(plain);

	(void)state;
	for (size_t i = 0; i < p->nr[2]; i++) {
		struct bytes sample = p->of[2][i], host = {0};
		uint64_t value = 0;
		struct field f;

		while (field_next(&sample, &f)) {
			if (f.number == 2) {
				varint(&f.bytes);
				value = varint(&f.bytes);
			} else if (f.number == 3 && text_is(p, member(f.bytes, 1), "host")) {
				host = p->of[6][member(f.bytes, 2)];
			}
		}
		assert_non_null(host.p);
		for (size_t h = 0; h < HOSTS; h++)
			if (strlen(model_info(model)->hosts[h].name) == (size_t)(host.end - host.p) &&
			    !memcmp(model_info(model)->hosts[h].name, host.p, (size_t)(host.end - host.p)))
				weight[h] += (double)value;
	}
	check_hosts("pprof", weight);
	free(p);
	free((void *)plain.p);
	free(data);
}

/* --- files ------------------------------------------------------------------------------ */

/* A value, or one a line. */
static void check_json(const char *text, size_t len)
{
	while (len) {
		json_error_t error;
		json_t *root = json_loadb(text, len, JSON_DISABLE_EOF_CHECK, &error);

		if (!root)
			fail_msg("%s at %d", error.text, error.position);
		json_decref(root);
		text += error.position;
		len -= (size_t)error.position;
		if (*text == '\n') {
			text++;
			len--;
		}
	}
}

static void test_nothing(void **state)
{
	size_t len;

	(void)state;
	for (size_t i = 0; export_formats[i]; i++) {
		char *text = exported(export_formats[i]->name, &len);

		if (strstr(export_formats[i]->suffix, "json"))
			check_json(text, len);
		free(text);
	}
}

static void test_self(void **state)
{
	size_t len;
	char *text;

	(void)state;
	text = exported("folded", &len);
	assert_null(strstr(text, "[ringtop]"));
	free(text);
	query.show_self = true;
	for (size_t i = 0; export_formats[i]; i++)
		free(exported(export_formats[i]->name, &len));
	text = exported("folded", &len);
	assert_non_null(strstr(text, "[ringtop];[ringtop] "));
	free(text);
}

static void test_replace(void **state)
{
	struct stat st;
	size_t len;
	FILE *f = fopen(path, "w");

	(void)state;
	assert_non_null(f);
	fputs("old", f);
	fclose(f);
	free(exported("folded", &len));
	assert_int_equal(lstat(path, &st), 0);
	assert_int_equal(st.st_mode, S_IFREG | 0600);
	assert_true(len > 3);
}

static void assert_kept_off(const char *file, int code)
{
	struct err err = {.code = 0};

	assert_int_equal(write_to("folded", file, &err), -code);
	assert_int_equal(err.code, code);
	assert_non_null(strstr(err.text, file));
}

static void test_refused(void **state)
{
	char target[160];
	struct stat st;

	(void)state;
	snprintf(target, sizeof(target), "%s/target", dir);
	assert_int_equal(symlink(target, path), 0);
	assert_kept_off(path, EEXIST);
	assert_int_equal(lstat(target, &st), -1); /* not followed */
	assert_int_equal(lstat(path, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_kept_off(dir, EEXIST);
	assert_kept_off("/dev/null", EEXIST);
	assert_int_equal(lstat("/dev/null", &st), 0);
	assert_true(S_ISCHR(st.st_mode));
	snprintf(target, sizeof(target), "%s/no/such", dir);
	assert_kept_off(target, ENOENT);
}

/* No room on the disk, as far as write(2) can tell: what stood there stays, and nothing is left. */
static void test_full(void **state)
{
	struct rlimit was, small;
	size_t len;
	char *before = exported("folded", &len), *after;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &was);
	small = was;
	small.rlim_cur = 100;
	for (size_t i = 0; export_formats[i]; i++) {
		struct err err = {.code = 0};

		setrlimit(RLIMIT_FSIZE, &small);
		assert_int_equal(write_to(export_formats[i]->name, path, &err), -EFBIG);
		setrlimit(RLIMIT_FSIZE, &was);
		assert_int_equal(err.code, EFBIG);
	}
	after = read_whole(&len);
	assert_string_equal(before, after);
	free(before);
	free(after);
}

static void test_parse(void **state)
{
	const struct export_format *f = NULL;
	const char *file = NULL;
	struct err err = {.code = 0};

	(void)state;
	assert_int_equal(export_parse("pprof:a:b", &f, &file, &err), 0);
	assert_string_equal(f->name, "pprof");
	assert_string_equal(file, "a:b");
	assert_int_equal(export_parse("perf:x", &f, &file, &err), -EINVAL);
	for (size_t i = 0; export_formats[i]; i++)
		assert_non_null(strstr(err.text, export_formats[i]->name));
	assert_int_equal(export_parse("folded", &f, &file, &err), -EINVAL);
	assert_int_equal(export_parse("folde:x", &f, &file, &err), -EINVAL);
	assert_int_equal(export_parse("folded:", &f, &file, &err), -EINVAL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
#define TEST_HOSTS(name) cmocka_unit_test_setup_teardown(name, begin_hosts, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_folded),  TEST(test_speedscope), TEST(test_firefox),
		TEST(test_pprof),   TEST(test_self),	   TEST(test_replace),
		TEST(test_marks),
		TEST(test_refused), TEST(test_full),	   cmocka_unit_test(test_parse),
		cmocka_unit_test_setup_teardown(test_nothing, begin_idle, end),
		TEST_HOSTS(test_folded_hosts),
		TEST_HOSTS(test_speedscope_hosts),
		TEST_HOSTS(test_firefox_hosts),
		TEST_HOSTS(test_pprof_hosts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
