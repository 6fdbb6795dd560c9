/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * statistics - how probable a difference is by chance alone: Student's t, the binomial, a test for
 * data that still comes in, and a correction for many tests at once.
 *
 * Probabilities are two-sided: of a deviation as large or larger, up or down.
 *
 * Threads: any.  Allocates: never, but for statistics_discoveries.
 */
#ifndef RINGTOP_BASE_STATISTICS_H
#define RINGTOP_BASE_STATISTICS_H

#include <stddef.h>
#include <stdint.h>

#define STATISTICS_KNOWN 1e7 /* degrees of freedom of a standard error that is not estimated */

/* Probability of a deviation of t standard errors, estimated with `df` degrees of freedom. */
double statistics_student(double t, double df);

/* Inverse of statistics_student(): the t with probability p, 0 < p < 1. */
double statistics_student_at(double p, double df);

/*
 * Exact probability of k hits or a count further off, out of n with probability `part` each: twice
 * the smaller tail.
 */
double statistics_binomial(uint64_t k, uint64_t n, double part);

/*
 * Probability bound for a deviation of z standard errors that is tested repeatedly while data comes
 * in, valid whenever testing stops (a mixture of likelihood ratios).  variance: of the quantity
 * that deviates; scale: the size of deviation worth detecting, in that quantity's unit.
 */
double statistics_again(double z, double variance, double scale);

/*
 * Return how many of nr probabilities, the smallest ones, are discoveries such that at most `rate`
 * of them are false on average (Benjamini and Hochberg).  *limit: the largest of them; without any,
 * the bound for the smallest.  Sorts p.
 */
size_t statistics_discoveries(double *p, size_t nr, double rate, double *limit);

#endif
