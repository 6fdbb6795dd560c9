/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dictmark - which entries of the dictionary are still in use; the others are collected.
 *
 * A collection is: begin, mark whatever rows and totals speak of, collect.  Worth it once dict_grown.
 * What a marked entry stands on is marked with it, and so is what the session may still speak of.
 *
 * Threads: the dictionary's owner.
 */
#ifndef RINGTOP_MODEL_CORE_DICTMARK_H
#define RINGTOP_MODEL_CORE_DICTMARK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/core/dict.h"

bool dict_grown(const struct dict *d);
void dict_mark_begin(struct dict *d);
void dict_mark_string(struct dict *d, uint32_t id);
void dict_mark_function(struct dict *d, uint32_t id);
void dict_mark_path(struct dict *d, uint32_t id);
void dict_mark_task(struct dict *d, uint32_t id);
size_t dict_marked(const struct dict *d); /* as dict_live, of what is marked so far */
void dict_collect(struct dict *d);

/* What the entries in use need, in bytes, with room to grow. */
size_t dict_live(const struct dict *d);

#endif
