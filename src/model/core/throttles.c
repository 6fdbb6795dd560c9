/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cgroups have the same order in most slices, so each is first looked for at its last index. */
#include "model/core/throttles.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/text.h"
#include "base/vec.h"
#include "model/core/dictgc.h"
#include "model/core/state.h"

#define CGROUPS_MOST 4096 /* kept apart; more may come and go with containers for ever */

static bool same_cgroup(const struct throttle_sum *a, const struct throttle_sum *b)
{
	return a->cgroup == b->cgroup && a->host == b->host;
}

static struct throttle_sum *find_cgroup_sum(const struct throttles *t, const struct throttle_sum *sum, size_t at)
{
	if (at < t->nr && same_cgroup(&t->sum[at], sum))
		return &t->sum[at];
	for (size_t i = 0; i < t->nr; i++)
		if (same_cgroup(&t->sum[i], sum))
			return &t->sum[i];
	return NULL;
}

int throttles_add(struct throttles *to, const struct throttle_sum *sum, size_t at)
{
	struct throttle_sum *found = find_cgroup_sum(to, sum, at), rest = {.host = sum->host};

	if (!found && to->nr >= CGROUPS_MOST && sum->cgroup)
		return throttles_add(to, &(struct throttle_sum){.host = sum->host, .periods = sum->periods,
			.throttled = sum->throttled, .ns = sum->ns}, 0);
	if (!found) {
		rest.cgroup = sum->cgroup;
		if (!VEC_PUSH(to->sum, to->nr, to->cap, rest))
			return -ENOMEM;
		found = &to->sum[to->nr - 1];
	}
	found->periods += sum->periods;
	found->throttled += sum->throttled;
	found->ns += sum->ns;
	return 0;
}

int throttles_add_all(struct throttles *to, const struct throttles *from)
{
	int ret = 0;

	for (size_t i = 0; i < from->nr && !ret; i++)
		ret = throttles_add(to, &from->sum[i], i);
	return ret;
}

int throttles_take(struct model *m, const struct slice *s, struct history_slice *h)
{
	int ret = 0;

	for (size_t i = 0; i < s->nthrottles; i++) {
		const struct slice_throttle *t = &s->throttles[i];
		struct throttle_sum sum = {.host = t->host, .periods = t->periods, .throttled = t->throttled, .ns = t->ns};

		if (*t->cgroup && !(sum.cgroup = dict_text(&m->dict, t->cgroup)))
			ret = -ENOMEM;
		if (throttles_add(&m->total.throttles, &sum, i) || (h && throttles_add(&h->throttles, &sum, i)))
			ret = -ENOMEM;
	}
	return ret;
}

int throttles_put(const struct throttles *t, const struct dict *d, struct slice *to)
{
	for (size_t i = 0; i < t->nr; i++) {
		const struct throttle_sum *sum = &t->sum[i];
		struct slice_throttle *put = slice_add_throttle(to);

		if (!put)
			return -ENOMEM;
		*put = (struct slice_throttle){.host = sum->host, .periods = sum->periods,
					       .throttled = sum->throttled, .ns = sum->ns};
		text_append(put->cgroup, sizeof(put->cgroup), 0, "%s", dict_string(d, sum->cgroup));
	}
	to->nthrottles = slice_throttles_fold(to->throttles, to->nthrottles);
	return 0;
}

void throttles_mark(const struct throttles *t, struct dict *d)
{
	for (size_t i = 0; i < t->nr; i++)
		dict_mark_string(d, t->sum[i].cgroup);
}

int throttles_collect(const struct model *m, struct window w, struct throttles *to, uint64_t *length)
{
	struct window kept = model_kept(m, w);
	size_t from, end;
	int ret = 0;

	if (window_is_all(w)) {
		*length = m->total.end - m->total.start;
		return throttles_add_all(to, &m->total.throttles);
	}
	*length = kept.to - kept.from;
	for (history_range(&m->history, w, &from, &end); from < end && !ret; from++)
		ret = throttles_add_all(to, &history_at(&m->history, from)->throttles);
	return ret;
}

struct throttle_sum throttles_of(const struct throttles *t, uint32_t cgroup, int host)
{
	struct throttle_sum all = {.cgroup = cgroup};

	for (size_t i = 0; i < t->nr; i++) {
		const struct throttle_sum *s = &t->sum[i];

		if (s->cgroup != cgroup || (host >= 0 && s->host != host))
			continue;
		all.periods += s->periods;
		all.throttled += s->throttled;
		all.ns += s->ns;
	}
	return all;
}
