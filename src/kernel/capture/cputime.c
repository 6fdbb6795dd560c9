/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The CPUs' lines come first. The rest, with a number for every interrupt, is not even copied: the
 * buffer has room for the CPUs only.
 */
#include "kernel/capture/cputime.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/vec.h"

#define LINE_LONGEST 256 /* "cpu8191" and ten numbers of 20 digits */

struct entry {
	struct cputime time;
	bool known;
};

struct cputimes {
	int fd;
	size_t size;
	char *text;
	struct entry *cpu; /* by number */
	size_t nr, cap;
};

struct cputimes *cputimes_open(void)
{
	struct cputimes *c = calloc(1, sizeof(*c));
	long cpus = sysconf(_SC_NPROCESSORS_CONF);

	if (!c)
		return NULL;
	c->size = ((size_t)(cpus > 0 ? cpus : 1) + 1) * LINE_LONGEST;
	c->text = malloc(c->size + 1);
	c->fd = open("/proc/stat", O_RDONLY | O_CLOEXEC);
	if (c->text && c->fd >= 0)
		return c;
	cputimes_close(c);
	return NULL;
}

void cputimes_close(struct cputimes *c)
{
	if (!c)
		return;
	if (c->fd >= 0)
		close(c->fd);
	free(c->text);
	free(c->cpu);
	free(c);
}

bool cputime_parse(const char *line, int *cpu, struct cputime *t)
{
	unsigned long long user, nice, system, idle, iowait, irq, softirq, stolen = 0;
	int used = 0;

	/* "cpu  " is the sum of all CPUs. */
	if (strncmp(line, "cpu", 3) != 0 || !isdigit((unsigned char)line[3]))
		return false;
	if (sscanf(line, "cpu%d %llu %llu %llu %llu %llu %llu %llu%n", cpu, &user, &nice, &system,
		   &idle, &iowait, &irq, &softirq, &used) != 8)
		return false;
	if (sscanf(line + used, "%llu", &stolen) != 1)
		stolen = 0;
	*t = (struct cputime){.idle = (idle + iowait) * CPUTIME_GRAIN,
			      .user = (user + nice) * CPUTIME_GRAIN,
			      .kernel = (system + irq + softirq) * CPUTIME_GRAIN,
			      .irq = (irq + softirq) * CPUTIME_GRAIN,
			      .stolen = stolen * CPUTIME_GRAIN};
	return true;
}

static void store_cpu_time(struct cputimes *c, int cpu, const struct cputime *t)
{
	size_t need = (size_t)cpu + 1;

	if (need > c->nr) {
		if (!vec_reserve(&c->cpu, &c->cap, need, sizeof(*c->cpu)))
			return; /* the CPU stays unknown */
		memset(c->cpu + c->nr, 0, (need - c->nr) * sizeof(*c->cpu));
		c->nr = need;
	}
	c->cpu[cpu] = (struct entry){*t, true};
}

void cputimes_read(struct cputimes *c)
{
	char *line, *next;
	struct cputime t;
	ssize_t n;
	int cpu;

	if (!c)
		return;
	for (size_t i = 0; i < c->nr; i++)
		c->cpu[i].known = false;
	n = pread(c->fd, c->text, c->size, 0);
	c->text[n > 0 ? n : 0] = '\0';
	for (line = c->text; (next = strchr(line, '\n')) && !strncmp(line, "cpu", 3);
	     line = next + 1) {
		*next = '\0';
		if (cputime_parse(line, &cpu, &t))
			store_cpu_time(c, cpu, &t);
	}
}

const struct cputime *cputimes_of(const struct cputimes *c, int cpu)
{
	if (!c || cpu < 0 || (size_t)cpu >= c->nr || !c->cpu[cpu].known)
		return NULL;
	return &c->cpu[cpu].time;
}
