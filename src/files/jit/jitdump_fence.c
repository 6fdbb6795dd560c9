/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/jit/jitdump_fence.h"

#include <errno.h>
#include <string.h>

static void put_dump_place(struct wire_out *o, const struct jitdump_place *at)
{
	wire_put(o, at->offset, 8);
	wire_put(o, at->lines, 8);
	wire_put(o, at->lines_of, 8);
	wire_put(o, at->unwind, 8);
	wire_put(o, at->machine, 4);
	wire_put(o, at->swapped, 1);
	wire_put(o, at->arch_time, 1);
	wire_put(o, at->skewed, 1);
	wire_put(o, at->closed, 1);
}

static struct jitdump_place get_place(struct wire_in *in)
{
	struct jitdump_place at;

	at.offset = wire_get(in, 8);
	at.lines = wire_get(in, 8);
	at.lines_of = wire_get(in, 8);
	at.unwind = wire_get(in, 8);
	at.machine = (uint32_t)wire_get(in, 4);
	at.swapped = wire_get(in, 1);
	at.arch_time = wire_get(in, 1);
	at.skewed = wire_get(in, 1);
	at.closed = wire_get(in, 1);
	return at;
}

static void put_name_block(struct wire_out *o, const char *names, size_t len)
{
	wire_put(o, len, 8);
	wire_put_bytes(o, names, len);
}

/* Read NUL-terminated names. NULL: missing, not terminated (in->failed), or no memory. */
static char *get_names(struct wire_in *in, struct budget *b, size_t *len)
{
	char *names;

	*len = wire_get_count(in, 1);
	names = wire_get_block(in, b, BUDGET_READING, *len);
	in->failed |= names && *len && names[*len - 1];
	return names;
}

static bool is_sound_text(const char *names, size_t len, size_t at)
{
	return at < len && strnlen(names + at, JITDUMP_NAME_MAX + 1) <= JITDUMP_NAME_MAX;
}

static int end_reply(struct wire_in *in, bool complete)
{
	return in->failed ? -EPROTO : complete ? 0 : -ENOMEM;
}

/* --- replies ---------------------------------------------------------------------------------- */

static bool is_event(const struct jitdump_batch *b, const struct jitdump_event *e)
{
	return e->kind <= JITDUMP_MOVE && e->size && e->addr + e->size >= e->addr &&
	       (e->kind == JITDUMP_MOVE || is_sound_text(b->names, b->nnames, e->name));
}

static int get_batch(struct wire_in *in, struct jitdump_batch *b)
{
	b->more = wire_get(in, 1);
	b->bad = wire_get(in, 8);
	b->nr = b->cap = wire_get_count(in, sizeof(*b->event));
	in->failed |= b->nr > JITDUMP_PASS_RECORDS;
	b->event = wire_get_block(in, &b->budget, BUDGET_READING, b->nr * sizeof(*b->event));
	b->names = get_names(in, &b->budget, &b->nnames);
	b->cap_names = b->nnames;
	for (size_t i = 0; b->event && b->names && !in->failed && i < b->nr; i++)
		in->failed = !is_event(b, &b->event[i]);
	return end_reply(in, b->event && b->names);
}

int jitdump_take(struct wire_in *in, struct jitdump_place *at, struct jitdump_batch *b,
		 struct err *err)
{
	int ret = helper_get_error(in, err), got;
	struct jitdump_place place;

	if (ret && in->at == in->end)
		return ret; /* the helper had no memory for more */
	place = get_place(in);
	in->failed |= place.offset < at->offset;
	got = get_batch(in, b);
	if (!got) {
		*at = place;
		return ret;
	}
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
	struct fence_call c = {.job = FENCE_JITDUMP, .fd = f->fd};
	int ret;

	wire_put(&c.ask, f->size, 8);
	put_dump_place(&c.ask, at);
	ret = fence_call(&c, err);
	b->more = fence_later(ret);
	if (!ret)
		ret = jitdump_take(&c.in, at, b, err);
	return fence_taken(&c, ret, err);
}

int jitdump_load(const struct jitdump_file *f, struct jitdump_place *at, struct jitdump_batch *b,
		 struct err *err)
{
	if (at->offset && at->offset >= f->size)
		return 0;
	return (fence_trusts(f->fd, f->path) ? jitdump_read : request_batch)(f, at, b, err);
}

void jitdump_serve(struct wire_in *in, int fd, struct wire_out *out)
{
	struct jitdump_file f = {.fd = fd, .size = wire_get(in, 8)};
	struct jitdump_place at = get_place(in);
	struct jitdump_batch b = {.nr = 0};
	struct err err = {.code = 0};
	int ret = jitdump_read(&f, &at, &b, &err);

	helper_put_error(out, ret, &err);
	put_dump_place(out, &at);
	wire_put(out, b.more, 1);
	wire_put(out, b.bad, 8);
	wire_put(out, b.nr, 8);
	wire_put_bytes(out, b.event, b.nr * sizeof(*b.event));
	put_name_block(out, b.names, b.nnames);
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
	int ret = helper_get_error(in, NULL);

	l->nr = l->cap = wire_get_count(in, sizeof(*l->line));
	in->failed |= l->nr > JITDUMP_LINES_MAX;
	l->line = wire_get_block(in, NULL, BUDGET_READING, l->nr * sizeof(*l->line));
	l->names = get_names(in, NULL, &l->nnames);
	l->cap_names = l->nnames;
	for (size_t i = 0; l->line && l->names && !in->failed && i < l->nr; i++)
		in->failed = !is_line(l, i, size);
	ret = ret ? ret : end_reply(in, l->line && l->names);
	if (ret)
		jitdump_lines_clear(l);
	return ret;
}

static int ask_lines(const struct jitdump_file *f, const struct jitdump_place *at, uint64_t offset,
		     uint64_t size, struct jitdump_lines *lines)
{
	struct fence_call c = {.job = FENCE_JITDUMP_LINES, .fd = f->fd};
	int ret;

	wire_put(&c.ask, f->size, 8);
	put_dump_place(&c.ask, at);
	wire_put(&c.ask, offset, 8);
	wire_put(&c.ask, size, 8);
	ret = fence_call(&c, NULL);
	if (!ret)
		ret = jitdump_take_lines(&c.in, size, lines);
	return fence_taken(&c, ret, NULL);
}

int jitdump_load_lines(const struct jitdump_file *f, const struct jitdump_place *at,
		       uint64_t offset, uint64_t size, struct jitdump_lines *lines)
{
	return (fence_trusts(f->fd, f->path) ? jitdump_read_lines : ask_lines)(f, at, offset, size,
									       lines);
}

void jitdump_serve_lines(struct wire_in *in, int fd, struct wire_out *out)
{
	struct jitdump_file f = {.fd = fd, .size = wire_get(in, 8)};
	struct jitdump_place at = get_place(in);
	uint64_t offset = wire_get(in, 8), size = wire_get(in, 8);
	struct jitdump_lines l = {.nr = 0};

	helper_put_error(out, jitdump_read_lines(&f, &at, offset, size, &l),
			 &(struct err){.code = 0});
	wire_put(out, l.nr, 8);
	wire_put_bytes(out, l.line, l.nr * sizeof(*l.line));
	put_name_block(out, l.names, l.nnames);
	jitdump_lines_clear(&l);
}
