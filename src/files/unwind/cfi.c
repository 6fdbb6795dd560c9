/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sections of up to CFI_RESIDENT_MAX are kept in memory and their file closed, so that many small
 * libraries do not use up the file descriptors.
 */
#include "files/unwind/cfi.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/atomics.h"
#include "base/log.h"
#include "files/elf/unpack.h"
#include "files/unwind/cfi_sandbox.h"

static uint64_t last_serial; /* shared */

/*
 * Header of .eh_frame_hdr: version, three encodings, place of .eh_frame, number of functions, and
 * the sorted table.
 */
struct hdr {
	uint64_t vaddr, offset, size;
	uint64_t eh_frame;      /* its vaddr */
	struct cfi_index index; /* nr 0: none, or not the one format in use */
};

#define HDR_SORTED 0x3b /* datarel, sdata4 */

static int hdr_read(const struct elffile *f, struct hdr *h)
{
	uint8_t bytes[32] = {0};
	size_t len = h->size < sizeof(bytes) ? h->size : sizeof(bytes);
	uint64_t vaddr = h->vaddr + len, at, nr;
	struct dwarf_cursor c = {.at = bytes + 4, .end = bytes + len};

	if (len < 8 || elffile_read(f, h->offset, bytes, len) || bytes[0] != 1)
		return -EINVAL;
	h->eh_frame = cfi_get_pointer(&c, bytes[1], vaddr, h->vaddr);
	if (c.failed)
		return -EINVAL;
	if (bytes[2] == CFI_PTR_OMIT || bytes[3] != HDR_SORTED)
		return 0;
	nr = cfi_get_pointer(&c, bytes[2], vaddr, h->vaddr);
	at = (uint64_t)(c.at - bytes);
	if (!c.failed && nr <= (h->size - at) / 8)
		h->index = (struct cfi_index){h->vaddr, h->offset + at, nr};
	return 0;
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

/* Find .eh_frame. Without section headers it may reach to the end of its segment. */
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

/* Load a small section into memory; a larger one stays in the file, which is then kept open. */
static int section_place(struct cfi *c, const struct elffile *f, struct cfi_section *s)
{
	void *loaded, *data;
	int error;

	if (f->fd >= 0 && s->size > CFI_RESIDENT_MAX) {
		s->fd = f->fd;
		return 0;
	}
	if (!cfitable_take(&c->budget, s->size))
		return -ENOSPC;
	loaded = elffile_load(f, s->offset, s->size, s->size, &error);
	if (!loaded)
		return error;
	data = malloc(s->size);
	if (data)
		memcpy(data, loaded, s->size);
	budget_free(loaded);
	s->data = data;
	return data ? 0 : -ENOMEM;
}

static int open_eh_frame(struct cfi *c, const struct elffile *f)
{
	struct cfitable *t = &c->tables[CFI_EH];
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
	ret = section_place(c, f, &t->section);
	if (ret)
		return ret;
	ret = cfitable_read(t, f, &h.index);
	if (ret == -EINVAL)
		ret = cfitable_walk(t);
	return ret ? ret : cfitable_finish(t);
}

/* Unpack a compressed section into memory, as a whole. */
static int section_unpack(struct cfi *c, const struct elffile *f, const Elf64_Shdr *h,
			  struct cfi_section *s)
{
	struct unpack p;
	uint8_t *data;
	int ret = unpack_read(f, h, &p);

	if (ret)
		return ret;
	if (!p.size || p.size > CFI_UNPACK_MAX || !cfitable_take(&c->budget, p.size))
		return p.size ? -ENOSPC : -EINVAL;
	data = malloc(p.size);
	if (!data)
		return -ENOMEM;
	*s = (struct cfi_section){.size = p.size, .fd = -1, .data = data};
	return unpack_into(f, &p, data);
}

/* Load .debug_frame of a file. Return 0, -ENOENT (it has none), or -errno. */
static int debug_frame_load(struct cfi *c, const struct elffile *f)
{
	struct cfitable *t = &c->tables[CFI_DEBUG];
	bool packed;
	const Elf64_Shdr *h = unpack_find(f, "frame", &packed);
	int ret;

	if (!h || (!packed && !section_named(f, ".debug_frame", &t->section)))
		return -ENOENT;
	ret = packed ? section_unpack(c, f, h, &t->section) : section_place(c, f, &t->section);
	if (ret)
		return ret;
	t->section.is_debug = true;
	t->section.vaddr = 0;
	ret = cfitable_walk(t);
	return ret ? ret : cfitable_finish(t);
}

/* Load .debug_frame from the file itself, or from its separate debug file. */
static int debug_frame_find(struct cfi *c, struct image *im)
{
	struct elffile *debug;
	int ret = debug_frame_load(c, &im->elf);

	if (ret != -ENOENT)
		return ret;
	debug = image_debug(im);
	return debug ? debug_frame_load(c, debug) : -ENOENT;
}

/* Load .debug_frame, too. It mostly adds little to .eh_frame: an error in it must not cost that. */
static int open_debug_frame(struct cfi *c, struct image *im)
{
	struct cfitable *t = &c->tables[CFI_DEBUG];
	uint64_t before = c->budget.taken;
	int ret = debug_frame_find(c, im);

	if (!ret || (ret != -ENOENT && !c->tables[CFI_EH].nr))
		return ret;
	if (ret != -ENOENT)
		log_msg(LOG_RESOLVE, "%s: its .debug_frame is ignored: %s", im->path,
			strerror(-ret));
	cfitable_clear(t);
	*t = (struct cfitable){.arch = t->arch, .section = {.fd = -1}, .budget = &c->budget};
	cfitable_give(&c->budget, c->budget.taken - before);
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
		c->segments[c->nsegments++] = (struct cfi_segment){
			.offset = p->p_offset, .filesz = p->p_filesz, .vaddr = p->p_vaddr,
			.executable = p->p_flags & PF_X,
		};
	}
	return 0;
}

/*
 * Find a signal's trampoline: aarch64's vdso has one and no entries. Debuggers know it by its
 * instructions as well. Only small objects are searched, as the vdso is.
 */
static void find_trampoline(struct cfi *c, const struct elffile *f)
{
	const struct cfi_arch *a = c->tables[CFI_EH].arch;
	const struct cfi_segment *s = c->segments;
	uint8_t *code;
	int error;

	for (unsigned i = 0; i < c->nsegments && a->linked; i++, s++) {
		if (!s->executable || s->filesz > CFI_RESIDENT_MAX)
			continue;
		code = elffile_load(f, s->offset, s->filesz, s->filesz, &error);
		for (uint64_t at = -s->vaddr & 3; code && at + 8 <= s->filesz; at += 4)
			if (!memcmp(code + at, a->trampoline, 8))
				c->trampoline = s->vaddr + at;
		budget_free(code);
	}
}

struct cfi *cfi_new(struct cfi_memory *memory, struct err *err)
{
	struct cfi *c = calloc(1, sizeof(*c));

	if (!c)
		return err_null(err_set(err, ENOMEM, "out of memory"));
	c->budget.memory = memory;
	for (unsigned i = 0; i < CFI_TABLES; i++)
		c->tables[i] = (struct cfitable){.section = {.fd = -1}, .budget = &c->budget};
	c->serial = atomic_add_relaxed(&last_serial, 1) + 1;
	return c;
}

struct cfi *cfi_read(struct image *im, struct cfi_memory *memory, struct err *err)
{
	const struct elffile *f = &im->elf;
	const struct cfi_arch *arch;
	struct cfi *c;
	int ret;

	if (image_parse(im, err))
		return NULL;
	arch = cfi_arch_of(f->ehdr.e_machine);
	if (f->is_32bit || !arch)
		return err_null(err_set(err, ENOTSUP,
				"not an ELF file of x86-64, aarch64 or riscv64"));
	c = cfi_new(memory, err);
	if (!c)
		return NULL;
	for (unsigned i = 0; i < CFI_TABLES; i++)
		c->tables[i].arch = arch;
	ret = open_segments(c, f);
	if (!ret)
		ret = open_eh_frame(c, f);
	if (!ret)
		ret = open_debug_frame(c, im);
	if (!ret)
		find_trampoline(c, f);
	if (ret) {
		cfi_free(c);
		err_set(err, -ret, ret == -ENOSPC ? "no memory left for unwind information" :
						    "cannot read the unwind information");
		return NULL;
	}
	return c;
}

int cfi_keep_files(struct cfi *c)
{
	int fd[CFI_TABLES], ret = 0;

	for (unsigned i = 0; i < CFI_TABLES; i++) {
		fd[i] = c->tables[i].section.fd;
		if (fd[i] >= 0)
			fd[i] = fcntl(fd[i], F_DUPFD_CLOEXEC, 3);
		if (fd[i] < 0 && c->tables[i].section.fd >= 0)
			ret = -errno;
	}
	for (unsigned i = 0; i < CFI_TABLES; i++)
		c->tables[i].section.fd = fd[i];
	c->keeps_files = true;
	return ret;
}

struct cfi *cfi_open(struct image *im, struct cfi_memory *memory, struct err *err)
{
	bool trusted = im->fd < 0 || sandbox_trusts(im->fd, im->path);
	struct cfi *c = (trusted ? cfi_read : cfi_ask)(im, memory, err);
	int ret = c && trusted ? cfi_keep_files(c) : 0;

	if (!ret)
		return c;
	cfi_free(c);
	err_room(err, -ret, "unwind information");
	return NULL;
}

void cfi_free(struct cfi *c)
{
	if (!c)
		return;
	for (unsigned i = 0; i < CFI_TABLES; i++) {
		cfitable_clear(&c->tables[i]);
		if (c->keeps_files && c->tables[i].section.fd >= 0)
			close(c->tables[i].section.fd);
	}
	free(c->segments);
	free(c->path);
	cfitable_give(&c->budget, atomic_load_relaxed(&c->budget.taken));
	free(c);
}

uint64_t cfi_functions(const struct cfi *c)
{
	return (uint64_t)c->tables[CFI_EH].nr + c->tables[CFI_DEBUG].nr;
}

bool cfi_helped(const struct cfi *c)
{
	return c->path != NULL;
}

const struct cfi_arch *cfi_arch(const struct cfi *c)
{
	return c->tables[CFI_EH].arch;
}

uint64_t cfi_serial(const struct cfi *c)
{
	return c->serial;
}

/* Two segments may share a page of the file; maps of code belong to the executable one. */
bool cfi_vaddr(const struct cfi *c, uint64_t offset, uint64_t *vaddr)
{
	for (int executable = 1; executable >= 0; executable--) {
		for (unsigned i = 0; i < c->nsegments; i++) {
			const struct cfi_segment *s = &c->segments[i];
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

struct cfi_rule cfi_find(struct cfi *c, uint64_t vaddr)
{
	struct cfi_rule rule = cfitable_rule(&c->tables[CFI_EH], vaddr);

	if (rule.kind == CFI_UNCOVERED && c->tables[CFI_DEBUG].nr)
		rule = cfitable_rule(&c->tables[CFI_DEBUG], vaddr);
	/* callers are looked up by the byte before their return address, which is its first */
	if (rule.kind == CFI_UNCOVERED && c->trampoline && vaddr - (c->trampoline - 4) < 12)
		rule = cfirows_signal();
	return rule;
}

bool cfi_function(struct cfi *c, uint64_t vaddr, uint64_t *start, uint64_t *size)
{
	return cfitable_function(&c->tables[CFI_EH], vaddr, start, size) ||
	       (c->tables[CFI_DEBUG].nr &&
		cfitable_function(&c->tables[CFI_DEBUG], vaddr, start, size));
}

int cfi_copy(const struct cfi *c, uint64_t vaddr, struct cfi_copy *copy)
{
	int ret = cfi_helped(c) ? -EPERM : -ENOENT;

	for (unsigned i = 0; i < CFI_TABLES && ret == -ENOENT; i++)
		ret = cfitable_copy(&c->tables[i], vaddr, copy);
	return ret;
}
