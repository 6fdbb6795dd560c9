/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "resolve/procscan.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/vec.h"

static pid_t *number_entries(const char *dir, size_t *nr)
{
	DIR *dp = opendir(dir);
	pid_t *list = NULL;
	size_t cap = 0;
	struct dirent *d;

	*nr = 0;
	while (dp && (d = readdir(dp))) {
		if (!isdigit((unsigned char)d->d_name[0]))
			continue;
		if (!vec_reserve(&list, &cap, *nr + 1, sizeof(*list)))
			break;
		list[(*nr)++] = (pid_t)strtol(d->d_name, NULL, 10);
	}
	if (dp)
		closedir(dp);
	return list;
}

pid_t *procscan_pids(size_t *nr)
{
	return number_entries("/proc", nr);
}

pid_t *procscan_tids(pid_t pid, size_t *nr)
{
	char dir[32];

	snprintf(dir, sizeof(dir), "/proc/%d/task", pid);
	return number_entries(dir, nr);
}

bool procscan_comm(pid_t pid, pid_t tid, char comm[COMM_LEN])
{
	char path[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/comm", pid, tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, comm, COMM_LEN - 1);
	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return false;
	/* Only the newline that the kernel adds: the name itself may hold others. */
	comm[comm[n - 1] == '\n' ? n - 1 : n] = '\0';
	return true;
}

bool procscan_map_line(const char *line, struct scan_map *m)
{
	unsigned long long start, end, pgoff, ino;
	char perms[5];
	int at = 0;

	if (sscanf(line, "%llx-%llx %4s %llx %x:%x %llu %n", &start, &end, perms, &pgoff, &m->maj,
		   &m->min, &ino, &at) < 7 || !at || strlen(perms) < 4 || perms[2] != 'x' || end <= start)
		return false;
	m->start = start;
	m->end = end;
	m->pgoff = pgoff;
	m->ino = ino;
	m->path = (char *)line + at;
	return true;
}

static int scan_maps(struct scan *s)
{
	char path[32], *line = NULL;
	size_t size = 0, lines = 0;
	ssize_t n;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", s->pid);
	f = fopen(path, "re");
	if (!f)
		return errno == ENOENT ? -ESRCH : -errno;
	for (; (n = getline(&line, &size, f)) > 0; lines++) {
		struct scan_map m;

		if (line[n - 1] == '\n')
			line[n - 1] = '\0';
		if (!procscan_map_line(line, &m))
			continue;
		if (!vec_reserve(&s->maps, &s->cap_maps, s->nmaps + 1, sizeof(m)) ||
		    !(m.path = strdup(m.path)))
			break;
		s->maps[s->nmaps++] = m;
	}
	free(line);
	fclose(f);
	s->kernel = !lines;
	return 0;
}

int procscan_read(pid_t pid, struct scan *s)
{
	int ret;

	*s = (struct scan){.pid = pid};
	ret = scan_maps(s);
	return procscan_comm(pid, pid, s->comm) || ret ? ret : -ESRCH;
}

void procscan_clear(struct scan *s)
{
	for (size_t i = 0; i < s->nmaps; i++)
		free(s->maps[i].path);
	free(s->maps);
	*s = (struct scan){0};
}
