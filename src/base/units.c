/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/units.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *scaled(char buf[UNITS_LEN], double n, double base, const char *suffixes)
{
	size_t step = 0;

	/* 999.5 already prints as 1000: move on before rounding does. */
	while (n >= (base == 1000 ? 999.5 : 1023.5) && suffixes[step]) {
		n /= base;
		step++;
	}
	if (step == 0)
		snprintf(buf, UNITS_LEN, "%.0f", n);
	else
		snprintf(buf, UNITS_LEN, "%.*f%c", n < 9.995 ? 2 : n < 99.95 ? 1 : 0, n,
			 suffixes[step - 1]);
	return buf;
}

const char *units_count(char buf[UNITS_LEN], double n)
{
	return scaled(buf, n, 1000, "kMGTPE");
}

const char *units_bytes(char buf[UNITS_LEN], double n)
{
	char *dot;
	size_t len;

	scaled(buf, n, 1024, "KMGTPE");
	dot = strchr(buf, '.');
	len = strlen(buf);
	if (dot && strspn(dot + 1, "0") == len - (size_t)(dot - buf) - 2) {
		dot[0] = buf[len - 1];
		dot[1] = '\0';
	}
	return buf;
}

const char *units_span(char buf[UNITS_LEN], uint64_t ns)
{
	uint64_t s = ns / 1000000000;

	if (ns < 1000)
		snprintf(buf, UNITS_LEN, "%u ns", (unsigned)ns);
	else if (ns < 1000000)
		snprintf(buf, UNITS_LEN, "%.1f us", ns / 1e3);
	else if (ns < 1000000000)
		snprintf(buf, UNITS_LEN, ns < 100000000 ? "%.1f ms" : "%.0f ms", ns / 1e6);
	else if (s < 100)
		snprintf(buf, UNITS_LEN, ns < 10000000000 ? "%.1f s" : "%.0f s", ns / 1e9);
	else
		snprintf(buf, UNITS_LEN, "%02u:%02u:%02u", (unsigned)(s / 3600 % 100000),
			 (unsigned)(s / 60 % 60), (unsigned)(s % 60));
	return buf;
}

int units_parse(const char *text, const char *suffixes, unsigned base, uint64_t *value)
{
	unsigned long long n;
	const char *suffix;
	char *end;

	if (!isdigit((unsigned char)*text))
		return -EINVAL;
	errno = 0;
	n = strtoull(text, &end, 10);
	if (errno)
		return -ERANGE;
	if (*end) {
		suffix = strchr(suffixes, tolower((unsigned char)*end));
		if (!suffix || end[1])
			return -EINVAL;
		for (; suffix >= suffixes; suffix--)
			if (__builtin_mul_overflow(n, base, &n))
				return -ERANGE;
	}
	*value = n;
	return 0;
}
