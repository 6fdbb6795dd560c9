/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ftracering - one CPU's buffer of a tracefs instance: its pages as the kernel wrote them, and its
 * statistics.
 *
 * From Linux 6.10 on the pages are mapped: an ioctl (TRACE_MMAP_IOCTL_GET_READER) gets the next
 * page, which is the reader's from then on, and its records are taken in place. Before that read()
 * copies a page. Either way the taken records are consumed: this is the only reader, as far as the
 * kernel's own count of read events agrees.
 *
 * The last page is still being written, and grows between two looks. A reader on the CPU itself
 * finds it whole; from another one the committed part is whole, too.
 *
 * Source: Documentation/trace/ring-buffer-map.rst, ring-buffer-design.rst;
 * include/uapi/linux/trace_mmap.h.
 *
 * Threads: one owner, but for ftrace_ring_stats.
 */
#ifndef RINGTOP_SOURCES_FTRACE_FTRACERING_H
#define RINGTOP_SOURCES_FTRACE_FTRACERING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "sources/ftrace/stats.h"
#include "measure/trace/page.h"

struct ftrace_ring {
	int fd, stats_fd;       /* -1: closed */
	int cpu;
	void *map;              /* the whole mapping, or NULL: read() is used */
	size_t map_size;
	const char *pages;      /* pages of the mapping */
	char *copy;             /* one page, for read() */
	size_t page_size, npages;
	struct page page;       /* page being walked */
	bool open;
	uint32_t id;            /* mapped: number of the reader's page */
	size_t taken;           /* bytes taken of that page */
	unsigned stays;         /* number of looks in a row that found the same page */
};

struct ftrace_record {
	const void *data; /* from common_type on; at least 8 bytes of the page are before it */
	uint32_t len;
	uint64_t time;    /* ns, by the instance's clock */
	bool gap;         /* earlier records were overwritten */
};

typedef void ftrace_take(void *arg, const struct ftrace_record *rec);

/* Totals of ftrace_ring_take calls; zero it before the first. */
struct ftrace_drained {
	uint64_t records, bytes;
	uint64_t oldest, newest; /* times; 0: no record */
	unsigned pages;
};

/*
 * Open the ring of `cpu` in the instance at `dir`. Return 0 or -errno: -ENOENT, -ENODEV, -EINVAL:
 * the CPU was never online.
 */
int ftrace_ring_open(struct ftrace_ring *r, const char *dir, int cpu, struct err *err);
void ftrace_ring_close(struct ftrace_ring *r);

static inline bool ftrace_ring_is_open(const struct ftrace_ring *r)
{
	return r->open;
}

/*
 * Return a descriptor for poll: readable when the ring is filled to the instance's buffer_percent.
 * -1: closed.
 */
static inline int ftrace_ring_fd(const struct ftrace_ring *r)
{
	return r->open ? r->fd : -1;
}

/*
 * Take the records of one page, or the new ones of the page that is being written: valid until the
 * next call. Return 1: there may be more; 0: no more; -errno. A further call makes records where
 * reading itself is traced, so it is not done on the page that is being written, unless `last`:
 * writing has ended.
 */
int ftrace_ring_take(struct ftrace_ring *r, bool last, ftrace_take *take, void *arg,
		     struct ftrace_drained *d);

/*
 * Read the kernel's current statistics of the ring. Any thread, while it is open. Return 0 or
 * -errno.
 */
int ftrace_ring_stats(const struct ftrace_ring *r, struct ftrace_stats *s);

#endif
