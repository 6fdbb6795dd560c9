/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dictgc - marks which entries of the dictionary are still in use; all others are collected.
 *
 * A collection is dict_mark_begin(), marking whatever rows and totals refer to, and dict_collect().
 * It is worth it once dict_grown().  Entries that a marked entry refers to are marked with it, and
 * so are those that the session may still refer to.
 *
 * Threads: the dictionary's owner.
 */
#ifndef RINGTOP_MODEL_CORE_DICTGC_H
#define RINGTOP_MODEL_CORE_DICTGC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/core/dict.h"

/* Return true if the dictionary has grown so much that a collection is worth it. */
bool dict_grown(const struct dict *d);

/* Begin a collection: marks the fixed entries, and those with session ids. */
void dict_mark_begin(struct dict *d);

/* Mark an entry, and the entries that it refers to, as in use. */
void dict_mark_string(struct dict *d, uint32_t id);
void dict_mark_function(struct dict *d, uint32_t id);
void dict_mark_path(struct dict *d, uint32_t id);
void dict_mark_task(struct dict *d, uint32_t id);
size_t dict_marked(const struct dict *d); /* like dict_live(), but of the entries marked so far */

/* Free all entries that are not marked, and begin a new era. */
void dict_collect(struct dict *d);

/* Return the bytes that the entries in use need, with room to grow. */
size_t dict_live(const struct dict *d);

#endif
