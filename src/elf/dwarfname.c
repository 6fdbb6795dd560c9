/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An entry may take its name from another one, which may do so, too: followed a few times, not for
 * ever.  What an entry is called is remembered, as a name or as none.
 */
#include "elf/dwarfname.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/intern.h"
#include "base/search.h"
#include "base/text.h"
#include "elf/demangle.h"
#include "elf/dwarfconst.h"
#include "proc/rootopen.h"

#define HOPS_MAX   8
#define TABLES     8 /* of abbreviations kept */
#define LINK_MAX   4096u
#define DEBUG_DIR  "/usr/lib/debug/.build-id"

enum { SIDE_MAIN, SIDE_ALT, SIDES };

struct table {
	uint64_t offset;
	struct dwarf_shape shape;
	struct dwarf_abbrevs abbrevs;
	bool valid;
};

struct side {
	int fd;
	bool open;
	struct dwarf_file file;
	uint64_t *units; /* offsets, rising */
	size_t nunits, cap_units;
	struct dwarf_unit unit; /* the last one that was looked into */
	bool has_unit;
	struct table table[TABLES];
	unsigned next; /* table to be replaced */
};

struct dwarf_names {
	struct budget *budget;
	struct side side[SIDES];
	char *path, *root; /* where the shared file is looked for */
	bool alt_tried;
	struct intern *origins; /* entries met: the id's place in `name` */
	uint32_t *name;         /* in names, 0: none */
	size_t cap_name;
	struct intern *names;
	struct demangle_work readable;
};

/* --- files ------------------------------------------------------------------------------ */

static int list_units(struct side *s)
{
	uint64_t offset = 0;

	while (offset < s->file.part[DWARF_INFO].size) {
		struct dwarf_unit u;

		if (dwarf_unit_head(&s->file, offset, &u) || s->nunits >= DWARFNAME_UNITS_MAX)
			break; /* what follows cannot be found */
		if (!budget_reserve(s->file.elf.budget, BUDGET_LINES, &s->units, &s->cap_units, s->nunits + 1, sizeof(*s->units)))
			return -ENOMEM;
		s->units[s->nunits++] = offset;
		offset = u.end;
	}
	return 0;
}

static int side_open(struct side *s, const struct dwarf_origin *from, struct err *err)
{
	struct elffile elf;
	int ret;

	s->fd = -1;
	if (!from->data) {
		s->fd = fcntl(from->fd, F_DUPFD_CLOEXEC, 3);
		if (s->fd < 0)
			return err_set(err, errno, "%s", strerror(errno));
	}
	ret = from->data ? elffile_open_memory_in(&elf, from->data, from->len, from->budget, err)
			 : elffile_open_in(&elf, s->fd, from->budget, err);
	if (ret)
		return ret;
	ret = dwarf_open(&s->file, &elf, err);
	if (ret) {
		elffile_close(&elf);
		return ret;
	}
	s->open = true;
	return list_units(s);
}

static void side_close(struct side *s)
{
	for (unsigned i = 0; i < TABLES; i++)
		dwarf_abbrevs_clear(&s->table[i].abbrevs);
	if (s->open)
		dwarf_close(&s->file);
	if (s->fd >= 0)
		close(s->fd);
	budget_free(s->units);
}

static bool has_build_id(const struct elffile *elf, const uint8_t *id, size_t len)
{
	uint8_t found[64];
	unsigned n = elffile_build_id(elf, found, sizeof(found));

	return n == len && !memcmp(found, id, len);
}

static int alt_try(struct dwarf_names *n, const char *root, const char *path, const uint8_t *id,
		   size_t len)
{
	struct side *s = &n->side[SIDE_ALT];
	struct dwarf_origin from = {.budget = n->budget, .fd = rootopen(root, path, false, NULL)};
	int ret;

	if (from.fd < 0)
		return from.fd;
	ret = side_open(s, &from, NULL);
	close(from.fd);
	if (!ret && has_build_id(&s->file.elf, id, len))
		return 0;
	side_close(s);
	*s = (struct side){.fd = -1};
	return ret ? ret : -ENOENT;
}

static void alt_search(struct dwarf_names *n, const char *link, const uint8_t *id, size_t len)
{
	const char *slash = n->path ? strrchr(n->path, '/') : NULL;
	int dir = slash ? (int)(slash - n->path) + 1 : 0;
	char path[2 * LINK_MAX], hex[2 * 64 + 1] = "";

	if (len < 2 || len > 64)
		return;
	snprintf(path, sizeof(path), "%.*s%s", *link == '/' ? 0 : dir, n->path ? n->path : "", link);
	if (*path == '/' && (!alt_try(n, n->root, path, id, len) ||
			     (n->root && !alt_try(n, NULL, path, id, len))))
		return;
	text_hex(hex, id, len);
	snprintf(path, sizeof(path), DEBUG_DIR "/%.2s/%s.debug", hex, hex + 2);
	if (alt_try(n, n->root, path, id, len) && n->root)
		alt_try(n, NULL, path, id, len);
}

/* .gnu_debugaltlink: a path, NUL, a build-id. */
static struct side *alt_open(struct dwarf_names *n)
{
	const struct elffile *elf = &n->side[SIDE_MAIN].file.elf;
	const Elf64_Shdr *s = elffile_section(elf, ".gnu_debugaltlink", 0);
	size_t at;
	char *link;
	int error;

	if (n->alt_tried || !s || !n->path)
		return n->side[SIDE_ALT].open ? &n->side[SIDE_ALT] : NULL;
	n->alt_tried = true;
	link = elffile_load(elf, s->sh_offset, s->sh_size, LINK_MAX, &error);
	if (!link)
		return NULL;
	at = strlen(link) + 1;
	if (at < s->sh_size)
		alt_search(n, link, (const uint8_t *)link + at, s->sh_size - at);
	budget_free(link);
	return n->side[SIDE_ALT].open ? &n->side[SIDE_ALT] : NULL;
}

int dwarf_names_open(const struct dwarf_origin *from, struct dwarf_names **out, struct err *err)
{
	struct dwarf_names *n = calloc(1, sizeof(*n));
	int ret = -ENOMEM;

	*out = NULL;
	if (n) {
		n->side[SIDE_MAIN].fd = n->side[SIDE_ALT].fd = -1;
		n->budget = from->budget;
		n->origins = intern_create_in(from->budget, BUDGET_LINES);
		n->names = intern_create_in(from->budget, BUDGET_LINES);
		n->path = from->path ? strdup(from->path) : NULL;
		n->root = from->root ? strdup(from->root) : NULL;
	}
	if (n && n->origins && n->names && (n->path || !from->path) && (n->root || !from->root))
		ret = side_open(&n->side[SIDE_MAIN], from, err);
	if (ret)
		dwarf_names_close(n);
	else
		*out = n;
	return ret;
}

void dwarf_names_close(struct dwarf_names *n)
{
	if (!n)
		return;
	for (int i = 0; i < SIDES; i++)
		side_close(&n->side[i]);
	intern_free(n->origins);
	intern_free(n->names);
	budget_free(n->name);
	free(n->path);
	free(n->root);
	free(n);
}

size_t dwarf_names_units(const struct dwarf_names *n)
{
	return n->side[SIDE_MAIN].nunits;
}

int dwarf_names_unit(struct dwarf_names *n, size_t i, struct dwarf_unit *u)
{
	struct side *s = &n->side[SIDE_MAIN];
	int ret = dwarf_unit_head(&s->file, s->units[i], u);

	if (!ret && !u->die)
		ret = -EINVAL;
	return ret ? ret : dwarf_unit_root(u);
}

/* --- names ------------------------------------------------------------------------------ */

static const struct dwarf_unit *unit_of(struct side *s, uint64_t offset)
{
	size_t above;

	if (s->has_unit && offset >= s->unit.die && offset < s->unit.end)
		return &s->unit;
	above = search_above(s->units, s->nunits, sizeof(*s->units), 0, offset);
	s->has_unit = above && !dwarf_unit_head(&s->file, s->units[above - 1], &s->unit) &&
		      s->unit.die && offset >= s->unit.die && offset < s->unit.end &&
		      !dwarf_unit_root(&s->unit);
	return s->has_unit ? &s->unit : NULL;
}

static const struct dwarf_abbrevs *table_of(struct side *s, const struct dwarf_unit *u)
{
	struct table *t;

	for (unsigned i = 0; i < TABLES; i++) {
		t = &s->table[i];
		if (t->valid && t->offset == u->abbrev && !memcmp(&t->shape, &u->shape, sizeof(t->shape)))
			return &t->abbrevs;
	}
	t = &s->table[s->next++ % TABLES];
	dwarf_abbrevs_clear(&t->abbrevs);
	t->offset = u->abbrev;
	t->shape = u->shape;
	t->valid = !dwarf_abbrevs_load(&s->file, u->abbrev, &u->shape, 0, &t->abbrevs);
	return t->valid ? &t->abbrevs : NULL;
}

/* What an entry says of its name, and where else to look. */
struct said {
	char linkage[DWARF_NAME_MAX], name[DWARF_NAME_MAX];
	uint64_t next; /* 0: nowhere */
};

void dwarf_names_text(struct dwarf_names *n, const struct dwarf_unit *u, const struct dwarf_value *v,
		      char *buf)
{
	struct side *alt;

	if (v->kind != DWARF_STRP_ALT) {
		dwarf_unit_text(u, v, buf);
		return;
	}
	*buf = '\0';
	alt = alt_open(n);
	if (alt)
		dwarf_string(&alt->file, DWARF_STR, v->n, buf);
}

/* The nearest entry's counts. */
static void name_text(struct dwarf_names *n, const struct dwarf_unit *u, const struct dwarf_value *v,
		      char *buf)
{
	if (!*buf)
		dwarf_names_text(n, u, v, buf);
}

static uint64_t value_ref(const struct dwarf_unit *u, const struct dwarf_value *v, uint64_t side)
{
	switch (v->kind) {
	case DWARF_REF:
		return (u->offset + v->n) | side;
	case DWARF_REF_ADDR:
		return v->n | side;
	case DWARF_REF_ALT:
		return v->n | DWARF_ORIGIN_ALT;
	default:
		return 0;
	}
}

static void entry_read(struct dwarf_names *n, const struct dwarf_unit *u,
		       const struct dwarf_abbrevs *a, struct dwarf_cursor *c, uint64_t side,
		       struct said *said)
{
	const struct dwarf_abbrev *ab = dwarf_abbrev_find(a, dwarf_uleb(c));

	for (uint32_t i = 0; ab && i < ab->nr && !c->failed; i++) {
		const struct dwarf_attr *attr = &a->attrs[ab->first + i];
		struct dwarf_value v;

		dwarf_value_read(c, &u->shape, attr, &v);
		if (c->failed)
			return;
		if (attr->name == DW_AT_linkage_name || attr->name == DW_AT_MIPS_linkage_name)
			name_text(n, u, &v, said->linkage);
		else if (attr->name == DW_AT_name)
			name_text(n, u, &v, said->name);
		else if (attr->name == DW_AT_abstract_origin || attr->name == DW_AT_specification)
			said->next = value_ref(u, &v, side);
	}
}

/* Follow the entry at origin to its name. */
static void follow(struct dwarf_names *n, uint64_t origin, struct said *said)
{
	for (int hop = 0; origin && hop < HOPS_MAX && !*said->linkage; hop++) {
		uint64_t side = origin & DWARF_ORIGIN_ALT, offset = origin & ~DWARF_ORIGIN_ALT;
		struct side *s = side ? alt_open(n) : &n->side[SIDE_MAIN];
		const struct dwarf_unit *u = s ? unit_of(s, offset) : NULL;
		const struct dwarf_abbrevs *a = u ? table_of(s, u) : NULL;
		uint64_t left = a ? u->end - offset : 0;
		struct dwarf_cursor c;

		said->next = 0;
		if (!a)
			return;
		c = dwarf_peek(&s->file, DWARF_INFO, offset,
			       left < DWARF_NAME_MAX * 2 ? (size_t)left : DWARF_NAME_MAX * 2);
		entry_read(n, u, a, &c, side, said);
		origin = said->next;
	}
}

static uint32_t name_make(struct dwarf_names *n, uint64_t origin)
{
	struct said *said = calloc(1, sizeof(*said));
	const char *raw;
	char *nice;
	uint32_t id = 0;

	if (!said)
		return 0;
	follow(n, origin, said);
	raw = *said->linkage ? said->linkage : said->name;
	nice = demangle(raw, &n->readable);
	if (*raw)
		id = intern_get(n->names, nice ? nice : raw, strlen(nice ? nice : raw), 0, NULL);
	free(nice);
	free(said);
	return id;
}

const char *dwarf_names_get(struct dwarf_names *n, uint64_t origin)
{
	uint32_t id = intern_find(n->origins, &origin, sizeof(origin));
	bool fresh;

	if (!origin)
		return NULL;
	if (!id) {
		if (intern_bytes(n->names) > DWARFNAME_NAMES_MAX ||
		    intern_bytes(n->origins) > DWARFNAME_NAMES_MAX)
			return NULL;
		/* Room first: an id that is known has its place. */
		if (!budget_reserve(n->budget, BUDGET_LINES, &n->name, &n->cap_name,
				    intern_bound(n->origins) + 1, sizeof(*n->name)))
			return NULL;
		id = intern_get(n->origins, &origin, sizeof(origin), 0, &fresh);
		if (!id)
			return NULL;
		n->name[id] = name_make(n, origin);
	}
	return n->name[id] ? intern_key(n->names, n->name[id], NULL) : NULL;
}

size_t dwarf_names_bytes(const struct dwarf_names *n)
{
	size_t bytes = sizeof(*n) + intern_bytes(n->origins) + intern_bytes(n->names) +
		       n->cap_name * sizeof(*n->name);

	for (int i = 0; i < SIDES; i++)
		bytes += n->side[i].file.bytes + n->side[i].cap_units * sizeof(*n->side[i].units);
	return bytes;
}
