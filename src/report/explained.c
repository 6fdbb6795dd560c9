/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/explained.h"

#include <math.h>

#include "report/jsonout.h"
#include "model/judge/explain.h"

static size_t explain_run(const struct headless_view *v, struct explain_line line[EXPLAIN_MOST])
{
	const struct query q = {.filter = v->filter, .show_self = v->show_self, .hide_idle = true};

	return explain(v->model, &q, v->window, line);
}

static void text_explain_total(struct out *o, const struct headless_view *v)
{
	struct explain_line line[EXPLAIN_MOST];
	size_t nr = explain_run(v, line);

	for (size_t i = 0; i < nr; i++) {
		out_text(o, line[i].warns ? "! " : "- ");
		out_name(o, line[i].text, 0);
		out_printf(o, "  [%s]\n", line[i].key);
	}
}

static void json_explain_line(struct out *o, const struct explain_line *l)
{
	jsonout_string(o, "{\"rule\":", l->rule);
	jsonout_string(o, ",\"text\":", l->text);
	jsonout_string(o, ",\"key\":", l->key);
	out_printf(o, ",\"warns\":%s,\"values\":{", l->warns ? "true" : "false");
	for (unsigned i = 0; i < l->nvalues; i++) {
		jsonout_string(o, i ? "," : "", l->value[i].name);
		if (isfinite(l->value[i].value))
			out_printf(o, ":%.9g", l->value[i].value);
		else
			out_text(o, ":null");
	}
	out_text(o, "}}");
}

static void json_explain_total(struct out *o, const struct headless_view *v)
{
	struct explain_line line[EXPLAIN_MOST];
	size_t nr = explain_run(v, line);

	out_printf(o, "{\"type\":\"explain\",\"time\":%.3f,\"seconds\":%.3f,\"explain\":[", v->time,
		   v->seconds);
	for (size_t i = 0; i < nr; i++) {
		out_text(o, i ? "," : "");
		json_explain_line(o, &line[i]);
	}
	out_text(o, "]}\n");
}

static void nothing(struct out *o, const struct headless_view *v)
{
	(void)o, (void)v;
}

static void no_lines(struct out *o, const struct headless_view *v, const struct slice *s)
{
	(void)o, (void)v, (void)s;
}

const struct headless_format explained_text = {"explain", nothing, no_lines, nothing,
					       text_explain_total};
const struct headless_format explained_json = {"explain-json", nothing, no_lines, nothing,
					       json_explain_total};
