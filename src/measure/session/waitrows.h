/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * waitrows - waits and runs of threads to rows of the events of --off-cpu, of rings and files
 * alike.
 *
 * Threads: pure; the caller's.
 */
#ifndef RINGTOP_MEASURE_SESSION_WAITROWS_H
#define RINGTOP_MEASURE_SESSION_WAITROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/event/event.h"
#include "measure/session/waits.h"
#include "core/table/table.h"

/* Time that ended at `time`; sample: it is not a part of what was told before.  Nothing is kept of
 * what it gets. */
typedef void waitrows_add(void *arg, enum event_role role, const struct table_key *whose,
			  const struct waits_path *p, uint64_t ns, uint64_t time, bool sample);

void waitrows_wait(waitrows_add *add, void *arg, const struct wait *w);
void waitrows_ran(waitrows_add *add, void *arg, const struct run *r);

#endif
