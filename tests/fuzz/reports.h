/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reports - a session's reports in text and JSON at once, for fuzz targets. */
#ifndef RINGTOP_TESTS_FUZZ_REPORTS_H
#define RINGTOP_TESTS_FUZZ_REPORTS_H

#include "report/headless.h"
#include "report/jsonreport.h"
#include "report/textreport.h"

static void reports_header(struct out *o, const struct headless_view *v)
{
	text_format.header(o, v);
	json_format.header(o, v);
}

static void reports_logged(struct out *o, const struct headless_view *v, const struct slice *s)
{
	if (text_format.logged)
		text_format.logged(o, v, s);
	if (json_format.logged)
		json_format.logged(o, v, s);
}

static void reports_interval(struct out *o, const struct headless_view *v)
{
	text_format.interval(o, v);
	json_format.interval(o, v);
}

static void reports_total(struct out *o, const struct headless_view *v)
{
	text_format.total(o, v);
	json_format.total(o, v);
}

static const struct headless_format reports_both = {"both", reports_header, reports_logged, reports_interval, reports_total};

#endif
