/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * confidence - precision of sampled shares, and its display: the 95 % interval, figures without
 * digits that mean nothing, heat.
 *
 * The interval is that of random sampling (Wilson's, which is also valid for few samples): as
 * programs have phases, the next window may differ by more.
 *
 * Threads: any.  Allocates: never.
 */
#ifndef RINGTOP_UI_PARTS_CONFIDENCE_H
#define RINGTOP_UI_PARTS_CONFIDENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ui/term/theme.h"

#define CONFIDENCE_FEW 10 /* samples: with fewer the interval is wider than the figure */

/*
 * Return half the width of the 95 % interval of a share (0..1) with so many samples; NAN: without
 * samples.
 */
double confidence_half(double share, double samples);

/* Return the sign for plus or minus. */
const char *confidence_sign(bool ascii);

/* Return true if there are samples, but fewer than CONFIDENCE_FEW. */
bool confidence_few(double samples);

#define CONFIDENCE_TENTHS 10 /* cells of a trend */

/*
 * Return true if the tenths of a row's window differ by no more than chance (99 %); false with few
 * samples.
 */
bool confidence_steady(const float *values, size_t nr, double samples);

/*
 * Write a trend like widget_trend(), but level if it is steady: so noise is neither shown nor sent
 * again.
 */
void confidence_trend(char *buf, size_t size, const float *values, size_t nr, double samples,
		 bool ascii);

/*
 * Write a share like widget_percent(); with few samples at most one digit behind the point, at the
 * same column: "12   ", "0.4 ", "<0.1 ".
 */
void confidence_percent(char *buf, size_t size, double share, double samples);

/* Return a figure's role: its heat, or dim if it has few samples. */
enum role confidence_role(double share, double samples);

/*
 * Return a row's mark for screens without colours: a block if hot, half a block if warm, else "".
 */
const char *confidence_mark(double share, bool ascii);

#endif
