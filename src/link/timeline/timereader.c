/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An index is trusted for offsets only: a block that is not at its offset is an error.  A file
 * without one is walked through from frame to frame, by their heads alone.
 */
#include "link/timeline/timereader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/compare.h"
#include "base/vec.h"
#include "core/slice/sliceparts.h"
#include "link/wire/message.h"
#include "link/wire/slicecheck.h"

#define BLOCKS_MAX (1u << 18)
#define MARKS_MAX  4096u /* of a file without an index; the newest are left out */
#define INDEX_BUDGET (32u << 20)
#define WINDOW	   (64u << 10) /* bytes per read of heads */

struct timereader {
	int fd;
	uint64_t size;
	struct timeformat_index index;
	struct message_info info;
	bool unfinished;
	/* State of reading. */
	size_t at, to; /* blocks still to be read */
	bool followed;
	uint64_t pos, end; /* offsets of the current block's bytes that are not fed yet */
	struct link *link; /* of the current block; NULL: none */
	unsigned given;    /* slices returned of the current block */
	struct slicecheck *check;
	struct slice *release; /* releases the ids that lived at the end of the last block */
	uint64_t time; /* end of the last slice */
	uint8_t window[WINDOW];
	uint64_t window_at; /* the window's offset in the file */
	size_t window_len;
};

/* --- bytes -------------------------------------------------------------------------------- */

/* Read `len` bytes.  Return 1; 0: the file ends before; -errno. */
static int read_at(const struct timereader *r, void *to, size_t len, uint64_t at)
{
	size_t done = 0;

	if (len > r->size || at > r->size - len)
		return 0;
	while (done < len) {
		ssize_t n = pread(r->fd, (char *)to + done, len - done, (off_t)(at + done));

		if (n < 0 && errno != EINTR)
			return -errno;
		if (!n)
			return 0; /* it became shorter */
		done += n > 0 ? (size_t)n : 0;
	}
	return 1;
}

/* Like read_at(), by a window: for a few bytes, mostly near the last ones. */
static int peek(struct timereader *r, uint8_t *to, size_t len, uint64_t at)
{
	if (at < r->window_at || at + len > r->window_at + r->window_len) {
		size_t want =
			r->size > at && r->size - at < WINDOW ? (size_t)(r->size - at) : WINDOW;
		int ret = want < len ? 0 : read_at(r, r->window, want, at);

		r->window_len = ret > 0 ? want : 0;
		r->window_at = at;
		if (ret <= 0)
			return ret;
	}
	memcpy(to, r->window + (at - r->window_at), len);
	return 1;
}

/* Read the frame of this kind at offset `at`, to be freed.  NULL: there is none, or no memory. */
static uint8_t *frame_at(struct timereader *r, unsigned kind, uint64_t at, size_t *len)
{
	uint8_t head[LINK_HEAD], *frame;
	enum wire_kind is;
	size_t size;

	if (read_at(r, head, sizeof(head), at) <= 0)
		return NULL;
	size = link_frame_size(head, &is);
	if (!size || (unsigned)is != kind || size > r->size - at)
		return NULL;
	frame = malloc(size);
	if (frame && read_at(r, frame, size, at) > 0 && link_frame_right(frame)) {
		*len = size - LINK_HEAD;
		return frame;
	}
	free(frame);
	return NULL;
}

/* Read the frame of this kind at offset `at` into a struct.  False: there is none. */
static bool fields_at(struct timereader *r, unsigned kind, uint64_t at, const struct fields *t,
		      void *to)
{
	size_t len, budget = INDEX_BUDGET;
	uint8_t *frame = frame_at(r, kind, at, &len);
	struct wire_in in;
	struct err err;
	int ret;

	if (!frame)
		return false;
	in = (struct wire_in){frame + LINK_HEAD, frame + LINK_HEAD + len, false};
	memset(to, 0, t->size);
	ret = fields_get(&in, t, to, &budget, &err);
	if (ret)
		fields_clear(t, to);
	free(frame);
	return !ret;
}

/* --- the index ---------------------------------------------------------------------------- */

/* Blocks must be in order, in the file and in time. */
static bool index_right(const struct timereader *r)
{
	const struct timeformat_block *b = r->index.blocks;
	uint64_t at = 0, time = 0;

	for (size_t i = 0; i < r->index.nblocks; i++) {
		if (b[i].at <= at || b[i].at >= r->size || b[i].start < time ||
		    b[i].end < b[i].start)
			return false;
		at = b[i].at;
		time = b[i].end;
	}
	return r->index.nblocks > 0;
}

COMPARE_BY(mark_compare, struct session_mark, time)

static bool read_index(struct timereader *r)
{
	size_t len;
	uint8_t *end = r->size > TIMEFORMAT_TAIL
			       ? frame_at(r, TIMEFORMAT_END, r->size - TIMEFORMAT_TAIL, &len)
			       : NULL;
	struct wire_in in;
	uint64_t at;

	if (!end)
		return false;
	in = (struct wire_in){end + LINK_HEAD, end + LINK_HEAD + len, false};
	at = wire_get(&in, 8);
	free(end);
	if (in.failed || !fields_at(r, TIMEFORMAT_INDEX, at, &timeformat_index_fields, &r->index))
		return false;
	if (index_right(r))
		return true;
	fields_clear(&timeformat_index_fields, &r->index);
	return false;
}

static int scan_block(struct timereader *r, uint64_t at)
{
	struct timeformat_block b;
	struct timeformat_block *before =
		r->index.nblocks ? &r->index.blocks[r->index.nblocks - 1] : NULL;

	if (!fields_at(r, TIMEFORMAT_BLOCK, at, &timeformat_block_fields, &b) ||
	    (before && b.start < before->start))
		return 0; /* an invalid block is skipped */
	if (before)
		before->end = b.start;
	b.at = at;
	b.end = b.start;
	if (r->index.nblocks == BLOCKS_MAX)
		return -EFBIG;
	return VEC_PUSH(r->index.blocks, r->index.nblocks, r->index.cap_blocks, b) ? 0 : -ENOMEM;
}

static int scan_mark(struct timereader *r, uint64_t at)
{
	struct session_mark m;

	if (r->index.nmarks == MARKS_MAX ||
	    !fields_at(r, TIMEFORMAT_MARK, at, &timeformat_mark_fields, &m))
		return 0;
	return VEC_PUSH(r->index.marks, r->index.nmarks, r->index.cap_marks, m) ? 0 : -ENOMEM;
}

/* Find blocks and marks from frame to frame, up to the last complete frame. */
static int scan_frames(struct timereader *r)
{
	uint64_t at = TIMEFORMAT_HEAD;
	uint8_t head[LINK_HEAD];
	enum wire_kind kind;
	int ret;

	while ((ret = peek(r, head, sizeof(head), at)) > 0) {
		size_t size = link_frame_size(head, &kind);

		if (!size || size > r->size - at)
			break;
		ret = (int)kind == TIMEFORMAT_BLOCK  ? scan_block(r, at)
		      : (int)kind == TIMEFORMAT_MARK ? scan_mark(r, at)
						     : 0;
		if (ret)
			return ret;
		at += size;
	}
	r->size = at < r->size ? at : r->size;
	return ret < 0 ? ret : 0;
}

/* --- a block's slices --------------------------------------------------------------------- */

static void block_leave(struct timereader *r)
{
	link_free(r->link);
	r->link = NULL;
	slicecheck_free(r->check);
	r->check = NULL;
}

static int block_enter(struct timereader *r, struct err *err)
{
	r->pos = r->index.blocks[r->at].at;
	r->at++;
	r->end = r->at < r->index.nblocks ? r->index.blocks[r->at].at : r->size;
	r->given = 0;
	r->link = link_create();
	r->check = slicecheck_create(&r->info.info, TIMEREADER_BUDGET);
	return r->link && r->check ? 0 : err_room(err, ENOMEM, "a time line");
}

static int feed(struct timereader *r, struct err *err)
{
	uint8_t bytes[16384];
	size_t len = r->end - r->pos < sizeof(bytes) ? (size_t)(r->end - r->pos) : sizeof(bytes);
	int ret = read_at(r, bytes, len, r->pos);

	if (ret <= 0)
		return ret ? err_set(err, -ret, "cannot read it: %s", strerror(-ret))
			   : err_set(err, EPROTO, "it was truncated while it was read");
	r->pos += len;
	ret = link_feed(r->link, bytes, len);
	return ret ? err_room(err, -ret, "a time line") : 0;
}

/* Read the block's next message.  Return 1; 0: there are no more; -errno. */
static int block_message(struct timereader *r, struct link_frame *f, struct err *err)
{
	int ret;

	while (!(ret = link_next(r->link, f, err)) && r->pos < r->end)
		if ((ret = feed(r, err)))
			break;
	return ret;
}

static int check_slice(struct timereader *r, struct slice *s, struct err *err)
{
	if (!s || s->start < r->time || s->wall > INT64_MAX)
		return err_set(err, EPROTO, "it has an invalid slice, or one with an impossible "
					    "time");
	parts_drop(s, PART_UNSAVED);
	return slicecheck_take(r->check, s, err);
}

static int decode_block_slice(struct timereader *r, const struct link_frame *f,
			      struct slice **slice, struct err *err)
{
	struct message_slice m;
	int ret = message_get(f, &m, TIMEREADER_BUDGET, err);

	if (ret)
		return ret;
	ret = check_slice(r, m.slice, err);
	if (!ret) {
		*slice = m.slice;
		r->time = m.slice->end;
		r->given++;
		m.slice = NULL;
	}
	message_clear(WIRE_SLICE, &m);
	return ret;
}

/* Read the current block's next slice; NULL: there are no more. */
static int block_next(struct timereader *r, struct slice **slice, struct err *err)
{
	struct link_frame f;
	int ret;

	while (!*slice && (ret = block_message(r, &f, err))) {
		if (ret > 0 && f.kind == WIRE_SLICE)
			ret = decode_block_slice(r, &f, slice, err);
		else if (ret > 0 && f.kind != WIRE_INFO) /* the last block's INFO has all events */
			ret = err_set(err, EPROTO, "it has a block with invalid contents");
		if (ret < 0)
			return ret;
	}
	return 0;
}

/* End the block, and prepare the slice that releases its live ids. */
static int block_over(struct timereader *r, struct err *err)
{
	int ret = 0;

	if (r->check) {
		struct slice *s = slice_create();

		ret = s ? slicecheck_release(r->check, s) : -ENOMEM;
		if (!ret) {
			s->start = s->end = r->time;
			slice_free(r->release);
			r->release = s;
		} else {
			slice_free(s);
		}
	}
	block_leave(r);
	return ret ? err_room(err, ENOMEM, "a time line") : 0;
}

void timereader_seek(struct timereader *r, size_t from, size_t to)
{
	block_leave(r);
	slice_free(r->release);
	r->release = NULL;
	r->at = from;
	r->to = to;
	r->followed = false;
	r->time = 0;
}

void timereader_followed(struct timereader *r, bool followed)
{
	r->followed = followed;
}

bool timereader_at_block(const struct timereader *r)
{
	return r->link && r->given == 1;
}

int timereader_next(struct timereader *r, struct slice **slice, struct err *err)
{
	int ret = 0;

	for (*slice = NULL; !ret;) {
		if (r->release && !r->link && (r->at < r->to || r->followed)) {
			*slice = r->release;
			r->release = NULL;
			return 0;
		}
		if (!r->link && r->at == r->to)
			return 0;
		if (!r->link)
			ret = block_enter(r, err);
		if (!ret)
			ret = block_next(r, slice, err);
		if (*slice)
			return 0;
		if (!ret)
			ret = block_over(r, err);
	}
	(void)block_over(r, &(struct err){.code = 0}); /* the first failure is returned */
	return ret;
}

/* --- opening ------------------------------------------------------------------------------ */

static int read_info(struct timereader *r, size_t block, struct err *err)
{
	struct link_frame f;
	int ret;

	timereader_seek(r, block, block + 1);
	ret = block_enter(r, err);
	if (!ret)
		ret = block_message(r, &f, err);
	if (!ret || (ret > 0 && f.kind != WIRE_INFO))
		ret = err_set(err, EPROTO, "it has a block without a header");
	if (ret > 0)
		ret = message_get(&f, &r->info, TIMEREADER_BUDGET, err);
	if (!ret && (ret = slicecheck_info(&r->info.info, err)))
		message_clear(WIRE_INFO, &r->info);
	return ret;
}

/* Read the last info; if a block's is unreadable, that of the block before it. */
static int read_last_info(struct timereader *r, struct err *err)
{
	int ret = -EPROTO;

	for (size_t i = r->index.nblocks; i-- && ret;)
		ret = read_info(r, i, err);
	return ret;
}

/* Find the end of the last block by its slices, in a file without an index. */
static void read_last_end(struct timereader *r)
{
	size_t last = r->index.nblocks - 1;
	struct err err;
	struct slice *s;

	timereader_seek(r, last, last + 1);
	while (!timereader_next(r, &s, &err) && s) {
		r->index.blocks[last].end = s->end;
		slice_free(s);
	}
}

static int open_index(struct timereader *r, struct err *err)
{
	int ret = 0;

	if (!read_index(r)) {
		r->unfinished = true;
		ret = scan_frames(r);
	}
	if (ret)
		return err_set(err, -ret, "cannot read it: %s", strerror(-ret));
	if (!r->index.nblocks)
		return err_set(err, EBADMSG, "it has no readable data");
	if (r->index.nmarks)
		qsort(r->index.marks, r->index.nmarks, sizeof(*r->index.marks), mark_compare);
	ret = read_last_info(r, err);
	if (!ret && r->unfinished)
		read_last_end(r);
	return ret;
}

struct timereader *timereader_open(int fd, struct err *err)
{
	struct timereader *r = calloc(1, sizeof(*r));
	uint8_t head[TIMEFORMAT_HEAD];
	struct stat st;
	int ret;

	if (!r)
		return err_null(err_room(err, ENOMEM, "a time line"));
	r->fd = fd;
	ret = fstat(fd, &st) ? err_set(err, errno, "cannot read it: %s", strerror(errno)) : 0;
	r->size = ret ? 0 : (uint64_t)st.st_size;
	if (!ret && read_at(r, head, sizeof(head), 0) <= 0)
		ret = err_set(err, EPROTO, "not a time line of ringtop");
	if (!ret)
		ret = timeformat_check_head(head, err);
	if (!ret)
		ret = open_index(r, err);
	if (!ret)
		return r;
	timereader_free(r);
	return NULL;
}

void timereader_free(struct timereader *r)
{
	if (!r)
		return;
	block_leave(r);
	slice_free(r->release);
	message_clear(WIRE_INFO, &r->info);
	fields_clear(&timeformat_index_fields, &r->index);
	free(r);
}

/* --- access ------------------------------------------------------------------------------- */

const struct session_info *timereader_info(const struct timereader *r)
{
	return &r->info.info;
}

const struct timeformat_index *timereader_index(const struct timereader *r)
{
	return &r->index;
}

bool timereader_unfinished(const struct timereader *r)
{
	return r->unfinished;
}
