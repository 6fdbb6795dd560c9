/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compare - differences between two profiles, and how significant they are.
 *
 * Shares are parts of the attributed SELF weight.  A share's error by chance is estimated from the
 * data: from how much blocks of time differ (batch means of a ratio, with the blocks' own
 * correlation), and is never below the error of random sampling (the binomial).  Where samples are
 * few, an exact test must agree.  Lost samples may all belong to one function or none to it: each
 * interval is wider by that much.  Among many rows some deviate far by chance, so rows are named as
 * changed at a false discovery rate of COMPARE_RATE.
 *
 * Threads: any; a comparison is used by one at a time.
 */
#ifndef RINGTOP_MODEL_COMPARE_COMPARE_H
#define RINGTOP_MODEL_COMPARE_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/compare/profile.h"

#define COMPARE_RATE	0.01 /* false discovery rate: wrong rows among the named ones, on average */
#define COMPARE_SAMPLES 10   /* both sides together: a row with fewer is never named */
#define COMPARE_BLOCKS	8    /* blocks per side: with fewer the intervals are rough */

struct compare_how {
	bool again;  /* repeated while `now` grows: COMPARE_RATE holds whenever the caller stops */
	double worth; /* if again: size of a change to find early, far smaller ones late; 0: 0.01 */
	bool growing; /* only `now` can get more time; else both sides can */
	size_t looks; /* comparisons that share COMPARE_RATE, this one or the best included; 0: 1 */
};

enum difference_flag {
	DIFFERENCE_SIGNIFICANT = 1,
	DIFFERENCE_NEW = 2,  /* no sample in the baseline */
	DIFFERENCE_GONE = 4, /* no sample in `now` */
	DIFFERENCE_SHARE_ONLY = 8, /* only the share: the rate changed no more than by chance */
	DIFFERENCE_UNTESTED = 16,  /* never named: its blocks are forgotten, or it sums many rows */
};

struct difference {
	const struct profile_row *was, *now; /* NULL: not on that side; never both */
	double was_share, share; /* 0..1 */
	double delta;		 /* share - was_share */
	double low, high;	 /* 95 % interval of delta */
	double was_variance, variance, df; /* of the shares, losses aside; df: of their delta */
	double was_rate, rate;	 /* weight per second */
	double rate_low, rate_high; /* 95 % interval of rate - was_rate */
	double ratio;		 /* share / was_share; INFINITY: new */
	double p;		 /* probability that this row alone deviates so far by chance */
	double needs; /* least further seconds until it can be named; 0: it is; INFINITY: never */
	uint32_t flags;
};

enum compare_side { COMPARE_WAS, COMPARE_NOW };

/*
 * Most rows have too few samples to be named: compare() finds only their place, and compare_row()
 * judges them on demand.  `work` stores rows in another order than they are shown in; only
 * compare_row() and compare_side() map between the two.
 */
struct comparison {
	size_t nr, significant; /* all rows; rows named as changed, which come first */
	bool rough; /* a side has fewer than COMPARE_BLOCKS blocks */
	double reach; /* largest possible change of a row that is not named, 0..1, at 95 % */
	struct compare_work *work;
};

/*
 * Compare two finished profiles, which *c borrows.  0 or -ENOMEM; call compare_clear in either
 * case.
 */
int compare(const struct profile *was, const struct profile *now, const struct compare_how *how,
	    struct comparison *c);
void compare_clear(struct comparison *c);

/*
 * Return the i-th row (i < nr) in the order shown: named ones first, by the near end of their
 * interval, then by |delta|; of equal ones the larger share first.  compare_row() judges the row if
 * needed, and the result is valid as long as c; compare_side() only returns a side's profile row,
 * or NULL where that side has none.
 */
const struct difference *compare_row(const struct comparison *c, size_t i);
const struct profile_row *compare_side(const struct comparison *c, size_t i,
				       enum compare_side side);

/* Return the i-th row's profile row, of `now` if it is there, else of the baseline. */
static inline const struct profile_row *compare_either(const struct comparison *c, size_t i)
{
	const struct profile_row *now = compare_side(c, i, COMPARE_NOW);

	return now ? now : compare_side(c, i, COMPARE_WAS);
}

/*
 * Return in a word how a named row changed: "new", "gone", "share only", or "" if its share did.
 * Also "" for a row that is not named: one without a sample on a side may still run on both.
 */
static inline const char *difference_word(const struct difference *d)
{
	return !(d->flags & DIFFERENCE_SIGNIFICANT)   ? ""
	       : d->flags & DIFFERENCE_NEW	      ? "new"
	       : d->flags & DIFFERENCE_GONE	      ? "gone"
	       : d->flags & DIFFERENCE_SHARE_ONLY     ? "share only"
						      : "";
}

/* Return the difference's profile row, of `now` if it is there, else of the baseline. */
static inline const struct profile_row *difference_row(const struct difference *d)
{
	return d->now ? d->now : d->was;
}

#endif
