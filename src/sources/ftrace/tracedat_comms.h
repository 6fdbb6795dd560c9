/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracedat_comms - what each task of a trace.dat is called now, so that only changes are told, and only of tasks that
 * records are of: the list of names may have all of a machine's.
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

struct tracedat_comms { /* zeroed: of nobody */
	struct tracedat_comm *slots;
	size_t nr, size; /* a power of two */
	uint64_t refused; /* names of the list that there was no room for */
};

/*
 * It is called so from now on (TRACEDAT_COMM bytes, zeros behind the name): is that new?  Of whom there is no room for it
 * always is.
 */
bool tracedat_comms_set(struct tracedat_comms *c, struct budget *b, uint32_t tid, const char *comm);

/* The same, but it is told only once it is asked for. */
void tracedat_comms_know(struct tracedat_comms *c, struct budget *b, uint32_t tid, const char *comm);

/* What is to be told of a task that a record is of, once: TRACEDAT_COMM bytes; NULL: nothing. */
const char *tracedat_comms_ask(struct tracedat_comms *c, uint32_t tid);
void tracedat_comms_clear(struct tracedat_comms *c);

#endif
