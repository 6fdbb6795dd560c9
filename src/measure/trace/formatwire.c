/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/trace/formatwire.h"

#include <stdlib.h>

/* Pack a field's bools. */
static uint64_t flags_of(const struct trace_field *a)
{
	return a->is_signed | a->array << 1 | a->text << 2 | a->dynamic << 3 | a->relative << 4 |
	       a->pointer << 5;
}

void formatwire_put(const struct trace_format *f, struct wire_out *out)
{
	wire_put_text(out, f->name);
	wire_put(out, f->id, 4);
	wire_put(out, f->nr, 8);
	for (unsigned i = 0; i < f->nr; i++) {
		const struct trace_field *a = &f->field[i];

		wire_put_text(out, a->name);
		wire_put_text(out, a->type);
		wire_put(out, a->offset, 2);
		wire_put(out, a->size, 2);
		wire_put(out, a->element, 2);
		wire_put(out, flags_of(a), 1);
	}
}

/* Decode a field; checks the bounds that format_parse() guarantees. */
static void get_field(struct trace_field *a, struct wire_in *in)
{
	unsigned flags;

	strcpy(a->name, wire_get_text(in, sizeof(a->name)));
	strcpy(a->type, wire_get_text(in, sizeof(a->type)));
	a->offset = (uint16_t)wire_get(in, 2);
	a->size = (uint16_t)wire_get(in, 2);
	a->element = (uint16_t)wire_get(in, 2);
	flags = (unsigned)wire_get(in, 1);
	a->is_signed = flags & 1;
	a->array = flags & 2;
	a->text = flags & 4;
	a->dynamic = flags & 8;
	a->relative = flags & 16;
	a->pointer = flags & 32;
	in->failed |= a->offset + a->size > UINT16_MAX || a->element > a->size ||
		      (a->dynamic && a->size != 4);
}

void formatwire_get(struct trace_format *f, struct wire_in *in)
{
	size_t nr;

	*f = (struct trace_format){.nr = 0};
	strcpy(f->name, wire_get_text(in, sizeof(f->name)));
	f->id = (uint32_t)wire_get(in, 4);
	nr = wire_get_count(in, 9);
	in->failed |= nr > FORMAT_FIELDS;
	f->field = in->failed ? NULL : calloc(nr + 1, sizeof(*f->field));
	if (!f->field) {
		in->failed = true;
		return;
	}
	for (f->nr = 0; f->nr < nr && !in->failed; f->nr++)
		get_field(&f->field[f->nr], in);
}
