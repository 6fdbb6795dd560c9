/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/elf/elfhead.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "files/elf/elffile.h"

static int set_segments(struct elfhead *h, const void *segments, unsigned nr)
{
	h->segments = calloc(nr + 1, sizeof(*h->segments));
	if (!h->segments)
		return -ENOMEM;
	memcpy(h->segments, segments, nr * sizeof(*h->segments));
	h->nsegments = nr;
	return 0;
}

static int read_here(int fd, struct elfhead *h)
{
	struct elffile f;
	int ret = elffile_open(&f, fd, NULL);

	if (ret)
		return ret;
	h->id = elffile_build_id(&f);
	ret = set_segments(h, f.segments, f.nsegments);
	elffile_close(&f);
	return ret;
}

static int get_head(struct wire_in *in, struct elfhead *h)
{
	const void *id = wire_get_bytes(in, sizeof(h->id)), *segments;
	size_t nr = wire_get_count(in, sizeof(*h->segments));

	segments = wire_get_bytes(in, nr * sizeof(*h->segments));
	if (in->failed || nr > ELFFILE_SEGMENTS_MAX)
		return -EPROTO;
	memcpy(&h->id, id, sizeof(h->id));
	return h->id.len > sizeof(h->id.bytes) ? -EPROTO : set_segments(h, segments, (unsigned)nr);
}

static int request_head(int fd, struct elfhead *h)
{
	struct fence_call c = {.job = FENCE_HEAD, .fd = fd};
	struct err err;
	int ret = fence_call(&c, &err);

	if (!ret)
		ret = helper_get_error(&c.in, &err);
	if (!ret)
		ret = get_head(&c.in, h);
	c.in.failed |= ret == -EPROTO;
	return fence_taken(&c, ret, &err);
}

int elfhead_read(int fd, const char *path, struct elfhead *h)
{
	int ret;

	*h = (struct elfhead){.nsegments = 0};
	ret = fence_trusts(fd, path) ? read_here(fd, h) : request_head(fd, h);
	if (ret)
		elfhead_clear(h);
	return ret;
}

void elfhead_clear(struct elfhead *h)
{
	free(h->segments);
	*h = (struct elfhead){.nsegments = 0};
}

struct build_id elfhead_build_id(int fd, const char *path)
{
	struct build_id id = {0};
	struct elfhead h;

	if (!elfhead_read(fd, path, &h))
		id = h.id;
	elfhead_clear(&h);
	return id;
}

void elfhead_serve(struct wire_in *in, int fd, struct wire_out *out)
{
	struct elfhead h = {.nsegments = 0};
	struct err err = {.code = 0};
	int ret = read_here(fd, &h);

	(void)in;
	helper_put_error(out, ret, &err);
	if (!ret) {
		wire_put_bytes(out, &h.id, sizeof(h.id));
		wire_put(out, h.nsegments, 8);
		wire_put_bytes(out, h.segments, h.nsegments * sizeof(*h.segments));
	}
	elfhead_clear(&h);
}
