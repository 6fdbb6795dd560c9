/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rowwords - a row as words of a filter, and as a short name for the zoom's levels.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_UI_PARTS_ROWWORDS_H
#define RINGTOP_UI_PARTS_ROWWORDS_H

#include <stddef.h>

#include "model/core/model.h"

struct app;

/*
 * Write words of a filter that only this row passes to filter+pos; names are quoted for regular
 * expressions.  Returns the new pos, like text_append().
 */
size_t rowwords_filter(enum group_by group, const struct row *r, char *filter, size_t size,
		       size_t pos);

/* Write the row's short name: "java 4242". */
void rowwords_crumb(const struct app *a, enum group_by group, const struct row *r, char *buf,
		    size_t size);

/*
 * Return the row's file, by as much of its path as distinguishes it from rows of that name in
 * sight.
 */
const char *rowwords_object(const struct app *a, const struct row *r);

#endif
