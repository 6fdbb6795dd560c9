/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/words.h"

#include <string.h>

#include "base/units.h"

void words_amount(struct out *o, const struct session_event *e, uint64_t n)
{
	char buf[UNITS_LEN];

	if (e->unit && !strcmp(e->unit, "ns"))
		out_printf(o, "%.3f s", (double)n / 1e9);
	else if (n < 1000000)
		out_number(o, n);
	else
		out_text(o, units_count(buf, (double)n));
}

void words_percent(struct out *o, uint64_t part, uint64_t of)
{
	double percent = of ? 100 * (double)part / (double)of : 0;

	if (!of) {
		out_text(o, "-");
		return;
	}
	/* a part must not look like all */
	if (part < of && percent > 99.99)
		percent = 99.99;
	out_printf(o, "%.2f%%", percent);
}
