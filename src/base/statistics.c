/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/statistics.h"

#include <math.h>
#include <stdlib.h>

#define TINY  1e-300
#define STEPS 10000 /* at most, of a continued fraction; the order of sqrt(max(a, b)) is needed */

static double not_zero(double x)
{
	return fabs(x) < TINY ? TINY : x;
}

/* The continued fraction of the incomplete beta function, by Lentz's method. */
static double beta_fraction(double a, double b, double x)
{
	double c = 1, d = 1 / not_zero(1 - (a + b) * x / (a + 1)), h = d, step;

	for (int m = 1; m < STEPS; m++) {
		step = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		d = 1 / not_zero(1 + step * d);
		c = not_zero(1 + step / c);
		h *= d * c;
		step = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		d = 1 / not_zero(1 + step * d);
		c = not_zero(1 + step / c);
		h *= d * c;
		if (fabs(d * c - 1) < 1e-13)
			break;
	}
	return h;
}

/* Call lgamma_r, for lgamma writes to signgam and is not thread-safe. */
static double gamma_log(double x)
{
	int sign;

	return lgamma_r(x, &sign);
}

/* The regularized incomplete beta function: the part of the beta distribution below x. */
static double beta_part(double a, double b, double x)
{
	double front;

	if (!(x > 0))
		return 0;
	if (x >= 1)
		return 1;
	front = exp(gamma_log(a + b) - gamma_log(a) - gamma_log(b) + a * log(x) + b * log1p(-x));
	return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a
					 : 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double statistics_student(double t, double df)
{
	t = fabs(t);
	if (!(df > 0) || isnan(t))
		return 1;
	if (isinf(t))
		return 0;
	return df >= STATISTICS_KNOWN ? erfc(t * M_SQRT1_2)
				      : beta_part(df / 2, 0.5, df / (df + t * t));
}

/* Use false position (Illinois) between two bounds, on the logarithm, which is nearly linear. */
double statistics_student_at(double p, double df)
{
	double low = 0, high = 1, want = log(p), at_low = -want, at_high, at, t = 1;

	while ((at_high = log(not_zero(statistics_student(high, df))) - want) > 0 && high < 1e12) {
		low = high;
		at_low = at_high;
		high *= 2;
	}
	for (int i = 0; i < 60 && high - low > 1e-9 * high; i++) {
		t = low + (high - low) * at_low / (at_low - at_high);
		at = log(not_zero(statistics_student(t, df))) - want;
		if (fabs(at) < 1e-10)
			break;
		if (at > 0) {
			low = t;
			at_low = at;
			at_high /= 2;
		} else {
			high = t;
			at_high = at;
			at_low /= 2;
		}
	}
	return t;
}

double statistics_binomial(uint64_t k, uint64_t n, double part)
{
	/* P(X <= k), P(X >= k) */
	double below = k >= n ? 1 : beta_part((double)(n - k), (double)k + 1, 1 - part);
	double above = k ? beta_part((double)k, (double)(n - k) + 1, part) : 1;
	double p = 2 * (below < above ? below : above);

	return p < 1 ? p : 1;
}

double statistics_again(double z, double variance, double scale)
{
	double sum = variance + scale * scale, p;

	if (!(sum > 0))
		return z != 0 ? 0 : 1;
	p = sqrt(sum / not_zero(variance)) * exp(-z * z * scale * scale / (2 * sum));
	return p < 1 ? p : 1;
}

static int compare_doubles(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

size_t statistics_discoveries(double *p, size_t nr, double rate, double *limit)
{
	size_t found = nr;

	if (nr)
		qsort(p, nr, sizeof(*p), compare_doubles);
	while (found && p[found - 1] > rate * (double)found / (double)nr)
		found--;
	*limit = found ? p[found - 1] : nr ? rate / (double)nr : rate;
	return found;
}
