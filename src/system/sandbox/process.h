/* SPDX-License-Identifier: GPL-2.0-or-later */
/* process - the kinds of helpers, and their limits.  Known to both sides.  Threads: any. */
#ifndef RINGTOP_SYSTEM_SANDBOX_PROCESS_H
#define RINGTOP_SYSTEM_SANDBOX_PROCESS_H

#include <stdint.h>

#include "system/sandbox/sandbox.h"

#define PROCESS_ARGUMENTS 5 /* program, HELPER_ARGUMENT, name, --max-memory in bytes, uid */
#define PROCESS_USER	  "ringtop" /* user whose uid a helper of root takes, where there is one */
#define PROCESS_NOBODY	  65534

struct process_kind {
	const char *name, *comm;
	unsigned seconds; /* CPU time of one request; PROCESS_PATIENCE times as many by the clock */
	int nice;
	uint64_t memory;  /* most bytes; less by --max-memory */
	uint64_t files;   /* bytes of files that may be mapped beside it */
};

#define PROCESS_PATIENCE 3

extern const struct process_kind process_kinds[SANDBOX_PROCESSES];

const struct process_kind *process_kind_named(const char *name); /* or NULL */
enum sandbox_process process_of(enum sandbox_job job);

/* Return how many bytes it may allocate, for itself and for the bytes it reads. */
uint64_t process_memory(const struct process_kind *kind);

/* Set the priority of this kind for the calling process. */
void process_lower(const struct process_kind *kind);

#endif
