/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * owncost - ringtop's own CPU time by cause: of each thread, by its name, and of the helpers.
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
	uint8_t seen;   /* owncost.look in which it was seen last */
	uint64_t cpu_ns;
};

/* Zeroed: empty. */
struct owncost {
	struct owncost_thread *threads;
	size_t nr, cap;
	uint8_t look; /* serial of the last look, wraps */
	uint64_t helpers_ns[SANDBOX_PROCESSES];
	uint64_t cost_ns[SELF_CAUSES]; /* by cause, between the last two looks */
};

void owncost_clear(struct owncost *o);

/* Update the costs, with the given figures of helpers.  The first look counts from the start. */
void owncost_look(struct owncost *o, const struct sandbox_figures helpers[SANDBOX_PROCESSES]);

/* Return the cause of most of the cost. */
enum self_cause owncost_most(const struct owncost *o);

/* Return the part of the cost, 0..1, that falls with fewer samples. */
double owncost_borne(const struct owncost *o);

/* Return the cause for a thread's name. */
enum self_cause owncost_cause(const char *comm);

#endif
