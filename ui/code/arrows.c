/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/code/arrows.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/text.h"
#include "base/vec.h"

#define REACH_MAX 4096u /* instructions that a line may pass; the eye loses longer ones */

/* All jumps to one target: first to last are the instructions that its line passes. */
struct arrows_group {
	uint32_t target, first, last; /* indices of instructions */
};

void arrows_free(struct arrows *a)
{
	free(a->row);
	free(a->group);
	*a = (struct arrows){.nr = 0};
}

COMPARE_BY(group_by_target, struct arrows_group, target)

static int group_by_length(const void *left, const void *right)
{
	const struct arrows_group *a = left, *b = right;

	return COMPARE(a->last - a->first, b->last - b->first) ?: group_by_target(left, right);
}

/* Index of the instruction that a jump goes to inside the page, or -1. */
static long jump_target(const struct code *c, size_t insn)
{
	const struct code_insn *in = &c->insns[insn];

	return in->flow == CODE_JUMP && in->target ? code_find(c, in->target) : -1;
}

/* Collect the groups, sorted by target, and their number.  False: out of memory. */
static bool collect_jump_groups(struct arrows *a, const struct code *c, size_t *groups)
{
	size_t nr = 0, kept = 0;

	for (size_t i = 0; i < c->ninsns; i++) {
		long to = jump_target(c, i);
		uint32_t low, high;

		if (to < 0)
			continue;
		if (!vec_reserve(&a->group, &a->cap_groups, nr + 1, sizeof(*a->group)))
			return false;
		low = (uint32_t)((size_t)to < i ? (size_t)to : i);
		high = (uint32_t)((size_t)to < i ? i : (size_t)to);
		a->group[nr++] = (struct arrows_group){(uint32_t)to, low, high};
	}
	if (nr)
		qsort(a->group, nr, sizeof(*a->group), group_by_target);
	for (size_t i = 0; i < nr; i++) {
		struct arrows_group *g = &a->group[i], *before = kept ? &a->group[kept - 1] : NULL;

		if (!before || before->target != g->target) {
			a->group[kept++] = *g;
			continue;
		}
		before->first = g->first < before->first ? g->first : before->first;
		before->last = g->last > before->last ? g->last : before->last;
	}
	*groups = kept;
	return true;
}

/* Draw the group's line in the innermost free lane, if any. */
static void place_jump_group(struct arrows *a, const struct arrows_group *g)
{
	uint8_t taken = 0, bit;

	if (g->last - g->first > REACH_MAX)
		return;
	for (uint32_t i = g->first; i <= g->last; i++)
		taken |= a->row[i].up | a->row[i].down | a->row[i].join;
	for (unsigned lane = 0; lane < a->lanes; lane++) {
		bit = (uint8_t)(1u << lane);
		if (taken & bit)
			continue;
		for (uint32_t i = g->first; i <= g->last; i++) {
			a->row[i].up |= i > g->first ? bit : 0;
			a->row[i].down |= i < g->last ? bit : 0;
		}
		a->row[g->target].join |= bit;
		a->row[g->target].marks |= ARROWS_TARGET;
		return;
	}
}

/* Join jumps to their targets' lanes: until here a row joins only the lane of jumps to it. */
static void join_sources(struct arrows *a, const struct code *c)
{
	uint8_t *joins = calloc(c->ninsns + 1, 1);

	for (size_t i = 0; i < c->ninsns; i++) {
		long to = jump_target(c, i);
		uint8_t lane = to >= 0 ? a->row[to].join : 0;

		if (joins)
			joins[i] = lane;
		if (to >= 0 && (!lane || !joins))
			a->row[i].marks |= (size_t)to <= i ? ARROWS_UPWARDS : ARROWS_DOWNWARDS;
	}
	for (size_t i = 0; joins && i < c->ninsns; i++)
		a->row[i].join |= joins[i];
	free(joins);
}

bool arrows_build(struct arrows *a, const struct code *c, uint64_t serial, unsigned lanes)
{
	size_t groups;

	if (a->serial == serial && a->lanes == lanes && serial)
		return true;
	a->serial = 0;
	a->lanes = lanes < ARROWS_LANES ? lanes : ARROWS_LANES;
	a->nr = c->ninsns;
	if (!vec_reserve(&a->row, &a->cap, a->nr + 1, sizeof(*a->row)) ||
	    !collect_jump_groups(a, c, &groups)) {
		a->nr = 0;
		return false;
	}
	memset(a->row, 0, (a->nr + 1) * sizeof(*a->row));
	if (groups)
		qsort(a->group, groups, sizeof(*a->group), group_by_length);
	for (size_t i = 0; i < groups; i++)
		place_jump_group(a, &a->group[i]);
	join_sources(a, c);
	a->serial = serial;
	return true;
}

static const char *glyph(const struct arrows_row *r, unsigned lane)
{
	bool up = r->up >> lane & 1, down = r->down >> lane & 1, join = r->join >> lane & 1;

	if (r->join >> lane >> 1) /* a line in an outer lane crosses */
		return up || down ? "┼" : "─";
	if (join)
		return up && down ? "├" : down ? "┌" : up ? "└" : "─";
	return up || down ? "│" : " ";
}

void arrows_text(const struct arrows *a, size_t insn, char *buf, size_t size)
{
	static const struct arrows_row none;
	const struct arrows_row *r = insn < a->nr ? &a->row[insn] : &none;
	size_t pos = 0;

	for (unsigned lane = a->lanes; lane-- > 0;)
		pos = text_append(buf, size, pos, "%s", glyph(r, lane));
	text_append(buf, size, pos, "%s",
		    r->marks & ARROWS_UPWARDS     ? "↑"
		    : r->marks & ARROWS_DOWNWARDS ? "↓"
		    : r->marks & ARROWS_TARGET    ? "→"
		    : r->join                     ? "─"
						  : " ");
}

void arrows_text_above(const struct arrows *a, size_t insn, char *buf, size_t size)
{
	size_t pos = 0;

	for (unsigned lane = a->lanes; lane-- > 0;)
		pos = text_append(buf, size, pos, "%s",
				  insn < a->nr && a->row[insn].up >> lane & 1 ? "│" : " ");
	text_append(buf, size, pos, " ");
}
