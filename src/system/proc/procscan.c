/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "system/proc/procscan.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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
		if (!VEC_PUSH(list, *nr, cap, (pid_t)strtol(d->d_name, NULL, 10)))
			break;
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

size_t procscan_descriptors(void)
{
	size_t nr;

	free(number_entries("/proc/self/fd", &nr));
	return nr;
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

/* Read /proc/ID/stat; *after is behind the name: ") S 1 ...". 0, -ESRCH (it is gone), -errno. */
static int read_stat(pid_t id, char *line, size_t size, const char **after)
{
	char path[32];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", id);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	n = read(fd, line, size - 1);
	n = n < 0 ? -errno : n;
	close(fd);
	if (n <= 0)
		return n ? (int)n : -ESRCH;
	line[n] = '\0';
	/* The name may hold anything, parentheses too. */
	*after = strrchr(line, ')');
	return *after ? 0 : -EIO;
}

/* Read the head of a thread's file, as text.  False: it is gone, empty or not to be read. */
static bool read_head(pid_t tid, const char *name, char *text, size_t size)
{
	char path[48];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", tid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, size - 1);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/* Parse "NR 0xARG ... 0xSP 0xPC", "-1 0xSP 0xPC" outside of a system call, or "running". */
static uint64_t syscall_ip(const char *text)
{
	const char *last = strrchr(text, ' ');

	return isdigit((unsigned char)*text) && last ? strtoull(last + 1, NULL, 16) : 0;
}

bool procscan_stand(pid_t tid, struct proc_stand *s)
{
	char text[1024];
	const char *after;

	*s = (struct proc_stand){.ran = 0};
	if (read_stat(tid, text, sizeof(text), &after) ||
	    sscanf(after,
		   ") %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d "
		   "%*u %*u %*d %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*d %u",
		   &s->state, &s->cpu) != 2)
		return false;
	if (s->state == 'R') {
		if (read_head(tid, "schedstat", text, sizeof(text)))
			s->ran = strtoull(text, NULL, 10);
	} else if (read_head(tid, "syscall", text, sizeof(text))) {
		s->ip = syscall_ip(text);
	}
	return true;
}

pid_t procscan_process(pid_t tid)
{
	char text[1024];
	const char *at;

	if (!read_head(tid, "status", text, sizeof(text)) || !(at = strstr(text, "\nTgid:")))
		return -1;
	return (pid_t)strtol(at + sizeof("\nTgid:") - 1, NULL, 10);
}

uint64_t procscan_start(pid_t pid)
{
	char line[1024];
	const char *after;
	unsigned long long start;

	if (read_stat(pid, line, sizeof(line), &after) ||
	    sscanf(after,
		   ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d "
		   "%llu",
		   &start) != 1)
		return 0;
	return start;
}

bool procscan_is_namespaced(void)
{
	struct stat st;

	/* PROC_PID_INIT_INO, fixed since Linux 3.8 */
	return !stat("/proc/self/ns/pid", &st) && st.st_ino != 0xEFFFFFFCu;
}

enum proc_life procscan_life(pid_t id, bool thread, pid_t *parent)
{
	char line[1024];
	const char *after;
	long threads;
	int ppid, ret = read_stat(id, line, sizeof(line), &after);
	char state;

	if (ret)
		return ret == -ESRCH ? PROC_GONE : PROC_ALIVE;
	if (sscanf(after, ") %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %ld",
			     &state, &ppid, &threads) != 3)
		return PROC_ALIVE;
	if (parent)
		*parent = ppid;
	if (state == 'X')
		return PROC_GONE;
	/* A first thread that has ended stays so while others run. */
	return state == 'Z' && (thread || threads <= 1) ? PROC_ZOMBIE : PROC_ALIVE;
}

bool procscan_owner(pid_t pid, struct proc_owner *o)
{
	char path[64], line[512];
	const char *last;
	FILE *status;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	status = fopen(path, "re");
	if (!status)
		return false;
	*o = (struct proc_owner){.inner = pid, .found = true};
	while (fgets(line, sizeof(line), status)) {
		if (sscanf(line, "PPid: %d", &o->parent) == 1 ||
		    sscanf(line, "Uid: %u %u", &o->real, &o->effective) == 2)
			continue;
		if (strncmp(line, "NSpid:", 6) != 0)
			continue;
		last = strrchr(line, '\t');
		if (last)
			o->inner = (pid_t)strtol(last, NULL, 10);
	}
	fclose(status);
	return true;
}

/*
 * Parse a number at *s in this base, and move *s past it and past the separator that must follow.
 */
static bool take_map_number(const char **s, int base, char separator, uint64_t *value)
{
	char *end;

	*value = strtoull(*s, &end, base);
	if (end == *s || *end != separator)
		return false;
	*s = end + 1;
	return true;
}

/* Take all fields except the permissions, which stand at perms. */
static bool map_fields(const char *line, const char *perms, struct scan_map *m)
{
	const char *s = line;
	uint64_t maj, min;

	if (!take_map_number(&s, 16, '-', &m->start) || !take_map_number(&s, 16, ' ', &m->end))
		return false;
	s = perms + 6;
	if (!take_map_number(&s, 16, ' ', &m->pgoff) || !take_map_number(&s, 16, ':', &maj) ||
	    !take_map_number(&s, 16, ' ', &min))
		return false;
	m->ino = strtoull(s, (char **)&s, 10);
	m->maj = (uint32_t)maj;
	m->min = (uint32_t)min;
	m->path = (char *)s + strspn(s, " ");
	m->copied = false;
	return m->end > m->start;
}

static bool map_line(const char *line, bool data, struct scan_map *m)
{
	const char *perms = strchr(line, ' ');

	/* Most lines are not executable and end here: a process with 10,000 threads has 20,000. */
	if (!perms || strnlen(perms, 6) < 6 || perms[5] != ' ')
		return false;
	m->data = perms[3] != 'x';
	if (m->data && (!data || strncmp(perms + 1, "r--p", 4) != 0 || !strchr(perms, '/')))
		return false;
	return map_fields(line, perms, m);
}

bool procscan_map_line(const char *line, struct scan_map *m)
{
	return map_line(line, false, m);
}

/* Take the fields of a line of any kind.  Return false if the line is malformed. */
static bool any_line(const char *line, struct scan_map *m)
{
	const char *perms = line ? strchr(line, ' ') : NULL;

	return perms && strnlen(perms, 6) == 6 && map_fields(line, perms, m);
}

/* The surroundings of a run of anonymous code: the line before it, and its first map. */
struct hole {
	char *before; /* line before the run; NULL: there is none under way */
	size_t first;
};

static bool is_anonymous(const struct scan_map *m)
{
	return !m->ino && !*m->path;
}

/*
 * Take the line behind the run: if it continues the file before the run, at the right offset, the
 * run stands in that file's place.
 */
static void close_hole(struct scan *s, struct hole *h, const char *line)
{
	struct scan_map before, after;
	char *path;

	if (any_line(h->before, &before) && any_line(line, &after) && before.ino &&
	    before.ino == after.ino && before.maj == after.maj && before.min == after.min &&
	    !strcmp(before.path, after.path) &&
	    after.start - before.start == after.pgoff - before.pgoff &&
	    s->maps[h->first].start == before.end && s->maps[s->nmaps - 1].end == after.start) {
		for (size_t i = h->first; i < s->nmaps && (path = strdup(before.path)); i++) {
			struct scan_map *m = &s->maps[i];

			free(m->path);
			*m = (struct scan_map){.start = m->start,
					       .end = m->end,
					       .ino = before.ino,
					       .maj = before.maj,
					       .min = before.min,
					       .copied = true,
					       .path = path,
					       .pgoff = before.pgoff + (m->start - before.start)};
		}
	}
	free(h->before);
	h->before = NULL;
}

void procscan_anonymous(struct scan_map *m)
{
	*m->path = '\0';
	m->ino = m->pgoff = 0;
	m->maj = m->min = 0;
	m->copied = false;
}

static bool add_scanned_map(struct scan *s, struct scan_map m)
{
	if (!vec_reserve(&s->maps, &s->cap_maps, s->nmaps + 1, sizeof(m)) ||
	    !(m.path = strdup(m.path)))
		return false;
	s->maps[s->nmaps++] = m;
	return true;
}

static int scan_maps(struct scan *s, bool data, bool copies)
{
	char path[32], *line = NULL, *last = NULL, *swap;
	size_t size = 0, last_size = 0, swap_size, lines = 0;
	struct hole hole = {NULL, 0};
	ssize_t n;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", s->pid);
	f = fopen(path, "re");
	if (!f)
		return errno == ENOENT ? -ESRCH : -errno;
	for (; (n = getline(&line, &size, f)) > 0; lines++) {
		struct scan_map m;
		bool wanted, anonymous;

		if (line[n - 1] == '\n')
			line[n - 1] = '\0';
		wanted = map_line(line, data, &m);
		anonymous = copies && wanted && is_anonymous(&m);
		if (hole.before && !anonymous)
			close_hole(s, &hole, line);
		else if (anonymous && !hole.before && last)
			hole = (struct hole){strdup(last), s->nmaps};
		if (wanted && !add_scanned_map(s, m))
			break;
		swap = last, last = line, line = swap;
		swap_size = last_size, last_size = size, size = swap_size;
	}
	free(hole.before);
	free(last);
	free(line);
	fclose(f);
	s->kernel = !lines;
	return 0;
}

static int scan_process(pid_t pid, struct scan *s, bool data, bool copies)
{
	int ret;

	*s = (struct scan){.pid = pid};
	ret = scan_maps(s, data, copies);
	return procscan_comm(pid, pid, s->comm) || ret ? ret : -ESRCH;
}

int procscan_read(pid_t pid, struct scan *s)
{
	return scan_process(pid, s, false, false);
}

int procscan_read_data(pid_t pid, struct scan *s)
{
	return scan_process(pid, s, true, false);
}

int procscan_read_copied(pid_t pid, struct scan *s)
{
	return scan_process(pid, s, false, true);
}

void procscan_clear(struct scan *s)
{
	for (size_t i = 0; i < s->nmaps; i++)
		free(s->maps[i].path);
	free(s->maps);
	*s = (struct scan){0};
}
