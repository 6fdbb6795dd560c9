/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * format - what a tracepoint's record consists of, as its format file in tracefs says; and what a record says by that.
 *
 * Formats are parsed by libtraceevent.  Of the file only the fields are given to it, each written once more in the form
 * that the kernel's have (of others it leaks memory); the print format, an expression of any depth, stays out.  What it makes of them is checked: no field
 * lies outside of a record of the largest size, whatever the file said.
 * Source: Documentation/trace/events.rst, "Event formats"; libtraceevent(3).
 *
 * Formats are of this machine's byte order.
 *
 * Threads: a format belongs to its caller; what reads values is pure and may run beside others.
 */
#ifndef RINGTOP_MEASURE_TRACE_FORMAT_H
#define RINGTOP_MEASURE_TRACE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/err.h"

#define FORMAT_BYTES  (64u << 10) /* the most that is read of a file; the kernel's longest have 5.5 KiB */
#define FORMAT_FIELDS 128u	  /* the kernel's have 38 at most */
#define FORMAT_NAME   64u

struct trace_field {
	char name[FORMAT_NAME], type[FORMAT_NAME]; /* "next_pid", "pid_t" */
	uint16_t offset, size; /* bytes in the record; of a dynamic one, of the word that says where it is */
	uint16_t element;      /* bytes of one element: of no array, size */
	bool is_signed;
	bool array;            /* fixed where not dynamic */
	bool text;             /* an array of char; where size is 0 and it is not dynamic, up to the record's end */
	bool dynamic;          /* __data_loc, __rel_loc: 16 bits of offset, 16 of length */
	bool relative;         /* __rel_loc: the offset is from behind the word */
	bool pointer;
};

struct trace_format {
	char name[FORMAT_NAME];
	uint32_t id;
	struct trace_field *field; /* those that all events have (common_*) first */
	unsigned nr;
};

/*
 * 0; -EINVAL: it is no format, or one that nothing can be read by; -ENOMEM.  Whatever is returned: to be cleared.
 */
int format_parse(const char *text, size_t len, struct trace_format *f, struct err *err);
void format_clear(struct trace_format *f);

const struct trace_field *format_find(const struct trace_format *f, const char *name);

/* Return true if the field is the address of a text ("const char *"). */
bool format_points_to_text(const struct trace_field *f);

/* The fields' names, without the common ones, ", " between them; cut at the end of buf. */
void format_names(const struct trace_format *f, char *buf, size_t size);

/* --- values -------------------------------------------------------------------------------- */

/* One number or text in a record: a field, or an element of it. */
struct trace_value {
	uint16_t offset, size; /* as the field's; of an element: its own */
	bool is_signed, text, dynamic, relative;
	uint16_t less;         /* of a weight: where the number of the same size is that is taken off it; 0: none */
};

/*
 * What `name` stands for: a field, NAME[INDEX] of a fixed array.  -EINVAL with what there is: no such field, an array
 * without an index, or what is neither a number of 1, 2, 4 or 8 bytes nor a text.
 */
int format_value(const struct trace_format *f, const char *name, struct trace_value *v, struct err *err);

/*
 * A number, with its sign to 64 bits; no text.  False: the record (len bytes, aligned to nothing) ends before it.
 */
static inline bool trace_number(const struct trace_value *v, const void *record, size_t len, uint64_t *n)
{
	const char *p = (const char *)record + v->offset;
	unsigned bits = 64 - 8u * v->size;
	uint32_t four;
	uint16_t two;

	if ((size_t)v->offset + v->size > len)
		return false;
	/* Sizes that are known are loads, not calls. */
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
 * What a record weighs: a number (FIELD), or how much the first is more than the second (FIELD-FIELD, of one size).
 * -EINVAL as above.
 */
int format_weight(const struct trace_format *f, const char *name, struct trace_value *v, struct err *err);

/* Below zero there is no weight.  False: the record ends before it. */
static inline bool trace_weight(const struct trace_value *v, const void *record, size_t len, uint64_t *n)
{
	const struct trace_value less = {.offset = v->less, .size = v->size, .is_signed = v->is_signed};
	uint64_t off = 0;

	if (!trace_number(v, record, len, n) || (v->less && !trace_number(&less, record, len, &off)))
		return false;
	*n -= off;
	if ((v->is_signed || v->less) && (int64_t)*n < 0)
		*n = 0;
	return true;
}

/*
 * The bytes of a text up to its NUL, and to the record's end: where they are, and how many.  NULL: the record has no
 * such place.
 */
const char *trace_text(const struct trace_value *v, const void *record, size_t len, size_t *bytes);

#endif
