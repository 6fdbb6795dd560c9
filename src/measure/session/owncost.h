/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * owncost - what our own CPU time is for: that of each thread by its name, and of the helpers.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_MEASURE_SESSION_OWNCOST_H
#define RINGTOP_MEASURE_SESSION_OWNCOST_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/slice/slice.h"

struct owncost_thread {
	pid_t tid;
	uint8_t cause;  /* enum self_cause */
	uint8_t seen;   /* the look that it was seen in */
	uint64_t cpu_ns;
};

/* Zeroed to begin with. */
struct owncost {
	struct owncost_thread *threads;
	size_t nr, cap;
	uint8_t look;
	uint64_t helpers_ns[FENCE_PROCESSES];
	uint64_t cost_ns[SELF_CAUSES]; /* between the last two looks */
};

void owncost_clear(struct owncost *o);

/* Look at all threads; the helpers are as they were found just now.  The first look tells of all that was so far. */
void owncost_look(struct owncost *o, const struct fence_figures helpers[FENCE_PROCESSES]);

/* What most of it was for. */
enum self_cause owncost_most(const struct owncost *o);

/* The part of it, 0..1, that samples cause: less of them cost less. */
double owncost_borne(const struct owncost *o);

/* What a thread of this name does. */
enum self_cause owncost_cause(const char *comm);

#endif
