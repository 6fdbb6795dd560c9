/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/consumers/reader_fields.h"

#include <errno.h>

#include "measure/consumers/samplesums.h"
#include "sources/live/reader_state.h"

#define KEYS_ALL   (1u << 20) /* of all readers: each may take 330 bytes of it twice, once it has
			       * come, and 270 of its path */
#define KEYS_MOST  65536u     /* of one: 100 ms of 650 000 samples a second, no key twice */
#define KEYS_LEAST 4096u

unsigned reader_fields_keys(unsigned readers)
{
	unsigned share = KEYS_ALL / (readers ? readers : 1);

	return share > KEYS_MOST ? KEYS_MOST : share < KEYS_LEAST ? KEYS_LEAST : share;
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
		fresh[i] = samplesums_create(f, r->config.room, r->config.field_keys);
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
static void begin_sums(void *of, bool newest_first)
{
	struct reader *r = of;
	unsigned generation = table_entered(r->config.table, r->config.writer);
	struct reader_sums *sums = &r->sums[generation];
	struct fieldsums **last = &sums->row;

	(void)newest_first;
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

static bool sum_sample(void *of, const struct consumer_sample *c)
{
	const struct sample *s = c->s;
	struct reader *r = of;
	const struct tracekey *key = r->event[c->event].key;
	const struct split *split = r->config.split;
	uint16_t task = 0, path = 0;

	if (!key->one)
		task = split_epoch(split, s->pid, s->time, NULL, 0);
	if (key->has_path)
		path = split_epoch(split, s->pid, s->time, c->path->ips, c->path->nr);
	return samplesums_add(r->fields, key, c, task, path);
}

const struct consumer_ops reader_fields_consumer = {.begin = begin_sums, .sample = sum_sample};

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

void reader_fields_tell(struct reader *r, unsigned generation, struct resolver *names,
			struct slice *s)
{
	bool more = reader_fields_filled(r, generation);

	while (more && samplesums_tell(reader_fields_filled(r, generation), names, true, s)) {
		more = reader_fields_taken(r, generation);
		if (s->nfields > SLICE_FIELDS_MOST)
			s->nfields = slice_fields_limit(s->fields, s->nfields, SLICE_FIELDS_MOST);
	}
}

void reader_fields_free(struct reader *r)
{
	for (unsigned i = 0; i < 2; i++) {
		free_row(r->sums[i].row);
		free_row(r->fresh[i]);
	}
}
