/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * frames_parts - what all kinds of frames are made of: places, texts, objects and symbols of the
 * dictionary, and lists of frames that wait.  For frames*.c alone.
 *
 * Ids are names' (names/resolve/dictout.h), who owns what is behind them; 0: no memory.  Nothing given is kept.
 *
 * Threads: the resolver's.
 */
#ifndef RINGTOP_NAMES_RESOLVE_FRAMES_PARTS_H
#define RINGTOP_NAMES_RESOLVE_FRAMES_PARTS_H

#include "names/resolve/frames.h"

/* Places: these, or the serial of a process or an object with the bit that says which. */
enum { PLACE_KERNEL = 1, PLACE_UNKNOWN, PLACE_OWN, PLACE_EVENT, PLACE_TASK, PLACE_UNSEEN, PLACE_OUTSIDE };
#define PLACE_PROCESS (1ull << 63)
#define PLACE_JIT     (1ull << 62)
#define PLACE_OBJECT  (1ull << 61)
#define PLACE_DUMP    (1ull << 60) /* of a process: a function of its jitdump */
#define PLACE_TICK    (1ull << 59) /* of a process, in one tick */
#define PLACE_LINES   (1ull << 58) /* of an object: what is inlined */

uint32_t frames_string(struct resolver *r, const char *text); /* NULL: 0 */

/* An object that is no file: all of this name, kind and state are one. */
uint32_t frames_fixed_object(struct resolver *r, const char *name, enum object_kind kind,
			     enum object_state state, const char *why);

/* What is to be said of o. */
void frames_describe(struct resolver *r, const struct dso *o, struct dict_object *d);

/* The id of o, which is used now. */
uint32_t frames_object_id(struct resolver *r, struct dso *o);

/* version: as dictout_symbol_version has it, 0 where only one symbol can be there. */
uint32_t frames_symbol(struct resolver *r, uint32_t object, const struct symtab_entry *e,
		       uint64_t version);

/*
 * Append frame to a list of those that wait, which the caller frees.  Without memory it is settled at once, as
 * one without a name that says why.
 */
void frames_wait(struct resolver *r, uint32_t **list, size_t *nr, size_t *cap, uint32_t frame);

#endif
