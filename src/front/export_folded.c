/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "front/export_folded.h"

#include <errno.h>
#include <string.h>

static void put_names(struct out *text, const struct tree *t, uint32_t node)
{
	const char *name = t->node[node].name;
	size_t len;

	if (!node)
		return;
	put_names(text, t, t->node[node].parent); /* as deep as a path: the kernel's limit */
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
	put_names(text, t, node);
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

static void folded_write(struct out *o, const struct export_source *src)
{
	struct tree_query q = {.q = *src->query, .tasks = TREE_PROCESSES, .hosts = true};
	const struct tree *t = model_tree(src->model, &q, src->window);
	const char *path;
	uint32_t node = 0;
	struct out text;

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
	.write = folded_write,
};
