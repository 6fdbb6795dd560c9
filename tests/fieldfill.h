/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fieldfill - structs that have a table (base/fieldtable.h) made up from a seed, and compared member by member. */
#ifndef RINGTOP_TESTS_FIELDFILL_H
#define RINGTOP_TESTS_FIELDFILL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/fieldtable.h"

/* Into a zeroed struct; fields_clear frees it. */
void fieldfill(const struct fields *t, void *to, uint64_t *seed);

/* One member of it, or of what hangs on it, becomes something else: another row's, a small number, or any. */
void fieldfill_change(const struct fields *t, void *of, uint64_t *seed);

/* The number of the first field that is not the same, 0: all are. */
unsigned fieldfill_differ(const struct fields *t, const void *a, const void *b);

#endif
