/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpustat - where the files of cgroups' CPU quotas are, and what they say.
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
	char root[CPUSTAT_PATH]; /* which of its cgroups that is; "/": all are below */
};

enum cpustat_version { CPUSTAT_V1, CPUSTAT_V2, CPUSTAT_VERSIONS };

/* Out of the text of /proc/self/mountinfo, which is cut up; the first one of each. */
void cpustat_mounts(char *text, struct cpustat_mount mounts[CPUSTAT_VERSIONS]);

/* The same from there. */
void cpustat_find(struct cpustat_mount mounts[CPUSTAT_VERSIONS]);

/* The file of a cgroup by its path in /proc/PID/cgroup.  False: it is not below the mount, or too long. */
bool cpustat_path(const struct cpustat_mount *mount, const char *cgroup, char *path, unsigned size);

/* Counts since the cgroup was made. */
struct cpustat {
	uint64_t periods, throttled, ns;
};

/* Of a file's text, which is cut up.  False: it says nothing of quotas. */
bool cpustat_parse(char *text, struct cpustat *s);

/* 0; -ENODATA: it says nothing of quotas; -errno. */
int cpustat_read(const char *path, struct cpustat *s);

#endif
