/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rows - groups into sorted rows: model_rows(); contract in model.h. */
#ifndef RINGTOP_MODEL_ROWS_ROWS_H
#define RINGTOP_MODEL_ROWS_ROWS_H

#include "model/core/state.h"

/* Set m->works and m->work.  Return 0 or -ENOMEM; call rows_works_free() in either case. */
int rows_works_create(struct model *m);
void rows_works_free(struct model *m);

/* Forget all results, whatever the model's counters say. */
void rows_forget(struct model *m);

size_t rows_works_bytes(const struct model *m);

/*
 * Set the fields of a function's row that do not depend on weight: key, names, flags. name: buffer
 * for the name of a function without one, which the row then points to.
 */
void rows_describe(struct model *m, uint32_t function, struct row *r, char name[32]);

/* Return only the flags that rows_describe() sets: enum row_flag. */
uint32_t rows_function_flags(const struct dict *d, uint32_t function);

#endif
