/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compare - what changed from one profile to another, and how sure that is.
 *
 * A share is of SELF of what was attributed.  How far it would be off by chance is taken from the data: from how much
 * one block of time differs from the next (batch means of a ratio, with the blocks' own correlation), and never less
 * than samples drawn by lot would be off (the binomial).  Where samples are few, an exact test has a say too.  What was
 * lost may all have been one function's, or none of it: by that much an interval is wider.  Of many rows some are far
 * off by chance: what is named as changed is so at a false discovery rate of COMPARE_RATE.
 *
 * Threads: any, a comparison by one at a time.
 */
#ifndef RINGTOP_MODEL_COMPARE_COMPARE_H
#define RINGTOP_MODEL_COMPARE_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/compare/profile.h"

#define COMPARE_RATE	0.01 /* of false ones among those named, on average */
#define COMPARE_SAMPLES 10   /* on both sides together: with less nothing is named */
#define COMPARE_BLOCKS	8    /* a side: with less the intervals are rough */

struct compare_how {
	bool again;  /* looked at again and again while `now` grows: what is named stays right whenever that ends */
	double worth; /* where again, a change of so much of all is looked for; one far less is found late; 0: 0.01 */
	bool growing; /* only `now` can have more time; else both */
	size_t looks; /* number of comparisons that COMPARE_RATE is for, of which this is one, or the best; 0 is 1 */
};

enum difference_flag {
	DIFFERENCE_SIGNIFICANT = 1,
	DIFFERENCE_NEW = 2,  /* the baseline had no sample of it */
	DIFFERENCE_GONE = 4, /* now has none */
	DIFFERENCE_SHARE_ONLY = 8, /* the share changed, the weight per second by no more than chance: others changed */
	DIFFERENCE_UNTESTED = 16,  /* what its blocks had is not known any more, or it stands for many: never named */
};

struct difference {
	const struct profile_row *was, *now; /* NULL: not there; one is */
	double was_share, share; /* 0..1 */
	double delta;		 /* share - was_share */
	double low, high;	 /* of delta, with 95 % */
	double was_variance, variance, df; /* of the shares, but for what was lost; degrees of freedom of both */
	double was_rate, rate;	 /* weight per second */
	double rate_low, rate_high; /* of the rate's difference, with 95 % */
	double ratio;		 /* share / was_share; INFINITY: new */
	double p;		 /* of this row alone: how probable chance is */
	double needs;		 /* at least so many seconds more before it could be named; 0: it is; INFINITY: never */
	uint32_t flags;
};

enum compare_side { COMPARE_WAS, COMPARE_NOW };

/*
 * Most rows have too few samples to be named, however many there are: only their place is found at once, the rest when
 * they are asked for.  Rows lie in an order of their own (work), which is not the one that is shown: compare_row and
 * compare_side alone know both.
 */
struct comparison {
	size_t nr, significant; /* rows; those that are named, which are the first ones */
	bool rough; /* blocks were few */
	double reach; /* the most by which a row that is not named may have changed, 0..1, with 95 % */
	struct compare_work *work;
};

/* c borrows both profiles.  0 or -ENOMEM; call compare_clear in either case. */
int compare(const struct profile *was, const struct profile *now, const struct compare_how *how,
	    struct comparison *c);
void compare_clear(struct comparison *c);

/*
 * The rows in the order that is shown, i < nr: named ones first, by the least that they changed; then by |delta|; the
 * largest of equal ones.  All of one, valid as long as c; and what it takes to find it, NULL: that side has none.
 */
const struct difference *compare_row(const struct comparison *c, size_t i);
const struct profile_row *compare_side(const struct comparison *c, size_t i, enum compare_side side);

/* Whichever side has it. */
static inline const struct profile_row *compare_either(const struct comparison *c, size_t i)
{
	const struct profile_row *now = compare_side(c, i, COMPARE_NOW);

	return now ? now : compare_side(c, i, COMPARE_WAS);
}

/*
 * Return in a word how a row that is named changed: "new", "gone", "share only"; "": its share is another.  Nothing is
 * known of a row that is not named: one without a sample on a side may be on both.
 */
static inline const char *difference_word(const struct difference *d)
{
	return !(d->flags & DIFFERENCE_SIGNIFICANT)   ? ""
	       : d->flags & DIFFERENCE_NEW	      ? "new"
	       : d->flags & DIFFERENCE_GONE	      ? "gone"
	       : d->flags & DIFFERENCE_SHARE_ONLY     ? "share only"
						      : "";
}

/* Whichever side has it. */
static inline const struct profile_row *difference_row(const struct difference *d)
{
	return d->now ? d->now : d->was;
}

#endif
