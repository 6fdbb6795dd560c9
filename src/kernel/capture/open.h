/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * open - where events come from: the kernel, or what stands in for it; and what it offers.
 *
 * An event is a file descriptor.  Its ring and its counters are asked for here once; a ring is memory
 * from then on, and nothing of this is on the way of a sample.
 *
 * Threads: any.
 */
#ifndef RINGTOP_KERNEL_CAPTURE_OPEN_H
#define RINGTOP_KERNEL_CAPTURE_OPEN_H

#include <linux/perf_event.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

struct perf_source;
struct privilege; /* kernel/capture/privilege.h */

/* Each returns -errno where it fails. */
struct perf_ops {
	/*
	 * perf_event_open: a file descriptor, close-on-exec.  leader: of the group, -1: of none.  flags:
	 * PERF_FLAG_PID_CGROUP, where tid is a cgroup's directory.
	 */
	int (*open)(struct perf_source *s, struct perf_event_attr *attr, pid_t tid, int cpu, int leader,
		    unsigned long flags);
	void (*close)(struct perf_source *s, int fd);
	/* PERF_EVENT_IOC_*: a number, or a pointer, as `arg`. */
	int (*control)(struct perf_source *s, int fd, unsigned long request, uintptr_t arg);
	/* Its counters, as the event's read_format has them: the bytes read. */
	ssize_t (*read)(struct perf_source *s, int fd, void *buf, size_t len);
	/* Its ring from offset 0, its AUX area behind that. */
	int (*map)(struct perf_source *s, int fd, size_t len, bool writable, uint64_t offset, void **base);
	void (*unmap)(struct perf_source *s, void *base, size_t len);
	/* poll, of events and other descriptors: POLLIN is told once, POLLHUP for ever. */
	int (*wait)(struct perf_source *s, struct pollfd *fds, nfds_t nr, int timeout_ms);
	/* The calling thread onto a CPU, where no record of its rings is half written while it looks. */
	int (*pin)(struct perf_source *s, int cpu);
	/* What may be measured. */
	void (*rights)(struct perf_source *s, struct privilege *p);
};

struct perf_source {
	const struct perf_ops *ops;
	const char *online, *possible; /* files: the CPUs that are online, and that can ever be */
};

extern struct perf_source perf_kernel;

struct event;      /* kernel/event/event.h */
struct event_list;

/*
 * ops->open of an event with this attribute; again without leaving guests out, where the PMU refuses that and nobody
 * asked for it.  Its filter is set before anybody can enable it; where the kernel refuses that, so is the event.
 */
int perf_open_event(struct perf_source *s, const struct event *e, struct perf_event_attr *attr, pid_t tid, int cpu,
		    int leader, unsigned long flags);

/*
 * Fill err for perf_open_event failing with `code` on `what`; -code.  Tells apart what the kernel counts but takes no
 * samples of, for taking one would hit it again (irq_vectors:irq_work_exit, TRACE_EVENT_PERF_PERM): it is tried.
 */
int perf_explain_open(struct perf_source *s, int code, const struct perf_event_attr *attr, pid_t tid, int cpu,
		      const char *what, struct err *err);

/* Does the kernel take the events' filters?  Each is tried on the calling thread.  0; -EINVAL, explained; -ENOMEM. */
int perf_check_filters(struct perf_source *s, const struct event_list *list, bool exclude_kernel, struct err *err);

/* A file descriptor (close-on-exec) of the kernel's or -errno. */
int perf_open(struct perf_event_attr *attr, pid_t pid, int cpu);

/* Newer features of the kernel, found by trying. */
struct perf_features {
	bool format_lost; /* PERF_FORMAT_LOST, 6.0 */
	bool ksymbol;     /* 5.1 */
	bool comm_exec;   /* 3.16 */
	bool inherit_thread; /* events that only threads inherit, 5.13 */
	bool inherit_read; /* inherited events whose samples carry counts, each thread's own, 6.13 */
};

void perf_features_probe(struct perf_source *s, struct perf_features *f);

struct perf_count {
	uint64_t value;            /* in the event's unit */
	uint64_t enabled, running; /* ns */
	uint64_t lost;             /* samples that found no room; 0 without format_lost */
};

/* The read_format that perf_read understands. */
uint64_t perf_read_format(const struct perf_features *f);

/* Read one counter opened with that format.  0 or -errno. */
int perf_read(struct perf_source *s, int fd, const struct perf_features *f, struct perf_count *c);

/* The same of a whole group, by their ids, and one of its counters; times are the group's. */
uint64_t perf_read_group_format(const struct perf_features *f);
int perf_read_member(struct perf_source *s, int fd, const struct perf_features *f, uint64_t id, struct perf_count *c);

#endif
