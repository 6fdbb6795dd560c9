/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * catalog - the events that this machine has, by the names that -e takes.
 *
 * Hardware, software and cache events by our table, PMUs' own by sysfs, tracepoints by tracefs.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_KERNEL_EVENT_CATALOG_H
#define RINGTOP_KERNEL_EVENT_CATALOG_H

#include <stdbool.h>

#include "base/err.h"
#include "kernel/event/event.h"

enum catalog_kind {
	CATALOG_HARDWARE, CATALOG_SOFTWARE, CATALOG_CACHE, CATALOG_PMU, CATALOG_TRACEPOINT,
	CATALOG_FORM, /* not an event, but what one may look like: "rHEX" */
	CATALOG_KINDS
};

extern const char *const catalog_kind_names[CATALOG_KINDS]; /* "hardware", "software", ... : the JSON values */

struct catalog_entry {
	char name[EVENT_NAME_LEN];
	enum catalog_kind kind;
	char unit[32];  /* "ns", "Joules", or "" */
	char text[256]; /* what it counts, in a line; raw: escape it */
};

/*
 * Tell `take` of each that `pattern` is in: as a part of its name or its text, or, with * ? [, as a glob of its
 * name; NULL: of all.  Ends early where take returns other than 0, with that.  What could not be listed for want
 * of rights is said in err, with code 0 returned all the same.
 */
int catalog_walk(const char *pattern, int (*take)(void *arg, const struct catalog_entry *e), void *arg,
		 struct err *err);

#endif
