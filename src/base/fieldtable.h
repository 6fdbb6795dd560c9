/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fieldtable - encodes a struct as a protobuf message and decodes it, by a table with one row for
 * each member.
 *
 * Arrays of structs travel in one of two ways: short ones as repeated messages, long ones as
 * columns, which is one message with a packed field for each member.  A member that is zero or
 * absent takes no room in a message.
 *
 * Decoding is bounded by a budget, counted before memory is allocated.  A number that does not fit
 * its member, or is above the row's `max`, is refused.  Fields without a row in the table are
 * skipped.
 *
 * Threads: the owner of the struct.
 */
#ifndef RINGTOP_BASE_FIELDTABLE_H
#define RINGTOP_BASE_FIELDTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/budget.h"
#include "base/err.h"
#include "base/wire.h"

#define FIELDS_MAX     48u   /* rows of a table */
#define FIELD_NAME_MAX 8192u /* bytes; a session's own names have at most half as many */

enum field_as {
	FIELD_UINT,     /* unsigned; bool and enums too */
	FIELD_SINT,     /* signed, or mostly near 0 or UINT64_MAX: zigzag */
	FIELD_DELTA,    /* in columns: the difference to the row before, zigzag */
	FIELD_FLOAT,
	FIELD_TEXT,     /* char[size] with a NUL; a longer text is cut */
	FIELD_STRING,   /* char *, owned, or NULL; nr_at: where its length goes */
	FIELD_BUILD_ID, /* struct build_id */
	FIELD_CHOICE,   /* const char *: one of `choices`, or NULL */
	FIELD_STRUCT,   /* `count` structs, by `table` */
	FIELD_POINTER,  /* pointer to one struct, owned, or NULL */
	FIELD_LIST,     /* pointer to an array, owned: repeated messages */
	FIELD_COLUMNS,  /* pointer to an array, owned: columns */
	/*
	 * Pointer to an array of `count` bytes each, owned, as in memory, with a NUL behind them:
	 * bytes, and, for a process of this same program, structs without pointers.  Arrays
	 * that share a number must be equally long.
	 */
	FIELD_BYTES,
};

struct field {
	unsigned nr;
	enum field_as as;
	/* the member's offset and bytes; count: elements of an array in the struct, else 1 */
	size_t at, size, count;
	/*
	 * FIELD_UINT: the largest number, 0: any.  FIELD_LIST, FIELD_BYTES: elements, 0: any.
	 * FIELD_STRING: bytes, 0: FIELD_NAME_MAX; a longer text is cut when it is encoded, and
	 * refused when it is decoded.
	 */
	uint64_t max;
	int paid;     /* FIELD_BYTES: 1 + the budget_class that pays; 0: it is malloc'ed */
	bool shown;   /* the text reaches a screen as it is: it is decoded with escapes */
	const struct fields *table;
	const char *const *choices; /* ended by NULL */
	/* Offset and bytes of an array's element count, offset of its capacity; 0: none. */
	size_t nr_at, nr_size, cap_at;
};

struct fields {
	const struct field *field;
	unsigned nr;
	size_t size; /* bytes of the struct */
};

#define FIELD_MEMBER(type, member)                                                                 \
	.at = offsetof(type, member), .size = sizeof(((type *)0)->member), .count = 1
#define FIELD_MEMBERS(type, member)                                                                \
	.at = offsetof(type, member), .size = sizeof(((type *)0)->member[0]),                      \
	.count = sizeof(((type *)0)->member) / sizeof(((type *)0)->member[0])
#define FIELD_ARRAY(type, member, number)                                                          \
	FIELD_MEMBER(type, member), .nr_at = offsetof(type, number),                               \
				    .nr_size = sizeof(((type *)0)->number)
#define FIELD_BLOCK(type, member, number)                                                          \
	.at = offsetof(type, member), .size = sizeof(((type *)0)->member),                         \
	.count = sizeof(*((type *)0)->member), .nr_at = offsetof(type, number),                    \
	.nr_size = sizeof(((type *)0)->number)
#define FIELD_VECTOR(type, member, number, cap)                                                    \
	FIELD_ARRAY(type, member, number), .cap_at = offsetof(type, cap)
#define FIELDS(rows, type)                                                                         \
	{                                                                                          \
		rows,                                                                              \
			sizeof(rows) / sizeof((rows)[0]) +                                         \
				0 * sizeof(struct {                                                \
					_Static_assert(sizeof(rows) / sizeof((rows)[0]) <=         \
							       FIELDS_MAX,                         \
						       #rows);                                     \
					char c;                                                    \
				}),                                                                \
			sizeof(type)                                                               \
	}

/* Append the struct at `from` to o, as a message without its tag and length.  Check o->failed. */
void fields_put(struct wire_out *o, const struct fields *t, const void *from);

/*
 * Decode `in` into *to, which the caller has zeroed.  Return 0; -EPROTO with err: the message is
 * malformed; -ENOMEM with err: it needs more than *budget bytes, or memory is out.  *budget is
 * reduced by the bytes used.  In each case the caller releases *to by fields_clear().
 */
int fields_get(struct wire_in *in, const struct fields *t, void *to, size_t *budget,
	       struct err *err);

/*
 * Put and get a message among other bytes, such as those of a helper: its length comes first.  It
 * may take few times its bytes in memory; b (or NULL) pays for members that say so.  Return 0;
 * -EPROTO, with in->failed: malformed; -ENOMEM: b has not so much, or memory is out.  As with
 * fields_get(), *to is zeroed before and cleared by the caller.
 */
void fields_put_part(struct wire_out *o, const struct fields *t, const void *from);
int fields_get_part(struct wire_in *in, const struct fields *t, void *to, struct budget *b);

/* Free the memory that the struct owns, and zero the struct. */
void fields_clear(const struct fields *t, void *of);

#endif
