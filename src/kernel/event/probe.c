/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/event/probe.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files/elf/elffile.h"
#include "files/elf/elfsym.h"
#include "files/elf/sdt.h"
#include "kernel/event/pmu.h"

static const struct {
	const char *pmu;
	bool returns;
} kinds[] = {
	[PROBE_KERNEL] = {"kprobe", false},
	[PROBE_KERNEL_RETURN] = {"kprobe", true},
	[PROBE_USER] = {"uprobe", false},
	[PROBE_USER_RETURN] = {"uprobe", true},
};

static int begin_probe(struct event *e, enum probe_kind kind, const char *place, struct err *err)
{
	int ret = pmu_event(e, kinds[kind].pmu, "", err);

	if (ret)
		return ret;
	*e->pmu = '\0'; /* users do not write it as pmu/.../ */
	e->probe = true;
	e->text = strdup(place);
	return e->text ? 0 : err_set(err, ENOMEM, "out of memory");
}

/* Parse a text that is a number as a whole. */
static bool parse_whole_number(const char *text, uint64_t *n)
{
	char *end;

	errno = 0;
	*n = strtoull(text, &end, 0);
	return isdigit((unsigned char)*text) && !*end && !errno;
}

/* Parse FUNCTION[+OFFSET], and cut it after the function. */
static int cut_offset(struct event *e, char *function, uint64_t *offset, struct err *err)
{
	char *plus = strchr(function, '+');

	*offset = 0;
	if (plus)
		*plus++ = '\0';
	if (!*function)
		return err_set(err, EINVAL, "event '%s': the function is missing", e->name);
	if (plus && !parse_whole_number(plus, offset))
		return err_set(err, EINVAL, "event '%s': '%s' is not an offset", e->name, plus);
	return 0;
}

static int kernel_place(struct event *e, char *place, struct err *err)
{
	uint64_t addr, offset;
	int ret;

	if (parse_whole_number(place, &addr)) {
		e->attr.kprobe_addr = addr;
		return 0;
	}
	ret = cut_offset(e, place, &offset, err);
	e->attr.kprobe_func = (uintptr_t)place;
	e->attr.probe_offset = offset;
	return ret;
}

static bool find_function(const struct elfsym *sym, const char *name, uint64_t *addr)
{
	struct symtab_entry s;

	for (size_t i = 0; i < symtab_count(sym->symtab); i++) {
		symtab_at(sym->symtab, i, &s);
		*addr = s.addr;
		if (!strcmp(s.name, name))
			return true;
	}
	return false;
}

static int place_of_function(const struct elfsym *sym, const char *path, const char *function,
			     uint64_t *offset, struct err *err)
{
	uint64_t addr;

	if (!find_function(sym, function, &addr))
		return err_set(err, EINVAL, "%s has no function '%s'", path, function);
	if (!elfsym_offset(sym, addr, offset))
		return err_set(err, EINVAL, "%s: '%s' is not in a code section of the file", path,
			       function);
	return 0;
}

static int open_probed_file(const char *path, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	return fd < 0 ? err_set(err, errno, "cannot open %s: %s", path, strerror(errno)) : fd;
}

static int look_up(const char *path, const char *function, uint64_t *offset, struct err *err)
{
	int fd = open_probed_file(path, err), ret;
	struct elfsym sym = {0};
	struct image im;

	if (fd < 0)
		return fd;
	im = image_from_fd(fd, path, NULL, NULL);
	ret = elfsym_load(&im, &sym, err);
	if (!ret) {
		ret = place_of_function(&sym, path, function, offset, err);
		elfsym_clear(&sym);
	}
	image_close(&im);
	close(fd);
	return ret;
}

static bool is_code(const Elf64_Phdr *s)
{
	return s->p_type == PT_LOAD && s->p_flags & PF_X;
}

enum place_is { PLACE_CODE, PLACE_ADDRESS, PLACE_NONE };

/*
 * Classify an offset in the file. If it is an address of code instead, *offset is set to that
 * code's offset.
 */
static enum place_is judge_place(const struct elffile *f, uint64_t *offset)
{
	for (unsigned i = 0; i < f->nsegments; i++)
		if (is_code(&f->segments[i]) &&
		    *offset - f->segments[i].p_offset < f->segments[i].p_filesz)
			return PLACE_CODE;
	for (unsigned i = 0; i < f->nsegments; i++)
		if (is_code(&f->segments[i]) &&
		    *offset - f->segments[i].p_vaddr < f->segments[i].p_filesz) {
			*offset += f->segments[i].p_offset - f->segments[i].p_vaddr;
			return PLACE_ADDRESS;
		}
	return PLACE_NONE;
}

/*
 * Reject an offset outside of code. A file that is not ELF, or cannot be read, is left to the
 * kernel to judge.
 */
static int check_place(const char *path, uint64_t offset, struct err *err)
{
	struct err why = {.code = 0};
	int fd = open_probed_file(path, &why);
	uint64_t place = offset;
	enum place_is is = PLACE_CODE;
	struct elffile f;

	if (fd < 0)
		return 0;
	if (!elffile_open(&f, fd, &why)) {
		is = f.nsegments ? judge_place(&f, &place) : PLACE_CODE;
		elffile_close(&f);
	}
	close(fd);
	if (is == PLACE_CODE)
		return 0;
	if (is == PLACE_NONE)
		return err_set(err, EINVAL, "%s: 0x%llx is not in a code section of the file",
			       path, (unsigned long long)offset);
	err_set(err, EINVAL, "%s: 0x%llx is an address, but an offset in the file is needed", path,
		(unsigned long long)offset);
	return err_advise(err, "that address is at %s:0x%llx", path, (unsigned long long)place);
}

/* FILE:FUNCTION[+OFFSET] or FILE:OFFSET */
static int user_place(struct event *e, char *place, struct err *err)
{
	char *function = strrchr(place, ':');
	uint64_t offset = 0, at = 0;
	int ret = 0;

	if (!function || *place != '/')
		return err_set(err, EINVAL,
			       "event '%s': expected the file's full path, a colon and a function",
			       e->name);
	*function++ = '\0';
	if (!parse_whole_number(function, &at)) {
		ret = cut_offset(e, function, &offset, err);
		if (!ret)
			ret = look_up(place, function, &at, err);
	}
	e->attr.uprobe_path = (uintptr_t)place;
	e->attr.probe_offset = at + offset;
	return ret ? ret : check_place(place, at + offset, err);
}

/* --- static probe points -------------------------------------------------------------------- */

struct wanted {
	const char *provider, *name;
	unsigned index;
	bool known; /* at least one place has it */
	struct sdt_mark mark;
};

static int match_sdt(void *arg, const struct sdt_mark *m)
{
	struct wanted *w = arg;

	if (strcmp(m->provider, w->provider) != 0 || strcmp(m->name, w->name) != 0)
		return 0;
	w->known = true;
	if (w->index--)
		return 0;
	w->mark = *m;
	return 1;
}

static int find_mark(const char *path, struct wanted *w, struct err *err)
{
	int fd = open_probed_file(path, err), ret;
	unsigned index = w->index;
	struct elffile f;

	if (fd < 0)
		return fd;
	ret = elffile_open(&f, fd, err);
	if (!ret) {
		ret = sdt_walk(&f, match_sdt, w, err);
		elffile_close(&f);
	}
	close(fd);
	if (ret < 0) {
		err_prefix(err, path);
		return ret == -ENOENT
			       ? err_set(err, EINVAL, "%s has no USDT probes", path)
			       : ret;
	}
	if (ret)
		return 0;
	return index && w->known ? -ENOENT
				 : err_set(err, EINVAL, "%s has no USDT probe '%s:%s'", path,
					   w->provider, w->name);
}

/*
 * Set the semaphore's offset: the kernel increments it in each process that has the file mapped,
 * while the event exists.
 */
static int set_semaphore(struct event *e, uint64_t offset, struct err *err)
{
	struct pmu_field field;
	uint64_t config = e->attr.config;
	char text[64];

	if (!offset)
		return 0;
	if (pmu_file("uprobe", "format", "ref_ctr_offset", text, sizeof(text)) ||
	    !pmu_parse_field(text, &field) || !pmu_place(&field, offset, &config))
		return err_set(
			err, ENOTSUP,
			"event '%s': this kernel cannot enable the probe (needs 4.20)", e->name);
	e->attr.config = config;
	return 0;
}

int probe_usdt(struct event *e, const char *place, unsigned index, struct err *err)
{
	int ret = begin_probe(e, PROBE_USER, place, err);
	struct wanted w = {.index = index};
	char *name, *provider;

	if (ret)
		return ret;
	name = strrchr(e->text, ':');
	if (name)
		*name++ = '\0';
	provider = strrchr(e->text, ':');
	if (!name || !provider || *place != '/')
		return err_set(err, EINVAL,
			       "event '%s': expected the file's full path and PROVIDER:NAME",
			       e->name);
	*provider++ = '\0';
	w.provider = provider;
	w.name = name;
	ret = find_mark(e->text, &w, err);
	e->attr.uprobe_path = (uintptr_t)e->text;
	e->attr.probe_offset = w.mark.offset;
	return ret ? ret : set_semaphore(e, w.mark.semaphore, err);
}

/* --- text ----------------------------------------------------------------------------------- */

int probe_parse(struct event *e, enum probe_kind kind, const char *place, struct err *err)
{
	struct pmu_field field;
	uint64_t config = 0;
	char text[64];
	int ret = begin_probe(e, kind, place, err);

	if (ret)
		return ret;
	if (kinds[kind].returns) {
		if (pmu_file(kinds[kind].pmu, "format", "retprobe", text, sizeof(text)) ||
		    !pmu_parse_field(text, &field) || !pmu_place(&field, 1, &config))
			return err_set(err, ENOTSUP, "event '%s': this kernel has no return probes",
				       e->name);
		e->attr.config = config;
	}
	return kind < PROBE_USER ? kernel_place(e, e->text, err) : user_place(e, e->text, err);
}
