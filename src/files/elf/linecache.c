/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/elf/linecache.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define TEXT_MAX     16384u /* longer texts are left out */
#define FRAME_LEAST  14u /* minimum bytes of a frame in a reply */
#define ROW_LEAST    17u

/* --- requesting side ------------------------------------------------------------------------ */

static const char *get_text(struct wire_in *in)
{
	const char *text = wire_get_text(in, TEXT_MAX);

	return *text ? text : NULL;
}

static int get_frames(struct wire_in *in, size_t nr, struct linecache_found *f)
{
	const uint8_t *depth = wire_get_bytes(in, nr);
	size_t sum = 0;

	for (size_t i = 0; depth && i < nr; i++) {
		if (depth[i] > LINES_DEPTH_MAX)
			return -EPROTO;
		sum += depth[i];
	}
	f->nframes = wire_get_count(in, FRAME_LEAST);
	if (in->failed || f->nframes != sum)
		return -EPROTO;
	f->depth = malloc(nr + 1);
	f->frames = calloc(sum + 1, sizeof(*f->frames));
	if (!f->depth || !f->frames)
		return -ENOMEM;
	memcpy(f->depth, depth, nr);
	for (size_t i = 0; i < sum; i++) {
		f->frames[i].name = get_text(in);
		f->frames[i].file = get_text(in);
		f->frames[i].line = (uint32_t)wire_get(in, 4);
	}
	return 0;
}

static int get_rows(struct wire_in *in, struct linecache_found *f)
{
	f->nrows = wire_get_count(in, ROW_LEAST);
	f->rows = calloc(f->nrows + 1, sizeof(*f->rows));
	if (!f->rows)
		return -ENOMEM;
	for (size_t i = 0; i < f->nrows; i++) {
		f->rows[i].addr = wire_get(in, 8);
		f->rows[i].file = get_text(in);
		f->rows[i].line = (uint32_t)wire_get(in, 4);
		if (i && f->rows[i].addr < f->rows[i - 1].addr)
			in->failed = true;
	}
	return 0;
}

static int take_found(size_t nr, struct linecache_found *f, struct err *err)
{
	struct wire_in *in = &f->call.in;
	int ret = helper_get_error(in, err);

	if (!ret)
		ret = get_frames(in, nr, f);
	if (!ret)
		ret = get_rows(in, f);
	if (in->failed || ret == -EPROTO)
		return fence_nonsense(&f->call, err);
	return ret == -ENOMEM && !err->code ? err_set(err, ENOMEM, "out of memory") : ret;
}

int linecache_find(const struct image *im, const uint64_t *addrs, size_t nr, uint64_t from,
		   uint64_t to, struct linecache_found *f, struct err *err)
{
	struct wire_out *ask = &f->call.ask;
	int ret;

	*f = (struct linecache_found){
		.call = {.job = FENCE_FIND_LINES, .fd = im->fd, .root = im->root}};
	wire_put_text(ask, im->path);
	wire_put_text(ask, im->root);
	wire_put(ask, from, 8);
	wire_put(ask, to, 8);
	wire_put(ask, nr, 8);
	wire_put_bytes(ask, addrs, nr * sizeof(*addrs));
	ret = fence_call_or(&f->call, linecache_serve, err);
	if (!ret)
		ret = take_found(nr, f, err);
	if (ret)
		linecache_clear(f);
	return ret;
}

void linecache_clear(struct linecache_found *f)
{
	free(f->depth);
	free(f->frames);
	free(f->rows);
	fence_done(&f->call);
	*f = (struct linecache_found){.nframes = 0};
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

static void put_short_text(struct wire_out *o, const char *text)
{
	wire_put_text(o, text && strlen(text) < TEXT_MAX ? text : NULL);
}

static void put_found(struct lines *l, const uint8_t *addrs, size_t nr, struct wire_out *out)
{
	struct lines_frame frames[LINES_DEPTH_MAX];
	struct wire_out texts = {.len = 0};
	uint64_t addr, sum = 0;

	for (size_t i = 0; i < nr; i++) {
		size_t depth;

		memcpy(&addr, addrs + i * sizeof(addr), sizeof(addr));
		depth = lines_find(l, addr, frames);
		wire_put(out, depth, 1);
		for (size_t j = 0; j < depth; j++) {
			put_short_text(&texts, frames[j].name);
			put_short_text(&texts, frames[j].file);
			wire_put(&texts, frames[j].line, 4);
		}
		sum += depth;
	}
	wire_put(out, sum, 8);
	wire_put_bytes(out, texts.data, texts.len);
	out->failed |= texts.failed;
	wire_clear(&texts);
}

static void put_line_rows(struct lines *l, uint64_t from, uint64_t to, struct wire_out *out)
{
	struct lines_row *rows = NULL;
	size_t nr = 0;

	if (from < to && lines_range(l, from, to, &rows, &nr))
		out->failed = true;
	wire_put(out, nr, 8);
	for (size_t i = 0; i < nr; i++) {
		wire_put(out, rows[i].addr, 8);
		put_short_text(out, rows[i].file);
		wire_put(out, rows[i].line, 4);
	}
	free(rows);
}

static void serve_lines(struct wire_in *in, int fd, struct wire_out *out)
{
	const char *path = wire_get_text(in, TEXT_MAX), *root = get_text(in);
	uint64_t from = wire_get(in, 8), to = wire_get(in, 8);
	size_t nr = wire_get_count(in, sizeof(uint64_t));
	const uint8_t *addrs = wire_get_bytes(in, nr * sizeof(uint64_t));
	struct wire_out found = {.len = 0};
	struct err err = {.code = 0};
	int ret = in->failed || nr > LINECACHE_NR_MAX ? err_set(&err, EINVAL, "no question") :
							bring_to_front(fd, path, root, &err);

	if (!ret) {
		struct kept *k = cache[0];

		put_found(k->lines, addrs, nr, &found);
		put_line_rows(k->lines, from, to, &found);
		budget_say(&k->budget, "the lines of a part of it", &err);
		shrink(LINECACHE_BYTES, LINECACHE_OBJECTS - 1);
	}
	helper_put_error(out, ret, &err);
	wire_put_bytes(out, found.data, found.len);
	out->failed |= found.failed;
	wire_clear(&found);
}

void linecache_serve(struct wire_in *in, int fd, struct wire_out *out)
{
	pthread_mutex_lock(&lock);
	serve_lines(in, fd, out);
	pthread_mutex_unlock(&lock);
}
