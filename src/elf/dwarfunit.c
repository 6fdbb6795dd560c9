/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A unit's entries are walked once from its first byte to its last; no reference is followed.  Only
 * functions and what is inlined into them are looked at, all else is passed over.
 */
#include "elf/dwarfunit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "elf/dwarfconst.h"

#define LEVELS_MAX 512u /* entries inside each other */
#define HEADER_MAX 48u

/* --- the header ------------------------------------------------------------------------- */

/* Version 5 has a type, and for some types more behind the common part. */
static void head_rest(struct dwarf_unit *u, struct dwarf_cursor *c)
{
	u->type = DW_UT_compile;
	if (u->shape.version < 5) {
		u->abbrev = dwarf_fixed(c, u->shape.offset_size);
		u->shape.addr_size = (uint8_t)dwarf_fixed(c, 1);
		return;
	}
	u->type = (uint8_t)dwarf_fixed(c, 1);
	u->shape.addr_size = (uint8_t)dwarf_fixed(c, 1);
	u->abbrev = dwarf_fixed(c, u->shape.offset_size);
	if (u->type == DW_UT_skeleton || u->type == DW_UT_split_compile)
		dwarf_skip(c, 8); /* the id of its .dwo */
	else if (u->type == DW_UT_type || u->type == DW_UT_split_type)
		dwarf_skip(c, 8u + u->shape.offset_size);
}

int dwarf_unit_head(struct dwarf_file *f, uint64_t offset, struct dwarf_unit *u)
{
	struct dwarf_cursor c = dwarf_peek(f, DWARF_INFO, offset, HEADER_MAX);
	const uint8_t *start = c.at;
	uint64_t len, left;

	*u = (struct dwarf_unit){.file = f, .offset = offset};
	len = dwarf_length(&c, &u->shape.offset_size);
	left = f->part[DWARF_INFO].size - offset - (uint64_t)(c.at - start);
	if (c.failed || len > left)
		return -EINVAL;
	u->end = offset + (uint64_t)(c.at - start) + len;
	u->shape.version = (uint16_t)dwarf_fixed(&c, 2);
	if (u->shape.version < 2 || u->shape.version > 5)
		return 0; /* there is no root that we could read */
	head_rest(u, &c);
	u->die = offset + (uint64_t)(c.at - start);
	if (c.failed || u->die > u->end ||
	    (u->shape.addr_size != 4 && u->shape.addr_size != 8))
		return -EINVAL;
	return 0;
}

/* --- the root --------------------------------------------------------------------------- */

static uint64_t read_at(struct dwarf_file *f, enum dwarf_section s, uint64_t base, uint64_t index,
			unsigned bytes, bool *failed)
{
	struct dwarf_cursor c;
	uint64_t value;

	if (index > UINT32_MAX) {
		*failed = true;
		return 0;
	}
	c = dwarf_peek(f, s, base + index * bytes, bytes);
	value = dwarf_fixed(&c, bytes);
	*failed |= c.failed;
	return value;
}

static bool value_address(const struct dwarf_unit *u, const struct dwarf_value *v, uint64_t *addr)
{
	bool failed = false;

	*addr = v->n;
	if (v->kind == DWARF_ADDRX)
		*addr = read_at(u->file, DWARF_ADDR, u->addr_base, v->n, u->shape.addr_size, &failed);
	return !failed && (v->kind == DWARF_ADDRESS || v->kind == DWARF_ADDRX);
}

/* Addresses and names may need bases that the root says only later. */
struct root_values {
	struct dwarf_value low, high;
};

static void root_attr(struct dwarf_unit *u, struct root_values *r, uint32_t name,
		      const struct dwarf_value *v)
{
	switch (name) {
	case DW_AT_low_pc:
		r->low = *v;
		break;
	case DW_AT_high_pc:
		r->high = *v;
		break;
	case DW_AT_ranges:
		u->ranges = *v;
		break;
	case DW_AT_stmt_list:
		u->has_lines = v->kind == DWARF_OFFSET;
		u->stmt_list = v->n;
		break;
	case DW_AT_name:
		u->name = *v;
		break;
	case DW_AT_comp_dir:
		u->comp_dir = *v;
		break;
	case DW_AT_str_offsets_base:
		u->str_offsets_base = v->n;
		break;
	case DW_AT_addr_base:
	case DW_AT_GNU_addr_base:
		u->addr_base = v->n;
		break;
	case DW_AT_rnglists_base:
		u->rnglists_base = v->n;
		break;
	case DW_AT_GNU_ranges_base:
		u->ranges_base = v->n;
		break;
	default:
		break;
	}
}

static void root_code(struct dwarf_unit *u, const struct root_values *r)
{
	u->has_low = value_address(u, &r->low, &u->low);
	if (!u->has_low)
		u->low = 0;
	if (r->high.kind == DWARF_NUMBER && u->has_low) {
		u->has_high = true;
		u->high = u->low + r->high.n;
	} else {
		u->has_high = value_address(u, &r->high, &u->high);
	}
}

int dwarf_unit_root(struct dwarf_unit *u)
{
	struct dwarf_abbrevs a;
	struct root_values r = {0};
	struct dwarf_cursor c;
	const struct dwarf_abbrev *ab;
	uint64_t code;
	int ret;

	c = dwarf_peek(u->file, DWARF_INFO, u->die,
		       u->end - u->die < DWARF_WINDOW ? (size_t)(u->end - u->die) : DWARF_WINDOW);
	code = dwarf_uleb(&c);
	if (c.failed || !code)
		return -EINVAL;
	ret = dwarf_abbrevs_load(u->file, u->abbrev, &u->shape, code, &a);
	if (ret)
		return ret;
	ab = dwarf_abbrev_find(&a, code);
	u->tag = ab ? ab->tag : 0;
	for (uint32_t i = 0; ab && i < ab->nr && !c.failed; i++) {
		const struct dwarf_attr *attr = &a.attrs[ab->first + i];
		struct dwarf_value v;

		dwarf_value_read(&c, &u->shape, attr, &v);
		root_attr(u, &r, attr->name, &v);
	}
	dwarf_abbrevs_clear(&a);
	if (!ab || c.failed)
		return -EINVAL;
	root_code(u, &r);
	return 0;
}

bool dwarf_unit_text(const struct dwarf_unit *u, const struct dwarf_value *v, char *buf)
{
	bool failed = false;
	uint64_t at;

	*buf = '\0';
	switch (v->kind) {
	case DWARF_TEXT:
		if (strlen(v->text) >= DWARF_NAME_MAX)
			return false;
		strcpy(buf, v->text);
		return true;
	case DWARF_STRP:
		return dwarf_string(u->file, DWARF_STR, v->n, buf);
	case DWARF_LINE_STRP:
		return dwarf_string(u->file, DWARF_LINE_STR, v->n, buf);
	case DWARF_STRX:
		at = read_at(u->file, DWARF_STR_OFFSETS, u->str_offsets_base, v->n,
			     u->shape.offset_size, &failed);
		return !failed && dwarf_string(u->file, DWARF_STR, at, buf);
	default:
		return false;
	}
}

/* --- ranges ----------------------------------------------------------------------------- */

struct ranges {
	const struct dwarf_unit *unit;
	struct dwarf_file *file;
	enum dwarf_section section;
	uint64_t at;   /* of the next entry */
	uint64_t base; /* what offsets stand for */
	int (*add)(void *arg, uint64_t low, uint64_t high);
	void *arg;
};

static int range_add(const struct ranges *r, uint64_t low, uint64_t high)
{
	return low < high ? r->add(r->arg, low, high) : 0;
}

/* One pair of .debug_ranges.  0, 1: the list ends, or an error. */
static int pair_step(struct ranges *r, struct dwarf_cursor *c)
{
	unsigned bytes = r->unit->shape.addr_size;
	uint64_t low = dwarf_fixed(c, bytes), high = dwarf_fixed(c, bytes);

	if (c->failed)
		return -EINVAL;
	if (!low && !high)
		return 1;
	if (low != (bytes == 4 ? UINT32_MAX : UINT64_MAX))
		return range_add(r, r->base + low, r->base + high);
	r->base = high;
	return 0;
}

static uint64_t addr_at(const struct ranges *r, uint64_t index, bool *failed)
{
	return read_at(r->unit->file, DWARF_ADDR, r->unit->addr_base, index,
		       r->unit->shape.addr_size, failed);
}

/* One entry of .debug_rnglists: as pair_step. */
static int entry_step(struct ranges *r, struct dwarf_cursor *c)
{
	unsigned bytes = r->unit->shape.addr_size;
	unsigned kind = (unsigned)dwarf_fixed(c, 1);
	uint64_t low = 0, high = 0;
	bool failed = false;

	switch (kind) {
	case DW_RLE_end_of_list:
		return c->failed ? -EINVAL : 1;
	case DW_RLE_base_addressx:
		r->base = addr_at(r, dwarf_uleb(c), &failed);
		break;
	case DW_RLE_startx_endx:
		low = addr_at(r, dwarf_uleb(c), &failed);
		high = addr_at(r, dwarf_uleb(c), &failed);
		break;
	case DW_RLE_startx_length:
		low = addr_at(r, dwarf_uleb(c), &failed);
		high = low + dwarf_uleb(c);
		break;
	case DW_RLE_offset_pair:
		low = r->base + dwarf_uleb(c);
		high = r->base + dwarf_uleb(c);
		break;
	case DW_RLE_base_address:
		r->base = dwarf_fixed(c, bytes);
		break;
	case DW_RLE_start_end:
		low = dwarf_fixed(c, bytes);
		high = dwarf_fixed(c, bytes);
		break;
	case DW_RLE_start_length:
		low = dwarf_fixed(c, bytes);
		high = low + dwarf_uleb(c);
		break;
	default:
		return -EINVAL;
	}
	return c->failed || failed ? -EINVAL : range_add(r, low, high);
}

#define ENTRY_MAX 32u /* bytes: two numbers and a kind */

static int ranges_walk(struct ranges *r)
{
	int ret = 0;

	while (r->file->steps++ < DWARFUNIT_STEPS_MAX) {
		struct dwarf_cursor c = dwarf_peek(r->file, r->section, r->at, ENTRY_MAX);
		const uint8_t *start = c.at;

		ret = r->section == DWARF_RANGES ? pair_step(r, &c) : entry_step(r, &c);
		if (ret)
			return ret < 0 ? ret : 0;
		r->at += (uint64_t)(c.at - start);
	}
	return -EFBIG;
}

static int list_ranges(const struct dwarf_unit *u, const struct dwarf_value *v,
		       int (*add)(void *arg, uint64_t low, uint64_t high), void *arg)
{
	struct ranges r = {.unit = u, .file = u->file, .base = u->low, .at = v->n, .add = add,
			   .arg = arg, .section = DWARF_RNGLISTS};
	bool failed = false;

	if (u->shape.version < 5) {
		r.section = DWARF_RANGES;
		r.at += u->ranges_base;
	} else if (v->kind == DWARF_RNGLISTX) {
		r.at = u->rnglists_base + read_at(u->file, DWARF_RNGLISTS, u->rnglists_base, v->n,
						  u->shape.offset_size, &failed);
	}
	return failed ? -EINVAL : ranges_walk(&r);
}

static bool is_list(const struct dwarf_value *v)
{
	return v->kind == DWARF_OFFSET || v->kind == DWARF_RNGLISTX;
}

int dwarf_unit_ranges(const struct dwarf_unit *u, int (*add)(void *arg, uint64_t low, uint64_t high),
		      void *arg)
{
	if (is_list(&u->ranges))
		return list_ranges(u, &u->ranges, add, arg);
	if (u->has_low && u->has_high && u->low < u->high)
		return add(arg, u->low, u->high);
	return 0;
}

/* --- inlined functions ------------------------------------------------------------------ */

struct level {
	uint32_t function; /* + 1; 0: none with code */
	uint32_t depth;    /* of inlining */
};

struct walk {
	const struct dwarf_unit *unit;
	struct dwarf_inlines *out;
	struct dwarf_abbrevs abbrevs;
	struct level level[LEVELS_MAX];
	unsigned at; /* the level of the next entry */
	uint32_t nfunctions;
	struct dwarf_inline now; /* what ranges are added for */
	uint64_t die;
};

/* What an entry says, as far as it is of interest. */
struct entry {
	struct dwarf_value low, high, ranges, origin, file, line;
};

static void entry_read(const struct walk *w, struct dwarf_cursor *c, const struct dwarf_abbrev *ab,
		       struct entry *e)
{
	*e = (struct entry){0};
	for (uint32_t i = 0; i < ab->nr && !c->failed; i++) {
		const struct dwarf_attr *attr = &w->abbrevs.attrs[ab->first + i];
		struct dwarf_value *to = attr->name == DW_AT_low_pc	    ? &e->low
					 : attr->name == DW_AT_high_pc	    ? &e->high
					 : attr->name == DW_AT_ranges	    ? &e->ranges
					 : attr->name == DW_AT_abstract_origin ? &e->origin
					 : attr->name == DW_AT_call_file    ? &e->file
					 : attr->name == DW_AT_call_line    ? &e->line
									    : NULL;

		if (to)
			dwarf_value_read(c, &w->unit->shape, attr, to);
		else
			dwarf_value_skip(c, &w->unit->shape, attr->form);
	}
}

static void entry_skip(const struct walk *w, struct dwarf_cursor *c, const struct dwarf_abbrev *ab)
{
	if (ab->fixed) {
		dwarf_skip(c, ab->fixed);
		return;
	}
	for (uint32_t i = 0; i < ab->nr && !c->failed; i++)
		dwarf_value_skip(c, &w->unit->shape, w->abbrevs.attrs[ab->first + i].form);
}

static int entry_ranges(struct walk *w, const struct entry *e,
			int (*add)(void *arg, uint64_t low, uint64_t high))
{
	uint64_t low, high;

	if (is_list(&e->ranges))
		return list_ranges(w->unit, &e->ranges, add, w);
	if (!value_address(w->unit, &e->low, &low))
		return 0;
	if (e->high.kind == DWARF_NUMBER)
		high = low + e->high.n;
	else if (!value_address(w->unit, &e->high, &high))
		return 0;
	return low < high ? add(w, low, high) : 0;
}

static int add_function(void *arg, uint64_t low, uint64_t high)
{
	struct walk *w = arg;
	struct dwarf_inlines *out = w->out;

	if (!dwarf_is_code(w->unit->file, low))
		return 0;
	if (out->nfunctions >= DWARFUNIT_INLINES_MAX)
		return -EFBIG;
	if (!budget_reserve(w->unit->file->elf.budget, BUDGET_LINES, &out->functions, &out->cap_functions, out->nfunctions + 1,
			 sizeof(*out->functions)))
		return -ENOMEM;
	out->functions[out->nfunctions++] =
		(struct dwarf_function){.low = low, .high = high, .id = w->nfunctions, .die = w->die};
	return 0;
}

static int add_inline(void *arg, uint64_t low, uint64_t high)
{
	struct walk *w = arg;
	struct dwarf_inlines *out = w->out;

	if (out->nr >= DWARFUNIT_INLINES_MAX)
		return -EFBIG;
	if (!budget_reserve(w->unit->file->elf.budget, BUDGET_LINES, &out->list, &out->cap, out->nr + 1, sizeof(*out->list)))
		return -ENOMEM;
	w->now.low = low;
	w->now.high = high;
	w->now.order = (uint32_t)out->nr;
	out->list[out->nr++] = w->now;
	return 0;
}

static int walk_function(struct walk *w, const struct entry *e, struct level *inside)
{
	size_t had = w->out->nfunctions;
	int ret = entry_ranges(w, e, add_function);

	*inside = (struct level){0};
	if (w->out->nfunctions > had)
		inside->function = ++w->nfunctions;
	return ret;
}

static uint64_t origin_of(const struct dwarf_unit *u, const struct dwarf_value *v)
{
	switch (v->kind) {
	case DWARF_REF:
		return u->offset + v->n;
	case DWARF_REF_ADDR:
		return v->n;
	case DWARF_REF_ALT:
		return v->n | DWARF_ORIGIN_ALT;
	default:
		return 0;
	}
}

static int walk_inline(struct walk *w, const struct entry *e, struct level *inside)
{
	size_t had = w->out->nr;
	int ret;

	if (!inside->function)
		return 0; /* of a function that is only described */
	w->now = (struct dwarf_inline){
		.origin = origin_of(w->unit, &e->origin),
		.function = inside->function - 1,
		.file = e->file.kind == DWARF_NUMBER ? (uint32_t)e->file.n : 0,
		.line = e->line.kind == DWARF_NUMBER ? (uint32_t)e->line.n : 0,
		.depth = inside->depth + 1,
	};
	ret = entry_ranges(w, e, add_inline);
	inside->depth += w->out->nr > had;
	return ret;
}

static int walk_entry(struct walk *w, struct dwarf_cursor *c, const struct dwarf_abbrev *ab)
{
	struct level inside = w->level[w->at];
	struct entry e;
	int ret = 0;

	if (ab->tag == DW_TAG_subprogram || ab->tag == DW_TAG_inlined_subroutine) {
		entry_read(w, c, ab, &e);
		if (!c->failed)
			ret = ab->tag == DW_TAG_subprogram ? walk_function(w, &e, &inside)
							   : walk_inline(w, &e, &inside);
		if (ret == -EINVAL)
			ret = 0; /* a list of ranges that is broken takes no other with it */
	} else {
		entry_skip(w, c, ab);
	}
	if (!ab->children)
		return ret;
	if (w->at + 1 >= LEVELS_MAX)
		return -EINVAL;
	w->level[++w->at] = inside;
	return ret;
}

static int walk_unit(struct walk *w, struct dwarf_cursor *c, const uint8_t *base)
{
	while (c->at < c->end && !c->failed) {
		const struct dwarf_abbrev *ab;
		uint64_t code;
		int ret;

		w->die = w->unit->die + (uint64_t)(c->at - base);
		code = dwarf_uleb(c);
		if (!code) {
			if (w->at <= 1)
				return 0; /* what the root holds ends here */
			w->at--;
			continue;
		}
		ab = dwarf_abbrev_find(&w->abbrevs, code);
		ret = ab ? walk_entry(w, c, ab) : -EINVAL;
		if (ret)
			return ret;
	}
	return c->failed ? -EINVAL : 0;
}

static int inline_compare(const void *left, const void *right)
{
	const struct dwarf_inline *a = left, *b = right;

	if (a->function != b->function)
		return a->function < b->function ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

static int function_compare(const void *left, const void *right)
{
	const struct dwarf_function *a = left, *b = right;

	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	return (a->id > b->id) - (a->id < b->id);
}

int dwarf_inlines_read(const struct dwarf_unit *u, struct dwarf_inlines *out)
{
	struct budget *b = u->file->elf.budget;
	struct walk *w = calloc(1, sizeof(*w));
	struct dwarf_cursor c;
	void *owned = NULL;
	int ret = -ENOMEM;

	*out = (struct dwarf_inlines){0};
	if (w) {
		w->unit = u;
		w->out = out;
		ret = 0;
	}
	if (!ret)
		ret = dwarf_abbrevs_load(u->file, u->abbrev, &u->shape, 0, &w->abbrevs);
	if (!ret)
		ret = dwarf_load(u->file, DWARF_INFO, u->die, u->end - u->die, &c, &owned);
	u->file->steps = 0;
	if (!ret)
		ret = walk_unit(w, &c, c.at);
	if (w)
		dwarf_abbrevs_clear(&w->abbrevs);
	free(w);
	budget_free(owned);
	if (!budget_sort(b, out->list, out->nr, sizeof(*out->list), inline_compare) ||
	    !budget_sort(b, out->functions, out->nfunctions, sizeof(*out->functions), function_compare))
		ret = -ENOMEM;
	if (ret == -ENOMEM)
		dwarf_inlines_clear(out);
	return ret;
}

void dwarf_inlines_clear(struct dwarf_inlines *l)
{
	budget_free(l->functions);
	budget_free(l->list);
	*l = (struct dwarf_inlines){0};
}

/* --- look-up ---------------------------------------------------------------------------- */

#define OVERLAPS 16 /* functions that may begin in another one's stretch */

static const struct dwarf_function *function_find(const struct dwarf_inlines *l, uint64_t addr)
{
	size_t above = SEARCH_ABOVE(l->functions, l->nfunctions, low, addr);

	for (size_t i = above; i > 0 && above - i < OVERLAPS; i--)
		if (addr < l->functions[i - 1].high)
			return &l->functions[i - 1];
	return NULL;
}

static size_t inlines_of(const struct dwarf_inlines *l, uint32_t function)
{
	size_t low = 0, high = l->nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (l->list[mid].function < function)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

size_t dwarf_inlines_find(const struct dwarf_inlines *l, uint64_t addr,
			  const struct dwarf_inline **chain, size_t max,
			  const struct dwarf_function **f)
{
	size_t nr = 0;

	*f = function_find(l, addr);
	if (!*f)
		return 0;
	for (size_t i = inlines_of(l, (*f)->id); i < l->nr && nr < max; i++) {
		const struct dwarf_inline *in = &l->list[i];

		if (in->function != (*f)->id)
			break;
		if (in->depth == nr + 1 && addr >= in->low && addr < in->high)
			chain[nr++] = in;
	}
	return nr;
}
