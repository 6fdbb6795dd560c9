/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/replay/formats.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "measure/trace/formatwire.h"

/* Trim the list of fields, which was allocated for the most. */
static void trim_fields(struct trace_format *f)
{
	struct trace_field *less = realloc(f->field, f->nr * sizeof(*less));

	f->field = less ? less : f->field;
}

static void clear_format(struct recorded_format *f)
{
	format_clear(&f->format);
	free(f->text);
}

/* Copy and parse printk_formats. 0 or -ENOMEM. */
static int parse_printk(struct formats *f, const void *list, size_t len)
{
	len = len < PRINTK_BYTES ? len : PRINTK_BYTES;
	f->list = len ? malloc(len) : NULL;
	if (!f->list)
		return len ? -ENOMEM : 0;
	memcpy(f->list, list, len);
	f->nlist = len;
	return printk_parse(f->list, len, &f->texts);
}

int formats_of(const struct perfdata *p, struct formats *f)
{
	size_t len;
	const char *list = perfdata_printk(p, &len);

	if (parse_printk(f, list, len))
		return -ENOMEM;
	for (size_t i = 0; i < perfdata_formats(p); i++) {
		const struct perfdata_format *from = perfdata_format(p, i);
		struct recorded_format *to = VEC_ADD(f->at, f->nr, f->cap);
		struct err err = {.code = 0};

		if (!to)
			return -ENOMEM;
		*to = (struct recorded_format){.id = from->id};
		snprintf(to->system, sizeof(to->system), "%s", from->system);
		to->text = malloc(from->len + 1);
		if (!to->text)
			return -ENOMEM;
		memcpy(to->text, from->text, from->len);
		to->text[from->len] = '\0';
		to->len = from->len;
		if (format_parse(from->text, from->len, &to->format, &err)) {
			clear_format(to);
			f->nr--;
		} else {
			trim_fields(&to->format);
		}
		if (err.code == ENOMEM)
			return -ENOMEM;
	}
	return 0;
}

void formats_clear(struct formats *f)
{
	for (size_t i = 0; i < f->nr; i++)
		clear_format(&f->at[i]);
	free(f->at);
	free(f->list);
	printk_clear(&f->texts);
	*f = (struct formats){.nr = 0};
}

const struct recorded_format *formats_find(const struct formats *f, uint64_t id)
{
	for (size_t i = 0; i < f->nr; i++)
		if (f->at[i].id == id)
			return &f->at[i];
	return NULL;
}

void formats_put(const struct formats *f, struct wire_out *out)
{
	wire_put(out, f->nr, 8);
	for (size_t i = 0; i < f->nr; i++) {
		wire_put(out, f->at[i].id, 8);
		wire_put_text(out, f->at[i].system);
		formatwire_put(&f->at[i].format, out);
		wire_put(out, f->at[i].len, 8);
		wire_put_bytes(out, f->at[i].text, f->at[i].len);
	}
	wire_put(out, f->nlist, 8);
	wire_put_bytes(out, f->list, f->nlist);
}

static void get_format_text(struct recorded_format *to, struct wire_in *in)
{
	size_t len = wire_get_count(in, 1);
	const void *text = wire_get_bytes(in, len);

	in->failed |= len > FORMAT_BYTES;
	to->text = in->failed ? NULL : malloc(len + 1);
	in->failed |= !to->text;
	if (in->failed)
		return;
	memcpy(to->text, text, len);
	to->text[len] = '\0';
	to->len = len;
}

void formats_get(struct formats *f, struct wire_in *in)
{
	size_t nr = wire_get_count(in, 8), len;
	const void *list;

	for (size_t i = 0; i < nr && !in->failed; i++) {
		struct recorded_format *to = VEC_ADD(f->at, f->nr, f->cap);

		if (!to) {
			in->failed = true;
			return;
		}
		*to = (struct recorded_format){.id = wire_get(in, 8)};
		strcpy(to->system, wire_get_text(in, sizeof(to->system)));
		formatwire_get(&to->format, in);
		get_format_text(to, in);
	}
	len = wire_get_count(in, 1);
	list = wire_get_bytes(in, len);
	if (!in->failed && parse_printk(f, list, len))
		in->failed = true;
}
