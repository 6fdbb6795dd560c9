/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The calling thread sets its own name again, watched by a dummy event that records this with its
 * time. CLOCK_MONOTONIC is read before and after, which bounds that time.
 */
#include "kernel/capture/perfclock.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "kernel/capture/open.h"
#include "kernel/capture/ring.h"

#define TRIES 5 /* the narrowest bounds count: any try may be interrupted */

static int open_comm_event(void)
{
	struct perf_event_attr a = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(a), .config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TIME, .sample_id_all = 1, .comm = 1,
		.exclude_kernel = 1, .exclude_hv = 1,
	};

	return perf_open(&a, 0, -1);
}

/* Return the time of the newest COMM record in the batch, its last field; 0: none. */
static uint64_t comm_time(const struct ring_batch *b)
{
	struct perf_event_header h;
	uint64_t time = 0;

	for (size_t at = 0; at + sizeof(h) <= b->len; at += h.size) {
		memcpy(&h, b->data + at, sizeof(h));
		if (h.size < sizeof(h) + sizeof(time) || h.size > b->len - at)
			break;
		if (h.type == PERF_RECORD_COMM)
			memcpy(&time, b->data + at + h.size - sizeof(time), sizeof(time));
	}
	return time;
}

static int measure_offset(struct ring *ring, char *buf, struct clock_relation *c)
{
	uint64_t before, after, narrowest = UINT64_MAX, time;
	struct ring_batch batch;
	char name[16] = "";

	if (prctl(PR_GET_NAME, name))
		return -errno;
	for (int i = 0; i < TRIES; i++) {
		before = clock_ns();
		prctl(PR_SET_NAME, name);
		after = clock_ns();
		ring_take(ring, buf, &batch);
		time = comm_time(&batch);
		if (!time || after - before >= narrowest)
			continue;
		narrowest = after - before;
		c->offset = (int64_t)(time - (before + narrowest / 2));
	}
	return narrowest == UINT64_MAX ? -ENODATA : 0;
}

/* Get the kernel's own conversion if perf's clock is computed from the time stamp counter. */
static void take_counter(const struct perf_event_mmap_page *page, struct clock_relation *c)
{
	c->counter = page->cap_user_time_zero && page->time_mult && page->time_shift < 64;
	if (!c->counter)
		return;
	c->shift = page->time_shift;
	c->mult = page->time_mult;
	c->zero = page->time_zero;
}

int perfclock_relate(struct clock_relation *c)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	_Alignas(8) char buf[65536];
	struct ring ring = {0};
	int fd, ret;

	*c = (struct clock_relation){0};
	if (size > sizeof(buf))
		return -ENOTSUP;
	fd = open_comm_event();
	if (fd < 0)
		return fd;
	ret = ring_map(&ring, &perf_kernel, fd, size, false);
	if (!ret) {
		ret = measure_offset(&ring, buf, c);
		take_counter(ring.page, c);
		ring_unmap(&ring);
	}
	close(fd);
	return ret;
}
