/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A slice is copied by encoding and decoding it, as for the file.  So a member that is added to
 * slices is saved as soon as it is encoded.
 */
#include "link/timeline/saver.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "base/thread.h"
#include "base/units.h"
#include "core/slice/sliceparts.h"
#include "measure/session/outbox.h"
#include "measure/session/session_backfill.h"
#include "link/timeline/timefile.h"
#include "link/timeline/timewriter.h"
#include "link/wire/slicecode.h"

#define MARKS_WAITING 64 /* marks set between two slices */

struct saver {
	struct session base;
	struct session *inner;
	struct session_ops ops; /* the inner one's name while nothing is saved */
	char *path; /* a file, or the ring's directory; NULL: nothing is saved */
	struct session_backfill past; /* history for the thread to write first */
	struct timering_config ring; /* dir is NULL: one file */
	struct outbox outbox;
	bool queue;   /* outbox is initialized */
	pthread_t thread;
	bool running;
	uint64_t copy_ns; /* CPU time of making copies */
	uint64_t uncopied; /* slices not copied, without memory */

	pthread_mutex_t lock; /* protects the members below */
	struct timewriter *writer; /* used by the thread only while it runs */
	struct session_mark marks[MARKS_WAITING];
	unsigned nmarks;
	bool lines; /* lines are saved from now on */
	/* changed info for the thread, with a copy of its events; NULL: none */
	struct session_info *info;
	int failing; /* -errno of the last slice; 0: it was written */
	bool said;   /* `failing` was reported */
	struct err error; /* for the end */
};

/* --- the thread --------------------------------------------------------------------------- */

static void info_free(struct session_info *info)
{
	if (info)
		free(info->events);
	free(info);
}

static struct session_info *info_copy(const struct session_info *from)
{
	struct session_info *info = malloc(sizeof(*info));

	if (!info)
		return NULL;
	*info = *from;
	info->events = malloc((from->nevents + 1) * sizeof(*info->events));
	if (!info->events) {
		free(info);
		return NULL;
	}
	memcpy(info->events, from->events, from->nevents * sizeof(*info->events));
	return info;
}

/* Pass marks, a changed info and lines to the writer. */
static int take_news(struct saver *v)
{
	struct session_mark marks[MARKS_WAITING];
	struct session_info *info;
	unsigned nmarks;
	bool lines;
	int ret = 0;

	pthread_mutex_lock(&v->lock);
	memcpy(marks, v->marks, sizeof(marks));
	nmarks = v->nmarks;
	info = v->info;
	lines = v->lines;
	v->nmarks = 0;
	v->info = NULL;
	pthread_mutex_unlock(&v->lock);
	if (lines)
		timewriter_lines(v->writer);
	if (info)
		ret = timewriter_info(v->writer, info);
	info_free(info);
	for (unsigned i = 0; i < nmarks && !ret; i++)
		ret = timewriter_mark(v->writer, &marks[i]);
	return ret;
}

static void note_write_result(struct saver *v, int ret)
{
	pthread_mutex_lock(&v->lock);
	if (ret != v->failing)
		v->said = false;
	v->failing = ret;
	pthread_mutex_unlock(&v->lock);
}

static void finish_time_line(struct saver *v)
{
	struct timewriter_figures f;
	struct err err = {.code = 0};
	char span[UNITS_LEN];

	take_news(v);
	timewriter_finish(v->writer, &err);
	timewriter_figures(v->writer, &f);
	log_msg(LOG_SESSION,
		"time line: %llu slices, %llu bytes in %s, %llu samples folded; %.3f s of CPU time "
		"to write, %.3f s to copy",
		(unsigned long long)f.slices, (unsigned long long)f.bytes, v->path,
		(unsigned long long)f.folded, (double)f.cpu_ns / NSEC_PER_SEC,
		(double)v->copy_ns / NSEC_PER_SEC);
	if (!err.code && f.missing)
		err_set(&err, v->failing ? -v->failing : EIO,
			"%s are missing in %.300s: writing failed",
			units_span(span, f.missing_ns), v->path);
	if (!err.code && v->uncopied)
		err_set(&err, ENOMEM, "%llu slices are missing in %.300s: out of memory",
			(unsigned long long)v->uncopied, v->path);
	pthread_mutex_lock(&v->lock);
	v->error = err;
	pthread_mutex_unlock(&v->lock);
}

/* Turn to a new file if a ring's file is full. */
static int turn_full_file(struct saver *v)
{
	struct timewriter_figures f;
	struct err err = {.code = 0};
	char path[PATH_MAX];
	int ret;

	timewriter_figures(v->writer, &f);
	if (!v->ring.dir || !timering_is_full(&v->ring, f.file_bytes, f.file_ns))
		return 0;
	ret = timering_next(&v->ring, clock_read(CLOCK_REALTIME), path, &err);
	if (!ret)
		ret = timewriter_turn(v->writer, path, &err);
	if (ret)
		log_msg(LOG_SESSION, "time line: %s", err.text);
	return ret;
}

/* Write the history from before saving began.  The writer counts what it cannot write. */
static void write_past(struct saver *v)
{
	struct session_backfill *p = &v->past;
	int ret = 0;

	for (size_t i = 0; i < p->nr; i++) {
		int r = i ? timewriter_add(v->writer, p->slices[i])
			  : timewriter_known(v->writer, p->slices[i]);

		p->slices[i] = NULL;
		ret = r ? r : ret;
	}
	for (size_t i = 0; i < p->nmarks; i++) {
		int r = timewriter_mark(v->writer, &p->marks[i]);

		ret = r ? r : ret;
	}
	session_backfill_clear(p);
	if (ret)
		note_write_result(v, ret);
}

static void *saver_thread(void *arg)
{
	struct saver *v = arg;
	struct pollfd p = {.fd = v->outbox.fd, .events = POLLIN};
	struct slice *s;
	int ret = 0;

	pthread_setname_np(pthread_self(), "ringtop-saver");
	write_past(v);
	while (!ret) {
		while (!(ret = outbox_take(&v->outbox, &s)) && s) {
			/* Turn before adding: each new file gets a slice. */
			int turned = turn_full_file(v), news = take_news(v),
			    add = timewriter_add(v->writer, s);

			note_write_result(v, add ? add : news ? news : turned);
		}
		if (!ret && poll(&p, 1, -1) < 0 && errno != EINTR)
			ret = -errno;
	}
	finish_time_line(v);
	return NULL;
}

/* --- the front end's thread --------------------------------------------------------------- */

/* Report in the slice that saving has begun, or failed. */
static void report_saving(struct saver *v, struct slice *s)
{
	int failing;

	pthread_mutex_lock(&v->lock);
	failing = v->failing;
	if (!v->said && failing)
		slice_log(s, SLICE_WARNING,
			  "the time line cannot be saved to %s: %s; retrying",
			  v->path, strerror(-failing));
	else if (!v->said)
		slice_log(s, SLICE_INFO, "the time line is saved to %s", v->path);
	v->said = true;
	pthread_mutex_unlock(&v->lock);
}

/* Copy a slice without its code, which may be long and is no part of the time line. */
static struct slice *copy_of(struct slice *s)
{
	struct wire_out o = {.len = 0};
	size_t ncodes = s->ncodes;
	struct slice *copy = NULL;
	struct err err;

	s->ncodes = 0;
	slicecode_put(&o, s);
	s->ncodes = ncodes;
	if (!o.failed)
		copy = slicecode_get(o.data, o.len, SIZE_MAX, &err);
	wire_clear(&o);
	return copy;
}

static void save(struct saver *v, struct slice *s)
{
	uint64_t began = clock_read(CLOCK_THREAD_CPUTIME_ID);
	struct slice *copy = copy_of(s);
	struct session_info *info = parts_count(s, PART_ANEW) ? info_copy(&v->base.info) : NULL;

	if (parts_count(s, PART_ANEW)) {
		pthread_mutex_lock(&v->lock);
		info_free(v->info);
		v->info = info;
		pthread_mutex_unlock(&v->lock);
	}
	if (copy && (info || !parts_count(s, PART_ANEW)))
		outbox_put(&v->outbox, copy);
	else
		slice_free(copy), v->uncopied++;
	v->copy_ns += clock_read(CLOCK_THREAD_CPUTIME_ID) - began;
	report_saving(v, s);
}

/* Copy the inner session's info, which its next() may change. */
static void follow_info(struct saver *v)
{
	v->base.info = v->inner->info;
	v->base.info.saving = v->path;
}

static int saver_next(struct session *s, struct slice **slice)
{
	struct saver *v = (struct saver *)s;
	int ret = v->inner->ops->next(v->inner, slice);

	follow_info(v);
	if (*slice && v->running)
		save(v, *slice);
	return ret;
}

static int saver_fd(struct session *s)
{
	struct saver *v = (struct saver *)s;

	return v->inner->ops->fd(v->inner);
}

static int queue_mark(struct saver *v, const struct session_request *rq, struct err *err)
{
	struct session_mark m = {.time = rq->number};
	bool room;

	text_append(m.name, sizeof(m.name), 0, "%s", rq->text);
	pthread_mutex_lock(&v->lock);
	room = v->nmarks < MARKS_WAITING;
	if (room)
		v->marks[v->nmarks++] = m;
	pthread_mutex_unlock(&v->lock);
	return room ? 0 : err_set(err, EBUSY, "too many marks at once: some are not saved");
}

static int begin_late(struct saver *v, const struct session_request *rq, struct err *err);

/*
 * Save lines, too.  A session of this machine has them anyway: only a remote one gets the command.
 */
static int lines(struct saver *v, const struct session_request *rq, struct err *err)
{
	pthread_mutex_lock(&v->lock);
	v->lines = true;
	pthread_mutex_unlock(&v->lock);
	return v->inner->info.nhosts ? v->inner->ops->command(v->inner, rq, err) : 0;
}

static int saver_command(struct session *s, const struct session_request *rq, struct err *err)
{
	struct saver *v = (struct saver *)s;

	if (rq->command == SESSION_SAVE)
		return begin_late(v, rq, err);
	if (rq->command == SESSION_LINES)
		return lines(v, rq, err);
	if (rq->command == SESSION_MARK && v->running)
		return queue_mark(v, rq, err);
	return v->inner->ops->command(v->inner, rq, err);
}

static int saver_choices(struct session *s, struct session_choice **list, size_t *nr,
			 struct err *err)
{
	struct saver *v = (struct saver *)s;

	*list = NULL;
	*nr = 0;
	return v->inner->ops->choices
		       ? v->inner->ops->choices(v->inner, list, nr, err)
		       : err_set(err, EOPNOTSUPP, "no events can be added to this session");
}

static int saver_fields(struct session *s, unsigned event, struct session_choice **list, size_t *nr,
			struct err *err)
{
	struct saver *v = (struct saver *)s;

	*list = NULL;
	*nr = 0;
	return v->inner->ops->fields
		       ? v->inner->ops->fields(v->inner, event, list, nr, err)
		       : err_set(err, EOPNOTSUPP, "the fields of this session cannot be changed");
}

static void saver_stop(struct session *s)
{
	struct saver *v = (struct saver *)s;

	v->inner->ops->stop(v->inner);
}

/* The file is read while it is written: up to the last complete second. */
static struct session *saver_saved(struct session *s, struct err *err)
{
	struct saver *v = (struct saver *)s;

	if (v->path)
		return timefile_open(
			&(struct timefile_config){.path = v->path,
						  .stretch = true,
						  .session = v->inner->info.start_wall},
			err);
	err_set(err, ENOENT, "this session is not saved");
	return NULL;
}

/* Stop the thread after it has written all queued slices. */
static void stop_saver_thread(struct saver *v)
{
	if (!v->running)
		return;
	v->running = false;
	outbox_end(&v->outbox, -ESHUTDOWN);
	pthread_join(v->thread, NULL);
}

static void saver_end(struct session *s, struct session_end *end)
{
	struct saver *v = (struct saver *)s;

	v->inner->ops->end(v->inner, end);
	pthread_mutex_lock(&v->lock);
	if (!end->error && v->error.code) {
		end->error = -v->error.code;
		text_append(end->text, sizeof(end->text), 0, "%s", v->error.text);
	}
	pthread_mutex_unlock(&v->lock);
}

static void saver_close(struct session *s)
{
	struct saver *v = (struct saver *)s;

	stop_saver_thread(v);
	timewriter_free(v->writer);
	if (v->queue)
		outbox_clear(&v->outbox);
	info_free(v->info);
	session_backfill_clear(&v->past);
	free(v->path);
	pthread_mutex_destroy(&v->lock);
	session_close(v->inner);
	free(v);
}

static void saver_abandon(struct session *s)
{
	struct saver *v = (struct saver *)s;

	v->inner->ops->abandon(v->inner);
	stop_saver_thread(v);
}

static const struct session_ops saver_ops = {
	.name = "saved",
	.next = saver_next,
	.fd = saver_fd,
	.command = saver_command,
	.choices = saver_choices,
	.fields = saver_fields,
	.saved = saver_saved,
	.stop = saver_stop,
	.end = saver_end,
	.close = saver_close,
	.abandon = saver_abandon,
};

/* Create the writer; in a ring a day may take at most the bytes that the ring has for one. */
static int create_writer(struct saver *v, const struct saver_config *c, struct err *err)
{
	struct timewriter_config how = c->how;
	char path[PATH_MAX];
	double day = c->ring.dir ? (double)c->ring.bytes /
					   ((double)c->ring.keep_ns / NSEC_PER_SEC) * 86400
				 : 0;

	how.lines |= v->lines;
	if (c->ring.dir && day < (double)TIMEWRITER_DAY && !how.day)
		how.day = (uint64_t)day + 1;
	if (c->ring.dir && timering_next(&c->ring, clock_read(CLOCK_REALTIME), path, err))
		return -err->code;
	v->writer = timewriter_create(c->ring.dir ? path : c->path, &v->inner->info, &how, err);
	return v->writer ? 0 : -err->code;
}

static const char *why_not_savable(const struct session_info *info)
{
	if (info->nhosts > 1)
		return "a time line of several hosts cannot be saved: save one for each host";
	return info->seeks ? "this is a saved time line already" : NULL;
}

/* Start the writer and its thread.  On failure the caller cleans up: undo(), or saver_close(). */
static int start_saving(struct saver *v, const struct saver_config *c, struct err *err)
{
	const char *why = why_not_savable(&v->inner->info),
		   *path = c->ring.dir ? c->ring.dir : c->path;
	int ret = why ? err_set(err, EOPNOTSUPP, "%s", why) : outbox_init(&v->outbox);

	if (why)
		return ret;
	v->queue = !ret;
	v->path = ret ? NULL : strdup(path);
	if (!v->path)
		ret = err_room(err, ENOMEM, "the time line");
	if (!ret)
		ret = create_writer(v, c, err);
	if (ret)
		return ret;
	v->ops.name = saver_ops.name;
	ret = thread_start(&v->thread, saver_thread, v);
	v->running = !ret;
	return ret ? err_set(err, -ret, "no thread for the time line: %s", strerror(-ret)) : 0;
}

static void undo(struct saver *v)
{
	timewriter_free(v->writer);
	v->writer = NULL;
	if (v->queue)
		outbox_clear(&v->outbox);
	v->queue = false;
	free(v->path);
	v->path = NULL;
}

static int begin_late(struct saver *v, const struct session_request *rq, struct err *err)
{
	struct saver_config c = {.path = rq->text};
	int ret;

	if (v->path)
		return err_set(err, EBUSY, "the time line is saved to %.300s already", v->path);
	v->past = *rq->past;
	ret = start_saving(v, &c, err);
	if (ret) {
		v->past = (struct session_backfill){.nr = 0}; /* the history stays the caller's */
		undo(v);
		return ret;
	}
	*rq->past = (struct session_backfill){.nr = 0};
	follow_info(v);
	return 0;
}

struct session *saver_open(struct session *inner, const struct saver_config *c, struct err *err)
{
	struct saver *v = calloc(1, sizeof(*v));

	if (!v)
		return err_null(err_room(err, ENOMEM, "the time line"));
	v->ops = saver_ops;
	v->ops.name = inner->ops->name;
	v->base.ops = &v->ops;
	v->inner = inner;
	v->ring = c->ring;
	pthread_mutex_init(&v->lock, NULL);
	if ((!c->path && !c->ring.dir) || !start_saving(v, c, err)) {
		follow_info(v);
		return &v->base;
	}
	v->inner = NULL; /* stays the caller's */
	saver_close(&v->base);
	return NULL;
}
