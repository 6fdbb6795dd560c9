/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/open.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef PERF_FORMAT_LOST
#define PERF_FORMAT_LOST (1u << 4) /* linux/perf_event.h of 6.0; Debian 12 has it, 11 has not */
#endif

int perf_open_group(struct perf_event_attr *attr, pid_t pid, int cpu, int leader)
{
	long fd = syscall(SYS_perf_event_open, attr, pid, cpu, leader, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

int perf_open(struct perf_event_attr *attr, pid_t pid, int cpu)
{
	return perf_open_group(attr, pid, cpu, -1);
}

static bool can_open(struct perf_event_attr *attr)
{
	int fd = perf_open(attr, 0, -1);

	if (fd >= 0)
		close(fd);
	/* Anything but "I do not know this bit" is not about the bit. */
	return fd >= 0 || (fd != -EINVAL && fd != -E2BIG);
}

void perf_features_probe(struct perf_features *f)
{
	const struct perf_event_attr plain = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(plain), .config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = 1, .disabled = 1,
	};
	struct perf_event_attr attr = plain;

	attr.read_format = PERF_FORMAT_LOST;
	f->format_lost = can_open(&attr);
	attr = plain;
	attr.ksymbol = 1;
	f->ksymbol = can_open(&attr);
	attr = plain;
	attr.comm = attr.comm_exec = 1;
	f->comm_exec = can_open(&attr);
}

uint64_t perf_read_format(const struct perf_features *f)
{
	return PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING |
	       (f->format_lost ? PERF_FORMAT_LOST : 0);
}

int perf_read(int fd, const struct perf_features *f, struct perf_count *c)
{
	uint64_t v[4] = {0};
	ssize_t want = f->format_lost ? 32 : 24, n = read(fd, v, want);

	if (n != want)
		return n < 0 ? -errno : -EIO;
	*c = (struct perf_count){v[0], v[1], v[2], v[3]};
	return 0;
}
