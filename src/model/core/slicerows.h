/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slicerows - the rows of a slice of the history in the order of their functions: who adds up fifty slices of 100 000
 * functions walks through memory then, where each row would be a miss of the cache or three.
 *
 * Threads: the model's owner.
 */
#ifndef RINGTOP_MODEL_CORE_SLICEROWS_H
#define RINGTOP_MODEL_CORE_SLICEROWS_H

#include "model/core/dict.h"

/* Those of one function stay as they came.  Where there is no memory all do: nothing depends on it but time. */
void slicerows_sort(const struct dict *d, struct slice_row *rows, size_t nr);

#endif
