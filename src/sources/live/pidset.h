/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pidset - a set of thread ids.  Zeroed is empty.  Threads: one owner.
 */
#ifndef RINGTOP_SOURCES_LIVE_PIDSET_H
#define RINGTOP_SOURCES_LIVE_PIDSET_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct pidset {
	pid_t *slot; /* 0: empty; a power of two of them, at least half of them empty */
	size_t nslots, nr;
};

bool pidset_has(const struct pidset *s, pid_t pid);

/* Add pid, which must not be 0. 1: it is new, 0: it was there, or -ENOMEM. */
int pidset_add(struct pidset *s, pid_t pid);

void pidset_clear(struct pidset *s);

#endif
