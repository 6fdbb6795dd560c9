/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/export/exportdiff.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"

enum { WAS = CHANGES_WAS, NOW = CHANGES_NOW };

bool exportdiff_side(const struct export_source *src, int side, const struct query *q,
		 struct exportdiff_side *s)
{
	const struct export_baseline *b = src->baseline;

	*s = (struct exportdiff_side){src->model, src->window, *q};
	s->q.both = false;
	if (side == NOW)
		return true;
	s->model = b->model;
	s->window = b->window;
	s->q.host = b->host;
	return session_event_named(model_info(b->model),
				   model_info(src->model)->events[q->event].name, NULL,
				   &s->q.event);
}

/*
 * Take both sides' profiles and compare them; *c points into both.  Leaves all empty if there is
 * nothing to compare.  0 or -ENOMEM.
 */
static int take_functions(const struct export_source *src, unsigned event,
			  struct profile side[CHANGES_SIDES], struct comparison *c)
{
	struct query q = *src->query;
	struct exportdiff_side s;
	int ret = 0;

	q.event = event;
	if (!src->baseline || !exportdiff_side(src, WAS, &q, &s))
		return 0;
	for (int i = WAS; i <= NOW && !ret; i++) {
		exportdiff_side(src, i, &q, &s);
		ret = profile_take(s.model, &s.q, s.window, &side[i]);
	}
	return ret ? ret : compare(&side[WAS], &side[NOW], &src->baseline->how, c);
}

int exportdiff_functions(const struct export_source *src, unsigned event, struct diffed *d)
{
	*d = (struct diffed){.gone = 0};
	return take_functions(src, event, d->side, &d->c);
}

/* --- places ------------------------------------------------------------------------------- */

/* Map rows of now to the comparison's, and count the significant changes that now lacks. */
static int find_difference_rows(struct diffed *d)
{
	d->row = calloc(d->side[NOW].nrows + 1, sizeof(*d->row));
	if (!d->row)
		return -ENOMEM;
	for (size_t i = 0; i < d->c.nr; i++) {
		const struct profile_row *now = compare_side(&d->c, i, COMPARE_NOW);

		if (now)
			d->row[now - d->side[NOW].rows] = (uint32_t)i + 1;
		d->gone += !now && i < d->c.significant;
	}
	return 0;
}

static int take_tree_places(const struct export_source *src, const struct tree_query *q, int side,
			    const struct profile *functions, struct diffed *d)
{
	struct tree_query own = *q;
	struct exportdiff_side s;

	exportdiff_side(src, side, &q->q, &s);
	own.q = s.q;
	return treeprofile_take(&d->places[side], s.model, &own, s.window, functions,
				&d->side[side]);
}

int exportdiff_calls(const struct export_source *src, const struct tree_query *q, struct diffed *d)
{
	struct diffed functions;
	int ret = exportdiff_functions(src, q->q.event, &functions);

	*d = (struct diffed){.gone = 0};
	if (!ret && functions.c.nr)
		ret = treeprofile_alias(&d->places[WAS], &functions.c);
	for (int i = WAS; i <= NOW && !ret && functions.c.nr; i++)
		ret = take_tree_places(src, q, i, &functions.side[i], d);
	if (!ret && functions.c.nr)
		ret = compare(&d->side[WAS], &d->side[NOW], &src->baseline->how, &d->c);
	if (!ret)
		ret = find_difference_rows(d);
	exportdiff_clear(&functions);
	return ret;
}

int exportdiff_tree(struct diffed *d, const struct tree *t)
{
	return d->c.nr ? treeprofile_find(&d->places[NOW], t) : 0;
}

const struct difference *exportdiff_node(const struct diffed *d, const struct tree *t,
					 uint32_t node)
{
	const struct tree_node *n = &t->node[node];
	int64_t at = d->c.nr && !(n->flags & (TREE_OTHER | TREE_LOST))
			     ? treeprofile_row(&d->side[NOW], d->places[NOW].of[node])
			     : -1;

	/* Not for one of several nodes of a place: the change is that of all of them together. */
	if (at < 0 || d->side[NOW].rows[at].weight != n->total || !d->row[at])
		return NULL;
	return compare_row(&d->c, d->row[at] - 1);
}

void exportdiff_clear(struct diffed *d)
{
	compare_clear(&d->c);
	for (int i = WAS; i <= NOW; i++) {
		profile_clear(&d->side[i]);
		treeprofile_clear(&d->places[i]);
	}
	free(d->row);
	*d = (struct diffed){.gone = 0};
}

/* --- reports ------------------------------------------------------------------------------ */

static void take_changes_side(const struct export_source *src, int i, struct changes *c)
{
	struct model *m = i == WAS ? src->baseline->model : src->model;
	const struct session_info *info = model_info(m);
	struct window kept = model_kept(m, i == WAS ? src->baseline->window : src->window);
	unsigned host = i == WAS ? src->baseline->host : src->query->host;
	struct changes_side *side = &c->side[i];

	side->file = i == WAS ? src->baseline->name : info->target;
	side->start_wall = info->start_wall + kept.from;
	text_append(side->host, sizeof(side->host), 0, "%s",
		    host ? info->hosts[host - 1].name : info->host);
	if (c->nevents)
		side->seconds = c->events[0].profile[i].seconds;
}

int exportdiff_changes(const struct export_source *src, struct changes *c)
{
	unsigned nevents = model_info(src->model)->nevents;
	int ret = 0;

	*c = (struct changes){.version = src->version, .beside = true};
	c->events = calloc(nevents + 1, sizeof(*c->events));
	if (!c->events)
		return -ENOMEM;
	for (unsigned e = 0; e < nevents && !ret; e++) {
		struct changes_event *to = &c->events[c->nevents];

		ret = take_functions(src, e, to->profile, &to->comparison);
		/* on failure, too: it is to be cleared */
		c->nevents += ret || to->profile[NOW].bases;
		c->significant += to->comparison.significant;
	}
	take_changes_side(src, WAS, c);
	take_changes_side(src, NOW, c);
	return ret;
}

void exportdiff_changes_clear(struct changes *c)
{
	for (size_t e = 0; e < c->nevents; e++) {
		compare_clear(&c->events[e].comparison);
		profile_clear(&c->events[e].profile[WAS]);
		profile_clear(&c->events[e].profile[NOW]);
	}
	free(c->events);
	*c = (struct changes){.nevents = 0};
}

void exportdiff_words(const struct export_source *src, const struct diffed *d, const char *what,
		  char *text, size_t size)
{
	size_t pos = 0, nr = d->c.significant;

	text[0] = '\0';
	if (!src->baseline)
		return;
	pos = text_append(text, size, 0, "compared with %s", src->baseline->name);
	if (!d->side[NOW].bases)
		text_append(text, size, pos, ", which has no such event");
	else if (nr)
		pos = text_append(text, size, pos, " (%.1f s): %zu %s%s changed",
				  d->side[WAS].seconds, nr, what, nr == 1 ? "" : "s");
	else
		pos = text_append(text, size, pos, " (%.1f s): no change is sure",
				  d->side[WAS].seconds);
	if (d->gone)
		text_append(text, size, pos, ", %zu of them gone and not drawn", d->gone);
}
