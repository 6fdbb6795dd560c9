/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An owner counts as dead only if the lock is free and no process has that pid and start time. The
 * lock alone would be wrong between mkdir and flock, the pid alone in another PID namespace.
 */
#include "sources/ftrace/instance.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "kernel/event/tracepoint.h"
#include "sources/ftrace/guardian.h"
#include "system/proc/procscan.h"

#define PREFIX	   "ringtop-"
#define BUSY_TRIES 50
#define BUSY_WAIT  (5 * NSEC_PER_MSEC)
#define LOG_MOST   16384 /* bytes of error_log; the kernel keeps eight errors */

struct instance {
	int dir; /* holds the lock */
	char path[160];
	struct guardian guardian;
};

/* --- instances of dead owners --------------------------------------------------------------- */

/*
 * Parse ringtop-PID-START-N, or ringtop-filter-PID of kernel/event/eventfilter.c, which exists for
 * a moment.
 */
static bool owner_of(const char *name, pid_t *pid, uint64_t *start)
{
	unsigned long long began = 0;
	int p, end = 0;

	if (sscanf(name, PREFIX "%d-%llu-%*u%n", &p, &began, &end) < 2 || !end || name[end]) {
		began = 0;
		end = 0;
		if (sscanf(name, PREFIX "filter-%d%n", &p, &end) != 1 || !end || name[end])
			return false;
	}
	*pid = p;
	*start = began;
	return p > 0;
}

/*
 * Return false also for a killed process that its parent has not reaped: it holds nothing any more.
 */
static bool owner_lives(pid_t pid, uint64_t start)
{
	uint64_t is = procscan_life(pid, false, NULL) == PROC_ALIVE ? procscan_start(pid) : 0;

	return is && (!start || is == start);
}

static int remove_dir(int parent, const char *name)
{
	const struct timespec wait = clock_timespec(BUSY_WAIT);
	int ret = 0;

	for (int n = 0; n < BUSY_TRIES; n++) {
		ret = unlinkat(parent, name, AT_REMOVEDIR) ? -errno : 0;
		if (ret != -EBUSY)
			break;
		nanosleep(&wait, NULL);
	}
	return ret;
}

static void write_if_possible(int dir, const char *file, const char *text)
{
	int fd = openat(dir, file, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, text, strlen(text)) < 0)
		log_msg(LOG_CAPTURE, "ftrace: cannot write %s: %s", file, strerror(errno));
	close(fd);
}

/*
 * Stop everything before the removal, which removes events and triggers itself, but may be refused:
 * then nothing must go on.
 */
static void quieten(int dir)
{
	write_if_possible(dir, "tracing_on", "0");
	write_if_possible(dir, "events/enable", "0");
	write_if_possible(dir, "current_tracer", "nop");
}

/* Remove an instance if its lock is free; 0 or -errno, -EWOULDBLOCK if it is locked. */
static int remove_unlocked(int parent, const char *name)
{
	int dir = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC), ret;

	if (dir < 0)
		return -errno;
	ret = flock(dir, LOCK_EX | LOCK_NB) ? -errno : 0;
	if (!ret) {
		quieten(dir);
		ret = remove_dir(parent, name);
	}
	close(dir);
	return ret;
}

int instance_remove(const char *path)
{
	return remove_unlocked(AT_FDCWD, path);
}

static bool remove_dead(int instances, const char *name)
{
	pid_t pid;
	uint64_t start;
	int ret;

	if (!owner_of(name, &pid, &start) || owner_lives(pid, start))
		return false;
	ret = remove_unlocked(instances, name);
	if (ret && ret != -EWOULDBLOCK && ret != -ENOENT)
		log_msg(LOG_CAPTURE,
			"ftrace: instance %s of a process that has ended cannot be removed: %s",
			name, strerror(-ret));
	return !ret;
}

static unsigned sweep_instances(int instances)
{
	DIR *d = fdopendir(instances);
	unsigned gone = 0;

	if (!d) {
		close(instances);
		return 0;
	}
	for (struct dirent *e; (e = readdir(d));)
		gone += remove_dead(instances, e->d_name);
	closedir(d);
	if (gone)
		log_msg(LOG_CAPTURE, "ftrace: removed %u instance%s left by earlier runs of "
				     "ringtop", gone, gone > 1 ? "s" : "");
	return gone;
}

static int open_instances(const char *tracefs)
{
	char path[128];
	int fd = -ENAMETOOLONG;

	if (snprintf(path, sizeof(path), "%s/instances", tracefs) < (int)sizeof(path)) {
		fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		fd = fd < 0 ? -errno : fd;
	}
	return fd;
}

unsigned instance_sweep(const char *tracefs)
{
	int fd = open_instances(tracefs);

	return fd < 0 ? 0 : sweep_instances(fd);
}

/* --- error messages -------------------------------------------------------------------------- */

static int advise_on_tracefs(struct err *err, int code, const char *tracefs)
{
	switch (code) {
	case EACCES:
		err_advise(
			err,
			"run as root: files of an instance belong to root, however tracefs is "
			"mounted");
		break;
	case EPERM:
		err_advise(
			err,
			"this kernel refuses it even to root: is it locked down "
			"(/sys/kernel/security/lockdown)?");
		break;
	case ENOENT:
		err_advise(
			err,
			"%s must be in a tracefs with instances (Linux 3.10): does this kernel "
			"support it?", tracefs);
		break;
	case ENOMEM:
	case ENOSPC:
		err_advise(
			err,
			"the kernel has no memory for its buffers; are there other instances in "
			"%s/instances?", tracefs);
		break;
	case EBUSY:
		err_advise(err,
			   "one of its files is open elsewhere, or an exclusive tracer is in use");
		break;
	}
	return -code; /* err may be NULL */
}

static const char *find_tracefs(const char *tracefs, struct err *err)
{
	if (tracefs || (tracefs = tracepoint_mounted()))
		return tracefs;
	err_set(err, ENOENT, "ftrace needs tracefs, which is not mounted");
	err_advise(err, "as root: mount -t tracefs tracefs /sys/kernel/tracing");
	return NULL;
}

int instance_allowed(const char *tracefs, struct err *err)
{
	char path[128];

	if (snprintf(path, sizeof(path), "%s/instances", tracefs) >= (int)sizeof(path) ||
	    !faccessat(AT_FDCWD, path, W_OK | X_OK, AT_EACCESS) || errno != EACCES)
		return 0;
	err_set(err, EACCES, "cannot create an instance of ftrace in %s: %s", path,
		strerror(EACCES));
	return advise_on_tracefs(err, EACCES, tracefs);
}

/* Use the last line with ": error: ", and the caret's column two lines below it. */
bool instance_parse_log(const char *text, struct instance_reason *r)
{
	static const char word[] = ": error: ", command[] = "  Command: ";
	const char *said = NULL, *line;
	char raw[sizeof(r->why)];

	*r = (struct instance_reason){.at = -1};
	for (const char *p = text; (p = strstr(p, word)); p += sizeof(word) - 1)
		said = p + sizeof(word) - 1;
	if (!said)
		return false;
	snprintf(raw, sizeof(raw), "%.*s", (int)strcspn(said, "\n"), said);
	text_escape(r->why, sizeof(r->why), raw);
	line = strchr(said, '\n');
	if (!line || strncmp(line + 1, command, sizeof(command) - 1) ||
	    !(line = strchr(line + 1, '\n')))
		return true;
	line++;
	if (line[strspn(line, " ")] == '^' && strspn(line, " ") >= sizeof(command) - 1)
		r->at = (int)(strspn(line, " ") - (sizeof(command) - 1));
	return true;
}

/*
 * Set err for error `code` of writing text to file, with the kernel's words if it logged any since
 * its log was emptied.
 */
static int say_refused(const struct instance *i, const char *file, const char *text, int code,
		       struct err *err)
{
	char *log = malloc(LOG_MOST);
	struct instance_reason r = {.at = -1};

	if (log && instance_read(i, "error_log", log, LOG_MOST, NULL) > 0 &&
	    instance_parse_log(log, &r))
		err_set(err, code, "the kernel refuses '%.200s' for %s: %s", text, file, r.why);
	else
		err_set(err, code, "cannot write '%.200s' to %s/%s: %s", text, i->path, file,
			strerror(code));
	if (r.at >= 0 && (size_t)r.at <= strlen(text))
		err_point(err, text, text + r.at);
	free(log);
	return advise_on_tracefs(err, code, i->path);
}

/* --- files ----------------------------------------------------------------------------------- */

int instance_open(const struct instance *i, const char *file, int flags, struct err *err)
{
	int fd = openat(i->dir, file, flags | O_CLOEXEC), code = errno;

	if (fd >= 0)
		return fd;
	err_set(err, code, "cannot open %s/%s: %s", i->path, file, strerror(code));
	return advise_on_tracefs(err, code, i->path);
}

static int write_text(const struct instance *i, const char *file, const char *text, int flags,
		      struct err *err)
{
	int fd, log, code;
	ssize_t n;

	/* Empty it: the entries are older. */
	log = openat(i->dir, "error_log", O_WRONLY | O_TRUNC | O_CLOEXEC);
	if (log >= 0)
		close(log);
	fd = instance_open(i, file, O_WRONLY | flags, err);
	if (fd < 0)
		return fd;
	n = write(fd, text, strlen(text));
	code = n < 0 ? errno : (size_t)n < strlen(text) ? EIO : 0;
	close(fd);
	return code ? say_refused(i, file, text, code, err) : 0;
}

int instance_write(const struct instance *i, const char *file, const char *text, struct err *err)
{
	return write_text(i, file, text, O_TRUNC, err);
}

int instance_append(const struct instance *i, const char *file, const char *text, struct err *err)
{
	return write_text(i, file, text, O_APPEND, err);
}

ssize_t instance_read(const struct instance *i, const char *file, char *buf, size_t size,
		      struct err *err)
{
	int fd = instance_open(i, file, O_RDONLY, err);
	size_t len = 0;
	ssize_t n = 0;

	if (fd < 0)
		return fd;
	while (len < size - 1 &&
	       ((n = read(fd, buf + len, size - 1 - len)) > 0 || (n < 0 && errno == EINTR)))
		len += n > 0 ? (size_t)n : 0;
	n = n < 0 ? -errno : (ssize_t)len;
	close(fd);
	buf[n < 0 ? 0 : len] = '\0';
	return n < 0 ? err_set(err, (int)-n, "cannot read %s/%s: %s", i->path, file,
			       strerror((int)-n))
		     : n;
}

/* --- the instance ---------------------------------------------------------------------------- */

/*
 * Create the directory and lock it. -ENOENT: another process took it for a dead owner's in between.
 */
static int make_dir(int instances, const char *name)
{
	struct stat ours, there;
	int dir;

	if (mkdirat(instances, name, 0700))
		return -errno;
	dir = openat(instances, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return -errno;
	if (!flock(dir, LOCK_EX) && !fstat(dir, &ours) &&
	    !fstatat(instances, name, &there, AT_SYMLINK_NOFOLLOW) && ours.st_ino == there.st_ino)
		return dir;
	close(dir);
	return -ENOENT;
}

static int create_in(int instances, const char *tracefs, struct instance *i, struct err *err)
{
	static atomic_uint number;
	char name[64];

	snprintf(name, sizeof(name), PREFIX "%d-%llu-%u", (int)getpid(),
		 (unsigned long long)procscan_start(getpid()), atomic_fetch_add(&number, 1));
	i->dir = make_dir(instances, name);
	if (i->dir < 0)
		err_set(err, -i->dir, "cannot create an instance in %s/instances: %s", tracefs,
			strerror(-i->dir));
	snprintf(i->path, sizeof(i->path), "%s/instances/%s", tracefs, name);
	return i->dir < 0 ? advise_on_tracefs(err, -i->dir, tracefs) : 0;
}

int instance_create(const char *tracefs, struct instance **to, struct err *err)
{
	struct instance *i;
	int instances, ret;

	*to = NULL;
	tracefs = find_tracefs(tracefs, err);
	if (!tracefs)
		return -ENOENT;
	instances = open_instances(tracefs);
	if (instances < 0) {
		err_set(err, -instances, "cannot open %s/instances: %s", tracefs,
			strerror(-instances));
		return advise_on_tracefs(err, -instances, tracefs);
	}
	instance_sweep(tracefs);
	i = calloc(1, sizeof(*i));
	ret = i ? create_in(instances, tracefs, i, err) : err_set(err, ENOMEM, "out of memory");
	close(instances);
	if (ret) {
		free(i);
		return ret;
	}
	guardian_start(&i->guardian, i->path);
	*to = i;
	return 0;
}

const char *instance_path(const struct instance *i)
{
	return i->path;
}

int instance_free(struct instance *i)
{
	int ret;

	if (!i)
		return 0;
	quieten(i->dir);
	ret = remove_dir(AT_FDCWD, i->path);
	close(i->dir);
	guardian_end(&i->guardian, !ret);
	if (ret)
		log_msg(LOG_CAPTURE, "ftrace: cannot remove %s: %s", i->path, strerror(-ret));
	free(i);
	return ret;
}
