/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/compare/treeprofile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/hash.h"
#include "base/search.h"
#include "base/text.h"
#include "base/vec.h"

#define PLACE_NAME 17 /* bytes of a place's row name: its hexadecimal digits and the NUL */

void treeprofile_clear(struct treeprofile *p)
{
	free(p->of);
	free(p->alias);
	*p = (struct treeprofile){0};
}

static uint64_t hash_text(const char *text)
{
	return hash_bytes(text, strlen(text));
}

/* Hash a function like profile_row.hash. */
static uint64_t function_hash(const char *name, const char *object)
{
	return hash_mix(hash_text(name), hash_text(text_base(object)));
}

/* --- functions by another name ------------------------------------------------------------ */

COMPARE_BY(alias_compare, struct treeprofile_alias, was)

int treeprofile_alias(struct treeprofile *p, const struct comparison *functions)
{
	p->naliases = 0;
	for (size_t i = 0; i < functions->nr; i++) {
		const struct profile_row *was = compare_side(functions, i, COMPARE_WAS);
		const struct profile_row *now = compare_side(functions, i, COMPARE_NOW);
		struct treeprofile_alias a;

		if (!was || !now)
			continue;
		a = (struct treeprofile_alias){was->hash, now->hash};
		if (a.was != a.now && !VEC_PUSH(p->alias, p->naliases, p->cap_aliases, a))
			return -ENOMEM;
	}
	if (p->naliases > 1)
		qsort(p->alias, p->naliases, sizeof(*p->alias), alias_compare);
	return 0;
}

static uint64_t known_as(const struct treeprofile *p, uint64_t function)
{
	size_t at =
		function ? search_above(p->alias, p->naliases, sizeof(*p->alias), 0, function - 1)
			 : 0;

	return at < p->naliases && p->alias[at].was == function ? p->alias[at].now : function;
}

/* --- nodes --------------------------------------------------------------------------------- */

static uint64_t node_hash(const struct treeprofile *p, const struct tree_node *n)
{
	const uint32_t kinds = TREE_INLINED | TREE_TASK | TREE_HOST | TREE_OTHER | TREE_LOST;
	bool nameless = n->flags & (TREE_UNRESOLVED | TREE_LOADING);
	uint64_t what = n->flags & (TREE_TASK | TREE_HOST)
				? hash_text(n->name)
				: known_as(p, function_hash(nameless ? PROFILE_NAMELESS : n->name,
							    n->object));

	return what + hash_u64(n->flags & kinds);
}

int treeprofile_find(struct treeprofile *p, const struct tree *t)
{
	if (!vec_reserve(&p->of, &p->cap, t->nr, sizeof(*p->of)))
		return -ENOMEM;
	for (size_t i = 0; i < t->nr; i++)
		p->of[i] = i ? hash_mix(p->of[t->node[i].parent], node_hash(p, &t->node[i])) : 0;
	return 0;
}

/* --- profiles of them ----------------------------------------------------------------------- */

static void format_place(char name[PLACE_NAME], uint64_t place)
{
	static const char digits[] = "0123456789abcdef";

	for (int i = 0; i < PLACE_NAME - 1; i++, place >>= 4)
		name[i] = digits[place & 15];
	name[PLACE_NAME - 1] = '\0';
}

int64_t treeprofile_row(const struct profile *p, uint64_t place)
{
	char name[PLACE_NAME];

	format_place(name, place);
	return profile_find(p, name, "");
}

/* Lost samples belong to no function, and "[other]" stands for different nodes each time. */
static bool has_place(const struct tree_node *n)
{
	return n->total && !(n->flags & (TREE_LOST | TREE_OTHER));
}

static int take_place_sums(const struct treeprofile *places, const struct tree *t,
			   struct profile *out)
{
	for (size_t i = 0; i < t->nr; i++) {
		const struct tree_node *n = &t->node[i];
		char name[PLACE_NAME];
		int64_t at;

		if (!has_place(n))
			continue;
		format_place(name, places->of[i]);
		at = profile_row(out, name, "");
		if (at < 0)
			return -ENOMEM;
		out->rows[at].weight += n->total;
		out->rows[at].samples += n->samples;
	}
	return 0;
}

static int take_place_block(const struct treeprofile *places, const struct tree *t,
			    const struct profile_block *block, struct profile *out)
{
	int ret = 0;

	for (size_t i = 0; i < t->nr && !ret; i++) {
		int64_t row = has_place(&t->node[i]) ? treeprofile_row(out, places->of[i]) : -1;

		if (row >= 0)
			ret = profile_add(out, (size_t)row, t->node[i].total);
	}
	return ret ? ret : profile_end_block(out, block->seconds, block->weight);
}

/* Scale seconds and samples: of the whole run the history may hold less than the totals do. */
static void take_size(const struct tree *t, const struct profile *functions, struct profile *out)
{
	double part = functions->weight ? (double)t->attributed / (double)functions->weight : 0;

	memcpy(out->event, functions->event, sizeof(out->event));
	memcpy(out->unit, functions->unit, sizeof(out->unit));
	out->seconds = functions->seconds * part;
	out->lost = functions->lost;
	out->weight = t->attributed;
	out->samples = (uint64_t)((double)functions->samples * part);
}

int treeprofile_take(struct treeprofile *p, struct model *m, const struct tree_query *q,
		     struct window w, const struct profile *functions, struct profile *out)
{
	struct tree_query each = *q;
	const struct tree *t;
	int ret = profile_init(out);

	if (ret)
		return ret;
	each.fold = 0; /* a node small in one block may be large in others */
	t = model_tree(m, &each, w);
	ret = t ? treeprofile_find(p, t) : -ENOMEM;
	if (!ret) {
		take_size(t, functions, out);
		ret = take_place_sums(p, t, out);
	}
	for (size_t i = 0; i < functions->nblocks && !ret; i++) {
		t = model_tree(m, &each, functions->blocks[i].window);
		ret = t ? treeprofile_find(p, t) : -ENOMEM;
		if (!ret)
			ret = take_place_block(p, t, &functions->blocks[i], out);
	}
	return ret ? ret : profile_finish(out);
}
