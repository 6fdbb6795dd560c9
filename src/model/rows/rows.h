/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rows - groups into sorted rows: model_rows, whose contract is in model.h. */
#ifndef RINGTOP_MODEL_ROWS_ROWS_H
#define RINGTOP_MODEL_ROWS_ROWS_H

#include "model/core/state.h"

/* m->works and m->work.  0 or -ENOMEM. */
int rows_works_create(struct model *m);
void rows_works_free(struct model *m);

/* What was answered holds no more, whatever the model's counters say. */
void rows_forget(struct model *m);

size_t rows_works_bytes(const struct model *m);

/* Of a function what is known without its weight: key, names, flags.  name: where there is none. */
void rows_describe(struct model *m, uint32_t function, struct row *r, char name[32]);

/* The last of these alone: enum row_flag. */
uint32_t rows_function_flags(const struct dict *d, uint32_t function);

#endif
