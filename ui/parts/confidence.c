/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/parts/confidence.h"

#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "ui/parts/widget.h"

#define Z95 1.959964 /* 95 % of the normal distribution are within so many deviations */

double confidence_half(double share, double samples)
{
	double n = samples / share, square = Z95 * Z95;

	if (!(share > 0) || !(samples > 0))
		return NAN;
	share = share < 1 ? share : 1; /* weights may have been rounded */
	return Z95 / (1 + square / n) * sqrt(share * (1 - share) / n + square / (4 * n * n));
}

const char *confidence_sign(bool ascii)
{
	return ascii ? "+-" : "±";
}

/*
 * Tenths of evenly distributed samples exceed this in one row of a hundred: chi square, 9 degrees.
 */
#define STEADY_MOST 21.666

bool confidence_steady(const float *values, size_t nr, double samples)
{
	double sum = 0, apart = 0, mean;

	for (size_t i = 0; i < nr; i++)
		sum += (double)values[i];
	if (nr != CONFIDENCE_TENTHS || !(sum > 0) || samples < CONFIDENCE_FEW)
		return false;
	mean = samples / (double)nr;
	for (size_t i = 0; i < nr; i++) {
		double off = (double)values[i] / sum * samples - mean;

		apart += off * off / mean;
	}
	return apart < STEADY_MOST;
}

bool confidence_few(double samples)
{
	return samples > 0 && samples < CONFIDENCE_FEW;
}

void confidence_trend(char *buf, size_t size, const float *values, size_t nr, double samples,
		      bool ascii)
{
	size_t pos = 0;

	if (!confidence_steady(values, nr, samples)) {
		widget_trend(buf, size, values, nr, ascii);
		return;
	}
	buf[0] = '\0';
	for (size_t i = 0; i < nr; i++)
		pos = text_append(buf, size, pos, "%s", widget_level(4, ascii));
}

void confidence_percent(char *buf, size_t size, double share, double samples)
{
	if (!confidence_few(samples) || !isfinite(share) || share <= 0)
		widget_percent(buf, size, share);
	else if (share >= 0.0995)
		snprintf(buf, size, "%.0f   ", share * 100);
	else if (share >= 0.0005)
		snprintf(buf, size, "%.1f ", share * 100);
	else
		snprintf(buf, size, "<0.1 ");
}

enum role confidence_role(double share, double samples)
{
	return confidence_few(samples) ? ROLE_FEW : theme_heat(share);
}

const char *confidence_mark(double share, bool ascii)
{
	enum role heat = theme_heat(share);

	return heat == ROLE_HOT	   ? widget_level(8, ascii)
	       : heat == ROLE_WARM ? widget_level(4, ascii)
				   : "";
}
