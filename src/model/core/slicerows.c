/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/core/slicerows.h"

#include <stdlib.h>
#include <string.h>

#include "base/radix.h"

#define FEW 256u /* fewer rows are near each other anyway */

void slicerows_sort(const struct dict *d, struct slice_row *rows, size_t nr)
{
	struct radix_item *items = nr < FEW ? NULL : reallocarray(NULL, nr, 2 * sizeof(*items)),
			  *sorted;
	struct slice_row *was = items ? reallocarray(NULL, nr, sizeof(*was)) : NULL;

	for (size_t i = 0; was && i < nr; i++)
		items[i] = (struct radix_item){d->paths[rows[i].path].function, (uint32_t)i};
	if (was) {
		sorted = radix_sort(items, items + nr, nr);
		memcpy(was, rows, nr * sizeof(*rows));
		for (size_t i = 0; i < nr; i++)
			rows[i] = was[sorted[i].value];
	}
	free(was);
	free(items);
}
