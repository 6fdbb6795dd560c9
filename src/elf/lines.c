/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * On opening, the head and root of every unit are read, for an index of which code is whose.  A
 * unit is read when one of its addresses is asked for, and what it says is kept as two sorted
 * arrays until others push it out.  Names of inlined functions are read when they are met.
 */
#include "elf/lines.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/intern.h"
#include "base/log.h"
#include "base/search.h"
#include "base/vec.h"
#include "elf/debugfile.h"
#include "elf/dwarfconst.h"
#include "elf/dwarfline.h"
#include "elf/dwarfname.h"
#include "elf/dwarfunit.h"

#define SPANS_MAX   (1u << 20)
#define OVERLAPS    16 /* spans that may begin inside another one's */
#define LINES_KEPT_PART 8 /* of the limit of all memory: what units of one object may take */

/* Code of one unit. */
struct span {
	uint64_t low, high;
	uint32_t unit;
};

/* A unit that was read. */
struct loaded {
	uint32_t unit;
	uint64_t used;
	size_t bytes;
	struct dwarf_lines lines;
	struct dwarf_inlines inlines;
};

struct lines {
	struct budget *budget;
	struct dwarf_names *names; /* has the files and their units */
	struct intern *paths;
	struct span *spans; /* by address */
	size_t nspans, cap_spans;
	struct loaded **loaded;
	size_t nloaded, cap_loaded, loaded_bytes;
	uint64_t clock;
	char source[256];
};

/* --- the index -------------------------------------------------------------------------- */

struct adding {
	struct lines *lines;
	uint32_t unit;
	const struct dwarf_file *file;
};

static int span_add(void *arg, uint64_t low, uint64_t high)
{
	struct adding *a = arg;
	struct lines *l = a->lines;
	struct span *before = l->nspans ? &l->spans[l->nspans - 1] : NULL;

	if (!dwarf_is_code(a->file, low))
		return 0;
	if (before && before->unit == a->unit && before->high == low) {
		before->high = high;
		return 0;
	}
	if (l->nspans >= SPANS_MAX)
		return -EFBIG;
	if (!budget_reserve(l->budget, BUDGET_LINES, &l->spans, &l->cap_spans, l->nspans + 1, sizeof(*l->spans)))
		return -ENOMEM;
	l->spans[l->nspans++] = (struct span){low, high, a->unit};
	return 0;
}

static int span_compare(const void *left, const void *right)
{
	const struct span *a = left, *b = right;

	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	return (a->unit > b->unit) - (a->unit < b->unit);
}

/* A unit that is broken takes no other with it. */
static int index_unit(struct lines *l, uint32_t i)
{
	struct dwarf_unit u;
	struct adding a = {.lines = l, .unit = i};
	int ret = dwarf_names_unit(l->names, i, &u);

	if (ret || u.type == DW_UT_type || u.type == DW_UT_partial)
		return ret == -ENOMEM ? ret : 0;
	a.file = u.file;
	ret = dwarf_unit_ranges(&u, span_add, &a);
	return ret == -EINVAL ? 0 : ret;
}

static int index_build(struct lines *l)
{
	size_t nr = dwarf_names_units(l->names);
	int ret = 0;

	for (uint32_t i = 0; i < nr && !ret; i++)
		ret = index_unit(l, i);
	if (!ret && !budget_sort(l->budget, l->spans, l->nspans, sizeof(*l->spans), span_compare))
		ret = -ENOMEM;
	return ret;
}

static const struct span *span_find(const struct lines *l, uint64_t addr)
{
	size_t above = SEARCH_ABOVE(l->spans, l->nspans, low, addr);

	for (size_t i = above; i > 0 && above - i < OVERLAPS; i--)
		if (addr < l->spans[i - 1].high)
			return &l->spans[i - 1];
	return NULL;
}

/* --- units ------------------------------------------------------------------------------ */

static void loaded_clear(struct loaded *u)
{
	dwarf_lines_clear(&u->lines);
	dwarf_inlines_clear(&u->inlines);
}

static void loaded_free(struct loaded *u)
{
	if (u)
		loaded_clear(u);
	free(u);
}

/* What was used longest ago goes.  False: there is none. */
static bool loaded_drop(struct lines *l)
{
	size_t oldest = 0;

	if (!l->nloaded)
		return false;
	for (size_t i = 1; i < l->nloaded; i++)
		if (l->loaded[i]->used < l->loaded[oldest]->used)
			oldest = i;
	l->loaded_bytes -= l->loaded[oldest]->bytes;
	loaded_free(l->loaded[oldest]);
	l->loaded[oldest] = l->loaded[--l->nloaded];
	return true;
}

static void tell(const struct lines *l, const char *what, const struct dwarf_unit *u, int ret)
{
	struct err err;

	if (ret == -ENOMEM && budget_say(l->budget, what, &err)) {
		log_msg(LOG_RESOLVE, "%s: the unit at 0x%llx: %s", l->source,
			(unsigned long long)u->offset, err.text);
		return;
	}
	if (ret && ret != -ENOENT)
		log_msg(LOG_RESOLVE, "%s: %s of the unit at 0x%llx: %s", l->source, what,
			(unsigned long long)u->offset, strerror(-ret));
}

/* What is broken of it stays empty: it would not be better the next time. */
static int unit_read(struct lines *l, struct loaded *to)
{
	char comp_dir[DWARF_NAME_MAX];
	struct dwarf_unit u;
	int ret = dwarf_names_unit(l->names, to->unit, &u);

	if (ret)
		return ret;
	if (u.has_lines) {
		dwarf_names_text(l->names, &u, &u.comp_dir, comp_dir);
		ret = dwarf_lines_read(u.file, u.stmt_list, comp_dir, l->paths, &to->lines);
		tell(l, "line table", &u, ret);
	}
	if (ret != -ENOMEM) {
		ret = dwarf_inlines_read(&u, &to->inlines);
		tell(l, "entries", &u, ret);
	}
	to->bytes = sizeof(*to) + to->lines.nr * sizeof(*to->lines.rows) +
		    to->lines.nfiles * sizeof(*to->lines.files) +
		    to->inlines.cap * sizeof(*to->inlines.list) +
		    to->inlines.cap_functions * sizeof(*to->inlines.functions);
	return ret;
}

/* Half of what is there goes, the longest unused first: another try costs as much as all of a unit. */
static bool loaded_halve(struct lines *l)
{
	size_t left = l->nloaded / 2;
	bool any = false;

	while (l->nloaded > left)
		any = loaded_drop(l);
	return any;
}

/*
 * Read it into u, for which others have to go where memory is short.  What is refused although there are
 * none stays empty, too: it would be refused again for every address.
 */
static int unit_fit(struct lines *l, struct loaded *u)
{
	int ret;

	for (;;) {
		if (l->budget)
			budget_forgive(l->budget);
		ret = unit_read(l, u);
		if (ret != -ENOMEM || !loaded_halve(l))
			break;
		loaded_clear(u);
	}
	return ret == -ENOMEM && !(l->budget && budget_refused(l->budget)) ? ret : 0;
}

static struct loaded *unit_find(struct lines *l, uint32_t unit)
{
	for (size_t i = 0; i < l->nloaded; i++)
		if (l->loaded[i]->unit == unit)
			return l->loaded[i];
	return NULL;
}

static struct loaded *unit_add(struct lines *l, uint32_t unit)
{
	struct loaded *u = calloc(1, sizeof(*u));

	if (u)
		u->unit = unit;
	if (!u || !vec_reserve(&l->loaded, &l->cap_loaded, l->nloaded + 1, sizeof(*l->loaded)) ||
	    unit_fit(l, u)) {
		loaded_free(u);
		return NULL;
	}
	while (l->loaded_bytes + u->bytes > budget_limit() / LINES_KEPT_PART && loaded_drop(l))
		;
	l->loaded[l->nloaded++] = u;
	l->loaded_bytes += u->bytes;
	return u;
}

static struct loaded *unit_get(struct lines *l, uint32_t unit)
{
	struct loaded *u = unit_find(l, unit);

	if (!u)
		u = unit_add(l, unit);
	if (u)
		u->used = ++l->clock;
	return u;
}

/* --- look-up ---------------------------------------------------------------------------- */

static const char *path_text(const struct lines *l, uint32_t id)
{
	return id ? intern_key(l->paths, id, NULL) : NULL;
}

static void frame_place(const struct lines *l, struct lines_frame *f, uint32_t file, uint32_t line)
{
	f->file = path_text(l, file);
	f->line = line;
}

size_t lines_find(struct lines *l, uint64_t vaddr, struct lines_frame frames[LINES_DEPTH_MAX])
{
	const struct dwarf_inline *chain[LINES_DEPTH_MAX - 1];
	const struct span *span = span_find(l, vaddr);
	struct loaded *u = span ? unit_get(l, span->unit) : NULL;
	const struct dwarf_function *function;
	const struct dwarf_row *row;
	size_t nr;

	if (!u)
		return 0;
	row = dwarf_lines_find(&u->lines, vaddr);
	nr = dwarf_inlines_find(&u->inlines, vaddr, chain, LINES_DEPTH_MAX - 1, &function);
	if (!row && !function)
		return 0;
	frames[0].name = function ? dwarf_names_get(l->names, function->die) : NULL;
	for (size_t i = 0; i < nr; i++) {
		uint32_t file = chain[i]->file < u->lines.nfiles ? u->lines.files[chain[i]->file] : 0;

		frame_place(l, &frames[i], file, chain[i]->line);
		frames[i + 1].name = dwarf_names_get(l->names, chain[i]->origin);
	}
	frame_place(l, &frames[nr], row ? row->file : 0, row ? row->line : 0);
	return nr + 1;
}

/* Rows of one unit for [from, to). */
static int range_of_unit(struct lines *l, const struct loaded *u, uint64_t from, uint64_t to,
			 struct lines_row **rows, size_t *nr, size_t *cap)
{
	const struct dwarf_row *row = dwarf_lines_find(&u->lines, from);
	const struct dwarf_row *end = u->lines.rows + u->lines.nr;

	for (row = row ? row : u->lines.rows; row < end && row->addr < to; row++) {
		if (!vec_reserve(rows, cap, *nr + 1, sizeof(**rows)))
			return -ENOMEM;
		(*rows)[(*nr)++] = (struct lines_row){
			.addr = row->addr > from ? row->addr : from,
			.file = path_text(l, row->file),
			.line = row->line,
		};
	}
	return 0;
}

int lines_range(struct lines *l, uint64_t from, uint64_t to, struct lines_row **rows, size_t *nr)
{
	size_t cap = 0;
	int ret = 0;

	*rows = NULL;
	*nr = 0;
	while (from < to && !ret) {
		const struct span *span = span_find(l, from);
		struct loaded *u = span ? unit_get(l, span->unit) : NULL;
		uint64_t end = span && span->high < to ? span->high : to;

		if (u)
			ret = range_of_unit(l, u, from, end, rows, nr, &cap);
		else if (span)
			ret = -ENOMEM;
		if (!span)
			break;
		from = end;
	}
	if (ret) {
		free(*rows);
		*rows = NULL;
		*nr = 0;
	}
	return ret;
}

/* --- life ------------------------------------------------------------------------------- */

/* The separate debug file. */
static int open_debug_file(struct lines *l, int fd, const char *path, const char *root,
			   struct err *err)
{
	struct dwarf_origin from = {.budget = l->budget, .root = root};
	struct elffile elf;
	char found[4096];
	int ret = elffile_open_in(&elf, fd, l->budget, err);

	if (ret)
		return ret;
	from.fd = debugfile_open(&elf, path, root, found, sizeof(found));
	elffile_close(&elf);
	if (from.fd < 0)
		return err_set(err, ENOENT, "it has no debug information, and there is no debug file");
	snprintf(l->source, sizeof(l->source), "%.*s", (int)sizeof(l->source) - 1, found);
	from.path = found;
	ret = dwarf_names_open(&from, &l->names, err);
	close(from.fd);
	return ret;
}

static int open_any(struct lines *l, const struct dwarf_origin *from, struct err *err)
{
	int ret;

	snprintf(l->source, sizeof(l->source), ".debug_info");
	ret = dwarf_names_open(from, &l->names, err);
	if (ret == -ENOENT && !from->data)
		ret = open_debug_file(l, from->fd, from->path, from->root, err);
	return ret;
}

static int open_origin(const struct dwarf_origin *from, struct lines **out, struct err *err)
{
	struct lines *l = calloc(1, sizeof(*l));
	int ret = -ENOMEM;

	*out = NULL;
	if (l)
		l->budget = from->budget;
	if (l && (l->paths = intern_create_in(from->budget, BUDGET_LINES)))
		ret = open_any(l, from, err);
	if (!ret)
		ret = index_build(l);
	if (!ret) {
		*out = l;
		return 0;
	}
	lines_close(l);
	if (from->budget && budget_say(from->budget, "its debug information", err))
		return -ENOBUFS;
	if (ret == -ENOMEM || (ret == -EFBIG && err && !err->code))
		err_set(err, -ret, "its debug information: %s",
			ret == -EFBIG ? "too large" : strerror(-ret));
	return ret;
}

int lines_open(int fd, const char *path, const char *root, struct budget *b, struct lines **out,
	       struct err *err)
{
	struct dwarf_origin from = {.budget = b, .fd = fd, .path = path, .root = root};

	if (b)
		budget_forgive(b);
	return open_origin(&from, out, err);
}

int lines_open_memory(const void *data, size_t len, struct lines **out, struct err *err)
{
	return open_origin(&(struct dwarf_origin){.fd = -1, .data = data, .len = len}, out, err);
}

void lines_close(struct lines *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->nloaded; i++)
		loaded_free(l->loaded[i]);
	free(l->loaded);
	budget_free(l->spans);
	intern_free(l->paths);
	dwarf_names_close(l->names);
	free(l);
}

const char *lines_source(const struct lines *l)
{
	return l->source;
}

size_t lines_bytes(const struct lines *l)
{
	return sizeof(*l) + l->loaded_bytes + l->cap_spans * sizeof(*l->spans) +
	       intern_bytes(l->paths) + dwarf_names_bytes(l->names);
}
