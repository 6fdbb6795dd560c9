/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * codes - the code of functions, as sessions answered, with what a window's samples say of it.
 *
 * The last few answers are kept, bounded in number and bytes; what is forgotten can be asked for
 * again.  Heat is by address, not by name: what was inlined into a function is in it.
 *
 * Threads: as model.h.
 */
#ifndef RINGTOP_MODEL_ROWS_CODES_H
#define RINGTOP_MODEL_ROWS_CODES_H

#include "model/core/model.h"
#include "core/slice/code.h"

#define CODES_KEPT  16
#define CODES_BYTES (8u << 20) /* of all but the newest */

/* An address that samples were taken at. */
struct code_heat {
	uint64_t addr, samples, weight;
};

/* A line of the answer's code that samples came of without an address (FRAME_LINE). */
struct code_line_heat {
	uint32_t file, line; /* file: as of its instructions */
	uint64_t samples, weight;
};

struct code_sheet {
	const struct code *code;      /* NULL: not answered yet, or forgotten */
	uint64_t serial;              /* another one: it is another answer; 0: none */
	const struct code_heat *heat; /* by address */
	size_t nr;
	uint64_t samples, weight; /* all heat: the function's self */
	uint64_t attributed;      /* of the window: 100 % of all */
	uint64_t whole;           /* weight of the function that came without its addresses: FRAME_WHOLE */
	const struct code_line_heat *lined; /* a part of that */
	size_t nlined;
	uint64_t missing;         /* WINDOW_ALL: weight measured, its addresses forgotten since */
	unsigned thinned;         /* model_thinned: some of the function may have no address */
};

/*
 * The newest answer that covers the place, and the heat of its function in the window (where there
 * is no answer: of the place alone).  The query's event, filter and show_self count.  The result
 * belongs to the model and is valid until the next call that is not const.  NULL: out of memory.
 */
const struct code_sheet *model_code(struct model *m, const struct query *q,
				    const struct code_place *place, struct window w);

/* The sheet as of source lines alone: what came of a line counts as what came of its addresses. */
struct code_sheet code_sheet_by_line(const struct code_sheet *s);

/* Whether what is in another window, or another session, is the same code. */
enum code_same {
	CODE_SAME,
	CODE_UNMET,	   /* no sample was in an object of that name */
	CODE_OTHER_BUILD,
	CODE_UNKNOWN_BUILD, /* of one of the two: it may be another one */
	CODE_OF_BOOT,	   /* addresses are those of one boot, or of one process */
};

/*
 * The heat of the code that `of` shows, model_code's sheet of `own` for the place, in a window of m: of the same model, or
 * of another one, or of another host of it (own is NULL then, and nothing is taken for the same unseen).  As with
 * model_code, and both stay valid beside each other; nr is 0 where *same is not CODE_SAME.
 */
const struct code_sheet *model_code_beside(struct model *m, const struct query *q, const struct model *own,
					   const struct code_place *place, const struct code_sheet *of, struct window w,
					   enum code_same *same);

/*
 * Where the function with this row.key has most of its samples in the window, else any place of
 * it that is known.  place->object is the model's.  False: there is none.
 */
bool model_code_place(struct model *m, const struct query *q, uint64_t function, struct window w,
		      struct code_place *place);

/* The same of a row by line: the address of it that has most samples; without a line, of its function. */
bool model_code_line(struct model *m, const struct query *q, uint64_t line, struct window w, struct code_place *place);

/*
 * A place in the function of that name that samples met, in whatever object: calls into another one
 * go through a table.  place->object is the model's.  False: none is known.
 */
bool model_code_named(struct model *m, const char *name, struct code_place *place);

/* Of the model's other files. */
struct codes_work;

void codes_take(struct model *m, struct slice *s); /* the slice's answers */
void codes_work_free(struct codes_work *c);
size_t codes_bytes(const struct codes_work *c);

#endif
