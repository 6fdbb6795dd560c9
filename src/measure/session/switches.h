/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * switches - what the kernel says of who goes, who comes and who is woken, in words of our own.
 *
 * Sources: the format files of sched_switch and sched_waking; include/linux/sched.h for the bits of prev_state and
 * include/linux/trace_events.h for those of common_flags.
 *
 * This kernel says it (live), or a file of another.
 *
 * Threads: switches_open from any, the rest is pure and for readers: no allocation, no look-up.
 */
#ifndef RINGTOP_MEASURE_SESSION_SWITCHES_H
#define RINGTOP_MEASURE_SESSION_SWITCHES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "files/decode/record.h"
#include "kernel/event/event.h"
#include "measure/session/waits.h"
#include "measure/session/path.h"

/* Bits of prev_state, which kernels numbered differently: before 4.14 what is idle now was dead. */
struct switches_states {
	uint64_t ended, idle, disk, sleeping, stopped, preempted;
};

#define SWITCHES_CALLERS 32

/* A function of the kernel that calls the scheduler, from the first address to before the other. */
struct switches_caller {
	uint64_t from, to;
	uint8_t state; /* enum wait_state of who could have run on there */
};

/* Where things are. */
struct switches {
	uint16_t prev_pid, prev_state; /* offsets in sched_switch's record, the first of 4 bytes; 0: there is none */
	uint8_t state_size;            /* bytes of prev_state, a long of that kernel: 4 or 8 */
	struct switches_states states;
	uint16_t woken;                /* in sched_waking's, of 4 bytes */
	uint64_t sched_from, sched_to; /* the scheduler's own text; nothing: not known */
	struct switches_caller caller[SWITCHES_CALLERS];
	unsigned ncallers;
};

enum switch_kind { SWITCH_OUT, SWITCH_IN, SWITCH_WAKING };

struct switch_said {
	uint8_t kind;   /* enum switch_kind */
	uint8_t state;  /* OUT: enum wait_state */
	bool ended;     /* OUT: it will not come again */
	bool interrupt; /* WAKING: by an interrupt, not by the task that it came upon */
	uint32_t thread; /* who goes, comes or is woken; 0: nobody, the CPU idles */
};

/* The events that are made; told: by tracepoints alone. */
#define SWITCHES_MADE 13
extern const struct switches_made {
	const char *name;
	enum event_role role;
	bool told;
} switches_made[SWITCHES_MADE];

/* Append the events, and those that are made of them. */
int switches_events(struct event_list *list, bool tracepoints, struct err *err);

/* How these events say it here. */
int switches_open(struct switches *sw, const struct event_list *list, struct err *err);

/* This kernel's own text of the scheduler, and of those who call it without a wait. */
void switches_find_scheduler(struct switches *sw);

/* Take a line of kallsyms, in order of address.  False: nothing that is wanted comes behind it. */
bool switches_take_line(struct switches *sw, const char *line);

/* What a format file says of a field of so many bytes.  0: there is none such. */
uint16_t switches_field(const char *format, const char *name, unsigned bytes);

/* False: the record is not what the format says. */
bool switches_sample(const struct switches *sw, enum event_role role, const struct sample *s, struct switch_said *to);
bool switches_record(const struct record_layout *l, const struct perf_event_header *h, struct switch_said *to);

/*
 * Take prev_state's place, size and bits from the format of sched_switch.  False: it has no such field, of 4 or of 8
 * bytes.
 */
bool switches_take_state(struct switches *sw, const char *format);

/* enum wait_state of a prev_state; *ended: the thread is no more. */
uint8_t switches_state(const struct switches_states *states, uint64_t prev_state, bool *ended);

/*
 * Tell of one that could have run on whether it yielded or was taken off.  The kernel's own mark
 * (R+) is only on what is taken off within its code; on the way back to the program, where most is,
 * both are R, and the scheduler's caller tells.  Others meant to wait, and were woken before.
 */
void switches_tell_path(const struct switches *sw, const struct path *p, struct switch_said *said);

/* The path from where it entered the scheduler on, which may be in ips. */
struct path switches_path(const struct switches *sw, const struct path *p, uint64_t ips[TABLE_PATH_MAX]);

/* What of it is the interrupt's: not where that came upon a task. */
struct path switches_interrupt(const struct path *p);

#endif
