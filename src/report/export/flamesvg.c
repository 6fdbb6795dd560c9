/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Colours show the kind of code and are far apart for colour-blind eyes, too; shades of one colour
 * tell neighbours apart.  They are attributes, not styles, which a page's policy forbids.
 */
#include "report/export/flamesvg.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/export/markup.h"
#include "report/words.h"

#define LIMIT	   20000 /* frames */
#define ROW	   18
#define CHARACTER  7.2 /* width of a character of 12 px monospace */
#define SHADES	   4

enum kind { KIND_USER, KIND_INLINED, KIND_KERNEL, KIND_TASK, KIND_REST, KIND_NR };

static const struct {
	const char *name, *shades[SHADES];
} kinds[KIND_NR] = {
	[KIND_USER] = {"user", {"#f6b26b", "#f9c784", "#f2a65a", "#fbd59a"}},
	[KIND_INLINED] = {"inlined", {"#fbe3b5", "#fdebc8", "#f9dda6", "#fef1d8"}},
	[KIND_KERNEL] = {"kernel", {"#8ab6d6", "#9cc3e0", "#7aa9cc", "#aed0e8"}},
	[KIND_TASK] = {"process", {"#c9c9c9", "#d3d3d3", "#bfbfbf", "#dcdcdc"}},
	[KIND_REST] = {"dropped, cut off or too small",
		       {"#ededed", "#ededed", "#ededed", "#ededed"}},
};

/* Kinds of difference, in a comparison; signs are for readers who cannot tell the colours apart. */
enum change { CHANGE_MORE, CHANGE_LESS, CHANGE_CHANCE, CHANGE_UNKNOWN, CHANGE_NR };

static const struct {
	const char *name, *sign, *shades[SHADES];
} changes[CHANGE_NR] = {
	[CHANGE_MORE] = {"+ more than in the baseline",
			 "+",
			 {"#e8735a", "#ec8670", "#e4624a", "#f09a86"}},
	[CHANGE_LESS] = {"- less", "-", {"#6f9fd8", "#83addf", "#5d91d0", "#97bbe6"}},
	[CHANGE_CHANCE] = {"may be chance", "", {"#d9d9d9", "#e1e1e1", "#d1d1d1", "#e8e8e8"}},
	[CHANGE_UNKNOWN] = {"not known", "", {"#f6f6f6", "#f6f6f6", "#f6f6f6", "#f6f6f6"}},
};

static enum change change_of(const struct difference *d)
{
	if (!d)
		return CHANGE_UNKNOWN;
	if (!(d->flags & DIFFERENCE_SIGNIFICANT))
		return CHANGE_CHANCE;
	return d->delta > 0 ? CHANGE_MORE : CHANGE_LESS;
}

static enum kind frame_kind(const struct tree_node *n)
{
	if (n->flags & (TREE_LOST | TREE_OTHER | TREE_TRUNCATED))
		return KIND_REST;
	if (!n->depth || n->flags & (TREE_TASK | TREE_HOST))
		return KIND_TASK;
	if (n->flags & TREE_KERNEL)
		return KIND_KERNEL;
	return n->flags & TREE_INLINED ? KIND_INLINED : KIND_USER;
}

/*
 * Return a shade that is the same in every file: without hash.h, whose secret differs by process.
 */
static unsigned shade_of(const char *name)
{
	unsigned h = 0;

	while (*name)
		h = h * 31 + (unsigned char)*name++;
	return (h ^ h >> 7) % SHADES;
}

const struct tree *flamesvg_tree(struct out *o, const struct export_source *src, unsigned event,
			      struct diffed *d)
{
	struct tree_query q = {.q = *src->query,
			       .tasks = TREE_PROCESSES,
			       .hosts = true,
			       .fold = TREE_FOLD,
			       .limit = LIMIT};
	const struct tree *t;
	int ret;

	q.q.event = event;
	/* Hosts that are compared are queried one by one. */
	q.hosts = !q.q.host;
	ret = exportdiff_calls(src, &q, d);
	t = ret ? NULL : model_tree(src->model, &q, src->window);
	if (t && exportdiff_tree(d, t))
		t = NULL;
	if (!t)
		o->error = o->error ? o->error : -ENOMEM;
	return t;
}

unsigned flamesvg_height(const struct tree *t)
{
	return (t->depth + 1) * ROW;
}

static void put_frame_name(struct out *o, const struct tree_node *n, unsigned columns)
{
	char name[4352];
	size_t room = sizeof(name) - 64, len = strnlen(n->name, room);

	memcpy(name, n->name, len);
	name[len] = '\0';
	if (n->flags & TREE_TASK && n->pid >= 0)
		snprintf(name + len, 64, " (%d)", n->pid);
	else if (n->flags & TREE_INLINED)
		snprintf(name + len, 64, TREE_INLINED_MARK);
	else if (n->flags & TREE_OTHER)
		snprintf(name + len, 64, " (%llu smaller ones)", (unsigned long long)n->folded);
	markup_cut(o, name, columns);
}

static void put_percent(struct out *o, double share)
{
	out_printf(o, "%.2f%%", share * 100);
}

/* Put the difference of a frame in words. */
static void put_change(struct out *o, const struct difference *d)
{
	out_text(o, "\n");
	if (!d) {
		out_text(o, "its earlier share is not known");
		return;
	}
	out_printf(o, "was %.2f%%: %+.2f points, with 95%% %+.2f to %+.2f; ", d->was_share * 100,
		   d->delta * 100, d->low * 100, d->high * 100);
	out_text(o, d->flags & DIFFERENCE_SIGNIFICANT ? "changed" : "may be chance");
	out_printf(o, "%s%s", *difference_word(d) ? ", " : "", difference_word(d));
}

static void put_title(struct out *o, const struct tree_node *n, const struct session_event *e,
		      const struct diffed *compared, const struct difference *d)
{
	out_text(o, "<title>");
	put_frame_name(o, n, 0);
	out_text(o, "\n");
	if (*n->object) {
		markup_text(o, n->object);
		if (*n->why) {
			out_text(o, n->flags & TREE_DOUBT ? " (perhaps: " : " (");
			markup_text(o, n->why);
			out_text(o, ")");
		}
		out_text(o, "\n");
	}
	if (*n->file) {
		markup_text(o, n->file);
		if (n->line)
			out_printf(o, ":%u", n->line);
		out_text(o, "\n");
	}
	put_percent(o, n->total_share);
	out_text(o, ", ");
	words_amount(o, e, n->total);
	out_printf(o, ", %llu sample%s; itself ", (unsigned long long)n->samples,
		   n->samples == 1 ? "" : "s");
	put_percent(o, n->self_share);
	if (compared->c.nr)
		put_change(o, d);
	out_text(o, "</title>");
}

static void put_flame_frame(struct out *o, const struct tree *t, uint32_t i, uint64_t start,
			    unsigned top, const struct session_event *e, const struct diffed *d)
{
	const struct difference *changed = exportdiff_node(d, t, i);
	enum change change = change_of(changed);
	const struct tree_node *n = &t->node[i];
	double scale = FLAMESVG_WIDTH / (double)t->node[0].total;
	double x = (double)start * scale, width = (double)n->total * scale;
	unsigned y = top + n->depth * ROW;

	out_text(o, "<g class=\"f\">");
	put_title(o, n, e, d, changed);
	out_printf(o, "<rect x=\"%.5f\" y=\"%u\" width=\"%.5f\" height=\"%u\" fill=\"%s\"/>", x, y,
		   width, ROW - 1,
		   d->c.nr ? changes[change].shades[shade_of(n->name)]
			   : kinds[frame_kind(n)].shades[shade_of(n->name)]);
	if (width >= 6 + 3 * CHARACTER) {
		out_printf(o, "<text x=\"%.2f\" y=\"%u\">", x + 3, y + ROW - 5);
		out_text(o, d->c.nr ? changes[change].sign : "");
		put_frame_name(o, n, (unsigned)((width - 6) / CHARACTER) -
				     (d->c.nr && *changes[change].sign));
		out_text(o, "</text>");
	}
	out_text(o, "</g>\n");
	export_breathe(o);
}

void flamesvg_frames(struct out *o, const struct tree *t, const struct session_event *e,
		  const struct diffed *d, unsigned top)
{
	uint64_t *start = calloc(t->nr, sizeof(*start));
	const struct tree_node *n = t->node;
	uint32_t i = 0;

	if (!start) {
		o->error = o->error ? o->error : -ENOMEM;
		return;
	}
	while (n[0].total && !o->error) {
		if (n[i].total)
			put_flame_frame(o, t, i, start[i], top, e, d);
		if (n[i].child) {
			start[n[i].child] = start[i];
			i = n[i].child;
			continue;
		}
		while (i && !n[i].next)
			i = n[i].parent;
		if (!i)
			break;
		start[n[i].next] = start[i] + n[i].total;
		i = n[i].next;
	}
	free(start);
}

static unsigned put_legend(struct out *o, unsigned x, unsigned y, const char *fill,
			   const char *name)
{
	out_printf(o, "<rect x=\"%u\" y=\"%u\" width=\"14\" height=\"12\" fill=\"%s\"/>"
		   "<text x=\"%u\" y=\"%u\">%s</text>\n", x, y - 11, fill, x + 18, y, name);
	return x + 18 + ((unsigned)strlen(name) + 3) * 8;
}

void flamesvg_legend(struct out *o, const struct diffed *d, unsigned y)
{
	unsigned x = 0;

	for (int c = 0; c < CHANGE_NR && d->c.nr; c++)
		x = put_legend(o, x, y, changes[c].shades[0], changes[c].name);
	for (int k = 0; k < KIND_NR && !d->c.nr; k++)
		x = put_legend(o, x, y, kinds[k].shades[0], kinds[k].name);
}
