/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/views/treechanges.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/namefold.h"
#include "base/text.h"
#include "ui/app/app.h"
#include "ui/parts/details.h"
#include "ui/views/view_changes.h"

enum { WAS, NOW };

static void clear_comparison(struct treechanges_state *s)
{
	compare_clear(&s->comparison);
	for (int i = WAS; i <= NOW; i++) {
		free(s->row[i]);
		s->row[i] = NULL;
	}
}

void treechanges_free(struct treechanges_state *s)
{
	clear_comparison(s);
	for (int i = WAS; i <= NOW; i++) {
		profile_clear(&s->side[i]);
		treeprofile_clear(&s->places[i]);
	}
	*s = (struct treechanges_state){.tree = NULL};
}

/* --- both sides ----------------------------------------------------------------------------- */

/* Adapt the query to a side's model, in *own.  False: it has no such event. */
static bool side_of(const struct app *a, int side, const struct tree_query *q,
		    struct view_changes_side *of, struct tree_query *own)
{
	bool has = view_changes_side(a, side, &q->q, of);

	*own = *q;
	own->q = of->q;
	own->hosts &= !view_changes_state(a)->hosts;
	return has;
}

/* Hash a side's query and the number of its profile; never 0. */
static uint64_t asked_of(const struct app *a, int side, const struct tree_query *q)
{
	const struct treeprofile *p = &view_changes_state(a)->calls.places[side];
	uint64_t what = hash_mix(q->function, (uint64_t)q->order << 16 | (uint64_t)q->tasks << 8 |
						      (uint64_t)q->hosts);

	what = hash_mix(what, hash_bytes(p->alias, p->naliases * sizeof(*p->alias)));
	return hash_mix(what, view_changes_state(a)->taken[side]) | 1;
}

static int take_side_places(struct app *a, int side, const struct tree_query *q)
{
	struct treechanges_state *s = &view_changes_state(a)->calls;
	struct profile functions = {0};
	struct view_changes_side of;
	struct tree_query own;
	int ret;

	profile_clear(&s->side[side]);
	if (view_changes_state(a)->error || !side_of(a, side, q, &of, &own) ||
	    of.window.from >= of.window.to)
		return -ENODATA;
	if (of.forgotten)
		return -ESTALE;
	ret = profile_take(of.model, &own.q, of.window, &functions);
	if (!ret)
		ret = treeprofile_take(&s->places[side], of.model, &own, of.window, &functions,
				  &s->side[side]);
	profile_clear(&functions);
	return ret;
}

/* Map each side's rows to the comparison's.  0 or -ENOMEM. */
static int map_rows_to_comparison(struct treechanges_state *s)
{
	for (int i = WAS; i <= NOW; i++) {
		s->row[i] = calloc(s->side[i].nrows + 1, sizeof(*s->row[i]));
		if (!s->row[i])
			return -ENOMEM;
	}
	for (size_t i = 0; i < s->comparison.nr; i++) {
		const struct profile_row *was = compare_side(&s->comparison, i, COMPARE_WAS);
		const struct profile_row *now = compare_side(&s->comparison, i, COMPARE_NOW);

		if (was)
			s->row[WAS][was - s->side[WAS].rows] = (uint32_t)i + 1;
		if (now)
			s->row[NOW][now - s->side[NOW].rows] = (uint32_t)i + 1;
	}
	return 0;
}

static void sync_sides(struct app *a, const struct tree_query *q)
{
	const struct compare_how how = view_changes_how(a);
	struct treechanges_state *s = &view_changes_state(a)->calls;
	int ret = treeprofile_alias(&s->places[WAS], &view_changes_state(a)->comparison);
	uint64_t asked[2] = {asked_of(a, WAS, q), asked_of(a, NOW, q)};

	if (!memcmp(asked, s->asked, sizeof(asked)))
		return;
	clear_comparison(s);
	s->error = ret;
	for (int i = WAS; i <= NOW && !s->error; i++)
		if (asked[i] != s->asked[i])
			s->error = take_side_places(a, i, q);
	if (!s->error)
		s->error = compare(&s->side[WAS], &s->side[NOW], &how, &s->comparison);
	if (!s->error)
		s->error = map_rows_to_comparison(s);
	if (s->error)
		clear_comparison(s);
	/* After a failure, retry with view_changes' next profile; for lack of memory, at once. */
	memcpy(s->asked, asked, sizeof(asked));
	if (s->error == -ENOMEM)
		memset(s->asked, 0, sizeof(s->asked));
}

const struct tree *treechanges_tree(struct app *a, const struct tree_query *q)
{
	struct treechanges_state *s = &view_changes_state(a)->calls;
	int side = a->by_was ? WAS : NOW;
	struct view_changes_side of;
	struct tree_query own;

	s->tree = NULL;
	view_changes_refresh(a);
	sync_sides(a, q);
	if (!side_of(a, side, q, &of, &own))
		own.q.event = UINT32_MAX; /* no such event: an empty tree */
	s->tree = model_tree(of.model, &own, of.window);
	if (s->tree && treeprofile_find(&s->places[side], s->tree))
		s->tree = NULL;
	return s->tree;
}

/* --- changes ---------------------------------------------------------------------------------- */

const struct difference *treechanges_of(const struct app *a, const struct tree_node *n)
{
	const struct treechanges_state *s = &view_changes_state(a)->calls;
	int side = a->by_was ? WAS : NOW;
	int64_t at;
	uint32_t row;

	if (!a->comparing || !s->tree || !s->row[side] || n->flags & (TREE_OTHER | TREE_LOST))
		return NULL;
	at = treeprofile_row(&s->side[side], s->places[side].of[n - s->tree->node]);
	/* The change of a place does not apply to one of its several nodes. */
	if (at >= 0 && s->side[side].rows[at].weight != n->total)
		at = -1;
	row = at < 0 ? 0 : s->row[side][at];
	return row ? compare_row(&s->comparison, row - 1) : NULL;
}

bool treechanges_sure(const struct difference *d)
{
	return d && d->flags & DIFFERENCE_SIGNIFICANT;
}

char treechanges_sign(const struct difference *d)
{
	return !treechanges_sure(d) ? '\0' : d->delta > 0 ? '+' : '-';
}

void treechanges_delta(const struct difference *d, char *buf, size_t size)
{
	/* Zero has no sign. */
	if (!d)
		text_append(buf, size, 0, "-");
	else
		text_append(buf, size, 0, fabs(d->delta) < 0.5e-4 ? "0.00" : "%+.2f",
			    d->delta * 100);
}

enum role treechanges_role(const struct difference *d)
{
	return !treechanges_sure(d) ? ROLE_DIM : d->delta > 0 ? ROLE_MORE : ROLE_LESS;
}

enum role treechanges_box(const struct difference *d)
{
	return !treechanges_sure(d) ? ROLE_BOX_SAME : d->delta > 0 ? ROLE_BOX_MORE : ROLE_BOX_LESS;
}

/* Write the name of the side's host.  False: no hosts are compared. */
static bool side_name(const struct app *a, int side, char name[NAMES_BYTES])
{
	if (!view_changes_state(a)->hosts)
		return false;
	text_escape(name, NAMES_BYTES, model_info(a->model)->hosts[side].name);
	return true;
}

void treechanges_hint(const struct app *a, char *buf, size_t size)
{
	const struct view_changes_state *changes = view_changes_state(a);
	const struct treechanges_state *s = &changes->calls;
	const char *nothing = view_changes_nothing(a);
	char was[NAMES_BYTES], now[NAMES_BYTES];
	size_t nr = s->comparison.significant;

	buf[0] = '\0';
	if (!a->comparing)
		return;
	if (nothing)
		text_append(buf, size, 0, "%s", nothing);
	else if (s->error == -ESTALE)
		text_append(buf, size, 0,
			    "the baseline's call paths were dropped: d, d sets another");
	else if (s->error)
		text_append(buf, size, 0, "out of memory: no changes");
	else if (!changes->file && model_coarsened(view_changes_of(a), changes->baseline))
		text_append(buf, size, 0,
			    "call paths of the baseline are thinned: no comparison is possible");
	else if (side_name(a, WAS, was) && side_name(a, NOW, now))
		text_append(buf, size, 0, "%.60s's widths; %zu place%s changed (B: by %.60s)",
			    a->by_was ? was : now, nr, nr == 1 ? "" : "s", a->by_was ? now : was);
	else
		text_append(buf, size, 0, "%s widths; %zu place%s changed (B: by %s)",
			    a->by_was ? "baseline's" : "now's", nr, nr == 1 ? "" : "s",
			    a->by_was ? "now" : "the baseline");
}

void treechanges_points(struct details *details, const char *label, const struct difference *d)
{
	details_add(details, ROLE_TEXT, label,
		    "%.2f%%, was %.2f%%: %+.2f points, with 95%% %+.2f to %+.2f", d->share * 100,
		    d->was_share * 100, d->delta * 100, d->low * 100, d->high * 100);
}

void treechanges_changed(struct details *details, const struct difference *d, const char *remarks)
{
	bool sure = treechanges_sure(d);

	details_add(details, sure ? ROLE_STRONG : ROLE_DIM, "changed", "%s%s%s",
		    sure ? "yes" : "may be chance", *remarks ? ": " : "", remarks);
}

void treechanges_details(const struct app *a, struct details *details, const struct tree_node *n)
{
	const struct difference *d = treechanges_of(a, n);

	if (!a->comparing)
		return;
	if (!d) {
		details_add(details, ROLE_DIM, "change",
			    "not known: several have this name, or too small");
		return;
	}
	treechanges_points(details, "total", d);
	treechanges_changed(details, d, difference_word(d));
}
