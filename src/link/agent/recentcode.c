/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "link/agent/recentcode.h"

#include <string.h>

bool recentcode_add(struct recentcode *w, const struct code_place *place)
{
	unsigned i = 0;

	while (i < w->nr &&
	       !(code_place_same(&w->place[i], place) && w->place[i].addr == place->addr))
		i++;
	if (i == w->nr && w->nr == RECENTCODE_MAX)
		i = 0;
	if (i < w->nr) {
		code_place_clear(&w->place[i]);
		memmove(w->place + i, w->place + i + 1, (--w->nr - i) * sizeof(*w->place));
	}
	if (!code_place_copy(&w->place[w->nr], place))
		return false;
	w->nr++;
	return true;
}

void recentcode_clear(struct recentcode *w)
{
	while (w->nr)
		code_place_clear(&w->place[--w->nr]);
}

bool recentcode_has(const struct recentcode *w, const struct code_place *object, uint64_t size)
{
	struct code_place p = *object;

	for (unsigned i = 0; i < w->nr; i++) {
		uint64_t at = w->place[i].addr;

		/* generated code of any process: an object has no pid */
		p.pid = w->place[i].pid;
		if ((at == p.addr || at - p.addr < size) && code_place_same(&p, &w->place[i]))
			return true;
	}
	return false;
}
