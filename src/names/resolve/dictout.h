/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dictout - the sending side of the slices' dictionary: entries emitted so far, their ids, and
 * which are unused and can be released.
 *
 * Every call that makes a new entry, or changes one, upserts it into the slice of the tick.  A call
 * returns id 0 if memory, or the dictionary's share of the budget, is used up: an eighth of the
 * budget is for texts, another for the rest.  A frame without its name then shows its address.
 *
 * Threads: the resolver's.
 */
#ifndef RINGTOP_NAMES_RESOLVE_DICTOUT_H
#define RINGTOP_NAMES_RESOLVE_DICTOUT_H

#include <stdint.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "core/slice/slice.h"

struct dictout;

#define DICTOUT_MANY          16384  /* paths and frames of a live session: see dictout_sweep */
#define DICTOUT_MANY_RECORDED 262144 /* a file has an end, so it may have more */

struct dictout *dictout_create(size_t many);
void dictout_free(struct dictout *n);

/*
 * Begin a slice: entries from here on are put into s, and count as used at `time`: ns of measured
 * time so far, which only grow, however many slices there are.
 */
void dictout_begin(struct dictout *n, struct slice *s, uint64_t time);

/* End the slice: no entries may be added until the next dictout_begin(). */
void dictout_done(struct dictout *n);

/* Return the id of a text. */
uint32_t dictout_string(struct dictout *n, const char *text, size_t len);

/* Return the id of an object. identity: any bytes, by which objects are compared. */
uint32_t dictout_object(struct dictout *n, const void *identity, size_t len,
		      const struct dict_object *value);

/* Return the id of the symbol at an address of an object; a new one is added. */
uint32_t dictout_symbol(struct dictout *n, uint32_t object, uint64_t addr, uint64_t size,
		      const char *name);

/*
 * Like dictout_symbol(), for several symbols at one address, one after another: version, from 1 on,
 * tells them apart. also: its other names, as made by core/slice/aliases.h, "": none.
 */
uint32_t dictout_symbol_version(struct dictout *n, uint32_t object, uint64_t addr, uint64_t size,
			      const char *name, const char *also, uint64_t version);

/* Return the symbol's id if the slices have it, under any name, or 0. */
uint32_t dictout_symbol_find(struct dictout *n, uint32_t object, uint64_t addr, uint64_t version);

/* Return the id of a function without an address of its own: an inlined one. */
uint32_t dictout_inlined(struct dictout *n, uint32_t object, const char *name);

/*
 * Identity of a frame: address in a place, which is what the frame stands for (an object, or a
 * process whose maps are not known).
 */
struct frame_key {
	uint64_t place, addr;
	uint32_t version;
	uint32_t level; /* as in struct dict_frame */
};

/* Return the frame's id; a new one is added with *value. *fresh as in intern.h. */
uint32_t dictout_frame(struct dictout *n, const struct frame_key *key,
		       const struct dict_frame *value, bool *fresh);

/* Return the frame with that key; 0: there is none (any more). */
uint32_t dictout_frame_find(struct dictout *n, const struct frame_key *key);
/* Replace the value of a frame, and put it into the slice. */
void dictout_frame_update(struct dictout *n, uint32_t id, const struct dict_frame *value);

/* Return the value of an entry, valid until another one is added. */
const struct dict_frame *dictout_frame_value(const struct dictout *n, uint32_t id);
uint32_t dictout_frames(const struct dictout *n); /* every frame's id is below this */
bool dictout_frame_known(const struct dictout *n, uint32_t id); /* not released since */
void dictout_touch_frame(struct dictout *n, uint32_t id); /* keep it: a name is awaited for it */

/* Return the path of a frame below the path `parent`, 0: an outermost frame. */
uint32_t dictout_path(struct dictout *n, uint32_t parent, uint32_t frame);

/*
 * Return the path of `nr` frames, at least one, the outermost last. 0: one of them is 0, or out of
 * memory.
 */
uint32_t dictout_whole_path(struct dictout *n, const uint32_t *frame, size_t nr);

/*
 * Return how many paths were looked up in the dictionary rather than found among the tick's recent
 * ones: for tests.
 */
uint64_t dictout_looked_up(const struct dictout *n);
/*
 * Return the id of one life of a thread under one name; a value that differs from the last one is
 * put into the slice.
 */
uint32_t dictout_task(struct dictout *n, uint64_t serial, const struct dict_task *value);

/* Replace the value of an object, and put it into the slice. */
void dictout_object_update(struct dictout *n, uint32_t id, const struct dict_object *value);

const struct dict_path *dictout_path_value(const struct dictout *n, uint32_t id);
const struct dict_object *dictout_object_value(const struct dictout *n, uint32_t id);

/* Mark a path that was found by a shortcut as used now, with its parents. */
void dictout_touch_path(struct dictout *n, uint32_t path);

/*
 * Release entries that were not used for `ms`.  If there are many paths and frames, or tasks, those
 * unused for a sixth of that go too: garbage of stacks without frame pointers hardly comes twice,
 * nor do programs that end at once, and adding an entry again is cheap.  The same goes for all
 * entries if memory was refused.  A frame that waits for its name or lines stays ten times `ms` (or
 * that sixth, if memory was refused), with the entries that it refers to, unless such frames are
 * more than half of many; then its name is given up.  Ids held elsewhere must be checked or
 * dropped.
 */
void dictout_sweep(struct dictout *n, uint32_t ms);
uint64_t dictout_given_up(const struct dictout *n); /* frames whose names were given up */
bool dictout_heavy(const struct dictout *n); /* enough new entries for another sweep */

/* Format what the memory budget refused since the last sweep (see budget_say()). */
int dictout_say(const struct dictout *n, struct err *err);

uint32_t dictout_tick(const struct dictout *n); /* number of the slice */
uint32_t dictout_now(const struct dictout *n);  /* ms, as of dictout_begin(); it wraps */
size_t dictout_bytes(const struct dictout *n);

#endif
