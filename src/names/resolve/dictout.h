/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dictout - the sending side of the slices' dictionary: what was said, under which id, and what is
 * unused and can be released.
 *
 * Every call that makes something new, or changes it, upserts it into the slice of the tick.
 * Id 0 from any call: out of memory, or of the budget's share for it: an eighth of all for texts, another for
 * the rest.  What is said without its name then shows its address.
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
#define DICTOUT_MANY_RECORDED 262144 /* a file ends */

struct dictout *dictout_create(size_t many);
void dictout_free(struct dictout *n);

/*
 * All that follows goes into s, and counts as used at `time`, ns, which only grows: what was measured until then, in the
 * slices' own time, however many they are.
 */
void dictout_begin(struct dictout *n, struct slice *s, uint64_t time);

/* The slice goes its way: nothing is said until the next one. */
void dictout_done(struct dictout *n);

uint32_t dictout_string(struct dictout *n, const char *text, size_t len);

/* identity: any bytes that tell this object from others. */
uint32_t dictout_object(struct dictout *n, const void *identity, size_t len,
		      const struct dict_object *value);
uint32_t dictout_symbol(struct dictout *n, uint32_t object, uint64_t addr, uint64_t size,
		      const char *name);

/*
 * Where several stand at one address, one after another: version tells them apart, from 1.  also:
 * what core/slice/several.h makes of its other names, "" where it has none.
 */
uint32_t dictout_symbol_version(struct dictout *n, uint32_t object, uint64_t addr, uint64_t size,
			      const char *name, const char *also, uint64_t version);

/* One that was said under any name, or 0. */
uint32_t dictout_symbol_find(struct dictout *n, uint32_t object, uint64_t addr, uint64_t version);

/* A function without an address of its own: inlined. */
uint32_t dictout_inlined(struct dictout *n, uint32_t object, const char *name);

/* place: what the frame stands for (an object, or a process whose maps are not known) and the
 * address in it. */
struct frame_key {
	uint64_t place, addr;
	uint32_t version;
	uint32_t level; /* as in struct dict_frame */
};

/* The frame's id; where it is new, *value is what it is said to be.  *fresh as in intern.h. */
uint32_t dictout_frame(struct dictout *n, const struct frame_key *key, const struct dict_frame *value,
		     bool *fresh);
uint32_t dictout_frame_find(struct dictout *n, const struct frame_key *key); /* 0: not said (any more) */
/* Say something else of it. */
void dictout_frame_update(struct dictout *n, uint32_t id, const struct dict_frame *value);
const struct dict_frame *dictout_frame_value(const struct dictout *n, uint32_t id);
uint32_t dictout_frames(const struct dictout *n); /* every frame's id is below this */
bool dictout_frame_known(const struct dictout *n, uint32_t id); /* not released meanwhile */
void dictout_touch_frame(struct dictout *n, uint32_t id); /* keep it: something waits for its name */

uint32_t dictout_path(struct dictout *n, uint32_t parent, uint32_t frame);

/* Of `nr` frames, one at least, the outermost last.  0: one of them is 0, or no memory. */
uint32_t dictout_whole_path(struct dictout *n, const uint32_t *frame, size_t nr);

/* How many paths were looked for where all are, and not among those of the tick: for tests. */
uint64_t dictout_looked_up(const struct dictout *n);
/* One life of a thread under one name; said again where it differs from what was said. */
uint32_t dictout_task(struct dictout *n, uint64_t serial, const struct dict_task *value);

/* Say again of an object. */
void dictout_object_update(struct dictout *n, uint32_t id, const struct dict_object *value);

const struct dict_path *dictout_path_value(const struct dictout *n, uint32_t id);
const struct dict_object *dictout_object_value(const struct dictout *n, uint32_t id);

/* Mark as used now what was found by a shortcut: a path, with all it stands on. */
void dictout_touch_path(struct dictout *n, uint32_t path);

/*
 * Release what was not used for `ms`; where paths and frames are many, or tasks, those in a sixth of
 * that: garbage of stacks without frame pointers hardly
 * comes twice, nor do programs that end at once, and saying one again is cheap.  The same goes for all where memory
 * was refused.  A frame that waits for its name or lines stays ten times `ms` (or that sixth, where memory was refused),
 * with what it stands on, unless such are more than half of what is many; then its name is given up.  Ids held elsewhere must be checked or dropped.
 */
void dictout_sweep(struct dictout *n, uint32_t ms);
uint64_t dictout_given_up(const struct dictout *n); /* names of so many frames, so far */
bool dictout_heavy(const struct dictout *n); /* so many new ones since that it is worth it again */

/* What was refused since the last sweep, as budget_say. */
int dictout_say(const struct dictout *n, struct err *err);

uint32_t dictout_tick(const struct dictout *n); /* the slice's number */
uint32_t dictout_now(const struct dictout *n);  /* ms, as said in dictout_begin; it wraps */
size_t dictout_bytes(const struct dictout *n);

#endif
