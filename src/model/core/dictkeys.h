/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dictkeys - what identifies each kind of thing in the dictionary, and what else dict.c, dicttasks.c and dictmark.c
 * have between them.
 *
 * Intern keys; all padding is explicit, they are compared as bytes.
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
	uint32_t user, cgroup, parent; /* of what is folded */
};

struct process_key {
	int32_t pid;
	uint32_t name, host;
};

/* Kinds that have an array of structs beside their intern; the others have size 0. */
struct dict_array {
	size_t key;	 /* bytes of its key */
	size_t size, at; /* of one; where struct dict has the array */
};

extern const struct dict_array dict_arrays[E_NR];

/* The id of a key, with room in the entity's array; *fresh: the array's element is to be filled.  0: out of memory. */
uint32_t dict_entity(struct dict *d, enum entity e, const void *key, size_t len, bool *fresh);

/* The session's id means this one of ours; 0: none any more.  False: out of memory. */
bool dict_map_set(struct dict *d, unsigned kind, uint32_t id, uint32_t to);

uint64_t dict_string_hash(const struct dict *d, uint32_t id);

/* Link every path that is left to its frame again. */
void dict_link_paths(struct dict *d);

#endif
