/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * frames_parts - common parts of all kinds of frames: places, texts, objects and symbols of the
 * dictionary, and lists of waiting frames.  For frames*.c only.
 *
 * Ids are those of `names` (names/resolve/dictout.h), which owns the entries; 0: out of memory.
 * Arguments are not kept.
 *
 * Threads: the resolver's.
 */
#ifndef RINGTOP_NAMES_RESOLVE_FRAMES_PARTS_H
#define RINGTOP_NAMES_RESOLVE_FRAMES_PARTS_H

#include "names/resolve/frames.h"

/* Places: one of these, or the serial of a process or an object with the bit of its kind. */
enum {
	PLACE_KERNEL = 1,
	PLACE_UNKNOWN,
	PLACE_OWN,
	PLACE_EVENT,
	PLACE_TASK,
	PLACE_UNSEEN,
	PLACE_OUTSIDE
};
#define PLACE_PROCESS (1ull << 63)
#define PLACE_JIT     (1ull << 62)
#define PLACE_OBJECT  (1ull << 61)
#define PLACE_DUMP    (1ull << 60) /* of a process: a function of its jitdump */
#define PLACE_TICK    (1ull << 59) /* of a process, in one tick */
#define PLACE_LINES   (1ull << 58) /* of an object: inlined functions */

uint32_t frames_string(struct resolver *r, const char *text); /* NULL: 0 */

/* Return the id of an object that is no file, identified by name, kind and state. */
uint32_t frames_fixed_object(struct resolver *r, const char *name, enum object_kind kind,
			     enum object_state state, const char *why);

/* Fill *d with the dictionary's value of o. */
void frames_describe(struct resolver *r, const struct dso *o, struct dict_object *d);

/* Return the id of o, and mark o as used now. */
uint32_t frames_object_id(struct resolver *r, struct dso *o);

/*
 * Return the id of a symbol. version: as for dictout_symbol_version(), 0 where only one symbol can
 * be.
 */
uint32_t frames_symbol(struct resolver *r, uint32_t object, const struct symtab_entry *e,
		       uint64_t version);

/*
 * Append frame to a list of waiting frames, which the caller frees.  Without memory the frame's
 * value becomes one without a name at once, with the reason.
 */
void frames_wait(struct resolver *r, uint32_t **list, size_t *nr, size_t *cap, uint32_t frame);

#endif
