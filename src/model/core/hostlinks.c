/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/core/hostlinks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/core/state.h"
#include "model/core/window.h"

/* --- taking slices ------------------------------------------------------------------------ */

/* Return the gap that a host is in, or was in last; NULL: none is kept. */
static struct host_gap *gap_last(struct hostlinks *h, size_t host)
{
	for (size_t i = 0; i < h->ngaps && i < HOSTLINKS_GAPS; i++) {
		struct host_gap *g = &h->gaps[(h->ngaps - 1 - i) % HOSTLINKS_GAPS];

		if (g->host == host)
			return g;
	}
	return NULL;
}

static void gap_note(struct hostlinks *h, size_t host, const struct slice *s)
{
	const struct slice_host *now = &s->hosts[host];
	struct host_gap *g = gap_last(h, host);

	if (now->state != HOST_CONNECTING && now->state != HOST_CUT && now->state != HOST_FAILED) {
		if (g)
			g->lasts = false;
		return;
	}
	if (!g || !g->lasts) {
		g = &h->gaps[h->ngaps++ % HOSTLINKS_GAPS];
		*g = (struct host_gap){.host = (uint16_t)host, .lasts = true,
				       .from = now->since < s->end ? now->since : s->start};
	}
	g->to = s->end;
	g->state = now->state;
	memcpy(g->why, now->why, sizeof(g->why));
}

int hostlinks_take(struct hostlinks *h, const struct slice *s)
{
	if (!vec_reserve(&h->now, &h->cap, s->nhosts, sizeof(*h->now)))
		return -ENOMEM;
	for (size_t i = 0; i < s->nhosts; i++) {
		struct slice_host was = i < h->nr ? h->now[i] : (struct slice_host){0};

		gap_note(h, i, s);
		h->now[i] = s->hosts[i];
		slice_host_add(&h->now[i], &was);
	}
	if (s->nhosts > h->nr)
		h->nr = s->nhosts;
	return 0;
}

uint64_t hostlinks_absent(const struct hostlinks *h, size_t host, struct window w)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < h->ngaps && i < HOSTLINKS_GAPS; i++) {
		const struct host_gap *g = &h->gaps[i];
		uint64_t from = g->from > w.from ? g->from : w.from,
			 to = g->to < w.to ? g->to : w.to;

		if (g->host == host && from < to)
			sum += to - from;
	}
	return sum;
}

void hostlinks_reset(struct hostlinks *h)
{
	for (size_t i = 0; i < h->nr; i++) {
		struct slice_host *now = &h->now[i];

		now->bytes_in = now->bytes_out = now->folded_samples = now->folded_rows = 0;
		now->merged = 0;
	}
}

void hostlinks_clear(struct hostlinks *h)
{
	free(h->now);
}

void hostlinks_links(struct history_slice *to, const struct slice *s)
{
	for (size_t i = 0; i < s->nhosts; i++) {
		const struct slice_host *h = &s->hosts[i];

		to->links[i] = (struct history_link){h->bytes_in, h->bytes_out, h->merged,
						     h->folded_samples, h->folded_rows};
	}
	to->nlinks = (uint32_t)s->nhosts;
}

/* --- queries ------------------------------------------------------------------------------ */

size_t model_nhosts(const struct model *m)
{
	return m->hosts.nr;
}

static void link_window(const struct model *m, size_t i, struct window w, struct host *h)
{
	size_t from, to;

	for (history_range(&m->history, w, &from, &to); from < to; from++) {
		const struct history_slice *s = history_at(&m->history, from);

		if (i < s->nlinks)
			history_link_add(&h->link, &s->links[i]);
	}
}

void model_host(const struct model *m, size_t i, struct window w, struct host *h)
{
	*h = (struct host){.seconds = window_seconds(m, w)};
	if (i >= m->hosts.nr)
		return;
	h->now = m->hosts.now[i];
	if (window_is_all(w))
		h->link = (struct history_link){h->now.bytes_in, h->now.bytes_out, h->now.merged,
						h->now.folded_samples, h->now.folded_rows};
	else
		link_window(m, i, w, h);
}

size_t model_gaps(const struct model *m, struct window w, const struct host_gap **gaps, size_t nr)
{
	const struct hostlinks *h = &m->hosts;
	size_t found = 0;

	for (size_t i = 0; i < h->ngaps && i < HOSTLINKS_GAPS && found < nr; i++) {
		const struct host_gap *g = &h->gaps[(h->ngaps - 1 - i) % HOSTLINKS_GAPS];

		if (g->from < w.to && g->to > w.from)
			gaps[found++] = g;
	}
	return found;
}
