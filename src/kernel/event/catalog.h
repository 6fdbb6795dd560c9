/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * catalog - the events of this machine, by the names that -e takes.
 *
 * Hardware, software and cache events are from our table, PMUs' own from sysfs, tracepoints from
 * tracefs.
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
	CATALOG_FORM, /* not an event, but a form of names: "rHEX" */
	CATALOG_KINDS
};

extern const char *const catalog_kind_names[CATALOG_KINDS]; /* the JSON values */

struct catalog_entry {
	char name[EVENT_NAME_LEN];
	enum catalog_kind kind;
	char unit[32];  /* "ns", "Joules", or "" */
	char text[256]; /* description in one line; not escaped */
};

/*
 * Call `take` for each event that matches `pattern`: a part of its name or text, or, with * ? [, a
 * glob of its name; NULL: all. Return 0, or the first value other than 0 that take returns. If
 * events cannot be listed for lack of rights, err has the reason, but 0 is returned all the same.
 */
int catalog_walk(const char *pattern, int (*take)(void *arg, const struct catalog_entry *e),
		 void *arg, struct err *err);

#endif
