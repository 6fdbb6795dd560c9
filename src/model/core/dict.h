/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dict - the model's dictionary: session ids in, the model's own ids out.
 *
 * The model's ids are by content and outlive the session's: history and totals use them.  Entries
 * that no row, total or live session id reaches any more are collected (dictgc.h) and their ids
 * given out again.  Id 0 is "none" everywhere and always safe to look up.
 *
 * Rows are grouped by function: a symbol's name in an object, or one frame without a name.  When a
 * frame is named later its function changes in place, for all history at once.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_MODEL_CORE_DICT_H
#define RINGTOP_MODEL_CORE_DICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/intern.h"
#include "model/core/tasknames.h"
#include "core/slice/idmap.h"

/* Ids that always exist. */
enum { FUNCTION_SELF = 1, TASK_RINGTOP = 1, PROCESS_RINGTOP = 1 };

enum { TASK_GONE = 1 << 16, TASK_FOLDED = 1 << 17 }; /* in addition to enum task_flag */

enum function_flag {
	FUNCTION_KERNEL = 1,
	FUNCTION_OURS = 2,
	FUNCTION_LOST = 4,
	FUNCTION_UNRESOLVED = 8,
	FUNCTION_FOLDED = 16, /* stands for many unresolved addresses of one object */
	FUNCTION_LEFT_OUT = 32, /* OBJECT_LEFT_OUT */
};

struct model_object {
	uint32_t name, why;
	uint8_t kind, state;
	bool doubted;
	uint16_t host; /* one host that has it, as in struct dict_object */
	struct build_id build_id; /* known once its symbols were read, or earlier */
};

struct model_frame {
	uint32_t object, symbol; /* symbol: string of its name, 0: none yet */
	uint32_t function, flags;
	uint32_t same; /* frame that it turned out to be, 0: none */
	uint32_t paths; /* one of the paths that end here; further ones by their `next` */
	uint64_t addr;
	uint32_t file, line; /* file: string of its name; as in struct dict_frame */
	uint32_t inner, level;
};

/* Flags of a path, in addition to those of its frame. */
enum {
	PATH_FINAL = 1 << 16, /* a single frame that has its name: nothing about it can change */
	PATH_INLINED = 1 << 17, /* functions are inlined in its frame: see dict_chain() */
};

struct model_path {
	uint32_t parent, frame;
	uint32_t function, flags; /* copies of the frame's, together because every row needs them */
	uint32_t next;            /* another path of the frame, 0: none */
};

struct model_function {
	uint64_t key; /* by content: stable for the model's life */
	uint64_t addr;
	uint32_t name, object, flags;
	uint32_t file; /* string: a source file of its code, 0: not known */
	uint32_t whole; /* function that stands for all unnamed code of its process, 0: none */
	uint32_t also; /* string: other names of its address, as in core/slice/aliases.h; 0: none */
};

struct model_task {
	uint64_t key;
	uint32_t comm, process, flags;
	uint32_t pattern; /* comm with * for each number in it */
	uint32_t user, cgroup, parent; /* strings, as in struct dict_task */
	int32_t pid, tid, ppid;
	uint16_t host; /* host of the task, as in struct dict_task */
};

struct model_process {
	uint64_t key;
	uint32_t name; /* "": not received yet */
	int32_t pid;
	uint16_t host;
	bool waits;    /* nameless, and its tasks wait for its name */
};

enum entity { E_STRING, E_OBJECT, E_FRAME, E_PATH, E_FUNCTION, E_TASK, E_PROCESS, E_NR };

/*
 * Maps of session ids, by kind.  A symbol's id maps to the string of its name; DICT_ALSO maps it to
 * its other names.
 */
enum { DICT_ALSO = DICT_NR, DICT_MAPS };

#define DICT_RENAMING 1024

/* A frame was named: counts of function `from` belong to `to`. */
struct dict_renamed {
	uint32_t from, to;
};

struct dict {
	struct intern *in[E_NR];
	/* by model id, each at least as long as its intern's bound */
	struct model_object *objects;
	struct model_frame *frames;
	struct model_path *paths;
	struct model_function *functions;
	struct model_task *tasks;
	struct model_process *processes;
	size_t cap[E_NR];
	struct idmap map[DICT_MAPS]; /* uint32_t by session id */
	struct dict_renamed *renamed; /* by the last dict_apply */
	size_t nrenamed, cap_renamed;
	/*
	 * Changes so far to entries that were there before: names, owners, objects.  New entries do
	 * not count.
	 */
	uint64_t changes;
	uint64_t exits;   /* changes so far of tasks' flags */
	uint32_t renamings; /* so far */
	uint32_t relined;   /* frames on paths that got source lines or inlined functions, so far */
	/*
	 * By function id modulo DICT_RENAMING: the last renaming from or to one of these functions.
	 */
	uint32_t renaming[DICT_RENAMING];
	uint32_t epoch, serial;
	/*
	 * Constant until the next collection, after which ids may be reused; no other dictionary
	 * has the same.
	 */
	uint64_t era;
	size_t marked_bytes;    /* of the entries marked in this collection */
	size_t collected_bytes; /* dict_live() after the last collection */
};

int dict_init(struct dict *d); /* 0 or -ENOMEM; call dict_clear() in either case */
void dict_clear(struct dict *d);

/*
 * Take over a slice's entries, before its rows are read.  Return 0 or -ENOMEM (some are unknown
 * then).
 */
int dict_apply(struct dict *d, const struct dict_delta *delta);

/* Drop the ids that the slice released, after its rows were read. */
void dict_release(struct dict *d, const struct dict_delta *delta);

/* Return the model's id for a session's; 0: never received. kind: enum dict_kind, or DICT_ALSO. */
static inline uint32_t dict_translate(const struct dict *d, unsigned kind, uint32_t id)
{
	const uint32_t *to = idmap_find(&d->map[kind], id, sizeof(*to));

	return to ? *to : 0;
}

/* Begin a new era: from here on ids may have other meanings. */
void dict_new_era(struct dict *d);

/*
 * Return the text of a string id, "" for 0.  The dictionary owns it until the entry is collected.
 */
const char *dict_string(const struct dict *d, uint32_t id);

/* Return the string id of the text, adding it if new. 0: out of memory. */
uint32_t dict_text(struct dict *d, const char *text);

/* Return the process's name, "[unnamed]" while its tasks wait for one; owned as dict_string(). */
const char *dict_process_name(const struct dict *d, uint32_t process);

/* Return the names of a thread, of all kinds. */
static inline struct tasknames dict_task_names(const struct dict *d, uint32_t task)
{
	const struct model_task *t = &d->tasks[task];

	return (struct tasknames){{t->comm, t->pattern, d->processes[t->process].name}, 0, true};
}

/* Return the path's frame. */
static inline const struct model_frame *dict_leaf(const struct dict *d, uint32_t path)
{
	return &d->frames[d->paths[path].frame];
}

/* Return the function shown for one: an address in unnamed code is shown as its process's code. */
static inline uint32_t dict_shown(const struct dict *d, uint32_t function)
{
	return d->functions[function].whole ? d->functions[function].whole : function;
}

/* Return true if the function, or the one shown for it, has that key. */
static inline bool dict_shows(const struct dict *d, uint32_t function, uint64_t key)
{
	return d->functions[function].key == key ||
	       d->functions[dict_shown(d, function)].key == key;
}

/*
 * Fill chain with the frames at a path's place, outermost first: its own, and those inlined there.
 * Return their number, at least 1.
 */
static inline size_t dict_chain(const struct dict *d, uint32_t path,
				uint32_t chain[FRAME_LEVELS_MAX + 1])
{
	size_t nr = 0;

	/* Levels rise, so this ends: frame_lines() makes sure of it. */
	for (uint32_t f = d->paths[path].frame; (f || !nr) && nr <= FRAME_LEVELS_MAX;
	     f = d->frames[f].inner)
		chain[nr++] = f;
	return nr;
}

/* Return true if the row, in the model's ids, is of ringtop itself. */
static inline bool dict_row_ours(const struct dict *d, const struct slice_row *r)
{
	return d->paths[r->path].flags & FRAME_SELF || d->tasks[r->task].flags & TASK_SELF;
}

/* Return the row's function; all of ringtop's own rows have the same one. */
static inline uint32_t dict_row_function(const struct dict *d, const struct slice_row *r)
{
	return dict_row_ours(d, r) ? FUNCTION_SELF : d->paths[r->path].function;
}

/* Return the string id of the name of the function's object. */
uint32_t dict_function_object_name(const struct dict *d, uint32_t function);

/*
 * Return true if a frame on the path may still get a name or lines: its object is loading, or it is
 * pending.
 */
bool dict_path_loading(const struct dict *d, uint32_t path);

/*
 * Return the task that stands for exited ones of a task's comm, user, cgroup and parent, or the
 * function for an object's addresses. 0: out of memory.
 */
uint32_t dict_folded_task(struct dict *d, uint32_t task);
uint32_t dict_folded_function(struct dict *d, uint32_t object_name, uint32_t object);

/* Return the path of the folded function alone, for the path's leaf. 0: out of memory. */
uint32_t dict_folded_path(struct dict *d, uint32_t path);

/* Return the path of the leaf's function alone: without callers and address. 0: out of memory. */
uint32_t dict_bare_path(struct dict *d, uint32_t path);

/* Return true if the id stands for an entry. */
static inline bool dict_alive(const struct dict *d, enum entity e, uint32_t id)
{
	return id && id < intern_bound(d->in[e]) && intern_key(d->in[e], id, NULL);
}

size_t dict_bytes(const struct dict *d); /* memory held */

#endif
