/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A cgroup is known by its path and hierarchy.  It is dropped when its file is gone: one that is
 * made anew has new samples.
 */
#include "sources/consumers/throttling.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "sources/live/readers.h"
#include "system/proc/cpustat.h"

struct recentcode {
	char cgroup[SLICE_THROTTLE_PATH];
	bool v1;
	struct cpustat last;
};

struct throttling {
	struct cpustat_mount mounts[CPUSTAT_VERSIONS];
	struct recentcode *watched;
	unsigned nr;
	bool counted; /* events have counted since the last look */
	bool more, more_said; /* there are more cgroups than are looked at */
};

struct throttling *throttling_create(void)
{
	struct throttling *t = calloc(1, sizeof(*t));

	if (!t || !(t->watched = calloc(THROTTLING_CGROUPS, sizeof(*t->watched)))) {
		free(t);
		return NULL;
	}
	cpustat_find(t->mounts);
	return t;
}

void throttling_free(struct throttling *t)
{
	if (t)
		free(t->watched);
	free(t);
}

static bool is_watched_cgroup(const struct throttling *t, const char *cgroup, bool v1)
{
	for (unsigned i = 0; i < t->nr; i++)
		if (t->watched[i].v1 == v1 && !strcmp(t->watched[i].cgroup, cgroup))
			return true;
	return false;
}

static int read_cgroup_stat(const struct throttling *t, const struct recentcode *w,
			    struct cpustat *now)
{
	char path[CPUSTAT_PATH + SLICE_THROTTLE_PATH];

	if (!cpustat_path(&t->mounts[w->v1 ? CPUSTAT_V1 : CPUSTAT_V2], w->cgroup, path,
			  sizeof(path)))
		return -ENOENT;
	return cpustat_read(path, now);
}

void throttling_meet(struct throttling *t, const struct owner_seen *seen)
{
	struct recentcode w = {.v1 = seen->v1};

	if (!seen->found || !seen->cgroup || is_watched_cgroup(t, seen->cgroup, seen->v1))
		return;
	/* A root has no quota, and without the file there is nothing to look at. */
	if (text_append(w.cgroup, sizeof(w.cgroup), 0, "%s", seen->cgroup) < strlen(seen->cgroup)) {
		t->more = true;
		return;
	}
	if (read_cgroup_stat(t, &w, &w.last))
		return;
	if (t->nr < THROTTLING_CGROUPS)
		t->watched[t->nr++] = w;
	else
		t->more = true;
}

static uint64_t grown_since(uint64_t now, uint64_t before, bool anew)
{
	return anew ? now : now - before;
}

static void add_throttle(const struct recentcode *w, const struct cpustat *now, struct slice *s)
{
	const struct cpustat *was = &w->last;
	/* The cgroup was made anew since. */
	bool anew =
		now->periods < was->periods || now->throttled < was->throttled || now->ns < was->ns;
	struct cpustat d = {grown_since(now->periods, was->periods, anew),
			    grown_since(now->throttled, was->throttled, anew),
			    grown_since(now->ns, was->ns, anew)};
	struct slice_throttle *to = d.periods ? slice_add_throttle(s) : NULL;

	if (!d.periods)
		return;
	if (!to) {
		slice_log(s, SLICE_WARNING,
			  "out of memory: throttled times of cgroups are missing");
		return;
	}
	*to = (struct slice_throttle){.periods = d.periods, .throttled = d.throttled, .ns = d.ns};
	memcpy(to->cgroup, w->cgroup, sizeof(to->cgroup));
}

static void say_more(struct throttling *t, struct slice *s)
{
	if (!t->more || t->more_said)
		return;
	t->more_said = true;
	slice_log(
		s, SLICE_WARNING,
		"there are more than %d cgroups, or too long paths: the throttled times of some "
		"cgroups are unknown", THROTTLING_CGROUPS);
}

void throttling_tell(void *throttling, struct tick_now *n)
{
	struct throttling *t = throttling;
	bool counted = t->counted;
	unsigned kept = 0;

	if (!n->all)
		return;
	t->counted = !n->parts->readers->off;
	say_more(t, n->s);
	for (unsigned i = 0; i < t->nr; i++) {
		struct recentcode *w = &t->watched[i];
		struct cpustat now;

		if (read_cgroup_stat(t, w, &now))
			continue;
		if (counted && now.periods != w->last.periods)
			add_throttle(w, &now, n->s);
		/* Waits in a period that has not ended are reported with it. */
		if (!counted || now.periods != w->last.periods)
			w->last = now;
		t->watched[kept++] = *w;
	}
	t->nr = kept;
}
