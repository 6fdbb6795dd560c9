/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * seam - the moment at which the functions of a stretch of time changed most, if they did at one moment.
 *
 * Each boundary between two blocks of a profile is held against the shares before and after it, by the sum of squares
 * of the rows' differences (a multinomial likelihood ratio, nearly).  The best of many separates well by chance, too:
 * whether there is a change is compare's to say, by how many seams it was chosen from (compare_how.looks).
 *
 * Threads: any.
 */
#ifndef RINGTOP_MODEL_COMPARE_SEAM_H
#define RINGTOP_MODEL_COMPARE_SEAM_H

#include "model/compare/profile.h"

#define SEAMS_MOST 64 /* places that are looked at; where there are more blocks each has several */

struct seam {
	size_t block;  /* first block behind the seam; 0: there is none */
	size_t looked; /* number of places that were looked at */
	size_t best;   /* first block behind the best seam, where sides may be shorter than `least`; 0: there is none */
};

/* The best seam that leaves `least` seconds on either side.  p: finished. */
struct seam seam_find(const struct profile *p, double least);

/* The row that changed most at a seam, and by how much; -1: there is none. */
int64_t seam_most(const struct profile *p, size_t block, double *delta);

#endif
