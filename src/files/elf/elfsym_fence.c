/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/elf/elfsym_fence.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "files/elf/elffile.h"
#include "files/elf/symtab_wire.h"

#define PATH_LEN_MAX 8192

static void put_symbols(struct wire_out *o, const struct elfsym *e)
{
	wire_put_bytes(o, &e->build_id, sizeof(e->build_id));
	wire_put(o, e->is_32bit, 1);
	wire_put(o, e->partial, 1);
	wire_put_text(o, e->source);
	wire_put(o, e->nsegments, 8);
	wire_put_bytes(o, e->segments, e->nsegments * sizeof(*e->segments));
	symtab_wire_put(e->symtab, o);
}

static int get_symbols(struct wire_in *in, struct budget *b, struct elfsym *e)
{
	const void *id, *segments;
	const char *source;

	*e = (struct elfsym){.symtab = NULL};
	id = wire_get_bytes(in, sizeof(e->build_id));
	e->is_32bit = wire_get(in, 1);
	e->partial = wire_get(in, 1);
	source = wire_get_text(in, sizeof(e->source));
	e->nsegments = (unsigned)wire_get_count(in, sizeof(*e->segments));
	segments = wire_get_bytes(in, e->nsegments * sizeof(*e->segments));
	if (in->failed || e->nsegments > ELFFILE_SEGMENTS_MAX)
		return -EPROTO;
	memcpy(&e->build_id, id, sizeof(e->build_id));
	if (e->build_id.len > sizeof(e->build_id.bytes))
		return -EPROTO;
	strcpy(e->source, source);
	e->segments = calloc(e->nsegments + 1, sizeof(*e->segments));
	if (!e->segments)
		return -ENOMEM;
	memcpy(e->segments, segments, e->nsegments * sizeof(*e->segments));
	return symtab_wire_get(in, b, &e->symtab);
}

int elfsym_take(struct wire_in *in, struct budget *b, struct elfsym *out, struct err *err)
{
	int ret = helper_get_error(in, err);

	if (ret)
		return ret;
	ret = get_symbols(in, b, out);
	in->failed |= ret == -EPROTO;
	if (!ret)
		return 0;
	elfsym_clear(out);
	return err_set(err, -ret, "out of memory");
}

int elfsym_ask(struct image *im, struct elfsym *out, struct err *err)
{
	struct fence_call c = {.job = FENCE_SYMBOLS,
			       .fd = im->fd,
			       .root = im->root,
			       .budget = im->budget,
			       .brief = true};
	int ret;

	*out = (struct elfsym){.symtab = NULL};
	wire_put_text(&c.ask, im->path);
	wire_put(&c.ask, im->root != NULL, 1);
	wire_put(&c.ask, im->at, 8);
	ret = fence_call(&c, err);
	if (!ret)
		ret = elfsym_take(&c.in, im->budget, out, err);
	else
		err_prefix(err, im->path);
	return fence_taken(&c, ret, err);
}

void elfsym_serve(struct wire_in *in, int fd, struct wire_out *out)
{
	const char *path = wire_get_text(in, PATH_LEN_MAX);
	/* only rootopen on the other side knows which directory it is */
	const char *root = wire_get(in, 1) ? "/" : NULL;
	uint64_t at = wire_get(in, 8);
	struct budget b = {NULL};
	struct err err = {.code = 0};
	struct image im = image_from_fd(fd, path, root, &b);
	struct elfsym e;
	int ret;

	im.at = at;
	ret = elfsym_read(&im, &e, &err);
	image_close(&im);
	if (budget_say(&b, ret ? "its symbols" : "the rest of its symbols", &err) && ret)
		ret = -ENOBUFS;
	helper_put_error(out, ret, &err);
	if (!ret)
		put_symbols(out, &e);
	elfsym_clear(&e);
}
