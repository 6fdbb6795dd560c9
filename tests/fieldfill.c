/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/fieldfill.h"

#include <stdlib.h>
#include <string.h>

#include "base/buildid.h"

static uint64_t draw(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

static uint64_t number_at(const char *at, size_t size)
{
	uint64_t n = 0;

	memcpy(&n, at, size); /* little endian: the tests' machines */
	return n;
}

static void *pointer_at(const char *at)
{
	void *p;

	memcpy(&p, at, sizeof(p));
	return p;
}

/* Of any size, small ones and the extremes too. */
static uint64_t number(const struct field *f, uint64_t *seed)
{
	uint64_t widest = UINT64_MAX >> (64 - 8 * f->size), n = draw(seed);

	n = n % 7 ? n >> draw(seed) % 64 : widest;
	return f->max ? n % (f->max + 1) : n & widest;
}

/* Of any bytes; printable ones where it comes out escaped. */
static char *text(uint64_t *seed, size_t most, bool plain)
{
	size_t len = draw(seed) % most;
	char *t = calloc(1, most + 1);

	for (size_t i = 0; t && i < len; i++)
		t[i] = (char)(plain ? 'a' + draw(seed) % 26 : 1 + draw(seed) % 255);
	return t;
}

static void fill_elements(const struct field *f, char *to, bool columns, uint64_t *seed);

static void fill(const struct field *f, char *to, bool column, uint64_t *seed)
{
	char *at = to + f->at, *made = NULL;
	struct build_id id = {.len = 0};
	float part = (float)(draw(seed) % 1000) / 1000;
	size_t len;

	switch (f->as) {
	case FIELD_UINT:
	case FIELD_SINT:
	case FIELD_DELTA:
		for (size_t i = 0; i < f->count; i++) {
			uint64_t n = number(f, seed);

			memcpy(at + i * f->size, &n, f->size);
		}
		break;
	case FIELD_FLOAT:
		memcpy(at, &part, sizeof(part));
		break;
	case FIELD_TEXT:
		made = text(seed, f->size, f->shown);
		memcpy(at, made, f->size);
		free(made);
		break;
	case FIELD_STRING:
		made = column || draw(seed) % 3 ? text(seed, 40, f->shown) : NULL;
		memcpy(at, &made, sizeof(made));
		len = made ? strlen(made) : 0;
		if (f->nr_size)
			memcpy(to + f->nr_at, &len, f->nr_size);
		break;
	case FIELD_BUILD_ID:
		id.len = draw(seed) % 2 ? 20 : 0;
		memset(id.bytes, (int)draw(seed), id.len);
		memcpy(at, &id, sizeof(id));
		break;
	case FIELD_CHOICE:
		memcpy(at, (const void *)&f->choices[draw(seed) % 2], sizeof(f->choices[0]));
		break;
	case FIELD_STRUCT:
		for (size_t i = 0; i < f->count; i++)
			fieldfill(f->table, at + i * f->size, seed);
		break;
	case FIELD_POINTER:
		made = calloc(1, f->table->size);
		memcpy(at, &made, sizeof(made));
		fieldfill(f->table, made, seed);
		break;
	case FIELD_LIST:
	case FIELD_COLUMNS:
		fill_elements(f, to, f->as == FIELD_COLUMNS, seed);
		break;
	case FIELD_BYTES:
		made = text(seed, 300, false);
		len = strlen(made);
		memcpy(at, &made, sizeof(made));
		memcpy(to + f->nr_at, &len, f->nr_size);
		break;
	}
}

static void fill_elements(const struct field *f, char *to, bool columns, uint64_t *seed)
{
	size_t nr = draw(seed) % 5;
	char *array = calloc(nr + 1, f->table->size);

	for (size_t i = 0; i < nr; i++)
		for (unsigned k = 0; k < f->table->nr; k++)
			fill(&f->table->field[k], array + i * f->table->size, columns, seed);
	memcpy(to + f->at, &array, sizeof(array));
	memcpy(to + f->nr_at, &nr, f->nr_size);
	if (f->cap_at)
		memcpy(to + f->cap_at, &nr, sizeof(nr));
}

void fieldfill(const struct fields *t, void *to, uint64_t *seed)
{
	for (unsigned i = 0; i < t->nr; i++)
		fill(&t->field[i], to, false, seed);
}

/* --- changing ----------------------------------------------------------------------------- */

static void change_number(const struct field *f, char *at, const char *other, uint64_t *seed)
{
	uint64_t n = draw(seed) % 3 ? draw(seed) % 4 : number(f, seed);

	if (draw(seed) % 2)
		memcpy(&n, other, f->size);
	if (f->max && n > f->max)
		n = f->max;
	memcpy(at, &n, f->size);
}

/* `other` is a struct of the same table. */
static void change(const struct fields *t, char *of, const char *other, uint64_t *seed)
{
	const struct field *f = &t->field[draw(seed) % t->nr];
	size_t nr = f->nr_size ? number_at(of + f->nr_at, f->nr_size) : f->count, i = nr ? draw(seed) % nr : 0;
	char *at = of + f->at, *array = f->as >= FIELD_POINTER && nr ? pointer_at(at) : NULL;

	if (f->as == FIELD_UINT || f->as == FIELD_SINT || f->as == FIELD_DELTA)
		change_number(f, at + i * f->size, other + f->at, seed);
	else if (f->as == FIELD_STRUCT)
		change(f->table, at + i * f->size, at + i * f->size, seed);
	else if (f->as == FIELD_POINTER && array)
		change(f->table, array, array, seed);
	else if ((f->as == FIELD_LIST || f->as == FIELD_COLUMNS) && nr)
		change(f->table, array + i * f->table->size, array + draw(seed) % nr * f->table->size, seed);
	else if (f->as == FIELD_BYTES && nr)
		array[i] = (char)draw(seed);
}

void fieldfill_change(const struct fields *t, void *of, uint64_t *seed)
{
	change(t, of, of, seed);
}

/* --- comparing ---------------------------------------------------------------------------- */

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool same_structs(const struct fields *t, const char *a, const char *b, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (fieldfill_differ(t, a + i * t->size, b + i * t->size))
			return false;
	return true;
}

static bool same(const struct field *f, const char *a, const char *b)
{
	size_t nr = f->nr_size ? number_at(a + f->nr_at, f->nr_size) : f->count;

	if (f->nr_size && nr != number_at(b + f->nr_at, f->nr_size))
		return false;
	a += f->at;
	b += f->at;
	if (f->as == FIELD_STRUCT)
		return same_structs(f->table, a, b, nr);
	if (f->as == FIELD_STRING || f->as == FIELD_CHOICE)
		return same_text(pointer_at(a), pointer_at(b));
	if (f->as == FIELD_BYTES)
		return !nr || !memcmp(pointer_at(a), pointer_at(b), nr);
	if (f->as == FIELD_POINTER)
		return !pointer_at(a) == !pointer_at(b) &&
		       same_structs(f->table, pointer_at(a), pointer_at(b), pointer_at(a) ? 1 : 0);
	if (f->as == FIELD_LIST || f->as == FIELD_COLUMNS)
		return same_structs(f->table, pointer_at(a), pointer_at(b), nr);
	return !memcmp(a, b, f->as == FIELD_TEXT ? strlen(a) + 1 : f->size * f->count);
}

unsigned fieldfill_differ(const struct fields *t, const void *a, const void *b)
{
	for (unsigned i = 0; i < t->nr; i++)
		if (!same(&t->field[i], a, b))
			return t->field[i].nr;
	return 0;
}
