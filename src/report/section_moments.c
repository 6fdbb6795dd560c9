/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Marks, alerts, log lines and advice. */
#include "report/section_parts.h"

#include "model/core/marks.h"
#include "model/judge/alerts.h"
#include "report/jsonout.h"

static const struct column marks[] = {
	{"time", COLUMN_TIME, COLUMN_OF(struct mark, time), "  mark at {} s"},
	{"name", COLUMN_NAME, COLUMN_OF(struct mark, name), ": {}"},
	{0},
};

/* Fill in the marks in the window. */
static bool fill_marks(struct section_rows *to)
{
	const struct mark *mark;
	size_t nr = model_marks(to->v->model, &mark);

	for (size_t i = 0; i < nr; i++)
		if (mark[i].time > to->v->window.from && mark[i].time <= to->v->window.to)
			section_row(to, &mark[i]);
	return false;
}

const struct section section_marks = {.name = "marks", .columns = marks, .fill = fill_marks};

static const struct column alert_columns[] = {
#define ALERT(member) COLUMN_OF(struct alert, member)
	{"number", COLUMN_NUMBER, ALERT(nr)},
	{"time", COLUMN_TIME, ALERT(time), "  ALERT at {} s"},
	{"until", COLUMN_NONZERO, ALERT(until), ", until {} s", COLUMN_OMIT_TEXT, .format = "%.3f"},
	{"condition", COLUMN_NAME, ALERT(condition)},
	{"reason", COLUMN_NAME, ALERT(reason), ": {}"},
	{"command", COLUMN_NAME, ALERT(command), " [--on-alert: {}]", COLUMN_OMIT},
	{0},
};

/* Fill in the alerts that were active in the window. */
static bool fill_alerts(struct section_rows *to)
{
	const struct alerts *all = model_alerts(to->v->model);

	for (size_t i = 0; i < all->nr; i++)
		if (alerts_in(&all->alert[i], to->v->window.from, to->v->window.to))
			section_row(to, &all->alert[i]);
	return false;
}

const struct section section_alerts = {.name = "alerts", .columns = alert_columns,
	.fill = fill_alerts};

struct log_row {
	const char *level, *title, *text;
};

static const struct column log_columns[] = {
	{"level", COLUMN_NAME, COLUMN_OF(struct log_row, level)},
	{NULL, COLUMN_NAME, COLUMN_OF(struct log_row, title), "  {}: "},
	{"text", COLUMN_NAME, COLUMN_OF(struct log_row, text), "{}"},
	{0},
};

static bool fill_log(struct section_rows *to)
{
	for (size_t i = to->v->nlogs; i-- > 0;) {
		const struct slice_log *l = to->v->logs[i];
		bool warning = l->level == SLICE_WARNING;

		section_row(to, &(struct log_row){warning ? "warning" : "info",
						  warning ? "warning" : "note", l->text});
	}
	return true;
}

const struct section section_log = {.name = "log", .columns = log_columns, .fill = fill_log};

static void json_advice(struct out *o, const struct headless_view *v)
{
	jsonout_text(o, "advice", model_advice(v->model, 0, v->window));
}

static void text_advice(struct out *o, const struct headless_view *v)
{
	const char *advice = model_advice(v->model, 0, v->window);

	if (!advice)
		return;
	out_text(o, "  advice: ");
	out_name(o, advice, 0);
	out_text(o, "\n");
}

const struct section section_advice = {.json = json_advice, .text = text_advice};
