/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "link/timeline/timechain.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/compare.h"
#include "base/vec.h"
#include "core/slice/sliceparts.h"
#include "link/timeline/timering.h"

struct part {
	int fd;
	struct timereader *reader;
	uint64_t shift;	     /* from its time to the chain's */
	size_t first, nr;    /* its blocks in the chain's index */
};

struct timechain {
	struct part *parts; /* the oldest first */
	size_t nparts, cap, left_out, copies;
	uint64_t session; /* start_wall of the only session; 0: any session */
	struct session_info info;
	struct timeformat_index index;
	size_t at, to; /* blocks of later parts that are still to be read */
	size_t part;   /* index of the part being read */
	struct slice_account *pending; /* newest pending counts by event and CPU */
	size_t npending, cap_pending;
	bool given; /* a slice was returned since the last seek: its pending counts go on */
	uint64_t time; /* end of the last slice */
};

/* --- opening ------------------------------------------------------------------------------ */

static void part_close(struct part *p)
{
	timereader_free(p->reader);
	if (p->fd >= 0)
		close(p->fd);
}

static int part_open(struct part *p, const char *path, struct err *err)
{
	/* O_NONBLOCK: a FIFO would wait for a writer */
	*p = (struct part){.fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)};
	if (p->fd < 0)
		return err_set(err, errno, "cannot read it: %s", strerror(errno));
	p->reader = timereader_open(p->fd, err);
	if (p->reader) {
		p->nr = timereader_index(p->reader)->nblocks;
		return 0;
	}
	part_close(p);
	return -err->code;
}

static bool same_events(const struct session_info *a, const struct session_info *b)
{
	if (a->nevents != b->nevents)
		return false;
	for (unsigned i = 0; i < a->nevents; i++)
		if (strcmp(a->events[i].name, b->events[i].name) != 0)
			return false;
	return true;
}

static int add_chain_part(struct timechain *c, const char *path, struct err *err)
{
	struct part p;
	int ret = part_open(&p, path, err);

	if (ret)
		return ret;
	if (c->session && timereader_info(p.reader)->start_wall != c->session) {
		part_close(&p);
		return 0;
	}
	if (c->nparts &&
	    !same_events(timereader_info(p.reader), timereader_info(c->parts[0].reader)))
		ret = err_set(err, EOPNOTSUPP, "its events differ");
	if (!ret && !VEC_PUSH(c->parts, c->nparts, c->cap, p))
		ret = err_room(err, ENOMEM, "a time line");
	if (ret)
		part_close(&p);
	return ret;
}

static uint64_t began(const struct part *p)
{
	return timereader_index(p->reader)->blocks[0].start;
}

static uint64_t ended(const struct part *p)
{
	return timereader_index(p->reader)->blocks[p->nr - 1].end;
}

static bool same_session(const struct part *a, const struct part *b)
{
	const struct session_info *x = timereader_info(a->reader), *y = timereader_info(b->reader);

	return x->start_wall == y->start_wall && !strcmp(x->host, y->host);
}

/*
 * Order parts by contents, not by name: by session, then by start; of two with the same start the
 * longer comes first.
 */
static int compare_parts_by_start(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	return COMPARE(timereader_info(x->reader)->start_wall,
		       timereader_info(y->reader)->start_wall) ?:
	       COMPARE(began(x), began(y)) ?: COMPARE(ended(y), ended(x));
}

/* A session is saved only once: a file that overlaps an earlier one of it is a copy. */
static bool is_copy(const struct timechain *c, size_t nr, const struct part *p)
{
	for (size_t i = 0; i < nr; i++)
		if (same_session(&c->parts[i], p) && began(p) < ended(&c->parts[i]) &&
		    began(&c->parts[i]) < ended(p))
			return true;
	return false;
}

/* Add the newest file first: the others' events are compared with its events. */
static int add_directory(struct timechain *c, const char *dir, struct err *err)
{
	struct timering_file *files;
	struct err first = {.code = 0};
	size_t nr;
	int ret = timering_list(dir, &files, &nr);

	if (ret)
		return err_set(err, -ret, "cannot read it: %s", strerror(-ret));
	for (size_t i = nr; i; i--) {
		char path[PATH_MAX];
		struct err why = {.code = 0};

		if (nr - i >= TIMERING_FILES ||
		    snprintf(path, sizeof(path), "%s/%s", dir, files[i - 1].name) >=
			    (int)sizeof(path) ||
		    add_chain_part(c, path, &why)) {
			/* EBADMSG: begun, and killed before the first slice */
			c->left_out += why.code != EBADMSG;
			first = first.code ? first : why;
		}
	}
	free(files);
	if (c->nparts)
		qsort(c->parts, c->nparts, sizeof(*c->parts), compare_parts_by_start);
	if (c->nparts)
		return 0;
	return first.code ? err_set(err, first.code, "%s", first.text)
			  : err_set(err, ENOENT,
				    "there is no time line in it (--keep-for writes them)");
}

/* Set the part's shift to the chain's time.  False: its times are out of range. */
static bool set_part_shift(struct timechain *c, struct part *p)
{
	const struct timeformat_index *index = timereader_index(p->reader);
	uint64_t before = c->index.nblocks ? c->index.blocks[c->index.nblocks - 1].end : 0, end;
	uint64_t wall = timereader_info(p->reader)->start_wall, begin = index->blocks[0].start;

	p->shift = wall > c->info.start_wall ? wall - c->info.start_wall : 0;
	if (__builtin_add_overflow(p->shift, index->blocks[p->nr - 1].end, &end) ||
	    end > UINT64_MAX / 2)
		return false;
	if (begin + p->shift < before)
		p->shift = before - begin;
	return true;
}

static int join_part(struct timechain *c, struct part *p)
{
	const struct timeformat_index *index = timereader_index(p->reader);

	p->first = c->index.nblocks;
	for (size_t i = 0; i < p->nr; i++) {
		struct timeformat_block b = index->blocks[i];

		b.start += p->shift;
		b.end += p->shift;
		if (!VEC_PUSH(c->index.blocks, c->index.nblocks, c->index.cap_blocks, b))
			return -ENOMEM;
	}
	for (size_t i = 0; i < index->nmarks; i++) {
		struct session_mark m = index->marks[i];

		m.time += p->shift;
		if (!VEC_PUSH(c->index.marks, c->index.nmarks, c->index.cap_marks, m))
			return -ENOMEM;
	}
	return 0;
}

/* Put the part into the time line.  False: it is left out, and closed. */
static bool keep_part(struct timechain *c, size_t kept, struct part *p)
{
	bool copy = is_copy(c, kept, p);

	if (!copy && set_part_shift(c, p))
		return true;
	part_close(p);
	c->copies += copy;
	c->left_out += !copy;
	return false;
}

/* Join the parts to a time line.  On failure c->parts still has all open ones. */
static int join_parts(struct timechain *c)
{
	uint64_t start_wall = timereader_info(c->parts[0].reader)->start_wall;
	size_t kept = 0;
	int ret = 0;

	c->info.start_wall = start_wall;
	for (size_t i = 0; i < c->nparts; i++) {
		struct part p = c->parts[i];

		if (!ret && !keep_part(c, kept, &p))
			continue;
		ret = ret ? ret : join_part(c, &p);
		c->parts[kept++] = p;
	}
	c->nparts = kept;
	if (kept)
		c->info = *timereader_info(c->parts[kept - 1].reader);
	c->info.start_wall = start_wall;
	return ret;
}

struct timechain *timechain_open(const char *path, uint64_t session, struct err *err)
{
	struct timechain *c = calloc(1, sizeof(*c));
	struct stat st;
	int ret;

	if (!c)
		return err_null(err_room(err, ENOMEM, "a time line"));
	c->session = session;
	if (!stat(path, &st) && S_ISDIR(st.st_mode))
		ret = add_directory(c, path, err);
	else
		ret = add_chain_part(c, path, err);
	if (!ret && !c->nparts)
		ret = err_set(err, ENOENT, "it is of another session");
	if (!ret && join_parts(c))
		ret = err_room(err, ENOMEM, "a time line");
	if (!ret && !c->nparts)
		ret = err_set(err, EPROTO, "its times are out of range");
	if (!ret)
		return c;
	timechain_free(c);
	return NULL;
}

void timechain_free(struct timechain *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->nparts; i++)
		part_close(&c->parts[i]);
	free(c->parts);
	free(c->pending);
	fields_clear(&timeformat_index_fields, &c->index);
	free(c);
}

/* --- reading ------------------------------------------------------------------------------ */

const struct session_info *timechain_info(const struct timechain *c)
{
	return &c->info;
}

const struct timeformat_index *timechain_index(const struct timechain *c)
{
	return &c->index;
}

bool timechain_unfinished(const struct timechain *c)
{
	return timereader_unfinished(c->parts[c->nparts - 1].reader);
}

size_t timechain_left_out(const struct timechain *c)
{
	return c->left_out;
}

size_t timechain_copies(const struct timechain *c)
{
	return c->copies;
}

/* Begin to read the part of block `at`, up to block `to`. */
static void begin_part(struct timechain *c)
{
	struct part *p;
	size_t end;

	for (c->part = 0; c->at >= c->parts[c->part].first + c->parts[c->part].nr;)
		c->part++;
	p = &c->parts[c->part];
	end = c->to < p->first + p->nr ? c->to : p->first + p->nr;
	timereader_seek(p->reader, c->at - p->first, end - p->first);
	timereader_followed(p->reader, end < c->to);
	c->at = end;
}

void timechain_seek(struct timechain *c, size_t from, size_t to)
{
	c->at = from;
	c->to = to;
	c->npending = 0;
	c->given = false;
	if (from < to)
		begin_part(c);
	else
		timereader_seek(c->parts[c->part].reader, 0, 0);
}

/* Return true if a field's list means the same in the newest session. */
static bool same_list(const struct timechain *c, const struct session_info *of,
		      const struct slice_field *f)
{
	const struct session_event *a = &of->events[f->event], *b = &c->info.events[f->event];

	return !a->by_nr && !b->by_nr && !strcmp(a->by, b->by);
}

static bool are_pairs_equal(const struct slice_between *a, const struct slice_between *b)
{
	return a->wanted == b->wanted && a->from == b->from && a->to == b->to && !a->nr && !b->nr &&
	       !strcmp(a->key, b->key);
}

/* Drop lists of fields and pairs of older sessions: their numbers mean something else. */
static void leave_meanings(const struct timechain *c, const struct session_info *of,
			   struct slice *s)
{
	if (of->start_wall == timereader_info(c->parts[c->nparts - 1].reader)->start_wall)
		return;
	s->nlists = 0;
	for (size_t i = 0; i < s->nfields; i++) {
		struct slice_field *f = &s->fields[i];

		if (same_list(c, of, f))
			continue;
		f->by = c->info.events[f->event].by_nr;
		f->rest = true;
		memset(f->key, 0, sizeof(f->key));
	}
	if (!s->latency || are_pairs_equal(&of->between, &c->info.between))
		return;
	free(s->latency);
	s->latency = NULL;
}

/* Return the account with of's event and CPU, most likely at index `hint`; NULL: none. */
static struct slice_account *find_account(struct slice_account *in, size_t nr,
					  const struct slice_account *of, size_t hint)
{
	if (hint < nr && in[hint].event == of->event && in[hint].cpu == of->cpu)
		return &in[hint];
	for (size_t i = 0; i < nr; i++)
		if (in[i].event == of->event && in[i].cpu == of->cpu)
			return &in[i];
	return NULL;
}

static int keep_pending(struct timechain *c, const struct slice *s)
{
	for (size_t i = 0; i < s->naccounts; i++) {
		const struct slice_account *a = &s->accounts[i];
		struct slice_account *p = find_account(c->pending, c->npending, a, i);

		p = p ? p : VEC_ADD(c->pending, c->npending, c->cap_pending);
		if (!p)
			return -ENOMEM;
		*p = (struct slice_account){
			.event = a->event, .cpu = a->cpu, .exact = true, .pending = a->pending};
	}
	c->time = s->end;
	c->given = true;
	return 0;
}

/*
 * Add pending counts that are in none of s's accounts as lost: no later account resolves them.
 * Return 0 or -ENOMEM.
 */
static int lose_pending(const struct timechain *c, struct slice *s)
{
	for (size_t i = 0; i < c->npending; i++) {
		struct slice_account *a =
			c->pending[i].pending
				? find_account(s->accounts, s->naccounts, &c->pending[i], i)
				: NULL;

		if (a || !c->pending[i].pending)
			continue;
		if (!(a = slice_add_account(s)))
			return -ENOMEM;
		*a = (struct slice_account){.event = c->pending[i].event,
					    .cpu = c->pending[i].cpu,
					    .exact = true,
					    .lost[LOST_UNKNOWN] = c->pending[i].pending};
	}
	return 0;
}

/* Make a slice that accounts for a session's pending counts, after its end or kill. */
static int make_settling_slice(struct timechain *c, struct slice **slice)
{
	struct slice *s = slice_create();

	if (!s || lose_pending(c, s)) {
		slice_free(s);
		return -ENOMEM;
	}
	s->start = s->end = c->time;
	c->npending = 0;
	*slice = s;
	return 0;
}

/*
 * A block after a gap (a full disk, an unreadable block, a missing file) begins with other pending
 * counts than those left before.  The latter are lost, as a killed session's are; the former were
 * counted in the gap, and their samples come after it.
 */
static int bridge(struct timechain *c, struct slice *s)
{
	for (size_t i = 0; i < s->naccounts; i++) {
		struct slice_account *a = &s->accounts[i];
		const struct slice_account *p = find_account(c->pending, c->npending, a, i);
		uint64_t left = p ? p->pending : 0;

		if (a->pending == left)
			continue;
		a->counted += a->pending;
		a->lost[LOST_UNKNOWN] += left;
	}
	return lose_pending(c, s);
}

static int next_part(struct timechain *c, struct slice **slice)
{
	const struct session_info *before = timereader_info(c->parts[c->part].reader);

	begin_part(c);
	if (timereader_info(c->parts[c->part].reader)->start_wall == before->start_wall)
		return 0;
	return make_settling_slice(c, slice);
}

/* Convert a slice to the chain's time and meanings.  Return 0 or -ENOMEM. */
static int convert_slice(struct timechain *c, struct slice *s)
{
	const struct part *p = &c->parts[c->part];
	int ret = 0;

	slice_shift(s, p->shift);
	leave_meanings(c, timereader_info(p->reader), s);
	if (c->given && timereader_at_block(p->reader))
		ret = bridge(c, s);
	return ret ? ret : keep_pending(c, s);
}

int timechain_next(struct timechain *c, struct slice **slice, struct err *err)
{
	int ret;

	while (!(ret = timereader_next(c->parts[c->part].reader, slice, err)) && !*slice &&
	       c->at < c->to) {
		if (next_part(c, slice))
			return err_room(err, ENOMEM, "a time line");
		if (*slice)
			return 0;
	}
	if (!*slice || !convert_slice(c, *slice))
		return ret;
	slice_free(*slice);
	*slice = NULL;
	return err_room(err, ENOMEM, "a time line");
}
