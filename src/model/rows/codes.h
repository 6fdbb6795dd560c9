/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * codes - the code of functions as sessions sent it, with the weight of a window's samples.
 *
 * The last few results are kept, bounded in number and bytes; forgotten ones can be requested
 * again.  Heat is by address, not by name: code inlined into a function is included.
 *
 * Threads: as model.h.
 */
#ifndef RINGTOP_MODEL_ROWS_CODES_H
#define RINGTOP_MODEL_ROWS_CODES_H

#include "model/core/model.h"
#include "core/slice/code.h"

#define CODES_KEPT  16
#define CODES_BYTES (8u << 20) /* of all results but the newest */

/* Samples at one address. */
struct code_heat {
	uint64_t addr, samples, weight;
};

/* Samples of one source line of the code that came without an address (FRAME_LINE). */
struct code_line_heat {
	uint32_t file, line; /* file: as in the code's instructions */
	uint64_t samples, weight;
};

struct code_sheet {
	const struct code *code;      /* NULL: not received yet, or forgotten */
	uint64_t serial;              /* changes with each new result; 0: none */
	const struct code_heat *heat; /* by address */
	size_t nr;
	uint64_t samples, weight; /* all heat: the function's self */
	uint64_t attributed;      /* of the window: 100 % of all */
	uint64_t whole; /* weight of the function that came without its addresses: FRAME_WHOLE */
	const struct code_line_heat *lined; /* part of `whole` */
	size_t nlined;
	uint64_t missing;         /* WINDOW_ALL: weight measured, its addresses forgotten since */
	unsigned thinned;         /* model_coarsened(): some of the function may have no address */
};

/*
 * Return the newest result that covers the place, and the heat of its function in the window
 * (without a result: of the place alone).  The query's event, filter and show_self apply.  The
 * sheet belongs to the model and is valid until the next call that is not const.  NULL: out of
 * memory.
 */
const struct code_sheet *model_code(struct model *m, const struct query *q,
				    const struct code_place *place, struct window w);

/*
 * Return the sheet for a view by source line: weight known by line alone counts like that of
 * addresses.
 */
struct code_sheet code_sheet_by_line(const struct code_sheet *s);

/* Result of comparing an object in another window, or another session. */
enum code_same {
	CODE_SAME,
	CODE_UNMET,	   /* no sample was in an object of that name */
	CODE_OTHER_BUILD,
	CODE_UNKNOWN_BUILD, /* one of the two has no build-id: it may be another build */
	CODE_OF_BOOT,	   /* addresses are valid in one boot, or one process, only */
};

/*
 * Return the heat of the code in `of`, a sheet that model_code() of `own` returned for the place,
 * in a window of m: the same model, or another one, or another host of it (own is NULL then, and
 * the objects are always compared).  Otherwise like model_code(); both sheets stay valid beside
 * each other. nr is 0 unless *same is CODE_SAME.
 */
const struct code_sheet *model_code_beside(struct model *m, const struct query *q,
					   const struct model *own, const struct code_place *place,
					   const struct code_sheet *of, struct window w,
					   enum code_same *same);

/*
 * Find the place with most samples of the function with this row.key in the window, else any known
 * place of it. place->object is the model's.  False: there is none.
 */
bool model_code_place(struct model *m, const struct query *q, uint64_t function, struct window w,
		      struct code_place *place);

/*
 * Like model_code_place(), for a row by line: finds its address with most samples; for code without
 * a line, of its function.
 */
bool model_code_line(struct model *m, const struct query *q, uint64_t line, struct window w,
		     struct code_place *place);

/*
 * Find a sampled place in the function of that name, in any object: calls into another object go
 * through a table. place->object is the model's.  False: none is known.
 */
bool model_code_named(struct model *m, const char *name, struct code_place *place);

/* For the model's other files. */
struct codes_work;

void codes_take(struct model *m, struct slice *s); /* takes the slice's results */
void codes_work_free(struct codes_work *c);
size_t codes_bytes(const struct codes_work *c);

#endif
