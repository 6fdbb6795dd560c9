/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chance - how probable it is that something is nothing but chance: Student's t, the binomial, and what is
 * left of it where many were looked at.
 *
 * Probabilities are of both sides: of being that far off or further, up or down.
 *
 * Threads: any.  Allocates: never, but for chance_discoveries.
 */
#ifndef RINGTOP_BASE_CHANCE_H
#define RINGTOP_BASE_CHANCE_H

#include <stddef.h>
#include <stdint.h>

#define CHANCE_KNOWN 1e7 /* degrees of freedom of a deviation that is known, not estimated */

/* Of a deviation of t standard errors, which themselves are estimated with `df` degrees of freedom. */
double chance_student(double t, double df);

/* The t that has this probability, 0 < p < 1. */
double chance_student_at(double p, double df);

/* Of k or what is further off, out of n with a probability of `part` each: exactly, twice the smaller side. */
double chance_binomial(uint64_t k, uint64_t n, double part);

/*
 * Of a deviation of z standard errors that is looked at again and again while data comes in, whatever it is that ends
 * the looking (a mixture of likelihood ratios).  variance: of what deviates; scale: what it may be worth knowing of, in
 * the same unit.
 */
double chance_again(double z, double variance, double scale);

/*
 * Benjamini and Hochberg: how many of nr probabilities, the smallest, are discoveries such that at most `rate` of
 * them are false on average.  *limit: the largest of them, or what one would have to be below.  Sorts p.
 */
size_t chance_discoveries(double *p, size_t nr, double rate, double *limit);

#endif
