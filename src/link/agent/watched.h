/* SPDX-License-Identifier: GPL-2.0-or-later */
/* watched - the last few functions that somebody looked into.  Threads: one owner. */
#ifndef RINGTOP_LINK_AGENT_WATCHED_H
#define RINGTOP_LINK_AGENT_WATCHED_H

#include <stdbool.h>
#include <stdint.h>

#include "core/slice/code.h"

#define WATCHED_MAX 8

/* Zeroed: none. */
struct watched {
	struct code_place place[WATCHED_MAX]; /* oldest first */
	unsigned nr;
};

bool watched_add(struct watched *w, const struct code_place *place); /* false: out of memory */
void watched_clear(struct watched *w);

/* Is one of them in this object, in size bytes from its address on?  Its pid does not count. */
bool watched_has(const struct watched *w, const struct code_place *object, uint64_t size);

#endif
