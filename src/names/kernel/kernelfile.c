/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/kernel/kernelfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "files/elf/elffile.h"

#define ALIGN (1ull << 20) /* every kernel moves by multiples of this */

/* --- reading ------------------------------------------------------------------------------ */

static int open_symbol_file(const char *option, const char *path, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);

	return fd >= 0 ? fd : err_set(err, errno, "%s %s: %s", option, path, strerror(errno));
}

/* Report the reader's error as one of the file, not of wrong usage. */
static int wrong_file(struct err *err, const char *what, const struct err *why)
{
	return err_set(err, why->code == EINVAL ? EBADMSG : why->code, "%s%s", what, why->text);
}

static int load_marks(const struct elffile *f, uint64_t mark[KERNEL_ANCHORS])
{
	struct elffile_symbols s;
	Elf64_Sym sym;
	int ret = elffile_symbols_load(f, SHT_SYMTAB, &s);

	for (size_t i = 0; !ret && i < s.count; i++) {
		elffile_symbol(&s, i, &sym);
		for (int m = 0; m < KERNEL_ANCHORS; m++)
			if (!strcmp(elffile_symbol_name(&s, &sym), kernel_marks[m]))
				mark[m] = sym.st_value;
	}
	if (!ret)
		elffile_symbols_clear(&s);
	return ret;
}

static int check_build(const struct kernelfile_config *c, const struct elfsym *elf, struct err *err)
{
	char has[BUILD_ID_HEX], wants[BUILD_ID_HEX];

	if (build_id_fits(&c->id, &elf->build_id))
		return 0;
	text_hex(has, elf->build_id.bytes, elf->build_id.len);
	text_hex(wants, c->id.bytes, c->id.len);
	return err_set(err, ESTALE,
		       "--vmlinux %s is another kernel (build-id %s) than the recorded one (%s)",
		       c->vmlinux, has, wants);
}

static int load_vmlinux(struct kernel_image *v, const struct kernelfile_config *c, struct err *err)
{
	int fd = open_symbol_file("--vmlinux", c->vmlinux, err), ret, marks = 0;
	struct err why = {.code = 0};
	struct image im;

	if (fd < 0)
		return fd;
	im = image_from_fd(fd, c->vmlinux, NULL, NULL);
	ret = elfsym_load(&im, &v->elf, &why);
	if (!ret)
		marks = image_parse(&im, &why);
	if (!ret && !marks)
		marks = load_marks(&im.elf, v->mark);
	image_close(&im);
	close(fd);
	if (ret) {
		wrong_file(err, "--vmlinux ", &why); /* the reader's text names the file */
		return err_advise(err, "use the kernel's ELF file, not the compressed image");
	}
	ret = check_build(c, &v->elf, err);
	if (!ret && marks && marks != -ENOENT)
		ret = err_set(err, -marks, "--vmlinux %s: its symbols cannot be read: %s",
			      c->vmlinux, strerror(-marks));
	if (!ret && !v->mark[KERNEL_TEXT] && !v->mark[KERNEL_STEXT]) {
		err_set(err, EBADMSG, "--vmlinux %s: it has no kernel symbols (_text)", c->vmlinux);
		return err_advise(err, "a stripped file has none");
	}
	return ret;
}

/* Refuse a copy of another boot's kallsyms in a live session: all its names would be wrong. */
static int check_running(const struct kernel *k, const struct kernelfile_config *c, struct err *err)
{
	int fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC), ret = 0;
	struct kallsyms ours = {.symtab = NULL};

	if (fd < 0)
		return 0;
	if (!kallsyms_load(fd, &ours, NULL) &&
	    memcmp(ours.mark, k->syms.mark, sizeof(ours.mark)) != 0)
		ret = err_set(err, ESTALE,
			      "--kallsyms %s is from another kernel or another boot than the "
			      "running one", c->kallsyms);
	kallsyms_clear(&ours);
	close(fd);
	return ret;
}

static int load_kallsyms_copy(struct kernel *k, const struct kernelfile_config *c, struct err *err)
{
	int fd = open_symbol_file("--kallsyms", c->kallsyms, err), ret;
	struct err why = {.code = 0};
	char what[280];

	if (fd < 0)
		return fd;
	snprintf(what, sizeof(what), "--kallsyms %.256s: ", c->kallsyms);
	ret = kallsyms_load(fd, &k->syms, &why);
	close(fd);
	if (ret == -EACCES)
		return err_set(err, EBADMSG,
			       "--kallsyms %s has no addresses: copy /proc/kallsyms as root",
			       c->kallsyms);
	if (ret)
		return wrong_file(err, what, &why);
	k->loaded = k->given = true;
	if (!k->syms.mark[KERNEL_TEXT] && !k->syms.mark[KERNEL_STEXT])
		return err_set(err, EBADMSG,
			       "--kallsyms %s is not a complete copy of /proc/kallsyms: it has no "
			       "_text", c->kallsyms);
	return c->running ? check_running(k, c, err) : 0;
}

int kernelfile_open(struct kernel *k, const struct kernelfile_config *c, struct err *err)
{
	int ret = c->vmlinux ? load_vmlinux(&k->vmlinux, c, err) : 0;

	return !ret && c->kallsyms ? load_kallsyms_copy(k, c, err) : ret;
}

bool kernelfile_recorded(struct kernel *k, const struct build_id *id)
{
	const struct elfsym *elf = &k->vmlinux.elf;

	if (!elf->symtab || build_id_fits(&elf->build_id, id))
		return true;
	elfsym_clear(&k->vmlinux.elf);
	free(k->why);
	k->why = strdup("--vmlinux is another build than the recorded kernel");
	return false;
}

/* --- finding ------------------------------------------------------------------------------ */

/*
 * Get the offset of the recorded kernel from these marks; false: an offset that no kernel can have.
 */
static bool moved_from(const struct kmaps *m, const uint64_t mark[KERNEL_ANCHORS], uint64_t *moved)
{
	*moved = m->reference && mark[m->mark] ? m->reference - mark[m->mark] : 0;
	return *moved % ALIGN == 0;
}

bool kernelfile_moved(const struct kernel *k, const struct kmaps *m, uint64_t *moved)
{
	return moved_from(m, k->syms.mark, moved);
}

static const struct symtab *of_modules(const struct kernel *k, const struct kmaps *m,
				       uint64_t *moved, const char **why)
{
	*why = k->why;
	if (!k->loaded)
		return NULL;
	*why = "it was recorded after another boot, with modules at other addresses";
	return moved_from(m, k->syms.mark, moved) && !*moved ? k->syms.symtab : NULL;
}

static const struct symtab *of_image(const struct kernel *k, const struct kmaps *m, uint64_t *moved,
				     const char **why)
{
	*why = "the file does not contain the kernel's load address";
	if (!m->reference)
		return NULL;
	*why = "--vmlinux is another kernel: it does not fit the recorded load address";
	return moved_from(m, k->vmlinux.mark, moved) ? k->vmlinux.elf.symtab : NULL;
}

const struct symtab *kernelfile_symbols(const struct kernel *k, const struct kmaps *m,
					const struct kmap *map, uint64_t *moved, const char **why)
{
	if (map && map->kind == KMAP_MODULE)
		return of_modules(k, m, moved, why);
	if (k->vmlinux.elf.symtab)
		return of_image(k, m, moved, why);
	*why = k->why;
	if (!k->loaded)
		return NULL;
	*why = "the symbols are of another kernel: they do not fit the recorded load address";
	return moved_from(m, k->syms.mark, moved) ? k->syms.symtab : NULL;
}

/*
 * Return true if addr is in map's module: kallsyms has all modules, and a symbol may reach over the
 * end of its module.
 */
static bool right_module(const struct kernel *k, const struct kmap *map, uint64_t addr)
{
	const char *module = kallsyms_module_of(&k->syms, addr);

	if (!map || map->kind == KMAP_KERNEL)
		return k->vmlinux.elf.symtab || !*module;
	return !strncmp(module, map->name + 1, strlen(module)) &&
	       !strcmp(map->name + 1 + strlen(module), "]");
}

bool kernelfile_idle(const struct kernel *k, const struct kmaps *m, const struct kmap *map,
		     uint64_t ip)
{
	const uint64_t *mark = k->vmlinux.elf.symtab ? k->vmlinux.mark : k->syms.mark;
	uint64_t moved;
	const char *why;

	return (!map || map->kind == KMAP_KERNEL) && kernelfile_symbols(k, m, map, &moved, &why) &&
	       kernel_idles(mark, ip - moved);
}

bool kernelfile_find(const struct kernel *k, const struct kmaps *m, const struct kmap *map,
		     uint64_t ip, struct symtab_entry *e)
{
	uint64_t moved;
	const char *why;
	const struct symtab *t = kernelfile_symbols(k, m, map, &moved, &why);

	if (!t || !right_module(k, map, ip - moved) || !symtab_find(t, ip - moved, e))
		return false;
	symtab_names(t, e);
	return true;
}
