/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/slice/logged.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"

void slice_logged_clear(struct slice_logged *l)
{
	free(l->text);
	free(l->fields);
	l->text = l->fields = NULL;
}

COMPARE_BY(compare_logged_times, struct slice_logged, time)

void slice_logged_sort(struct slice_logged *l, size_t nr)
{
	if (nr)
		qsort(l, nr, sizeof(*l), compare_logged_times);
}

void slice_logged_trim(struct slice_logged *l, size_t *nr, size_t most,
		       struct slice_logging *counts)
{
	size_t gone = *nr > most ? *nr - most : 0;

	for (size_t i = 0; i < gone; i++) {
		counts->late -= l[i].late;
		slice_logged_clear(&l[i]);
	}
	counts->lines -= gone;
	counts->unshown += gone;
	if (gone && most)
		memmove(l, l + gone, most * sizeof(*l));
	*nr -= gone;
}

void slice_logged_fit(struct slice_logged *l, size_t *nr, size_t bytes,
		      struct slice_logging *counts)
{
	size_t most = 0;

	for (; most < *nr; most++) {
		const struct slice_logged *of = &l[*nr - 1 - most];
		size_t size = sizeof(*of) + strlen(of->text) + strlen(of->fields);

		if (size > bytes)
			break;
		bytes -= size;
	}
	slice_logged_trim(l, nr, most, counts);
}

void slice_logging_add(struct slice_logging *to, const struct slice_logging *from)
{
	to->lines += from->lines;
	to->unshown += from->unshown;
	to->unprinted += from->unprinted;
	to->late += from->late;
}

static bool is_decimal(const char *s, size_t len)
{
	size_t sign = len && *s == '-';

	if (len == sign || len > 20 + sign || (len > sign + 1 && s[sign] == '0'))
		return false;
	for (size_t i = sign; i < len; i++)
		if (s[i] < '0' || s[i] > '9')
			return false;
	return true;
}

bool slice_logged_next(const char **at, struct slice_logged_field *f)
{
	const char *tab = *at ? strchr(*at, '\t') : NULL, *end = tab ? strchr(tab, '\n') : NULL;

	if (!end || end < tab + 2)
		return false;
	*f = (struct slice_logged_field){.name = *at,
					 .name_len = (size_t)(tab - *at),
					 .value = tab + 2,
					 .value_len = (size_t)(end - tab - 2)};
	/* The text may come from another host: it is not trusted. */
	f->number = tab[1] == 'n' && is_decimal(f->value, f->value_len);
	*at = end + 1;
	return true;
}
