/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * throttles - how long CPU quotas made cgroups wait: in the whole run, or in a window as the
 * history has it.
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

/* Counts as in struct slice_throttle, with the cgroup's path in the model's dictionary. */
struct throttle_sum {
	uint32_t cgroup; /* string; 0: all others together */
	uint16_t host;
	uint64_t periods, throttled, ns;
};

struct throttles {
	struct throttle_sum *sum;
	size_t nr, cap;
};

/* Add a sum to its cgroup's, which is likely the at-th.  Return 0 or -ENOMEM. */
int throttles_add(struct throttles *to, const struct throttle_sum *sum, size_t at);

/* Add all sums of `from`.  Return 0 or -ENOMEM. */
int throttles_add_all(struct throttles *to, const struct throttles *from);

/* Add a slice's sums to the totals and to its history slice (or NULL).  Return 0 or -ENOMEM. */
int throttles_take(struct model *m, const struct slice *s, struct history_slice *h);

/* Add all sums to a slice that has none.  Return 0 or -ENOMEM. */
int throttles_put(const struct throttles *t, const struct dict *d, struct slice *to);

/* Mark the cgroups' strings as in use in the dictionary (dictgc.h). */
void throttles_mark(const struct throttles *t, struct dict *d);

/* Add up a window into *to, which is empty; *length: the window's, ns.  Return 0 or -ENOMEM. */
int throttles_collect(const struct model *m, struct window w, struct throttles *to, uint64_t *length);

/* Return the sums of one cgroup on a host, or with host -1 on all. */
struct throttle_sum throttles_of(const struct throttles *t, uint32_t cgroup, int host);

#endif
