/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/elf/elfhead.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fieldtable.h"
#include "files/elf/elffile.h"

#define T struct elfhead
static const struct field rows[] = {
	{1, FIELD_BUILD_ID, FIELD_MEMBER(T, id)},
	{2, FIELD_BYTES, FIELD_BLOCK(T, segments, nsegments), .max = ELFFILE_SEGMENTS_MAX},
};
static const struct fields table = FIELDS(rows, T);
#undef T

static int read_here(int fd, struct elfhead *h)
{
	struct elffile f;
	int ret = elffile_open(&f, fd, NULL);

	if (ret)
		return ret;
	h->id = elffile_build_id(&f);
	h->segments = calloc(f.nsegments + 1, sizeof(*h->segments));
	if (h->segments)
		memcpy(h->segments, f.segments, f.nsegments * sizeof(*h->segments));
	h->nsegments = f.nsegments;
	elffile_close(&f);
	return h->segments ? 0 : -ENOMEM;
}

static int request_head(int fd, struct elfhead *h)
{
	struct sandbox_call c = {.job = SANDBOX_HEAD, .fd = fd};
	struct err err;
	int ret = sandbox_call(&c, &err);

	if (!ret)
		ret = helper_get_error(&c.in, &err);
	if (!ret)
		ret = fields_get_part(&c.in, &table, h, NULL);
	return sandbox_taken(&c, ret, &err);
}

int elfhead_read(int fd, const char *path, struct elfhead *h)
{
	int ret;

	*h = (struct elfhead){.nsegments = 0};
	ret = sandbox_trusts(fd, path) ? read_here(fd, h) : request_head(fd, h);
	if (ret)
		elfhead_clear(h);
	return ret;
}

void elfhead_clear(struct elfhead *h)
{
	fields_clear(&table, h);
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
	if (!ret)
		fields_put_part(out, &table, &h);
	elfhead_clear(&h);
}
