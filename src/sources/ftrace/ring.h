/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ring - one CPU's buffer of a tracefs instance: its pages as the kernel wrote them, and what it says of them.
 *
 * From Linux 6.10 on the pages are mapped: the kernel is asked for the next one (TRACE_MMAP_IOCTL_GET_READER), which is
 * the reader's from then on, and its records are taken where they stand.  Before that read() copies a page.  Either way
 * what has been taken is consumed: this is the only reader, as far as the kernel's own count of what was read agrees.
 *
 * The last page is still being written, and grows between two looks.  A reader on the CPU itself finds it whole; from
 * another one what is committed is whole, too.
 *
 * Source: Documentation/trace/ring-buffer-map.rst, ring-buffer-design.rst; include/uapi/linux/trace_mmap.h.
 *
 * Threads: one owner, but for ftrace_ring_stats.
 */
#ifndef RINGTOP_SOURCES_FTRACE_RING_H
#define RINGTOP_SOURCES_FTRACE_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "sources/ftrace/stats.h"
#include "measure/trace/page.h"

struct ftrace_ring {
	int fd, stats_fd;       /* -1: closed */
	int cpu;
	void *map;              /* all of it, or NULL: read() it is */
	size_t map_size;
	const char *pages;      /* of the map */
	char *copy;             /* one page, for read() */
	size_t page_size, npages;
	struct page page;       /* what is walked */
	bool open;
	uint32_t id;            /* mapped: which page is the reader's */
	size_t taken;           /* of its bytes */
	unsigned stays;         /* how often in turn it was that one */
};

struct ftrace_record {
	const void *data; /* from common_type on; at least 8 bytes of the page are before it */
	uint32_t len;
	uint64_t time;    /* by the instance's clock */
	bool gap;         /* others, before it, were overwritten */
};

typedef void ftrace_take(void *arg, const struct ftrace_record *rec);

/* What was found; to be zeroed before the first. */
struct ftrace_drained {
	uint64_t records, bytes;
	uint64_t oldest, newest; /* times; 0: no record */
	unsigned pages;
};

/*
 * The ring of `cpu` in the instance at `dir`.  0 or -errno: -ENOENT, -ENODEV, -EINVAL: the CPU was never online.
 * `map` false: by read() also where it could be mapped.
 */
int ftrace_ring_open(struct ftrace_ring *r, const char *dir, int cpu, bool map, struct err *err);
void ftrace_ring_close(struct ftrace_ring *r);

static inline bool ftrace_ring_is_open(const struct ftrace_ring *r)
{
	return r->open;
}

/* For poll: readable when the ring is filled to the instance's buffer_percent.  -1: closed. */
static inline int ftrace_ring_fd(const struct ftrace_ring *r)
{
	return r->open ? r->fd : -1;
}

/*
 * Take the records of one page, or what is new on the one that is being written: valid until the next call.
 * 1: there may be more; 0: no; -errno.  To ask once more makes records where that itself is traced, so it is not done
 * on the page that is being written, but with `last`: nothing is written any more.
 */
int ftrace_ring_take(struct ftrace_ring *r, bool last, ftrace_take *take, void *arg, struct ftrace_drained *d);

/* What the kernel says of it now.  Any thread, as long as it is open.  0 or -errno. */
int ftrace_ring_stats(const struct ftrace_ring *r, struct ftrace_stats *s);

#endif
