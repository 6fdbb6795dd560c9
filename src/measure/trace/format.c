/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/trace/format.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <event-parse.h>

#include "base/text.h"

#define RECORD_MOST UINT16_MAX /* bytes of a record: the limit of perf_event_header.size */
#define PRINT	    "\nprint fmt: \"\"\n"
#define LINE_MOST   512 /* bytes of a field's line */

/* --- input of the library ------------------------------------------------------------------- */

static bool line_begins(const char *line, size_t len, const char *word)
{
	return len >= strlen(word) && !strncmp(line, word, strlen(word));
}

static bool in_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Skip a word that begins with no digit, and blanks and stars behind it; moves *at. */
static bool skip_declaration_word(const char *s, size_t len, size_t *at)
{
	size_t start = *at;

	if (start >= len || isdigit((unsigned char)s[start]))
		return false;
	while (*at < len && in_word(s[*at]))
		++*at;
	if (*at == start)
		return false;
	while (*at < len && (s[*at] == ' ' || s[*at] == '*'))
		++*at;
	return true;
}

/* Skip [], also with a number or a word in it; moves *at. */
static bool take_brackets(const char *s, size_t len, size_t *at)
{
	size_t i = *at;

	if (i >= len || s[i++] != '[')
		return false;
	while (i < len && in_word(s[i]))
		i++;
	if (i >= len || s[i++] != ']')
		return false;
	*at = i;
	return true;
}

/*
 * Accept "unsigned char * name", "char name[16]", "__data_loc char[] name": the library gets
 * nothing else.
 */
static bool is_declaration(const char *s, size_t len)
{
	bool dynamic = line_begins(s, len, "__data_loc ") || line_begins(s, len, "__rel_loc ");
	unsigned words = 0;
	size_t at = 0;

	while (skip_declaration_word(s, len, &at))
		words++;
	if (dynamic && words > 1 && line_begins(s + at, len - at, "[] ")) {
		at += strlen("[] ");
		return skip_declaration_word(s, len, &at) && at == len;
	}
	while (take_brackets(s, len, &at))
		;
	/* A blank or a star behind the last word is no name's end. */
	return words > 1u + dynamic && at == len && (in_word(s[len - 1]) || s[len - 1] == ']');
}

/* Return the number of bytes before the first semicolon. */
static size_t until_semicolon(const char *s, size_t len)
{
	const char *end = memchr(s, ';', len);

	return end ? (size_t)(end - s) : len;
}

/* Read ";\tWORD:" and a number of 6 digits at most; moves *at behind it. */
static bool read_line_number(const char *line, size_t len, size_t *at, const char *word,
			     unsigned *n)
{
	size_t start, i = *at;

	if (i >= len || line[i++] != ';')
		return false;
	while (i < len && isspace((unsigned char)line[i]))
		i++;
	if (!line_begins(line + i, len - i, word))
		return false;
	start = i += strlen(word);
	for (*n = 0; i < len && isdigit((unsigned char)line[i]) && i - start < 6; i++)
		*n = *n * 10 + (unsigned)(line[i] - '0');
	*at = i;
	return i > start;
}

/*
 * Rewrite the line "field:TYPE NAME; offset:N; size:N; signed:N;" into `to` (LINE_MOST + 64 bytes).
 * Returns its length; 0: it is another line.
 */
static size_t rewrite_field_line(const char *line, size_t len, char *to)
{
	size_t at = 0, from, bytes;
	unsigned offset, size, is_signed;

	while (at < len && isspace((unsigned char)line[at]))
		at++;
	if (len - at > LINE_MOST || !line_begins(line + at, len - at, "field:"))
		return 0;
	from = at += strlen("field:");
	bytes = until_semicolon(line + from, len - from);
	at += bytes;
	if (!is_declaration(line + from, bytes) ||
	    !read_line_number(line, len, &at, "offset:", &offset) ||
	    !read_line_number(line, len, &at, "size:", &size) ||
	    !read_line_number(line, len, &at, "signed:", &is_signed) ||
	    offset + size > RECORD_MOST || is_signed > 1 ||
	    strncmp(line + at, ";\n", len - at) != 0)
		return 0;
	return (size_t)sprintf(to, "\tfield:%.*s;\toffset:%u;\tsize:%u;\tsigned:%u;\n", (int)bytes,
			       line + from, offset, size, is_signed);
}

/* Return true for a line of the head: "name: WORD", "ID: NUMBER" or "format:". */
static bool is_head(const char *line, size_t len)
{
	size_t at = line_begins(line, len, "name: ") ? 6 : line_begins(line, len, "ID: ") ? 4 : 0;
	bool digits = at == 4;

	if (line_begins(line, len, "format:"))
		return len == strlen("format:\n");
	if (!at || len > FORMAT_NAME + at || line[len - 1] != '\n' || len < at + 2 ||
	    (digits && len > at + 9))
		return false;
	for (; at < len - 1; at++)
		if (digits ? !isdigit((unsigned char)line[at]) : !in_word(line[at]))
			return false;
	return true;
}

/*
 * Return a copy of a file's head and fields with an empty print format, allocated; NULL: no memory.
 * *fields: their number.
 */
static char *take_fields(const char *text, size_t len, unsigned *fields)
{
	/* Rewritten lines do not grow: numbers lose leading zeros, blanks become a tab. */
	char *to = malloc(2 * len + sizeof(PRINT) + 2 * LINE_MOST);
	size_t n = 0, bytes, taken;

	*fields = 0;
	for (const char *line = text; to && line < text + len; line += bytes) {
		const char *newline = memchr(line, '\n', (size_t)(text + len - line));

		bytes = (size_t)((newline ? newline + 1 : text + len) - line);
		if (line_begins(line, bytes, "print fmt") || *fields == FORMAT_FIELDS)
			break;
		taken = rewrite_field_line(line, bytes, to + n);
		*fields += taken > 0;
		n += taken;
		if (taken || (!is_head(line, bytes) && bytes != 1))
			continue;
		memcpy(to + n, line, bytes);
		n += bytes;
	}
	if (to)
		memcpy(to + n, PRINT, sizeof(PRINT));
	return to;
}

/* --- results of the library ----------------------------------------------------------------- */

static bool take_field(const struct tep_format_field *from, struct trace_field *to)
{
	unsigned element = from->elementsize ? from->elementsize : (unsigned)from->size;

	if (from->offset < 0 || from->size < 0 || from->offset + from->size > RECORD_MOST ||
	    !from->name)
		return false;
	*to = (struct trace_field){
		.offset = (uint16_t)from->offset,
		.size = (uint16_t)from->size,
		.element = (uint16_t)(element <= (unsigned)from->size ? element
								      : (unsigned)from->size),
		.is_signed = from->flags & TEP_FIELD_IS_SIGNED,
		.array = from->flags & TEP_FIELD_IS_ARRAY,
		.text = from->flags & TEP_FIELD_IS_STRING,
		.dynamic = from->flags & TEP_FIELD_IS_DYNAMIC,
		.relative = from->flags & TEP_FIELD_IS_RELATIVE,
		.pointer = from->flags & TEP_FIELD_IS_POINTER,
	};
	if (to->dynamic && to->size != 4)
		return false;
	/* Before 5.7 a text up to the record's end (ftrace's print) was declared as "char buf". */
	if (!to->size && !to->dynamic && from->type && !strcmp(from->type, "char"))
		to->array = to->text = true;
	snprintf(to->name, sizeof(to->name), "%s", from->name);
	snprintf(to->type, sizeof(to->type), "%s", from->type ? from->type : "");
	return true;
}

static void copy_field_list(const struct tep_format_field *list, struct trace_format *f)
{
	for (; list && f->nr < FORMAT_FIELDS; list = list->next)
		f->nr += take_field(list, &f->field[f->nr]);
}

static int parse_fields(struct tep_handle *tep, const char *fields, struct trace_format *f,
			struct err *err)
{
	struct tep_event *e = NULL;

	tep_set_loglevel(TEP_LOG_NONE);
	if (tep_parse_format(tep, &e, fields, strlen(fields), "ringtop") || !e)
		return err_set(err, EINVAL, "not a tracepoint format");
	f->id = (uint32_t)e->id;
	snprintf(f->name, sizeof(f->name), "%s", e->name ? e->name : "");
	copy_field_list(e->format.common_fields, f);
	copy_field_list(e->format.fields, f);
	return f->nr ? 0 : err_set(err, EINVAL, "the format of %s has no fields", f->name);
}

int format_parse(const char *text, size_t len, struct trace_format *f, struct err *err)
{
	char *fields = NULL;
	struct tep_handle *tep;
	unsigned nr;
	int ret;

	*f = (struct trace_format){.nr = 0};
	if (len > FORMAT_BYTES || memchr(text, '\0', len))
		return err_set(err, EINVAL, "not a tracepoint format");
	f->field = calloc(FORMAT_FIELDS, sizeof(*f->field));
	fields = take_fields(text, len, &nr);
	tep = tep_alloc();
	if (f->field && fields && tep)
		ret = nr ? parse_fields(tep, fields, f, err)
			 : err_set(err, EINVAL, "not a tracepoint format");
	else
		ret = err_set(err, ENOMEM, "out of memory");
	tep_free(tep);
	free(fields);
	return ret;
}

void format_clear(struct trace_format *f)
{
	free(f->field);
	*f = (struct trace_format){.nr = 0};
}

const struct trace_field *format_find(const struct trace_format *f, const char *name)
{
	for (unsigned i = 0; i < f->nr; i++)
		if (!strcmp(f->field[i].name, name))
			return &f->field[i];
	return NULL;
}

bool format_points_to_text(const struct trace_field *f)
{
	static const char of[] = "char *";
	size_t len = strlen(f->type), end = sizeof(of) - 1;

	return f->pointer && !f->array && !f->dynamic && (f->size == 4 || f->size == 8) &&
	       len >= end && !strcmp(f->type + len - end, of);
}

void format_names(const struct trace_format *f, char *buf, size_t size)
{
	size_t pos = text_append(buf, size, 0, "%s", "");

	for (unsigned i = 0; i < f->nr; i++)
		if (strncmp(f->field[i].name, "common_", 7))
			pos = text_append(buf, size, pos, "%s%s", pos ? ", " : "",
					  f->field[i].name);
}

/* --- values ---------------------------------------------------------------------------------- */

static int no_field(const struct trace_format *f, const char *name, struct err *err)
{
	char names[400];

	format_names(f, names, sizeof(names));
	err_set(err, EINVAL, "%s has no field '%.64s'", f->name, name);
	err_advise(err, "its fields: %s", names);
	return -EINVAL; /* also without err */
}

/* Split NAME or NAME[INDEX]; index -1: none.  False: neither. */
static bool split_index(const char *text, char *name, size_t size, int *index)
{
	size_t len = strcspn(text, "[");
	char *end;

	*index = -1;
	if (!len || len >= size)
		return false;
	memcpy(name, text, len);
	name[len] = '\0';
	if (!text[len])
		return true;
	if (!isdigit((unsigned char)text[len + 1]) || strlen(text + len) > 8)
		return false;
	*index = (int)strtol(text + len + 1, &end, 10);
	return !strcmp(end, "]");
}

static bool is_number_size(unsigned size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

int format_value(const struct trace_format *f, const char *name, struct trace_value *v,
		 struct err *err)
{
	char field[FORMAT_NAME];
	const struct trace_field *a;
	int index;

	if (!split_index(name, field, sizeof(field), &index) || !(a = format_find(f, field)))
		return no_field(f, name, err);
	*v = (struct trace_value){.offset = a->offset, .size = a->size, .is_signed = a->is_signed};
	if (index >= 0) {
		if (!a->array || a->dynamic || !is_number_size(a->element) ||
		    (unsigned)(index + 1) * a->element > a->size)
			return err_set(err, EINVAL, "%s of %s has no element %d", field, f->name,
				       index);
		v->offset = (uint16_t)(a->offset + (unsigned)index * a->element);
		v->size = a->element;
		return 0;
	}
	if (a->text && (a->array || a->dynamic)) {
		v->text = true;
		v->dynamic = a->dynamic;
		v->relative = a->relative;
		return 0;
	}
	if (a->array && !a->dynamic && is_number_size(a->element))
		return err_set(err, EINVAL, "%s of %s is an array: choose an element, such as "
					    "%s[0]", field, f->name, field);
	if (a->array || a->dynamic || !is_number_size(a->size))
		return err_set(err, EINVAL, "%s of %s (%s) is neither a number nor a text", field,
			       f->name, a->type);
	return 0;
}

int format_weight(const struct trace_format *f, const char *name, struct trace_value *v,
		  struct err *err)
{
	const char *minus = strchr(name, '-');
	char first[FORMAT_NAME];
	struct trace_value less;
	int ret;

	if (minus &&
	    snprintf(first, sizeof(first), "%.*s", (int)(minus - name), name) >= (int)sizeof(first))
		return no_field(f, name, err);
	ret = format_value(f, minus ? first : name, v, err);
	if (!ret && v->text)
		ret = err_set(err, EINVAL, "%s of %s is a text, which cannot be a weight", name,
			      f->name);
	if (!ret && minus)
		ret = format_value(f, minus + 1, &less, err);
	if (ret || !minus)
		return ret;
	if (less.text || less.size != v->size || less.is_signed != v->is_signed)
		return err_set(err, EINVAL, "%s of %s are not two numbers of equal size", name,
			       f->name);
	v->less = less.offset;
	return 0;
}

const char *trace_text(const struct trace_value *v, const void *record, size_t len, size_t *bytes)
{
	size_t at = v->offset, most = v->size;
	uint32_t where;

	if (at + most > len)
		return NULL;
	if (!v->dynamic && !most)
		most = len - at;
	if (v->dynamic) {
		memcpy(&where, (const char *)record + at, sizeof(where));
		at = (where & 0xffff) + (v->relative ? at + sizeof(where) : 0);
		most = where >> 16;
		if (at + most > len)
			return NULL;
	}
	*bytes = strnlen((const char *)record + at, most);
	return (const char *)record + at;
}
