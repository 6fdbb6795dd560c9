/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/elf/objfile.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/clock.h"
#include "files/elf/buildcache.h"
#include "files/elf/elfhead.h"
#include "system/proc/rootopen.h"

#define DELETED " (deleted)"

enum fit { FIT_NOT, FIT_WITHIN, FIT_EXACT };

struct search {
	const struct objfile *f;
	const struct objfile_rules *rules;
	struct objfile_found *found;
	const char *against; /* evidence against a file that was found, or NULL */
};

int objfile_rules_check(const struct objfile_rules *r, struct err *err)
{
	int fd = r->symfs ? open(r->symfs, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;

	if (r->symfs && fd < 0)
		return err_set(err, errno, "--symfs %s: %s", r->symfs, strerror(errno));
	if (fd >= 0)
		close(fd);
	return 0;
}

/* --- evidence for and against a file -------------------------------------------------------- */

static uint64_t round_down(uint64_t n, uint64_t page)
{
	return n & ~(page - 1);
}

/* Compare the mapping with the segment, or with the area that ld.so maps first, from it on. */
static enum fit fit_segment(const struct objfile *f, const Elf64_Phdr *p, uint64_t span_end,
			    uint64_t page)
{
	uint64_t start = round_down(p->p_offset, page);
	uint64_t len = round_down(p->p_offset - start + p->p_filesz + page - 1, page);
	uint64_t span = round_down(span_end - round_down(p->p_vaddr, page) + page - 1, page);

	if (f->offset == start && (f->len == len || f->len == span))
		return FIT_EXACT;
	return f->offset >= start && f->offset - start < len && f->len <= len - (f->offset - start)
	       ? FIT_WITHIN : FIT_NOT;
}

/*
 * Compare the mapping with the file's segments. Another build's code is rarely as long, to the
 * page, at the same place of its file.
 */
static enum fit fit_of(const struct objfile *f, int fd)
{
	enum fit best = FIT_NOT, fit;
	uint64_t span_end = 0;
	struct elfhead e;

	if (!f->len)
		return FIT_EXACT; /* nothing is known */
	if (elfhead_read(fd, f->path, &e))
		return FIT_NOT;
	for (unsigned i = 0; i < e.nsegments; i++)
		if (e.segments[i].p_type == PT_LOAD)
			span_end = e.segments[i].p_vaddr + e.segments[i].p_memsz;
	for (unsigned i = 0; i < e.nsegments; i++)
		for (uint64_t page = 4096; page <= 65536; page *= 4) {
			if (e.segments[i].p_type != PT_LOAD || !(e.segments[i].p_flags & PF_X))
				continue;
			fit = fit_segment(f, &e.segments[i], span_end, page);
			best = fit > best ? fit : best;
		}
	elfhead_clear(&e);
	return best;
}

/* Judge a file of a recording: 0 or -ESTALE. */
static int judge_recorded(struct search *s, int fd, const struct stat *st)
{
	const struct objfile *f = s->f;

	if (f->id.len)
		return 0; /* the build-id decides */
	s->against = "was changed after the recording, and no build-id was recorded";
	if (st->st_mtim.tv_sec > 0 &&
	    (uint64_t)st->st_mtim.tv_sec * NSEC_PER_SEC + (uint64_t)st->st_mtim.tv_nsec >
		    s->rules->until)
		return -ESTALE;
	if (f->ino && f->ino == (uint64_t)st->st_ino)
		return 0;
	s->against =
		"is not the file that was mapped: its code differs in address or size, and no "
		"build-id was recorded";
	if (fit_of(f, fd) != FIT_EXACT)
		return -ESTALE;
	snprintf(s->found->doubt, sizeof(s->found->doubt),
		 "no build-id was recorded, and %s%s%s; its time and the place of its code fit",
		 f->ino ? "it is another file (inode) than the mapped one"
			: "no inode number either",
		 s->rules->host ? ", on " : "", s->rules->host ? s->rules->host : "");
	return 0;
}

/*
 * Return 0 if st/fd is the file that was mapped, or -ESTALE. Files of overlayfs are let through:
 * the kernel reports the inode of the lower layer for a mapping but that of the overlay for the
 * file.
 */
static int check_file(struct search *s, int fd, const struct stat *st)
{
	struct statfs fs;

	if (s->rules->recorded)
		return judge_recorded(s, fd, st);
	if (!s->f->ino || s->f->ino == (uint64_t)st->st_ino ||
	    (fstatfs(fd, &fs) == 0 && fs.f_type == OVERLAYFS_SUPER_MAGIC))
		return 0;
	return -ESTALE;
}

/* Return fd if it is the right file; else close it and return the reason. */
static int keep_checked(struct search *s, int fd, const struct stat *st)
{
	int ret = fd < 0 ? fd : check_file(s, fd, st);

	if (fd < 0 || !ret)
		return fd;
	close(fd);
	return ret;
}

/* --- places to look at ---------------------------------------------------------------------- */

static int open_mapped(struct search *s)
{
	const struct objfile *f = s->f;
	struct stat st;
	char name[96];

	if (f->pid <= 0 || !f->end)
		return -ENOENT;
	snprintf(name, sizeof(name), "/proc/%d/map_files/%llx-%llx", (int)f->pid,
		 (unsigned long long)f->start, (unsigned long long)f->end);
	/* Another file may have been mapped to the same place since. */
	return keep_checked(s, rootopen(NULL, name, false, &st), &st);
}

static int open_checked(struct search *s, const char *root, const char *path)
{
	struct stat st;

	return keep_checked(s, rootopen(root, path, false, &st), &st);
}

/* Open the path as it stands, then without " (deleted)", which may be part of the real name. */
static int open_named(struct search *s, const char *root)
{
	const struct objfile *f = s->f;
	size_t len = strlen(f->path), tail = strlen(DELETED);
	char bare[4096];
	int fd = open_checked(s, root, f->path);

	if (fd != -ENOENT || len <= tail || strcmp(f->path + len - tail, DELETED) != 0)
		return fd;
	if (!f->ino || len - tail >= sizeof(bare))
		return -ENOENT; /* nothing proves that the file under this name is the same */
	memcpy(bare, f->path, len - tail);
	bare[len - tail] = '\0';
	return open_checked(s, root, bare);
}

/*
 * Open the path below the process's root, else below ours: if the process is gone, if its root may
 * not be opened, or if the inode number identifies the right file anyway.
 */
static int open_by_path(struct search *s)
{
	const struct objfile *f = s->f;
	char root[64];
	struct stat st;
	int fd;

	if (f->path[0] != '/' || f->path[1] == '/') /* "[heap]", "//anon" */
		return -ENOENT;
	if (f->pid <= 0)
		return open_named(s, NULL);
	snprintf(root, sizeof(root), "/proc/%d/root", (int)f->pid);
	fd = open_named(s, root);
	if (fd >= 0 || (!f->ino && stat(root, &st) == 0))
		return fd;
	if (fd == -ESTALE) {
		fd = open_named(s, NULL);
		return fd >= 0 ? fd : -ESTALE;
	}
	return open_named(s, NULL);
}

static bool is_build(int fd, const char *path, const struct build_id *id)
{
	struct build_id has = elfhead_build_id(fd, path);

	return build_id_equal(&has, id);
}

/* Return fd if it is the wanted build, else perf's cached copy of that build. */
static int want_build(struct search *s, int fd)
{
	const struct objfile *f = s->f;
	int cached;

	if (!f->id.len || (fd >= 0 && is_build(fd, f->path, &f->id)))
		return fd;
	if (fd >= 0) {
		close(fd);
		fd = -ESTALE;
		s->against = s->rules->recorded ? "is another build than the recorded one" :
						  "is another build than the one that ran";
	}
	cached = buildcache_open(&f->id, "elf");
	if (cached < 0 || is_build(cached, f->path, &f->id))
		return cached < 0 ? fd : cached;
	close(cached);
	return fd;
}

/*
 * Compare a file below --symfs. The user vouches for the directory, but not for another build than
 * was recorded, or runs; and if no build-id is known, not for a file whose code is too short.
 */
static enum fit symfs_fit(const struct search *s, int fd, int real)
{
	const struct objfile *f = s->f;
	struct build_id id;

	if (f->id.len)
		return is_build(fd, f->path, &f->id) ? FIT_EXACT : FIT_NOT;
	if (s->rules->recorded || real < 0)
		return fit_of(f, fd);
	id = elfhead_build_id(real, f->path);
	return id.len && is_build(fd, f->path, &id) ? FIT_EXACT : FIT_NOT;
}

/* Return the file below --symfs if there is one that fits, else `real`. The other is closed. */
static int prefer_symfs(const struct search *s, int real, struct err *err)
{
	const char *path = s->f->path;
	int fd = path[0] == '/' ? rootopen(s->rules->symfs, path, false, NULL) : -ENOENT;
	enum fit fit = fd >= 0 ? symfs_fit(s, fd, real) : FIT_NOT;

	if (fd < 0)
		return real;
	if (fit == FIT_NOT) {
		close(fd);
		return real >= 0 ? real : err_set(err, ESTALE, "%s%s is not the file that %s",
						  s->rules->symfs, path,
						  s->rules->recorded ? "was recorded" : "ran");
	}
	if (real >= 0)
		close(real);
	snprintf(s->found->doubt, sizeof(s->found->doubt), "%s", fit == FIT_EXACT ? "" :
		 "it has no build-id to check, and its code is longer than the mapping");
	s->found->symfs = true;
	return fd;
}

static int say_why(struct search *s, int ret, struct err *err)
{
	const char *path = s->f->path;

	if (ret == -ESTALE && s->against)
		return err_set(err, ESTALE, "%s %s", path, s->against);
	if (ret == -ESTALE)
		return err_set(err, ESTALE, "%s was replaced since it was mapped", path);
	if (ret == -ENOENT || ret == -ENOTDIR || ret == -ESRCH)
		return err_set(err, ENOENT, "%s is %s", path,
			       s->rules->recorded ? "not here" : "gone");
	return err_set(err, -ret, "cannot open %s: %s", path, strerror(-ret));
}

int objfile_open(const struct objfile *f, struct objfile_found *found, struct err *err)
{
	static const struct objfile_rules none;
	struct err local = {.code = 0};
	struct objfile_found unused;
	struct search s = {f, f->rules ? f->rules : &none, found ? found : &unused, NULL};
	int fd;

	*s.found = (struct objfile_found){.symfs = false};
	fd = open_mapped(&s);
	if (fd < 0)
		fd = open_by_path(&s);
	fd = want_build(&s, fd);
	if (!s.rules->symfs)
		return fd >= 0 ? fd : say_why(&s, fd, err);
	err = err ? err : &local;
	err->code = 0;
	fd = prefer_symfs(&s, fd, err);
	return fd >= 0 || err->code ? fd : say_why(&s, fd, err);
}
