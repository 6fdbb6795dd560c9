/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program of the table runs once, from end to end, so its time and its rows are bounded by its
 * length.  Sequences whose start is no code (the linker dropped it) or that overlap an earlier one
 * are left out: their addresses are not theirs.
 */
#include "elf/dwarfline.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "elf/dwarfconst.h"

#define FORMATS_MAX 32u

struct sequence {
	size_t first, nr;
	uint64_t start, end;
};

struct program {
	struct dwarf_file *file;
	struct dwarf_shape shape;
	struct intern *paths;
	const char *comp_dir;
	struct dwarf_lines *out;
	/* the header's */
	uint8_t min_instruction, line_range, opcode_base;
	int8_t line_base;
	uint8_t lengths[256];
	/* the table of directories: places of their names, which are read when a file needs one */
	uint32_t *dirs;
	size_t ndirs, cap_dirs, cap_files;
	/* the machine's registers */
	uint64_t addr;
	uint64_t file_nr, line;
	/* what came out */
	struct sequence *sequences;
	size_t nsequences, cap_sequences;
	size_t first; /* row of the sequence under way */
	int ret;
};

void dwarf_lines_clear(struct dwarf_lines *l)
{
	budget_free(l->rows);
	budget_free(l->files);
	*l = (struct dwarf_lines){0};
}

const struct dwarf_row *dwarf_lines_find(const struct dwarf_lines *l, uint64_t addr)
{
	size_t above = SEARCH_ABOVE(l->rows, l->nr, addr, addr);

	return above ? &l->rows[above - 1] : NULL;
}

/* --- names ------------------------------------------------------------------------------ */

static uint32_t path_id(struct program *p, const char *path)
{
	uint32_t id;

	if (!*path || intern_bytes(p->paths) > DWARFLINE_PATHS_MAX)
		return 0;
	id = intern_get(p->paths, path, strlen(path), 0, NULL);
	if (!id)
		p->ret = -ENOMEM;
	return id;
}

static const char *path_text(const struct program *p, uint32_t id)
{
	return id ? intern_key(p->paths, id, NULL) : "";
}

/* Relative names stand below `dir`. */
static uint32_t path_join(struct program *p, const char *dir, const char *name)
{
	char path[2 * DWARF_NAME_MAX];

	if (*name == '/' || !*dir || !*name)
		return path_id(p, name);
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return strlen(path) < DWARF_NAME_MAX ? path_id(p, path) : 0;
}

static void add_dir(struct program *p, const char *name)
{
	if (p->ndirs >= DWARFLINE_FILES_MAX ||
	    !budget_reserve(p->file->elf.budget, BUDGET_READING, &p->dirs, &p->cap_dirs, p->ndirs + 1, sizeof(*p->dirs))) {
		p->ret = p->ndirs >= DWARFLINE_FILES_MAX ? -EFBIG : -ENOMEM;
		return;
	}
	p->dirs[p->ndirs++] = path_join(p, p->comp_dir, name);
}

static void add_file(struct program *p, const char *name, uint64_t dir)
{
	struct dwarf_lines *out = p->out;

	if (out->nfiles >= DWARFLINE_FILES_MAX ||
	    !budget_reserve(p->file->elf.budget, BUDGET_LINES, &out->files, &p->cap_files, out->nfiles + 1, sizeof(*out->files))) {
		p->ret = out->nfiles >= DWARFLINE_FILES_MAX ? -EFBIG : -ENOMEM;
		return;
	}
	out->files[out->nfiles++] =
		path_join(p, dir < p->ndirs ? path_text(p, p->dirs[dir]) : p->comp_dir, name);
}

/* Up to version 4: names in a row, an empty one behind the last. */
static void read_names_4(struct program *p, struct dwarf_cursor *c)
{
	const char *name;

	add_dir(p, p->comp_dir);
	while (!p->ret && *(name = dwarf_text(c)))
		add_dir(p, name);
	add_file(p, "", 0); /* they count from 1 */
	while (!p->ret && *(name = dwarf_text(c))) {
		uint64_t dir = dwarf_uleb(c);

		dwarf_uleb(c); /* time */
		dwarf_uleb(c); /* size */
		if (!c->failed)
			add_file(p, name, dir);
	}
}

static bool value_text(struct program *p, const struct dwarf_value *v, char *buf)
{
	switch (v->kind) {
	case DWARF_TEXT:
		if (strlen(v->text) >= DWARF_NAME_MAX)
			break;
		strcpy(buf, v->text);
		return true;
	case DWARF_STRP:
		return dwarf_string(p->file, DWARF_STR, v->n, buf);
	case DWARF_LINE_STRP:
		return dwarf_string(p->file, DWARF_LINE_STR, v->n, buf);
	default:
		break;
	}
	*buf = '\0';
	return false;
}

struct entry_format {
	struct dwarf_attr attr[FORMATS_MAX]; /* name: DW_LNCT_* */
	unsigned nr;
};

static void read_format(struct program *p, struct dwarf_cursor *c, struct entry_format *f)
{
	f->nr = (unsigned)dwarf_fixed(c, 1);
	if (f->nr > FORMATS_MAX)
		p->ret = -EINVAL;
	for (unsigned i = 0; i < f->nr && !p->ret; i++) {
		f->attr[i] = (struct dwarf_attr){.name = (uint32_t)dwarf_uleb(c)};
		f->attr[i].form = (uint32_t)dwarf_uleb(c);
	}
}

static void read_entry_5(struct program *p, struct dwarf_cursor *c, const struct entry_format *f,
			 bool is_dir)
{
	char name[DWARF_NAME_MAX] = "";
	uint64_t dir = 0;

	for (unsigned i = 0; i < f->nr; i++) {
		struct dwarf_value v;

		dwarf_value_read(c, &p->shape, &f->attr[i], &v);
		if (f->attr[i].name == DW_LNCT_path)
			value_text(p, &v, name);
		else if (f->attr[i].name == DW_LNCT_directory_index)
			dir = v.n;
	}
	if (c->failed)
		p->ret = -EINVAL;
	else if (is_dir)
		add_dir(p, name);
	else
		add_file(p, name, dir);
}

static void read_names_5(struct program *p, struct dwarf_cursor *c)
{
	struct entry_format f;

	for (int dirs = 1; dirs >= 0; dirs--) {
		uint64_t nr;

		read_format(p, c, &f);
		nr = dwarf_uleb(c);
		if (nr && !f.nr)
			p->ret = -EINVAL;
		for (uint64_t i = 0; i < nr && !p->ret && !c->failed; i++)
			read_entry_5(p, c, &f, dirs);
	}
}

/* --- rows ------------------------------------------------------------------------------- */

static void add_row(struct program *p, uint32_t file, uint32_t line)
{
	struct dwarf_lines *out = p->out;
	struct dwarf_row *before = out->nr > p->first ? &out->rows[out->nr - 1] : NULL;

	if (before && p->addr < before->addr)
		return; /* against the rules */
	if (before && p->addr == before->addr) {
		*before = (struct dwarf_row){p->addr, file, line};
		return;
	}
	if (before && before->file == file && before->line == line)
		return;
	if (out->nr >= DWARFLINE_ROWS_MAX ||
	    !budget_reserve(p->file->elf.budget, BUDGET_LINES, &out->rows, &out->cap, out->nr + 1, sizeof(*out->rows))) {
		p->ret = out->nr >= DWARFLINE_ROWS_MAX ? -EFBIG : -ENOMEM;
		return;
	}
	out->rows[out->nr++] = (struct dwarf_row){p->addr, file, line};
}

static void emit(struct program *p)
{
	uint32_t file = p->file_nr < p->out->nfiles ? p->out->files[p->file_nr] : 0;

	add_row(p, file, p->line < UINT32_MAX ? (uint32_t)p->line : 0);
}

static void registers_reset(struct program *p)
{
	p->addr = 0;
	p->file_nr = 1;
	p->line = 1;
	p->first = p->out->nr;
}

static void end_sequence(struct program *p)
{
	struct dwarf_lines *out = p->out;
	struct sequence s = {.first = p->first};

	add_row(p, 0, 0);
	s.nr = out->nr - p->first;
	if (!p->ret && s.nr > 1) {
		s.start = out->rows[s.first].addr;
		s.end = out->rows[out->nr - 1].addr;
		if (!budget_reserve(p->file->elf.budget, BUDGET_READING, &p->sequences, &p->cap_sequences, p->nsequences + 1, sizeof(s)))
			p->ret = -ENOMEM;
		else if (dwarf_is_code(p->file, s.start))
			p->sequences[p->nsequences++] = s;
		else
			out->nr = p->first;
	} else if (!p->ret) {
		out->nr = p->first;
	}
	registers_reset(p);
}

static void run_extended(struct program *p, struct dwarf_cursor *c)
{
	uint64_t len = dwarf_uleb(c);
	struct dwarf_cursor op = *c;

	dwarf_skip(c, len);
	if (c->failed || !len)
		return;
	op.end = c->at;
	switch (dwarf_fixed(&op, 1)) {
	case DW_LNE_end_sequence:
		end_sequence(p);
		break;
	case DW_LNE_set_address:
		p->addr = dwarf_fixed(&op, (unsigned)(op.end - op.at));
		break;
	default:
		break;
	}
}

static void run_standard(struct program *p, struct dwarf_cursor *c, unsigned op)
{
	switch (op) {
	case DW_LNS_copy:
		emit(p);
		return;
	case DW_LNS_advance_pc:
		p->addr += dwarf_uleb(c) * p->min_instruction;
		return;
	case DW_LNS_advance_line:
		p->line += (uint64_t)dwarf_sleb(c);
		return;
	case DW_LNS_set_file:
		p->file_nr = dwarf_uleb(c);
		return;
	case DW_LNS_const_add_pc:
		p->addr += (uint64_t)((255 - p->opcode_base) / p->line_range) * p->min_instruction;
		return;
	case DW_LNS_fixed_advance_pc:
		p->addr += dwarf_fixed(c, 2);
		return;
	default: /* columns, flags, and what is newer than we */
		for (unsigned i = 0; i < p->lengths[op]; i++)
			dwarf_uleb(c);
	}
}

static void run(struct program *p, struct dwarf_cursor *c)
{
	registers_reset(p);
	while (c->at < c->end && !c->failed && !p->ret) {
		unsigned op = *c->at++;

		if (op >= p->opcode_base) {
			op -= p->opcode_base;
			p->addr += (uint64_t)(op / p->line_range) * p->min_instruction;
			p->line += (uint64_t)(int64_t)(p->line_base + (int)(op % p->line_range));
			emit(p);
		} else if (op) {
			run_standard(p, c, op);
		} else {
			run_extended(p, c);
		}
	}
	p->out->nr = p->first; /* a sequence without an end is none */
}

static int sequence_compare(const void *left, const void *right)
{
	const struct sequence *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->first > b->first) - (a->first < b->first);
}

/* Into the order of addresses. */
static int sort_rows(struct program *p)
{
	struct dwarf_lines *out = p->out;
	struct budget *b = p->file->elf.budget;
	struct dwarf_row *rows = budget_alloc(b, BUDGET_LINES, out->nr * sizeof(*rows) + 1);
	uint64_t end = 0;
	size_t nr = 0;

	if (!rows || !budget_sort(b, p->sequences, p->nsequences, sizeof(*p->sequences), sequence_compare)) {
		budget_free(rows);
		return -ENOMEM;
	}
	for (size_t i = 0; i < p->nsequences; i++) {
		const struct sequence *s = &p->sequences[i];

		if (s->start < end)
			continue;
		/* Where one ends and the next begins, only the beginning holds. */
		nr -= nr && s->start == end;
		memcpy(rows + nr, out->rows + s->first, s->nr * sizeof(*rows));
		nr += s->nr;
		end = s->end;
	}
	budget_free(out->rows);
	out->rows = rows;
	out->nr = nr;
	return 0;
}

/* --- the header ------------------------------------------------------------------------- */

static int read_header(struct program *p, struct dwarf_cursor *c)
{
	struct dwarf_cursor names;
	uint64_t len;

	p->shape.version = (uint16_t)dwarf_fixed(c, 2);
	if (p->shape.version < 2 || p->shape.version > 5)
		return -EINVAL;
	p->shape.addr_size = p->file->elf.is_32bit ? 4 : 8;
	if (p->shape.version >= 5) {
		p->shape.addr_size = (uint8_t)dwarf_fixed(c, 1);
		dwarf_fixed(c, 1); /* size of a segment selector */
	}
	len = dwarf_fixed(c, p->shape.offset_size);
	names = *c;
	dwarf_skip(c, len);
	names.end = c->at;
	p->min_instruction = (uint8_t)dwarf_fixed(&names, 1);
	if (p->shape.version >= 4)
		dwarf_fixed(&names, 1); /* operations in an instruction: more than 1 only for VLIW */
	dwarf_fixed(&names, 1);
	p->line_base = (int8_t)dwarf_fixed(&names, 1);
	p->line_range = (uint8_t)dwarf_fixed(&names, 1);
	p->opcode_base = (uint8_t)dwarf_fixed(&names, 1);
	if (c->failed || names.failed || !p->line_range || !p->opcode_base)
		return -EINVAL;
	for (unsigned i = 1; i < p->opcode_base; i++)
		p->lengths[i] = (uint8_t)dwarf_fixed(&names, 1);
	if (p->shape.version >= 5)
		read_names_5(p, &names);
	else
		read_names_4(p, &names);
	return p->ret ? p->ret : names.failed ? -EINVAL : 0;
}

int dwarf_lines_read(struct dwarf_file *f, uint64_t offset, const char *comp_dir,
		     struct intern *paths, struct dwarf_lines *out)
{
	struct program p = {.file = f, .paths = paths, .comp_dir = comp_dir, .out = out};
	struct dwarf_cursor c = dwarf_peek(f, DWARF_LINE, offset, 12);
	const uint8_t *start = c.at;
	void *owned = NULL;
	uint64_t len;
	int ret;

	*out = (struct dwarf_lines){0};
	len = dwarf_length(&c, &p.shape.offset_size);
	if (c.failed)
		return -EINVAL;
	ret = dwarf_load(f, DWARF_LINE, offset + (uint64_t)(c.at - start), len, &c, &owned);
	if (!ret)
		ret = read_header(&p, &c);
	if (!ret) {
		run(&p, &c);
		ret = p.ret ? p.ret : sort_rows(&p);
	}
	budget_free(owned);
	budget_free(p.dirs);
	budget_free(p.sequences);
	if (ret)
		dwarf_lines_clear(out);
	return ret;
}
