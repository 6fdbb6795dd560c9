/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/session/session_backfill.h"

#include <stdlib.h>

void session_backfill_clear(struct session_backfill *p)
{
	for (size_t i = 0; i < p->nr; i++)
		slice_free(p->slices[i]);
	free(p->slices);
	free(p->marks);
	*p = (struct session_backfill){.nr = 0};
}
