/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/code/sourcelines.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/text.h"

/* The file of the function itself, not of code inlined into it; 0: not known. */
static uint32_t own_file(const struct code *c)
{
	for (size_t i = 0; i < c->ninsns; i++)
		if (c->insns[i].file && !c->insns[i].inlined)
			return c->insns[i].file;
	return 0;
}

struct order {
	const struct code *code;
	uint32_t own;
};

/* Compare by file and line; rows without a line come last. */
static int line_compare(const void *left, const void *right, void *arg)
{
	const struct listing_row *a = left, *b = right;
	const struct order *o = arg;
	const struct code *c = o->code;

	if (!a->file != !b->file)
		return a->file ? -1 : 1;
	if (a->file != b->file && (a->file == o->own || b->file == o->own))
		return a->file == o->own ? -1 : 1;
	if (a->file != b->file) {
		int order = strcmp(code_text(c, a->file), code_text(c, b->file));

		/* The code's texts may contain one name twice. */
		if (order)
			return order;
	}
	return (a->line > b->line) - (a->line < b->line);
}

static bool is_same_line(const struct code *c, const struct listing_row *a, uint32_t file,
			 uint32_t line)
{
	return a->line == line &&
	       (a->file == file ||
		(a->file && file && !strcmp(code_text(c, a->file), code_text(c, file))));
}

/* Merge the rows of each line into one, which points to the hottest of its instructions. */
static void merge_line_rows(struct listing *l, size_t first)
{
	const struct code *c = l->sheet->code;
	size_t kept = first;
	uint64_t most = 0;

	for (size_t i = first; i < l->nr; i++) {
		struct listing_row *r = &l->row[i], *to = &l->row[kept - (kept > first)];

		if (kept == first || !is_same_line(c, to, r->file, r->line)) {
			most = r->weight;
			l->row[kept++] = *r;
			continue;
		}
		if (r->ninsns && (!to->ninsns || r->weight > most)) {
			most = r->weight;
			to->addr = r->addr;
			to->index = r->index;
		}
		to->ninsns += r->ninsns;
		to->samples += r->samples;
		to->weight += r->weight;
		to->was_samples += r->was_samples;
		to->was_weight += r->was_weight;
	}
	l->nr = kept;
}

static bool add_line_row(struct listing *l, const struct listing_row *row)
{
	struct listing_row *r = listing_add(l, LISTING_LINE, row->addr, 0);

	if (!r)
		return false;
	*r = *row;
	r->kind = LISTING_LINE;
	return true;
}

const struct code_sheet *sourcelines_sheet(const struct code_sheet *s, enum listing_mode mode,
					   struct code_sheet *by)
{
	if (!s || mode != LISTING_LINES)
		return s;
	*by = code_sheet_by_line(s);
	return by;
}

/* Add the heat of samples that have a line but no address. */
static bool add_lined(struct listing *l)
{
	for (size_t i = 0; i < l->sheet->nlined; i++) {
		const struct code_line_heat *h = &l->sheet->lined[i];

		if (!add_line_row(l, &(struct listing_row){.file = h->file,
							   .line = h->line,
							   .samples = h->samples,
							   .weight = h->weight}))
			return false;
	}
	for (size_t i = 0; l->was && i < l->was->nlined; i++) {
		const struct code_line_heat *h = &l->was->lined[i];

		if (!add_line_row(l, &(struct listing_row){.file = h->file,
							   .line = h->line,
							   .was_samples = h->samples,
							   .was_weight = h->weight}))
			return false;
	}
	return true;
}

bool sourcelines_add(struct listing *l)
{
	const struct code *c = l->sheet->code;
	struct order order = {c, own_file(c)};
	struct listing_heats h = listing_heat_first(l);
	size_t first = l->nr;

	for (size_t i = 0; i < c->nsources; i++)
		if (!add_line_row(l, &(struct listing_row){.file = c->sources[i].file,
							   .line = c->sources[i].line}))
			return false;
	for (size_t i = 0; i < c->ninsns; i++) {
		const struct code_insn *in = &c->insns[i];
		struct listing_row r = {.addr = in->addr,
					.file = in->line ? in->file : 0,
					.index = (uint32_t)i,
					.ninsns = 1};

		r.line = r.file ? in->line : 0;
		listing_heat(l, in, &h, &r);
		if (!add_line_row(l, &r))
			return false;
	}
	if (!add_lined(l))
		return false;
	qsort_r(l->row + first, l->nr - first, sizeof(*l->row), line_compare, &order);
	merge_line_rows(l, first);
	for (size_t i = first; i < l->nr; i++) {
		const char *file = code_text(c, l->row[i].file);

		/* Never 0, which is no key. */
		l->row[i].key =
			hash_mix(hash_bytes(file, strlen(file)), l->row[i].line) | 1u << 3 | 1;
	}
	return true;
}

uint64_t sourcelines_key(const struct listing *l, const struct code_insn *in)
{
	for (size_t i = 0; i < l->nr; i++)
		if (l->row[i].kind == LISTING_LINE && l->row[i].ninsns &&
		    is_same_line(l->sheet->code, &l->row[i], in->line ? in->file : 0,
				 in->file ? in->line : 0))
			return l->row[i].key;
	return 0;
}

void sourcelines_text(const struct listing *l, const struct listing_row *r, char *buf, size_t size)
{
	const struct code *c = l->sheet->code;
	const struct code_source *s = code_find_source(c, r->file, r->line);
	size_t pos = 0;

	buf[0] = '\0';
	if (!r->file) {
		text_append(buf, size, 0, "%u instructions without known lines", r->ninsns);
		return;
	}
	if (r == l->row || r[-1].kind != LISTING_LINE || r[-1].file != r->file)
		pos = text_escape(buf, size, text_base(code_text(c, r->file)));
	pos = text_append(buf, size, pos, pos ? ":%-4u " : "%5u ", r->line);
	if (s)
		listing_source(c, s, buf + pos, size - pos);
}
