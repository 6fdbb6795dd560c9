/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/fieldstacks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "model/fields/fieldpaths.h"

void fieldstacks_text(struct model *m, const struct field_row *r, char *buf, size_t size)
{
	struct fieldpaths_at at = {.path = r->path};
	size_t pos = text_append(buf, size, 0, "%s", r->rest ? "[rest]" : r->text);
	const char *name, *before = "";
	char address[32];

	for (; (name = model_field_frame(m, &at, address)); before = " < ")
		pos = text_append(buf, size, pos, "%s%s", before, name);
}

static const struct field_rows *rows_of(struct model *m)
{
	const struct field_query q = {.by = FIELDS_NEWEST, .sort = SORT_COUNT};
	const struct field_rows *r = model_fields(m, &q, WINDOW_ALL);

	assert_non_null(r);
	return r;
}

/* All rows of one text. */
struct sums {
	char *text;
	unsigned rows;
	uint64_t count, sum;
};

static int compare(const void *a, const void *b)
{
	return strcmp(((const struct sums *)a)->text, ((const struct sums *)b)->text);
}

/* Those of one text become one.  How many are left. */
static size_t fold(struct sums *s, size_t nr)
{
	size_t n = 0;

	if (nr)
		qsort(s, nr, sizeof(*s), compare);
	for (size_t i = 0; i < nr; i++) {
		if (!n || compare(&s[n - 1], &s[i])) {
			s[n++] = s[i];
			continue;
		}
		s[n - 1].rows += s[i].rows;
		s[n - 1].count += s[i].count;
		s[n - 1].sum += s[i].sum;
		free(s[i].text);
	}
	return n;
}

/* Behind the `nr` there are: places without a name may look alike where they are not, others have one row each. */
static size_t collect(struct model *m, struct sums **to, size_t nr)
{
	const struct field_rows *r = rows_of(m);
	struct sums *all = reallocarray(*to, nr + r->nr + 1, sizeof(*all));
	char text[FIELDSTACKS_TEXT];
	size_t n;

	assert_non_null(all);
	for (size_t i = 0; i < r->nr; i++) {
		fieldstacks_text(m, &r->row[i], text, sizeof(text));
		all[nr + i] = (struct sums){strdup(text), 1, r->row[i].count, r->row[i].sum};
		assert_non_null(all[nr + i].text);
	}
	n = fold(all + nr, r->nr);
	for (size_t i = 0; i < n; i++)
		if (all[nr + i].rows > 1 && !strstr(all[nr + i].text, "[0x"))
			fail_msg("%u rows of %s", all[nr + i].rows, all[nr + i].text);
	*to = all;
	return nr + n;
}

static void sums_free(struct sums *s, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		free(s[i].text);
	free(s);
}

void fieldstacks_same(struct model *m, struct model *const *parts, size_t nr)
{
	struct sums *is = NULL, *was = NULL;
	size_t nis = collect(m, &is, 0), nwas = 0;

	assert_true(nis > 0);
	for (size_t p = 0; p < nr; p++)
		nwas = collect(parts[p], &was, nwas);
	nwas = fold(was, nwas);
	for (size_t i = 0; i < nis; i++) {
		const struct sums *of = bsearch(&is[i], was, nwas, sizeof(*was), compare);

		if (!of || of->count != is[i].count || of->sum != is[i].sum)
			fail_msg("%s: %llu where %llu were", is[i].text, (unsigned long long)is[i].count,
				 of ? (unsigned long long)of->count : 0ull);
	}
	assert_int_equal(nis, nwas);
	sums_free(is, nis);
	sums_free(was, nwas);
}
