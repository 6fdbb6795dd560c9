/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * open - the source of events: the kernel, or a test's replacement; and the features it has.
 *
 * An event is a file descriptor. Its ring and its counters are requested here once; from then on a
 * ring is memory, and no sample passes through these functions.
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

/* Operations of a source. Each returns -errno on failure. */
struct perf_ops {
	/*
	 * Do perf_event_open, close-on-exec, and return the descriptor. leader: fd of the group's
	 * leader, -1: no group. flags: PERF_FLAG_PID_CGROUP, with a cgroup's directory as tid.
	 */
	int (*open)(struct perf_source *s, struct perf_event_attr *attr, pid_t tid, int cpu,
		    int leader, unsigned long flags);
	void (*close)(struct perf_source *s, int fd);
	/* Do PERF_EVENT_IOC_*, with a number or a pointer as `arg`. */
	int (*control)(struct perf_source *s, int fd, unsigned long request, uintptr_t arg);
	/* Read the counters in the event's read_format. Return the bytes read. */
	ssize_t (*read)(struct perf_source *s, int fd, void *buf, size_t len);
	/* Map the ring at offset 0, or the AUX area at an offset behind it. */
	int (*map)(struct perf_source *s, int fd, size_t len, bool writable, uint64_t offset,
		   void **base);
	void (*unmap)(struct perf_source *s, void *base, size_t len);
	/* Do poll on events and other descriptors: POLLIN is reported once, POLLHUP forever. */
	int (*wait)(struct perf_source *s, struct pollfd *fds, nfds_t nr, int timeout_ms);
	/* Bind the calling thread to a CPU: on a ring's own CPU no record is half written. */
	int (*pin)(struct perf_source *s, int cpu);
	/* Get the rights to measure. */
	void (*rights)(struct perf_source *s, struct privilege *p);
};

struct perf_source {
	const struct perf_ops *ops;
	const char *online, *possible; /* paths of files with lists of CPUs: online, and possible */
};

extern struct perf_source perf_kernel;

struct event;      /* kernel/event/event.h */
struct event_list;

/*
 * Open an event with this attribute. If the PMU refuses to exclude guests, and the user did not
 * choose that, open it with guests. The filter is set before the event can be enabled; if the
 * kernel refuses the filter, the event is closed. Return the descriptor or -errno.
 */
int perf_open_event(struct perf_source *s, const struct event *e, struct perf_event_attr *attr,
		    pid_t tid, int cpu, int leader, unsigned long flags);

/*
 * Fill err for a failure of perf_open_event with `code` on `what`. Return -code. Events that the
 * kernel counts but does not sample, as taking a sample would hit them again
 * (irq_vectors:irq_work_exit, TRACE_EVENT_PERF_PERM), are detected by trying.
 */
int perf_explain_open(struct perf_source *s, int code, const struct perf_event_attr *attr,
		      pid_t tid, int cpu, const char *what, struct err *err);

/* Try each event's filter on the calling thread. Return 0, -EINVAL (err explains), -ENOMEM. */
int perf_check_filters(struct perf_source *s, const struct event_list *list, bool exclude_kernel,
		       struct err *err);

/* Open an event of the kernel. Return a descriptor (close-on-exec) or -errno. */
int perf_open(struct perf_event_attr *attr, pid_t pid, int cpu);

/* Newer features of the kernel, detected by trying. */
struct perf_features {
	bool format_lost; /* PERF_FORMAT_LOST, 6.0 */
	bool ksymbol;     /* 5.1 */
	bool comm_exec;   /* 3.16 */
	bool inherit_thread; /* events that only threads inherit, 5.13 */
	bool inherit_read; /* inherited events whose samples have counts, by thread, 6.13 */
};

void perf_features_probe(struct perf_source *s, struct perf_features *f);

struct perf_count {
	uint64_t value;            /* in the event's unit */
	uint64_t enabled, running; /* ns */
	uint64_t lost;             /* samples lost for lack of room; 0 without format_lost */
};

/* Return the read_format that perf_read expects. */
uint64_t perf_read_format(const struct perf_features *f);

/* Read one counter opened with that format. Return 0 or -errno. */
int perf_read(struct perf_source *s, int fd, const struct perf_features *f, struct perf_count *c);

/*
 * Likewise for a group: the read_format, with ids, and the reading of the member with `id`; times
 * are the group's.
 */
uint64_t perf_read_group_format(const struct perf_features *f);
int perf_read_member(struct perf_source *s, int fd, const struct perf_features *f, uint64_t id,
		     struct perf_count *c);

#endif
