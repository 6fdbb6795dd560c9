/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/record/snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/atomics.h"
#include "base/clock.h"
#include "base/thread.h"
#include "sources/record/ptsummary.h"

struct asked {
	enum snapshot_kind kind;
	char *reason;
};

struct snapshots {
	char dir[PATH_MAX];
	struct sidelog *maps, *switches; /* separate, so that the many switches push no map out */
	/* Dropped records, as far as slices have reported them. */
	uint64_t told_maps, told_switches;
	uint64_t logged_maps, logged_switches;
	uint32_t nr;

	pthread_mutex_t lock; /* for everything below */
	pthread_cond_t work, idle; /* idle: a file was written */
	struct asked asked[SNAPSHOTS_WAITING];
	unsigned nasked;
	struct slice_pt *answer; /* newest analysis, to be reported */
	struct snapfile *waiting; /* to be written, the oldest first */
	/* To be reported, the oldest first: finished ones, and copies at the start. */
	struct snapfile *news;
	unsigned nwaiting;
	bool writing, running, stop;
	bool taken; /* taken by snapshots_next, and not sent yet */
	bool cancel; /* shared with the writer outside of the lock, too */
	/* Shared likewise: the analysis of an older snapshot is not wanted any more. */
	bool superseded;
	uint64_t refused, told_refused;
	pthread_t thread;
};

/* --- the directory and the names ---------------------------------------------------------- */

/* Check that files can be created there; by one without a name, if the file system has that. */
static int try_dir(const char *dir)
{
	int fd = open(dir, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
	char name[PATH_MAX];

	if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR)) {
		snprintf(name, sizeof(name), "%s/.ringtop.XXXXXX", dir);
		fd = mkostemp(name, O_CLOEXEC);
		if (fd >= 0)
			unlink(name);
	}
	return fd < 0 ? -errno : close(fd);
}

/* Check the directory now rather than at the moment that the user waits for. */
static int check_dir(const char *dir, struct err *err)
{
	int ret;

	struct stat st;

	if (strlen(dir) >= PATH_MAX - 128)
		return err_set(err, EINVAL, "--snapshot-dir: the name is too long");
	if (stat(dir, &st))
		return err_set(err, errno == ENOENT ? EINVAL : errno, "--snapshot-dir %.300s: %s",
			       dir, strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return err_set(err, EINVAL, "--snapshot-dir %.300s: not a directory", dir);
	ret = try_dir(dir);
	if (ret)
		err_set(err, -ret, "--snapshot-dir %.300s: cannot create a file there: %s", dir,
			strerror(-ret));
	return ret;
}

bool snapshot_name(char *buf, size_t size, const char *dir, uint64_t wall, uint32_t nr)
{
	time_t t = (time_t)(wall / NSEC_PER_SEC);
	char date[32] = "";
	struct tm tm;
	int n;

	if (localtime_r(&t, &tm))
		strftime(date, sizeof(date), "%Y%m%d-%H%M%S", &tm);
	n = snprintf(buf, size, "%s%sringtop-snapshot-%s-%u.data", dir, *dir ? "/" : "", date, nr);
	return n > 0 && (size_t)n < size;
}

/* --- the writer --------------------------------------------------------------------------- */

static void append_snapfile(struct snapfile **list, struct snapfile *f)
{
	while (*list)
		list = &(*list)->next;
	f->next = NULL;
	*list = f;
}

/* Queue a copy of the snapshot's current state; dropped if there is no memory. */
static void put_news(struct snapshots *sn, const struct slice_snapshot *said)
{
	struct snapfile *f = calloc(1, sizeof(*f));

	if (f && !slice_snapshot_copy(&f->said, said))
		append_snapfile(&sn->news, f);
	else
		free(f);
}

/* Write one snapshot. The file's memory and descriptors are freed before it is reported as done. */
static void write_one(struct snapshots *sn, struct snapfile *f)
{
	uint64_t start = clock_ns();
	struct err err = {.code = 0};
	int ret = snapfile_write(f, f->said.file, &sn->cancel, &err);

	f->said.written_ns = clock_ns() - start;
	f->said.state = ret ? SNAPSHOT_FAILED : SNAPSHOT_WRITTEN;
	if (ret) {
		free(f->said.error);
		f->said.error = strdup(ret == -ECANCELED ? "aborted: ringtop ended" : err.text);
	}
}

/* Analyse the last trace of Intel PT; its file is written and reported before. */
static void answer_trace(struct snapshots *sn, const struct snapfile *f)
{
	struct slice_pt *pt;
	bool newest;

	if (f->said.state != SNAPSHOT_WRITTEN || !ptsummary_possible(f))
		return;
	pthread_mutex_lock(&sn->lock);
	newest = !sn->nasked && !sn->waiting && !sn->stop;
	atomic_store_relaxed(&sn->superseded, !newest);
	pthread_mutex_unlock(&sn->lock);
	pt = newest ? ptsummary_make(f, &sn->superseded) : NULL;
	if (!pt)
		return;
	pthread_mutex_lock(&sn->lock);
	slice_pt_free(sn->answer);
	sn->answer = pt;
	pthread_mutex_unlock(&sn->lock);
}

static void *writer_thread(void *arg)
{
	struct snapshots *sn = arg;
	struct snapfile *f;

	pthread_setname_np(pthread_self(), "ringtop-snap");
	pthread_mutex_lock(&sn->lock);
	for (;;) {
		while (!sn->waiting && !sn->stop)
			pthread_cond_wait(&sn->work, &sn->lock);
		f = sn->waiting;
		if (!f)
			break;
		sn->waiting = f->next;
		sn->writing = true;
		pthread_mutex_unlock(&sn->lock);
		write_one(sn, f);
		pthread_mutex_lock(&sn->lock);
		sn->writing = false;
		sn->nwaiting--;
		put_news(sn, &f->said);
		pthread_cond_broadcast(&sn->idle);
		pthread_mutex_unlock(&sn->lock);
		answer_trace(sn, f);
		snapfile_free(f);
		pthread_mutex_lock(&sn->lock);
	}
	pthread_mutex_unlock(&sn->lock);
	return NULL;
}

/* Start the writer only when there is something to write: most sessions take no snapshot. */
static int start_writer(struct snapshots *sn)
{
	int ret;

	if (sn->running)
		return 0;
	if (sn->stop)
		return -ECANCELED;
	ret = thread_start(&sn->thread, writer_thread, sn);
	sn->running = !ret;
	return ret;
}

/* --- beginning and end -------------------------------------------------------------------- */

struct snapshots *snapshots_create(const char *dir, struct err *err)
{
	struct snapshots *sn;
	pthread_condattr_t attr;

	if (dir && check_dir(dir, err))
		return NULL;
	sn = calloc(1, sizeof(*sn));
	if (sn)
		sn->maps = sidelog_create(SIDELOG_BYTES);
	if (sn)
		sn->switches = sidelog_create(SIDELOG_BYTES);
	if (!sn || !sn->maps || !sn->switches) {
		if (sn) {
			sidelog_free(sn->maps);
			sidelog_free(sn->switches);
		}
		free(sn);
		err_set(err, ENOMEM, "out of memory");
		return NULL;
	}
	snprintf(sn->dir, sizeof(sn->dir), "%s", dir && strcmp(dir, ".") ? dir : "");
	pthread_mutex_init(&sn->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&sn->work, NULL);
	pthread_cond_init(&sn->idle, &attr);
	pthread_condattr_destroy(&attr);
	return sn;
}

static void drop_list(struct snapfile **list)
{
	struct snapfile *f;

	while ((f = *list)) {
		*list = f->next;
		snapfile_free(f);
	}
}

/* Report all waiting snapshots as failed, because cancelled. */
static void give_up_waiting(struct snapshots *sn)
{
	for (struct snapfile *f = sn->waiting; f; f = f->next) {
		f->said.state = SNAPSHOT_FAILED;
		f->said.error = strdup("aborted: ringtop ended");
		put_news(sn, &f->said);
		sn->nwaiting--;
	}
	drop_list(&sn->waiting);
}

/* Return true if a snapshot is worth waiting for. */
static bool is_under_way(const struct snapshots *sn, bool ticking)
{
	return sn->writing || sn->waiting || (ticking && (sn->nasked || sn->taken));
}

void snapshots_stop(struct snapshots *sn, uint64_t patience, bool ticking)
{
	uint64_t end = clock_ns() + patience;
	const struct timespec until = clock_timespec(end);
	bool running;

	pthread_mutex_lock(&sn->lock);
	while (is_under_way(sn, ticking) && !sn->stop && patience)
		if (pthread_cond_timedwait(&sn->idle, &sn->lock, &until))
			break;
	while (sn->nasked)
		free(sn->asked[--sn->nasked].reason);
	sn->stop = true;
	atomic_store_relaxed(&sn->cancel, true);
	atomic_store_relaxed(&sn->superseded, true);
	give_up_waiting(sn);
	while (sn->writing) /* not for long now; another thread may wait, too */
		pthread_cond_wait(&sn->idle, &sn->lock);
	pthread_cond_signal(&sn->work);
	running = sn->running;
	sn->running = false;
	pthread_mutex_unlock(&sn->lock);
	if (running)
		pthread_join(sn->thread, NULL);
}

void snapshots_free(struct snapshots *sn)
{
	if (!sn)
		return;
	snapshots_stop(sn, 0, false);
	drop_list(&sn->news);
	slice_pt_free(sn->answer);
	sidelog_free(sn->maps);
	sidelog_free(sn->switches);
	pthread_cond_destroy(&sn->work);
	pthread_cond_destroy(&sn->idle);
	pthread_mutex_destroy(&sn->lock);
	free(sn);
}

/* --- asking ------------------------------------------------------------------------------- */

int snapshots_ask(struct snapshots *sn, enum snapshot_kind kind, const char *reason,
		  struct err *err)
{
	char *copy = strdup(reason ? reason : "");
	int ret = copy ? 0 : -ENOMEM;

	pthread_mutex_lock(&sn->lock);
	if (!ret && sn->nasked + sn->nwaiting >= SNAPSHOTS_WAITING) {
		sn->refused++;
		ret = -EBUSY;
	}
	if (!ret)
		sn->asked[sn->nasked++] = (struct asked){kind, copy};
	atomic_store_relaxed(&sn->superseded, true);
	pthread_mutex_unlock(&sn->lock);
	if (!ret)
		return 0;
	free(copy);
	return err_set(err, -ret,
		       ret == -EBUSY ? "%d snapshots are already waiting for the disk"
				     : "out of memory for %d snapshots",
		       SNAPSHOTS_WAITING);
}

bool snapshots_next(struct snapshots *sn, enum snapshot_kind *kind, char **reason)
{
	bool any;

	pthread_mutex_lock(&sn->lock);
	any = sn->nasked > 0;
	if (any) {
		*kind = sn->asked[0].kind;
		*reason = sn->asked[0].reason;
		memmove(sn->asked, sn->asked + 1, --sn->nasked * sizeof(*sn->asked));
		sn->taken = true;
	}
	pthread_mutex_unlock(&sn->lock);
	return any;
}

void snapshots_keep(struct snapshots *sn, const struct record *rec)
{
	uint32_t type = rec->h->type;
	bool change = type == PERF_RECORD_SWITCH || type == PERF_RECORD_SWITCH_CPU_WIDE;

	sidelog_add(change ? sn->switches : sn->maps, rec); /* sidelog counts what it drops */
}

int snapshots_sideband(struct snapshots *sn, struct snapfile *f)
{
	size_t len;
	char *switches = sidelog_copy(sn->switches, &len), *both;

	f->sideband = sidelog_copy(sn->maps, &f->sideband_len);
	both = f->sideband && switches ? realloc(f->sideband, f->sideband_len + len + 1) : NULL;
	if (both) {
		memcpy(both + f->sideband_len, switches, len);
		f->sideband = both;
		f->sideband_len += len;
	}
	free(switches);
	return both ? 0 : -ENOMEM;
}

/* --- sending ------------------------------------------------------------------------------ */

/* Choose an unused file name; the second attempt has ringtop's pid in it. */
static char *choose_file(struct snapshots *sn, const struct snapfile *f)
{
	char name[PATH_MAX], other[PATH_MAX + 32];
	struct stat st;

	if (!snapshot_name(name, sizeof(name), sn->dir, f->said.wall, f->said.nr))
		return NULL;
	if (lstat(name, &st))
		return strdup(name);
	snprintf(other, sizeof(other), "%.*s-%d.data", (int)(strlen(name) - strlen(".data")), name,
		 (int)getpid());
	return strdup(other);
}

void snapshots_fail(struct snapshots *sn, struct snapfile *f, const char *why)
{
	f->said.nr = f->said.nr ? f->said.nr : ++sn->nr;
	f->said.state = SNAPSHOT_FAILED;
	free(f->said.error);
	f->said.error = strdup(why);
	pthread_mutex_lock(&sn->lock);
	put_news(sn, &f->said);
	sn->taken = false;
	pthread_cond_broadcast(&sn->idle);
	pthread_mutex_unlock(&sn->lock);
	snapfile_free(f);
}

void snapshots_send(struct snapshots *sn, struct snapfile *f)
{
	int ret;

	f->said.nr = ++sn->nr;
	f->said.state = SNAPSHOT_WRITING;
	f->said.file = choose_file(sn, f);
	if (!f->said.file) {
		snapshots_fail(sn, f, "out of memory, or the name is too long");
		return;
	}
	pthread_mutex_lock(&sn->lock);
	ret = start_writer(sn);
	if (!ret) {
		put_news(sn, &f->said);
		append_snapfile(&sn->waiting, f);
		sn->nwaiting++;
		sn->taken = false;
		pthread_cond_signal(&sn->work);
	}
	pthread_mutex_unlock(&sn->lock);
	if (ret)
		snapshots_fail(sn, f, "the thread to write it could not be started");
}

/* --- reporting ---------------------------------------------------------------------------- */

static void log_snapshot_losses(struct snapshots *sn, struct slice *s)
{
	if (sn->told_maps != sn->logged_maps || sn->told_switches != sn->logged_switches)
		slice_log(s, SLICE_INFO,
			  "snapshots: %llu maps and names and %llu switches were dropped as too "
			  "old", (unsigned long long)(sn->told_maps - sn->logged_maps),
			  (unsigned long long)(sn->told_switches - sn->logged_switches));
	sn->logged_maps = sn->told_maps;
	sn->logged_switches = sn->told_switches;
	if (sn->refused != sn->told_refused)
		slice_log(s, SLICE_WARNING, "%llu snapshots were refused: the disk is too slow",
			  (unsigned long long)(sn->refused - sn->told_refused));
	sn->told_refused = sn->refused;
}

static void report_snapshot(struct slice_snapshot *said, struct slice *s)
{
	said->changed = s->end;
	slice_add_snapshot(s, said);
	if (said->dropped)
		slice_log(s, SLICE_WARNING, "snapshot %u: %llu records are too long for the file",
			  said->nr, (unsigned long long)said->dropped);
	if (said->state == SNAPSHOT_WRITTEN)
		slice_log(s, SLICE_INFO, "snapshot %u (%s) is in %s", said->nr, said->reason,
			  said->file);
	else if (said->state == SNAPSHOT_FAILED)
		slice_log(s, SLICE_WARNING, "snapshot %u (%s) failed: %s%s%s", said->nr,
			  said->reason, said->error ? said->error : "out of memory",
			  said->file ? ": " : "", said->file ? said->file : "");
}

static uint64_t count_since(uint64_t *told, uint64_t now)
{
	uint64_t fresh = now - *told;

	*told = now;
	return fresh;
}

void snapshots_report(struct snapshots *sn, struct slice *s)
{
	struct snapfile *news;

	s->self.maps_forgotten = count_since(&sn->told_maps, sidelog_dropped(sn->maps));
	s->self.switches_forgotten = count_since(&sn->told_switches, sidelog_dropped(sn->switches));
	pthread_mutex_lock(&sn->lock);
	news = sn->news;
	sn->news = NULL;
	if (sn->answer) {
		slice_pt_free(s->pt);
		s->pt = sn->answer;
		s->pt->changed = s->end;
		sn->answer = NULL;
	}
	if (news || sn->refused != sn->told_refused)
		log_snapshot_losses(sn, s);
	pthread_mutex_unlock(&sn->lock);
	for (struct snapfile *f = news; f; f = f->next)
		report_snapshot(&f->said, s);
	drop_list(&news);
}
