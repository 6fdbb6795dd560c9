/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Probabilities against what is known of them in closed form, or by adding up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdbool.h>

#include "base/statistics.h"

static void assert_near(double a, double b, double relative)
{
	if (!(fabs(a - b) <= relative * fabs(b)))
		fail_msg("%.12g is not %.12g", a, b);
}

static void student(void **state)
{
	(void)state;
	for (double t = 0.01; t < 1000; t *= 1.7) {
		assert_near(statistics_student(t, 1), 2 / M_PI * atan(1 / t), 1e-9);
		assert_near(statistics_student(-t, 1), statistics_student(t, 1), 0);
		assert_near(statistics_student(t, 2), 2 / ((sqrt(2 + t * t) + t) * sqrt(2 + t * t)), 1e-9);
	}
	/* many degrees of freedom are the normal distribution */
	assert_near(statistics_student(3, 1e6), erfc(3 * M_SQRT1_2), 1e-4);
	assert_near(statistics_student(3, STATISTICS_KNOWN), 0.0026997960632601866, 1e-12);
	assert_near(statistics_student(2.228138852, 10), 0.05, 1e-8); /* from a table */
	assert_true(statistics_student(INFINITY, 5) == 0);
	assert_true(statistics_student(0, 5) == 1);
	assert_true(statistics_student(NAN, 5) == 1);
	assert_true(statistics_student(3, 0) == 1);
	assert_true(statistics_student(1e300, 30) >= 0);
}

static void student_at(void **state)
{
	static const double dfs[] = {1, 1.7, 2, 5, 29, 58.3, 1e4, STATISTICS_KNOWN};

	(void)state;
	for (size_t i = 0; i < sizeof(dfs) / sizeof(*dfs); i++)
		for (double p = 0.9; p > 1e-9; p *= 0.3)
			assert_near(statistics_student(statistics_student_at(p, dfs[i]), dfs[i]), p, 1e-8);
	assert_near(statistics_student_at(0.05, STATISTICS_KNOWN), 1.9599639845, 1e-9);
}

static double binomial(unsigned k, unsigned n, double part)
{
	return exp(lgamma(n + 1.0) - lgamma(k + 1.0) - lgamma(n - k + 1.0) + k * log(part) + (n - k) * log1p(-part));
}

static void binomials(void **state)
{
	(void)state;
	assert_near(statistics_binomial(0, 10, 0.5), 2.0 / 1024, 1e-12);
	assert_near(statistics_binomial(10, 10, 0.5), 2.0 / 1024, 1e-12);
	assert_near(statistics_binomial(5, 10, 0.5), 1, 1e-12);
	assert_near(statistics_binomial(0, 0, 0.5), 1, 1e-12);
	for (unsigned k = 0; k <= 60; k++) {
		double below = 0, above = 0, p;

		for (unsigned i = 0; i <= 60; i++) {
			below += i <= k ? binomial(i, 60, 0.2) : 0;
			above += i >= k ? binomial(i, 60, 0.2) : 0;
		}
		p = 2 * fmin(below, above);
		assert_near(statistics_binomial(k, 60, 0.2), p < 1 ? p : 1, 1e-9);
	}
	/* as many as an hour has */
	assert_near(statistics_binomial(5003000, 10000000, 0.5), 0.0578, 0.01);
}

/* A walk that is looked at after every step: who waits for 2 sigma sees it sooner or later, this one seldom. */
static void again(void **state)
{
	uint64_t random = 12345;
	unsigned named = 0, naive = 0;

	(void)state;
	for (int run = 0; run < 1000; run++) {
		bool is_named = false, is_naive = false;
		double sum = 0;

		for (int n = 1; n <= 500; n++) {
			random = random * 6364136223846793005u + 1442695040888963407u;
			sum += random >> 63 ? 1 : -1;
			is_named |= statistics_again(sum / sqrt(n), 1.0 / n, 0.2) < 0.05;
			is_naive |= statistics_student(sum / sqrt(n), STATISTICS_KNOWN) < 0.05;
		}
		named += is_named;
		naive += is_naive;
	}
	assert_true(naive > 300);
	assert_true(named <= 50 && named > 5);
}

static void discoveries(void **state)
{
	/* the example of their paper of 1995: 4 of 15 at 5 % */
	double p[] = {1.0000, 0.7590, 0.6528, 0.5719, 0.4262, 0.3240, 0.0459, 0.0344,
		      0.0298, 0.0278, 0.0201, 0.0095, 0.0019, 0.0004, 0.0001};
	double limit, none[] = {0.9, 0.04, 0.2};

	(void)state;
	assert_int_equal(statistics_discoveries(p, 15, 0.05, &limit), 4);
	assert_near(limit, 0.0095, 1e-12);
	assert_int_equal(statistics_discoveries(none, 3, 0.05, &limit), 0);
	assert_near(limit, 0.05 / 3, 1e-12);
	assert_int_equal(statistics_discoveries(none, 0, 0.05, &limit), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(student), cmocka_unit_test(student_at), cmocka_unit_test(binomials),
		cmocka_unit_test(again), cmocka_unit_test(discoveries),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
