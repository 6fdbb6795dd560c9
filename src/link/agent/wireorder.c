/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "link/agent/wireorder.h"

#include <stdlib.h>

#include "base/compare.h"

/* Rows of one thread stand together, by path: the differences in their columns are small then. */
static int compare_rows_by_task_and_path(const void *a, const void *b)
{
	const struct slice_row *x = a, *y = b;

	return COMPARE(x->task, y->task) ?: COMPARE(x->path, y->path) ?:
	       COMPARE(x->event, y->event) ?: COMPARE(x->cpu, y->cpu);
}

/*
 * Neighbours in columns have near addresses; inlined frames must still come before the frames that
 * they are inlined in.
 */
static int frame_compare(const void *a, const void *b)
{
	const struct dict_frame *x = a, *y = b;

	/* A frame may be there twice: its version with a file comes last, and counts. */
	return COMPARE(y->level, x->level) ?: COMPARE(x->object, y->object) ?:
	       COMPARE(x->addr, y->addr) ?: COMPARE(x->file, y->file);
}

void wireorder_columns(struct slice *s)
{
	if (s->nrows)
		qsort(s->rows, s->nrows, sizeof(*s->rows), compare_rows_by_task_and_path);
	if (s->dict.nr[DICT_FRAME])
		qsort(s->dict.frames, s->dict.nr[DICT_FRAME], sizeof(*s->dict.frames),
		      frame_compare);
}
