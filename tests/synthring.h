/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * synthring - a made-up kernel behind kernel/capture/open.h: events, counters, rings and wake-ups in plain
 * memory, which do what a test says.
 *
 * It writes records as the kernel does: samples whenever a period ends, as the event's attr wants them;
 * backward over what is there, forward as far as data_tail lets it, with a LOST record when there is room
 * again; nothing into a ring that is paused.  Groups count while their leader does, and are read together.  An event of a CPU that goes offline is dead from then on: it
 * can be read, and its time stands still.
 *
 * What happened is known (struct synthring_truth), to hold against what is told of it.
 *
 * Threads: any.  A thread that is pinned to a CPU is never there at the same moment as what is written
 * there: it gives way in wait(), only.  With `stepping` nobody waits, and one thread does all.
 */
#ifndef RINGTOP_TESTS_SYNTHRING_H
#define RINGTOP_TESTS_SYNTHRING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "kernel/capture/open.h"

#define SYNTHRING_CPUS 8u

struct synthring_config {
	unsigned cpus;    /* 0 to cpus - 1, online; the first one stays so */
	bool format_lost; /* else the kernel is older than 6.0 */
	bool stepping;
	bool no_pin;      /* a cpuset forbids it */
	unsigned hardware; /* counters: so many events of PMUs fit into a group; 0: any number */
};

struct synthring;

/* What was done of one event (its config) on one CPU. */
struct synthring_truth {
	uint64_t counted; /* by counters that ran */
	uint64_t periods; /* that ended while they ran: each a sample, written or not */
	uint64_t written, refused, paused, throttled;
};

struct synthring *synthring_create(const struct synthring_config *c);
void synthring_free(struct synthring *s);
struct perf_source *synthring_source(struct synthring *s);

/* Events and rings that are open now: 0 when all was closed. */
unsigned synthring_open_count(struct synthring *s);

/*
 * A task counts n of the events of this config on a CPU, at an address, called from `depth` others: where
 * a period ends there is a sample.
 */
void synthring_count(struct synthring *s, int cpu, uint64_t config, pid_t tid, uint64_t n, uint64_t ip,
		     unsigned depth);

/* A MMAP2, COMM, FORK ... of a CPU's sideband: `len` bytes behind the header, a multiple of 8. */
void synthring_side(struct synthring *s, int cpu, uint32_t type, const void *body, uint16_t len);

/* From here on samples are left out, after a record that says so; or no more. */
void synthring_throttle(struct synthring *s, int cpu, bool on);

/* A driver that misses that its counters went round: from here on samples are left out, and nothing says so; or no more. */
void synthring_miss(struct synthring *s, int cpu, bool on);

/* Bytes in place of a record, in the sample ring of a CPU (a multiple of 8, below 1 KiB). */
void synthring_garble(struct synthring *s, int cpu, const void *bytes, uint16_t len);

void synthring_online(struct synthring *s, int cpu, bool on);

/* Events of the CPU that are opened from here on are never put on it: their time goes on, and they do not run. */
void synthring_starve(struct synthring *s, int cpu, bool on);

/*
 * Others hold the hardware: events of this config on the CPU have no counter from here on, do not count, and their
 * time goes on; or they have one again.  A pinned one is in error then until it is enabled anew: reading it is the end
 * of a file.
 */
void synthring_evict(struct synthring *s, int cpu, uint64_t config, bool on);

/* The thread has ended: its events say POLLHUP, and its children's part of them goes on. */
void synthring_exit(struct synthring *s, pid_t tid);

/* A child inherits what its parent has, with a period of its own.  False: an event has room for no more. */
bool synthring_fork(struct synthring *s, pid_t parent, pid_t child);

/* A pinned thread stays where it is in wait(), woken or not. */
void synthring_hold(struct synthring *s, int cpu, bool on);

/* perf's clock; it goes on by 1 with every record and every read, and jumps. */
void synthring_pass(struct synthring *s, uint64_t ns); /* time passes, and all that runs runs for so long */
void synthring_jump(struct synthring *s, int64_t by);

/* Every open (or map) from the `after`th from here on fails with this code, 0: none does. */
void synthring_fail_open(struct synthring *s, unsigned after, int code);
void synthring_fail_map(struct synthring *s, unsigned after, int code);

/*
 * A driver writes n bytes into the AUX area of a CPU's event, and tells of them; what finds no room is cut off
 * with TRUNCATED, and the event stands until it is stopped and started.  Bytes that went in.
 */
uint64_t synthring_aux(struct synthring *s, int cpu, uint64_t n);

struct synthring_truth synthring_truth(struct synthring *s, int cpu, uint64_t config);

#endif
