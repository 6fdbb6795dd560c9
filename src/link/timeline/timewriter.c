/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A block is a link that is sent to the file.  After a failure the link's stream is ahead of the
 * file, so another block begins; the file is truncated to its length before the failed call, which
 * leaves it consistent.
 */
#include "link/timeline/timewriter.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "link/agent/compact.h"
#include "base/clock.h"
#include "base/units.h"
#include "base/vec.h"
#include "core/slice/merge.h"
#include "core/slice/sliceparts.h"
#include "link/timeline/timeformat.h"
#include "link/wire/message.h"

#define LOG_BYTES (1u << 20) /* of event log in a slice */
#define FOLD_MOST    64 /* samples in a slice that a folded path may have */
#define FOLD_SECONDS 20 /* shortest block from which a day's bytes are estimated */

struct timewriter {
	char path[PATH_MAX];
	int fd;
	uint64_t slice_ns, day, pos; /* pos: the file is complete up to it */
	uint32_t fold; /* compact_folded.most of the block; 0: nothing is folded */
	struct message_info info; /* owns its events and counters */
	struct compact *compact;
	struct slice *under_way; /* the current slice */
	struct link *block; /* NULL: another one begins with the next slice */
	uint64_t block_at, seq;
	struct slice_account *pending; /* newest pending counts by event and CPU */
	size_t npending, cap_pending;
	struct slice_fieldlist *lists; /* all lists so far */
	size_t nlists, cap_lists;
	struct timeformat_index index;
	bool unindexed; /* the index is incomplete, for lack of memory */
	uint64_t gap_ns; /* time missing since the last slice written */
	int gap_error;
	struct timewriter_figures figures;
};

/* --- making one --------------------------------------------------------------------------- */

static int open_new_file(const char *path, struct err *err)
{
	char old[PATH_MAX + 8];
	struct stat st;
	int fd;

	if (strlen(path) >= PATH_MAX)
		return err_set(err, ENAMETOOLONG, "the name of the time line's file is too long");
	snprintf(old, sizeof(old), "%s.old", path);
	if (!lstat(path, &st)) {
		if (!S_ISREG(st.st_mode))
			return err_set(err, EINVAL, "%.400s already exists and is not a regular "
						    "file", path);
		if (rename(path, old))
			return err_set(err, errno,
				       "cannot rename the existing %.400s: %s", path,
				       strerror(errno));
	}
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	return fd < 0 ? err_set(err, errno, "cannot write %.400s: %s", path, strerror(errno)) : fd;
}

static int write_head(int fd, uint64_t *pos)
{
	struct wire_out o = {.len = 0};
	int ret = 0;

	timeformat_put_head(&o);
	if (o.failed)
		ret = -ENOMEM;
	else if (pwrite(fd, o.data, o.len, 0) != (ssize_t)o.len)
		ret = errno ? -errno : -ENOSPC;
	*pos = o.len;
	if (!ret && lseek(fd, (off_t)o.len, SEEK_SET) < 0)
		ret = -errno;
	wire_clear(&o);
	return ret;
}

/* Copy by encoding and decoding: the table of fields is the only list of its members. */
int timewriter_info(struct timewriter *w, const struct session_info *info)
{
	struct wire_out o = {.len = 0};
	struct link_frame f = {.kind = WIRE_INFO};
	struct message_info copy;
	struct err err;
	int ret;

	message_put(&o, WIRE_INFO, info);
	f.data = o.data;
	f.len = o.len;
	ret = o.failed ? -ENOMEM : message_get(&f, &copy, SIZE_MAX, &err);
	wire_clear(&o);
	if (ret)
		return ret;
	message_clear(WIRE_INFO, &w->info);
	w->info = copy;
	w->info.info.live = false;
	link_free(w->block);
	w->block = NULL;
	return 0;
}

struct timewriter *timewriter_create(const char *path, const struct session_info *info,
				     const struct timewriter_config *c, struct err *err)
{
	struct timewriter *w = calloc(1, sizeof(*w));
	int ret;

	if (!w)
		return err_null(err_room(err, ENOMEM, "the time line"));
	w->slice_ns = c->slice_ns ? c->slice_ns : TIMEWRITER_SLICE_NS;
	w->day = c->day ? c->day : TIMEWRITER_DAY;
	w->fd = open_new_file(path, err);
	w->compact = compact_create();
	if (w->fd < 0) {
		timewriter_free(w);
		return NULL;
	}
	strcpy(w->path, path);
	if (w->compact && c->lines)
		compact_lines(w->compact);
	ret = w->compact ? timewriter_info(w, info) : -ENOMEM;
	if (!ret)
		ret = write_head(w->fd, &w->pos);
	w->figures.bytes = w->pos;
	if (!ret)
		return w;
	err_set(err, -ret, "cannot write %.400s: %s", path, strerror(-ret));
	unlink(path);
	timewriter_free(w);
	return NULL;
}

void timewriter_free(struct timewriter *w)
{
	if (!w)
		return;
	if (w->fd >= 0)
		close(w->fd);
	message_clear(WIRE_INFO, &w->info);
	compact_free(w->compact);
	slice_free(w->under_way);
	link_free(w->block);
	free(w->pending);
	free(w->lists);
	fields_clear(&timeformat_index_fields, &w->index);
	free(w);
}

/* --- bytes -------------------------------------------------------------------------------- */

/* Write all bytes of l to the file, or none. */
static int send_link(struct timewriter *w, struct link *l)
{
	size_t len = link_unsent(l);
	int ret = link_send(l, w->fd);

	if (!ret && link_unsent(l))
		ret = -EAGAIN;
	if (!ret) {
		w->pos += len;
		w->figures.bytes += len;
		return 0;
	}
	if (ftruncate(w->fd, (off_t)w->pos) || lseek(w->fd, (off_t)w->pos, SEEK_SET) < 0)
		return ret; /* the next block still gets its offset in the index from `pos` */
	return ret;
}

static int put_table_frame(struct link *l, unsigned kind, const struct fields *t, const void *from)
{
	struct wire_out o = {.len = 0};
	int ret;

	fields_put(&o, t, from);
	ret = link_put(l, (enum wire_kind)kind, &o, false);
	wire_clear(&o);
	return ret;
}

/* --- pending counts ----------------------------------------------------------------------- */

static struct slice_account *find_or_add_pending(struct timewriter *w,
						 const struct slice_account *a, size_t hint)
{
	if (hint < w->npending && w->pending[hint].event == a->event &&
	    w->pending[hint].cpu == a->cpu)
		return &w->pending[hint];
	for (size_t i = 0; i < w->npending; i++)
		if (w->pending[i].event == a->event && w->pending[i].cpu == a->cpu)
			return &w->pending[i];
	return VEC_ADD(w->pending, w->npending, w->cap_pending);
}

static int note_last_pending(struct timewriter *w, const struct slice *s)
{
	for (size_t i = 0; i < s->naccounts; i++) {
		const struct slice_account *a = &s->accounts[i];
		struct slice_account *p = find_or_add_pending(w, a, i);

		if (!p)
			return -ENOMEM;
		*p = (struct slice_account){
			.event = a->event, .cpu = a->cpu, .exact = true, .pending = a->pending};
	}
	return 0;
}

/* --- lists of fields ----------------------------------------------------------------------- */

static bool is_list_known(const struct timewriter *w, const struct slice_fieldlist *l)
{
	for (size_t i = 0; i < w->nlists; i++)
		if (w->lists[i].event == l->event && w->lists[i].by == l->by)
			return true;
	return false;
}

static int note_lists(struct timewriter *w, const struct slice *s)
{
	for (size_t i = 0; i < s->nlists; i++)
		if (!is_list_known(w, &s->lists[i]) &&
		    !VEC_PUSH(w->lists, w->nlists, w->cap_lists, s->lists[i]))
			return -ENOMEM;
	return 0;
}

static int put_known_lists(const struct timewriter *w, struct slice *s)
{
	for (size_t i = 0; i < w->nlists; i++)
		if (!VEC_PUSH(s->lists, s->nlists, s->cap_lists, w->lists[i]))
			return -ENOMEM;
	return 0;
}

/* --- blocks ------------------------------------------------------------------------------- */

static int put_slice_message(struct timewriter *w, struct slice *s)
{
	struct message_slice m = {.seq = ++w->seq, .sent_ns = s->end, .slice = s};

	return message_send(w->block, WIRE_SLICE, &m);
}

/* Put a slice of no length with pending counts and lists, so that reading can begin here. */
static int put_pending(struct timewriter *w, const struct slice *first)
{
	struct slice *s = slice_create();
	int ret = s ? put_known_lists(w, s) : -ENOMEM;

	for (size_t i = 0; i < w->npending && !ret; i++) {
		struct slice_account *a = slice_add_account(s);

		if (a)
			*a = w->pending[i];
		else
			ret = -ENOMEM;
	}
	if (!ret) {
		s->start = s->end = first->start;
		s->wall = first->wall - (first->end - first->start);
		s->self = first->self;
		slice_self_quiet(&s->self);
		memcpy(s->helpers, first->helpers, sizeof(s->helpers));
		s->recording = first->recording;
		ret = put_slice_message(w, s);
	}
	slice_free(s);
	return ret;
}

static bool block_is_over(const struct timewriter *w, const struct slice *next)
{
	const struct timeformat_block *b =
		w->index.nblocks ? &w->index.blocks[w->index.nblocks - 1] : NULL;

	return !w->block || w->pos - w->block_at > TIMEWRITER_BLOCK_MAX ||
	       (b && next->end - b->start > TIMEWRITER_BLOCK_NS);
}

/* Fold more or less than in the last block, so that a day fits. */
static void choose_fold(struct timewriter *w)
{
	const struct timeformat_block *b =
		w->index.nblocks ? &w->index.blocks[w->index.nblocks - 1] : NULL;
	double seconds = b ? (double)(b->end - b->start) / NSEC_PER_SEC : 0,
	       most = (double)w->day / 86400;
	double rate = seconds >= FOLD_SECONDS ? (double)(w->pos - b->at) / seconds : 0;

	if (seconds < FOLD_SECONDS)
		return; /* the start of a block is the most expensive part: no basis for a day */
	if (rate > most && w->fold < FOLD_MOST)
		w->fold = w->fold ? 2 * w->fold : 1;
	else if (rate < most / 2)
		w->fold /= 2;
}

static int begin_block(struct timewriter *w, const struct slice *first)
{
	struct timeformat_block b = {.at = w->pos, .start = first->start, .end = first->start};
	int ret;

	choose_fold(w);

	compact_restart(w->compact);
	link_free(w->block);
	w->block = link_create();
	w->block_at = w->pos;
	if (!w->block)
		return -ENOMEM;
	ret = put_table_frame(w->block, TIMEFORMAT_BLOCK, &timeformat_block_fields, &b);
	if (!ret)
		ret = message_send(w->block, WIRE_INFO, &w->info);
	if (!ret)
		ret = put_pending(w, first);
	if (!ret && !VEC_PUSH(w->index.blocks, w->index.nblocks, w->index.cap_blocks, b))
		w->unindexed = true;
	return ret;
}

/* --- slices ------------------------------------------------------------------------------- */

/* Report the time missing before the slice. */
static void say_gap(struct timewriter *w, struct slice *s)
{
	char span[UNITS_LEN];

	if (w->gap_ns)
		slice_log(s, SLICE_WARNING, "%s before this point are missing in the time line: %s",
			  units_span(span, w->gap_ns), strerror(-w->gap_error));
}

static int write_slice(struct timewriter *w, struct slice *s)
{
	bool first = block_is_over(w, s);
	size_t blocks = w->index.nblocks;
	struct compact_folded folded = {.most = w->fold};
	int ret = first ? begin_block(w, s) : 0;

	if (ret)
		return ret;
	slice_logged_fit(s->logged, &s->nlogged, LOG_BYTES, &s->logging);
	w->figures.unnamed += compact_run(w->compact, s, w->fold ? &folded : NULL) != 0;
	w->figures.folded += folded.samples;
	ret = note_last_pending(w, s);
	ret = ret ? ret : note_lists(w, s);
	ret = ret ? ret : put_slice_message(w, s);
	ret = ret ? ret : send_link(w, w->block);
	if (ret && first && w->index.nblocks > blocks)
		w->index.nblocks--;
	if (!ret && w->index.nblocks && !w->unindexed) {
		w->index.blocks[w->index.nblocks - 1].end = s->end;
		w->index.blocks[w->index.nblocks - 1].slices++;
	}
	return ret;
}

/* Write the current slice, and free it also on failure. */
static int flush(struct timewriter *w)
{
	struct slice *s = w->under_way;
	int ret;

	if (!s)
		return 0;
	w->under_way = NULL;
	say_gap(w, s);
	ret = write_slice(w, s);
	if (ret) {
		link_free(w->block);
		w->block = NULL;
		w->figures.missing++;
		w->figures.missing_ns += s->end - s->start;
		w->gap_ns += s->end - s->start;
		w->gap_error = ret;
	} else {
		w->figures.slices++;
		w->gap_ns = 0;
	}
	slice_free(s);
	return ret;
}

int timewriter_add(struct timewriter *w, struct slice *s)
{
	uint64_t began = clock_read(CLOCK_THREAD_CPUTIME_ID);
	int ret = 0;

	parts_drop(s, PART_UNSAVED); /* the info of a block has the result of changes */
	if (w->under_way && slice_merge(w->under_way, s))
		ret = flush(w); /* no memory to merge: write two slices */
	else if (w->under_way)
		s = NULL;
	if (s)
		w->under_way = s;
	s = w->under_way;
	if (s->last || s->end / w->slice_ns > s->start / w->slice_ns) {
		int r = flush(w);

		ret = ret ? ret : r;
	}
	w->figures.cpu_ns += clock_read(CLOCK_THREAD_CPUTIME_ID) - began;
	return ret;
}

int timewriter_known(struct timewriter *w, struct slice *known)
{
	int ret = compact_run(w->compact, known, NULL), pending = note_last_pending(w, known),
	    lists = note_lists(w, known);

	w->figures.unnamed += ret != 0;
	slice_free(known);
	return ret ? ret : pending ? pending : lists;
}

void timewriter_lines(struct timewriter *w)
{
	compact_lines(w->compact);
}

int timewriter_mark(struct timewriter *w, const struct session_mark *m)
{
	struct link *l = link_create();
	int ret = l ? put_table_frame(l, TIMEFORMAT_MARK, &timeformat_mark_fields, m) : -ENOMEM;

	if (!ret)
		ret = send_link(w, l);
	if (!ret && !VEC_PUSH(w->index.marks, w->index.nmarks, w->index.cap_marks, *m))
		w->unindexed = true;
	link_free(l);
	return ret;
}

/* --- the end ------------------------------------------------------------------------------ */

/* Write the index; without one the file takes longer to open, but is complete. */
static int write_block_index(struct timewriter *w)
{
	struct wire_out index = {.len = 0}, end = {.len = 0};
	struct link *l = link_create();
	int ret = l ? 0 : -ENOMEM;

	fields_put(&index, &timeformat_index_fields, &w->index);
	wire_put(&end, w->pos, 8);
	if (!ret && index.len <= LINK_FRAME_MAX && !w->unindexed) {
		ret = link_put(l, (enum wire_kind)TIMEFORMAT_INDEX, &index, false);
		if (!ret)
			ret = link_put(l, (enum wire_kind)TIMEFORMAT_END, &end, false);
		if (!ret)
			ret = send_link(w, l);
	}
	wire_clear(&index);
	wire_clear(&end);
	link_free(l);
	return ret;
}

int timewriter_finish(struct timewriter *w, struct err *err)
{
	int ret = flush(w);

	if (!ret)
		ret = write_block_index(w);
	if (!ret && fsync(w->fd))
		ret = -errno;
	return ret ? err_set(err, -ret,
			     "cannot finish %.400s: %s; the part written before can be read",
			     w->path, strerror(-ret))
		   : 0;
}

/* As any block, the new file's first one defines live names again. */
int timewriter_turn(struct timewriter *w, const char *path, struct err *err)
{
	int fd = open_new_file(path, err), ret;
	uint64_t pos = 0;

	if (fd < 0)
		return fd;
	ret = write_head(fd, &pos);
	if (ret)
		err_set(err, -ret, "cannot write %.400s: %s", path, strerror(-ret));
	else
		ret = timewriter_finish(w, err);
	if (ret) {
		close(fd);
		unlink(path);
		return ret;
	}
	close(w->fd);
	link_free(w->block);
	w->block = NULL;
	fields_clear(&timeformat_index_fields, &w->index);
	w->index = (struct timeformat_index){.nblocks = 0};
	w->unindexed = false;
	w->fd = fd;
	w->pos = pos;
	w->figures.bytes += pos;
	strcpy(w->path, path);
	return 0;
}

void timewriter_figures(const struct timewriter *w, struct timewriter_figures *f)
{
	const struct timeformat_index *index = &w->index;

	*f = w->figures;
	f->file_bytes = w->pos;
	f->file_ns =
		index->nblocks ? index->blocks[index->nblocks - 1].end - index->blocks[0].start : 0;
}
