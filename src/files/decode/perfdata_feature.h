/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perfdata_feature - the sections after a perf.data file's records, and the same as records in a
 * stream: host, command, events' names, build-ids and so on.
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
#define PERFDATA_BUILD_IDS   65536 /* maximum */
#define PERFDATA_SECTION_MAX (32u << 20)

struct perfdata_sections { /* where the features' contents are stored */
	struct perfdata_info *info;
	struct perfdata_event *events;
	unsigned nevents;
	struct perfdata_build_id *ids;
	size_t nids, cap_ids;
	struct perfdata_format *formats;
	size_t nformats, cap_formats;
	char *kallsyms, *printk; /* copies from the recorded kernel; NULL: none, or no memory */
	size_t nkallsyms, nprintk;
	bool swap;
	bool early_ids; /* build-ids of perf 2.6.33: no pid before them */
};

/* Return true if perfdata_feature uses this feature. */
bool perfdata_feature_wanted(unsigned feature);

#define PERFDATA_TRACING_DATA 1u /* the feature with the tracepoints' formats */

/* Read a feature. Return 0, -EBADMSG if it is malformed (the readable part is stored), -ENOMEM. */
int perfdata_feature(struct perfdata_sections *s, unsigned feature, const char *bytes, size_t len);

/* Read a single build-id record without its header. misc is from that header. */
int perfdata_feature_build_id(struct perfdata_sections *s, uint16_t misc, const char *bytes,
			      size_t len);

void perfdata_feature_clear(struct perfdata_sections *s); /* frees build-ids, formats and copies */

/* Name the event `text` (at most len bytes) with its modifiers; NULL: by its type and config. */
void perfdata_feature_name(struct perfdata_event *e, const char *text, size_t len);

#endif
