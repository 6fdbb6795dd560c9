/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * intern - byte strings to small dense ids, with forgetting.
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
 * For keys of `most` bytes at most, which lie among the ids: nothing is elsewhere in memory.  A
 * longer one gets no id.  No NUL follows them, and where one is (intern_key) changes with the next
 * new id.
 */
struct intern *intern_create_short(size_t most);

/*
 * One that takes its memory from b (may be NULL): full where no more can be had, as without
 * memory.  most: as above, 0: keys of any length.
 */
struct intern *intern_create_in(struct budget *b, enum budget_class c, size_t most);

void intern_free(struct intern *in);

/*
 * The id of key (len bytes), made if new; marks it used at `tick`.  *fresh, where not NULL, says
 * whether it is new.  0: out of memory.
 */
uint32_t intern_get(struct intern *in, const void *key, size_t len, uint32_t tick, bool *fresh);

/* The id of key or 0; changes nothing. */
uint32_t intern_find(const struct intern *in, const void *key, size_t len);

/* The same of a key that another one has: it is not hashed again. */
uint32_t intern_find_of(const struct intern *in, const struct intern *other, uint32_t id);

/* Room for so many keys at once, for one without a budget.  False: out of memory, nothing has changed. */
bool intern_reserve(struct intern *in, size_t keys);

/* The key's bytes (followed by a NUL that is not part of them); valid until the id is released. */
const void *intern_key(const struct intern *in, uint32_t id, size_t *len);

/* hash_bytes() of the key. */
uint64_t intern_hash(const struct intern *in, uint32_t id);

void intern_touch(struct intern *in, uint32_t id, uint32_t tick);

/* The tick of the last use. */
uint32_t intern_tick(const struct intern *in, uint32_t id);

/*
 * Release all ids last used before `tick`.  release(arg, id) is called for each while its key
 * can still be read, and may say false: that one stays.  Ticks wrap; they are compared by
 * difference.
 */
void intern_sweep(struct intern *in, uint32_t tick, bool (*release)(void *arg, uint32_t id),
		  void *arg);

size_t intern_count(const struct intern *in); /* ids in use */
size_t intern_bound(const struct intern *in); /* every id is below this */
size_t intern_keys(const struct intern *in);  /* bytes of all keys */
size_t intern_bytes(const struct intern *in); /* memory held, roughly */

#endif
