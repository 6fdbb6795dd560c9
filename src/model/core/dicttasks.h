/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dicttasks - the dictionary's tasks and their processes.
 *
 * Threads arrive before their names, and processes after their threads: an entry that arrived
 * without a name gets it later and keeps its past; a name that changes (an exec) makes another
 * task. dict_folded_task() (model/core/dict.h) is here too.
 *
 * Threads: as the dictionary.
 */
#ifndef RINGTOP_MODEL_CORE_DICTTASKS_H
#define RINGTOP_MODEL_CORE_DICTTASKS_H

#include <stdbool.h>

#include "model/core/dict.h"

/* Take over a task of a slice.  False: out of memory. */
bool dict_take_task(struct dict *d, const struct dict_task *t);

/* Return the task, of this name, that stands for ringtop's own processes. 0: out of memory. */
uint32_t dict_own_task(struct dict *d, uint32_t name);

#endif
