/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dictkeys - identifying keys of the dictionary's entries, and declarations that dict.c,
 * dicttasks.c and dictgc.c share.
 *
 * Intern keys are compared as bytes, so all padding is explicit.
 */
#ifndef RINGTOP_MODEL_CORE_DICTKEYS_H
#define RINGTOP_MODEL_CORE_DICTKEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/core/dict.h"

enum function_tag { TAG_OURS, TAG_NAMED, TAG_FRAME, TAG_FOLDED };

struct object_key {
	uint32_t name, serial;
	struct build_id build_id;
	uint8_t kind;
	uint16_t host;
};

struct frame_key {
	uint64_t addr;
	uint32_t object, flags, symbol, level;
};

struct path_key {
	uint32_t parent, frame;
};

struct function_key {
	uint32_t tag, name, object, flags;
};

struct task_key {
	int32_t pid, tid;
	uint32_t comm;
	uint16_t host, folded;
	uint32_t user, cgroup, parent; /* of a folded task */
};

struct process_key {
	int32_t pid;
	uint32_t name, host;
};

/* Kinds with an array of structs beside their intern; the others have size 0. */
struct dict_array {
	size_t key;	 /* bytes of a key */
	size_t size, at; /* of one element; offset of the array in struct dict */
};

extern const struct dict_array dict_arrays[E_NR];

/*
 * Return the id of a key, with room for it in the kind's array; *fresh: the caller must fill the
 * element. 0: out of memory.
 */
uint32_t dict_entity(struct dict *d, enum entity e, const void *key, size_t len, bool *fresh);

/* Map a session id to one of the model's; to == 0: to none any more.  False: out of memory. */
bool dict_map_set(struct dict *d, unsigned kind, uint32_t id, uint32_t to);

/* Return a hash of the string's text, independent of its id. */
uint64_t dict_string_hash(const struct dict *d, uint32_t id);

/* Link every path that still exists to its frame again. */
void dict_link_paths(struct dict *d);

#endif
