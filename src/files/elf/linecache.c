/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/elf/linecache.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fieldrows.h"
#include "base/vec.h"

#define TEXT_MAX 16384u /* longer texts are cut */
#define LIST_MAX (LINECACHE_NR_MAX * LINES_DEPTH_MAX) /* frames, and rows, in a reply */

struct question {
	char *path, *root;
	uint64_t from, to;
	const uint64_t *addrs;
	size_t naddrs;
};

#define TEXT(nr, member)     {nr, FIELD_STRING, FIELD_MEMBER(T, member), .max = TEXT_MAX}
#define LIST(nr, member, by) {nr, FIELD_LIST, FIELD_ARRAY(T, member, n##member), .table = &(by), \
			      .max = LIST_MAX}
#define ARRAY(nr, member)    {nr, FIELD_BYTES, FIELD_BLOCK(T, member, n##member), \
			      .max = LINECACHE_NR_MAX}

#define T struct question
static const struct field question_rows[] = {TEXT(1, path), TEXT(2, root), UINT(3, from),
					     UINT(4, to), ARRAY(5, addrs)};
static const struct fields question_table = FIELDS(question_rows, T);
#undef T

#define T struct lines_frame
static const struct field frame_rows[] = {TEXT(1, name), TEXT(2, file), UINT(3, line)};
static const struct fields frame_table = FIELDS(frame_rows, T);
#undef T

#define T struct lines_row
static const struct field row_rows[] = {
	{1, FIELD_UINT, FIELD_MEMBER(T, addr)}, TEXT(2, file), UINT(3, line)};
static const struct fields row_table = FIELDS(row_rows, T);
#undef T

#define T struct linecache_found
static const struct field found_rows[] = {ARRAY(1, depth), LIST(2, frames, frame_table),
					  LIST(3, rows, row_table)};
static const struct fields found_table = FIELDS(found_rows, T);
#undef T

/* --- requesting side ------------------------------------------------------------------------ */

/* Return true if the frames are those of nr addresses, and the rows sorted. */
static bool is_sound_reply(const struct linecache_found *f, size_t nr)
{
	size_t sum = 0;

	for (size_t i = 0; i < f->ndepth; i++)
		if (f->depth[i] <= LINES_DEPTH_MAX)
			sum += f->depth[i];
		else
			return false;
	for (size_t i = 1; i < f->nrows; i++)
		if (f->rows[i].addr < f->rows[i - 1].addr)
			return false;
	return f->ndepth == nr && f->nframes == sum;
}

int linecache_find(const struct image *im, const uint64_t *addrs, size_t nr, uint64_t from,
		   uint64_t to, struct linecache_found *f, struct err *err)
{
	struct sandbox_call c = {.job = SANDBOX_FIND_LINES, .fd = im->fd, .root = im->root};
	struct question q = {(char *)im->path, (char *)im->root, from, to, addrs, nr};
	int ret;

	*f = (struct linecache_found){.nframes = 0};
	fields_put_part(&c.ask, &question_table, &q);
	ret = sandbox_call_or(&c, linecache_serve, err);
	if (!ret)
		ret = helper_get_error(&c.in, err);
	if (!ret) {
		ret = fields_get_part(&c.in, &found_table, f, NULL);
		c.in.failed |= !ret && !is_sound_reply(f, nr);
		if (ret == -ENOMEM)
			err_set(err, ENOMEM, "out of memory");
	}
	ret = sandbox_taken(&c, ret, err);
	if (ret)
		linecache_clear(f);
	return ret;
}

void linecache_clear(struct linecache_found *f)
{
	fields_clear(&found_table, f);
}

/* --- helper side ---------------------------------------------------------------------------- */

/* Debug information of one object, in order of last use; `file` identifies the object. */
struct kept {
	struct lines *lines;
	struct budget budget;
	struct stat file;
};

static struct kept *cache[LINECACHE_OBJECTS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool is_unchanged_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static void drop(size_t i)
{
	struct kept *k = cache[i];

	if (!k)
		return;
	lines_close(k->lines);
	free(k);
	cache[i] = NULL;
}

/* Move entry i to the front. */
static struct kept *use(size_t i)
{
	struct kept *k = cache[i];

	memmove(cache + 1, cache, i * sizeof(*cache));
	return cache[0] = k;
}

/* Drop entries beyond the first `objects`, or beyond `most` bytes; the first entry stays. */
static void shrink(uint64_t most, size_t objects)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < LINECACHE_OBJECTS; i++) {
		bytes += cache[i] ? lines_bytes(cache[i]->lines) : 0;
		if (i && (bytes > most || i >= objects))
			drop(i);
	}
}

static int open_lines(int fd, const char *path, const char *root, const struct stat *st,
		      struct err *err)
{
	struct kept *k = calloc(1, sizeof(*k));
	int ret = k ? lines_open(fd, path, root, &k->budget, &k->lines, err) : -ENOMEM;

	if (ret) {
		free(k);
		return ret;
	}
	k->file = *st;
	drop(LINECACHE_OBJECTS - 1);
	cache[LINECACHE_OBJECTS - 1] = k;
	use(LINECACHE_OBJECTS - 1);
	return 0;
}

/* Make the object the first entry. If memory is short, drop all others and try again. */
static int bring_to_front(int fd, const char *path, const char *root, struct err *err)
{
	struct stat st;
	int ret;

	if (fd < 0 || fstat(fd, &st))
		return err_set(err, EINVAL, "no file to read lines from");
	for (size_t i = 0; i < LINECACHE_OBJECTS; i++)
		if (cache[i] && is_unchanged_file(&cache[i]->file, &st)) {
			use(i);
			return 0;
		}
	ret = open_lines(fd, path, root, &st, err);
	if ((ret != -ENOMEM && ret != -ENOBUFS) || !cache[0])
		return ret;
	for (size_t i = 0; i < LINECACHE_OBJECTS; i++)
		drop(i);
	return open_lines(fd, path, root, &st, err);
}

/* Leave out an empty text: nothing is known. */
static void leave_out_empty(const char **text)
{
	if (*text && !**text)
		*text = NULL;
}

/* Find the frames of all addresses, and the rows of the range; strings are those of l. */
static int find_all(struct lines *l, const struct question *q, struct linecache_found *f)
{
	size_t cap = 0;
	int ret = 0;

	f->depth = malloc(q->naddrs + 1);
	if (!f->depth)
		return -ENOMEM;
	for (; f->ndepth < q->naddrs; f->ndepth++) {
		if (!vec_reserve(&f->frames, &cap, f->nframes + LINES_DEPTH_MAX,
				 sizeof(*f->frames)))
			return -ENOMEM;
		f->depth[f->ndepth] = (uint8_t)lines_find(l, q->addrs[f->ndepth],
							  f->frames + f->nframes);
		f->nframes += f->depth[f->ndepth];
	}
	if (q->from < q->to)
		ret = lines_range(l, q->from, q->to, &f->rows, &f->nrows);
	for (size_t i = 0; i < f->nframes; i++) {
		leave_out_empty(&f->frames[i].name);
		leave_out_empty(&f->frames[i].file);
	}
	for (size_t i = 0; i < f->nrows; i++)
		leave_out_empty(&f->rows[i].file);
	return ret;
}

static void serve_lines(struct wire_in *in, int fd, struct wire_out *out)
{
	struct question q = {.path = NULL};
	struct linecache_found f = {.nframes = 0};
	struct err err = {.code = 0};
	int ret = fields_get_part(in, &question_table, &q, NULL);

	ret = ret ? err_set(&err, EINVAL, "no question")
		  : bring_to_front(fd, q.path ? q.path : "", q.root, &err);
	if (!ret) {
		out->failed |= find_all(cache[0]->lines, &q, &f) != 0;
		budget_say(&cache[0]->budget, "the lines of a part of it", &err);
	}
	helper_put_error(out, ret, &err);
	if (!ret) {
		fields_put_part(out, &found_table, &f);
		shrink(LINECACHE_BYTES, LINECACHE_OBJECTS - 1);
	}
	free(f.depth);
	free(f.frames);
	free(f.rows);
	fields_clear(&question_table, &q);
}

void linecache_serve(struct wire_in *in, int fd, struct wire_out *out)
{
	pthread_mutex_lock(&lock);
	serve_lines(in, fd, out);
	pthread_mutex_unlock(&lock);
}
