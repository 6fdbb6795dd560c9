/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trust - how far a share that was sampled is to be believed, and how that looks: its 95 % interval, figures with no
 * more digits than their samples are good for, its heat.
 *
 * The interval is that of samples drawn by lot (Wilson's, which holds for few of them, too): programs have phases, so
 * what the next window says may differ by more.
 *
 * Threads: any.  Allocates: never.
 */
#ifndef RINGTOP_UI_PARTS_TRUST_H
#define RINGTOP_UI_PARTS_TRUST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ui/term/theme.h"

#define TRUST_FEW 10 /* samples: with fewer the interval is wider than the figure */

/* Half the width of the 95 % interval of a share (0..1) that `samples` stand for; NAN: of none. */
double trust_half(double share, double samples);

/* Plus or minus. */
const char *trust_sign(bool ascii);

/* Something, but too few to say much. */
bool trust_few(double samples);

#define TRUST_TENTHS 10 /* cells of a trend */

/* Whether the tenths of a row's window differ by no more than chance has them differ (99 %); false: of few samples. */
bool trust_steady(const float *values, size_t nr, double samples);

/* As widget_trend, level where it is steady: what is drawn says something, and what says nothing is not sent anew. */
void trust_trend(char *buf, size_t size, const float *values, size_t nr, double samples, bool ascii);

/* As widget_percent; of few samples one digit behind the point at most, at the same place: "12   ", "0.4 ", "<0.1 ". */
void trust_percent(char *buf, size_t size, double share, double samples);

/* A figure's role: its heat, dimmed where it is of few samples. */
enum role trust_role(double share, double samples);

/* Of a row, where there are no colours: a block for what is hot, half of one for what is warm, "" else. */
const char *trust_mark(double share, bool ascii);

#endif
