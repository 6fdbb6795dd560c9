/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Of a 110 MB library the index of functions takes 760 KB, its .eh_frame 5 MB, all its rows about
 * as much, of which a profile touches a tenth.  So: the index is kept, entries are read when
 * wanted, rows are kept per function.  Sections of up to RESIDENT_MAX are kept in memory and the
 * file closed, so that a machine full of small libraries does not use up the file descriptors.
 */
#include "resolve/cfi.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/atomics.h"
#include "base/log.h"
#include "resolve/debugfile.h"
#include "resolve/elffile.h"
#include "resolve/unpack.h"

#define FUNCTIONS_MAX (2u << 20)
#define RESIDENT_MAX  (64u << 10)
#define WINDOW        (64u << 10)
#define STACK_WINDOW  1024u
#define CIES_KNOWN    16u /* while an index is built */

enum { TABLE_EH, TABLE_DEBUG, TABLES };

/* A function: where it begins (from the table's base) and where its entry is in the section. */
struct function {
	uint32_t pc, entry;
};

struct rows {
	uint32_t nr;
	uint32_t size; /* of the function, in bytes */
	struct cfi_row row[];
};

struct table {
	struct cfi_section section;
	uint64_t base;
	uint32_t nr;
	struct function *functions;
	struct rows **rows; /* shared: NULL until wanted, then for good */
};

struct segment {
	uint64_t offset, filesz, vaddr;
	bool executable;
};

struct cfi {
	struct cfi_memory *memory;
	uint64_t serial;
	uint64_t taken; /* of memory, shared */
	int fd;         /* -1: all is in memory */
	int debug_fd;   /* of the separate debug file, likewise */
	struct segment *segments;
	unsigned nsegments;
	struct table tables[TABLES];
};

static uint64_t last_serial; /* shared */
static struct rows broken = {0};

static bool memory_take(struct cfi *c, uint64_t bytes)
{
	if (bytes > c->memory->max ||
	    atomic_add_relaxed(&c->memory->used, bytes) > c->memory->max - bytes) {
		if (bytes <= c->memory->max)
			atomic_add_relaxed(&c->memory->used, 0 - bytes);
		return false;
	}
	atomic_add_relaxed(&c->taken, bytes);
	return true;
}

static void memory_give(struct cfi *c, uint64_t bytes)
{
	atomic_add_relaxed(&c->memory->used, 0 - bytes);
	atomic_add_relaxed(&c->taken, 0 - bytes);
}

/* --- the index -------------------------------------------------------------------------------- */

static bool table_reserve(struct cfi *c, struct table *t, uint32_t *cap, uint32_t need)
{
	uint32_t n = *cap < need / 2 ? need : 2 * *cap + 1;
	struct function *grown;

	if (need <= *cap)
		return true;
	if (need > FUNCTIONS_MAX || !memory_take(c, (uint64_t)(n - *cap) * sizeof(*grown)))
		return false;
	grown = reallocarray(t->functions, n, sizeof(*grown));
	if (!grown) {
		memory_give(c, (uint64_t)(n - *cap) * sizeof(*grown));
		return false;
	}
	t->functions = grown;
	*cap = n;
	return true;
}

static int function_compare(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	if (x->pc != y->pc)
		return x->pc < y->pc ? -1 : 1;
	return (x->entry > y->entry) - (x->entry < y->entry);
}

/* The few CIEs that a section's entries take turns with. */
struct known_cies {
	struct {
		uint64_t offset;
		bool valid;
		struct cfi_cie cie;
	} slot[CIES_KNOWN];
};

static const struct cfi_cie *known_cie(struct known_cies *k, struct cfi_reader *r, uint64_t offset)
{
	unsigned i = (unsigned)(offset >> 3) % CIES_KNOWN;

	if (k->slot[i].valid && k->slot[i].offset == offset)
		return &k->slot[i].cie;
	k->slot[i].valid = !cfi_cie_read(r, offset, &k->slot[i].cie);
	k->slot[i].offset = offset;
	return k->slot[i].valid ? &k->slot[i].cie : NULL;
}

struct walk {
	struct cfi_reader entries, cies;
	struct known_cies known;
	uint8_t window[WINDOW], cie_window[STACK_WINDOW];
};

/* Add the function of the entry at `offset`.  Broken entries are left out; -ENOSPC: memory. */
static int walk_entry(struct cfi *c, struct table *t, struct walk *w, const struct cfi_head *head,
		      uint64_t offset, uint32_t *cap)
{
	const struct cfi_cie *cie = known_cie(&w->known, &w->cies, head->cie);
	struct cfi_fde fde;

	if (!cie || cfi_fde_range(&w->entries, head, cie, &fde) || !fde.start)
		return 0; /* at 0: code that the linker threw away */
	if (!t->nr)
		t->base = fde.start > UINT32_MAX / 2 ? fde.start - UINT32_MAX / 2 : 0;
	if (fde.start < t->base || fde.start - t->base > UINT32_MAX)
		return 0;
	if (!table_reserve(c, t, cap, t->nr + 1))
		return -ENOSPC;
	t->functions[t->nr++] = (struct function){
		.pc = (uint32_t)(fde.start - t->base), .entry = (uint32_t)offset,
	};
	return 0;
}

static int table_walk(struct cfi *c, struct table *t)
{
	struct walk *w = calloc(1, sizeof(*w));
	struct cfi_head head;
	uint32_t cap = 0;
	int ret = 0;

	if (!w)
		return -ENOMEM;
	w->entries = (struct cfi_reader){.section = &t->section, .buf = w->window, .cap = WINDOW};
	w->cies = (struct cfi_reader){.section = &t->section, .buf = w->cie_window,
				      .cap = STACK_WINDOW};
	for (uint64_t at = 0; !ret && at < t->section.size; at = head.next) {
		if (cfi_head_read(&w->entries, at, &head) || head.is_last)
			break;
		if (!head.is_cie)
			ret = walk_entry(c, t, w, &head, at, &cap);
	}
	free(w);
	if (t->nr)
		qsort(t->functions, t->nr, sizeof(*t->functions), function_compare);
	return ret;
}

/* .eh_frame_hdr: version, three encodings, where .eh_frame is, how many, and the sorted table. */
struct hdr {
	uint64_t vaddr, offset, size;
	uint64_t eh_frame; /* its vaddr */
	uint64_t table;    /* offset within the header */
	uint64_t nr;       /* 0: no table, or not of the one kind in use */
};

#define HDR_SORTED 0x3b /* datarel, sdata4 */

static int hdr_read(const struct elffile *f, struct hdr *h)
{
	uint8_t bytes[32] = {0};
	size_t len = h->size < sizeof(bytes) ? h->size : sizeof(bytes);
	uint64_t vaddr = h->vaddr + len;
	struct dwarf_cursor c = {.at = bytes + 4, .end = bytes + len};

	if (len < 8 || elffile_read(f, h->offset, bytes, len) || bytes[0] != 1)
		return -EINVAL;
	h->eh_frame = cfi_get_pointer(&c, bytes[1], vaddr, h->vaddr);
	if (c.failed)
		return -EINVAL;
	if (bytes[2] == CFI_PTR_OMIT || bytes[3] != HDR_SORTED)
		return 0;
	h->nr = cfi_get_pointer(&c, bytes[2], vaddr, h->vaddr);
	h->table = (uint64_t)(c.at - bytes);
	if (c.failed || h->nr > (h->size - h->table) / 8)
		h->nr = 0;
	return 0;
}

/* Turn the file's entries into ours, in place.  -EINVAL: not sorted, or not within bounds. */
static int hdr_convert(struct table *t, const struct hdr *h)
{
	uint64_t pc, entry, last = 0;
	int32_t raw[2];

	for (uint32_t i = 0; i < t->nr; i++) {
		memcpy(raw, &t->functions[i], sizeof(raw));
		pc = h->vaddr + (uint64_t)(int64_t)raw[0];
		entry = h->vaddr + (uint64_t)(int64_t)raw[1] - t->section.vaddr;
		if (i == 0)
			t->base = pc;
		if (pc < last || pc - t->base > UINT32_MAX || entry >= t->section.size)
			return -EINVAL;
		last = pc;
		t->functions[i] = (struct function){(uint32_t)(pc - t->base), (uint32_t)entry};
	}
	return 0;
}

static int table_from_hdr(struct cfi *c, struct table *t, const struct elffile *f,
			  const struct hdr *h)
{
	uint32_t cap = 0;
	int ret;

	if (!h->nr || h->nr > FUNCTIONS_MAX)
		return -EINVAL;
	if (!table_reserve(c, t, &cap, (uint32_t)h->nr))
		return -ENOSPC;
	ret = elffile_read(f, h->offset + h->table, t->functions, h->nr * sizeof(*t->functions));
	t->nr = ret ? 0 : (uint32_t)h->nr;
	if (!ret)
		ret = hdr_convert(t, h);
	if (ret) {
		memory_give(c, (uint64_t)cap * sizeof(*t->functions));
		free(t->functions);
		t->functions = NULL;
		t->nr = 0;
	}
	return ret;
}

/* --- opening ---------------------------------------------------------------------------------- */

static bool segment_of(const struct elffile *f, uint64_t vaddr, const Elf64_Phdr **found)
{
	for (unsigned i = 0; i < f->nsegments; i++) {
		const Elf64_Phdr *p = &f->segments[i];

		if (p->p_type == PT_LOAD && vaddr >= p->p_vaddr &&
		    vaddr - p->p_vaddr < p->p_filesz) {
			*found = p;
			return true;
		}
	}
	return false;
}

static const Elf64_Phdr *hdr_segment(const struct elffile *f)
{
	for (unsigned i = 0; i < f->nsegments; i++) {
		if (f->segments[i].p_type == PT_GNU_EH_FRAME)
			return &f->segments[i];
	}
	return NULL;
}

static bool section_fits(const struct elffile *f, const struct cfi_section *s)
{
	return s->size && s->size <= UINT32_MAX && s->offset <= f->size &&
	       s->size <= f->size - s->offset;
}

static bool section_named(const struct elffile *f, const char *name, struct cfi_section *s)
{
	const Elf64_Shdr *h = elffile_section(f, name, 0);

	if (!h || (h->sh_flags & SHF_COMPRESSED))
		return false;
	*s = (struct cfi_section){.vaddr = h->sh_addr, .offset = h->sh_offset, .size = h->sh_size,
				  .fd = -1};
	return section_fits(f, s);
}

/* Without section headers .eh_frame reaches, as far as we know, to the end of its segment. */
static bool eh_frame_find(const struct elffile *f, const struct hdr *h, struct cfi_section *s)
{
	const Elf64_Phdr *p;
	uint64_t at;

	if (section_named(f, ".eh_frame", s) && (!h->size || s->vaddr == h->eh_frame))
		return true;
	if (!h->size || !segment_of(f, h->eh_frame, &p))
		return false;
	at = h->eh_frame - p->p_vaddr;
	*s = (struct cfi_section){.vaddr = h->eh_frame, .offset = p->p_offset + at,
				  .size = p->p_filesz - at, .fd = -1};
	return section_fits(f, s);
}

/* Small ones into memory, others stay in the file, which is then kept open. */
static int section_place(struct cfi *c, const struct elffile *f, struct cfi_section *s, int *fd)
{
	int error;

	if (f->fd >= 0 && s->size > RESIDENT_MAX) {
		if (*fd < 0)
			*fd = fcntl(f->fd, F_DUPFD_CLOEXEC, 3);
		if (*fd < 0)
			return -errno;
		s->fd = *fd;
		return 0;
	}
	if (!memory_take(c, s->size))
		return -ENOSPC;
	s->data = elffile_load(f, s->offset, s->size, s->size, &error);
	return s->data ? 0 : error;
}

static int table_finish(struct cfi *c, struct table *t)
{
	uint64_t bytes = (uint64_t)t->nr * sizeof(*t->rows);

	if (!t->nr)
		return 0;
	if (!memory_take(c, bytes))
		return -ENOSPC;
	t->rows = calloc(t->nr, sizeof(*t->rows));
	return t->rows ? 0 : -ENOMEM;
}

static void table_clear(struct table *t)
{
	for (uint32_t i = 0; t->rows && i < t->nr; i++) {
		if (t->rows[i] != &broken)
			free(t->rows[i]);
	}
	free(t->rows);
	free(t->functions);
	free((void *)(uintptr_t)t->section.data);
}

static int open_eh_frame(struct cfi *c, const struct elffile *f)
{
	struct table *t = &c->tables[TABLE_EH];
	const Elf64_Phdr *p = hdr_segment(f);
	struct hdr h = {0};
	int ret = -EINVAL;

	if (p) {
		h = (struct hdr){.vaddr = p->p_vaddr, .offset = p->p_offset, .size = p->p_filesz};
		if (hdr_read(f, &h))
			h = (struct hdr){0};
	}
	if (!eh_frame_find(f, &h, &t->section)) {
		t->section.size = 0;
		return 0;
	}
	ret = section_place(c, f, &t->section, &c->fd);
	if (ret)
		return ret;
	ret = table_from_hdr(c, t, f, &h);
	if (ret == -EINVAL)
		ret = table_walk(c, t);
	return ret ? ret : table_finish(c, t);
}

/* What was compressed is held in memory whole. */
static int section_unpack(struct cfi *c, const struct elffile *f, const Elf64_Shdr *h,
			  struct cfi_section *s)
{
	struct unpack p;
	uint8_t *data;
	int ret = unpack_read(f, h, &p);

	if (ret)
		return ret;
	if (!p.size || p.size > CFI_UNPACK_MAX || !memory_take(c, p.size))
		return p.size ? -ENOSPC : -EINVAL;
	data = malloc(p.size);
	if (!data)
		return -ENOMEM;
	*s = (struct cfi_section){.size = p.size, .fd = -1, .data = data};
	return unpack_into(f, &p, data);
}

/* 0, -ENOENT: it has none, or -errno. */
static int debug_frame_load(struct cfi *c, const struct elffile *f, int *fd)
{
	struct table *t = &c->tables[TABLE_DEBUG];
	bool packed;
	const Elf64_Shdr *h = unpack_find(f, "frame", "", &packed);
	int ret;

	if (!h || (!packed && !section_named(f, ".debug_frame", &t->section)))
		return -ENOENT;
	ret = packed ? section_unpack(c, f, h, &t->section) : section_place(c, f, &t->section, fd);
	if (ret)
		return ret;
	t->section.is_debug = true;
	t->section.vaddr = 0;
	ret = table_walk(c, t);
	return ret ? ret : table_finish(c, t);
}

/* From the file itself, or from the one that its debug information was put into. */
static int debug_frame_find(struct cfi *c, const struct elffile *f, const struct cfi_names *names)
{
	struct elffile debug;
	char found[4096];
	int ret = debug_frame_load(c, f, &c->fd), fd;

	if (ret != -ENOENT || f->fd < 0)
		return ret;
	fd = debugfile_open(f, names ? names->path : NULL, names ? names->root : NULL, found,
			    sizeof(found));
	if (fd < 0)
		return -ENOENT;
	ret = elffile_open(&debug, fd, NULL);
	if (!ret) {
		ret = debug_frame_load(c, &debug, &c->debug_fd);
		elffile_close(&debug);
	}
	close(fd);
	return ret;
}

/* Beside .eh_frame it has little to add, mostly: what is wrong with it must not cost that, too. */
static int open_debug_frame(struct cfi *c, const struct elffile *f, const struct cfi_names *names)
{
	struct table *t = &c->tables[TABLE_DEBUG];
	uint64_t before = c->taken;
	int ret = debug_frame_find(c, f, names);

	if (!ret || (ret != -ENOENT && !c->tables[TABLE_EH].nr))
		return ret;
	if (ret != -ENOENT)
		log_msg(LOG_RESOLVE, "%s: its .debug_frame is left out: %s",
			names && names->path ? names->path : "an object", strerror(-ret));
	table_clear(t);
	*t = (struct table){.section = {.fd = -1}};
	memory_give(c, c->taken - before);
	return 0;
}

static int open_segments(struct cfi *c, const struct elffile *f)
{
	c->segments = calloc(f->nsegments + 1, sizeof(*c->segments));
	if (!c->segments)
		return -ENOMEM;
	for (unsigned i = 0; i < f->nsegments; i++) {
		const Elf64_Phdr *p = &f->segments[i];

		if (p->p_type != PT_LOAD)
			continue;
		c->segments[c->nsegments++] = (struct segment){
			.offset = p->p_offset, .filesz = p->p_filesz, .vaddr = p->p_vaddr,
			.executable = p->p_flags & PF_X,
		};
	}
	return 0;
}

static struct cfi *open_elf(const struct elffile *f, const struct cfi_names *names,
			    struct cfi_memory *memory, struct err *err)
{
	struct cfi *c;
	int ret;

	if (f->is_32bit || f->ehdr.e_machine != EM_X86_64) {
		err_set(err, ENOTSUP, "not an ELF file of x86-64");
		return NULL;
	}
	c = calloc(1, sizeof(*c));
	if (!c) {
		err_set(err, ENOMEM, "out of memory");
		return NULL;
	}
	c->memory = memory;
	c->fd = c->debug_fd = -1;
	c->serial = atomic_add_relaxed(&last_serial, 1) + 1;
	ret = open_segments(c, f);
	if (!ret)
		ret = open_eh_frame(c, f);
	if (!ret)
		ret = open_debug_frame(c, f, names);
	if (ret) {
		cfi_free(c);
		err_set(err, -ret, ret == -ENOSPC ? "no memory left for unwind information" :
						    "cannot read the unwind information");
		return NULL;
	}
	return c;
}

struct cfi *cfi_open(int fd, const struct cfi_names *names, struct cfi_memory *memory,
		     struct err *err)
{
	struct elffile f;
	struct cfi *c = NULL;

	if (!elffile_open(&f, fd, err)) {
		c = open_elf(&f, names, memory, err);
		elffile_close(&f);
	}
	return c;
}

struct cfi *cfi_open_memory(const void *data, size_t len, struct cfi_memory *memory,
			    struct err *err)
{
	struct elffile f;
	struct cfi *c = NULL;

	if (!elffile_open_memory(&f, data, len, err)) {
		c = open_elf(&f, NULL, memory, err);
		elffile_close(&f);
	}
	return c;
}

void cfi_free(struct cfi *c)
{
	if (!c)
		return;
	for (unsigned i = 0; i < TABLES; i++)
		table_clear(&c->tables[i]);
	free(c->segments);
	if (c->fd >= 0)
		close(c->fd);
	if (c->debug_fd >= 0)
		close(c->debug_fd);
	memory_give(c, atomic_load_relaxed(&c->taken));
	free(c);
}

uint64_t cfi_functions(const struct cfi *c)
{
	return (uint64_t)c->tables[TABLE_EH].nr + c->tables[TABLE_DEBUG].nr;
}

uint64_t cfi_serial(const struct cfi *c)
{
	return c->serial;
}

/* Two segments may share a page of the file; mappings of code are of the executable one. */
bool cfi_vaddr(const struct cfi *c, uint64_t offset, uint64_t *vaddr)
{
	for (int executable = 1; executable >= 0; executable--) {
		for (unsigned i = 0; i < c->nsegments; i++) {
			const struct segment *s = &c->segments[i];
			uint64_t begin = s->offset & ~4095ull; /* maps are of whole pages */

			if (s->executable != (bool)executable || offset < begin ||
			    offset - begin >= s->filesz + (s->offset - begin))
				continue;
			*vaddr = s->vaddr + (offset - s->offset);
			return true;
		}
	}
	return false;
}

/* --- looking up ------------------------------------------------------------------------------- */

/* The last function that begins at or before vaddr. */
static bool table_search(const struct table *t, uint64_t vaddr, uint32_t *index)
{
	uint32_t at = 0, pc = (uint32_t)(vaddr - t->base);

	if (!t->nr || vaddr < t->base || vaddr - t->base > UINT32_MAX || t->functions[0].pc > pc)
		return false;
	for (uint32_t n = t->nr; n > 1;) {
		uint32_t half = n / 2;

		at += t->functions[at + half].pc <= pc ? half : 0;
		n -= half;
	}
	*index = at;
	return true;
}

/* An entry with its CIE, read. */
struct entry {
	struct cfi_cie cie;
	struct cfi_fde fde;
	struct cfi_reader cies, fdes;
	uint8_t cie_window[STACK_WINDOW], window[STACK_WINDOW];
	uint8_t *large; /* for an entry that the window cannot hold */
};

static int entry_grow(struct entry *e, const struct cfi_head *head)
{
	size_t len = head->next - head->body;

	if (len > CFI_FDE_MAX)
		return -EINVAL;
	e->large = malloc(len);
	if (!e->large)
		return -ENOMEM;
	e->fdes.buf = e->large;
	e->fdes.cap = len;
	e->fdes.len = 0;
	return 0;
}

/* 0 or -errno; entry_clear in any case. */
static int entry_read(const struct table *t, uint64_t offset, struct entry *e)
{
	struct cfi_head head;
	int ret;

	e->large = NULL;
	e->fdes = (struct cfi_reader){.section = &t->section, .buf = e->window,
				      .cap = STACK_WINDOW};
	e->cies = (struct cfi_reader){.section = &t->section, .buf = e->cie_window,
				      .cap = STACK_WINDOW};
	ret = cfi_head_read(&e->fdes, offset, &head);
	if (ret || head.is_cie || head.is_last)
		return -EINVAL;
	ret = cfi_cie_read(&e->cies, head.cie, &e->cie);
	if (!ret)
		ret = cfi_fde_read(&e->fdes, &head, &e->cie, &e->fde);
	if (ret != -EFBIG)
		return ret;
	ret = entry_grow(e, &head);
	return ret ? ret : cfi_fde_read(&e->fdes, &head, &e->cie, &e->fde);
}

static void entry_clear(struct entry *e)
{
	free(e->large);
}

/* NULL: no memory. */
static struct rows *rows_build(const struct entry *e)
{
	struct rows *rows;
	uint32_t nr;

	if (cfirows_run(&e->cie, &e->fde, NULL, CFI_ROWS_MAX, &nr) || !nr)
		return &broken;
	rows = malloc(sizeof(*rows) + nr * sizeof(rows->row[0]));
	if (!rows)
		return NULL;
	rows->size = (uint32_t)e->fde.size;
	if (cfirows_run(&e->cie, &e->fde, rows->row, nr, &rows->nr)) {
		free(rows);
		return &broken;
	}
	return rows;
}

static struct cfi_rule rows_rule(const struct rows *rows, uint64_t pc)
{
	if (!rows || rows == &broken)
		return (struct cfi_rule){.kind = CFI_BROKEN};
	if (pc >= rows->size)
		return (struct cfi_rule){.kind = CFI_UNCOVERED};
	return cfirows_find(rows->row, rows->nr, (uint32_t)pc);
}

static uint64_t rows_bytes(const struct rows *rows)
{
	return sizeof(*rows) + rows->nr * sizeof(rows->row[0]);
}

/* Publish what was built, if memory allows and nobody was faster; else it is dropped after use. */
static struct cfi_rule rows_settle(struct cfi *c, struct rows **slot, struct rows *rows,
				   uint64_t pc)
{
	struct cfi_rule rule = rows_rule(rows, pc);
	struct rows *old = NULL;

	if (!rows)
		return rule;
	if (rows != &broken && !memory_take(c, rows_bytes(rows))) {
		free(rows);
		return rule;
	}
	/* pairs with the acquire in table_rule */
	if (!atomic_cas_publish(slot, &old, rows) && rows != &broken) {
		memory_give(c, rows_bytes(rows));
		free(rows);
	}
	return rule;
}

static struct cfi_rule table_rule(struct cfi *c, struct table *t, uint64_t vaddr)
{
	uint64_t pc, start;
	struct rows *rows;
	struct entry e;
	uint32_t index;

	if (!table_search(t, vaddr, &index))
		return (struct cfi_rule){.kind = CFI_UNCOVERED};
	start = t->base + t->functions[index].pc;
	pc = vaddr - start;
	rows = atomic_load_acquire(&t->rows[index]); /* pairs with rows_settle */
	if (rows)
		return rows_rule(rows, pc);
	rows = &broken;
	if (!entry_read(t, t->functions[index].entry, &e) && e.fde.start == start)
		rows = rows_build(&e);
	entry_clear(&e);
	return rows_settle(c, &t->rows[index], rows, pc);
}

struct cfi_rule cfi_find(struct cfi *c, uint64_t vaddr)
{
	struct cfi_rule rule = table_rule(c, &c->tables[TABLE_EH], vaddr);

	if (rule.kind == CFI_UNCOVERED && c->tables[TABLE_DEBUG].nr)
		rule = table_rule(c, &c->tables[TABLE_DEBUG], vaddr);
	return rule;
}

static int copy_entry(const struct entry *e, struct cfi_copy *copy)
{
	if (e->cie.len + e->fde.len > sizeof(copy->bytes))
		return -EFBIG;
	copy->cie = e->cie;
	copy->fde = e->fde;
	memcpy(copy->bytes, e->cie.program, e->cie.len);
	memcpy(copy->bytes + e->cie.len, e->fde.program, e->fde.len);
	copy->cie.program = copy->bytes;
	copy->fde.program = copy->bytes + e->cie.len;
	return 0;
}

int cfi_copy(const struct cfi *c, uint64_t vaddr, struct cfi_copy *copy)
{
	int ret = -ENOENT;
	struct entry e;
	uint32_t index;

	for (unsigned i = 0; i < TABLES && ret == -ENOENT; i++) {
		const struct table *t = &c->tables[i];

		if (!table_search(t, vaddr, &index))
			continue;
		ret = entry_read(t, t->functions[index].entry, &e);
		if (!ret && vaddr - e.fde.start >= e.fde.size)
			ret = -ENOENT;
		if (!ret)
			ret = copy_entry(&e, copy);
		entry_clear(&e);
	}
	return ret;
}
