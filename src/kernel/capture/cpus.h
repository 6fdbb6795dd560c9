/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cpus - lists of CPUs: "0-3,7" in text, sorted numbers in memory.  Threads: one owner each. */
#ifndef RINGTOP_KERNEL_CAPTURE_CPUS_H
#define RINGTOP_KERNEL_CAPTURE_CPUS_H

#include <stdbool.h>

#include "base/err.h"

#define CPUS_MAX 8192 /* the kernel's CONFIG_NR_CPUS limit on x86-64 */

struct cpus {
	int *cpu; /* ascending, no doubles */
	unsigned nr;
};

/* 0, -EINVAL (the text at fault in err), -ENOMEM. */
int cpus_parse(const char *text, struct cpus *c, struct err *err);

#define CPUS_ONLINE   "/sys/devices/system/cpu/online"
#define CPUS_POSSIBLE "/sys/devices/system/cpu/possible" /* while this kernel runs */

/* The CPUs that such a file names.  -errno of reading it. */
int cpus_read(const char *path, struct cpus *c, struct err *err);

/* Look whether such a file has changed since the last look; the first look says no. */
struct cpus_watch;

struct cpus_watch *cpus_watch(const char *path); /* NULL: cannot be watched; the calls below allow it */
bool cpus_changed(struct cpus_watch *w);

/* For who sleeps between looks: readable when the kernel tells of a device; -1: it tells us nothing. */
int cpus_watch_fd(struct cpus_watch *w);
bool cpus_told(struct cpus_watch *w); /* what it told since the last call was of a CPU */
void cpus_unwatch(struct cpus_watch *w);

bool cpus_has(const struct cpus *c, int cpu);

/* Add one that is not in c.  0 or -ENOMEM. */
int cpus_add(struct cpus *c, int cpu);
void cpus_drop(struct cpus *c, unsigned i);
void cpus_clear(struct cpus *c);

/* The calling thread onto one CPU.  0 or -errno: a cpuset that forbids it, a CPU that is offline. */
int cpus_pin(int cpu);

#endif
