/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A unit's entries are walked once from its first byte to its last, and no reference is followed.
 * libdw has no such walk: dwarf_siblingof alone would pass over the inside of an entry again for
 * each level. But it tells where a list of children ends, and there the walk continues by itself.
 */
#include "files/elf/lineunit.h"

#include <dwarf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/compare.h"
#include "base/search.h"
#include "files/elf/dwarfcursor.h"

#define LIBDW_ROW   112u /* bytes of a list element while libdw reads; LIBDW_KEEPS: afterwards */
#define LIBDW_KEEPS 48u
#define LEVELS_MAX  512u /* nesting of entries */
#define OVERLAPS    16   /* functions that may begin inside another function's range */

/* --- the line table ------------------------------------------------------------------------- */

static uint32_t intern_path(struct lineunit_from *from, const char *dir, const char *name)
{
	char path[2 * LINEUNIT_NAME_MAX];
	size_t len;

	if (!name || !*name || strnlen(name, LINEUNIT_NAME_MAX) == LINEUNIT_NAME_MAX)
		return 0;
	if (*name == '/' || !dir || !*dir)
		return intern_get(from->paths, name, strlen(name), 0, NULL);
	len = (size_t)snprintf(path, sizeof(path), "%s/%s", dir, name);
	return len < LINEUNIT_NAME_MAX ? intern_get(from->paths, path, len, 0, NULL) : 0;
}

static const char *attr_string(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attr;

	return dwarf_formstring(dwarf_attr(die, name, &attr));
}

static bool attr_number(Dwarf_Die *die, unsigned name, Dwarf_Word *value)
{
	Dwarf_Attribute attr;

	return !dwarf_formudata(dwarf_attr(die, name, &attr), value);
}

/* A line program after its header. */
struct program {
	struct dwarf_cursor c;
	unsigned special; /* first of the opcodes that each make a row */
	uint8_t operands[256];
	uint64_t rows;
};

/* Find the line program at offset. Return false if libdw would not read it either. */
static bool program_find(const struct debugimage *im, uint64_t offset, struct program *p)
{
	struct dwarf_cursor c = {.at = im->line, .end = im->line + im->line_len};
	unsigned wide = 4, version;
	uint64_t len;

	dwarf_skip(&c, offset);
	len = dwarf_fixed(&c, 4);
	if (len == 0xffffffff) {
		wide = 8;
		len = dwarf_fixed(&c, 8);
	}
	if (c.failed || len > (uint64_t)(c.end - c.at))
		return false;
	c.end = c.at + len;
	version = (unsigned)dwarf_fixed(&c, 2);
	dwarf_skip(&c, version >= 5 ? 2 : 0);
	len = dwarf_fixed(&c, wide);
	p->c = c;
	dwarf_skip(&p->c, len);
	dwarf_skip(&c, version >= 4 ? 5 : 4);
	p->special = (unsigned)dwarf_fixed(&c, 1);
	for (unsigned i = 1; i < p->special; i++)
		p->operands[i] = (uint8_t)dwarf_fixed(&c, 1);
	return !c.failed && !p->c.failed;
}

/*
 * Change a line program's start address if no code is there. The linker leaves dropped code at 0 or
 * nearby, where a long function would overlap real code: libdw sorts all rows together. So the
 * address is moved to where nothing else can be.
 */
static void program_banish(const struct debugimage *im, const uint8_t *bytes, size_t len)
{
	uint8_t *top = im->line + (bytes - im->line) + len - 1;
	uintptr_t page = (uintptr_t)top & ~(uintptr_t)(sysconf(_SC_PAGESIZE) - 1);
	struct dwarf_cursor c = {.at = bytes, .end = bytes + len};

	if (debugimage_is_code(im, dwarf_fixed(&c, (unsigned)len)) || c.failed)
		return;
	if (mprotect((void *)page, 1, PROT_READ | PROT_WRITE))
		return;
	*top |= 0xf0;
	mprotect((void *)page, 1, PROT_READ);
}

static void program_step(const struct debugimage *im, struct program *p)
{
	unsigned op = (unsigned)dwarf_fixed(&p->c, 1);

	if (op >= p->special || op == DW_LNS_copy) {
		p->rows++;
	} else if (!op) {
		uint64_t len = dwarf_uleb(&p->c);
		const uint8_t *at = dwarf_block(&p->c, len);

		if (p->c.failed || !len)
			return;
		p->rows += *at == DW_LNE_end_sequence;
		if (*at == DW_LNE_set_address && len > 1)
			program_banish(im, at + 1, len - 1);
	} else if (op == DW_LNS_fixed_advance_pc) {
		dwarf_skip(&p->c, 2);
	} else {
		for (unsigned i = 0; i < p->operands[op]; i++)
			dwarf_uleb(&p->c);
	}
}

/* Return the number of rows of a line program: libdw does not bound their memory. */
static uint64_t program_rows(const struct debugimage *im, uint64_t offset)
{
	struct program p = {.rows = 0};

	if (!program_find(im, offset, &p))
		return 0;
	while (p.c.at < p.c.end && !p.c.failed)
		program_step(im, &p);
	return p.rows;
}

/* Append a row. Of rows at one address the last counts; a row that changes nothing is left out. */
static int row_add(struct lineunit *u, struct lineunit_from *from, const struct lineunit_row *row)
{
	struct lineunit_row *before = u->nrows ? &u->rows[u->nrows - 1] : NULL;

	if (before && before->addr == row->addr) {
		*before = *row;
		return 0;
	}
	if (before && before->file == row->file && before->line == row->line)
		return 0;
	if (!budget_reserve(from->budget, BUDGET_LINES, &u->rows, &u->cap_rows, u->nrows + 1,
			    sizeof(*u->rows)))
		return -ENOMEM;
	u->rows[u->nrows++] = *row;
	return 0;
}

/* Path ids by the line table's file numbers. */
struct files {
	uint32_t *id;
	size_t nr;
};

static int files_read(struct lineunit_from *from, Dwarf_Die *cu, struct files *f)
{
	const char *dir = attr_string(cu, DW_AT_comp_dir);
	Dwarf_Files *files;
	size_t nr;

	*f = (struct files){NULL, 0};
	if (dwarf_getsrcfiles(cu, &files, &nr))
		return -EINVAL;
	f->id = budget_zalloc(from->budget, BUDGET_READING, nr + 1, sizeof(*f->id));
	if (!f->id)
		return -ENOMEM;
	for (; f->nr < nr; f->nr++) {
		const char *name = dwarf_filesrc(files, f->nr, NULL, NULL);

		/* Up to version 4 file numbers start at 1, and "???" stands for 0. */
		if (name && (f->nr || strcmp(name, "???")))
			f->id[f->nr] = intern_path(from, dir, name);
	}
	return 0;
}

static int rows_copy(struct lineunit *u, struct lineunit_from *from, Dwarf_Lines *lines, size_t nr,
		     const struct files *files)
{
	int ret = 0;

	for (size_t i = 0; i < nr && !ret; i++) {
		Dwarf_Line *line = dwarf_onesrcline(lines, i);
		struct lineunit_row row = {.addr = 0};
		Dwarf_Addr addr;
		Dwarf_Files *of;
		size_t file;
		bool ends;
		int n;

		if (dwarf_lineaddr(line, &addr) || dwarf_lineendsequence(line, &ends) ||
		    dwarf_lineno(line, &n))
			continue;
		row.addr = addr;
		if (!debugimage_is_code(from->image, addr - ends))
			continue;
		if (!ends && !dwarf_line_file(line, &of, &file) && file < files->nr)
			row.file = files->id[file];
		row.line = ends || n < 0 ? 0 : (uint32_t)n;
		ret = row_add(u, from, &row);
	}
	return ret;
}

static int read_line_table(struct lineunit *u, struct lineunit_from *from, Dwarf_Die *cu,
			   struct files *files)
{
	Dwarf_Lines *lines;
	Dwarf_Word offset;
	size_t nr;
	int ret;

	if (!attr_number(cu, DW_AT_stmt_list, &offset))
		return -ENOENT;
	from->reading = program_rows(from->image, offset) * LIBDW_ROW;
	if (!budget_take(from->budget, BUDGET_READING, from->reading)) {
		from->reading = 0;
		return -ENOMEM;
	}
	if (dwarf_getsrclines(cu, &lines, &nr))
		return -EINVAL;
	from->spent += nr * LIBDW_KEEPS;
	ret = files_read(from, cu, files);
	return ret ? ret : rows_copy(u, from, lines, nr, files);
}

/* --- entries -------------------------------------------------------------------------------- */

struct level {
	uint32_t function; /* id + 1; 0: not in a function with code */
	uint32_t depth;    /* depth of inlining */
};

struct walk {
	struct lineunit *unit;
	struct lineunit_from *from;
	struct files files;
	struct level level[LEVELS_MAX];
	unsigned at; /* the level of the next entry */
	uint64_t steps;
	uint32_t nfunctions;
	struct lineunit_inline now; /* template of the inline ranges being added */
	uint64_t die;
	const uint8_t *end;
};

int lineunit_ranges(Dwarf_Die *die, uint64_t *steps,
		    int (*add)(void *arg, uint64_t low, uint64_t high), void *arg)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;
	int ret = 0;

	while (!ret && (at = dwarf_ranges(die, at, &base, &low, &high)) > 0) {
		if (++*steps > LINEUNIT_STEPS_MAX)
			return -EFBIG;
		if (low < high)
			ret = add(arg, low, high);
	}
	return ret;
}

static int add_function(void *arg, uint64_t low, uint64_t high)
{
	struct walk *w = arg;
	struct lineunit *u = w->unit;

	if (!debugimage_is_code(w->from->image, low))
		return 0;
	if (!budget_reserve(w->from->budget, BUDGET_LINES, &u->functions, &u->cap_functions,
			    u->nfunctions + 1, sizeof(*u->functions)))
		return -ENOMEM;
	u->functions[u->nfunctions++] = (struct lineunit_function){
		.low = low, .high = high, .id = w->nfunctions, .die = w->die};
	return 0;
}

static int add_inline(void *arg, uint64_t low, uint64_t high)
{
	struct walk *w = arg;
	struct lineunit *u = w->unit;

	if (!budget_reserve(w->from->budget, BUDGET_LINES, &u->inlines, &u->cap_inlines,
			    u->ninlines + 1, sizeof(*u->inlines)))
		return -ENOMEM;
	w->now.low = low;
	w->now.high = high;
	w->now.order = (uint32_t)u->ninlines;
	u->inlines[u->ninlines++] = w->now;
	return 0;
}

static int walk_function(struct walk *w, Dwarf_Die *die, struct level *inside)
{
	size_t had = w->unit->nfunctions;
	int ret = lineunit_ranges(die, &w->steps, add_function, w);

	*inside = (struct level){0};
	if (w->unit->nfunctions > had)
		inside->function = ++w->nfunctions;
	return ret;
}

static uint64_t origin_of(const struct walk *w, Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	Dwarf_Die origin;

	if (!dwarf_formref_die(dwarf_attr(die, DW_AT_abstract_origin, &attr), &origin))
		return 0;
	return dwarf_dieoffset(&origin) |
	       (w->from->alt && dwarf_cu_getdwarf(origin.cu) == w->from->alt ? LINEUNIT_ALT : 0);
}

static int walk_inline(struct walk *w, Dwarf_Die *die, struct level *inside)
{
	size_t had = w->unit->ninlines;
	Dwarf_Word file, line;
	int ret;

	if (!inside->function)
		return 0; /* of a function without code here */
	w->now = (struct lineunit_inline){
		.origin = origin_of(w, die),
		.function = inside->function - 1,
		.file = attr_number(die, DW_AT_call_file, &file) && file < w->files.nr
			? w->files.id[file] : 0,
		.line = attr_number(die, DW_AT_call_line, &line) ? (uint32_t)line : 0,
		.depth = inside->depth + 1,
	};
	ret = lineunit_ranges(die, &w->steps, add_inline, w);
	inside->depth += w->unit->ninlines > had;
	return ret;
}

/*
 * Go to the entry after a list of children, and after enclosing lists that end there, too. Return
 * 0, or 1 at the end of the unit.
 */
static int walk_up(struct walk *w, Dwarf_Die *die, const uint8_t *at)
{
	if (!at)
		return 1; /* the unit ends without an end of the list */
	for (; at < w->end && !*at; at++)
		if (w->at-- <= 1)
			return 1;
	if (at >= w->end)
		return 1;
	*die = (Dwarf_Die){.addr = (void *)(uintptr_t)at, .cu = die->cu};
	return 0;
}

/* Go to the next entry. Return 0, 1 (there is none), -EINVAL. */
static int walk_next(struct walk *w, Dwarf_Die *die, bool into, const struct level *inside)
{
	Dwarf_Die next;
	int ret = into ? dwarf_child(die, &next) : 1;

	if (!ret) {
		if (w->at + 1 >= LEVELS_MAX)
			return -EINVAL;
		w->level[++w->at] = *inside;
	} else if (ret > 0) {
		ret = dwarf_siblingof(die, &next);
		if (ret == 1) {
			next.cu = die->cu;
			ret = walk_up(w, &next, next.addr);
		}
	}
	*die = next;
	return ret < 0 ? -EINVAL : ret;
}

/* Return true for entries that cannot contain functions with code. */
static bool is_type(int tag)
{
	return tag == DW_TAG_class_type || tag == DW_TAG_structure_type ||
	       tag == DW_TAG_union_type || tag == DW_TAG_enumeration_type ||
	       tag == DW_TAG_array_type || tag == DW_TAG_subroutine_type;
}

static int walk_unit(struct walk *w, Dwarf_Die *die)
{
	int ret = 0;

	while (!ret) {
		struct level inside = w->level[w->at];
		int tag = dwarf_tag(die);

		w->die = dwarf_dieoffset(die);
		if (++w->steps > LINEUNIT_STEPS_MAX)
			return -EFBIG;
		if (tag == DW_TAG_subprogram)
			ret = walk_function(w, die, &inside);
		else if (tag == DW_TAG_inlined_subroutine)
			ret = walk_inline(w, die, &inside);
		if (!ret)
			ret = walk_next(w, die, !is_type(tag), &inside);
	}
	return ret < 0 ? ret : 0;
}

COMPARE_BY_TWO(inline_compare, struct lineunit_inline, function, order)

COMPARE_BY_TWO(compare_function_ranges, struct lineunit_function, low, id)

static int read_entries(struct lineunit *u, struct lineunit_from *from, Dwarf_Die *cu,
			const struct files *files)
{
	struct walk *w = calloc(1, sizeof(*w));
	int ret = -ENOMEM;

	if (w) {
		*w = (struct walk){.unit = u, .from = from, .files = *files,
				   .end = (const uint8_t *)cu->addr + (from->end - from->die)};
		ret = walk_unit(w, cu);
		from->spent += (from->end - from->die) / 16; /* abbreviations */
	}
	free(w);
	if (!budget_sort(from->budget, u->inlines, u->ninlines, sizeof(*u->inlines),
			 inline_compare) ||
	    !budget_sort(from->budget, u->functions, u->nfunctions, sizeof(*u->functions),
			 compare_function_ranges))
		ret = -ENOMEM;
	return ret;
}

static void trim(void *list, size_t nr, size_t *cap, size_t size)
{
	void *block, *fit;

	memcpy(&block, list, sizeof(block));
	fit = nr ? budget_resize(block, nr * size) : NULL;
	if (!fit)
		return;
	memcpy(list, &fit, sizeof(fit));
	*cap = nr;
}

void lineunit_read(struct lineunit *u, struct lineunit_from *from)
{
	struct files files = {NULL, 0};
	Dwarf_Die cu;

	from->rows_error = from->entries_error = -EINVAL;
	if (!dwarf_offdie(from->dwarf, from->die, &cu))
		return;
	from->rows_error = read_line_table(u, from, &cu, &files);
	if (from->rows_error != -ENOMEM)
		from->entries_error = read_entries(u, from, &cu, &files);
	budget_free(files.id);
	trim(&u->rows, u->nrows, &u->cap_rows, sizeof(*u->rows));
	trim(&u->functions, u->nfunctions, &u->cap_functions, sizeof(*u->functions));
	trim(&u->inlines, u->ninlines, &u->cap_inlines, sizeof(*u->inlines));
}

void lineunit_clear(struct lineunit *u)
{
	budget_free(u->rows);
	budget_free(u->functions);
	budget_free(u->inlines);
	*u = (struct lineunit){.rows = NULL};
}

size_t lineunit_bytes(const struct lineunit *u)
{
	return u->cap_rows * sizeof(*u->rows) + u->cap_functions * sizeof(*u->functions) +
	       u->cap_inlines * sizeof(*u->inlines);
}

/* --- look-up -------------------------------------------------------------------------------- */

const struct lineunit_row *lineunit_row(const struct lineunit *u, uint64_t addr)
{
	size_t above = SEARCH_ABOVE(u->rows, u->nrows, addr, addr);

	return above ? &u->rows[above - 1] : NULL;
}

static const struct lineunit_function *function_find(const struct lineunit *u, uint64_t addr)
{
	size_t above = SEARCH_ABOVE(u->functions, u->nfunctions, low, addr);

	for (size_t i = above; i > 0 && above - i < OVERLAPS; i--)
		if (addr < u->functions[i - 1].high)
			return &u->functions[i - 1];
	return NULL;
}

size_t lineunit_inlines(const struct lineunit *u, uint64_t addr,
			const struct lineunit_inline **chain, size_t max,
			const struct lineunit_function **f)
{
	size_t nr = 0, i;

	*f = function_find(u, addr);
	if (!*f)
		return 0;
	i = SEARCH_WHILE(k, 0, u->ninlines, u->inlines[k].function < (*f)->id);
	for (; i < u->ninlines && nr < max; i++) {
		const struct lineunit_inline *in = &u->inlines[i];

		if (in->function != (*f)->id)
			break;
		if (in->depth == nr + 1 && addr >= in->low && addr < in->high)
			chain[nr++] = in;
	}
	return nr;
}
