/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "link/agent/wireorder.h"

#include <stdlib.h>

/* Rows of one thread stand together, by path: the differences in their columns are small then. */
static int compare_rows_by_task_and_path(const void *a, const void *b)
{
	const struct slice_row *x = a, *y = b;

	if (x->task != y->task)
		return x->task < y->task ? -1 : 1;
	if (x->path != y->path)
		return x->path < y->path ? -1 : 1;
	return x->event != y->event ? x->event - y->event : x->cpu - y->cpu;
}

/*
 * Neighbours in columns have near addresses; inlined frames must still come before the frames that
 * they are inlined in.
 */
static int frame_compare(const void *a, const void *b)
{
	const struct dict_frame *x = a, *y = b;

	if (x->level != y->level)
		return x->level > y->level ? -1 : 1;
	if (x->object != y->object)
		return x->object < y->object ? -1 : 1;
	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	/* a frame that is there twice: the version with a file counts */
	return x->file < y->file ? -1 : x->file > y->file;
}

void wireorder_columns(struct slice *s)
{
	if (s->nrows)
		qsort(s->rows, s->nrows, sizeof(*s->rows), compare_rows_by_task_and_path);
	if (s->dict.nr[DICT_FRAME])
		qsort(s->dict.frames, s->dict.nr[DICT_FRAME], sizeof(*s->dict.frames),
		      frame_compare);
}
