/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counterset - events that are only counted, on one CPU or of one thread and what it forks.
 *
 * Those of a group of the user's are scheduled together, by the kernel.  All others that are software (they never
 * wait for hardware) are put together into groups of ours, so that one read tells of all of them: some 10 ns for
 * each event instead of a system call.  Kernels before 6.13 do not read groups that are inherited: there each is read
 * alone.
 * Source: perf_event_open(2); kernel/events/core.c, perf_event_read_group and perf_event_validate_size.
 *
 * Threads: one at a time.
 */
#ifndef RINGTOP_KERNEL_CAPTURE_COUNTERSET_H
#define RINGTOP_KERNEL_CAPTURE_COUNTERSET_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"
#include "kernel/capture/open.h"
#include "kernel/event/event.h"

struct counterset_config {
	struct perf_source *source;
	const struct event_list *events;
	bool exclude_kernel; /* no rights for more */
	bool inherit, enable_on_exec;
	bool by_cgroup;      /* tasks of this one alone, a directory that is open */
	int cgroup;
};

struct counterset;

/* Nothing is open yet.  cpu -1: wherever the thread runs; tid -1: all that run there.  NULL: out of memory. */
struct counterset *counterset_create(const struct counterset_config *c, int cpu, pid_t tid);

/*
 * Open all, disabled.  0; -ESRCH: the thread is gone; -ENODEV: the CPU is.  An event that is refused alone is no
 * failure: counterset_code says why.  What was counted before stays.
 */
int counterset_open(struct counterset *cs);

/* Why the event is not counted, as -errno of the last open; 0: it is, or none was tried. */
int counterset_code(const struct counterset *cs, unsigned event);

/* Is it counted, but not together with its group: a weak one, that the kernel did not take whole? */
bool counterset_split(const struct counterset *cs, unsigned event);

void counterset_enable(struct counterset *cs, bool on);

/* Read all.  On their own CPU that interrupts nobody.  What cannot be read stays as it was. */
void counterset_read(struct counterset *cs);

/* What has come together, since it was created, as of the last read; by event. */
const struct perf_count *counterset_sums(const struct counterset *cs);

/* How many system calls a read is. */
unsigned counterset_reads(const struct counterset *cs);

/* Read for the last time, and close. */
void counterset_close(struct counterset *cs);

void counterset_free(struct counterset *cs);

#endif
