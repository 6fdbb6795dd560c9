/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench_counts - what reading a counter costs, in ns: by read(), one at a time and a group's at once, and through the
 * mapped page with rdpmc, where that may be.
 *
 * Counters of one CPU, read on it by a thread that is pinned there, as readers do (nobody is interrupted); and of this
 * thread itself.  The median of ROUNDS rounds of READS reads.  The page's protocol alone (two lines of memory, three
 * looks) is timed on a software event's too, which has no counter behind it: below what rdpmc can cost.
 * Source: perf_event_open(2), struct perf_event_mmap_page.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "kernel/capture/open.h"

#define ROUNDS 15
#define READS  2000
#define GROUP  200

static int open_in(uint32_t type, uint64_t config, pid_t tid, int cpu, int leader)
{
	struct perf_event_attr a = {
		.type = type, .size = sizeof(a), .config = config, .exclude_guest = 1,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING |
			       (leader == -2 ? 0 : PERF_FORMAT_GROUP),
	};

	return perf_kernel.ops->open(&perf_kernel, &a, tid, cpu, leader == -2 ? -1 : leader, 0);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* The counter through its page; 0: it is not on this CPU, or may not be read so. */
static uint64_t read_page(const volatile struct perf_event_mmap_page *p)
{
	uint64_t count = 0;
	uint32_t seq, index;

	do {
		seq = p->lock;
		__asm__ volatile("" ::: "memory");
		index = p->index;
		count = (uint64_t)p->offset + p->time_enabled + p->time_running;
#ifdef __x86_64__
		if (p->cap_user_rdpmc && index) {
			uint32_t low, high;
			int64_t value;

			__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(index - 1));
			value = (int64_t)((uint64_t)high << 32 | low);
			value <<= 64 - p->pmc_width;
			count += (uint64_t)(value >> (64 - p->pmc_width));
		}
#endif
		__asm__ volatile("" ::: "memory");
	} while (p->lock != seq);
	return count;
}

struct what {
	int fd;
	size_t bytes;
	const struct perf_event_mmap_page *page; /* NULL: by read() */
};

static double cost(const struct what *w)
{
	static uint64_t buf[3 + GROUP];
	double ns[ROUNDS];

	for (int r = 0; r < ROUNDS; r++) {
		uint64_t from = clock_ns();

		for (int i = 0; i < READS; i++)
			if (w->page)
				buf[0] += read_page(w->page);
			else if (read(w->fd, buf, w->bytes) < 0)
				return -1;
		ns[r] = (double)(clock_ns() - from) / READS;
	}
	qsort(ns, ROUNDS, sizeof(*ns), by_value);
	return ns[ROUNDS / 2];
}

static void tell(const char *what, double ns, unsigned events)
{
	printf("%-66s %9.1f %9.1f\n", what, ns, ns / events);
}

static void page_row(const char *what, int fd)
{
	const struct perf_event_mmap_page *page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
	struct what w = {.fd = fd, .page = page};

	if (page == MAP_FAILED)
		return;
	tell(what, cost(&w), 1);
	munmap((void *)page, (size_t)sysconf(_SC_PAGESIZE));
}

static void software(pid_t tid, int cpu, const char *of)
{
	struct what alone = {.fd = open_in(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, tid, cpu, -2), .bytes = 24};
	struct what group = {.fd = open_in(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, tid, cpu, -1)};
	unsigned nr = 1;
	char text[96];

	if (alone.fd < 0 || group.fd < 0) {
		printf("%s: not permitted\n", of);
		return;
	}
	while (nr < GROUP && open_in(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, tid, cpu, group.fd) >= 0)
		nr++;
	group.bytes = (3 + nr) * sizeof(uint64_t);
	snprintf(text, sizeof(text), "%s: read() of one", of);
	tell(text, cost(&alone), 1);
	snprintf(text, sizeof(text), "%s: read() of a group of %u", of, nr);
	tell(text, cost(&group), nr);
	snprintf(text, sizeof(text), "%s: the page alone, without rdpmc (says no count)", of);
	page_row(text, alone.fd);
}

static void hardware(pid_t tid, int cpu, const char *of)
{
	struct what alone = {.fd = open_in(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, tid, cpu, -2), .bytes = 24};
	char text[96];

	if (alone.fd < 0) {
		printf("%s: SKIP: no hardware counters here: rdpmc is not measured\n", of);
		return;
	}
	snprintf(text, sizeof(text), "%s: read() of one hardware counter", of);
	tell(text, cost(&alone), 1);
	snprintf(text, sizeof(text), "%s: its page, with rdpmc", of);
	page_row(text, alone.fd);
	close(alone.fd);
}

int main(void)
{
	int cpu = sched_getcpu();
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		return 1;
	printf("%-66s %9s %9s\n", "", "ns", "a counter");
	software(-1, cpu, "this CPU");
	hardware(-1, cpu, "this CPU");
	software(0, -1, "this thread");
	hardware(0, -1, "this thread");
	return 0;
}
