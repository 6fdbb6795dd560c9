/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Layout: one reservation of addresses without memory; our headers in its first page, then each
 * section, on pages of its own that are made readable one by one.
 */
#include "files/elf/debugimage.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "files/elf/unpack.h"

#define IMAGE_MAX (UINT64_C(1) << 40)
#define SECTIONS  9

static const char *const section_names[SECTIONS] = {
	"info", "abbrev", "line", "str", "line_str", "ranges", "rnglists", "addr", "str_offsets",
};

enum { INFO, ABBREV, LINE };

/* First bytes of the image. */
struct head {
	Elf64_Ehdr ehdr;
	Elf64_Shdr section[SECTIONS + 2]; /* the first is empty, the last has the names */
	char name[SECTIONS + 2][24];
};

/* A section's place in the file and in the image. */
struct part {
	bool packed, mapped;
	struct unpack from; /* size 0: no such section */
	uint64_t page, at;  /* in the image */
};

struct plan {
	const struct elffile *f;
	struct part part[SECTIONS];
	uint64_t size, read; /* bytes of the image; bytes of memory */
};

static _Atomic bool map_files;

void debugimage_map_files(void)
{
	map_files = true;
}

static uint64_t page_size(void)
{
	return (uint64_t)sysconf(_SC_PAGESIZE);
}

static uint64_t page_up(uint64_t n)
{
	return (n + page_size() - 1) & ~(page_size() - 1);
}

/* --- layout --------------------------------------------------------------------------------- */

static int part_find(const struct elffile *f, const char *name, struct part *p)
{
	const Elf64_Shdr *s = unpack_find(f, name, &p->packed);

	if (!s)
		return 0;
	if (p->packed)
		return unpack_read(f, s, &p->from);
	p->from = (struct unpack){.offset = s->sh_offset, .len = s->sh_size, .size = s->sh_size};
	return s->sh_offset > f->size || s->sh_size > f->size - s->sh_offset ? -EINVAL : 0;
}

static int plan_part(struct plan *plan, struct part *p, const char *name)
{
	int ret = part_find(plan->f, name, p);

	if (ret || !p->from.size)
		return ret;
	p->mapped = !p->packed && plan->f->fd >= 0 && map_files;
	p->page = plan->size;
	p->at = p->page + (p->mapped ? p->from.offset % page_size() : 0);
	if (p->from.size > IMAGE_MAX || p->at + p->from.size > IMAGE_MAX)
		return -EFBIG;
	plan->size = page_up(p->at + p->from.size);
	plan->read += p->mapped ? 0 : p->from.size;
	return 0;
}

static int plan_make(struct plan *plan)
{
	int ret = 0;

	plan->size = page_up(sizeof(struct head));
	for (int i = 0; i < SECTIONS && !ret; i++)
		ret = plan_part(plan, &plan->part[i], section_names[i]);
	if (!ret && (!plan->part[INFO].from.size || !plan->part[ABBREV].from.size))
		ret = -ENOENT;
	return ret;
}

/* --- the image ------------------------------------------------------------------------------ */

static int part_fill(const struct plan *plan, const struct part *p, uint8_t *base)
{
	uint64_t skew = p->at - p->page;
	int ret;

	if (p->mapped)
		return mmap(base + p->page, p->from.size + skew, PROT_READ, MAP_PRIVATE | MAP_FIXED,
			    plan->f->fd, (off_t)(p->from.offset - skew)) == MAP_FAILED ? -errno : 0;
	if (mprotect(base + p->page, page_up(p->from.size), PROT_READ | PROT_WRITE))
		return -errno;
	ret = p->packed ? unpack_into(plan->f, &p->from, base + p->at)
			: elffile_read(plan->f, p->from.offset, base + p->at, p->from.size);
	return !ret && mprotect(base + p->page, page_up(p->from.size), PROT_READ) ? -errno : ret;
}

/* Fill in the headers, always of 64 bits: libdw takes the size of addresses from each unit. */
static void head_fill(const struct plan *plan, struct head *h)
{
	enum { NAMES = SECTIONS + 1 };

	h->ehdr = (Elf64_Ehdr){.e_type = ET_DYN, .e_machine = plan->f->ehdr.e_machine,
			       .e_version = EV_CURRENT, .e_shoff = offsetof(struct head, section),
			       .e_ehsize = sizeof(h->ehdr), .e_shentsize = sizeof(*h->section),
			       .e_shnum = SECTIONS + 2, .e_shstrndx = NAMES};
	memcpy(h->ehdr.e_ident, plan->f->ehdr.e_ident, EI_NIDENT);
	h->ehdr.e_ident[EI_CLASS] = ELFCLASS64;
	for (unsigned i = 0; i < SECTIONS; i++) {
		snprintf(h->name[i + 1], sizeof(h->name[0]), ".debug_%s", section_names[i]);
		h->section[i + 1] = (Elf64_Shdr){.sh_name = (i + 1) * (unsigned)sizeof(h->name[0]),
						 .sh_type = SHT_PROGBITS,
						 .sh_offset = plan->part[i].at,
						 .sh_size = plan->part[i].from.size,
						 .sh_addralign = 1};
	}
	h->section[NAMES] = (Elf64_Shdr){.sh_type = SHT_STRTAB,
					 .sh_offset = offsetof(struct head, name),
					 .sh_size = sizeof(h->name),
					 .sh_addralign = 1};
}

static int image_fill(struct debugimage *im, const struct plan *plan)
{
	void *base;
	int ret = 0;

	if (!budget_take(im->budget, BUDGET_LINES, plan->read))
		return -ENOMEM;
	im->taken = plan->read;
	base = mmap(NULL, plan->size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
		    0);
	if (base == MAP_FAILED)
		return -errno;
	im->base = base;
	im->size = plan->size;
	if (mprotect(base, page_up(sizeof(struct head)), PROT_READ | PROT_WRITE))
		return -errno;
	head_fill(plan, base);
	for (int i = 0; i < SECTIONS && !ret; i++)
		if (plan->part[i].from.size)
			ret = part_fill(plan, &plan->part[i], base);
	im->line = im->base + plan->part[LINE].at;
	im->line_len = plan->part[LINE].from.size;
	return ret;
}

static int code_copy(struct debugimage *im, const struct elffile *f)
{
	im->code = budget_zalloc(im->budget, BUDGET_LINES, f->nsegments + 1, sizeof(*im->code));
	if (!im->code)
		return -ENOMEM;
	for (unsigned i = 0; i < f->nsegments; i++) {
		const Elf64_Phdr *p = &f->segments[i];

		if (p->p_type == PT_LOAD && p->p_flags & PF_X)
			im->code[im->ncode++] = (struct debugimage_code){p->p_vaddr, p->p_memsz};
	}
	return 0;
}

static int image_make(struct debugimage *im, const struct elffile *f, struct plan *plan)
{
	int ret = plan_make(plan);

	if (!ret)
		ret = image_fill(im, plan);
	if (!ret)
		ret = code_copy(im, f);
	if (ret)
		return ret;
	elf_version(EV_CURRENT);
	im->elf = elf_memory((char *)im->base, im->size);
	return im->elf ? 0 : -ENOMEM;
}

int debugimage_open(struct debugimage *im, const struct elffile *f, struct err *err)
{
	struct plan plan = {.f = f};
	int ret;

	*im = (struct debugimage){.budget = f->budget};
	ret = image_make(im, f, &plan);
	if (!ret)
		return 0;
	debugimage_close(im);
	return err_set(err, -ret, ret == -ENOENT ? "it has no debug information"
						 : "its debug information: %s", strerror(-ret));
}

void debugimage_close(struct debugimage *im)
{
	elf_end(im->elf);
	if (im->base)
		munmap(im->base, im->size);
	budget_free(im->code);
	budget_give(im->budget, BUDGET_LINES, im->taken);
	*im = (struct debugimage){.base = NULL};
}

bool debugimage_is_code(const struct debugimage *im, uint64_t addr)
{
	for (size_t i = 0; addr && i < im->ncode; i++)
		if (addr - im->code[i].addr < im->code[i].len)
			return true;
	return false;
}
