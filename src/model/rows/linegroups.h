/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * linegroups - source lines of frames' code.
 *
 * A line is a file and a number in it, whatever object or function it came from; inlined code has
 * the innermost function's line.  Code without a line belongs to its function.  Ids are dense, and
 * valid until the dictionary is collected.
 *
 * Threads: the model's owner.
 */
#ifndef RINGTOP_MODEL_ROWS_LINEGROUPS_H
#define RINGTOP_MODEL_ROWS_LINEGROUPS_H

#include "model/core/dict.h"
#include "model/core/tally.h"

struct linegroup {
	uint64_t key;      /* by content, as model_function.key */
	uint32_t file, line; /* file: a string; both 0: no line is known */
	uint32_t function; /* of code without a line: its function */
	bool pending;      /* of code without a line: it is being looked up */
};

struct linegroups {
	struct tally met; /* self: the id */
	struct linegroup *line; /* by id; 0 is none */
	size_t nr, cap;
	uint32_t *of; /* by frame: its line, 0: not looked up yet */
	size_t cap_of;
	bool unlined; /* code with a source file came by function alone: FRAME_WHOLE */
	uint64_t changes, collections; /* the dictionary's, when `of` was valid */
};

/*
 * Begin a query; collections: the model's number of collections, after each of which ids are new.
 */
void linegroups_begin(struct linegroups *l, const struct dict *d, uint64_t collections);

/*
 * Return the line of a frame; for a caller with an inlined frame, the line of the inlined call. 0:
 * out of memory.
 */
uint32_t linegroups_of(struct linegroups *l, const struct dict *d, uint32_t frame);

/*
 * Return the line of the code at the path's place; *function: the innermost function there, which
 * the line is in; for code without a line, the symbol's. 0: out of memory.
 */
uint32_t linegroups_at(struct linegroups *l, const struct dict *d, uint32_t path,
		       uint32_t *function);

/* Return the line id of ringtop's own samples. 0: out of memory. */
uint32_t linegroups_own(struct linegroups *l, const struct dict *d);

void linegroups_clear(struct linegroups *l);
size_t linegroups_bytes(const struct linegroups *l);

#endif
