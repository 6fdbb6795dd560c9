/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nothing here follows a reference from one entry to another, and every count is held against the
 * bytes that it would have to fill.
 */
#include "elf/dwarf.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elf/dwarfconst.h"
#include "elf/unpack.h"

#define ABBREVS_FIRST (8u << 10) /* bytes looked at first; a table does not tell its length */
#define ABBREVS_MAX   (8u << 20)

static const char *const section_names[DWARF_SECTIONS] = {
	[DWARF_INFO] = "info",	   [DWARF_ABBREV] = "abbrev",	    [DWARF_LINE] = "line",
	[DWARF_STR] = "str",	   [DWARF_LINE_STR] = "line_str",   [DWARF_RANGES] = "ranges",
	[DWARF_RNGLISTS] = "rnglists", [DWARF_ADDR] = "addr", [DWARF_STR_OFFSETS] = "str_offsets",
};

const char *dwarf_text(struct dwarf_cursor *c)
{
	const uint8_t *text = c->at, *nul = memchr(text, 0, (size_t)(c->end - text));

	if (!nul) {
		c->failed = true;
		c->at = c->end;
		return "";
	}
	c->at = nul + 1;
	return (const char *)text;
}

uint64_t dwarf_length(struct dwarf_cursor *c, uint8_t *offset_size)
{
	uint64_t len = dwarf_fixed(c, 4);

	*offset_size = 4;
	if (len == 0xffffffff) {
		*offset_size = 8;
		return dwarf_fixed(c, 8);
	}
	if (len >= 0xfffffff0) /* reserved */
		c->failed = true;
	return len;
}

static int part_unpack(struct dwarf_file *f, struct dwarf_part *part, const Elf64_Shdr *s)
{
	struct unpack p;
	int ret = unpack_read(&f->elf, s, &p);

	if (ret)
		return ret;
	if (p.size > DWARF_UNPACK_MAX || f->bytes + p.size > DWARF_UNPACK_MAX)
		return -EFBIG;
	part->data = budget_alloc(f->elf.budget, BUDGET_LINES, p.size + 1);
	if (!part->data)
		return -ENOMEM;
	f->bytes += p.size;
	part->size = p.size;
	return unpack_into(&f->elf, &p, part->data);
}

/* --- files ------------------------------------------------------------------------------ */

static int part_open(struct dwarf_file *f, enum dwarf_section i)
{
	struct dwarf_part *part = &f->part[i];
	bool packed;
	const Elf64_Shdr *s = unpack_find(&f->elf, section_names[i], &packed);

	if (!s || s->sh_type == SHT_NOBITS)
		return 0;
	if (packed)
		return part_unpack(f, part, s);
	if (s->sh_offset + s->sh_size < s->sh_offset || s->sh_offset + s->sh_size > f->elf.size)
		return -EINVAL;
	part->offset = s->sh_offset;
	part->size = s->sh_size;
	return 0;
}

static void parts_clear(struct dwarf_file *f)
{
	for (int i = 0; i < DWARF_SECTIONS; i++) {
		budget_free(f->part[i].data);
		budget_free(f->part[i].window);
	}
}

int dwarf_open(struct dwarf_file *f, const struct elffile *elf, struct err *err)
{
	int ret = 0;

	*f = (struct dwarf_file){.elf = *elf};
	for (int i = 0; i < DWARF_SECTIONS && !ret; i++)
		ret = part_open(f, i);
	if (!ret && (!f->part[DWARF_INFO].size || !f->part[DWARF_ABBREV].size))
		ret = -ENOENT;
	if (!ret)
		return 0;
	parts_clear(f);
	if (ret == -EFBIG)
		return err_set(err, EFBIG, "its debug information is compressed and larger than %u MB",
			       DWARF_UNPACK_MAX >> 20);
	return err_set(err, -ret, ret == -ENOENT ? "it has no debug information"
						 : "its debug information: %s", strerror(-ret));
}

void dwarf_close(struct dwarf_file *f)
{
	parts_clear(f);
	elffile_close(&f->elf);
	*f = (struct dwarf_file){.elf = {.fd = -1}};
}

static bool window_fill(struct dwarf_file *f, struct dwarf_part *part, uint64_t offset, size_t len)
{
	uint64_t left = part->size - offset;

	if (offset >= part->at && offset - part->at <= part->len &&
	    len <= part->len - (offset - part->at))
		return true;
	if (!part->window && !(part->window = budget_alloc(f->elf.budget, BUDGET_LINES, DWARF_WINDOW)))
		return false;
	part->at = offset;
	part->len = left < DWARF_WINDOW ? left : DWARF_WINDOW;
	if (!elffile_read(&f->elf, part->offset + offset, part->window, part->len))
		return true;
	part->len = 0;
	return false;
}

struct dwarf_cursor dwarf_peek(struct dwarf_file *f, enum dwarf_section s, uint64_t offset, size_t len)
{
	static const uint8_t none[1];
	struct dwarf_part *part = &f->part[s];
	const uint8_t *at;

	if (offset >= part->size)
		return (struct dwarf_cursor){none, none, true};
	if (len > DWARF_WINDOW)
		len = DWARF_WINDOW;
	if (len > part->size - offset)
		len = part->size - offset;
	if (part->data)
		at = part->data + offset;
	else if (window_fill(f, part, offset, len))
		at = part->window + (offset - part->at);
	else
		return (struct dwarf_cursor){none, none, true};
	return (struct dwarf_cursor){at, at + len, false};
}

int dwarf_load(struct dwarf_file *f, enum dwarf_section s, uint64_t offset, uint64_t len,
	       struct dwarf_cursor *c, void **owned)
{
	struct dwarf_part *part = &f->part[s];
	int ret = -EINVAL;

	*owned = NULL;
	if (offset > part->size || len > part->size - offset)
		return -EINVAL;
	if (len > DWARF_LOAD_MAX)
		return -EFBIG;
	if (part->data) {
		*c = (struct dwarf_cursor){part->data + offset, part->data + offset + len, false};
		return 0;
	}
	*owned = elffile_load(&f->elf, part->offset + offset, len, DWARF_LOAD_MAX, &ret);
	if (!*owned)
		return ret;
	*c = (struct dwarf_cursor){*owned, (uint8_t *)*owned + len, false};
	return 0;
}

bool dwarf_string(struct dwarf_file *f, enum dwarf_section s, uint64_t offset, char *buf)
{
	struct dwarf_cursor c = dwarf_peek(f, s, offset, 256);
	const char *text;

	if (!c.failed && !memchr(c.at, 0, (size_t)(c.end - c.at)))
		c = dwarf_peek(f, s, offset, DWARF_NAME_MAX);
	text = dwarf_text(&c);
	*buf = '\0';
	if (!c.failed)
		strcpy(buf, text);
	return !c.failed;
}

bool dwarf_is_code(const struct dwarf_file *f, uint64_t addr)
{
	for (unsigned i = 0; addr && i < f->elf.nsegments; i++) {
		const Elf64_Phdr *p = &f->elf.segments[i];

		if (p->p_type == PT_LOAD && p->p_flags & PF_X && addr - p->p_vaddr < p->p_memsz)
			return true;
	}
	return false;
}

/* --- forms ------------------------------------------------------------------------------ */

/* How a form is stored. */
enum store {
	STORE_UNKNOWN, STORE_FIXED, STORE_ADDR, STORE_OFFSET, STORE_REF_ADDR, STORE_ULEB, STORE_SLEB,
	STORE_TEXT, STORE_BLOCK, STORE_BLOCK_ULEB, STORE_INDIRECT, STORE_IMPLICIT
};

struct form {
	uint8_t store, bytes; /* of STORE_FIXED, and of a STORE_BLOCK's length */
	uint8_t kind;         /* enum dwarf_kind */
};

static const struct form forms[] = {
	[DW_FORM_addr] = {STORE_ADDR, 0, DWARF_ADDRESS},
	[DW_FORM_block2] = {STORE_BLOCK, 2, DWARF_NONE},
	[DW_FORM_block4] = {STORE_BLOCK, 4, DWARF_NONE},
	[DW_FORM_data2] = {STORE_FIXED, 2, DWARF_NUMBER},
	[DW_FORM_data4] = {STORE_FIXED, 4, DWARF_NUMBER},
	[DW_FORM_data8] = {STORE_FIXED, 8, DWARF_NUMBER},
	[DW_FORM_string] = {STORE_TEXT, 0, DWARF_TEXT},
	[DW_FORM_block] = {STORE_BLOCK_ULEB, 0, DWARF_NONE},
	[DW_FORM_block1] = {STORE_BLOCK, 1, DWARF_NONE},
	[DW_FORM_data1] = {STORE_FIXED, 1, DWARF_NUMBER},
	[DW_FORM_flag] = {STORE_FIXED, 1, DWARF_NUMBER},
	[DW_FORM_sdata] = {STORE_SLEB, 0, DWARF_NUMBER},
	[DW_FORM_strp] = {STORE_OFFSET, 0, DWARF_STRP},
	[DW_FORM_udata] = {STORE_ULEB, 0, DWARF_NUMBER},
	[DW_FORM_ref_addr] = {STORE_REF_ADDR, 0, DWARF_REF_ADDR},
	[DW_FORM_ref1] = {STORE_FIXED, 1, DWARF_REF},
	[DW_FORM_ref2] = {STORE_FIXED, 2, DWARF_REF},
	[DW_FORM_ref4] = {STORE_FIXED, 4, DWARF_REF},
	[DW_FORM_ref8] = {STORE_FIXED, 8, DWARF_REF},
	[DW_FORM_ref_udata] = {STORE_ULEB, 0, DWARF_REF},
	[DW_FORM_indirect] = {STORE_INDIRECT, 0, DWARF_NONE},
	[DW_FORM_sec_offset] = {STORE_OFFSET, 0, DWARF_OFFSET},
	[DW_FORM_exprloc] = {STORE_BLOCK_ULEB, 0, DWARF_NONE},
	[DW_FORM_flag_present] = {STORE_FIXED, 0, DWARF_NUMBER},
	[DW_FORM_strx] = {STORE_ULEB, 0, DWARF_STRX},
	[DW_FORM_addrx] = {STORE_ULEB, 0, DWARF_ADDRX},
	[DW_FORM_ref_sup4] = {STORE_FIXED, 4, DWARF_REF_ALT},
	[DW_FORM_strp_sup] = {STORE_OFFSET, 0, DWARF_STRP_ALT},
	[DW_FORM_data16] = {STORE_FIXED, 16, DWARF_NONE},
	[DW_FORM_line_strp] = {STORE_OFFSET, 0, DWARF_LINE_STRP},
	[DW_FORM_ref_sig8] = {STORE_FIXED, 8, DWARF_NONE},
	[DW_FORM_implicit_const] = {STORE_IMPLICIT, 0, DWARF_NUMBER},
	[DW_FORM_loclistx] = {STORE_ULEB, 0, DWARF_NONE},
	[DW_FORM_rnglistx] = {STORE_ULEB, 0, DWARF_RNGLISTX},
	[DW_FORM_ref_sup8] = {STORE_FIXED, 8, DWARF_REF_ALT},
	[DW_FORM_strx1] = {STORE_FIXED, 1, DWARF_STRX},
	[DW_FORM_strx2] = {STORE_FIXED, 2, DWARF_STRX},
	[DW_FORM_strx3] = {STORE_FIXED, 3, DWARF_STRX},
	[DW_FORM_strx4] = {STORE_FIXED, 4, DWARF_STRX},
	[DW_FORM_addrx1] = {STORE_FIXED, 1, DWARF_ADDRX},
	[DW_FORM_addrx2] = {STORE_FIXED, 2, DWARF_ADDRX},
	[DW_FORM_addrx3] = {STORE_FIXED, 3, DWARF_ADDRX},
	[DW_FORM_addrx4] = {STORE_FIXED, 4, DWARF_ADDRX},
};

static const struct {
	uint32_t form;
	struct form how;
} gnu_forms[] = {
	{DW_FORM_GNU_addr_index, {STORE_ULEB, 0, DWARF_ADDRX}},
	{DW_FORM_GNU_str_index, {STORE_ULEB, 0, DWARF_STRX}},
	{DW_FORM_GNU_ref_alt, {STORE_OFFSET, 0, DWARF_REF_ALT}},
	{DW_FORM_GNU_strp_alt, {STORE_OFFSET, 0, DWARF_STRP_ALT}},
};

static struct form form_of(uint32_t form)
{
	if (form < sizeof(forms) / sizeof(*forms))
		return forms[form];
	for (size_t i = 0; i < sizeof(gnu_forms) / sizeof(*gnu_forms); i++)
		if (gnu_forms[i].form == form)
			return gnu_forms[i].how;
	return (struct form){STORE_UNKNOWN, 0, DWARF_NONE};
}

/* Bytes of a form that always takes as many in this unit; -1: it varies. */
static int form_bytes(struct form f, const struct dwarf_shape *shape)
{
	switch (f.store) {
	case STORE_FIXED:
		return f.bytes;
	case STORE_ADDR:
		return shape->addr_size;
	case STORE_OFFSET:
		return shape->offset_size;
	case STORE_REF_ADDR: /* version 2 mistook it for an address */
		return shape->version <= 2 ? shape->addr_size : shape->offset_size;
	case STORE_IMPLICIT:
		return 0;
	default:
		return -1;
	}
}

static void skip_block(struct dwarf_cursor *c, uint64_t len)
{
	if (!c->failed)
		dwarf_skip(c, len);
}

void dwarf_value_skip(struct dwarf_cursor *c, const struct dwarf_shape *shape, uint32_t form)
{
	struct form f = form_of(form);
	int bytes = form_bytes(f, shape);

	if (f.store == STORE_INDIRECT) {
		f = form_of((uint32_t)dwarf_uleb(c));
		bytes = form_bytes(f, shape);
	}
	if (bytes >= 0)
		dwarf_skip(c, (unsigned)bytes);
	else if (f.store == STORE_ULEB || f.store == STORE_SLEB)
		dwarf_uleb(c);
	else if (f.store == STORE_TEXT)
		dwarf_text(c);
	else if (f.store == STORE_BLOCK)
		skip_block(c, dwarf_fixed(c, f.bytes));
	else if (f.store == STORE_BLOCK_ULEB)
		skip_block(c, dwarf_uleb(c));
	else
		c->failed = true;
}

void dwarf_value_read(struct dwarf_cursor *c, const struct dwarf_shape *shape,
		      const struct dwarf_attr *attr, struct dwarf_value *v)
{
	uint32_t form = attr->form;
	struct form f = form_of(form);
	int bytes;

	if (f.store == STORE_INDIRECT) {
		form = (uint32_t)dwarf_uleb(c);
		f = form_of(form);
	}
	bytes = form_bytes(f, shape);
	*v = (struct dwarf_value){.kind = f.kind};
	if (f.store == STORE_IMPLICIT && form == attr->form)
		v->n = (uint64_t)attr->value;
	else if (f.store == STORE_IMPLICIT || f.store == STORE_UNKNOWN || f.store == STORE_INDIRECT)
		c->failed = true;
	else if (form == DW_FORM_flag_present)
		v->n = 1;
	else if (f.kind == DWARF_NONE)
		dwarf_value_skip(c, shape, form);
	else if (bytes >= 0)
		v->n = dwarf_fixed(c, (unsigned)bytes);
	else if (f.store == STORE_ULEB)
		v->n = dwarf_uleb(c);
	else if (f.store == STORE_SLEB)
		v->n = (uint64_t)dwarf_sleb(c);
	else
		v->text = dwarf_text(c);
	/* Before version 4 offsets had no form of their own. */
	if (shape->version < 4 && (form == DW_FORM_data4 || form == DW_FORM_data8) &&
	    (attr->name == DW_AT_ranges || attr->name == DW_AT_stmt_list))
		v->kind = DWARF_OFFSET;
}

/* --- abbreviations ---------------------------------------------------------------------- */

static int abbrev_read(struct dwarf_cursor *c, const struct dwarf_shape *shape, uint64_t code,
		       struct dwarf_abbrevs *a)
{
	struct dwarf_abbrev *to;
	bool varies = false;

	if (!budget_reserve(a->budget, BUDGET_LINES, &a->list, &a->cap, a->nr + 1, sizeof(*a->list)))
		return -ENOMEM;
	to = &a->list[a->nr];
	*to = (struct dwarf_abbrev){.code = code, .first = (uint32_t)a->nattrs};
	to->tag = (uint32_t)dwarf_uleb(c);
	to->children = dwarf_fixed(c, 1);
	for (;;) {
		struct dwarf_attr attr = {.name = (uint32_t)dwarf_uleb(c)};
		int bytes;

		attr.form = (uint32_t)dwarf_uleb(c);
		if (attr.form == DW_FORM_implicit_const)
			attr.value = dwarf_sleb(c);
		if (c->failed || (!attr.name && !attr.form))
			break;
		if (!budget_reserve(a->budget, BUDGET_LINES, &a->attrs, &a->cap_attrs, a->nattrs + 1, sizeof(*a->attrs)))
			return -ENOMEM;
		a->attrs[a->nattrs++] = attr;
		to->nr++;
		bytes = form_bytes(form_of(attr.form), shape);
		varies |= bytes < 0;
		to->fixed += bytes > 0 ? (uint32_t)bytes : 0;
	}
	to->fixed = varies ? 0 : to->fixed;
	a->nr += !c->failed;
	return 0;
}

static int code_compare(const void *left, const void *right)
{
	const struct dwarf_abbrev *a = left, *b = right;

	return (a->code > b->code) - (a->code < b->code);
}

/* 0, 1: it goes on behind the cursor's end, or -ENOMEM. */
static int table_read(struct dwarf_cursor *c, const struct dwarf_shape *shape, uint64_t only,
		      struct dwarf_abbrevs *a)
{
	bool sorted = true;
	uint64_t code, before = 0;

	a->nr = a->nattrs = 0;
	while ((code = dwarf_uleb(c)) && !c->failed) {
		int ret = abbrev_read(c, shape, code, a);

		if (ret)
			return ret;
		sorted &= code > before;
		before = code;
		if (code == only)
			break;
	}
	if (c->failed)
		return 1;
	if (!sorted)
		qsort(a->list, a->nr, sizeof(*a->list), code_compare);
	return 0;
}

int dwarf_abbrevs_load(struct dwarf_file *f, uint64_t offset, const struct dwarf_shape *shape,
		       uint64_t only, struct dwarf_abbrevs *a)
{
	uint64_t left = f->part[DWARF_ABBREV].size - offset;
	int ret = 1;

	*a = (struct dwarf_abbrevs){.budget = f->elf.budget};
	if (offset > f->part[DWARF_ABBREV].size)
		return -EINVAL;
	for (uint64_t len = ABBREVS_FIRST; ret == 1; len *= 4) {
		struct dwarf_cursor c;
		void *owned;

		ret = dwarf_load(f, DWARF_ABBREV, offset, len < left ? len : left, &c, &owned);
		if (!ret)
			ret = table_read(&c, shape, only, a);
		budget_free(owned);
		if (ret == 1 && (len >= left || len >= ABBREVS_MAX))
			ret = len >= left ? -EINVAL : -EFBIG;
	}
	if (ret)
		dwarf_abbrevs_clear(a);
	return ret;
}

void dwarf_abbrevs_clear(struct dwarf_abbrevs *a)
{
	budget_free(a->list);
	budget_free(a->attrs);
	*a = (struct dwarf_abbrevs){0};
}

const struct dwarf_abbrev *dwarf_abbrev_find(const struct dwarf_abbrevs *a, uint64_t code)
{
	struct dwarf_abbrev key = {.code = code};

	/* Compilers number them from 1. */
	if (code - 1 < a->nr && a->list[code - 1].code == code)
		return &a->list[code - 1];
	return a->nr ? bsearch(&key, a->list, a->nr, sizeof(key), code_compare) : NULL;
}
