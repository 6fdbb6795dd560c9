/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/fields.h"

#include <stdlib.h>
#include <string.h>

#include "model/state.h"

const struct slice_fields *model_fields(const struct model *m, bool recent)
{
	return recent ? &m->total.recent : &m->total.fields;
}

void model_fields_mark(struct model *m)
{
	m->total.recent.nr = 0;
	m->log.recent = (struct slice_logging){.lines = 0};
	m->total.latency_recent = (struct slice_latency){0};
}

const struct slice_latency *model_latency(const struct model *m, bool recent)
{
	return recent ? &m->total.latency_recent : &m->total.latency;
}

static int heavier(const void *a, const void *b)
{
	const struct slice_field *x = *(const struct slice_field *const *)a, *y = *(const struct slice_field *const *)b;

	if (x->rest != y->rest)
		return x->rest ? 1 : -1;
	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return strcmp(x->key, y->key);
}

size_t fields_of(const struct slice_fields *f, unsigned event, const struct slice_field **all)
{
	size_t nr = 0;

	for (size_t i = 0; i < f->nr; i++)
		if (f->fields[i].event == event)
			all[nr++] = &f->fields[i];
	if (nr)
		qsort(all, nr, sizeof(*all), heavier);
	return nr;
}

const char *fields_value(const struct slice_field *f, unsigned i, size_t *len)
{
	const char *at = f->key;

	for (; i; i--) {
		at = strchr(at, '\t');
		if (!at)
			return NULL;
		at++;
	}
	*len = strcspn(at, "\t");
	return at;
}
