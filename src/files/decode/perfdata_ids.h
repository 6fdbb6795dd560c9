/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perfdata_ids - whose the ids in a file's records are: hashed.
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
	uint32_t event; /* + 1; 0: free */
};

struct perfdata_ids { /* all zero: empty */
	struct perfdata_id *slots; /* a power of two, at most half full */
	size_t nr, cap;
	size_t added; /* with those that were there already */
};

/* 0; -E2BIG where there are too many to be true, -ENOMEM: perfdata_ids_explain has both in words. */
int perfdata_ids_add(struct perfdata_ids *ids, uint64_t id, uint32_t event);
int perfdata_ids_explain(const struct perfdata_ids *ids, int code, struct err *err);

/* The event, or PERFDATA_NO_EVENT. */
uint32_t perfdata_ids_find(const struct perfdata_ids *ids, uint64_t id);

void perfdata_ids_clear(struct perfdata_ids *ids);

#endif
