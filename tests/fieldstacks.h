/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fieldstacks - sums by fields and call path in a model, for tests to compare.
 *
 * Threads: the model's owner.
 */
#ifndef RINGTOP_TESTS_FIELDSTACKS_H
#define RINGTOP_TESTS_FIELDSTACKS_H

#include <stddef.h>

#include "model/fields/fieldquery.h"

#define FIELDSTACKS_TEXT 8192

/* A row's key: its values, and behind them its call path's functions, leaf first, " < " between them. */
void fieldstacks_text(struct model *m, const struct field_row *r, char *buf, size_t size);

/* The first event's rows of the whole run are the same in all of `parts`, added up, as in `m`: fails else. */
void fieldstacks_same(struct model *m, struct model *const *parts, size_t nr);

#endif
