/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recentcode - the last few functions whose code was requested.  Threads: one owner. */
#ifndef RINGTOP_LINK_AGENT_RECENTCODE_H
#define RINGTOP_LINK_AGENT_RECENTCODE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/slice/code.h"

#define RECENTCODE_MAX 8

/* Zeroed: empty. */
struct recentcode {
	struct code_place place[RECENTCODE_MAX]; /* oldest first */
	unsigned nr;
};

/* Add a copy of `place`, in place of the oldest if full.  False: out of memory. */
bool recentcode_add(struct recentcode *w, const struct code_place *place);
void recentcode_clear(struct recentcode *w);

/*
 * Return true if one is in this object, within `size` bytes from object->addr on.  object->pid is
 * ignored.
 */
bool recentcode_has(const struct recentcode *w, const struct code_place *object, uint64_t size);

#endif
