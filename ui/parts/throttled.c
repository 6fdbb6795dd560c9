/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/parts/throttled.h"

#include <math.h>
#include <stdio.h>

#include "base/units.h"
#include "ui/app/app.h"
#include "ui/parts/details.h"
#include "ui/parts/rows.h"

#define MUCH 0.05 /* throttled share of periods from which on it is highlighted */

enum role throttled_text(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct row *r = cell->row;

	if (!r->periods || isnan(r->throttled_share))
		snprintf(buf, size, "-");
	else
		snprintf(buf, size, "%.1f", r->throttled_share * 100);
	return !r->throttled					  ? ROLE_DIM
	       : (double)r->throttled > MUCH * (double)r->periods ? ROLE_WARN
								  : ROLE_TEXT;
}

void throttled_details(struct details *d, const struct row *r)
{
	char waited[UNITS_LEN], throttled[UNITS_LEN], periods[UNITS_LEN], part[48] = "";

	if (!r->periods) {
		details_add(d, ROLE_DIM, "throttled",
			    "not known: no CPU quota ran here, or no cpu.stat says so");
		return;
	}
	if (!isnan(r->throttled_share))
		snprintf(part, sizeof(part), ", %.1f%% of one CPU's time,",
			 r->throttled_share * 100);
	details_add(d, r->throttled ? ROLE_WARN : ROLE_TEXT, "throttled",
		    "%s%s in %s of %s periods of its CPU quota",
		    units_span(waited, r->throttled_ns), part,
		    units_count(throttled, (double)r->throttled),
		    units_count(periods, (double)r->periods));
}
