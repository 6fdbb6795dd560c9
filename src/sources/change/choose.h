/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * choose - what a session is asked for becomes what it measures: texts of events, filters, CPUs and sizes of a
 * live_config into the scope's lists, rings and AUX area.  Nothing is opened but to see whether it could be.
 *
 * Threads: one.  All return 0 or -errno, err says which option it was.
 */
#ifndef RINGTOP_SOURCES_CHANGE_CHOOSE_H
#define RINGTOP_SOURCES_CHANGE_CHOOSE_H

#include <stddef.h>

#include "base/err.h"
#include "sources/live/live.h"
#include "sources/live/scope.h"

struct auxset;
struct privilege;

/* The events of -e, --ftrace, --off-cpu and --between, with their rates; `why` gets what of --off-cpu cannot be. */
int choose_events(const struct live_config *c, struct event_list *list, struct between_plan *between, char *why,
		  size_t size, struct err *err);

/* Those of -S. */
int choose_counted(const struct live_config *c, struct scope *sc, struct err *err);

/* The CPUs online, and those watched. */
int choose_cpus(const struct live_config *c, struct scope *sc, struct err *err);

/*
 * Add the children of -p that run already to the target; needs the target, the events, the CPUs and the limit of
 * descriptors.
 */
void choose_children(const struct live_config *c, struct scope *sc);

/* Forward rings or overwritable ones; needs the events. */
int choose_overwrite(const struct live_config *c, struct scope *sc, struct err *err);

/* The rings, when target, events and call graph are known. */
int choose_rings(const struct live_config *c, const struct privilege *p, struct scope *sc, struct err *err);

/* The AUX event where one is asked for, else *aux stays; the caller's.  Needs the rings. */
int choose_aux(const struct live_config *c, const struct privilege *p, struct scope *sc, struct auxset **aux,
	       struct err *err);

#endif
