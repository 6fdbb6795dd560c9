/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * linegroups - which source line each frame's code is of.
 *
 * A line is a file and a number in it, whatever object or function it came from: of what is inlined that of the innermost
 * function.  Code without one is its function's.  Ids are dense, and mean the same until the dictionary is collected.
 *
 * Threads: the model's owner.
 */
#ifndef RINGTOP_MODEL_ROWS_LINEGROUPS_H
#define RINGTOP_MODEL_ROWS_LINEGROUPS_H

#include "model/core/dict.h"
#include "model/core/tally.h"

struct linegroup {
	uint64_t key;      /* by content, as model_function's */
	uint32_t file, line; /* file: a string; both 0: none is known */
	uint32_t function; /* of code without a line: whose it is */
	bool pending;      /* of such: its line is being looked for */
};

struct linegroups {
	struct tally met; /* self: the id */
	struct linegroup *line; /* by id; 0 is none */
	size_t nr, cap;
	uint32_t *of; /* by frame: what it is of, 0: not asked yet */
	size_t cap_of;
	bool unlined; /* code with a source file came as its function alone: FRAME_WHOLE */
	uint64_t changes, collections; /* of the dictionary, when that was so */
};

/* Begins a question; collections: of the model, when the dictionary's ids began anew. */
void linegroups_begin(struct linegroups *l, const struct dict *d, uint64_t collections);

/* The line of a frame, as the place in its function where another one is inlined, too.  0: out of memory. */
uint32_t linegroups_of(struct linegroups *l, const struct dict *d, uint32_t frame);

/*
 * The line of the code at the path's place; *function: the innermost there, which that line is of, and without one the
 * symbol's.  0: out of memory.
 */
uint32_t linegroups_at(struct linegroups *l, const struct dict *d, uint32_t path, uint32_t *function);

/* That of ringtop's own samples. */
uint32_t linegroups_own(struct linegroups *l, const struct dict *d);

void linegroups_clear(struct linegroups *l);
size_t linegroups_bytes(const struct linegroups *l);

#endif
