/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * waitrows - makes rows of --off-cpu's events from threads' waits and runs, for rings and files
 * alike.
 *
 * Threads: pure, any.
 */
#ifndef RINGTOP_MEASURE_CONSUMERS_WAITROWS_H
#define RINGTOP_MEASURE_CONSUMERS_WAITROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/event/event.h"
#include "measure/consumers/waits.h"
#include "core/table/table.h"

/*
 * Add `ns` that ended at `time`.  sample: count a sample; false: more time of an earlier one.
 * Arguments are borrowed during the call.
 */
typedef void waitrows_add(void *arg, enum event_role role, const struct table_key *whose,
			  const struct waits_path *p, uint64_t ns, uint64_t time, bool sample);

struct waitrows {
	waitrows_add *add;
	void *arg;
};

/* Return the sink by which waits add their rows to `to`, which is borrowed. */
struct waits_sink waitrows_sink(const struct waitrows *to);

#endif
