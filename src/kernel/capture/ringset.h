/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ringset - what is open on one CPU (or one thread): the events, and the two rings they write.
 *
 * Samples of all events go to one ring, sideband (MMAP2, COMM, FORK, EXIT, KSYMBOL) from dummy events
 * to a forward ring of its own, so that an overwritten sample ring never costs a map.
 *
 * Threads: one owner at a time, but for ringset_enable.
 */
#ifndef RINGTOP_KERNEL_CAPTURE_RINGSET_H
#define RINGTOP_KERNEL_CAPTURE_RINGSET_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "kernel/capture/open.h"
#include "kernel/capture/ring.h"
#include "kernel/capture/sharing.h"
#include "kernel/event/event.h"

struct auxevent; /* kernel/capture/auxevent.h */

struct ringset_config {
	struct perf_source *source;
	const struct auxevent *aux; /* leads the events that want its trace; NULL: none is open */
	const struct event_list *events;
	const pid_t *tids;  /* whose; a single -1: everybody */
	size_t ntids;
	bool by_cgroup;     /* the events, not the sideband, are of a cgroup's tasks alone: `cgroup` is its directory */
	int cgroup;
	bool inherit, enable_on_exec;
	/*
	 * The rings are opened before any event of the tids: those come by ringset_watch and
	 * ringset_count, and their counters may go again.
	 */
	bool by_task;
	/*
	 * EVENT_WAKING is of all tasks on the ring's CPU, whosever the others are: a task is mostly woken while others' tasks
	 * run, or by an interrupt of an idle CPU, and then no event of a task is hit.  Not where rings are per-thread.
	 */
	bool all_wakings;
	bool found;    /* the tids were found, not asked for: those that may not be measured are left out */
	bool overwrite;
	bool callchain;
	/*
	 * Other than 0: so many bytes of the user's stack and the registers of user_regs, instead of
	 * the user's part of the chain.
	 */
	uint32_t user_stack;
	uint64_t user_regs;
	/* Events whose way is auto: the session's, too.  While auto_stack is not 0, so many bytes beside their whole chain. */
	bool auto_paths;
	uint32_t auto_stack;
	uint32_t most_stack; /* the most of these and of what single events want instead */
	bool call_branches; /* the processor's branch records, as a stack of calls, beside the chain */
	uint16_t max_stack; /* addresses of a chain; 0: the kernel's limit */
	bool recorded; /* samples carry what perf.data wants of them: IDENTIFIER and CPU */
	bool exclude_kernel;
	bool switches; /* sideband: who runs, too */
	uint64_t sample_bytes, sideband_bytes;
	struct perf_features features;
};

struct counter {
	int fd;
	uint16_t event;
	pid_t tid;
	uint64_t id; /* of the kernel, found in a sample's IDENTIFIER */
	struct sharing_mark mark;
};

struct ringset {
	struct perf_source *source;
	int cpu; /* -1: per-thread */
	bool anchored;
	int anchor; /* by_task: fd of an event of our own that holds the sample ring and never counts */
	struct counter *counters; /* with rising ids */
	size_t ncounters, cap_counters;
	int *dummies; /* fds of the sideband events */
	pid_t *dummy_tids;
	uint64_t *dummy_ids; /* of the kernel */
	size_t ndummies, cap_dummies, cap_dummy_ids, cap_dummy_tids;
	bool watches_kernel; /* the first of them tells of the kernel's code, whoever loads it; the others do not */
	struct ring sample, sideband;
};

#define RINGSET_CALL_BRANCHES (PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK)
#define RINGSET_SIDEBAND_TYPE \
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)

/* Return true if the event is one of all tasks on a CPU, beside events that are not (all_wakings). */
static inline bool ringset_of_all(const struct ringset_config *c, const struct event *e)
{
	return c->all_wakings && e->role == EVENT_WAKING;
}

/* All that an event, and the sideband's, are opened with. */
void ringset_sample_attr(const struct ringset_config *c, unsigned event, struct perf_event_attr *a);
void ringset_sideband_attr(const struct ringset_config *c, struct perf_event_attr *a);

/* Can samples of the event carry counts, if they shall?  0; -EINVAL: not where it is inherited, on this kernel. */
int ringset_check_reading(const struct ringset_config *c, const struct event *e, struct err *err);

/*
 * Open all events of all tids on cpu, disabled; by_task: the sample ring alone.  Threads that are gone
 * by now are passed over; -ESRCH when all are.  -ENODEV where the CPU is offline.  On failure nothing
 * stays open.
 */
int ringset_open(struct ringset *rs, const struct ringset_config *c, int cpu, struct err *err);

/* Sideband of one more thread, or its counters (disabled).  -ESRCH when it is gone. */
int ringset_watch(struct ringset *rs, const struct ringset_config *c, pid_t tid, struct err *err);
int ringset_count(struct ringset *rs, const struct ringset_config *c, pid_t tid, struct err *err);

/* Is a thread's sideband there, or are its counters? */
bool ringset_has(const struct ringset *rs, pid_t tid, bool counters);

/*
 * Close the counters of these threads, which their children have inherited, among those from index
 * `from` on.  Where the rings are by_task.
 */
void ringset_drop(struct ringset *rs, size_t from, const pid_t *tids, size_t nr);

/*
 * Close the events that are of all tasks beside others (ringset_of_all), which end with their CPU, and return how many
 * they were.  ringset_open_of_all opens them again, disabled: 0 or -errno.
 */
size_t ringset_drop_of_all(struct ringset *rs, const struct ringset_config *c);
int ringset_open_of_all(struct ringset *rs, const struct ringset_config *c, struct err *err);

/* Read one of its counters.  0 or -errno. */
int ringset_read(const struct ringset *rs, const struct ringset_config *c, size_t i, struct perf_count *count);

/*
 * Read the times of a thread's witness (kernel/capture/sharing.h), which is its sideband's event: *hint is where that was
 * found among them, or a guess.  0 or -errno; -ESRCH where the thread has none.
 */
int ringset_read_witness(const struct ringset *rs, const struct ringset_config *c, pid_t tid, size_t *hint,
			 struct perf_count *count);

/* What to do where there is no memory for a ring of that size: its bound, and what memory there is. */
void ringset_advise_size(uint64_t size, struct err *err);

/* The calling thread onto the CPU of its rings.  0 or -errno. */
int ringset_pin(const struct ringset_config *c, int cpu);

/* Let the kernel write no samples for a moment, or write again. */
void ringset_pause(const struct ringset *rs, bool on);

/* Start or stop the counting of all events; sideband goes on.  May run beside a reader. */
void ringset_enable(const struct ringset *rs, bool on);

/* The same of its first `nr` counters; of all where there are fewer. */
void ringset_enable_first(const struct ringset *rs, size_t nr, bool on);

void ringset_close(struct ringset *rs);

/* The same for all but the sideband, which is still to be read. */
void ringset_close_samples(struct ringset *rs);

#endif
