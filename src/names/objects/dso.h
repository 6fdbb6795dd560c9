/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dso - a mapped object: an ELF file (a DSO), the vdso, or anonymous memory.
 *
 * One struct per distinct file (path, device, inode), shared by all processes that map it and kept
 * for a while after the last unmaps it, so that short-lived programs find their symbols loaded.
 * Reference-counted: maps hold references.
 *
 * Threads: the resolver's.
 */
#ifndef RINGTOP_NAMES_OBJECTS_DSO_H
#define RINGTOP_NAMES_OBJECTS_DSO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/budget.h"
#include "base/worker.h"
#include "files/elf/demangle.h"
#include "files/elf/elfsym.h"
#include "files/elf/objfile.h"
#include "core/slice/slice.h"

/*
 * Counts of user call stacks: followed by the kernel, only one function found by the kernel,
 * leading to an address in no executable map, and unwound instead. Shared, relaxed: workers count
 * too.
 */
struct dso_chains {
	uint64_t samples, alone, astray, unwound;
};

/* A frame whose source lines are wanted, and its address (ELF vaddr). */
struct line_ask {
	uint64_t addr;
	uint32_t frame;
};

struct dso {
	struct budget budget;    /* memory of symbols and lines; what was refused to the symbols */
	struct budget lines_budget; /* part of budget: what was refused to the lines */
	struct dso *next;     /* next in the hash chain */
	uint64_t serial;         /* unique in the session, from 1 */
	unsigned refs;           /* references held by maps */
	uint32_t used;           /* time of last use, in ms as dictout_now */
	char *path;              /* kernel's name of the file */
	uint32_t maj, min;
	uint64_t ino;
	enum object_kind kind;
	enum object_state state;
	bool asked;              /* a load was submitted */
	bool evicted;            /* was READY before: its dictionary entry is still valid */
	struct elfsym elf;       /* valid when READY and kind is FILE or VDSO */
	struct build_id wanted;  /* build-id that the recording names */
	char *why; /* NAMELESS: the reason; READY: why symbols are missing or in doubt */
	bool doubted;            /* may be another file than the one that was mapped */
	char *refusal; /* first refusal of the budget or the system, for the log, or NULL */
	bool put_off;            /* refused because a helper had no time: try again */
	bool refused, told;      /* refused: some symbols or all; told: logged */
	struct demangle_work names; /* owned by namework */
	bool names_told;         /* the log says that some names stay mangled */
	uint32_t id;             /* id in the dictionary, 0: none yet */
	struct dso_chains chains; /* call chains that begin in this object */
	bool shallow; /* shared, relaxed: frame pointers end here (names/resolve/fpcheck.h) */
	struct cfi *cfi;         /* shared: see names/objects/dsocfi.h */
	uint32_t cfi_state;      /* shared */
	pid_t pid;               /* a process that maps it, and the mapping's range */
	uint64_t start, end;
	uint64_t offset, len;    /* part of the file that was mapped when the object was created */
	bool archive;            /* may hold several objects, one for each mapped offset */
	bool no_elf;             /* the file was read and is no object; valid when NAMELESS */
	const struct objfile_rules *rules;
	uint32_t *waiting;       /* frames that get a symbol once it is loaded */
	size_t nwaiting, cap_waiting;
	/* Owned by linework: */
	struct line_ask *asks; /* not submitted yet */
	size_t nasks, cap_asks;
	unsigned busy;         /* number of jobs and batches that use it: do not free */
	bool no_lines;         /* lines cannot be had */
	bool lines_asked;      /* a lines job is under way */
};

struct dsos;

struct dso_key {
	const char *path; /* "" or "//anon...": anonymous */
	uint32_t maj, min;
	uint64_t ino;
	struct build_id build_id; /* build-id that the file must have; unknown: any file */
	uint64_t offset, len; /* mapped part of the file; part of the identity for archives only */
};

/* rules: how files are found; borrowed, must outlive the registry. NULL: live, no --symfs. */
struct dsos *dsos_create(const struct objfile_rules *rules);
void dsos_free(struct dsos *os); /* call after workers_close */

/*
 * Return the object of key, created if new, with a reference that the caller must dso_put(). NULL:
 * out of memory. now: ms, as dictout_now.
 */
struct dso *dsos_get(struct dsos *os, const struct dso_key *key, uint32_t now);
void dso_put(struct dso *o);

/*
 * Find the object that a front end knows by the kind, name and build-id of its dictionary entry;
 * the newest if several fit. Borrowed. NULL: none, or it was freed.
 */
struct dso *dsos_find(struct dsos *os, enum object_kind kind, const char *path,
		      const struct build_id *id);

/*
 * Iterate over all objects, in no order: return the one after o, the first for o NULL, NULL at the
 * end.
 */
struct dso *dsos_next(struct dsos *os, const struct dso *o);

/* Free unreferenced objects that were last used before `since` (ms, as dictout_now). */
void dsos_sweep(struct dsos *os, uint32_t since);

/*
 * Free the symbols of objects that were last used before `since` (ms, as dictout_now), the longest
 * unused first, while memory is short (budget_tight). Their next use loads them again.
 */
void dsos_evict(struct dsos *os, uint32_t since);

/*
 * Submit the loading of o's symbols unless one was submitted; loaded(arg, o) is called from
 * workers_collect.
 */
void dso_load(struct dso *o, struct workers *w, void (*loaded)(void *arg, struct dso *o));

/*
 * Keep the text of a budget refusal (err->code ENOBUFS) for o's log message. Other errors are
 * ignored.
 */
void dso_refused(struct dso *o, const struct err *err);

/*
 * Load the symbols again if o is READY or was refused memory: a debug file came, or memory was
 * freed. Its symbols stay until the new ones are better; loaded is called as in dso_load() only
 * then.
 */
void dso_load_again(struct dso *o, struct workers *w, void (*loaded)(void *arg, struct dso *o));

/*
 * Return true if o was refused memory because of other objects, or a helper's time, and may get it
 * now.
 */
bool dso_may_fit(const struct dso *o);

/* Return where o's file can be found, by a mapping of it; the path is borrowed. Any thread. */
struct objfile dso_file_at(const struct dso *o, pid_t pid, uint64_t start, uint64_t end);

/*
 * Return where the file of o's loaded symbols can be found: the same build-id, or without one the
 * same file. The path is borrowed from o.
 */
struct objfile dso_file_named(const struct dso *o);

/*
 * Open o's file, or the kernel's image of the vdso, on any thread, as image_open(). Return 0 or
 * -errno with err.
 */
int dso_open(const struct dso *o, const struct objfile *of, struct image *im, struct budget *b,
	     struct err *err);

size_t dsos_count(const struct dsos *os);

#endif
