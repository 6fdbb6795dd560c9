/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * names - the events that have the same name on every machine: hardware, cache and software.
 *
 * Sources: perf-list(1), uapi linux/perf_event.h.  Threads: any.
 */
#ifndef RINGTOP_KERNEL_EVENT_NAMES_H
#define RINGTOP_KERNEL_EVENT_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event_name {
	const char *name, *alias; /* alias: or NULL */
	uint32_t type;            /* PERF_TYPE_* */
	uint64_t config;
	const char *text;         /* what it counts, in a line */
};

/* By name or alias, in any case; NULL: none. */
const struct event_name *event_name_find(const char *name);

/* All of them, in perf-list's order; NULL: no more. */
const struct event_name *event_name_at(size_t i);

#define EVENT_CACHE_LEN 48

/*
 * CACHE[-OPERATION][-RESULT] in any of perf's spellings: L1-dcache-load-misses, dTLB-stores, LLC-refs.  False:
 * it is none, or no such cache has the operation.
 */
bool event_cache_find(const char *name, uint64_t *config);

/* The i-th of all in its first spelling, of those that there can be.  False: no more. */
bool event_cache_at(size_t i, char name[EVENT_CACHE_LEN], uint64_t *config);

#endif
