/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perfdata_ids - hash table from the ids in a file's records to events.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_FILES_DECODE_PERFDATA_IDS_H
#define RINGTOP_FILES_DECODE_PERFDATA_IDS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define PERFDATA_NO_EVENT UINT32_MAX

struct perfdata_id {
	uint64_t id;
	uint32_t event; /* index + 1; 0: free slot */
};

struct perfdata_ids { /* all zero: empty */
	struct perfdata_id *slots; /* a power of two, at most half full */
	size_t nr, cap;
	size_t added; /* calls of perfdata_ids_add, for known ids, too */
};

/*
 * Map an id to an event. Return 0, -E2BIG (implausibly many), -ENOMEM. perfdata_ids_explain puts
 * either code (positive) into words and returns -errno.
 */
int perfdata_ids_add(struct perfdata_ids *ids, uint64_t id, uint32_t event);
int perfdata_ids_explain(const struct perfdata_ids *ids, int code, struct err *err);

/* Return the event's index, or PERFDATA_NO_EVENT. */
uint32_t perfdata_ids_find(const struct perfdata_ids *ids, uint64_t id);

void perfdata_ids_clear(struct perfdata_ids *ids);

#endif
