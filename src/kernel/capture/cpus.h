/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cpus - lists of CPUs: "0-3,7" in text, sorted numbers in memory.  Threads: one owner each. */
#ifndef RINGTOP_KERNEL_CAPTURE_CPUS_H
#define RINGTOP_KERNEL_CAPTURE_CPUS_H

#include <stdbool.h>

#include "base/err.h"

#define CPUS_MAX 8192 /* the kernel's CONFIG_NR_CPUS limit on x86-64 */

struct cpus {
	int *cpu; /* ascending, no duplicates */
	unsigned nr;
};

/* Parse a list. Return 0, -EINVAL (err has the wrong text), -ENOMEM. */
int cpus_parse(const char *text, struct cpus *c, struct err *err);

#define CPUS_ONLINE   "/sys/devices/system/cpu/online"
#define CPUS_POSSIBLE "/sys/devices/system/cpu/possible" /* constant while this kernel runs */

/* Read the list of CPUs in such a file. Return 0 or -errno. */
int cpus_read(const char *path, struct cpus *c, struct err *err);

/* Watch of such a file for changes. */
struct cpus_watch;

/* NULL: cannot be watched; the calls below accept NULL */
struct cpus_watch *cpus_watch(const char *path);
bool cpus_changed(struct cpus_watch *w);

/*
 * Return a descriptor that is readable when the kernel reports a device event, to sleep between
 * looks; -1: not available.
 */
int cpus_watch_fd(struct cpus_watch *w);
/* Drain the descriptor.  Return true if an event since the last call was of a CPU. */
bool cpus_told(struct cpus_watch *w);
void cpus_unwatch(struct cpus_watch *w);

bool cpus_has(const struct cpus *c, int cpu);

/* Add a CPU that is not in c. Return 0 or -ENOMEM. */
int cpus_add(struct cpus *c, int cpu);
void cpus_drop(struct cpus *c, unsigned i);
void cpus_clear(struct cpus *c);

/* Bind the calling thread to a CPU. Return 0 or -errno: forbidden by a cpuset, or it is offline. */
int cpus_pin(int cpu);

#endif
