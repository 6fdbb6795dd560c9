/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * eventnames - the events that have the same name on every machine: hardware, cache and software.
 *
 * Sources: perf-list(1), uapi linux/perf_event.h.  Threads: any.
 */
#ifndef RINGTOP_KERNEL_EVENT_EVENTNAMES_H
#define RINGTOP_KERNEL_EVENT_EVENTNAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event_name {
	const char *name, *alias; /* alias: or NULL */
	uint32_t type;            /* PERF_TYPE_* */
	uint64_t config;
	const char *text;         /* description in one line */
};

/* Find an event by name or alias, in upper or lower case; NULL: none. */
const struct event_name *event_name_find(const char *name);

/* Return the i-th event in perf-list's order; NULL: no more. */
const struct event_name *event_name_at(size_t i);

#define EVENT_CACHE_LEN 48

/*
 * Parse CACHE[-OPERATION][-RESULT] in any of perf's spellings: L1-dcache-load-misses, dTLB-stores,
 * LLC-refs. Return false if it is none, or the cache does not have the operation.
 */
bool event_cache_find(const char *name, uint64_t *config);

/* Get the i-th possible cache event in its first spelling. Return false if there are no more. */
bool event_cache_at(size_t i, char name[EVENT_CACHE_LEN], uint64_t *config);

#endif
