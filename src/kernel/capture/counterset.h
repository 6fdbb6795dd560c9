/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counterset - events that are only counted, on one CPU or of one thread and its children.
 *
 * The kernel schedules the events of a user's group together. All other software events (they never
 * wait for hardware) are put into groups of ours, so that one read returns all of them: about 10 ns
 * for each event instead of a system call. Kernels before 6.13 do not read inherited groups: there
 * each event is read alone.
 * Source: perf_event_open(2); kernel/events/core.c, perf_event_read_group and
 * perf_event_validate_size.
 *
 * Threads: one at a time.
 */
#ifndef RINGTOP_KERNEL_CAPTURE_COUNTERSET_H
#define RINGTOP_KERNEL_CAPTURE_COUNTERSET_H

#include <stdbool.h>
#include <sys/types.h>

#include "kernel/capture/open.h"
#include "kernel/event/event.h"

struct counterset_config {
	struct perf_source *source;
	const struct event_list *events;
	bool exclude_kernel; /* no rights to measure the kernel */
	bool inherit, enable_on_exec;
	bool by_cgroup;      /* only tasks of the cgroup; `cgroup` is its open directory */
	int cgroup;
};

struct counterset;

/*
 * Create a set with nothing open. cpu -1: any CPU; tid -1: all threads on the CPU. c's events and
 * source are borrowed. NULL: out of memory.
 */
struct counterset *counterset_create(const struct counterset_config *c, int cpu, pid_t tid);

/*
 * Open all events, disabled. Return 0, -ESRCH (the thread is gone), -ENODEV (the CPU is gone). A
 * single event that is refused is no failure: see counterset_code. Earlier counts are kept.
 */
int counterset_open(struct counterset *cs);

/* Return the -errno of the event's last open; 0: it is counted, or was not tried. */
int counterset_code(const struct counterset *cs, unsigned event);

/* Return true if a weak event is counted alone, as the kernel did not accept its whole group. */
bool counterset_split(const struct counterset *cs, unsigned event);

void counterset_enable(struct counterset *cs, bool on);

/*
 * Read all events. On their own CPU that needs no interrupt of another one. A count that cannot be
 * read keeps its last value.
 */
void counterset_read(struct counterset *cs);

/* Return the totals since creation, as of the last read; by event. */
const struct perf_count *counterset_sums(const struct counterset *cs);

/* Return the number of system calls of one read. */
unsigned counterset_reads(const struct counterset *cs);

/* Read a last time, and close all events. */
void counterset_close(struct counterset *cs);

void counterset_free(struct counterset *cs);

#endif
