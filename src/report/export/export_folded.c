/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/export/export_folded.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "report/export/exportdiff.h"

static void put_path_names(struct out *text, const struct tree *t, uint32_t node)
{
	const char *name = t->node[node].name;
	size_t len;

	if (!node)
		return;
	put_path_names(text, t, t->node[node].parent); /* recursion as deep as a path: the kernel's
	                                                * limit */
	if (text->len)
		out_bytes(text, ";", 1);
	for (len = strcspn(name, ";"); name[len]; len = strcspn(name, ";")) {
		out_bytes(text, name, len);
		out_bytes(text, ":", 1);
		name += len + 1;
	}
	out_bytes(text, name, len);
	if (t->node[node].flags & TREE_INLINED)
		out_text(text, TREE_INLINED_MARK);
}

const char *folded_path(struct out *text, const struct tree *t, uint32_t node)
{
	text->len = 0;
	put_path_names(text, t, node);
	out_bytes(text, "", 1);
	return text->error ? NULL : text->data;
}

const char *folded_next(struct out *text, const struct tree *t, uint32_t *node)
{
	while (++*node < t->nr)
		if (t->node[*node].self)
			return folded_path(text, t, *node);
	return NULL;
}

/* --- two counts --------------------------------------------------------------------------- */

/* Weights of paths on both sides, by the id of the path. */
struct folded_both {
	struct intern *paths;
	uint64_t (*weight)[CHANGES_SIDES];
	size_t cap;
};

static int both_add(struct folded_both *b, const char *path, int side, uint64_t weight)
{
	bool fresh;
	uint32_t id = intern_get(b->paths, path, strlen(path), 0, &fresh);

	if (!id || !vec_reserve(&b->weight, &b->cap, (size_t)id + 1, sizeof(*b->weight)))
		return -ENOMEM;
	if (fresh)
		b->weight[id][CHANGES_WAS] = b->weight[id][CHANGES_NOW] = 0;
	b->weight[id][side] += weight;
	return 0;
}

static int both_take(struct folded_both *b, const struct export_source *src, int side,
		     struct out *text)
{
	struct tree_query q = {.tasks = TREE_PROCESSES, .hosts = !src->query->host};
	struct exportdiff_side s;
	const struct tree *t;
	uint32_t node = 0;
	const char *path;
	int ret = 0;

	if (!exportdiff_side(src, side, src->query, &s))
		return 0;
	q.q = s.q;
	t = model_tree(s.model, &q, s.window);
	while (t && !ret && (path = folded_next(text, t, &node)))
		ret = both_add(b, path, side, t->node[node].self);
	return t && !text->error ? ret : -ENOMEM;
}

/*
 * Append each path with its weight in the baseline and now, the input of tools that draw
 * differences.  Processes of one name count as one.
 */
static void both_write(struct out *o, const struct export_source *src)
{
	struct folded_both b = {.paths = intern_create()};
	struct out text;
	int ret = b.paths ? 0 : -ENOMEM;

	out_init(&text, -1, -1);
	for (int side = CHANGES_WAS; side <= CHANGES_NOW && !ret; side++)
		ret = both_take(&b, src, side, &text);
	for (uint32_t id = 1; !ret && !o->error && id < intern_bound(b.paths); id++) {
		out_name(o, intern_key(b.paths, id, NULL), 0);
		for (int side = CHANGES_WAS; side <= CHANGES_NOW; side++) {
			out_bytes(o, " ", 1);
			out_number(o, b.weight[id][side]);
		}
		out_bytes(o, "\n", 1);
		export_breathe(o);
	}
	o->error = o->error ? o->error : ret;
	out_clear(&text);
	intern_free(b.paths);
	free(b.weight);
}

static void folded_write(struct out *o, const struct export_source *src)
{
	struct tree_query q = {.q = *src->query, .tasks = TREE_PROCESSES, .hosts = true};
	const struct tree *t = model_tree(src->model, &q, src->window);
	const char *path;
	uint32_t node = 0;
	struct out text;

	if (src->baseline) {
		both_write(o, src);
		return;
	}
	if (!t) {
		o->error = -ENOMEM;
		return;
	}
	out_init(&text, -1, -1);
	while (!o->error && (path = folded_next(&text, t, &node))) {
		out_name(o, path, 0);
		out_bytes(o, " ", 1);
		out_number(o, t->node[node].self);
		out_bytes(o, "\n", 1);
		export_breathe(o);
	}
	if (text.error)
		o->error = text.error;
	out_clear(&text);
}

const struct export_format export_folded = {
	.name = "folded",
	.suffix = ".folded",
	.compares = true,
	.write = folded_write,
};
