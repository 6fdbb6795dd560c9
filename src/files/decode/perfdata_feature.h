/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perfdata_feature - the sections behind a perf.data file's records, and the same as records in a
 * stream: who recorded it, where, and what its events are called.
 *
 * Threads: pure.
 */
#ifndef RINGTOP_FILES_DECODE_PERFDATA_FEATURE_H
#define RINGTOP_FILES_DECODE_PERFDATA_FEATURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "files/decode/perfdata.h"

#define PERFDATA_FEATURES    256
#define PERFDATA_BUILD_IDS   65536 /* at most */
#define PERFDATA_SECTION_MAX (32u << 20)

struct perfdata_sections { /* where features go */
	struct perfdata_info *info;
	struct perfdata_event *events;
	unsigned nevents;
	struct perfdata_build_id *ids;
	size_t nids, cap_ids;
	struct perfdata_format *formats;
	size_t nformats, cap_formats;
	char *kallsyms, *printk; /* copies of the recorded kernel's; NULL: there is none, or no memory for it */
	size_t nkallsyms, nprintk;
	bool swap;
	bool early_ids; /* build-ids of 2.6.33: without a pid before them */
};

/* Whether perfdata_feature wants to see this one. */
bool perfdata_feature_wanted(unsigned feature);

#define PERFDATA_TRACING_DATA 1u /* the feature with the formats of tracepoints */

/* 0; -EBADMSG where it is not what it says (what could be read of it is there), -ENOMEM. */
int perfdata_feature(struct perfdata_sections *s, unsigned feature, const char *bytes, size_t len);

/* A single build-id record without its header (whose misc is given). */
int perfdata_feature_build_id(struct perfdata_sections *s, uint16_t misc, const char *bytes,
			      size_t len);

void perfdata_feature_clear(struct perfdata_sections *s); /* build-ids, formats and copies */

/* Name the event `text` (of at most len bytes) with its modifiers; NULL: by what is known of its kind. */
void perfdata_feature_name(struct perfdata_event *e, const char *text, size_t len);

#endif
