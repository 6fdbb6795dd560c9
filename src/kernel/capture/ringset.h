/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ringset - the events open on one CPU (or for some threads), and the two rings that they write.
 *
 * Samples of all events go to one ring, sideband (MMAP2, COMM, FORK, EXIT, KSYMBOL) from dummy
 * events to a forward ring of its own, so that an overwritten sample ring never loses a map.
 *
 * Threads: one owner at a time, except for ringset_enable.
 */
#ifndef RINGTOP_KERNEL_CAPTURE_RINGSET_H
#define RINGTOP_KERNEL_CAPTURE_RINGSET_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "kernel/capture/open.h"
#include "kernel/capture/ring.h"
#include "kernel/capture/multiplex.h"
#include "kernel/event/event.h"

struct auxevent; /* kernel/capture/auxevent.h */

struct ringset_config {
	struct perf_source *source;
	/* leader of the events that use its trace; NULL: none is open */
	const struct auxevent *aux;
	const struct event_list *events;
	const pid_t *tids;  /* threads to measure; a single -1: all threads */
	size_t ntids;
	/* measure only tasks of a cgroup (not for sideband); `cgroup` is its open directory */
	bool by_cgroup;
	int cgroup;
	bool inherit, enable_on_exec;
	/*
	 * The rings are opened before any event of the tids: ringset_watch and ringset_count add
	 * events later, and counters may be removed again.
	 */
	bool by_task;
	/*
	 * EVENT_WAKING is opened for all tasks on the ring's CPU, even if other events are not: a
	 * task is mostly woken while other tasks run, or by an interrupt of an idle CPU, where an
	 * event of the task is not hit. Not for per-thread rings.
	 */
	bool all_wakings;
	/* tids were found by search, not given: leave out threads that may not be measured */
	bool found;
	bool overwrite;
	bool callchain;
	/*
	 * Not 0: copy this many bytes of the user's stack, and the registers of user_regs, instead
	 * of the user's part of the chain.
	 */
	uint32_t user_stack;
	uint64_t user_regs;
	/*
	 * Events with automatic choice of call paths, the session's default included. If auto_stack
	 * is not 0, their samples have this many bytes of stack beside the whole chain.
	 */
	bool auto_paths;
	uint32_t auto_stack;
	/*
	 * Not 0: so many bytes of the stack, and the registers of piece_regs, beside the chains
	 * that follow frame pointers.  perf, which reads recordings, would take them for a whole
	 * stack, so recorded samples have none.
	 */
	uint32_t piece;
	uint64_t piece_regs;
	uint32_t most_stack; /* maximum of the above and of the stack sizes of single events */
	bool call_branches; /* the processor's branch records, as a call stack, beside the chain */
	uint16_t max_stack; /* maximum number of addresses in a chain; 0: the kernel's limit */
	bool recorded; /* samples have the fields that perf.data needs: IDENTIFIER and CPU */
	bool exclude_kernel;
	bool switches; /* sideband has context switches, too */
	uint64_t sample_bytes, sideband_bytes;
	struct perf_features features;
};

struct counter {
	int fd;
	uint16_t event;
	pid_t tid;
	uint64_t id; /* the kernel's, also in a sample's IDENTIFIER */
	struct multiplex_mark mark;
};

struct ringset {
	struct perf_source *source;
	int cpu; /* -1: per-thread */
	bool anchored;
	int anchor; /* by_task: fd of a dummy event that holds the sample ring and never counts */
	struct counter *counters; /* ids rise */
	size_t ncounters, cap_counters;
	int *dummies; /* fds of the sideband events */
	pid_t *dummy_tids;
	uint64_t *dummy_ids; /* the kernel's ids */
	size_t ndummies, cap_dummies, cap_dummy_ids, cap_dummy_tids;
	/* the first dummy, and no other, reports all changes of kernel code on this CPU */
	bool watches_kernel;
	struct ring sample, sideband;
};

#define RINGSET_CALL_BRANCHES (PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK)
#define RINGSET_SIDEBAND_TYPE \
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)

/*
 * Return true if the event is opened for all tasks on a CPU, beside events that are not
 * (all_wakings).
 */
static inline bool ringset_of_all(const struct ringset_config *c, const struct event *e)
{
	return c->all_wakings && e->role == EVENT_WAKING;
}

/* Set *a to the complete attribute of an event, or of a sideband event. */
void ringset_sample_attr(const struct ringset_config *c, unsigned event, struct perf_event_attr *a);
void ringset_sideband_attr(const struct ringset_config *c, struct perf_event_attr *a);

/*
 * Check that samples of the event can carry counts, if the user wants that. Return 0, or -EINVAL:
 * an inherited event cannot on this kernel.
 */
int ringset_check_reading(const struct ringset_config *c, const struct event *e, struct err *err);

/*
 * Open all events of all tids on cpu, disabled; by_task: only the sample ring and events of all
 * tasks. Threads that are gone are skipped. Return 0, -ESRCH (all are gone), -ENODEV (the CPU is
 * offline), other -errno with err. On failure nothing stays open.
 */
int ringset_open(struct ringset *rs, const struct ringset_config *c, int cpu, struct err *err);

/*
 * Open the sideband events of one more thread, or its counters (disabled). Return 0, -ESRCH if it
 * is gone, other -errno with err.
 */
int ringset_watch(struct ringset *rs, const struct ringset_config *c, pid_t tid, struct err *err);
int ringset_count(struct ringset *rs, const struct ringset_config *c, pid_t tid, struct err *err);

/* Return true if a thread's counters are open; counters false: its sideband events. */
bool ringset_has(const struct ringset *rs, pid_t tid, bool counters);

/*
 * Close the counters of these threads, which their children have inherited, among those from index
 * `from` on. Only with by_task.
 */
void ringset_drop(struct ringset *rs, size_t from, const pid_t *tids, size_t nr);

/*
 * Close the events of all tasks (ringset_of_all), which end with their CPU, and return their
 * number. ringset_open_of_all opens them again, disabled: 0 or -errno.
 */
size_t ringset_drop_of_all(struct ringset *rs, const struct ringset_config *c);
int ringset_open_of_all(struct ringset *rs, const struct ringset_config *c, struct err *err);

/* Read counter i. Return 0 or -errno. */
int ringset_read(const struct ringset *rs, const struct ringset_config *c, size_t i,
		 struct perf_count *count);

/*
 * Read the times of a thread's witness (kernel/capture/multiplex.h), its sideband event. *hint is
 * the index where to search first, and where it was found. Return 0 or -errno; -ESRCH if the thread
 * has none.
 */
int ringset_read_witness(const struct ringset *rs, const struct ringset_config *c, pid_t tid,
			 size_t *hint, struct perf_count *count);

/*
 * Advise in err on a ring of `size` bytes that did not get memory: the kernel's limit, and the
 * machine's memory.
 */
void ringset_advise_size(uint64_t size, struct err *err);

/* Bind the calling thread to the CPU of its rings. Return 0 or -errno. */
int ringset_pin(const struct ringset_config *c, int cpu);

/* Stop the kernel from writing samples for a moment, or let it go on. */
void ringset_pause(const struct ringset *rs, bool on);

/* Start or stop the counting of all events; sideband continues. May run beside a reader. */
void ringset_enable(const struct ringset *rs, bool on);

/* Start or stop only the first `nr` counters, or all if there are fewer. */
void ringset_enable_first(const struct ringset *rs, size_t nr, bool on);

void ringset_close(struct ringset *rs);

/* Close everything but the sideband, which is still to be read. */
void ringset_close_samples(struct ringset *rs);

#endif
