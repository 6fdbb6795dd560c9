/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * waitstate - decides in which state a thread waits after its switch-out (enum wait_state): by
 * prev_state, and by the function that called the scheduler where prev_state cannot tell.
 *
 * Threads: as switches.h.
 */
#ifndef RINGTOP_MEASURE_CONSUMERS_WAITSTATE_H
#define RINGTOP_MEASURE_CONSUMERS_WAITSTATE_H

#include <stdbool.h>
#include <stdint.h>

#include "measure/consumers/switches.h"

/*
 * Take prev_state's offset, size and bits from the format of sched_switch.  False: it has no such
 * field of 4 or 8 bytes.
 */
bool waitstate_take_format(struct switches *sw, const char *format);

/* Return the enum wait_state of a prev_state; *ended: the thread has ended. */
uint8_t waitstate_of(const struct switches_states *states, uint64_t prev_state, bool *ended);

/* Find this kernel's scheduler, and its callers that do not wait, in /proc/kallsyms. */
void waitstate_find_scheduler(struct switches *sw);

/* Take a line of kallsyms; lines come in order of address.  False: no later line is needed. */
bool waitstate_take_line(struct switches *sw, const char *line);

/*
 * Set the state of a thread that could have run on: yielded or preempted.  The kernel marks (R+)
 * only preemptions within its code; on the way back to the program, where most happen, both are R,
 * and the scheduler's caller is decisive.  Threads with other callers were about to wait, and were
 * woken before.
 */
void waitstate_tell_path(const struct switches *sw, const struct path *p, struct switch_said *said);

/*
 * Return the index in the path of the scheduler's caller; 0: there is no scheduler in it, or no
 * caller.
 */
uint16_t waitstate_behind_scheduler(const struct switches *sw, const struct path *p);

#endif
