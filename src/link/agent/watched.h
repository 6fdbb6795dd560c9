/* SPDX-License-Identifier: GPL-2.0-or-later */
/* watched - the last few functions whose code was requested.  Threads: one owner. */
#ifndef RINGTOP_LINK_AGENT_WATCHED_H
#define RINGTOP_LINK_AGENT_WATCHED_H

#include <stdbool.h>
#include <stdint.h>

#include "core/slice/code.h"

#define WATCHED_MAX 8

/* Zeroed: empty. */
struct watched {
	struct code_place place[WATCHED_MAX]; /* oldest first */
	unsigned nr;
};

/* Add a copy of `place`, in place of the oldest if full.  False: out of memory. */
bool watched_add(struct watched *w, const struct code_place *place);
void watched_clear(struct watched *w);

/*
 * Return true if one is in this object, within `size` bytes from object->addr on.  object->pid is
 * ignored.
 */
bool watched_has(const struct watched *w, const struct code_place *object, uint64_t size);

#endif
