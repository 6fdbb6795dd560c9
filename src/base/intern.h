/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * intern - map byte strings to small dense ids, and release unused ones.
 *
 * Equal keys get equal ids.  Id 0 is never given out.  Every id carries the tick it was last
 * used; intern_sweep releases those unused for long and their ids are given out again, so memory
 * follows what is in use and not what has ever been.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_BASE_INTERN_H
#define RINGTOP_BASE_INTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/budget.h"

struct intern;

struct intern *intern_create(void); /* NULL: out of memory */

/*
 * Create a table for keys of at most `most` bytes, stored in its entries without other allocations.
 * A longer key gets no id.  No NUL follows a key, and its address (intern_key) changes with the
 * next new id.  NULL: out of memory.
 */
struct intern *intern_create_short(size_t most);

/*
 * Create a table that takes its memory from b (may be NULL) in class c; a refusal is like a lack of
 * memory.  most: as for intern_create_short, 0: keys of any length.
 */
struct intern *intern_create_in(struct budget *b, enum budget_class c, size_t most);

void intern_free(struct intern *in);

/*
 * Return the id of key (len bytes, copied), made if new, and mark it used at `tick`.  *fresh (or
 * NULL) becomes true if it is new.  0: out of memory, or longer than a short table's keys.
 */
uint32_t intern_get(struct intern *in, const void *key, size_t len, uint32_t tick, bool *fresh);

/* Return the id of key or 0; changes nothing. */
uint32_t intern_find(const struct intern *in, const void *key, size_t len);

/* Return the id of another table's key, or 0.  Uses the hash that is stored there. */
uint32_t intern_find_of(const struct intern *in, const struct intern *other, uint32_t id);

/*
 * Return the key's bytes and *len (or NULL).  Borrowed until the id is released, and followed by a
 * NUL that is not part of the key; for short keys see intern_create_short.  NULL: a released id.
 */
const void *intern_key(const struct intern *in, uint32_t id, size_t *len);

/* Return hash_bytes() of the key, stored with it. */
uint64_t intern_hash(const struct intern *in, uint32_t id);

void intern_touch(struct intern *in, uint32_t id, uint32_t tick);

/* Return the tick of the last use. */
uint32_t intern_tick(const struct intern *in, uint32_t id);

/*
 * Release all ids last used before `tick`.  release(arg, id) (or NULL) is called for each while its
 * key can still be read, and returns false to keep it.  Ticks wrap; they are compared by
 * difference.
 */
void intern_sweep(struct intern *in, uint32_t tick, bool (*release)(void *arg, uint32_t id),
		  void *arg);

size_t intern_count(const struct intern *in); /* ids in use */
size_t intern_bound(const struct intern *in); /* every id is below this */
size_t intern_keys(const struct intern *in);  /* bytes of all keys */
size_t intern_bytes(const struct intern *in); /* memory held, roughly */

#endif
