/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A tracepoint's format file and a record, the two divided by the first NUL: printed by its fields here, by its print
 * format in a helper, which may end of it; and all of it once more as what a helper answers.  The record is the list of
 * texts that it may point to, too.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "must.h"
#include "core/slice/logged.h"
#include "tests/sandboxed.h"
#include "measure/trace/print_sandbox.h"

#define ID 77u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

static bool helped;

static struct {
	const char *text;
	size_t len;
} format;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	helped = !sandboxed_start(false);
	return 0;
}

/* What it gives nobody need escape. */
static void check_text(const char *text, size_t most)
{
	must(strnlen(text, most) < most);
	for (const char *c = text; *c; c++)
		must((unsigned char)*c >= ' ' && *c != 0x7f);
}

static void check_fields(const char *fields)
{
	struct slice_logged_field f;
	const char *at = fields;

	must(strnlen(fields, PRINT_FIELDS) < PRINT_FIELDS);
	while (slice_logged_next(&at, &f)) {
		must(f.name_len && f.name_len < FORMAT_NAME);
		for (size_t i = 0; i < f.value_len; i++)
			must((unsigned char)f.value[i] >= ' ');
	}
	must(!*at);
}

static void print_here(const char *record, size_t len)
{
	struct print_line *line = malloc(sizeof(*line));
	struct trace_format f;

	if (!format_parse(format.text, format.len, &f, NULL)) {
		print_plain(&f, NULL, record, len, line);
		check_text(line->text, sizeof(line->text));
		check_fields(line->fields);
	}
	format_clear(&f);
	free(line);
}

static int find(void *arg, uint32_t id, char *system, size_t size, char **text, size_t *len)
{
	(void)arg;
	must(id == ID);
	snprintf(system, size, "ftrace"); /* so that what calls itself bprint is a trace_printk */
	*text = malloc(format.len + 1);
	memcpy(*text, format.text, format.len);
	*len = format.len;
	return 0;
}

static void print_there(const char *record, size_t len)
{
	struct printer *p = printer_create(find, NULL, true);
	struct printer_job j = {.id = ID, .record = record, .len = (uint32_t)len};
	char why[256];

	printer_texts(p, len & 1 ? 4 : 8, record, len);
	printer_print(p, &j, 1);
	printer_trouble(p, why, sizeof(why));
	if (j.text) {
		check_text(j.text, PRINT_TEXT);
		check_fields(j.fields);
	}
	free(j.text);
	free(j.fields);
	printer_free(p);
}

static void take(const uint8_t *data, size_t size)
{
	struct printer_job j[3] = {{.id = ID}, {.id = ID}, {.id = ID}};
	struct wire_in in = {data, data + size, false};

	print_take(&in, j, 3);
	for (unsigned i = 0; i < 3; i++) {
		must(!j[i].text == !j[i].fields);
		must(!j[i].text || (strlen(j[i].text) < PRINT_TEXT && strlen(j[i].fields) < PRINT_FIELDS));
		free(j[i].text);
		free(j[i].fields);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = memchr(data, '\0', size);
	size_t len = end ? (size_t)(end - data) : size, rest = end ? size - len - 1 : 0;
	char *record = malloc(rest + 1);

	rest = rest < UINT16_MAX ? rest : UINT16_MAX;
	if (end)
		memcpy(record, end + 1, rest);
	format.text = (const char *)data;
	format.len = len;
	print_here(record, rest);
	if (helped && len < FORMAT_BYTES)
		print_there(record, rest);
	take(data, size);
	free(record);
	return 0;
}
