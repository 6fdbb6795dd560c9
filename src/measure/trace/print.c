/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/trace/print.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <event-parse.h>
#include <trace-seq.h>

#include "base/search.h"
#include "base/text.h"
#include "base/vec.h"

#define ELEMENTS 64u  /* array elements that are printed; more become "..." */
#define VALUE	 1024u /* bytes of a field's value, raw */

struct printed {
	uint32_t id;
	struct trace_format format;
	bool worded; /* the library has understood its print format */
	bool printk; /* records contain a format of their own: ftrace:bprint */
};

#define NAMED 1024u /* slots of the cache of names; a power of 2 */

struct named {
	uint64_t addr, start; /* addr 0: empty */
	char name[128];	      /* "": not known */
};

struct print {
	struct tep_handle *tep;
	struct printed *event; /* sorted by id */
	size_t nr, cap;
	struct trace_seq seq;
	bool with_fields;
	print_names *names;
	void *names_arg;
	struct named *named;
	struct printk texts; /* texts that fields may point to */
	unsigned long_size;  /* on the machine that wrote the records */
	char *copy;	     /* scratch: a record with zeros behind it */
	size_t cap_copy;
};

/* --- fields ---------------------------------------------------------------------------------- */

#define DIGITS 24 /* bytes of a number's text, with its sign or 0x and the NUL */

/* Format a number, ten times as fast as printf(): there are thousands.  Returns its length. */
static size_t print_number(const struct trace_field *f, uint64_t n, char to[DIGITS])
{
	unsigned base = f->pointer ? 16 : 10;
	bool negative = !f->pointer && f->is_signed && (int64_t)n < 0;
	char digits[DIGITS];
	size_t len = 0, at = 0;

	n = negative ? 0 - n : n;
	do
		digits[len++] = "0123456789abcdef"[n % base];
	while (n /= base);
	if (negative)
		to[at++] = '-';
	if (f->pointer)
		to[at++] = '0', to[at++] = 'x';
	while (len)
		to[at++] = digits[--len];
	to[at] = '\0';
	return at;
}

/* Find a field's bytes.  False: they are not in the record. */
static bool find_bytes(const struct trace_field *f, size_t len, const char *record, size_t *at,
		       size_t *bytes)
{
	uint32_t where;

	*at = f->offset;
	*bytes = f->size;
	if (*at + *bytes > len)
		return false;
	if (!f->dynamic && !f->size)
		*bytes = len - *at; /* a text up to the record's end */
	if (!f->dynamic)
		return true;
	memcpy(&where, record + *at, sizeof(where));
	*at = (where & 0xffff) + (f->relative ? *at + sizeof(where) : 0);
	*bytes = where >> 16;
	return *at + *bytes <= len;
}

static bool is_integer_size(unsigned size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

/* Append as much of a text of len bytes as fits; returns the new pos. */
static size_t append_bytes(char *to, size_t size, size_t pos, const char *text, size_t len)
{
	len = len < size - 1 - pos ? len : size - 1 - pos;
	memcpy(to + pos, text, len);
	to[pos + len] = '\0';
	return pos + len;
}

/*
 * Print an array as "{1, 2, 3}"; bytes, and elements of other sizes than numbers', as hex digits.
 */
static void put_array(const struct trace_field *f, const char *record, size_t at, size_t bytes,
		      char *to, size_t size)
{
	size_t each = f->element && is_integer_size(f->element) && f->element < bytes ? f->element
										      : 1,
	       pos = 0, i;
	struct trace_value v = {.offset = 0, .size = (uint16_t)each, .is_signed = f->is_signed};
	size_t nr = bytes / each;

	pos = append_bytes(to, size, 0, "{", each > 1);
	for (i = 0; i < nr && i < ELEMENTS; i++) {
		const char *from = record + at + i * each;
		char text[DIGITS] = {"0123456789abcdef"[(*from >> 4) & 15],
				     "0123456789abcdef"[*from & 15]};
		uint64_t n = 0;

		if (each == 1) {
			pos = append_bytes(to, size, pos, text, 2);
			continue;
		}
		trace_number(&v, from, each, &n);
		pos = append_bytes(to, size, pos, ", ", i ? 2 : 0);
		pos = append_bytes(to, size, pos, text, print_number(f, n, text));
	}
	pos = append_bytes(to, size, pos, "...", i < nr ? 3 : 0);
	append_bytes(to, size, pos, "}", each > 1);
}

/* Return the text at the address in a field; NULL: it is no such field, or the text is unknown. */
static const char *pointed_text(const struct trace_field *f, const struct printk *texts, uint64_t n)
{
	return format_points_to_text(f) ? printk_find(texts, n) : NULL;
}

/* Print a field's raw value.  False: it is not in the record. */
static bool print_field_value(const struct trace_field *f, const struct printk *texts,
			      const char *record, size_t len, char *to, size_t size, bool *number)
{
	struct trace_value v = {.offset = f->offset, .size = f->size, .is_signed = f->is_signed};
	size_t at, bytes;
	uint64_t n;

	*number = false;
	if (!find_bytes(f, len, record, &at, &bytes))
		return false;
	if (f->text && (f->array || f->dynamic)) {
		append_bytes(to, size, 0, record + at, strnlen(record + at, bytes));
	} else if (f->array || f->dynamic || !is_integer_size(f->size)) {
		put_array(f, record, at, bytes, to, size);
	} else {
		const char *text;

		if (!trace_number(&v, record, len, &n))
			return false;
		text = pointed_text(f, texts, n);
		if (text)
			append_bytes(to, size, 0, text, strlen(text));
		else
			print_number(f, n, to);
		*number = !f->pointer;
	}
	return true;
}

static bool is_common(const struct trace_field *f)
{
	return !strncmp(f->name, "common_", 7);
}

/*
 * Append a field as in print_line.fields; returns its length, 0 where there is no room for all of
 * it.
 */
static size_t print_field(const struct trace_field *f, const struct printk *texts,
			  const char *record, size_t len, char *to, size_t size)
{
	char raw[VALUE], value[4 * VALUE];
	size_t name = strlen(f->name), bytes;
	bool number;

	if (!print_field_value(f, texts, record, len, raw, sizeof(raw), &number))
		return 0;
	bytes = text_escape(value, sizeof(value), raw);
	if (name + bytes + sizeof("\tn\n") > size)
		return 0;
	memcpy(to, f->name, name);
	to[name++] = '\t';
	to[name++] = number ? 'n' : 's';
	memcpy(to + name, value, bytes);
	memcpy(to + name + bytes, "\n", 2);
	return name + bytes + 1;
}

static void print_fields(const struct trace_format *f, const struct printk *texts,
			 const char *record, size_t len, struct print_line *line)
{
	size_t pos = 0;

	*line->fields = '\0';
	for (int common = 0; common < 2; common++)
		for (unsigned i = 0; i < f->nr; i++)
			if (is_common(&f->field[i]) == common)
				pos += print_field(&f->field[i], texts, record, len,
						   line->fields + pos, sizeof(line->fields) - pos);
}

static void mark_line_cut(char *text, size_t size)
{
	memcpy(text + size - 4, "...", 4);
}

/* Print "NAME=VALUE NAME=VALUE" of all fields but the common ones. */
static void put_plain_text(const struct trace_format *f, const struct printk *texts,
			   const char *record, size_t len, struct print_line *line)
{
	char text[PRINT_TEXT] = "", value[VALUE];
	size_t pos = 0;
	bool number;

	for (unsigned i = 0; i < f->nr && pos + 1 < sizeof(text); i++)
		if (!is_common(&f->field[i]) && print_field_value(&f->field[i], texts, record, len,
								  value, sizeof(value), &number))
			pos = text_append(text, sizeof(text), pos, "%s%s=%s", pos ? " " : "",
					  f->field[i].name, value);
	if (text_escape(line->text, sizeof(line->text), text) + 4 >= sizeof(line->text))
		mark_line_cut(line->text, sizeof(line->text));
}

void print_plain(const struct trace_format *f, const struct printk *texts, const void *record,
		 size_t len, struct print_line *line)
{
	print_fields(f, texts, record, len, line);
	put_plain_text(f, texts, record, len, line);
}

/* --- lines ------------------------------------------------------------------------------------ */

static struct printed *find_printed(const struct print *p, uint32_t id)
{
	size_t at = SEARCH_WHILE(i, 0, p->nr, p->event[i].id < id);

	return at < p->nr && p->event[at].id == id ? &p->event[at] : NULL;
}

static struct printed *insert_printed(struct print *p, uint32_t id)
{
	size_t at = p->nr;

	if (find_printed(p, id) || !vec_reserve(&p->event, &p->cap, p->nr + 1, sizeof(*p->event)))
		return NULL;
	for (; at && p->event[at - 1].id > id; at--)
		p->event[at] = p->event[at - 1];
	p->nr++;
	p->event[at] = (struct printed){.id = id};
	return &p->event[at];
}

/*
 * Return the format with each tab in a string of its print format as \t: the library (1.7) fails at
 * tabs there, which the formats of maple_tree have.  Allocated, *len bytes and a NUL; NULL: no
 * memory.
 */
static char *escape_tabs(const char *text, size_t *len)
{
	const char *print = memmem(text, *len, "\nprint fmt:", 11);
	size_t from = print ? (size_t)(print - text) : *len, n = from;
	char *to = malloc(2 * *len + 1);
	bool quoted = false;

	if (!to)
		return NULL;
	memcpy(to, text, from);
	for (size_t i = from; i < *len; i++) {
		bool tab = quoted && text[i] == '\t';

		quoted ^= text[i] == '"' && text[i - 1] != '\\';
		if (tab)
			to[n++] = '\\';
		to[n++] = tab ? 't' : text[i];
	}
	to[n] = '\0';
	*len = n;
	return to;
}

/*
 * Return true for trace_printk's records: of these the library reads as many arguments as the
 * record's own format has, even beyond the record's end.
 */
static bool takes_arguments(const struct printed *e, const char *system)
{
	return !strcmp(system, "ftrace") && !strcmp(e->format.name, "bprint");
}

/*
 * Give a format to the library, which prints a record by the id in the record: both ids must agree.
 */
static bool add_words(struct print *p, const struct printed *e, const char *system,
		      const char *text, size_t len)
{
	struct tep_event *event = NULL;
	char *copy = e->format.id == e->id ? escape_tabs(text, &len) : NULL;
	bool added = copy && !tep_parse_format(p->tep, &event, copy, len, system) && event &&
		     !(event->flags & TEP_EVENT_FL_FAILED);

	free(copy);
	return added;
}

int print_add(struct print *p, uint32_t id, const char *system, const char *text, size_t len,
	      bool plain, struct err *err)
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
	e = insert_printed(p, id);
	if (!e) {
		format_clear(&f);
		return find_printed(p, id) ? 0 : err_set(err, ENOMEM, "out of memory");
	}
	e->format = f;
	e->printk = takes_arguments(e, system);
	e->worded = !plain && add_words(p, e, system, text, len);
	return 0;
}

/* Return true if all fields are in the record: the library does not check its end. */
static bool has_all_fields(const struct trace_format *f, const char *record, size_t len)
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
	return is_integer_size(f->size) && trace_number(&v, record, len, &id) && id == e->id;
}

/* Look up a function for the library, which uses the result at once. */
static char *kernel_function_name(void *arg, unsigned long long *addr, char **module)
{
	struct print *p = arg;
	struct named *n = &p->named[(*addr ^ *addr >> 10) & (NAMED - 1)];

	*module = NULL;
	if (!*addr)
		return NULL;
	if (n->addr != *addr) {
		n->addr = *addr;
		if (!p->names(p->names_arg, *addr, n->name, sizeof(n->name), &n->start))
			*n->name = '\0';
	}
	if (!*n->name)
		return NULL;
	*addr = n->start;
	return n->name;
}

void print_name_by(struct print *p, print_names *names, void *arg)
{
	p->names = names;
	p->names_arg = arg;
	if (!p->named && (p->named = calloc(NAMED, sizeof(*p->named))))
		tep_set_function_resolver(p->tep, kernel_function_name, p);
}

/*
 * Register a text with the library, in quotes and with the newline that it removes: with a text of
 * fewer than three bytes it would read before its beginning.
 */
static int register_text(struct print *p, const struct printk_text *t)
{
	size_t size = strlen(t->text) + sizeof("\"\\n\"");
	char *quoted = malloc(size);
	int ret = quoted ? 0 : -ENOMEM;

	if (quoted) {
		snprintf(quoted, size, "\"%s\\n\"", t->text);
		ret = tep_register_print_string(p->tep, quoted, t->addr) ? -ENOMEM : 0;
	}
	free(quoted);
	return ret;
}

int print_texts(struct print *p, unsigned long_size, const char *list, size_t len)
{
	int ret;

	printk_clear(&p->texts);
	p->long_size = long_size;
	ret = printk_parse(list, len, &p->texts);
	tep_set_long_size(p->tep, (int)long_size);
	for (size_t i = 0; !ret && i < p->texts.nr; i++)
		ret = register_text(p, &p->texts.at[i]);
	return ret;
}

/*
 * Skip one conversion of a trace_printk's format, and its argument.  Return false if the argument
 * is not in the record, or if library and kernel disagree on its bytes.
 */
static bool skip_argument(const char **format, unsigned long_size, const char *record, size_t len,
			  size_t *at)
{
	const char *c = *format + 1;
	unsigned longs = 0;
	size_t size;

	for (; (*c >= '0' && *c <= '9') || *c == '.' || *c == 'l' || *c == 'L' || *c == 'z'; c++)
		longs += *c == 'L' ? 2 : *c == 'l' || *c == 'z';
	if (!*c)
		return false;
	*format = c + 1;
	if (*c == '%')
		return true;
	if (*c == 's') {
		const char *end = *at < len ? memchr(record + *at, '\0', len - *at) : NULL;

		*at = end ? (size_t)(end - record) + 1 : *at;
		return end != NULL;
	}
	if (!strchr("duixp", *c) ||
	    (*c == 'p' && isalnum((unsigned char)c[1]) && !strchr("sSfFx", c[1])))
		return false;
	size = *c == 'p' || longs == 1 ? long_size : longs ? 8 : 4;
	*at = ((*at + 3) & ~(size_t)3) + size; /* arguments are aligned to 4 bytes at most */
	return *at <= len;
}

/*
 * Return true if the format that the record points to is known, and the record has all its
 * arguments.
 */
static bool has_arguments(const struct print *p, const struct printed *e, const char *record,
			  size_t len)
{
	const struct trace_field *format = format_find(&e->format, "fmt"),
				 *buf = format_find(&e->format, "buf");
	struct trace_value v;
	const char *text;
	uint64_t addr;
	size_t at;

	if (!format || !buf || buf->dynamic || !is_integer_size(format->size))
		return false;
	v = (struct trace_value){.offset = format->offset, .size = format->size};
	text = trace_number(&v, record, len, &addr) ? printk_find(&p->texts, addr) : NULL;
	at = buf->offset;
	for (text = text && strlen(text) < PRINT_TEXT ? text : NULL; text && *text;)
		if (*text != '%')
			text++;
		else if (!skip_argument(&text, p->long_size, record, len, &at))
			return false;
	return text != NULL;
}

/* Copy the record with zeros behind it: the library checks no end, and these stop it. */
static const char *copy_with_zeros(struct print *p, const char *record, size_t len)
{
	size_t zeros = 16 * (size_t)PRINT_TEXT;

	if (!vec_reserve(&p->copy, &p->cap_copy, len + zeros, 1))
		return NULL;
	memcpy(p->copy, record, len);
	memset(p->copy + len, 0, zeros);
	return p->copy;
}

static void print_by_library(struct print *p, int cpu, const void *record, size_t len,
			     struct print_line *line)
{
	struct tep_record r = {.ts = 0, .size = (int)len, .record_size = (int)len, .cpu = cpu,
			       .data = (void *)(uintptr_t)record};
	char text[PRINT_TEXT];
	size_t n;

	trace_seq_reset(&p->seq);
	tep_print_event(p->tep, &p->seq, &r, "%s", TEP_PRINT_INFO);
	trace_seq_terminate(&p->seq);
	n = append_bytes(text, sizeof(text), 0, p->seq.buffer, strlen(p->seq.buffer));
	while (n && (text[n - 1] == '\n' || text[n - 1] == ' '))
		text[--n] = '\0';
	if (text_escape(line->text, sizeof(line->text), text + strspn(text, " ")) + 4 >=
	    sizeof(line->text))
		mark_line_cut(line->text, sizeof(line->text));
}

bool print_record(struct print *p, uint32_t id, int cpu, const void *record, size_t len,
		  struct print_line *line)
{
	const struct printed *e = find_printed(p, id);
	const void *from = record;

	*line->text = *line->fields = '\0';
	if (!e)
		return false;
	if (p->with_fields)
		print_fields(&e->format, &p->texts, record, len, line);
	if (e->printk)
		from = has_arguments(p, e, record, len) ? copy_with_zeros(p, record, len) : NULL;
	if (!from || !e->worded || !says_id(e, record, len) ||
	    !has_all_fields(&e->format, record, len)) {
		put_plain_text(&e->format, &p->texts, record, len, line);
		return true;
	}
	print_by_library(p, cpu, from, len, line);
	return true;
}

/* --- all of it -------------------------------------------------------------------------------- */

struct print *print_create(bool with_fields)
{
	struct print *p = calloc(1, sizeof(*p));

	tep_set_loglevel(TEP_LOG_NONE);
	if (p && !(p->tep = tep_alloc())) {
		free(p);
		return NULL;
	}
	if (p) {
		p->with_fields = with_fields;
		trace_seq_init(&p->seq);
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
	trace_seq_destroy(&p->seq);
	tep_free(p->tep);
	free(p->copy);
	free(p->named);
	printk_clear(&p->texts);
	free(p);
}
