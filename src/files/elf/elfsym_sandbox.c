/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/elf/elfsym_sandbox.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fieldtable.h"
#include "files/elf/elffile.h"
#include "files/elf/symtab_wire.h"

#define PATH_LEN_MAX 8192

#define T struct elfsym
static const struct field rows[] = {
	{1, FIELD_BUILD_ID, FIELD_MEMBER(T, build_id)},
	{2, FIELD_UINT, FIELD_MEMBER(T, is_32bit), .max = 1},
	{3, FIELD_UINT, FIELD_MEMBER(T, partial), .max = 1},
	{4, FIELD_TEXT, FIELD_MEMBER(T, source)},
	{5, FIELD_BYTES, FIELD_BLOCK(T, segments, nsegments), .max = ELFFILE_SEGMENTS_MAX},
};
static const struct fields table = FIELDS(rows, T);
#undef T

int elfsym_take(struct wire_in *in, struct budget *b, struct elfsym *out, struct err *err)
{
	int ret = helper_get_error(in, err);

	*out = (struct elfsym){.symtab = NULL};
	if (ret)
		return ret;
	ret = fields_get_part(in, &table, out, NULL);
	if (!ret)
		ret = symtab_wire_get(in, b, &out->symtab);
	in->failed |= ret == -EPROTO;
	if (!ret)
		return 0;
	elfsym_clear(out);
	return err_set(err, -ret, "out of memory");
}

int elfsym_ask(struct image *im, struct elfsym *out, struct err *err)
{
	struct sandbox_call c = {.job = SANDBOX_SYMBOLS,
			       .fd = im->fd,
			       .root = im->root,
			       .budget = im->budget,
			       .brief = true};
	int ret;

	*out = (struct elfsym){.symtab = NULL};
	wire_put_text(&c.ask, im->path);
	wire_put(&c.ask, im->root != NULL, 1);
	wire_put(&c.ask, im->at, 8);
	ret = sandbox_call(&c, err);
	if (!ret)
		ret = elfsym_take(&c.in, im->budget, out, err);
	else
		err_prefix(err, im->path);
	return sandbox_taken(&c, ret, err);
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
	if (!ret) {
		fields_put_part(out, &table, &e);
		symtab_wire_put(e.symtab, out);
	}
	elfsym_clear(&e);
}
