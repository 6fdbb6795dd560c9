/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/print.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <event-parse.h>
#include <trace-seq.h>

#include "base/text.h"
#include "base/vec.h"

#define ELEMENTS 64u  /* of an array in a field's value; what follows is "..." */
#define VALUE	 1024u /* bytes of a field's value, raw */

struct printed {
	uint32_t id;
	struct trace_format format;
	bool worded; /* the library has its print format */
};

struct print {
	struct tep_handle *tep;
	struct printed *event; /* by id */
	size_t nr, cap;
};

/* --- fields ---------------------------------------------------------------------------------- */

static void put_number(const struct trace_field *f, uint64_t n, char *to, size_t size)
{
	if (f->pointer)
		snprintf(to, size, "0x%llx", (unsigned long long)n);
	else
		snprintf(to, size, f->is_signed ? "%lld" : "%llu", (unsigned long long)n);
}

/* Where a field's bytes are.  False: not in the record. */
static bool find_bytes(const struct trace_field *f, size_t len, const char *record, size_t *at, size_t *bytes)
{
	uint32_t where;

	*at = f->offset;
	*bytes = f->size;
	if (*at + *bytes > len)
		return false;
	if (!f->dynamic)
		return true;
	memcpy(&where, record + *at, sizeof(where));
	*at = (where & 0xffff) + (f->relative ? *at + sizeof(where) : 0);
	*bytes = where >> 16;
	return *at + *bytes <= len;
}

static bool is_number(unsigned size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

/* "{1, 2, 3}"; of bytes, or elements of no number's size, their digits. */
static void put_array(const struct trace_field *f, const char *record, size_t at, size_t bytes, char *to, size_t size)
{
	size_t each = f->element && is_number(f->element) && f->element < bytes ? f->element : 1, pos, i;
	size_t nr = bytes / each;

	pos = text_append(to, size, 0, "%s", each > 1 ? "{" : "");
	for (i = 0; i < nr && i < ELEMENTS; i++) {
		struct trace_value v = {.offset = 0, .size = (uint16_t)each, .is_signed = f->is_signed && each > 1};
		char text[32];
		uint64_t n = 0;

		trace_number(&v, record + at + i * each, each, &n);
		if (each > 1)
			put_number(f, n, text, sizeof(text));
		else
			snprintf(text, sizeof(text), "%02x", (unsigned)n);
		pos = text_append(to, size, pos, "%s%s", i && each > 1 ? ", " : "", text);
	}
	text_append(to, size, pos, "%s%s", i < nr ? "..." : "", each > 1 ? "}" : "");
}

/* Raw.  False: the record has no such place. */
static bool put_value(const struct trace_field *f, const char *record, size_t len, char *to, size_t size, bool *number)
{
	struct trace_value v = {.offset = f->offset, .size = f->size, .is_signed = f->is_signed};
	size_t at, bytes;
	uint64_t n;

	*number = false;
	if (!find_bytes(f, len, record, &at, &bytes))
		return false;
	if (f->text && (f->array || f->dynamic)) {
		snprintf(to, size, "%.*s", (int)strnlen(record + at, bytes), record + at);
	} else if (f->array || f->dynamic || !is_number(f->size)) {
		put_array(f, record, at, bytes, to, size);
	} else {
		if (!trace_number(&v, record, len, &n))
			return false;
		put_number(f, n, to, size);
		*number = !f->pointer;
	}
	return true;
}

static bool is_common(const struct trace_field *f)
{
	return !strncmp(f->name, "common_", 7);
}

/* "" where it has no room for all of it. */
static size_t put_field(const struct trace_field *f, const char *record, size_t len, char *to, size_t size)
{
	char raw[VALUE], value[4 * VALUE], name[4 * FORMAT_NAME];
	bool number;
	size_t n;

	if (!put_value(f, record, len, raw, sizeof(raw), &number))
		return 0;
	text_escape(value, sizeof(value), raw);
	text_escape(name, sizeof(name), f->name);
	n = (size_t)snprintf(to, size, "%s\t%c%s\n", name, number ? 'n' : 's', value);
	if (n < size)
		return n;
	*to = '\0';
	return 0;
}

static void put_fields(const struct trace_format *f, const char *record, size_t len, struct print_line *line)
{
	size_t pos = 0;

	*line->fields = '\0';
	for (int common = 0; common < 2; common++)
		for (unsigned i = 0; i < f->nr; i++)
			if (is_common(&f->field[i]) == common)
				pos += put_field(&f->field[i], record, len, line->fields + pos, sizeof(line->fields) - pos);
}

static void shorten(char *text, size_t size)
{
	memcpy(text + size - 4, "...", 4);
}

/* "NAME=VALUE NAME=VALUE" of those that no other event has. */
static void put_plain_text(const struct trace_format *f, const char *record, size_t len, struct print_line *line)
{
	char text[PRINT_TEXT] = "", value[VALUE];
	size_t pos = 0;
	bool number;

	for (unsigned i = 0; i < f->nr && pos + 1 < sizeof(text); i++)
		if (!is_common(&f->field[i]) && put_value(&f->field[i], record, len, value, sizeof(value), &number))
			pos = text_append(text, sizeof(text), pos, "%s%s=%s", pos ? " " : "", f->field[i].name, value);
	if (text_escape(line->text, sizeof(line->text), text) + 4 >= sizeof(line->text))
		shorten(line->text, sizeof(line->text));
}

void print_plain(const struct trace_format *f, const void *record, size_t len, struct print_line *line)
{
	put_fields(f, record, len, line);
	put_plain_text(f, record, len, line);
}

/* --- lines ------------------------------------------------------------------------------------ */

static struct printed *find(const struct print *p, uint32_t id)
{
	size_t from = 0, to = p->nr;

	while (from < to) {
		size_t middle = (from + to) / 2;

		if (p->event[middle].id == id)
			return &p->event[middle];
		if (p->event[middle].id < id)
			from = middle + 1;
		else
			to = middle;
	}
	return NULL;
}

static struct printed *insert(struct print *p, uint32_t id)
{
	size_t at = p->nr;

	if (find(p, id) || !vec_reserve(&p->event, &p->cap, p->nr + 1, sizeof(*p->event)))
		return NULL;
	for (; at && p->event[at - 1].id > id; at--)
		p->event[at] = p->event[at - 1];
	p->nr++;
	p->event[at] = (struct printed){.id = id};
	return &p->event[at];
}

/* The library prints a record by the id that is in it. */
static bool add_words(struct print *p, const struct printed *e, const char *system, const char *text, size_t len)
{
	struct tep_event *event = NULL;

	return e->format.id == e->id && !tep_parse_format(p->tep, &event, text, len, system) && event &&
	       !(event->flags & TEP_EVENT_FL_FAILED);
}

int print_add(struct print *p, uint32_t id, const char *system, const char *text, size_t len, bool plain, struct err *err)
{
	struct trace_format f;
	struct trace_field *least;
	struct printed *e;
	int ret = format_parse(text, len, &f, err);

	if (ret) {
		format_clear(&f);
		return ret;
	}
	least = realloc(f.field, f.nr * sizeof(*f.field));
	f.field = least ? least : f.field;
	e = insert(p, id);
	if (!e) {
		format_clear(&f);
		return find(p, id) ? 0 : err_set(err, ENOMEM, "out of memory");
	}
	e->format = f;
	e->worded = !plain && add_words(p, e, system, text, len);
	return 0;
}

/* The library reads fields without a look at where the record ends. */
static bool is_whole(const struct trace_format *f, const char *record, size_t len)
{
	size_t at, bytes;

	for (unsigned i = 0; i < f->nr; i++)
		if (!find_bytes(&f->field[i], len, record, &at, &bytes))
			return false;
	return true;
}

static bool says_id(const struct printed *e, const void *record, size_t len)
{
	const struct trace_field *f = format_find(&e->format, "common_type");
	struct trace_value v;
	uint64_t id;

	if (!f)
		return false;
	v = (struct trace_value){.offset = f->offset, .size = f->size};
	return is_number(f->size) && trace_number(&v, record, len, &id) && id == e->id;
}

static void put_words(struct print *p, struct trace_seq *seq, int cpu, const void *record, size_t len, struct print_line *line)
{
	struct tep_record r = {.ts = 0, .size = (int)len, .record_size = (int)len, .cpu = cpu,
			       .data = (void *)(uintptr_t)record};
	char text[PRINT_TEXT];
	size_t n;

	tep_print_event(p->tep, seq, &r, "%s", TEP_PRINT_INFO);
	trace_seq_terminate(seq);
	n = (size_t)snprintf(text, sizeof(text), "%s", seq->buffer ? seq->buffer : "");
	n = n < sizeof(text) ? n : sizeof(text) - 1;
	while (n && (text[n - 1] == '\n' || text[n - 1] == ' '))
		text[--n] = '\0';
	if (text_escape(line->text, sizeof(line->text), text + strspn(text, " ")) + 4 >= sizeof(line->text))
		shorten(line->text, sizeof(line->text));
}

bool print_record(struct print *p, uint32_t id, int cpu, const void *record, size_t len, struct print_line *line)
{
	const struct printed *e = find(p, id);
	struct trace_seq seq;

	*line->text = *line->fields = '\0';
	if (!e)
		return false;
	put_fields(&e->format, record, len, line);
	if (!e->worded || !says_id(e, record, len) || !is_whole(&e->format, record, len)) {
		put_plain_text(&e->format, record, len, line);
		return true;
	}
	trace_seq_init(&seq);
	put_words(p, &seq, cpu, record, len, line);
	trace_seq_destroy(&seq);
	return true;
}

/* --- all of it -------------------------------------------------------------------------------- */

struct print *print_create(void)
{
	struct print *p = calloc(1, sizeof(*p));

	tep_set_loglevel(TEP_LOG_NONE);
	if (p && !(p->tep = tep_alloc())) {
		free(p);
		return NULL;
	}
	return p;
}

void print_free(struct print *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->nr; i++)
		format_clear(&p->event[i].format);
	free(p->event);
	tep_free(p->tep);
	free(p);
}
