/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hand - a model of slices that a test writes by hand: functions, call paths and tasks by name, rows and accounts as
 * said.
 *
 * The accounts of a slice come from its rows: what they have is attributed, and counted is that and what the test adds
 * (hand_account).  Nothing is drawn by lot, so that what a reader of the model must say of it can be written down.
 *
 * Threads: one owner.  What fails, fails the test.
 */
#ifndef RINGTOP_TESTS_HAND_H
#define RINGTOP_TESTS_HAND_H

#include <stdint.h>

#include "model/core/model.h"
#include "tests/synth_dict.h"

#define HAND_TICK_NS 100000000u /* ns of a slice */
#define HAND_EVENTS  8
#define HAND_CPUS    8

struct hand {
	struct model *m;
	struct slice *s; /* the one under way */
	struct session_info info;
	struct session_event events[HAND_EVENTS];
	struct synth_dict dict;
	struct hand_name *names; /* names that the dictionary has already */
	size_t nnames, cap_names;
	uint64_t addr;
	struct slice_account accounts[HAND_EVENTS][HAND_CPUS]; /* accounts of the slice under way */
	uint64_t pending[HAND_EVENTS][HAND_CPUS];		/* pending counts at the end of the one before */
};

/* One event, cpu-clock, on so many CPUs; live, of the whole machine.  The test may change what is in h->info. */
void hand_begin(struct hand *h, unsigned cpus);
void hand_free(struct hand *h);

/* Another event in ns.  Its number. */
unsigned hand_event(struct hand *h, const char *name);

/*
 * A call path, the outermost caller first: "main@/bin/app > work@/bin/app > read@[kernel]".  A function without a name is
 * "?@OBJECT": an address, whose object has no symbols, and says so.
 */
uint32_t hand_path(struct hand *h, const char *text);

/* A thread; its process's other threads have the same pid.  cgroup: a path, NULL: not known. */
uint32_t hand_task(struct hand *h, const char *comm, int32_t pid, int32_t tid, const char *cgroup);

struct hand_row {
	unsigned event, cpu;
	uint32_t task, path;
	uint32_t samples;
	uint64_t ns;
};

void hand_add(struct hand *h, const struct hand_row *row);

/*
 * Return the account of the slice under way.  Counts that are put into lost and unsampled are counted, too; pending are
 * those that have no sample at the end of this slice and of those that follow, until pending is put anew.
 */
struct slice_account *hand_account(struct hand *h, unsigned event, unsigned cpu);

/* A cgroup's CPU quota in the slice under way, as struct slice_throttle. */
void hand_throttle(struct hand *h, const char *cgroup, uint64_t periods, uint64_t throttled, uint64_t ns);

/* The slice under way ends after HAND_TICK_NS, and the model takes it. */
void hand_end(struct hand *h);

#endif
