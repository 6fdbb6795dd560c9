/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * auxevent - an AUX event open on one CPU (or for some threads): its small forward ring, for AUX
 * and ITRACE_START records, and its AUX area.
 *
 * Opened disabled, then mapped, then enabled: if it were mapped later, it would not trace. The
 * mapping keeps the event alive, so both maps are removed before it is closed.
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

/* sample_id fields at the end of every record in its ring. */
#define AUXEVENT_TYPE (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | \
		       PERF_SAMPLE_IDENTIFIER)

struct auxevent {
	struct perf_source *source;
	int cpu; /* -1: per-thread */
	int *fds;
	pid_t *tids; /* threads of the fds, by the same index */
	size_t nfds, cap_fds, cap_tids;
	struct ring ring;
	struct auxarea area; /* page NULL: not open */
};

/* Set *a to the attribute for opening: e's own, with the fields that a session needs. */
void auxevent_attr(const struct event *e, const struct ringset_config *c, uint64_t size,
		   bool snapshot, struct perf_event_attr *a);

/*
 * Open e for c's tids on `cpu` with an area of `size` bytes. Return 0, -ENODEV (the CPU is
 * offline), -ESRCH (all threads are gone), -EOPNOTSUPP (the PMU has no AUX area), -EBUSY (another
 * tool uses it), other -errno with err. On failure nothing stays open.
 */
int auxevent_open(struct auxevent *a, const struct event *e, const struct ringset_config *c,
		  int cpu, uint64_t size, bool snapshot, struct err *err);

/*
 * Open e for one more thread, into the open ring and area. Return 0, -ESRCH if the thread is gone,
 * other -errno with err.
 */
int auxevent_add(struct auxevent *a, const struct event *e, const struct ringset_config *c,
		 pid_t tid, struct err *err);

/* Return the kernel's id of the event with the i-th fd; 0: not open. */
uint64_t auxevent_id(const struct auxevent *a, size_t i);

/* Return the fd of the event opened for a tid (-1: all threads), to lead a group; -1: none. */
int auxevent_leader(const struct auxevent *a, pid_t tid);

/*
 * Fill err for an event that could not join the AUX event's group, of which there is none without
 * `leader`. Return -errno.
 */
int auxevent_explain_member(int code, const struct event *e, bool leader, struct err *err);

void auxevent_enable(const struct auxevent *a, bool on);
void auxevent_close(struct auxevent *a);

#endif
