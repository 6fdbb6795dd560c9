/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rowwords - a row in words: of a filter, and of the crumbs where one has zoomed to.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_UI_PARTS_ROWWORDS_H
#define RINGTOP_UI_PARTS_ROWWORDS_H

#include <stddef.h>

#include "model/core/model.h"

struct app;

/*
 * At filter+pos, words of a filter that only this row passes: a name has spaces and what else a regular expression minds.
 * Returns the new pos, as text_append.
 */
size_t rowwords_filter(enum group_by group, const struct row *r, char *filter, size_t size, size_t pos);

/* "java 4242" */
void rowwords_crumb(const struct app *a, enum group_by group, const struct row *r, char *buf, size_t size);

/* The file of a row, by as much of its path as tells it from those of rows in sight that are called the same. */
const char *rowwords_object(const struct app *a, const struct row *r);

#endif
