/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * open - perf_event_open, and what this kernel offers of it.  Threads: any.
 */
#ifndef RINGTOP_CAPTURE_OPEN_H
#define RINGTOP_CAPTURE_OPEN_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* A file descriptor (close-on-exec) or -errno. */
int perf_open(struct perf_event_attr *attr, pid_t pid, int cpu);

/* The same as a member of the group that `leader` leads; -1: of none. */
int perf_open_group(struct perf_event_attr *attr, pid_t pid, int cpu, int leader);

/* Newer features of the kernel, found by trying. */
struct perf_features {
	bool format_lost; /* PERF_FORMAT_LOST, 6.0 */
	bool ksymbol;     /* 5.1 */
	bool comm_exec;   /* 3.16 */
};

void perf_features_probe(struct perf_features *f);

struct perf_count {
	uint64_t value;            /* in the event's unit */
	uint64_t enabled, running; /* ns */
	uint64_t lost;             /* samples that found no room; 0 without format_lost */
};

/* The read_format that perf_read understands. */
uint64_t perf_read_format(const struct perf_features *f);

/* Read one counter opened with that format.  0 or -errno. */
int perf_read(int fd, const struct perf_features *f, struct perf_count *c);

#endif
