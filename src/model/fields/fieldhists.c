/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/fields/fieldhists.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/core/state.h"

struct hists {
	const struct model *m;
	uint64_t (*hist)[SLICE_FIELD_BINS];
	uint32_t *place; /* by key: 1 + its index in hist; 0: none */
};

/* Add a key's bins to the histogram of the key that represents it. */
static void add_hist(const struct hists *h, const struct fieldsum_row *row)
{
	uint32_t place = h->place[fieldpaths_key(&h->m->fieldpaths, row->key)];

	for (unsigned i = 0; place && i < SLICE_FIELD_BINS; i++)
		h->hist[place - 1][i] += row->hist[i];
}

static void whole_hists(const struct hists *h, const struct field_row *rows, size_t nr)
{
	const struct fieldkeys *k = &h->m->fieldkeys;
	struct fieldsum_row sum;

	for (size_t i = 0; i < nr && !k->npaths; i++) {
		fieldkeys_sum(k, rows[i].key, &sum);
		add_hist(h, &sum);
	}
	for (uint32_t i = 1; i < k->nr && k->npaths; i++) {
		fieldkeys_sum(k, i, &sum);
		add_hist(h, &sum);
	}
}

int model_field_hists(const struct model *m, struct window w, const struct field_row *rows,
		      size_t nr, uint64_t (*hist)[SLICE_FIELD_BINS])
{
	const struct hists h = {m, hist, calloc(m->fieldkeys.nr + 1, sizeof(*h.place))};
	struct fieldsum_row row;
	size_t from = 0, to = 0;

	if (!h.place)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		memset(hist[i], 0, sizeof(hist[i]));
		h.place[rows[i].key] = (uint32_t)i + 1;
	}
	if (window_is_all(w))
		whole_hists(&h, rows, nr);
	else
		history_range(&m->history, w, &from, &to);
	for (; from < to; from++) {
		struct fieldpack_at at = {.nr = 0};

		while (fieldpack_next(&history_at(&m->history, from)->fields, &at, &row, true))
			add_hist(&h, &row);
	}
	free(h.place);
	return 0;
}
