/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/capture/cpus.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/io.h"

static int bad(const char *text, struct err *err)
{
	return err_set(err, EINVAL, "'%s' is not a list of CPUs (such as 0-3,7; at most %d)", text,
		       CPUS_MAX - 1);
}

/* Parse a number below CPUS_MAX at *s and move past it; -1: none. */
static int take_cpu_number(const char **s)
{
	char *end;
	long n;

	if (!isdigit((unsigned char)**s))
		return -1;
	n = strtol(*s, &end, 10);
	*s = end;
	return n < CPUS_MAX ? (int)n : -1;
}

static int mark_cpus(const char *text, unsigned char *set, struct err *err)
{
	const char *s = text;

	for (;;) {
		int from = take_cpu_number(&s), to = from;

		if (from >= 0 && *s == '-') {
			s++;
			to = take_cpu_number(&s);
		}
		if (from < 0 || to < from)
			return bad(text, err);
		memset(set + from, 1, to - from + 1);
		if (*s == '\0' || *s == '\n')
			return 0;
		if (*s++ != ',')
			return bad(text, err);
	}
}

int cpus_parse(const char *text, struct cpus *c, struct err *err)
{
	unsigned char set[CPUS_MAX] = {0};
	int ret = mark_cpus(text, set, err);
	unsigned nr = 0;

	*c = (struct cpus){0};
	if (ret < 0)
		return ret;
	for (int i = 0; i < CPUS_MAX; i++)
		nr += set[i];
	c->cpu = malloc(nr * sizeof(*c->cpu));
	if (!c->cpu)
		return err_set(err, ENOMEM, "out of memory");
	for (int i = 0; i < CPUS_MAX; i++)
		if (set[i])
			c->cpu[c->nr++] = i;
	return 0;
}

int cpus_read(const char *path, struct cpus *c, struct err *err)
{
	char text[4096];
	int n = (int)io_read_text(path, text, sizeof(text));

	*c = (struct cpus){0};
	return n < 0 ? err_set(err, -n, "cannot read %s: %s", path, strerror(-n))
		     : cpus_parse(text, c, err);
}

/* The file is kept open and its text compared: cpus_changed is called ten times a second. */
struct cpus_watch {
	int fd;
	int devices_fd; /* opened on demand */
	ssize_t len;
	char text[4096];
};

struct cpus_watch *cpus_watch(const char *path)
{
	struct cpus_watch *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->devices_fd = -1;
	w->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (w->fd >= 0)
		w->len = pread(w->fd, w->text, sizeof(w->text), 0);
	if (w->fd >= 0 && w->len > 0)
		return w;
	cpus_unwatch(w);
	return NULL;
}

bool cpus_changed(struct cpus_watch *w)
{
	char now[sizeof(w->text)];
	ssize_t n = w ? pread(w->fd, now, sizeof(now), 0) : 0;

	if (n <= 0 || (n == w->len && !memcmp(now, w->text, (size_t)n)))
		return false;
	memcpy(w->text, now, (size_t)n);
	w->len = n;
	return true;
}

int cpus_watch_fd(struct cpus_watch *w)
{
	const struct sockaddr_nl kernel = {.nl_family = AF_NETLINK, .nl_groups = 1};

	if (!w || w->devices_fd >= 0)
		return w ? w->devices_fd : -1;
	w->devices_fd =
		socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT);
	if (w->devices_fd >= 0 &&
	    bind(w->devices_fd, (const struct sockaddr *)&kernel, sizeof(kernel))) {
		close(w->devices_fd);
		w->devices_fd = -1;
	}
	return w->devices_fd;
}

bool cpus_told(struct cpus_watch *w)
{
	static const char cpu[] = "@/devices/system/cpu/cpu";
	bool told = false;
	char text[4096];
	ssize_t n;

	while ((n = recv(w->devices_fd, text, sizeof(text), 0)) > 0 ||
	       (n < 0 && errno == ENOBUFS)) {
		const char *path = n > 0 ? memchr(text, '@', (size_t)n) : NULL;

		/* ENOBUFS: events were dropped, perhaps one of a CPU. */
		told |= n < 0 || (path && path + sizeof(cpu) <= text + n &&
				  !memcmp(path, cpu, sizeof(cpu) - 1));
	}
	return told;
}

void cpus_unwatch(struct cpus_watch *w)
{
	if (!w)
		return;
	if (w->fd >= 0)
		close(w->fd);
	if (w->devices_fd >= 0)
		close(w->devices_fd);
	free(w);
}

bool cpus_has(const struct cpus *c, int cpu)
{
	for (unsigned i = 0; i < c->nr; i++)
		if (c->cpu[i] == cpu)
			return true;
	return false;
}

int cpus_add(struct cpus *c, int cpu)
{
	int *grown = realloc(c->cpu, (c->nr + 1) * sizeof(*c->cpu));
	unsigned at = c->nr;

	if (!grown)
		return -ENOMEM;
	c->cpu = grown;
	while (at && grown[at - 1] > cpu)
		at--;
	memmove(grown + at + 1, grown + at, (c->nr - at) * sizeof(*grown));
	grown[at] = cpu;
	c->nr++;
	return 0;
}

void cpus_drop(struct cpus *c, unsigned i)
{
	memmove(c->cpu + i, c->cpu + i + 1, (--c->nr - i) * sizeof(*c->cpu));
}

void cpus_clear(struct cpus *c)
{
	free(c->cpu);
	*c = (struct cpus){0};
}

int cpus_pin(int cpu)
{
	cpu_set_t *set = CPU_ALLOC(CPUS_MAX);
	size_t size = CPU_ALLOC_SIZE(CPUS_MAX);
	int ret;

	if (!set)
		return -ENOMEM;
	CPU_ZERO_S(size, set);
	CPU_SET_S(cpu, size, set);
	ret = sched_setaffinity(0, size, set) ? -errno : 0;
	CPU_FREE(set);
	return ret;
}
