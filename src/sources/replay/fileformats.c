/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/replay/fileformats.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fieldrows.h"
#include "base/vec.h"

#define MOST 4096 /* as many as a file may have events */

#define TEXT(nr, member)  {nr, FIELD_TEXT, FIELD_MEMBER(T, member)}

#define T struct trace_field
static const struct field field_rows[] = {
	TEXT(1, name),  TEXT(2, type),    UINT(3, offset),   UINT(4, size),
	UINT(5, element), FLAG(6, is_signed), FLAG(7, array), FLAG(8, text),
	FLAG(9, dynamic), FLAG(10, relative), FLAG(11, pointer),
};
static const struct fields field_table = FIELDS(field_rows, T);
#undef T

#define T struct trace_format
static const struct field layout_rows[] = {
	TEXT(1, name),
	UINT(2, id),
	{3, FIELD_LIST, FIELD_ARRAY(T, field, nr), .table = &field_table, .max = FORMAT_FIELDS},
};
static const struct fields layout_table = FIELDS(layout_rows, T);
#undef T

#define T struct recorded_format
static const struct field format_rows[] = {
	UINT(1, id),
	TEXT(2, system),
	{3, FIELD_STRUCT, FIELD_MEMBER(T, format), .table = &layout_table},
	{4, FIELD_BYTES, FIELD_BLOCK(T, text, len), .max = FORMAT_BYTES},
};
static const struct fields format_table = FIELDS(format_rows, T);
#undef T

#define T struct fileformats
static const struct field formats_rows[] = {
	{1, FIELD_LIST, FIELD_VECTOR(T, at, nr, cap), .table = &format_table, .max = MOST},
	{2, FIELD_BYTES, FIELD_BLOCK(T, list, nlist), .max = PRINTK_BYTES},
};
static const struct fields formats_table = FIELDS(formats_rows, T);
#undef T

/* Trim the list of fields, which was allocated for the most. */
static void trim_fields(struct trace_format *f)
{
	struct trace_field *less = realloc(f->field, f->nr * sizeof(*less));

	f->field = less ? less : f->field;
}

/* Copy and parse printk_formats. 0 or -ENOMEM. */
static int parse_printk(struct fileformats *f, const void *list, size_t len)
{
	len = len < PRINTK_BYTES ? len : PRINTK_BYTES;
	f->list = len ? malloc(len) : NULL;
	if (!f->list)
		return len ? -ENOMEM : 0;
	memcpy(f->list, list, len);
	f->nlist = len;
	return printk_parse(f->list, len, &f->texts);
}

int fileformats_of(const struct perfdata *p, struct fileformats *f)
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
			fields_clear(&format_table, to);
			f->nr--;
		} else {
			trim_fields(&to->format);
		}
		if (err.code == ENOMEM)
			return -ENOMEM;
	}
	return 0;
}

void fileformats_clear(struct fileformats *f)
{
	printk_clear(&f->texts);
	fields_clear(&formats_table, f);
}

const struct recorded_format *fileformats_find(const struct fileformats *f, uint64_t id)
{
	for (size_t i = 0; i < f->nr; i++)
		if (f->at[i].id == id)
			return &f->at[i];
	return NULL;
}

/* --- on the way from a helper ------------------------------------------------------------ */

/* Check the bounds that format_parse() guarantees. */
static bool is_sound_format(const struct recorded_format *f)
{
	for (unsigned i = 0; i < f->format.nr; i++) {
		const struct trace_field *a = &f->format.field[i];

		if (a->offset + a->size > UINT16_MAX || a->element > a->size ||
		    (a->dynamic && a->size != 4))
			return false;
	}
	return f->format.nr && f->text;
}

void fileformats_put(const struct fileformats *f, struct wire_out *out)
{
	fields_put_part(out, &formats_table, f);
}

void fileformats_get(struct fileformats *f, struct wire_in *in)
{
	in->failed |= fields_get_part(in, &formats_table, f, NULL) != 0;
	for (size_t i = 0; i < f->nr; i++)
		in->failed |= !is_sound_format(&f->at[i]);
	in->failed |= printk_parse(f->list, f->nlist, &f->texts) != 0;
	if (in->failed)
		fileformats_clear(f);
}
