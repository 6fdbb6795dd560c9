/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sliceparts - the table of what is in a slice, beside its dictionary and its single figures: one
 * row for each array and for each struct that it owns.
 *
 * Code that treats parts alike walks the table: adding, freeing, merging, renumbering, checking,
 * cutting into messages, saving.  So a new part is a member of struct slice and its id (slice.h),
 * a row here, and a row in link/wire/slicecode.c; tests/unit/slice/test_sliceparts.c fails where
 * one of them is missing.  A part whose id is among PART_SUMMED is also summed up over windows, and
 * kept in the history (model/core/partsums.h).
 *
 * Threads: the owner of the slice.
 */
#ifndef RINGTOP_CORE_SLICE_SLICEPARTS_H
#define RINGTOP_CORE_SLICE_SLICEPARTS_H

#include "core/slice/slice.h"

/* Meaning of an element's member; a bit each. */
enum member_is {
	MEMBER_EVENT = 1,   /* index into session_info.events */
	MEMBER_COUNTER = 2, /* index into session_info.counters */
	MEMBER_CPU = 4,     /* -1: counts or rings of a thread */
	MEMBER_RAN_ON = 8,  /* CPU; -1: not known */
	MEMBER_HOST = 16,   /* as dict_task.host */
	MEMBER_LIST = 32,   /* number of a list of fields: slice_field.by */
	MEMBER_PAIRS = 64,  /* number of a definition of pairs: slice_between.nr */
	MEMBER_TIME = 128,  /* session time */
	MEMBER_SINCE = 256, /* session time; 0: from the start */
	MEMBER_PATH = 512, MEMBER_TASK = 1024, /* ids of the dictionary */
	MEMBER_TEXT = 2048, /* char *, owned, or NULL */
};

struct part_member {
	enum member_is is; /* 0: no more members */
	uint8_t size;
	bool is_signed;
	size_t at; /* in the element */
};

enum part_flag {
	PART_DEFINES = 1,  /* other parts refer to it: it is sent before them */
	PART_ANEW = 2,     /* counts mean something else from a slice with it on */
	PART_AT_ONCE = 4,  /* a slice with it does not wait to be merged */
	PART_UNSAVED = 8,  /* is no part of a saved time line */
	PART_BY_INDEX = 16, /* states: elements of one index are the same thing */
	PART_SINGLE = 32,  /* no array: a pointer to one, or NULL */
};

struct slice_part {
	const char *name; /* of the member */
	const char *one;  /* an element in words, for messages */
	unsigned flags;   /* enum part_flag */
	size_t array, nr, cap; /* offsets in struct slice */
	size_t size;      /* of an element */
	size_t most;      /* elements in a slice that came over a connection; 0: any number */
	/*
	 * Merging: elements are appended.  Where their first `key` bytes are equal (key 0: where
	 * they are PART_BY_INDEX or PART_SINGLE) the later one is added to the earlier one; a
	 * PART_SINGLE without `add` replaces it.  With `compare` or `text` they are sorted, too.
	 * fold, if there is one, then sums up or limits.
	 */
	size_t key;
	int (*compare)(const void *left, const void *right); /* in place of the key's bytes */
	size_t text; /* offset of an array of char, the last member, compared behind the key; or 0 */
	/*
	 * Elements with a text in a slice.  Others are added to the rest of their host, which is
	 * the first member: it has the text "", and 0 in all of the key behind the host.
	 */
	size_t limit;
	size_t sums_at, sums; /* uint64_t members of sorted elements that are added up, one after another */
	void (*add)(void *to, const void *from);
	void (*fold)(struct slice *s);
	void (*clear)(void *element); /* frees what it owns beside its MEMBER_TEXT; NULL: nothing */
	struct part_member members[8]; /* the last one is none */
};

extern const struct slice_part slice_parts[PART_NR];

/* Return the first element of a part and set *nr to their number. */
char *part_elements(const struct slice *s, const struct slice_part *p, size_t *nr);

/* Set the number of elements of an array, which has room for them. */
void part_set_number(struct slice *s, const struct slice_part *p, size_t nr);

/* Append a zeroed element (a single: make it, if it is not there).  NULL: out of memory. */
void *part_add(struct slice *s, enum part_id id);

/* Append copies of elements that own nothing.  0 or -ENOMEM. */
int part_add_all(struct slice *s, enum part_id id, const void *elements, size_t nr);

/*
 * Order of a sorted part's elements.  Where `kept`, they are as the model keeps them: a text's place
 * is taken by its id in the dictionary, 0 for "", and ends the element.
 */
struct part_order {
	const struct slice_part *part;
	bool kept;
};

size_t part_size(const struct part_order *o); /* of an element */
int part_compare(const void *left, const void *right, void *order);

/* Add an element to one of its key. */
void part_sum(const struct slice_part *p, void *to, const void *from);

/* Sort elements and add up equal ones.  Return the number left. */
size_t part_add_up_equal(struct part_order *o, void *elements, size_t nr);

/* Make an element the rest of its host. */
void part_make_rest(const struct part_order *o, void *element);

/* Sort a slice's elements, add up equal ones, and add those above the limit to rests. */
void part_fold(struct slice *s, const struct slice_part *p);

/* Make room in dst for all elements of src.  False: out of memory. */
bool part_reserve(struct slice *dst, const struct slice *src, const struct slice_part *p);

/* Move all elements behind those of dst, which has room for them.  A single is merged. */
void part_append(struct slice *dst, struct slice *src, const struct slice_part *p);

/* Return the number of elements of all parts that have one of the flags. */
size_t parts_count(const struct slice *s, unsigned flags);

/* Free all elements of the parts that have one of the flags; 0: of all, with their arrays. */
void parts_drop(struct slice *s, unsigned flags);

struct part_place {
	const struct slice_part *part;
	const struct part_member *member;
	const char *element;
};

/* Called for a number, which it may change.  Not 0: no more are visited. */
typedef int part_visit(void *arg, const struct part_place *at, int64_t *number);

/*
 * Visit all numbers whose meaning is one of `is`, part by part, and store those that are changed.
 * Return 0, or the visit's first other value.
 */
int parts_visit(struct slice *s, unsigned is, part_visit *visit, void *arg);

typedef void id_visit(void *arg, enum dict_kind kind, uint32_t *id);

/* Visit all ids in entries and parts, to change them; not those released or moved. */
void slice_visit_ids(struct slice *s, id_visit *visit, void *arg);

/* Move the slice, and all session times in it, by so many ns. */
void slice_shift(struct slice *s, uint64_t by);

/* Return the element's first number of that meaning; it has one. */
int64_t part_number(const struct part_place *at, enum member_is is);

#endif
