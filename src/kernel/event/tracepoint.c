/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/event/tracepoint.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/io.h"
#include "base/worddistance.h"
#include "base/vec.h"

#define TRACEFS_MAGIC_NUMBER 0x74726163 /* linux/magic.h */
#define DEBUGFS_MAGIC_NUMBER 0x64626720

static const char *const roots[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};

static bool is_tracefs(const char *path)
{
	struct statfs fs;

	return !statfs(path, &fs) &&
	       (fs.f_type == TRACEFS_MAGIC_NUMBER || fs.f_type == DEBUGFS_MAGIC_NUMBER);
}

const char *tracepoint_mounted(void)
{
	for (size_t i = 0; i < sizeof(roots) / sizeof(*roots); i++)
		if (is_tracefs(roots[i]))
			return roots[i];
	return NULL;
}

const char *tracepoint_root(struct err *err)
{
	const char *root = tracepoint_mounted();

	if (root)
		return root;
	if (!mount("tracefs", roots[0], "tracefs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL))
		return roots[0];
	err_set(err, EACCES, "tracefs is not mounted at %s: %s", roots[0], strerror(errno));
	err_advise(err, "as root: mount -t tracefs tracefs %s", roots[0]);
	return NULL;
}

static void nearest(const char *dir, const char *name, char *out, size_t size)
{
	unsigned best = strlen(name) / 2 + 1;
	struct dirent *d;
	DIR *dp = opendir(dir);

	out[0] = '\0';
	while (dp && (d = readdir(dp))) {
		unsigned n = d->d_type == DT_DIR && d->d_name[0] != '.'
				     ? worddistance(name, d->d_name)
				     : best;
		if (n < best) {
			best = n;
			snprintf(out, size, "%s", d->d_name);
		}
	}
	if (dp)
		closedir(dp);
}

static int not_found(const char *root, const char *subsystem, const char *name, struct err *err)
{
	char dir[512], near[256];
	struct stat st;
	bool known;

	snprintf(dir, sizeof(dir), "%s/events/%s", root, subsystem);
	known = !stat(dir, &st);
	if (!known)
		snprintf(dir, sizeof(dir), "%s/events", root);
	nearest(dir, known ? name : subsystem, near, sizeof(near));
	err_set(err, EINVAL, "there is no tracepoint '%s:%s' in this kernel", subsystem, name);
	if (near[0])
		err_advise(err, "did you mean '%s:%s'?", known ? subsystem : near,
			   known ? near : name);
	else
		err_advise(err, "%s/available_events lists them", root);
	return -EINVAL;
}

static bool plain(const char *name)
{
	return *name && *name != '.' && !strchr(name, '/');
}

/* Advise on the mount's group: files there are 0440, so the mount's mode alone opens none. */
static int advise_reading(const char *root, int code, struct err *err)
{
	err_advise(err, "run as root, or let root: mount -o remount,mode=750,gid=%u %s",
		   (unsigned)getegid(), root);
	return code;
}

static int read_id(const char *root, const char *path, uint64_t *id, struct err *err)
{
	char text[32];
	int n = (int)io_read_text(path, text, sizeof(text));

	if (n == -ENOENT)
		return -ENOENT;
	if (n < 0) {
		err_set(err, -n, "cannot read %s: %s", path, strerror(-n));
		return advise_reading(root, n, err);
	}
	return sscanf(text, "%lu", id) == 1
		       ? 0
		       : err_set(err, EIO, "%s does not contain a number", path);
}

/*
 * Find an id. Events that only tracers write have no file "id", which is perf's: it is in their
 * format.
 */
static int find_tracepoint_id(const char *root, const char *subsystem, const char *name,
			      uint64_t *id, struct err *err)
{
	char path[512], line[128];
	int ret = -ENOENT;
	FILE *f;

	snprintf(path, sizeof(path), "%s/events/%s/%s/id", root, subsystem, name);
	if (strcmp(subsystem, "ftrace") || access(path, F_OK) == 0)
		return read_id(root, path, id, err);
	snprintf(path, sizeof(path), "%s/events/%s/%s/format", root, subsystem, name);
	f = fopen(path, "re");
	while (f && ret && fgets(line, sizeof(line), f))
		ret = sscanf(line, "ID: %lu", id) == 1 ? 0 : -ENOENT;
	if (f)
		fclose(f);
	return ret;
}

int tracepoint_id(const char *subsystem, const char *name, uint64_t *id, struct err *err)
{
	const char *root = tracepoint_root(err);
	int ret;

	if (!root)
		return -EACCES;
	if (!plain(subsystem) || !plain(name))
		return err_set(err, EINVAL, "'%s:%s' is not a tracepoint name", subsystem, name);
	ret = find_tracepoint_id(root, subsystem, name, id, err);
	return ret == -ENOENT ? not_found(root, subsystem, name, err) : ret;
}

const char *tracepoint_own_count(const char *name)
{
	static const char *const counts[][2] = {
		{"sched:sched_stat_runtime", "runtime"}, {"sched:sched_stat_wait", "delay"},
		{"sched:sched_stat_sleep", "delay"}, {"sched:sched_stat_iowait", "delay"},
		{"sched:sched_stat_blocked", "delay"},
	};

	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
		if (!strcmp(counts[i][0], name))
			return counts[i][1];
	return NULL;
}

bool tracepoint_is_targeted(const char *name)
{
	static const char *const targeted[] = {
		"sched:sched_waking",	    "sched:sched_wakeup",     "sched:sched_wakeup_new",
		"sched:sched_stat_wait",    "sched:sched_stat_sleep", "sched:sched_stat_iowait",
		"sched:sched_stat_blocked",
	};

	for (size_t i = 0; i < sizeof(targeted) / sizeof(*targeted); i++)
		if (!strcmp(targeted[i], name))
			return true;
	return false;
}

static bool has_id(const char *subsystem, const char *name, uint64_t id)
{
	const char *root = tracepoint_root(NULL);
	uint64_t is;

	return root && plain(subsystem) && plain(name) &&
	       !find_tracepoint_id(root, subsystem, name, &is, NULL) && is == id;
}

int tracepoint_name(const char *said, uint64_t id, char *buf, size_t size)
{
	struct tracepoints all = {.nr = 0};
	char subsystem[128] = "", name[128] = "";
	int ret = -ENOENT;

	if (sscanf(said, "%127[^:/]:%127[^:/]", subsystem, name) == 2 &&
	    has_id(subsystem, name, id))
		return snprintf(buf, size, "%s:%s", subsystem, name) < (int)size ? 0 : -ENOENT;
	/* The event may have another name, or only a number. */
	if (tracepoint_match("*", "*", &all, NULL))
		all.nr = 0;
	for (size_t i = 0; i < all.nr && ret; i++)
		if (all.at[i].id == id && snprintf(buf, size, "%s", all.at[i].name) < (int)size)
			ret = 0;
	tracepoints_clear(&all);
	return ret;
}

int tracepoint_format(const char *name, char *buf, size_t size)
{
	const char *root = tracepoint_root(NULL), *colon = strchr(name, ':');
	char path[512];
	ssize_t n;

	if (!root || !colon || strchr(name, '/'))
		return -ENOENT;
	snprintf(path, sizeof(path), "%s/events/%.*s/%s/format", root, (int)(colon - name), name,
		 colon + 1);
	n = io_read_text(path, buf, size);
	return n < 0 ? (int)n : 0;
}

struct search {
	const char *root, *subsystem, *name; /* name: a pattern */
	struct tracepoints *found;
	size_t cap;
	struct err *err;
};

/*
 * Call take for the entries of a directory that match, sorted. (The C library's glob() would pull
 * name services into a static program.)
 */
static int each_match(const char *dir, const char *pattern,
		      int (*take)(struct search *s, const char *name), struct search *s)
{
	struct dirent **list = NULL;
	int nr = scandir(dir, &list, NULL, alphasort),
	    ret = nr < 0 && errno == ENOMEM ? -ENOMEM : 0;

	for (int i = 0; i < nr; i++) {
		if (!ret && !fnmatch(pattern, list[i]->d_name, FNM_PERIOD))
			ret = take(s, list[i]->d_name);
		free(list[i]);
	}
	free(list);
	return ret == -ENOMEM ? err_set(s->err, ENOMEM, "out of memory") : ret;
}

static int add_matched_tracepoint(struct search *s, const char *name)
{
	char path[512], *full;
	uint64_t id;
	int ret;

	snprintf(path, sizeof(path), "%s/events/%s/%s/id", s->root, s->subsystem, name);
	if (access(path, F_OK)) /* not an event, or of a module that was just unloaded */
		return 0;
	ret = read_id(s->root, path, &id, s->err);
	if (ret)
		return ret == -ENOENT ? 0 : ret;
	if (asprintf(&full, "%s:%s", s->subsystem, name) < 0)
		return -ENOMEM;
	if (VEC_PUSH(s->found->at, s->found->nr, s->cap, (__typeof__(*s->found->at)){full, id}))
		return 0;
	free(full);
	return -ENOMEM;
}

static int take_subsystem(struct search *s, const char *subsystem)
{
	char path[512];

	s->subsystem = subsystem;
	snprintf(path, sizeof(path), "%s/events/%s", s->root, subsystem);
	return each_match(path, s->name, add_matched_tracepoint, s);
}

int tracepoint_match(const char *subsystem, const char *name, struct tracepoints *found,
		     struct err *err)
{
	const char *root = tracepoint_root(err);
	struct search s = {.root = root, .name = name, .found = found, .err = err};
	char events[512];
	int ret;

	*found = (struct tracepoints){0};
	if (!root)
		return -EACCES;
	if (!plain(subsystem) || !plain(name))
		return err_set(err, EINVAL, "'%s:%s' is not a tracepoint name", subsystem, name);
	snprintf(events, sizeof(events), "%s/events", root);
	if (access(events, R_OK | X_OK)) {
		err_set(err, EACCES, "cannot read %s: %s", events, strerror(errno));
		return advise_reading(root, -EACCES, err);
	}
	ret = each_match(events, subsystem, take_subsystem, &s);
	if (ret || found->nr)
		return ret;
	err_set(err, EINVAL, "no tracepoint of this kernel matches '%s:%s'", subsystem, name);
	return err_advise(err, "%s/available_events lists them", root);
}

void tracepoints_clear(struct tracepoints *found)
{
	for (size_t i = 0; i < found->nr; i++)
		free(found->at[i].name);
	free(found->at);
}
