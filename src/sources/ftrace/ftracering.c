/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/ftrace/ftracering.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/atomics.h"

/* Copy of include/uapi/linux/trace_mmap.h, which headers of older systems lack. */
struct trace_buffer_meta {
	uint32_t meta_page_size, meta_struct_len;
	uint32_t subbuf_size, nr_subbufs;
	struct {
		uint64_t lost_events;
		uint32_t id, read;
	} reader;
	uint64_t flags;
	uint64_t entries, overrun, read;
	uint64_t reserved1, reserved2;
};

#ifndef TRACE_MMAP_IOCTL_GET_READER
#define TRACE_MMAP_IOCTL_GET_READER _IO('R', 0x20)
#endif

#define STAYS_MOST 2 /* looks in a row at one page */

/* --- opening ---------------------------------------------------------------------------------- */

static int open_ring_file(const char *dir, int cpu, const char *name)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/per_cpu/cpu%d/%s", dir, cpu, name);
	return open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
}

/* Map the ring. False: this kernel cannot, or not this ring. */
static bool map_all(struct ftrace_ring *r)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct trace_buffer_meta *m = mmap(NULL, page, PROT_READ, MAP_SHARED, r->fd, 0);
	size_t first, size;

	if (m == MAP_FAILED)
		return false;
	first = m->meta_page_size;
	r->page_size = m->subbuf_size;
	r->npages = m->nr_subbufs;
	munmap(m, page);
	if (!r->page_size || !r->npages || r->npages > (SIZE_MAX - first) / r->page_size)
		return false;
	size = first + r->npages * r->page_size;
	m = mmap(NULL, size, PROT_READ, MAP_SHARED, r->fd, 0);
	if (m == MAP_FAILED)
		return false;
	r->map = m;
	r->map_size = size;
	r->pages = (const char *)m + first;
	/* Bytes of the page that an earlier reader took are not available. */
	r->id = m->reader.id;
	r->taken = m->reader.read;
	return true;
}

static int prepare_read(struct ftrace_ring *r)
{
	r->page_size = (size_t)sysconf(_SC_PAGESIZE);
	r->copy = malloc(r->page_size);
	return r->copy ? 0 : -ENOMEM;
}

int ftrace_ring_open(struct ftrace_ring *r, const char *dir, int cpu, struct err *err)
{
	int ret = 0;

	*r = (struct ftrace_ring){.fd = open_ring_file(dir, cpu, "trace_pipe_raw"), .cpu = cpu};
	r->stats_fd = r->fd < 0 ? -1 : open_ring_file(dir, cpu, "stats");
	if (r->fd < 0 || r->stats_fd < 0)
		ret = -errno;
	if (!ret && !map_all(r))
		ret = prepare_read(r);
	if (!ret) {
		const struct page_layout host = page_layout_host((uint32_t)r->page_size);

		ret = page_open(&r->page, &host, NULL);
	}
	r->open = !ret;
	if (!ret)
		return 0;
	ftrace_ring_close(r);
	return err_set(err, -ret, "the ftrace buffer of cpu %d: %s", cpu, strerror(-ret));
}

void ftrace_ring_close(struct ftrace_ring *r)
{
	page_close(&r->page);
	if (r->map)
		munmap(r->map, r->map_size);
	free(r->copy);
	if (r->fd > 0)
		close(r->fd);
	if (r->stats_fd > 0)
		close(r->stats_fd);
	*r = (struct ftrace_ring){.fd = -1, .stats_fd = -1};
}

/* --- reading ---------------------------------------------------------------------------------- */

/* Take the page's records behind `taken`. 0, or -EBADMSG: the page is damaged after these. */
static int walk_page(struct ftrace_ring *r, const void *page, ftrace_take *take, void *arg,
		     struct ftrace_drained *d)
{
	int ret = page_load(&r->page, page, r->page_size, NULL);
	size_t end = r->page.committed;
	struct ftrace_record rec;
	struct page_record p;

	if (end < r->taken)
		r->taken = 0; /* another process emptied the buffer */
	rec.gap = !r->taken && r->page.missed;
	while (page_next(&r->page, &p)) {
		if (p.at < r->taken)
			continue;
		rec.data = p.data;
		rec.len = p.len;
		rec.time = p.time;
		take(arg, &rec);
		rec.gap = false;
		d->oldest = d->oldest ? d->oldest : p.time;
		d->newest = p.time;
		d->records++;
	}
	d->bytes += end > r->taken ? end - r->taken : 0;
	r->taken = end;
	d->pages++;
	return ret;
}

/*
 * Take records of the mapped page. On each request the kernel either counts its new bytes on the
 * reader's page as read, or, if there are none, moves on to the next page. So on a page that stayed
 * the bytes behind `taken` are new, and a page that changed had no more. A page that stayed with
 * new bytes may have more behind it: request once more.
 */
static int take_mapped(struct ftrace_ring *r, bool last, ftrace_take *take, void *arg,
		       struct ftrace_drained *d)
{
	const struct trace_buffer_meta *m = r->map;
	uint64_t before = d->records;
	uint32_t id;
	int ret;

	if (ioctl(r->fd, TRACE_MMAP_IOCTL_GET_READER))
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	id = atomic_load_acquire(&m->reader.id);
	if (id >= r->npages)
		return -EBADMSG;
	r->stays = id == r->id ? r->stays + 1 : 0;
	if (id != r->id) {
		r->id = id;
		r->taken = 0;
	}
	ret = walk_page(r, r->pages + id * r->page_size, take, arg, d);
	return ret		? ret
	       : !r->stays || (d->records != before && (last || r->stays < STAYS_MOST));
}

static int take_by_read(struct ftrace_ring *r, bool last, ftrace_take *take, void *arg,
			struct ftrace_drained *d)
{
	ssize_t n = read(r->fd, r->copy, r->page_size);
	int ret;

	if (n <= 0)
		return n < 0 && errno != EAGAIN && errno != EINTR ? -errno : 0;
	r->taken = 0;
	ret = walk_page(r, r->copy, take, arg, d);
	return ret ? ret : last || r->taken > r->page_size / 2;
}

int ftrace_ring_take(struct ftrace_ring *r, bool last, ftrace_take *take, void *arg,
		     struct ftrace_drained *d)
{
	return r->map ? take_mapped(r, last, take, arg, d) : take_by_read(r, last, take, arg, d);
}

int ftrace_ring_stats(const struct ftrace_ring *r, struct ftrace_stats *s)
{
	char text[FTRACE_STATS_BYTES];
	ssize_t n = pread(r->stats_fd, text, sizeof(text), 0);

	if (n < 0)
		return -errno;
	return ftrace_stats_parse(text, (size_t)n, s) ? 0 : -EBADMSG;
}
