/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "system/proc/descendants.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/compare.h"
#include "base/search.h"
#include "system/proc/procscan.h"

struct child {
	pid_t parent, pid;
	bool taken;
};

COMPARE_BY_TWO(by_parent, struct child, parent, pid)

/* Return all processes that live, sorted by their parents. */
static struct child *list_all(size_t *nr)
{
	size_t npids;
	pid_t *pids = procscan_pids(&npids);
	struct child *all = npids ? malloc(npids * sizeof(*all)) : NULL;

	*nr = 0;
	for (size_t i = 0; all && i < npids; i++) {
		struct child c = {.pid = pids[i]};

		if (procscan_life(pids[i], false, &c.parent) == PROC_ALIVE)
			all[(*nr)++] = c;
	}
	free(pids);
	if (*nr)
		qsort(all, *nr, sizeof(*all), by_parent);
	return all;
}

/* Each process has one parent, so it is taken once at most, even if /proc changes meanwhile. */
static size_t take_children(struct child *all, size_t nr, pid_t parent, pid_t without, pid_t *found)
{
	size_t i = SEARCH_WHILE(k, 0, nr, all[k].parent < parent), n = 0;

	for (; i < nr && all[i].parent == parent; i++) {
		if (!all[i].taken && all[i].pid != without)
			found[n++] = all[i].pid;
		all[i].taken = true;
	}
	return n;
}

pid_t *descendants_list(const pid_t *roots, size_t nroots, pid_t without, size_t *nr)
{
	size_t nall, n = 0;
	struct child *all = list_all(&nall);
	pid_t *found = nall ? malloc(nall * sizeof(*found)) : NULL;

	if (found) {
		for (size_t i = 0; i < nroots; i++)
			n += take_children(all, nall, roots[i], without, found + n);
		for (size_t i = 0; i < n; i++)
			n += take_children(all, nall, found[i], without, found + n);
	}
	free(all);
	*nr = n;
	if (n)
		return found;
	free(found);
	return NULL;
}
