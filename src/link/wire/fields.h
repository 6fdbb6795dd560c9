/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fields - a struct as a message of protobuf and back, by a table: one row for each member.
 *
 * Arrays of structs travel in one of two ways: the few as repeated messages, the many as columns, which is one
 * message with a packed field for each member.  A member that is zero or not there takes no room in a message.
 *
 * What is read is bounded by a budget, counted before it is allocated; a number that does not fit its member, or is
 * above the row's `max`, is refused.  Fields that no row knows are passed over.
 *
 * Threads: as the struct.
 */
#ifndef RINGTOP_LINK_WIRE_FIELDS_H
#define RINGTOP_LINK_WIRE_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/wire.h"

#define FIELDS_MAX     48u   /* rows of a table */
#define FIELD_NAME_MAX 8192u /* the longest that a session has are of half of it */

enum field_as {
	FIELD_UINT,     /* unsigned; bool and enums too */
	FIELD_SINT,     /* signed, or mostly near 0 or UINT64_MAX: zigzag */
	FIELD_DELTA,    /* in columns: what it is more than in the row before, zigzag */
	FIELD_FLOAT,
	FIELD_TEXT,     /* char[size] with a NUL; what does not fit is left out */
	FIELD_STRING,   /* char *, owned, or NULL; its length may stand beside it */
	FIELD_BUILD_ID, /* struct build_id */
	FIELD_CHOICE,   /* const char *: one of `choices`, or NULL */
	FIELD_STRUCT,   /* count of them, by `table` */
	FIELD_POINTER,  /* to one, owned, or NULL */
	FIELD_LIST,     /* pointer to an array, owned: repeated messages */
	FIELD_COLUMNS,  /* the same as columns */
	FIELD_BYTES,    /* uint8_t *, owned, with a number beside it */
};

struct field {
	unsigned nr;
	enum field_as as;
	size_t at, size, count; /* of the member; count: of an array in the struct, else 1 */
	uint64_t max; /* FIELD_UINT: the largest, 0: any; FIELD_STRING: bytes, longer ones are cut there; 0: FIELD_NAME_MAX */
	bool shown;   /* a text that people are shown as it is: it comes out escaped */
	const struct fields *table;
	const char *const *choices; /* ended by NULL */
	/* Where the number of an array's elements stands and how wide it is, and that of their room (size_t); 0: nowhere. */
	size_t nr_at, nr_size, cap_at;
};

struct fields {
	const struct field *field;
	unsigned nr;
	size_t size; /* of the struct */
};

#define FIELD_MEMBER(type, member) .at = offsetof(type, member), .size = sizeof(((type *)0)->member), .count = 1
#define FIELD_MEMBERS(type, member)                                                                      \
	.at = offsetof(type, member), .size = sizeof(((type *)0)->member[0]),                            \
	.count = sizeof(((type *)0)->member) / sizeof(((type *)0)->member[0])
#define FIELD_ARRAY(type, member, number)                                                                \
	FIELD_MEMBER(type, member), .nr_at = offsetof(type, number), .nr_size = sizeof(((type *)0)->number)
#define FIELD_VECTOR(type, member, number, cap) FIELD_ARRAY(type, member, number), .cap_at = offsetof(type, cap)
#define FIELDS(rows, type)                                                                               \
	{rows,                                                                                             \
	 sizeof(rows) / sizeof((rows)[0]) +                                                                \
		 0 * sizeof(struct { _Static_assert(sizeof(rows) / sizeof((rows)[0]) <= FIELDS_MAX, #rows); char c; }), \
	 sizeof(type)}

void fields_put(struct wire_out *o, const struct fields *t, const void *from);

/*
 * Into *to, which is zeroed.  0; -EPROTO: what is not as it should be is in err; -ENOMEM: so too, more than
 * *budget or than there is.  *budget becomes what is left of it.  In either case: fields_clear.
 */
int fields_get(struct wire_in *in, const struct fields *t, void *to, size_t *budget, struct err *err);

void fields_clear(const struct fields *t, void *of); /* frees what is owned, and zeroes */

#endif
