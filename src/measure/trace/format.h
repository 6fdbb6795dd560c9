/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * format - fields of a tracepoint's records, by its format file in tracefs; and reading of their
 * values.
 *
 * Formats are parsed by libtraceevent.  It is given only the file's fields, each rewritten in the
 * kernel's form (with others it leaks memory); the print format, an expression of any depth, is
 * left out.  Its results are checked: no field lies outside of a record of the largest size,
 * whatever the file contains.
 *
 * Source: Documentation/trace/events.rst, "Event formats"; libtraceevent(3).
 *
 * Formats are of this machine's byte order.
 *
 * Threads: a format belongs to its caller; functions that read values are pure and may run in
 * parallel.
 */
#ifndef RINGTOP_MEASURE_TRACE_FORMAT_H
#define RINGTOP_MEASURE_TRACE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/err.h"

#define FORMAT_BYTES  (64u << 10) /* largest file that is parsed; the kernel's have up to 5.5 KiB */
#define FORMAT_FIELDS 128u	  /* most fields; the kernel's formats have 38 at most */
#define FORMAT_NAME   64u

struct trace_field {
	char name[FORMAT_NAME], type[FORMAT_NAME]; /* "next_pid", "pid_t" */
	uint16_t offset, size; /* bytes in the record; dynamic: of the word that locates it */
	uint16_t element;      /* bytes of an element; equal to size if it is no array */
	bool is_signed;
	bool array;            /* fixed where not dynamic */
	bool text;             /* array of char; of size 0, not dynamic: up to the record's end */
	bool dynamic;          /* __data_loc, __rel_loc: 16 bits of offset, 16 of length */
	bool relative;         /* __rel_loc: the offset counts from behind the word */
	bool pointer;
};

struct trace_format {
	char name[FORMAT_NAME];
	uint32_t id;
	struct trace_field *field; /* the fields of all events (common_*) first */
	unsigned nr;
};

/*
 * Parse a format file.  0; -EINVAL: it is no format, or has no fields; -ENOMEM.  To be cleared in
 * any case.
 */
int format_parse(const char *text, size_t len, struct trace_format *f, struct err *err);
void format_clear(struct trace_format *f);

/* Return the field of that name, or NULL. */
const struct trace_field *format_find(const struct trace_format *f, const char *name);

/* Return true if the field is the address of a text ("const char *"). */
bool format_points_to_text(const struct trace_field *f);

/*
 * Write the names of all fields but the common ones, separated by ", " and cut at the end of buf.
 */
void format_names(const struct trace_format *f, char *buf, size_t size);

/* --- values -------------------------------------------------------------------------------- */

/* One number or text in a record: a field, or an element of it. */
struct trace_value {
	uint16_t offset, size; /* of the field, or of the element */
	bool is_signed, text, dynamic, relative;
	uint16_t less;         /* of a weight: offset of a number to be subtracted; 0: none */
};

/*
 * Locate the value `name`: a field, or NAME[INDEX] of a fixed array.  0; -EINVAL with err, which
 * lists the fields: no such field, an array without an index, or neither a number of 1, 2, 4 or 8
 * bytes nor a text.
 */
int format_value(const struct trace_format *f, const char *name, struct trace_value *v,
		 struct err *err);

/*
 * Read a number, sign-extended to 64 bits; v must not be a text.  False: the record (len bytes, not
 * aligned) ends before it.
 */
static inline bool trace_number(const struct trace_value *v, const void *record, size_t len,
				uint64_t *n)
{
	const char *p = (const char *)record + v->offset;
	unsigned bits = 64 - 8u * v->size;
	uint32_t four;
	uint16_t two;

	if ((size_t)v->offset + v->size > len)
		return false;
	/* With constant sizes memcpy() becomes a load. */
	switch (v->size) {
	case 8:
		memcpy(n, p, 8);
		return true;
	case 4:
		memcpy(&four, p, 4);
		*n = four;
		break;
	case 2:
		memcpy(&two, p, 2);
		*n = two;
		break;
	default:
		*n = *(const unsigned char *)p;
	}
	if (v->is_signed)
		*n = (uint64_t)((int64_t)(*n << bits) >> bits);
	return true;
}

/*
 * Locate a record's weight: a number (FIELD), or the difference of two (FIELD-FIELD, of equal size
 * and sign). -EINVAL as above.
 */
int format_weight(const struct trace_format *f, const char *name, struct trace_value *v,
		  struct err *err);

/* Read a record's weight; a negative one counts as 0.  False: the record ends before it. */
static inline bool trace_weight(const struct trace_value *v, const void *record, size_t len,
				uint64_t *n)
{
	const struct trace_value less = {
		.offset = v->less, .size = v->size, .is_signed = v->is_signed};
	uint64_t off = 0;

	if (!trace_number(v, record, len, n) ||
	    (v->less && !trace_number(&less, record, len, &off)))
		return false;
	*n -= off;
	if ((v->is_signed || v->less) && (int64_t)*n < 0)
		*n = 0;
	return true;
}

/*
 * Return where a text's bytes are in the record, their number in *bytes: up to the NUL or the
 * text's end, and not NUL-terminated.  NULL: it does not lie in the record.
 */
const char *trace_text(const struct trace_value *v, const void *record, size_t len, size_t *bytes);

#endif
