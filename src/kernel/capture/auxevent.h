/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * auxevent - an AUX event open on one CPU (or for one thread): its small forward ring, for AUX and
 * ITRACE_START records, and its AUX area.
 *
 * Opened disabled, then mapped, then enabled: mapped later, it would not trace.  The mapping holds the
 * event alive, so closing is not done before both maps are gone.
 *
 * Threads: one owner at a time.
 */
#ifndef RINGTOP_KERNEL_CAPTURE_AUXEVENT_H
#define RINGTOP_KERNEL_CAPTURE_AUXEVENT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "kernel/capture/auxarea.h"
#include "kernel/capture/ring.h"
#include "kernel/capture/ringset.h"
#include "kernel/event/event.h"

#define AUXEVENT_RING (64u << 10) /* 1024 AUX records of 64 bytes */

/* Of every record in its ring, as a trailer. */
#define AUXEVENT_TYPE (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | \
		       PERF_SAMPLE_IDENTIFIER)

struct auxevent {
	struct perf_source *source;
	int cpu; /* -1: per-thread */
	int *fds;
	pid_t *tids; /* whose, one by one */
	size_t nfds, cap_fds, cap_tids;
	struct ring ring;
	struct auxarea area; /* page NULL: not open */
};

/* The attribute it is opened with: e's and what a session needs. */
void auxevent_attr(const struct event *e, const struct ringset_config *c, uint64_t size,
		   bool snapshot, struct perf_event_attr *a);

/*
 * Open e for c's tids on `cpu` with an area of `size` bytes.  -ENODEV: the CPU is offline; -ESRCH: all
 * threads are gone; -EOPNOTSUPP: the PMU has no AUX area; -EBUSY: somebody else uses it.  On failure
 * nothing stays open.
 */
int auxevent_open(struct auxevent *a, const struct event *e, const struct ringset_config *c, int cpu,
		  uint64_t size, bool snapshot, struct err *err);

/* One more thread into the open ring and area.  -ESRCH when it is gone. */
int auxevent_add(struct auxevent *a, const struct event *e, const struct ringset_config *c, pid_t tid,
		 struct err *err);

/* The number among the kernel's events of the i'th of its fds; 0: it is not open. */
uint64_t auxevent_id(const struct auxevent *a, size_t i);

/* The open event of a tid (-1: everybody), to lead a group; -1: there is none. */
int auxevent_leader(const struct auxevent *a, pid_t tid);

/* Why an event could not join that group.  -code. */
int auxevent_explain_member(int code, const struct event *e, bool leader, struct err *err);

void auxevent_enable(const struct auxevent *a, bool on);
void auxevent_close(struct auxevent *a);

#endif
