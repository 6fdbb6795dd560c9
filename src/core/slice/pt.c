/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/slice/pt.h"

#include <stdlib.h>

const char *const pt_lost_names[PT_LOST_NR] = {
	[PT_LOST_HEAD] = "head", [PT_LOST_OVERFLOW] = "overflow", [PT_LOST_CODE] = "code",
	[PT_LOST_ERROR] = "error", [PT_LOST_LIMIT] = "limit",
};

const char *const pt_lost_texts[PT_LOST_NR] = {
	[PT_LOST_HEAD] = "before the first sync", [PT_LOST_OVERFLOW] = "overflow in the CPU",
	[PT_LOST_CODE] = "unknown code", [PT_LOST_ERROR] = "cannot be decoded",
	[PT_LOST_LIMIT] = "not looked at",
};

void slice_pt_clear(struct slice_pt *pt)
{
	for (size_t i = 0; i < pt->nrows; i++) {
		free(pt->rows[i].function);
		free(pt->rows[i].object);
		free(pt->rows[i].comm);
	}
	for (size_t i = 0; i < pt->nstretches; i++)
		free(pt->stretches[i].why);
	free(pt->rows);
	free(pt->stretches);
	free(pt->error);
}

void slice_pt_free(struct slice_pt *pt)
{
	if (pt)
		slice_pt_clear(pt);
	free(pt);
}
