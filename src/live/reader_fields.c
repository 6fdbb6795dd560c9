/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/reader_fields.h"

#include <errno.h>

#include "live/reader_state.h"

static struct fieldsums *create(const struct reader *r, const struct tracefields *f)
{
	return fieldsums_create(r->config.room, tracefields_words(f), r->config.field_keys, f);
}

static void append(struct fieldsums **row, struct fieldsums *f)
{
	while (*row)
		row = fieldsums_next(*row);
	*row = f;
	*fieldsums_next(f) = NULL;
}

int reader_fields_adopt(struct reader *r)
{
	const struct tracefields *f = r->config.rings->events->fields;
	struct fieldsums *next = NULL, *spare = NULL;

	if (f == r->fields_of)
		return 0;
	if (tracefields_keyed(f)) {
		next = create(r, f);
		spare = create(r, f);
		if (!next || !spare) {
			fieldsums_free(next);
			fieldsums_free(spare);
			return -ENOMEM;
		}
	}
	if (r->fields && fieldsums_at(r->fields, 0))
		append(&r->full, r->fields);
	else
		fieldsums_free(r->fields);
	fieldsums_free(r->spare);
	r->fields = next;
	r->spare = spare;
	r->fields_of = f;
	return 0;
}

void reader_fields_publish(struct reader *r)
{
	if (r->report.fields)
		return;
	r->report.fields = r->full;
	r->full = NULL;
	if (!r->spare)
		return;
	append(&r->report.fields, r->fields);
	r->fields = r->spare;
	r->spare = NULL;
}

void reader_fields_taken(struct reader *r)
{
	struct fieldsums *f = r->report.fields;

	if (!f)
		return;
	r->report.fields = *fieldsums_next(f);
	*fieldsums_next(f) = NULL;
	if (r->spare || fieldsums_of(f) != r->fields_of) {
		fieldsums_free(f);
		return;
	}
	fieldsums_clear(f);
	r->spare = f;
}

static void free_row(struct fieldsums *f)
{
	while (f) {
		struct fieldsums *next = *fieldsums_next(f);

		fieldsums_free(f);
		f = next;
	}
}

void reader_fields_free(struct reader *r)
{
	free_row(r->report.fields);
	free_row(r->full);
	fieldsums_free(r->fields);
	fieldsums_free(r->spare);
}
