/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dicttasks - the dictionary's tasks and their processes.
 *
 * Threads are told before their names are, and processes after their threads: what was told without a name gets it, and
 * keeps its past; a name that changes (an exec) makes another task.  dict_folded_task() (model/core/dict.h) is here too.
 *
 * Threads: as the dictionary.
 */
#ifndef RINGTOP_MODEL_CORE_DICTTASKS_H
#define RINGTOP_MODEL_CORE_DICTTASKS_H

#include <stdbool.h>

#include "model/core/dict.h"

/* False: out of memory. */
bool dict_take_task(struct dict *d, const struct dict_task *t);

/* That of all that measures, by this name.  0: out of memory. */
uint32_t dict_own_task(struct dict *d, uint32_t name);

#endif
