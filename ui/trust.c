/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/trust.h"

#include <math.h>
#include <stdio.h>

#include "ui/widget.h"

#define Z95 1.959964 /* of the normal distribution 95 % lie so many deviations around the middle */

double trust_half(double share, double samples)
{
	double n = samples / share, square = Z95 * Z95;

	if (!(share > 0) || !(samples > 0))
		return NAN;
	share = share < 1 ? share : 1; /* of weights that were rounded */
	return Z95 / (1 + square / n) * sqrt(share * (1 - share) / n + square / (4 * n * n));
}

const char *trust_sign(bool ascii)
{
	return ascii ? "+-" : "±";
}

bool trust_few(double samples)
{
	return samples > 0 && samples < TRUST_FEW;
}

void trust_percent(char *buf, size_t size, double share, double samples)
{
	if (!trust_few(samples) || !isfinite(share) || share <= 0)
		widget_percent(buf, size, share);
	else if (share >= 0.0995)
		snprintf(buf, size, "%.0f   ", share * 100);
	else if (share >= 0.0005)
		snprintf(buf, size, "%.1f ", share * 100);
	else
		snprintf(buf, size, "<0.1 ");
}

enum role trust_role(double share, double samples)
{
	return trust_few(samples) ? ROLE_FEW : theme_heat(share);
}

const char *trust_mark(double share, bool ascii)
{
	enum role heat = theme_heat(share);

	return heat == ROLE_HOT ? widget_level(8, ascii) : heat == ROLE_WARM ? widget_level(4, ascii) : "";
}
