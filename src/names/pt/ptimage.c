/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/pt/ptimage.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/vec.h"
#include "files/elf/elfsym.h"
#include "files/elf/kcore.h"
#include "files/elf/objfile.h"
#include "system/proc/procmem.h"
#include "system/proc/procscan.h"
#include "names/kernel/kallsyms.h"

#define SPACES_MAX 4096u
#define FILES_MAX  2048u
#define MAPS_MAX   8192u /* of a process */
#define PAGE       4096u
#define PAGES      1024u /* cached; a power of two */

enum file_kind { FILE_ELF, FILE_VDSO, FILE_ANON, FILE_KERNEL, FILE_UNKNOWN };
enum { KERNEL, UNKNOWN, FIRST }; /* files that are always there */

struct file {
	enum file_kind kind;
	char *path;
	struct objfile at; /* a process that has it mapped, and where */
	int fd;    /* -1: not open */
	bool opened, loaded, named;
	struct elfsym elf;
};

struct image_map {
	uint64_t start, end, pgoff;
	uint32_t file;
};

struct image_space {
	pid_t pid;
	bool known;
	struct image_map *maps; /* a later one hides those before it */
	size_t nr, cap, last;
};

struct page {
	uint64_t at;   /* page number + 1; 0: empty */
	uint32_t file, len;
	uint8_t data[PAGE];
};

struct ptimage {
	struct budget budget; /* of all its files, which move when more are added */
	struct file *files;
	size_t nfiles, cap_files;
	struct image_space *spaces;
	size_t nspaces, cap_spaces;
	struct kallsyms kallsyms;
	struct page pages[PAGES];
};

/* --- files -------------------------------------------------------------------------------- */

static uint32_t add_image_file(struct ptimage *im, enum file_kind kind, const char *path)
{
	struct file *f;

	if (im->nfiles >= FILES_MAX ||
	    !vec_reserve(&im->files, &im->cap_files, im->nfiles + 1, sizeof(*im->files)))
		return UNKNOWN;
	f = &im->files[im->nfiles];
	*f = (struct file){.kind = kind, .path = strdup(path), .fd = -1};
	return f->path ? (uint32_t)im->nfiles++ : UNKNOWN;
}

static enum file_kind path_file_kind(const char *path)
{
	if (!strcmp(path, "[vdso]"))
		return FILE_VDSO;
	return path[0] == '/' && path[1] != '/' ? FILE_ELF : FILE_ANON;
}

/* Find the file of a map, or add it.  Anonymous code is separate for each process. */
static uint32_t find_file(struct ptimage *im, pid_t pid, const char *path, const struct scan_map *m)
{
	enum file_kind kind = path_file_kind(path);
	uint32_t at;

	for (size_t i = FIRST; i < im->nfiles; i++) {
		const struct file *f = &im->files[i];

		if (f->kind == kind && f->at.ino == m->ino && !strcmp(f->path, path) &&
		    (kind != FILE_ANON || (f->at.pid == pid && f->at.start == m->start)))
			return (uint32_t)i;
	}
	at = add_image_file(im, kind, kind == FILE_ANON &&
			    (!*path || *path == '/') ? "[anon]" : path);
	if (at != UNKNOWN)
		im->files[at].at = (struct objfile){.pid = pid, .start = m->start, .end = m->end,
						    .ino = m->ino, .path = im->files[at].path};
	return at;
}

static void open_image_file(struct file *f)
{
	char name[32];
	struct err err;

	if (f->opened)
		return;
	f->opened = true;
	if (f->kind == FILE_ANON) {
		snprintf(name, sizeof(name), "/proc/%d/mem", (int)f->at.pid);
		f->fd = open(name, O_RDONLY | O_CLOEXEC);
	} else if (f->kind == FILE_ELF) {
		f->fd = objfile_open(&f->at, NULL, &err);
	}
}

/* --- pages -------------------------------------------------------------------------------- */

/*
 * Read a page of the vdso.  It is the same for all programs of our own kind; that of others may be
 * longer than ours, so it is read like memory that may be shorter.
 */
static uint32_t read_vdso_page(const struct file *f, uint64_t offset, uint8_t *data)
{
	uint64_t ours = getauxval(AT_SYSINFO_EHDR), size = f->at.end - f->at.start;
	ssize_t n;

	if (!ours || offset >= size)
		return 0;
	size -= offset;
	size = size < PAGE ? size : PAGE;
	n = procmem_read(getpid(), ours + offset, data, size);
	return n > 0 ? (uint32_t)n : 0;
}

static uint32_t read_file_page(struct file *f, uint64_t offset, uint8_t *data)
{
	struct err err;
	ssize_t n;

	if (f->kind == FILE_KERNEL)
		return kcore_read(KCORE_PATH, offset, data, PAGE, &err) ? 0 : PAGE;
	if (f->kind == FILE_VDSO)
		return read_vdso_page(f, offset, data);
	open_image_file(f);
	if (f->fd < 0 || offset > INT64_MAX)
		return 0;
	do
		n = pread(f->fd, data, PAGE, (off_t)offset);
	while (n < 0 && errno == EINTR);
	return n > 0 ? (uint32_t)n : 0;
}

/* Return a page, read if new; unreadable ones are cached too, as empty, and not read again. */
static const struct page *find_page(struct ptimage *im, uint32_t file, uint64_t offset)
{
	uint64_t number = offset / PAGE;
	struct page *p = &im->pages[hash_mix(hash_u64(number), file) & (PAGES - 1)];

	if (p->at == number + 1 && p->file == file)
		return p;
	p->at = number + 1;
	p->file = file;
	p->len = read_file_page(&im->files[file], number * PAGE, p->data);
	return p;
}

/* --- spaces ------------------------------------------------------------------------------- */

struct ptimage *ptimage_create(void)
{
	struct ptimage *im = calloc(1, sizeof(*im));

	if (!im)
		return NULL;
	add_image_file(im, FILE_KERNEL, "[kernel]");
	add_image_file(im, FILE_UNKNOWN, "[unknown]");
	if (im->nfiles == FIRST)
		return im;
	ptimage_free(im);
	return NULL;
}

void ptimage_free(struct ptimage *im)
{
	if (!im)
		return;
	for (size_t i = 0; i < im->nfiles; i++) {
		if (im->files[i].fd >= 0)
			close(im->files[i].fd);
		if (im->files[i].named)
			elfsym_clear(&im->files[i].elf);
		free(im->files[i].path);
	}
	if (im->files && im->nfiles > KERNEL && im->files[KERNEL].named)
		kallsyms_clear(&im->kallsyms);
	for (size_t i = 0; i < im->nspaces; i++)
		free(im->spaces[i].maps);
	free(im->files);
	free(im->spaces);
	free(im);
}

static void add_image_map(struct ptimage *im, struct image_space *s, const struct scan_map *m,
			  const char *path)
{
	if (s->nr >= MAPS_MAX || m->end <= m->start ||
	    !vec_reserve(&s->maps, &s->cap, s->nr + 1, sizeof(*s->maps)))
		return;
	s->maps[s->nr++] = (struct image_map){m->start, m->end, m->pgoff,
					      find_file(im, s->pid, path, m)};
}

uint32_t ptimage_space(struct ptimage *im, pid_t pid)
{
	struct image_space *s;
	struct scan scan;

	for (size_t i = 0; i < im->nspaces; i++)
		if (im->spaces[i].pid == pid)
			return (uint32_t)i;
	if (im->nspaces >= SPACES_MAX ||
	    !vec_reserve(&im->spaces, &im->cap_spaces, im->nspaces + 1, sizeof(*im->spaces)))
		return PTIMAGE_NOWHERE;
	s = &im->spaces[im->nspaces++];
	*s = (struct image_space){.pid = pid};
	if (pid <= 0)
		return (uint32_t)im->nspaces - 1;
	s->known = !procscan_read(pid, &scan);
	for (size_t i = 0; s->known && i < scan.nmaps; i++)
		add_image_map(im, s, &scan.maps[i], scan.maps[i].path);
	procscan_clear(&scan);
	return (uint32_t)im->nspaces - 1;
}

bool ptimage_known(const struct ptimage *im, uint32_t space)
{
	return space < im->nspaces && im->spaces[space].known;
}

void ptimage_map(struct ptimage *im, uint32_t space, const struct record_mmap *m)
{
	const struct scan_map map = {.start = m->addr, .end = m->addr + m->len, .pgoff = m->pgoff,
				     .maj = m->maj, .min = m->min, .ino = m->ino};

	if (space < im->nspaces)
		add_image_map(im, &im->spaces[space], &map, m->filename);
}

/*
 * Return the file, and the offset in it; offsets of the kernel and of anonymous memory are
 * addresses.
 */
static uint32_t find_place(struct ptimage *im, uint32_t space, uint64_t addr, uint64_t *offset)
{
	struct image_space *s = space < im->nspaces ? &im->spaces[space] : NULL;
	size_t i;

	*offset = addr;
	if (addr >> 63)
		return KERNEL;
	if (!s || !s->nr)
		return UNKNOWN;
	i = s->last;
	if (i >= s->nr || addr < s->maps[i].start || addr >= s->maps[i].end || !s->known) {
		for (i = s->nr; i-- > 0;)
			if (addr >= s->maps[i].start && addr < s->maps[i].end)
				break;
		if (i == (size_t)-1)
			return UNKNOWN;
		s->last = i;
	}
	if (im->files[s->maps[i].file].kind == FILE_VDSO)
		*offset = addr - s->maps[i].start;
	else if (im->files[s->maps[i].file].kind != FILE_ANON)
		*offset = addr - s->maps[i].start + s->maps[i].pgoff;
	return s->maps[i].file;
}

int ptimage_read(struct ptimage *im, uint32_t space, uint64_t addr, void *buf, size_t len)
{
	size_t done = 0;

	while (done < len) {
		uint64_t offset;
		uint32_t file = find_place(im, space, addr + done, &offset);
		const struct page *p = file == UNKNOWN ? NULL : find_page(im, file, offset);
		size_t at = offset % PAGE, n;

		if (!p || at >= p->len)
			break;
		n = p->len - at < len - done ? p->len - at : len - done;
		memcpy((char *)buf + done, p->data + at, n);
		done += n;
	}
	return done ? (int)done : -ENOENT;
}

/* --- names -------------------------------------------------------------------------------- */

static void load_kernel(struct ptimage *im)
{
	struct file *f = &im->files[KERNEL];
	struct err err;
	int fd;

	if (f->loaded)
		return;
	f->loaded = true;
	fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
	f->named = fd >= 0 && !kallsyms_load(fd, &im->kallsyms, &err);
	if (fd >= 0)
		close(fd);
}

static void load_symbols(struct ptimage *im, struct file *f)
{
	struct image image;

	if (f->loaded)
		return;
	f->loaded = true;
	open_image_file(f);
	image = image_from_fd(f->fd, f->path, NULL, &im->budget);
	if (f->kind == FILE_VDSO ? image_open_vdso(&image, &f->at, &im->budget, NULL)
				 : f->kind != FILE_ELF || f->fd < 0)
		return;
	f->named = !elfsym_load(&image, &f->elf, NULL);
	image_close(&image);
}

void ptimage_name(struct ptimage *im, uint32_t space, uint64_t addr, struct ptimage_place *p)
{
	struct symtab_entry e;
	uint64_t offset, vaddr;
	uint32_t at = find_place(im, space, addr, &offset);
	struct file *f = &im->files[at];

	*p = (struct ptimage_place){.object = f->path, .file = at};
	if (at == KERNEL) {
		load_kernel(im);
		if (!f->named || !symtab_find(im->kallsyms.symtab, addr, &e))
			return;
	} else {
		load_symbols(im, f);
		if (!f->named || !elfsym_vaddr(&f->elf, offset, &vaddr) ||
		    !symtab_find(f->elf.symtab, vaddr, &e))
			return;
	}
	p->function = e.name;
	p->start = e.addr;
}
