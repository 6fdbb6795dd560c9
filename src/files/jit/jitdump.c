/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bytes are read through a window: a record's fixed part and its name are read, its code is
 * skipped. A record that is not complete yet ends the pass before it. A record that does not fit
 * its own size is counted and skipped; one of a size below the minimum cannot be skipped, and ends
 * the file for good.
 */
#include "files/jit/jitdump.h"

#include <byteswap.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/compare.h"

#define MAGIC         0x4a695444u
#define MAGIC_SWAPPED 0x4454694au
#define V8_PAD        0xdeadbeefu
#define V8_SKEW       64
#define HEADER_SIZE   40
#define WINDOW        65536

enum record_id { CODE_LOAD, CODE_MOVE, CODE_DEBUG_INFO, CODE_CLOSE, CODE_UNWINDING_INFO };

/* Sizes of fixed parts, in bytes from the record's start. */
#define PREFIX_SIZE 16
#define LOAD_SIZE   56
#define MOVE_SIZE   64
#define DEBUG_SIZE  32
#define ENTRY_SIZE  16

struct window {
	const struct jitdump_file *f;
	uint64_t at;     /* offset of buf[0] */
	size_t len;
	uint64_t budget; /* bytes that may still be read */
	int error;
	uint8_t buf[WINDOW];
};

struct record {
	uint32_t id, size;
	uint64_t time, offset;
};

static void fill_dump_window(struct window *w, uint64_t offset)
{
	w->at = offset;
	w->len = 0;
	while (w->len < WINDOW) {
		ssize_t n = pread(w->f->fd, w->buf + w->len, WINDOW - w->len,
				  (off_t)(offset + w->len));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			w->error = -EIO;
		if (n <= 0)
			break;
		w->len += (size_t)n;
	}
	w->budget -= w->len < w->budget ? w->len : w->budget;
}

/* Get len bytes (at most WINDOW) at offset, or NULL; valid until the next call. */
static const uint8_t *window_bytes(struct window *w, uint64_t offset, size_t len)
{
	if (offset > w->f->size || w->f->size - offset < len)
		return NULL;
	if (w->f->mem)
		return w->f->mem + offset;
	if (offset < w->at || offset + len > w->at + w->len)
		fill_dump_window(w, offset);
	return w->len >= len ? w->buf + (offset - w->at) : NULL;
}

static uint32_t get32(const uint8_t *p, bool swapped)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return swapped ? bswap_32(v) : v;
}

static uint64_t get64(const uint8_t *p, bool swapped)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return swapped ? bswap_64(v) : v;
}

/* Read the file's header. Return 1 (done), 0 (not there yet), -EPROTO, -EIO. */
static int read_dump_header(struct window *w, struct jitdump_place *at)
{
	const uint8_t *h = window_bytes(w, 0, HEADER_SIZE);
	uint32_t magic, size;

	if (!h)
		return w->error;
	magic = get32(h, false);
	at->swapped = magic == MAGIC_SWAPPED;
	size = get32(h + 8, at->swapped);
	if ((magic != MAGIC && !at->swapped) || get32(h + 4, at->swapped) != 1 ||
	    size < HEADER_SIZE)
		return -EPROTO;
	at->machine = get32(h + 12, at->swapped);
	at->skewed = get32(h + 16, at->swapped) == V8_PAD;
	at->arch_time = get64(h + 32, at->swapped) & 1;
	at->offset = size;
	return 1;
}

static bool read_prefix(struct window *w, const struct jitdump_place *at, struct record *r)
{
	const uint8_t *p = window_bytes(w, at->offset, PREFIX_SIZE);

	if (!p)
		return false;
	*r = (struct record){get32(p, at->swapped), get32(p + 4, at->swapped),
			     get64(p + 8, at->swapped), at->offset};
	return r->size < PREFIX_SIZE || w->f->size - at->offset >= r->size;
}

static struct jitdump_event *add_dump_event(struct jitdump_batch *b)
{
	if (!budget_reserve(&b->budget, BUDGET_READING, &b->event, &b->cap, b->nr + 1,
			    sizeof(*b->event)))
		return NULL;
	b->event[b->nr] = (struct jitdump_event){0};
	return &b->event[b->nr];
}

static int add_text(struct jitdump_batch *b, const char *name, size_t len, size_t *at)
{
	if (!budget_reserve(&b->budget, BUDGET_READING, &b->names, &b->cap_names,
			    b->nnames + len + 1, 1))
		return -ENOMEM;
	*at = b->nnames;
	memcpy(b->names + b->nnames, name, len);
	b->names[b->nnames + len] = '\0';
	b->nnames += len + 1;
	return 0;
}

/* Add a demangled name. A name that is cut, and so without a NUL, is too long for that. */
static int add_function_name(struct jitdump_batch *b, const char *name, size_t len, size_t *at)
{
	char *readable = demangle(name, &b->readable);
	int ret = add_text(b, readable ? readable : name, readable ? strlen(readable) : len, at);

	free(readable);
	return ret;
}

_Static_assert(JITDUMP_NAME_MAX >= DEMANGLE_MAX, "demangle looks no further");

/* Read LOAD: the name, then the code, which ends with the record. */
static int read_load(struct window *w, struct jitdump_place *at, const struct record *r,
		     struct jitdump_batch *b)
{
	size_t room = r->size > LOAD_SIZE ? r->size - LOAD_SIZE : 0;
	size_t want = room <= JITDUMP_NAME_MAX ? room : JITDUMP_NAME_MAX;
	const uint8_t *p = window_bytes(w, r->offset, LOAD_SIZE + want);
	struct jitdump_event *e = add_dump_event(b);
	size_t len;
	int ret;

	if (!e)
		return -ENOMEM;
	if (!p || !want)
		return -EINVAL;
	*e = (struct jitdump_event){
		.kind = JITDUMP_LOAD, .time = r->time, .addr = get64(p + 32, at->swapped),
		.size = get64(p + 40, at->swapped), .index = get64(p + 48, at->swapped),
		.unwind = at->unwind,
	};
	e->lines = at->lines_of == e->addr ? at->lines : 0;
	len = strnlen((const char *)p + LOAD_SIZE, want);
	if (len == room || e->addr + e->size < e->addr)
		return -EINVAL;
	if (e->size < room - len)
		e->code = r->offset + r->size - e->size;
	ret = add_function_name(b, (const char *)p + LOAD_SIZE, len, &e->name);
	if (ret)
		return ret; /* read from the same place again */
	b->nr += e->size != 0; /* a function without code cannot be found */
	at->lines = at->unwind = 0;
	return 0;
}

static int read_move(struct window *w, struct jitdump_place *at, const struct record *r,
		     struct jitdump_batch *b)
{
	const uint8_t *p = r->size >= MOVE_SIZE ? window_bytes(w, r->offset, MOVE_SIZE) : NULL;
	struct jitdump_event *e = add_dump_event(b);

	if (!e)
		return -ENOMEM;
	if (!p)
		return -EINVAL;
	*e = (struct jitdump_event){
		.kind = JITDUMP_MOVE, .time = r->time, .from = get64(p + 32, at->swapped),
		.addr = get64(p + 40, at->swapped), .size = get64(p + 48, at->swapped),
		.index = get64(p + 56, at->swapped),
	};
	if (!e->size || e->addr + e->size < e->addr)
		return -EINVAL;
	b->nr++;
	return 0;
}

static int read_debug(struct window *w, struct jitdump_place *at, const struct record *r)
{
	const uint8_t *p = r->size >= DEBUG_SIZE ? window_bytes(w, r->offset, DEBUG_SIZE) : NULL;

	if (!p)
		return -EINVAL;
	at->lines = r->offset;
	at->lines_of = get64(p + 16, at->swapped);
	return 0;
}

static int read_record(struct window *w, struct jitdump_place *at, const struct record *r,
		       struct jitdump_batch *b)
{
	switch (r->id) {
	case CODE_LOAD:
		return read_load(w, at, r, b);
	case CODE_MOVE:
		return read_move(w, at, r, b);
	case CODE_DEBUG_INFO:
		return read_debug(w, at, r);
	case CODE_UNWINDING_INFO:
		at->unwind = r->offset;
		return 0;
	case CODE_CLOSE:
		at->closed = true;
		return 0;
	default: /* of a later version: skipped */
		return 0;
	}
}

static int read_records(struct window *w, struct jitdump_place *at, struct jitdump_batch *b)
{
	struct record r;

	for (uint32_t n = 0; read_prefix(w, at, &r); n++) {
		int ret;

		if (n == JITDUMP_PASS_RECORDS || !w->budget) {
			b->more = true;
			break;
		}
		if (r.size < PREFIX_SIZE)
			return -EPROTO;
		ret = read_record(w, at, &r, b);
		if (w->error || ret == -ENOMEM)
			return w->error ? w->error : ret;
		b->bad += ret != 0;
		at->offset += r.size;
	}
	return w->error;
}

int jitdump_read(const struct jitdump_file *f, struct jitdump_place *at, struct jitdump_batch *b,
		 struct err *err)
{
	struct window w = {.f = f, .budget = JITDUMP_PASS_BYTES};
	int ret = 1;

	b->more = false;
	if (!at->offset)
		ret = read_dump_header(&w, at);
	if (ret > 0)
		ret = read_records(&w, at, b);
	if (ret == -ENOMEM && budget_refused(&b->budget))
		return budget_say(&b->budget, "its names", err);
	return !ret ? 0
		    : err_set(err, -ret, "%s",
			      ret == -EPROTO ? "not in the format of a jitdump, version 1"
					     : strerror(-ret));
}

void jitdump_batch_clear(struct jitdump_batch *b)
{
	budget_free(b->event);
	budget_free(b->names);
	*b = (struct jitdump_batch){0};
}

/* --- lines -------------------------------------------------------------------------------- */

struct entry_reader {
	struct window *w;
	const struct jitdump_place *at;
	uint64_t offset, end; /* in the file */
	uint64_t addr, size, skew;
};

/* Get the place of a name in lines; "\xff" stands for the previous one. */
static int add_source_file(struct jitdump_lines *l, const char *name, size_t len, uint32_t *file)
{
	uint32_t last = l->nr ? l->line[l->nr - 1].file : 0;

	*file = last;
	if (l->nr && ((len == 1 && name[0] == '\xff') ||
		      (!strncmp(l->names + last, name, len) && !l->names[last + len])))
		return 0;
	if (!budget_reserve(NULL, BUDGET_READING, &l->names, &l->cap_names, l->nnames + len + 1, 1))
		return -ENOMEM;
	*file = (uint32_t)l->nnames;
	memcpy(l->names + l->nnames, name, len);
	l->names[l->nnames + len] = '\0';
	l->nnames += len + 1;
	return 0;
}

/*
 * Check a name. V8 (Node 18) frees a name before it writes it: after such a one the following
 * fields are misplaced.
 */
static bool is_file_name(const char *name, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)name[i] < ' ' || name[i] == 0x7f)
			return false;
	return len;
}

/* Read a line. Return 1 (done), 0 (no more), -EINVAL (not a name), -ENOMEM. */
static int read_entry(struct entry_reader *r, struct jitdump_lines *l)
{
	uint64_t left = r->end - r->offset, addr;
	size_t want = left < ENTRY_SIZE + JITDUMP_NAME_MAX ? (size_t)left
							   : ENTRY_SIZE + JITDUMP_NAME_MAX;
	const uint8_t *p = want > ENTRY_SIZE ? window_bytes(r->w, r->offset, want) : NULL;
	bool swapped = r->at->swapped;
	struct jitdump_line *line;
	size_t len;
	int ret;

	len = p ? strnlen((const char *)p + ENTRY_SIZE, want - ENTRY_SIZE) : 0;
	if (!p || len == want - ENTRY_SIZE)
		return 0;
	r->offset += ENTRY_SIZE + len + 1;
	if (!is_file_name((const char *)p + ENTRY_SIZE, len))
		return -EINVAL;
	if (!budget_reserve(NULL, BUDGET_READING, &l->line, &l->cap, l->nr + 1, sizeof(*l->line)))
		return -ENOMEM;
	line = &l->line[l->nr];
	addr = get64(p, swapped) - r->skew;
	*line = (struct jitdump_line){(uint32_t)(addr - r->addr), get32(p + 8, swapped),
				      get32(p + 12, swapped), 0};
	ret = add_source_file(l, (const char *)p + ENTRY_SIZE, len, &line->file);
	if (ret)
		return ret;
	l->nr += addr >= r->addr && addr - r->addr < r->size && addr - r->addr <= UINT32_MAX;
	return 1;
}

COMPARE_BY(by_offset, struct jitdump_line, offset)

/* Sort lines, which are usually sorted. Of several at one offset the last counts. */
static void sort_lines(struct jitdump_lines *l)
{
	for (size_t i = 1; i < l->nr; i++)
		if (l->line[i].offset < l->line[i - 1].offset) {
			qsort(l->line, l->nr, sizeof(*l->line), by_offset);
			return;
		}
}

int jitdump_read_lines(const struct jitdump_file *f, const struct jitdump_place *at,
		       uint64_t offset, uint64_t size, struct jitdump_lines *lines)
{
	struct window w = {.f = f, .budget = UINT64_MAX};
	struct jitdump_place here = *at;
	struct entry_reader r = {.w = &w, .at = at, .size = size,
				 .skew = at->skewed ? V8_SKEW : 0};
	struct record record;
	const uint8_t *p;
	uint64_t nr;
	int ret = 1;

	here.offset = offset;
	if (!read_prefix(&w, &here, &record) || record.id != CODE_DEBUG_INFO ||
	    record.size < DEBUG_SIZE || !(p = window_bytes(&w, offset, DEBUG_SIZE)))
		return w.error ? w.error : -EINVAL;
	r.addr = get64(p + 16, at->swapped); /* its first place: it may have moved since */
	nr = get64(p + 24, at->swapped);
	r.offset = offset + DEBUG_SIZE;
	r.end = offset + (record.size < JITDUMP_LINES_BYTES ? record.size : JITDUMP_LINES_BYTES);
	for (uint64_t i = 0; i < nr && i < JITDUMP_LINES_MAX && ret > 0; i++)
		ret = read_entry(&r, lines);
	if (ret == -EINVAL)
		lines->nr = 0;
	sort_lines(lines);
	return ret < 0 ? ret : w.error;
}

void jitdump_lines_clear(struct jitdump_lines *l)
{
	budget_free(l->line);
	budget_free(l->names);
	*l = (struct jitdump_lines){0};
}

bool jitdump_is_name(const char *path, uint32_t *pid)
{
	const char *name = strrchr(path, '/'), *digits;
	uint64_t value = 0;

	name = name ? name + 1 : path;
	if (strncmp(name, "jit-", 4) != 0)
		return false;
	for (digits = name += 4; *name >= '0' && *name <= '9' && value <= INT32_MAX; name++)
		value = value * 10 + (uint64_t)(*name - '0');
	*pid = (uint32_t)value;
	return name != digits && value <= INT32_MAX && !strcmp(name, ".dump");
}
