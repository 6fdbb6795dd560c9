/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/jit/jitdump_sandbox.h"

#include <errno.h>
#include <string.h>

#include "base/fieldrows.h"

/* Request of both jobs. */
struct question {
	uint64_t bytes; /* of the file */
	struct jitdump_place at;
	uint64_t offset, size; /* lines: of the record, and of the function */
};

#define ARRAY(nr, array, number, most) \
	{nr, FIELD_BYTES, FIELD_BLOCK(T, array, number), .max = (most), .paid = 1 + BUDGET_READING}

#define T struct jitdump_place
static const struct field place_rows[] = {
	UINT(1, offset), UINT(2, lines), UINT(3, lines_of), UINT(4, unwind), UINT(5, machine),
	FLAG(6, swapped), FLAG(7, arch_time), FLAG(8, skewed), FLAG(9, closed),
};
static const struct fields place_table = FIELDS(place_rows, T);
#undef T

#define T struct question
static const struct field question_rows[] = {
	UINT(1, bytes),
	{2, FIELD_STRUCT, FIELD_MEMBER(T, at), .table = &place_table},
	UINT(3, offset),
	UINT(4, size),
};
static const struct fields question_table = FIELDS(question_rows, T);
#undef T

#define T struct jitdump_batch
static const struct field batch_rows[] = {
	FLAG(1, more),
	UINT(2, bad),
	ARRAY(3, event, nr, JITDUMP_PASS_RECORDS),
	ARRAY(4, names, nnames, 0),
};
static const struct fields batch_table = FIELDS(batch_rows, T);
#undef T

#define T struct jitdump_lines
static const struct field lines_rows[] = {
	ARRAY(1, line, nr, JITDUMP_LINES_MAX),
	ARRAY(2, names, nnames, 0),
};
static const struct fields lines_table = FIELDS(lines_rows, T);
#undef T

/* Return true if a name is not too long; a NUL is behind all of them. */
static bool is_sound_text(const char *names, size_t len, size_t at)
{
	return at < len && strnlen(names + at, JITDUMP_NAME_MAX + 1) <= JITDUMP_NAME_MAX;
}

/* --- records ---------------------------------------------------------------------------------- */

static bool is_event(const struct jitdump_batch *b, const struct jitdump_event *e)
{
	return e->kind <= JITDUMP_MOVE && e->size && e->addr + e->size >= e->addr &&
	       (e->kind == JITDUMP_MOVE || is_sound_text(b->names, b->nnames, e->name));
}

int jitdump_take(struct wire_in *in, struct jitdump_place *at, struct jitdump_batch *b,
		 struct err *err)
{
	struct jitdump_place place = {.offset = 0};
	int ret = helper_get_error(in, err), got;

	if (ret && in->at == in->end)
		return ret; /* the helper had no memory for more */
	got = fields_get_part(in, &place_table, &place, NULL);
	if (!got)
		got = fields_get_part(in, &batch_table, b, &b->budget);
	in->failed |= place.offset < at->offset;
	for (size_t i = 0; !got && !in->failed && i < b->nr; i++)
		in->failed = !is_event(b, &b->event[i]);
	if (!got && !in->failed) {
		*at = place;
		return ret;
	}
	got = in->failed ? -EPROTO : got;
	if (budget_say(&b->budget, "its names", err))
		got = -ENOBUFS;
	else
		err_set(err, -got, "%s", strerror(-got));
	b->nr = 0;
	return got;
}

static int request_batch(const struct jitdump_file *f, struct jitdump_place *at,
			 struct jitdump_batch *b, struct err *err)
{
	struct sandbox_call c = {.job = SANDBOX_JITDUMP, .fd = f->fd};
	int ret;

	fields_put_part(&c.ask, &question_table, &(struct question){f->size, *at, 0, 0});
	ret = sandbox_call(&c, err);
	b->more = sandbox_later(ret);
	if (!ret)
		ret = jitdump_take(&c.in, at, b, err);
	return sandbox_taken(&c, ret, err);
}

int jitdump_load(const struct jitdump_file *f, struct jitdump_place *at, struct jitdump_batch *b,
		 struct err *err)
{
	if (at->offset && at->offset >= f->size)
		return 0;
	return (sandbox_trusts(f->fd, f->path) ? jitdump_read : request_batch)(f, at, b, err);
}

void jitdump_put(struct wire_out *out, const struct jitdump_place *at,
		 const struct jitdump_batch *b)
{
	fields_put_part(out, &place_table, at);
	fields_put_part(out, &batch_table, b);
}

void jitdump_serve(struct wire_in *in, int fd, struct wire_out *out)
{
	struct question q = {.bytes = 0};
	struct jitdump_batch b = {.nr = 0};
	struct err err = {.code = 0};
	int ret = fields_get_part(in, &question_table, &q, NULL);

	if (!ret)
		ret = jitdump_read(&(struct jitdump_file){.fd = fd, .size = q.bytes}, &q.at, &b,
				   &err);
	helper_put_error(out, ret, &err);
	jitdump_put(out, &q.at, &b);
	jitdump_batch_clear(&b);
}

/* --- lines -------------------------------------------------------------------------------- */

static bool is_line(const struct jitdump_lines *l, size_t i, uint64_t size)
{
	return l->line[i].offset < size && (!i || l->line[i].offset >= l->line[i - 1].offset) &&
	       is_sound_text(l->names, l->nnames, l->line[i].file);
}

int jitdump_take_lines(struct wire_in *in, uint64_t size, struct jitdump_lines *l)
{
	int ret = helper_get_error(in, NULL), got = fields_get_part(in, &lines_table, l, NULL);

	for (size_t i = 0; !got && !in->failed && i < l->nr; i++)
		in->failed = !is_line(l, i, size);
	ret = ret ? ret : in->failed ? -EPROTO : got;
	if (ret)
		jitdump_lines_clear(l);
	return ret;
}

static int ask_lines(const struct jitdump_file *f, const struct jitdump_place *at, uint64_t offset,
		     uint64_t size, struct jitdump_lines *lines)
{
	struct sandbox_call c = {.job = SANDBOX_JITDUMP_LINES, .fd = f->fd};
	int ret;

	fields_put_part(&c.ask, &question_table, &(struct question){f->size, *at, offset, size});
	ret = sandbox_call(&c, NULL);
	if (!ret)
		ret = jitdump_take_lines(&c.in, size, lines);
	return sandbox_taken(&c, ret, NULL);
}

int jitdump_load_lines(const struct jitdump_file *f, const struct jitdump_place *at,
		       uint64_t offset, uint64_t size, struct jitdump_lines *lines)
{
	return (sandbox_trusts(f->fd, f->path) ? jitdump_read_lines : ask_lines)(f, at, offset,
										 size, lines);
}

void jitdump_serve_lines(struct wire_in *in, int fd, struct wire_out *out)
{
	struct question q = {.bytes = 0};
	struct jitdump_lines l = {.nr = 0};
	int ret = fields_get_part(in, &question_table, &q, NULL);

	if (!ret)
		ret = jitdump_read_lines(&(struct jitdump_file){.fd = fd, .size = q.bytes}, &q.at,
					 q.offset, q.size, &l);
	helper_put_error(out, ret, &(struct err){.code = 0});
	fields_put_part(out, &lines_table, &l);
	jitdump_lines_clear(&l);
}
