/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/capture/open.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kernel/capture/cpus.h"
#include "kernel/capture/privilege.h"
#include "kernel/event/event.h"
#include "kernel/event/eventfilter.h"

#ifndef PERF_FORMAT_LOST
#define PERF_FORMAT_LOST (1u << 4) /* linux/perf_event.h of 6.0; Debian 12 has it, 11 does not */
#endif

#define GROUP_READ_MOST 16384 /* bytes: perf_event_validate_size */

/* --- the kernel --------------------------------------------------------------------------- */

static int kernel_open(struct perf_source *s, struct perf_event_attr *attr, pid_t tid, int cpu,
		       int leader, unsigned long flags)
{
	long fd =
		syscall(SYS_perf_event_open, attr, tid, cpu, leader, flags | PERF_FLAG_FD_CLOEXEC);

	(void)s;
	return fd < 0 ? -errno : (int)fd;
}

static void kernel_close(struct perf_source *s, int fd)
{
	(void)s;
	close(fd);
}

static int kernel_control(struct perf_source *s, int fd, unsigned long request, uintptr_t arg)
{
	(void)s;
	return ioctl(fd, request, arg) < 0 ? -errno : 0;
}

static ssize_t kernel_read(struct perf_source *s, int fd, void *buf, size_t len)
{
	ssize_t n = read(fd, buf, len);

	(void)s;
	return n < 0 ? -errno : n;
}

static int kernel_map(struct perf_source *s, int fd, size_t len, bool writable, uint64_t offset,
		      void **base)
{
	int prot = writable ? PROT_READ | PROT_WRITE : PROT_READ;

	(void)s;
	*base = mmap(NULL, len, prot, MAP_SHARED, fd, (off_t)offset);
	return *base == MAP_FAILED ? -errno : 0;
}

static void kernel_unmap(struct perf_source *s, void *base, size_t len)
{
	(void)s;
	munmap(base, len);
}

static int kernel_wait(struct perf_source *s, struct pollfd *fds, nfds_t nr, int timeout_ms)
{
	int n = poll(fds, nr, timeout_ms);

	(void)s;
	return n < 0 ? -errno : n;
}

static int kernel_pin(struct perf_source *s, int cpu)
{
	(void)s;
	return cpus_pin(cpu);
}

static void kernel_rights(struct perf_source *s, struct privilege *p)
{
	(void)s;
	privilege_get(p);
}

static const struct perf_ops kernel_ops = {
	.open = kernel_open, .close = kernel_close, .control = kernel_control, .read = kernel_read,
	.map = kernel_map, .unmap = kernel_unmap, .wait = kernel_wait, .pin = kernel_pin,
	.rights = kernel_rights,
};

struct perf_source perf_kernel = {
	.ops = &kernel_ops, .online = CPUS_ONLINE, .possible = CPUS_POSSIBLE};

static int set_event_filter(struct perf_source *s, const struct event *e, int fd)
{
	return s->ops->control(s, fd, PERF_EVENT_IOC_SET_FILTER, (uintptr_t)e->filter);
}

int perf_open_event(struct perf_source *s, const struct event *e, struct perf_event_attr *attr,
		    pid_t tid, int cpu, int leader, unsigned long flags)
{
	int fd = s->ops->open(s, attr, tid, cpu, leader, flags), ret;

	if (fd == -EINVAL && attr->exclude_guest && !e->guests_chosen) {
		attr->exclude_guest = 0;
		fd = s->ops->open(s, attr, tid, cpu, leader, flags);
	}
	ret = fd >= 0 && e->filter ? set_event_filter(s, e, fd) : 0;
	if (!ret)
		return fd;
	s->ops->close(s, fd);
	return ret;
}

static bool is_counted(struct perf_source *s, const struct perf_event_attr *sampled, pid_t tid,
		       int cpu)
{
	struct perf_event_attr a = {
		.type = sampled->type, .size = sizeof(a), .config = sampled->config, .disabled = 1};
	int fd = s->ops->open(s, &a, tid, cpu, -1, 0);

	if (fd >= 0)
		s->ops->close(s, fd);
	return fd >= 0;
}

int perf_explain_open(struct perf_source *s, int code, const struct perf_event_attr *attr,
		      pid_t tid, int cpu, const char *what, struct err *err)
{
	struct privilege p = {.paranoid = 0};

	if (privilege_matters(code)) /* skipped otherwise: threads may be gone by the thousand */
		s->ops->rights(s, &p);
	if (code != EPERM || !p.perfmon || attr->type != PERF_TYPE_TRACEPOINT ||
	    !is_counted(s, attr, tid, cpu))
		return privilege_explain(&p, code, what, err);
	err_set(err, code,
		"the kernel counts %s, but takes no samples of it: taking one would hit it again",
		what);
	err_advise(err, "use -S instead of -e to count it; if a * matched it, name the other "
			"events");
	return -code;
}

int perf_check_filters(struct perf_source *s, const struct event_list *list, bool exclude_kernel,
		       struct err *err)
{
	int ret = 0;

	for (unsigned i = 0; i < list->nr && !ret; i++) {
		const struct event *e = &list->events[i];
		struct perf_event_attr attr = e->attr;
		int fd;

		if (!e->filter || !event_is_opened(e))
			continue;
		attr.disabled = 1;
		attr.exclude_kernel |= exclude_kernel;
		fd = s->ops->open(s, &attr, 0, -1, -1, 0);
		/* An event that cannot be opened here is reported where it is really opened. */
		ret = fd < 0 ? 0 : set_event_filter(s, e, fd);
		if (fd >= 0)
			s->ops->close(s, fd);
		if (ret)
			ret = ret == -ENOMEM ? err_set(err, ENOMEM, "out of memory")
					     : eventfilter_explain(e, -ret, err);
	}
	return ret;
}

int perf_open(struct perf_event_attr *attr, pid_t pid, int cpu)
{
	return kernel_open(&perf_kernel, attr, pid, cpu, -1, 0);
}

/* --- features ------------------------------------------------------------------------------- */

static bool can_open(struct perf_source *s, struct perf_event_attr *attr)
{
	int fd = s->ops->open(s, attr, 0, -1, -1, 0);

	if (fd >= 0)
		s->ops->close(s, fd);
	/* Other errors than for an unknown bit are not about the bit. */
	return fd >= 0 || (fd != -EINVAL && fd != -E2BIG);
}

void perf_features_probe(struct perf_source *s, struct perf_features *f)
{
	const struct perf_event_attr plain = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(plain), .config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = 1, .disabled = 1,
	};
	struct perf_event_attr attr = plain;

	attr.read_format = PERF_FORMAT_LOST;
	f->format_lost = can_open(s, &attr);
	attr = plain;
	attr.ksymbol = 1;
	f->ksymbol = can_open(s, &attr);
	attr = plain;
	attr.comm = attr.comm_exec = 1;
	f->comm_exec = can_open(s, &attr);
	attr = plain;
	attr.inherit = 1;
	attr.inherit_thread = 1;
	f->inherit_thread = can_open(s, &attr);
	attr.inherit_thread = 0;
	attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_READ;
	attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID;
	f->inherit_read = can_open(s, &attr);
}

uint64_t perf_read_format(const struct perf_features *f)
{
	return PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING |
	       (f->format_lost ? PERF_FORMAT_LOST : 0);
}

int perf_read(struct perf_source *s, int fd, const struct perf_features *f, struct perf_count *c)
{
	uint64_t v[4] = {0};
	ssize_t want = f->format_lost ? 32 : 24, n = s->ops->read(s, fd, v, (size_t)want);

	if (n != want)
		return n < 0 ? (int)n : -EIO;
	*c = (struct perf_count){v[0], v[1], v[2], v[3]};
	return 0;
}

uint64_t perf_read_group_format(const struct perf_features *f)
{
	return perf_read_format(f) | PERF_FORMAT_GROUP | PERF_FORMAT_ID;
}

int perf_read_member(struct perf_source *s, int fd, const struct perf_features *f, uint64_t id,
		     struct perf_count *c)
{
	/* number, enabled, running; then value, id and lost of each */
	uint64_t v[GROUP_READ_MOST / sizeof(uint64_t)];
	size_t step = f->format_lost ? 3 : 2;
	ssize_t n = s->ops->read(s, fd, v, sizeof(v));

	if (n < 0)
		return (int)n;
	for (size_t at = 3; (at + step) * sizeof(*v) <= (size_t)n; at += step)
		if (v[at + 1] == id) {
			*c = (struct perf_count){v[at], v[1], v[2], f->format_lost ? v[at + 2] : 0};
			return 0;
		}
	return -EIO;
}
