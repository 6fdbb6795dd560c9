/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * man/ringtop-wire.proto says what we say: protoc reads every field of every message by it, and what it writes of
 * that again is read here as the same.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/fieldfill.h"
#include "tests/skip.h"
#include "link/wire/message.h"

#define ROUNDS 8u
#define BUDGET (16u << 20)

static char directory[] = "/tmp/ringtop-proto.XXXXXX", proto[4096];

static const char *const names[WIRE_KINDS] = {
	[WIRE_HELLO] = "Hello",	    [WIRE_START] = "Start",	    [WIRE_RESUME] = "Resume",
	[WIRE_INFO] = "Info",	    [WIRE_SLICE] = "SliceFrame",    [WIRE_COMMAND] = "Command",
	[WIRE_REPLY] = "Reply",	    [WIRE_CREDIT] = "Credit",	    [WIRE_TIME] = "Time",
	[WIRE_FILE_ASK] = "FileAsk", [WIRE_FILE_PART] = "FilePart", [WIRE_END] = "End",
};

static void run(const char *what, enum wire_kind kind, const char *from, const char *to)
{
	char command[9000];

	snprintf(command, sizeof(command), "cd %s && protoc --proto_path='%s' --%s=ringtop.%s ringtop-wire.proto <%s >%s",
		 directory, proto, what, names[kind], from, to);
	if (system(command))
		fail_msg("protoc cannot %s a %s", what, names[kind]);
}

static void write_file(const char *name, const void *data, size_t len)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	f = fopen(path, "wb");
	assert_non_null(f);
	if (len) /* an empty message has no bytes at all, and fwrite() takes no NULL */
		assert_int_equal(fwrite(data, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

static struct wire_out read_file(const char *name)
{
	struct wire_out o = {.len = 0};
	char path[4096], buf[4096];
	size_t n;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	f = fopen(path, "rb");
	assert_non_null(f);
	while ((n = fread(buf, 1, sizeof(buf), f)) > 0)
		wire_put_bytes(&o, buf, n);
	fclose(f);
	return o;
}

/* Of a field that it does not know protoc writes the number. */
static void check_known(enum wire_kind kind)
{
	struct wire_out text = read_file("text");
	char *line, *rest;

	wire_put(&text, 0, 1);
	rest = (char *)text.data;
	while ((line = strsep(&rest, "\n"))) {
		line += strspn(line, " ");
		if (*line >= '0' && *line <= '9')
			fail_msg("of a %s protoc does not know: %s", names[kind], line);
	}
	wire_clear(&text);
}

static void check(enum wire_kind kind, uint64_t *seed)
{
	const struct fields *t = message_fields(kind);
	void *was = calloc(1, t->size), *is = calloc(1, t->size);
	size_t magic = kind == WIRE_HELLO ? strlen(WIRE_MAGIC) : 0;
	struct wire_out o = {.len = 0}, again = {.len = 0}, encoded;
	struct link_frame f;
	struct err err;
	unsigned differ;

	fieldfill(t, was, seed);
	message_put(&o, kind, was);
	write_file("sent", o.data + magic, o.len - magic);
	run("decode", kind, "sent", "text");
	check_known(kind);
	run("encode", kind, "text", "again");
	encoded = read_file("again");
	wire_put_bytes(&again, WIRE_MAGIC, magic);
	wire_put_bytes(&again, encoded.data, encoded.len);
	f = (struct link_frame){kind, again.data ? again.data : (const uint8_t *)"", again.len};
	if (message_get(&f, is, BUDGET, &err))
		fail_msg("%s from protoc: %s", names[kind], err.text);
	differ = fieldfill_differ(t, was, is);
	if (differ)
		fail_msg("%s: field %u comes back as another", names[kind], differ);
	message_clear(kind, was);
	message_clear(kind, is);
	wire_clear(&o);
	wire_clear(&encoded);
	wire_clear(&again);
	free(was);
	free(is);
}

static void test_messages(void **state)
{
	uint64_t seed = 0x5eed;

	(void)state;
	if (system("protoc --version >/dev/null 2>&1"))
		SKIP("no protoc (protobuf-compiler)");
	for (enum wire_kind kind = WIRE_HELLO; kind < WIRE_KINDS; kind++)
		for (unsigned i = 0; i < ROUNDS && names[kind]; i++)
			check(kind, &seed);
}

/* What goes there and back as it is could still mean something else: deltas, signs, what is not known. */
static void test_values(void **state)
{
	static const char *const lines[] = {"path: 5\n", "path: -2\n", "weight: 18446744073709551615\n", "cpu: -1\n",
					    "late_ns: -1\n", "unsampled: -7\n", "progress: 0.5\n", "pid: -1\n",
					    "text: \"\\377\"\n", "last: true\n"};
	struct slice *s = slice_create();
	struct message_slice m = {.slice = s};
	struct wire_out o = {.len = 0}, text;

	(void)state;
	if (system("protoc --version >/dev/null 2>&1"))
		SKIP("no protoc (protobuf-compiler)");
	*slice_add_row(s) = (struct slice_row){.path = 5, .weight = UINT64_MAX};
	*slice_add_row(s) = (struct slice_row){.path = 3};
	*slice_add_gauge(s) = (struct slice_gauge){.cpu = -1, .late_ns = GAUGE_UNKNOWN};
	*slice_add_account(s) = (struct slice_account){.unsampled = -7};
	slice_upsert(s, DICT_TASK, &(struct dict_task){.id = 1, .pid = -1});
	slice_upsert(s, DICT_STRING, &(struct dict_string){.id = 1, .len = 1, .text = "\xff"});
	s->progress = 0.5f;
	s->last = true;
	message_put(&o, WIRE_SLICE, &m);
	write_file("sent", o.data, o.len);
	run("decode", WIRE_SLICE, "sent", "text");
	text = read_file("text");
	wire_put(&text, 0, 1);
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		if (!strstr((const char *)text.data, lines[i]))
			fail_msg("protoc does not read %s", lines[i]);
	wire_clear(&text);
	wire_clear(&o);
	slice_free(s);
}

static int make_directory(void **state)
{
	const char *top = getenv("RINGTOP_SRCDIR");
	char path[4096];

	(void)state;
	snprintf(path, sizeof(path), "%s/man", top ? top : ".");
	return !realpath(path, proto) || !mkdtemp(directory);
}

static int remove_directory(void **state)
{
	char command[200];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", directory);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_messages), cmocka_unit_test(test_values)};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
