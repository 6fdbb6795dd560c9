/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/explained.h"

#include <math.h>

#include "report/column.h"
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

static void json_explain_values(struct out *o, const void *row)
{
	const struct explain_line *l = row;

	out_text(o, "{");
	for (unsigned i = 0; i < l->nvalues; i++) {
		jsonout_key(o, l->value[i].name);
		out_printf(o, isfinite(l->value[i].value) ? "%.9g" : "null", l->value[i].value);
	}
	out_text(o, "}");
}

static const struct column explain_columns[] = {
#define EXPLAIN(member) COLUMN_OF(struct explain_line, member)
	{"rule", COLUMN_NAME, EXPLAIN(rule)}, {"text", COLUMN_NAME, EXPLAIN(text)},
	{"key", COLUMN_NAME, EXPLAIN(key)}, {"warns", COLUMN_BOOL, EXPLAIN(warns)},
	{"values", COLUMN_OWN, .json = json_explain_values},
	{0},
};

static void json_explain_total(struct out *o, const struct headless_view *v)
{
	struct explain_line line[EXPLAIN_MOST];
	size_t nr = explain_run(v, line);

	out_printf(o, "{\"type\":\"explain\",\"time\":%.3f,\"seconds\":%.3f,\"explain\":[", v->time,
		   v->seconds);
	for (size_t i = 0; i < nr; i++)
		column_json_object(o, explain_columns, &line[i], 0);
	out_text(o, "]}\n");
}

const struct headless_format explained_text = {.name = "explain", .total = text_explain_total};
const struct headless_format explained_json = {.name = "explain-json",
					       .total = json_explain_total};
