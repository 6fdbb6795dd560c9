/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * choose - from the words of a config (texts of events, filters, CPUs, sizes) to the scope's
 * lists, rings and AUX area.  Nothing is opened except to see whether it could be.
 *
 * Threads: one.  All return 0 or -errno, and err names the option at fault.
 */
#ifndef RINGTOP_SOURCES_CHANGE_CHOOSE_H
#define RINGTOP_SOURCES_CHANGE_CHOOSE_H

#include <stddef.h>

#include "base/err.h"
#include "sources/live/live.h"
#include "sources/live/scope.h"

struct auxset;
struct privilege;

/*
 * Choose the events of -e, --ftrace, --off-cpu and --between, with their rates.  `why` gets the
 * parts of --off-cpu that are not possible, in words.
 */
int choose_events(const struct measure_config *c, struct event_list *list,
		  struct between_plan *between, char *why, size_t size, struct err *err);

/* Choose the counted events of -S. */
int choose_counted(const struct measure_config *c, struct scope *sc, struct err *err);

/* Read the CPUs online, and choose those watched. */
int choose_cpus(const struct measure_config *c, struct scope *sc, struct err *err);

/*
 * Add the children of -p that run already to the target; needs the target, the events, the CPUs and
 * the limit of descriptors.
 */
void choose_children(const struct measure_config *c, struct scope *sc);

/* Choose forward or overwritable rings; needs the events. */
int choose_overwrite(const struct measure_config *c, struct scope *sc, struct err *err);

/* Choose the rings, when target, events and call graph are known. */
int choose_rings(const struct measure_config *c, const struct privilege *p, struct scope *sc,
		 struct err *err);

/* Create the AUX event if one is wanted, else *aux stays; it is the caller's. Needs the rings. */
int choose_aux(const struct measure_config *c, const struct privilege *p, struct scope *sc,
	       struct auxset **aux, struct err *err);

#endif
