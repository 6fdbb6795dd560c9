/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "link/timeline/timefile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/daytime.h"
#include "base/text.h"
#include "link/timeline/timechain.h"
#include "link/timeline/timering.h"

struct timefile {
	struct session base;
	int ready_fd; /* an eventfd, readable while next() has more */
	struct timechain *chain;
	size_t from, to;  /* blocks of the stretch */
	uint64_t bad;	  /* blocks that could not be read to their end */
	struct err problem; /* the first of them */
	bool over, told;  /* the stretch was read to its end; the file's problems were reported */
};

/* --- the ops ------------------------------------------------------------------------------ */

static void say_file(struct timefile *f, struct slice *s)
{
	if (!f->told && timechain_unfinished(f->chain))
		slice_log(
			s, SLICE_INFO,
			"the file was not finished: it is shown up to the last slice written");
	if (!f->told && timechain_left_out(f->chain))
		slice_log(
			s, SLICE_WARNING,
			"%zu files of the directory are ignored: they cannot be read, or have "
			"other events", timechain_left_out(f->chain));
	if (!f->told && timechain_copies(f->chain))
		slice_log(
			s, SLICE_WARNING,
			"%zu files of the directory are copies of others (same session, same "
			"time): they are ignored", timechain_copies(f->chain));
	f->told = true;
}

static float part_read(const struct timefile *f, const struct slice *s)
{
	const struct timeformat_block *b = timechain_index(f->chain)->blocks;
	uint64_t from = b[f->from].start, to = b[f->to - 1].end;

	return s->end > from && s->end < to ? (float)(s->end - from) / (float)(to - from) : 1;
}

static int timefile_next(struct session *s, struct slice **slice)
{
	struct timefile *f = (struct timefile *)s;
	struct err err = {.code = 0};
	int ret;

	*slice = NULL;
	while (!f->over && (ret = timechain_next(f->chain, slice, &err)))
		if (ret && !f->bad++)
			f->problem = err;
	if (*slice) {
		say_file(f, *slice);
		(*slice)->progress = part_read(f, *slice);
		(*slice)->last = false;
		return 0;
	}
	if (!f->over)
		eventfd_read(f->ready_fd, &(eventfd_t){0});
	f->over = true;
	return -ESHUTDOWN;
}

static int timefile_fd(struct session *s)
{
	return ((struct timefile *)s)->ready_fd;
}

static void begin_stretch(struct timefile *f, size_t from, size_t to)
{
	f->from = from;
	f->to = to;
	timechain_seek(f->chain, from, to);
	f->over = false;
	eventfd_write(f->ready_fd, 1);
}

/* Begin with the stretch of blocks around a time. */
static void begin_around(struct timefile *f, uint64_t time)
{
	uint64_t half = TIMEFILE_STRETCH_NS / 2, end = f->base.info.begins + f->base.info.length;
	uint64_t to = time + half < end ? time + half : end,
		 from = to > 2 * half ? to - 2 * half : 0;

	begin_stretch(f, timeformat_find(timechain_index(f->chain), from),
		      timeformat_find(timechain_index(f->chain), to) + 1);
}

static int timefile_command(struct session *s, const struct session_request *rq, struct err *err)
{
	struct timefile *f = (struct timefile *)s;

	if (rq->command == SESSION_SEEK) {
		begin_around(f, rq->number);
		return 0;
	}
	if (rq->command == SESSION_CODE)
		return err_set(err, EOPNOTSUPP, "a saved time line does not have the functions' "
						"code");
	return err_set(err, EOPNOTSUPP, "this is a saved time line: nothing is measured");
}

static void timefile_stop(struct session *s)
{
	struct timefile *f = (struct timefile *)s;

	timechain_seek(f->chain, 0, 0);
}

static void timefile_end(struct session *s, struct session_end *end)
{
	struct timefile *f = (struct timefile *)s;

	*end = (struct session_end){.error = 0};
	if (!f->bad)
		return;
	end->error = -f->problem.code;
	text_append(end->text, sizeof(end->text), 0, "%s", f->problem.text);
	if (f->bad > 1)
		snprintf(end->text, sizeof(end->text), "%.400s, and %llu more of its blocks",
			 f->problem.text, (unsigned long long)(f->bad - 1));
}

static void timefile_close(struct session *s)
{
	struct timefile *f = (struct timefile *)s;

	timechain_free(f->chain);
	if (f->ready_fd >= 0)
		close(f->ready_fd);
	free(f);
}

static void timefile_abandon(struct session *s)
{
	(void)s; /* nothing outlives the process */
}

static const struct session_ops timefile_ops = {
	.name = "time line",
	.next = timefile_next,
	.fd = timefile_fd,
	.command = timefile_command,
	.stop = timefile_stop,
	.end = timefile_end,
	.close = timefile_close,
	.abandon = timefile_abandon,
};

/* --- opening ------------------------------------------------------------------------------ */

static bool is_ring(const char *path)
{
	struct timering_file *files;
	size_t nr;

	if (timering_list(path, &files, &nr))
		return false;
	free(files);
	return nr > 0;
}

bool timefile_is_one(const char *path)
{
	char magic[sizeof(TIMEFORMAT_MAGIC) - 1];
	/* O_NONBLOCK: a FIFO would wait for a writer */
	int fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK) : -1;
	bool is = fd >= 0 && pread(fd, magic, sizeof(magic), 0) == sizeof(magic) &&
		  !memcmp(magic, TIMEFORMAT_MAGIC, sizeof(magic));

	if (fd >= 0)
		close(fd);
	return is || is_ring(path);
}

static void fill_file_info(struct timefile *f, const struct timefile_config *c)
{
	const struct timeformat_index *index = timechain_index(f->chain);
	struct session_info *info = &f->base.info;
	const char *target;

	*info = *timechain_info(f->chain);
	target = timechain_info(f->chain)->target;
	snprintf(info->target, sizeof(info->target), "%.80s: %.160s", c->path, target);
	info->live = false;
	info->self = 0;
	info->begins = index->blocks[0].start;
	info->length = index->blocks[index->nblocks - 1].end - info->begins;
	info->marks = index->marks;
	info->nmarks = index->nmarks;
}

static int begin_at(struct timefile *f, const struct timefile_config *c, struct err *err)
{
	struct session_info *info = &f->base.info;
	uint64_t from = info->start_wall + info->begins, wall = from;
	int ret = c->at ? daytime_parse(c->at, from, from + info->length, &wall, err) : 0;

	if (ret)
		return ret;
	info->seeks = c->stretch && info->length > TIMEFILE_STRETCH_NS;
	if (info->seeks)
		begin_around(f, c->at ? wall - info->start_wall : info->begins + info->length);
	else
		begin_stretch(f,
			      timeformat_find(timechain_index(f->chain), wall - info->start_wall),
			      timechain_index(f->chain)->nblocks);
	return 0;
}

static int prepare_timefile(struct timefile *f, const struct timefile_config *c, struct err *err)
{
	struct err why = {.code = 0};

	f->ready_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (f->ready_fd < 0)
		return err_room(err, errno, "the session");
	f->chain = timechain_open(c->path, c->session, &why);
	if (!f->chain) {
		err_set(err, why.code, "%.200s: %s", c->path, why.text);
		return *why.advice ? err_advise(err, "%s", why.advice) : -why.code;
	}
	fill_file_info(f, c);
	return begin_at(f, c, err);
}

struct session *timefile_open(const struct timefile_config *c, struct err *err)
{
	struct timefile *f = calloc(1, sizeof(*f));

	if (!f)
		return err_null(err_room(err, ENOMEM, "the session"));
	f->base.ops = &timefile_ops;
	f->ready_fd = -1;
	if (!prepare_timefile(f, c, err))
		return &f->base;
	timefile_close(&f->base);
	return NULL;
}
