/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * seam - the moment in a stretch of time that best separates two different mixes of functions.
 *
 * Each boundary between two blocks of a profile is scored by how much the shares before and after
 * it differ: the sum of squares of the rows' differences (nearly a multinomial likelihood ratio).
 * The best of many boundaries separates well by chance, too: compare() decides whether there is a
 * change, given the number of seams that were tried (compare_how.looks).
 *
 * Threads: any.
 */
#ifndef RINGTOP_MODEL_COMPARE_SEAM_H
#define RINGTOP_MODEL_COMPARE_SEAM_H

#include "model/compare/profile.h"

#define SEAMS_MOST 64 /* places tried; with more blocks a place has several of them */

struct seam {
	size_t block;  /* first block behind the seam; 0: there is none */
	size_t looked; /* places tried that leave `least` seconds on either side */
	size_t best;   /* like block, but of all places, however short a side; 0: there is none */
};

/* Find the best seam that leaves `least` seconds on either side.  p must be finished. */
struct seam seam_find(const struct profile *p, double least);

/*
 * Return the index of the row whose share changed most at a seam, the change (-1..1) in *delta; -1:
 * no row changed.
 */
int64_t seam_most(const struct profile *p, size_t block, double *delta);

#endif
