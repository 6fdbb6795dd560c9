/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracedat_comms - current name of each task of a trace.dat, so that only changes are reported, and
 * only for tasks with records: the file's list of names may have all tasks of a machine.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_SOURCES_FTRACE_TRACEDAT_COMMS_H
#define RINGTOP_SOURCES_FTRACE_TRACEDAT_COMMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/budget.h"
#include "sources/ftrace/tracedat_events.h"

struct tracedat_comm;

struct tracedat_comms { /* zeroed: empty */
	struct tracedat_comm *slots;
	size_t nr, size; /* a power of two */
	uint64_t refused; /* names of the file's list that found no room */
};

/*
 * Set a task's name from now on (TRACEDAT_COMM bytes, zeros behind the name). Return true if that
 * is new; always true if there is no room to note it.
 */
bool tracedat_comms_set(struct tracedat_comms *c, struct budget *b, uint32_t tid, const char *comm);

/*
 * Note a task's name from the file's list, to be reported by tracedat_comms_ask. Counted in
 * `refused` if there is no room.
 */
void tracedat_comms_know(struct tracedat_comms *c, struct budget *b, uint32_t tid,
			 const char *comm);

/*
 * Return the noted name of a task when its first record comes: TRACEDAT_COMM bytes, borrowed; NULL:
 * none, or reported before.
 */
const char *tracedat_comms_ask(struct tracedat_comms *c, uint32_t tid);
void tracedat_comms_clear(struct tracedat_comms *c);

#endif
