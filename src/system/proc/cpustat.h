/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpustat - the files of cgroups' CPU quotas, and their contents.
 *
 * Threads: any; no state but the caller's.
 */
#ifndef RINGTOP_SYSTEM_PROC_CPUSTAT_H
#define RINGTOP_SYSTEM_PROC_CPUSTAT_H

#include <stdbool.h>
#include <stdint.h>

#define CPUSTAT_PATH 1024

/* A hierarchy that shares out CPU time; both "" where it is not mounted. */
struct cpustat_mount {
	char at[CPUSTAT_PATH];   /* where it is mounted */
	char root[CPUSTAT_PATH]; /* the cgroup mounted there; "/": all are below */
};

enum cpustat_version { CPUSTAT_V1, CPUSTAT_V2, CPUSTAT_VERSIONS };

/* Find the first mounts in the text of /proc/self/mountinfo, which is modified. */
void cpustat_mounts(char *text, struct cpustat_mount mounts[CPUSTAT_VERSIONS]);

/* Find the mounts in /proc/self/mountinfo; both "" if it cannot be read. */
void cpustat_find(struct cpustat_mount mounts[CPUSTAT_VERSIONS]);

/*
 * Write the path of a cgroup's file, from its path in /proc/PID/cgroup.  Return false if it is not
 * below the mount, or too long.
 */
bool cpustat_path(const struct cpustat_mount *mount, const char *cgroup, char *path, unsigned size);

/* Counts since the cgroup was made. */
struct cpustat {
	uint64_t periods, throttled, ns;
};

/* Parse a file's text, which is modified.  Return false if it has nothing of quotas. */
bool cpustat_parse(char *text, struct cpustat *s);

/* Read a file.  0; -ENODATA: it has nothing of quotas; -errno. */
int cpustat_read(const char *path, struct cpustat *s);

#endif
