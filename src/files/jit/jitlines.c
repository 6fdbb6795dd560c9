/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/jit/jitlines.h"

#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "base/compare.h"
#include "base/search.h"
#include "files/jit/jitdump_sandbox.h"

void jitlines_add(struct jitlines *l, const struct jitlines_ask *ask)
{
	if (l->nr < JITLINES_MAX &&
	    budget_reserve(NULL, BUDGET_JIT, &l->ask, &l->cap, l->nr + 1, sizeof(*l->ask)))
		l->ask[l->nr++] = *ask;
}

bool jitlines_take(struct jitlines *from, struct jitlines *to)
{
	size_t nr = from->nr < JITLINES_BATCH ? from->nr : JITLINES_BATCH;

	if (!nr || !budget_reserve(NULL, BUDGET_JIT, &to->ask, &to->cap, nr, sizeof(*to->ask)))
		return false;
	from->nr -= nr;
	memcpy(to->ask, from->ask + from->nr, nr * sizeof(*to->ask));
	to->nr = nr;
	return true;
}

COMPARE_BY_TWO(ask_compare, struct jitlines_ask, dump, record)

/* Store the line of a request: the last one at or before its offset. */
static void resolve_line(struct jitlines *l, struct jitlines_ask *a,
			 const struct jitdump_lines *lines)
{
	size_t at = SEARCH_WHILE(i, 0, lines->nr, lines->line[i].offset <= a->offset), len;
	const char *file;

	a->done = true;
	if (!at || !lines->line[at - 1].line)
		return;
	file = lines->names + lines->line[at - 1].file;
	len = strlen(file) + 1;
	if (!budget_reserve(NULL, BUDGET_JIT, &l->names, &l->cap_names, l->nnames + len, 1))
		return;
	memcpy(l->names + l->nnames, file, len);
	a->file = l->nnames;
	a->line = lines->line[at - 1].line;
	l->nnames += len;
}

void jitlines_read(struct jitlines *l, uint8_t dump, const struct jitdump_file *f,
		   const struct jitdump_place *place)
{
	qsort(l->ask, l->nr, sizeof(*l->ask), ask_compare);
	for (size_t i = 0; i < l->nr && l->bytes < JITLINES_BYTES;) {
		struct jitlines_ask *first = &l->ask[i];
		struct jitdump_lines lines = {0};
		int ret;

		if (first->dump != dump) {
			i++;
			continue;
		}
		/*
		 * An unreadable record leaves its frames without lines, and is not tried again. If
		 * the helper is lost, so are the others.
		 */
		ret = jitdump_load_lines(f, place, first->record, first->size, &lines);
		if (sandbox_lost(ret))
			return;
		if (ret)
			lines.nr = 0;
		l->bytes += lines.nr * sizeof(*lines.line) + lines.nnames;
		for (; i < l->nr && !ask_compare(first, &l->ask[i]); i++)
			resolve_line(l, &l->ask[i], &lines);
		jitdump_lines_clear(&lines);
	}
}

void jitlines_clear(struct jitlines *l)
{
	budget_free(l->ask);
	budget_free(l->names);
	*l = (struct jitlines){0};
}
