/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * switches - decodes the kernel's records of threads switched out, switched in and woken.
 *
 * Sources: the format files of sched_switch and sched_waking; include/linux/sched.h for the bits of
 * prev_state and include/linux/trace_events.h for those of common_flags.
 *
 * Records are from this kernel (live), or from a file of another one.
 *
 * Threads: switches_open from any; all else is pure and for readers: no allocation, no look-up.
 */
#ifndef RINGTOP_MEASURE_CONSUMERS_SWITCHES_H
#define RINGTOP_MEASURE_CONSUMERS_SWITCHES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "files/decode/record.h"
#include "kernel/event/event.h"
#include "measure/consumers/waits.h"
#include "measure/session/path.h"

/* Bits of prev_state, which kernels number differently: the idle bit meant dead before 4.14. */
struct switches_states {
	uint64_t ended, idle, disk, sleeping, stopped, preempted;
};

#define SWITCHES_CALLERS 32

/* A kernel function that calls the scheduler, at the addresses [from, to). */
struct switches_caller {
	uint64_t from, to;
	uint8_t state; /* enum wait_state of a thread that could have run on there */
};

/* Offsets in records, and addresses in the kernel. */
struct switches {
	/* Offsets in sched_switch's record, prev_pid's of 4 bytes; 0: there is none. */
	uint16_t prev_pid, prev_state;
	uint8_t state_size;            /* bytes of prev_state, a long of that kernel: 4 or 8 */
	struct switches_states states;
	uint16_t woken;                /* offset in sched_waking's record, of 4 bytes */
	uint64_t sched_from, sched_to; /* the scheduler's own text; both 0: not known */
	struct switches_caller caller[SWITCHES_CALLERS];
	unsigned ncallers;
};

enum switch_kind { SWITCH_OUT, SWITCH_IN, SWITCH_WAKING };

struct switch_said {
	uint8_t kind;   /* enum switch_kind */
	uint8_t state;  /* OUT: enum wait_state */
	bool ended;     /* OUT: the thread has ended */
	bool interrupt; /* WAKING: by an interrupt, not by the thread that it interrupted */
	uint32_t thread; /* tid of the switched or woken thread; 0: the idle thread */
};

/* The events derived from switches; told: only with tracepoints. */
#define SWITCHES_MADE 13
extern const struct switches_made {
	const char *name;
	enum event_role role;
	bool told;
} switches_made[SWITCHES_MADE];

/* Append the events to measure, and the derived ones.  Return 0, or -errno with err. */
int switches_events(struct event_list *list, bool tracepoints, struct err *err);

/* Read the formats of the list's tracepoints on this kernel.  Return 0, or -errno with err. */
int switches_open(struct switches *sw, const struct event_list *list, struct err *err);

/* Return the offset of a field of this name and size in a format file.  0: there is none. */
uint16_t switches_field(const char *format, const char *name, unsigned bytes);

/* Decode a sample, or a PERF_RECORD_SWITCH*.  False: it does not fit its format. */
bool switches_sample(const struct switches *sw, enum event_role role, const struct sample *s,
		     struct switch_said *to);
bool switches_record(const struct record_layout *l, const struct perf_event_header *h,
		     struct switch_said *to);

/* A switch or a waking, with the task whose record it is (0: an interrupt's) and its path. */
struct switch_seen {
	struct switch_said said; /* thread 0, unless it is a waking: there is nothing in it */
	uint64_t time;
	uint32_t pid, tid;
	struct waits_path path;
};

/*
 * Read a sample with path p, or a PERF_RECORD_SWITCH* that sched_switch does not say more of.  The
 * path is in `ips`, or borrowed.  False: it does not fit its format.
 */
bool switches_see_sample(const struct switches *sw, enum event_role role, const struct sample *s,
			 const struct path *p, uint64_t ips[TABLE_PATH_MAX],
			 struct switch_seen *to);
bool switches_see_record(const struct switches *sw, const struct record_layout *l,
			 const struct perf_event_header *h, uint64_t time, struct switch_seen *to);

/* Tell the waits; calls come in order of time. */
void switches_tell(const struct switches *sw, const struct switch_seen *seen, uint16_t cpu,
		   struct waits *w);

/* Return the path without the scheduler's own functions, in `ips` or borrowed from p. */
struct path switches_path(const struct switches *sw, const struct path *p,
			  uint64_t ips[TABLE_PATH_MAX]);

/* Return the interrupt's part of a path, without the interrupted user code. */
struct path switches_interrupt(const struct path *p);

#endif
