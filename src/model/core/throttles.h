/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * throttles - what CPU quotas let cgroups wait: of the whole run, or of a window as the history has it.
 *
 * Threads: the model's owner.
 */
#ifndef RINGTOP_MODEL_CORE_THROTTLES_H
#define RINGTOP_MODEL_CORE_THROTTLES_H

#include <stddef.h>
#include <stdint.h>

#include "core/slice/slice.h"

struct dict;
struct model;
struct window;
struct history_slice;

/* What a slice_throttle says, of a path in the model's dictionary. */
struct throttle_sum {
	uint32_t cgroup; /* string; 0: of others together */
	uint16_t host;
	uint64_t periods, throttled, ns;
};

struct throttles {
	struct throttle_sum *sum;
	size_t nr, cap;
};

/* Add it to its cgroup's, which is likely the at-th.  0 or -ENOMEM. */
int throttles_add(struct throttles *to, const struct throttle_sum *sum, size_t at);
int throttles_add_all(struct throttles *to, const struct throttles *from);

/* Of a slice, into the totals and its place in the history (or NULL).  0 or -ENOMEM. */
int throttles_take(struct model *m, const struct slice *s, struct history_slice *h);

/* The dictionary has them still. */
void throttles_mark(const struct throttles *t, struct dict *d);

/* Of a window, into *to, which is empty.  0 or -ENOMEM; how long the window is, ns. */
int throttles_collect(const struct model *m, struct window w, struct throttles *to, uint64_t *length);

/* One cgroup's on a host, or with host -1 on all. */
struct throttle_sum throttles_of(const struct throttles *t, uint32_t cgroup, int host);

#endif
