/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dso - what a map maps: an ELF file (a DSO), the vdso, or anonymous memory.
 *
 * One struct per distinct file (path, device, inode), shared by all processes that map it and kept
 * for a while after the last unmaps it, so that short-lived programs find their symbols loaded.
 * Reference-counted: maps and the registry hold references.
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
 * User call stacks that the kernel followed, those that it found but one function of, those that lead to an address in
 * no executable map, and those that were unwound instead.  Shared, relaxed: workers count too.
 */
struct dso_chains {
	uint64_t samples, alone, astray, unwound;
};

/* A frame that wants to know its lines, and where it is (ELF vaddr). */
struct line_ask {
	uint64_t addr;
	uint32_t frame;
};

struct dso {
	struct budget budget;    /* what its symbols and lines take; what was refused to its symbols */
	struct budget lines_budget; /* a part of it: what was refused to its lines */
	struct dso *next;     /* in its hash chain */
	uint64_t serial;         /* unique in the session, from 1 */
	unsigned refs;           /* of maps */
	uint32_t used;           /* ms, as dictout_now: of last use */
	char *path;              /* as the kernel named it */
	uint32_t maj, min;
	uint64_t ino;
	enum object_kind kind;
	enum object_state state;
	bool asked;              /* a load was submitted */
	bool evicted;            /* it was READY: what was said of it holds */
	struct elfsym elf;       /* valid when READY and kind is FILE or VDSO */
	struct build_id wanted;  /* it was recorded with */
	char *why;               /* NAMELESS: the reason; READY: why there is not all, or it is in doubt */
	bool doubted;            /* it may be another file than was mapped */
	char *refusal;           /* what the budget, or the system, refused first: for the log, or NULL */
	bool put_off;            /* refused because a helper had no time: to be tried again */
	bool refused, told;      /* its symbols, or some of them; the log says so */
	struct demangle_work names; /* namework's */
	bool names_told;         /* it was said that some stay mangled */
	uint32_t id;             /* in the dictionary, 0: none yet; see names.h */
	struct dso_chains chains; /* that begin in it */
	bool shallow;            /* shared, relaxed: frame pointers end in it (names/resolve/shallow.h) */
	struct cfi *cfi;         /* shared: see names/objects/dsocfi.h */
	uint32_t cfi_state;      /* shared */
	pid_t pid;               /* a process that has it mapped, and where */
	uint64_t start, end;
	uint64_t offset, len;    /* of the file: what was mapped when it was first met */
	bool archive;            /* it may hold several objects, one for each offset that is mapped */
	bool no_elf;             /* it was read, and is no object; valid when NAMELESS */
	const struct objfile_rules *rules;
	uint32_t *waiting;       /* frames that want a symbol once it is loaded */
	size_t nwaiting, cap_waiting;
	/* linework's: */
	struct line_ask *asks; /* not asked yet */
	size_t nasks, cap_asks;
	unsigned busy;         /* held by it */
	bool no_lines;         /* there are none to be had */
	bool lines_asked;      /* a job is under way */
};

struct dsos;

struct dso_key {
	const char *path; /* "" or "//anon...": anonymous */
	uint32_t maj, min;
	uint64_t ino;
	struct build_id build_id; /* what the file must have; not known: anything */
	uint64_t offset, len;    /* part of the file that is mapped; no part of the identity, but for archives */
};

/* rules: of how files are found; must outlive all.  NULL: live, no --symfs. */
struct dsos *dsos_create(const struct objfile_rules *rules);
void dsos_free(struct dsos *os); /* after workers_close */

/* The object of key, made if new, with a reference for the caller.  NULL: out of memory. */
struct dso *dsos_get(struct dsos *os, const struct dso_key *key, uint32_t now);
void dso_put(struct dso *o);

/*
 * The object that a front end has a name and a build-id of, as they were said
 * in the dictionary; the newest where several would do.  NULL: none (any more).
 */
struct dso *dsos_find(struct dsos *os, enum object_kind kind, const char *path,
		      const struct build_id *id);

/* Iterate over all objects, in no order: the one after o; NULL as o: the first; NULL returned: no more. */
struct dso *dsos_next(struct dsos *os, const struct dso *o);

/* Free objects that nobody maps and that were last used before `since`. */
void dsos_sweep(struct dsos *os, uint32_t since);

/*
 * While memory is short (budget_tight), free the symbols of objects that were last used before `since`, the
 * longest unused first.  Their next use loads them again.
 */
void dsos_evict(struct dsos *os, uint32_t since);

/*
 * Submit the loading of o's symbols unless it was; loaded(arg, o) is called from workers_collect.
 */
void dso_load(struct dso *o, struct workers *w, void (*loaded)(void *arg, struct dso *o));

/* Note that the budget refused something of o: err of -ENOBUFS.  Other errors are ignored. */
void dso_refused(struct dso *o, const struct err *err);

/*
 * The same once more for one that is READY, or was refused memory: a debug file came, or others went.  What it
 * has stays until it has more.
 */
void dso_load_again(struct dso *o, struct workers *w,
		       void (*loaded)(void *arg, struct dso *o));

/* Was it refused memory because of others, and is there room now? */
bool dso_may_fit(const struct dso *o);

/* Where its file can be found: a copy but for the path.  The resolver's thread. */
struct objfile dso_file(const struct dso *o);

/* The same by a mapping that the caller knows: on any thread. */
struct objfile dso_file_at(const struct dso *o, pid_t pid, uint64_t start, uint64_t end);

/* The file that its symbols are of: the same build, or of none the same file. */
struct objfile dso_file_named(const struct dso *o);

/* Open it, or what the kernel has for it, on any thread: image_open. */
int dso_open(const struct dso *o, const struct objfile *of, struct image *im, struct budget *b,
	     struct err *err);

size_t dsos_count(const struct dsos *os);

#endif
