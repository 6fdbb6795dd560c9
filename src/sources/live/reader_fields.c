/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/live/reader_fields.h"

#include <errno.h>

#include "sources/live/reader_state.h"

static struct fieldsums *create_sums(const struct reader *r, const struct tracefields *f)
{
	struct fieldsums *sums =
		fieldsums_create(r->config.room, tracefields_words(f), r->config.field_keys, f);

	if (!sums || !tracefields_by_path(f) || fieldsums_keep_paths(sums))
		return sums;
	fieldsums_free(sums);
	return NULL;
}

static void free_row(struct fieldsums *f)
{
	while (f) {
		struct fieldsums *next = *fieldsums_next(f);

		fieldsums_free(f);
		f = next;
	}
}

int reader_fields_adopt(struct reader *r)
{
	const struct tracefields *f = r->config.rings->events->fields;
	struct fieldsums *fresh[2] = {NULL, NULL};

	if (f == r->fields_of)
		return 0;
	for (unsigned i = 0; i < 2 && tracefields_keyed(f); i++) {
		fresh[i] = create_sums(r, f);
		if (!fresh[i]) {
			free_row(fresh[0]);
			return -ENOMEM;
		}
	}
	for (unsigned i = 0; i < 2; i++) {
		free_row(r->fresh[i]); /* of a list by which no sample came */
		r->fresh[i] = fresh[i];
	}
	r->fields_of = f;
	return 0;
}

/* A list without fields brings no sums; its last table then does not matter. */
void reader_fields_begin(struct reader *r)
{
	unsigned generation = table_entered(r->config.table, r->config.writer);
	struct reader_sums *sums = &r->sums[generation];
	struct fieldsums **last = &sums->row;

	while (*last && *fieldsums_next(*last))
		last = fieldsums_next(*last);
	if (sums->of != r->fields_of) {
		last = *last ? fieldsums_next(*last) : last;
		*last = r->fresh[generation];
		r->fresh[generation] = NULL;
		sums->of = r->fields_of;
	}
	r->fields = *last;
}

struct fieldsums *reader_fields_filled(struct reader *r, unsigned generation)
{
	return r->sums[generation].row;
}

bool reader_fields_taken(struct reader *r, unsigned generation)
{
	struct reader_sums *sums = &r->sums[generation];
	struct fieldsums *f = sums->row, *next = *fieldsums_next(f);

	if (!next && fieldsums_of(f) == sums->of) {
		fieldsums_clear(f);
		return false;
	}
	sums->row = next;
	fieldsums_free(f);
	return next;
}

void reader_fields_free(struct reader *r)
{
	for (unsigned i = 0; i < 2; i++) {
		free_row(r->sums[i].row);
		free_row(r->fresh[i]);
	}
}
