/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/worddistance.h"

#include <limits.h>
#include <stddef.h>
#include <string.h>

#define WORD_MAX 127u

unsigned worddistance(const char *a, const char *b)
{
	unsigned row[WORD_MAX + 1];
	size_t nb = strnlen(b, WORD_MAX + 1);

	if (nb > WORD_MAX)
		return UINT_MAX;
	for (size_t j = 0; j <= nb; j++)
		row[j] = (unsigned)j;
	for (size_t i = 0; a[i]; i++) {
		unsigned diagonal = row[0];

		row[0] = (unsigned)i + 1;
		for (size_t j = 1; j <= nb; j++) {
			unsigned up = row[j], best = diagonal + (a[i] != b[j - 1]);

			if (up + 1 < best)
				best = up + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			diagonal = up;
			row[j] = best;
		}
	}
	return row[nb];
}
