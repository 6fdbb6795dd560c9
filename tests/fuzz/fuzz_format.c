/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A tracepoint's format file, and a record read by it: the two divided by the first NUL. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "must.h"
#include "measure/trace/format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_values(const struct trace_format *f, const char *record, size_t len)
{
	for (unsigned i = 0; i < f->nr; i++) {
		const struct trace_field *a = &f->field[i];
		char name[FORMAT_NAME + 8];
		struct trace_value v;
		const char *text;
		size_t bytes;
		uint64_t n;

		must(a->offset + a->size <= UINT16_MAX);
		must(a->element <= a->size);
		snprintf(name, sizeof(name), "%s%s", a->name, a->array && !a->text ? "[0]" : "");
		if (format_value(f, name, &v, NULL))
			continue;
		if (!v.text) {
			must(v.size == 1 || v.size == 2 || v.size == 4 || v.size == 8);
			must(trace_number(&v, record, len, &n) == ((size_t)v.offset + v.size <= len));
			continue;
		}
		text = trace_text(&v, record, len, &bytes);
		must(!text || (text >= record && text + bytes <= record + len));
		must(!text || !memchr(text, '\0', bytes));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = memchr(data, '\0', size);
	size_t len = end ? (size_t)(end - data) : size, rest = end ? size - len - 1 : 0;
	char *record = malloc(rest + 1);
	struct trace_format f;

	if (end)
		memcpy(record, end + 1, rest);
	if (!format_parse((const char *)data, len, &f, NULL))
		read_values(&f, record, rest);
	format_clear(&f);
	free(record);
	return 0;
}
