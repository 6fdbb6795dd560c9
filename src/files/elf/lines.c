/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * On opening, the head and root of every unit are read, for an index of which unit has which code.
 * A unit is read when one of its addresses is looked up, and kept as sorted arrays (lineunit.h)
 * until other units push it out. Names of inlined functions are read on first use.
 *
 * libdw frees nothing before dwarf_end, and keeps several times as much as we do. So it is reopened
 * over the same image once that has become too much; entries are remembered by their offsets.
 */
#include "files/elf/lines.h"

#include <dwarf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/compare.h"
#include "base/intern.h"
#include "base/log.h"
#include "base/search.h"
#include "base/vec.h"
#include "files/elf/debugfile.h"
#include "files/elf/debugimage.h"
#include "files/elf/demangle.h"
#include "files/elf/lineunit.h"

#define SPANS_MAX   (1u << 20)
#define OVERLAPS    16 /* spans that may begin inside another span */
#define LINES_KEPT_PART 8 /* divisor of the memory limit: the share for units of one object */
#define LIBDW_MAX   (8u << 20) /* bytes that libdw may keep before it is reopened */
#define LIBDW_UNIT  1200u      /* bytes that libdw keeps for each unit */
#define NAMES_MAX   (16u << 20) /* bytes of names kept; further functions stay without a name */

/* An address range of one unit. */
struct span {
	uint64_t low, high;
	uint32_t unit;
};

/* Offsets of a unit's root and of the next unit. */
struct place {
	uint64_t die, end;
};

/* A unit that has been read. */
struct loaded {
	uint32_t unit;
	uint64_t used;
	struct lineunit lines;
};

struct lines {
	struct budget *budget;
	/* shared: debug information shared with other objects, by dwz */
	struct debugimage image, shared;
	Dwarf *dwarf, *alt;              /* of image and of shared */
	/* bytes used by libdw, about: since it was opened, and for all units */
	size_t spent, units_taken;
	struct place *units;
	size_t nunits, cap_units;
	struct intern *paths;
	struct span *spans; /* by address */
	size_t nspans, cap_spans;
	struct loaded **loaded;
	size_t nloaded, cap_loaded, loaded_bytes;
	uint64_t clock;
	struct intern *origins; /* entries seen; their ids are indices of `name` */
	uint32_t *name;         /* id in names, 0: none */
	size_t cap_name;
	struct intern *names;
	struct demangle_work readable;
	char source[256];
};

/* --- libdw ------------------------------------------------------------------------------ */

static __thread jmp_buf no_memory;

/* Called by libdw, which would end the process if this returned. */
static _Noreturn void libdw_no_memory(void)
{
	longjmp(no_memory, 1);
}

static void libdw_close(struct lines *l)
{
	dwarf_end(l->dwarf);
	dwarf_end(l->alt);
	l->dwarf = l->alt = NULL;
	l->spent = 0;
}

static int libdw_open(struct lines *l)
{
	if (l->spent > LIBDW_MAX)
		libdw_close(l);
	if (l->dwarf)
		return 0;
	l->dwarf = dwarf_begin_elf(l->image.elf, DWARF_C_READ, NULL);
	l->alt = l->shared.elf ? dwarf_begin_elf(l->shared.elf, DWARF_C_READ, NULL) : NULL;
	if (!l->dwarf)
		return -ENOMEM;
	dwarf_setalt(l->dwarf, l->alt);
	dwarf_new_oom_handler(l->dwarf, libdw_no_memory);
	if (l->alt)
		dwarf_new_oom_handler(l->alt, libdw_no_memory);
	return 0;
}

/* Call a function that uses libdw, with libdw open. Return -ENOMEM if libdw runs out of memory. */
static int libdw_do(struct lines *l, int (*call)(struct lines *l, void *arg), void *arg)
{
	int ret = libdw_open(l);

	if (ret)
		return ret;
	if (!setjmp(no_memory))
		return call(l, arg);
	libdw_close(l);
	return -ENOMEM;
}

/* --- the index -------------------------------------------------------------------------- */

struct adding {
	struct lines *lines;
	uint32_t unit;
	uint64_t steps;
};

static int span_add(void *arg, uint64_t low, uint64_t high)
{
	struct adding *a = arg;
	struct lines *l = a->lines;
	struct span *before = l->nspans ? &l->spans[l->nspans - 1] : NULL;

	if (!debugimage_is_code(&l->image, low))
		return 0;
	if (before && before->unit == a->unit && before->high == low) {
		before->high = high;
		return 0;
	}
	if (l->nspans >= SPANS_MAX)
		return -EFBIG;
	if (!budget_reserve(l->budget, BUDGET_LINES, &l->spans, &l->cap_spans, l->nspans + 1,
			    sizeof(*l->spans)))
		return -ENOMEM;
	l->spans[l->nspans++] = (struct span){low, high, a->unit};
	return 0;
}

COMPARE_BY_TWO(span_compare, struct span, low, unit)

/*
 * List the units, for which libdw has not allocated anything yet. Stop at a broken one: libdw would
 * find no unit after it.
 */
static int list_units(struct lines *l)
{
	Dwarf_Off at = 0, next;
	Dwarf_Half version;
	size_t head;

	for (; !dwarf_next_unit(l->dwarf, at, &next, &head, &version, NULL, NULL, NULL, NULL, NULL);
	     at = next) {
		if (version < 2 || version > 5)
			break;
		if (!budget_reserve(l->budget, BUDGET_LINES, &l->units, &l->cap_units,
				    l->nunits + 1, sizeof(*l->units)))
			return -ENOMEM;
		l->units[l->nunits++] = (struct place){at + head, next};
	}
	if (!budget_take(l->budget, BUDGET_LINES, l->nunits * LIBDW_UNIT))
		return -ENOMEM;
	l->units_taken = l->nunits * LIBDW_UNIT;
	return 0;
}

/* Add a unit's address ranges to the index. A broken unit must not spoil the others. */
static int index_unit(struct adding *a)
{
	struct lines *l = a->lines;
	Dwarf_Die root;
	int tag;

	if (!dwarf_offdie(l->dwarf, l->units[a->unit].die, &root))
		return 0;
	tag = dwarf_tag(&root);
	if (tag != DW_TAG_compile_unit && tag != DW_TAG_skeleton_unit)
		return 0;
	return lineunit_ranges(&root, &a->steps, span_add, a);
}

static int index_build(struct lines *l, void *arg)
{
	struct adding a = {.lines = l};
	int ret = list_units(l);

	(void)arg;
	for (; a.unit < l->nunits && !ret; a.unit++)
		ret = index_unit(&a);
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

static void loaded_free(struct loaded *u)
{
	if (u)
		lineunit_clear(&u->lines);
	free(u);
}

static size_t loaded_bytes(const struct loaded *u)
{
	return sizeof(*u) + lineunit_bytes(&u->lines);
}

/*
 * Free the least recently used unit. Return false if there is none. Empty ones stay: reading them
 * again would fail again.
 */
static bool loaded_drop(struct lines *l)
{
	size_t oldest = l->nloaded;

	for (size_t i = 0; i < l->nloaded; i++)
		if (lineunit_bytes(&l->loaded[i]->lines) &&
		    (oldest == l->nloaded || l->loaded[i]->used < l->loaded[oldest]->used))
			oldest = i;
	if (oldest == l->nloaded)
		return false;
	l->loaded_bytes -= loaded_bytes(l->loaded[oldest]);
	loaded_free(l->loaded[oldest]);
	l->loaded[oldest] = l->loaded[--l->nloaded];
	return true;
}

static void log_unit_error(const struct lines *l, const char *what, uint64_t unit, int ret)
{
	struct err err;

	if (ret == -ENOMEM && budget_say(l->budget, what, &err)) {
		log_msg(LOG_RESOLVE, "%s: the unit at 0x%llx: %s", l->source,
			(unsigned long long)unit, err.text);
		return;
	}
	if (ret && ret != -ENOENT)
		log_msg(LOG_RESOLVE, "%s: %s of the unit at 0x%llx: %s", l->source, what,
			(unsigned long long)unit, strerror(-ret));
}

struct unit_reading {
	struct lineunit *to;
	struct lineunit_from from;
};

static int unit_do(struct lines *l, void *arg)
{
	struct unit_reading *r = arg;

	r->from.dwarf = l->dwarf;
	r->from.alt = l->alt;
	lineunit_read(r->to, &r->from);
	return r->from.rows_error == -ENOMEM || r->from.entries_error == -ENOMEM ? -ENOMEM : 0;
}

static int unit_read(struct lines *l, struct loaded *to)
{
	const struct place *at = &l->units[to->unit];
	struct unit_reading r = {.to = &to->lines,
				 .from = {.budget = l->budget,
					  .image = &l->image,
					  .paths = l->paths,
					  .die = at->die,
					  .end = at->end}};
	int ret = libdw_do(l, unit_do, &r);

	budget_give(l->budget, BUDGET_READING, r.from.reading);
	l->spent += r.from.spent;
	log_unit_error(l, "line table", at->die, r.from.rows_error);
	log_unit_error(l, "entries", at->die, r.from.entries_error);
	return ret;
}

/*
 * Free half of the units, the least recently used first: a single one might not do, and every retry
 * reads a whole unit.
 */
static bool loaded_halve(struct lines *l)
{
	size_t left = l->nloaded / 2;
	bool any = false;

	while (l->nloaded > left && loaded_drop(l))
		any = true;
	return any;
}

/*
 * Read a unit into u, and free other units while memory is short. If it is refused even with no
 * other units left, it stays empty: it would be refused again for every address.
 */
static void unit_fit(struct lines *l, struct loaded *u)
{
	do {
		if (l->budget)
			budget_forgive(l->budget);
		if (unit_read(l, u) != -ENOMEM)
			return;
		lineunit_clear(&u->lines);
	} while (loaded_halve(l));
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
	if (!u || !vec_reserve(&l->loaded, &l->cap_loaded, l->nloaded + 1, sizeof(*l->loaded))) {
		loaded_free(u);
		return NULL;
	}
	unit_fit(l, u);
	while (l->loaded_bytes + loaded_bytes(u) > budget_limit() / LINES_KEPT_PART &&
	       loaded_drop(l))
		;
	l->loaded[l->nloaded++] = u;
	l->loaded_bytes += loaded_bytes(u);
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

/* --- names ------------------------------------------------------------------------------ */

static const char *name_said(Dwarf_Die *die)
{
	static const unsigned names[] = {DW_AT_linkage_name, DW_AT_MIPS_linkage_name, DW_AT_name};
	const char *name = NULL;
	Dwarf_Attribute attr;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names) && !name; i++)
		name = dwarf_formstring(dwarf_attr_integrate(die, names[i], &attr));
	return name && strnlen(name, LINEUNIT_NAME_MAX) < LINEUNIT_NAME_MAX ? name : NULL;
}

struct naming {
	uint64_t origin;
	uint32_t id;
};

static int name_make(struct lines *l, void *arg)
{
	struct naming *n = arg;
	Dwarf *dwarf = n->origin & LINEUNIT_ALT ? l->alt : l->dwarf;
	Dwarf_Die die;
	const char *raw =
		dwarf_offdie(dwarf, n->origin & ~LINEUNIT_ALT, &die) ? name_said(&die) : NULL;
	char *nice;

	if (!raw || !*raw)
		return 0;
	nice = demangle(raw, &l->readable);
	n->id = intern_get(l->names, nice ? nice : raw, strlen(nice ? nice : raw), 0, NULL);
	free(nice);
	return 0;
}

/*
 * Return the name of the function whose entry is at `origin`, or NULL. The result is cached, a
 * missing name, too.
 */
static const char *name_get(struct lines *l, uint64_t origin)
{
	uint32_t id = intern_find(l->origins, &origin, sizeof(origin));
	struct naming n = {.origin = origin};

	if (!origin)
		return NULL;
	if (!id) {
		if (intern_bytes(l->names) > NAMES_MAX || intern_bytes(l->origins) > NAMES_MAX)
			return NULL;
		/* Make room first, so that every known id has its place. */
		if (!budget_reserve(l->budget, BUDGET_LINES, &l->name, &l->cap_name,
				    intern_bound(l->origins) + 1, sizeof(*l->name)))
			return NULL;
		id = intern_get(l->origins, &origin, sizeof(origin), 0, NULL);
		if (!id)
			return NULL;
		libdw_do(l, name_make, &n);
		l->name[id] = n.id;
	}
	return l->name[id] ? intern_key(l->names, l->name[id], NULL) : NULL;
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
	const struct lineunit_inline *chain[LINES_DEPTH_MAX - 1];
	const struct span *span = span_find(l, vaddr);
	struct loaded *u = span ? unit_get(l, span->unit) : NULL;
	const struct lineunit_function *function;
	const struct lineunit_row *row;
	size_t nr;

	if (!u)
		return 0;
	row = lineunit_row(&u->lines, vaddr);
	nr = lineunit_inlines(&u->lines, vaddr, chain, LINES_DEPTH_MAX - 1, &function);
	if (!row && !function)
		return 0;
	frames[0].name = function ? name_get(l, function->die) : NULL;
	for (size_t i = 0; i < nr; i++) {
		frame_place(l, &frames[i], chain[i]->file, chain[i]->line);
		frames[i + 1].name = name_get(l, chain[i]->origin);
	}
	frame_place(l, &frames[nr], row ? row->file : 0, row ? row->line : 0);
	return nr + 1;
}

/* Append the rows of one unit for [from, to). */
static int range_of_unit(struct lines *l, const struct lineunit *u, uint64_t from, uint64_t to,
			 struct lines_row **rows, size_t *nr, size_t *cap)
{
	const struct lineunit_row *row = lineunit_row(u, from), *end = u->rows + u->nrows;

	for (row = row ? row : u->rows; row < end && row->addr < to; row++) {
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
			ret = range_of_unit(l, &u->lines, from, end, rows, nr, &cap);
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

/*
 * Open the debug information that dwz moved to a file for several objects. Without it only names
 * are missing.
 */
static void open_alt_image(struct lines *l, const struct elffile *f, const char *path,
			   const char *root)
{
	struct elffile shared;

	if (!path || debugfile_open_shared(f, path, root, &shared))
		return;
	debugimage_open(&l->shared, &shared, NULL);
	elffile_close(&shared);
	close(shared.fd);
}

static int open_image(struct lines *l, const struct elffile *f, const char *path, const char *root,
		      struct err *err)
{
	int ret = debugimage_open(&l->image, f, err);

	if (!ret)
		open_alt_image(l, f, path, root);
	return ret;
}

/* Open the separate debug file instead. */
static int open_debug_file(struct lines *l, const struct elffile *f, const char *path,
			   const char *root, struct err *err)
{
	struct elffile debug;
	char found[4096];
	int ret;

	if (debugfile_open(f, path, root, &debug, found, sizeof(found)))
		return err_set(err, ENOENT,
			       "it has no debug information, and there is no debug file");
	snprintf(l->source, sizeof(l->source), "%.*s", (int)sizeof(l->source) - 1, found);
	ret = open_image(l, &debug, found, root, err);
	elffile_close(&debug);
	close(debug.fd);
	return ret;
}

static int open_any(struct lines *l, const struct elffile *f, const char *path, const char *root,
		    struct err *err)
{
	int ret;

	l->paths = intern_create_in(l->budget, BUDGET_LINES, 0);
	l->origins = intern_create_in(l->budget, BUDGET_LINES, 0);
	l->names = intern_create_in(l->budget, BUDGET_LINES, 0);
	if (!l->paths || !l->origins || !l->names)
		return -ENOMEM;
	snprintf(l->source, sizeof(l->source), ".debug_info");
	ret = open_image(l, f, path, root, err);
	if (ret == -ENOENT && f->fd >= 0)
		ret = open_debug_file(l, f, path, root, err);
	return ret ? ret : libdw_do(l, index_build, NULL);
}

/* Open the debug information of f, and close f. */
static int open_elf(struct elffile *f, const char *path, const char *root, struct lines **out,
		    struct err *err)
{
	struct lines *l = calloc(1, sizeof(*l));
	struct budget *b = f->budget;
	int ret = -ENOMEM;

	if (l) {
		l->budget = b;
		ret = open_any(l, f, path, root, err);
	}
	elffile_close(f);
	if (!ret) {
		*out = l;
		return 0;
	}
	lines_close(l);
	if (b && budget_say(b, "its debug information", err))
		return -ENOBUFS;
	if (ret == -ENOMEM || (ret == -EFBIG && err && !err->code))
		err_set(err, -ret, "its debug information: %s",
			ret == -EFBIG ? "too large" : strerror(-ret));
	return ret;
}

int lines_open(int fd, const char *path, const char *root, struct budget *b, struct lines **out,
	       struct err *err)
{
	struct elffile f;
	int ret;

	*out = NULL;
	if (b)
		budget_forgive(b);
	ret = elffile_open_in(&f, fd, b, err);
	return ret ? ret : open_elf(&f, path, root, out, err);
}

int lines_open_memory(const void *data, size_t len, struct lines **out, struct err *err)
{
	struct elffile f;
	int ret = elffile_open_memory(&f, data, len, err);

	*out = NULL;
	return ret ? ret : open_elf(&f, NULL, NULL, out, err);
}

void lines_close(struct lines *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->nloaded; i++)
		loaded_free(l->loaded[i]);
	free(l->loaded);
	libdw_close(l);
	debugimage_close(&l->image);
	debugimage_close(&l->shared);
	budget_give(l->budget, BUDGET_LINES, l->units_taken);
	budget_free(l->units);
	budget_free(l->spans);
	budget_free(l->name);
	intern_free(l->paths);
	intern_free(l->origins);
	intern_free(l->names);
	free(l);
}

const char *lines_source(const struct lines *l)
{
	return l->source;
}

size_t lines_bytes(const struct lines *l)
{
	return sizeof(*l) + l->image.taken + l->shared.taken + l->spent + l->units_taken +
	       l->loaded_bytes + l->cap_units * sizeof(*l->units) +
	       l->cap_spans * sizeof(*l->spans) + l->cap_name * sizeof(*l->name) +
	       intern_bytes(l->paths) + intern_bytes(l->origins) + intern_bytes(l->names);
}
