/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/report_groups.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>

#include "base/text.h"
#include "report/jsonout.h"

#define TEXT_TOP   10   /* rows in an interval's report, without --top */
#define NAME_BYTES 4352 /* a path's last part, or a cgroup's path */

static const struct rows *query_group_rows(struct out *o, const struct headless_view *v,
					   unsigned event, size_t top, bool by_host)
{
	const struct query q = {.event = event,
				.group = v->group,
				.sort = v->sort,
				.show_self = v->show_self,
				.hide_kernel = v->hide_kernel,
				.hide_user = v->hide_user,
				.filter = v->filter,
				.limit = top,
				.by_host = by_host};
	const struct rows *rows = model_rows(v->model, &q, v->window);

	if (!rows)
		o->error = o->error ? o->error : -ENOMEM;
	return rows;
}

void json_owner(struct out *o, const struct row *r)
{
	if (*r->user)
		jsonout_string(o, ",\"user\":", r->user);
	if (*r->cgroup)
		jsonout_string(o, ",\"cgroup\":", r->cgroup);
	if (*r->parent)
		jsonout_string(o, ",\"parent\":", r->parent);
	if (r->ppid > 0)
		jsonout_id(o, ",\"ppid\":", r->ppid);
}

/* Put a source line's members: its file and line, its function and object. */
static void json_source_line(struct out *o, const struct row *r)
{
	if (r->line) {
		jsonout_string(o, ",\"file\":", r->file);
		jsonout_number(o, ",\"line\":", r->line);
	}
	if (*r->function)
		jsonout_string(o, ",\"function\":", r->function);
	if (*r->object)
		jsonout_string(o, ",\"object\":", r->object);
	jsonout_share(o, ",\"total_share\":", r->total_share);
}

static void json_row(struct out *o, const struct headless_view *v, unsigned event,
		     const struct row *r, bool first)
{
	char name[NAME_BYTES];

	jsonout_string(o, first ? "{\"event\":" : ",{\"event\":",
		       model_info(v->model)->events[event].name);
	if (*r->host)
		jsonout_string(o, ",\"host\":", r->host);
	jsonout_string(o, ",\"by\":", group_names[v->group]);
	model_row_name(r, name, sizeof(name));
	jsonout_string(o, ",\"name\":", name);
	if (v->group == GROUP_LINE)
		json_source_line(o, r);
	json_owner(o, r);
	if (r->pid >= 0)
		jsonout_id(o, ",\"pid\":", r->pid);
	if (r->ntasks && v->group != GROUP_TASK && v->group != GROUP_THREAD)
		jsonout_number(o, ",\"processes\":", r->ntasks);
	if (r->periods) {
		jsonout_number(o, ",\"periods\":", r->periods);
		jsonout_number(o, ",\"throttled\":", r->throttled);
		jsonout_number(o, ",\"throttled_ns\":", r->throttled_ns);
	}
	jsonout_share(o, ",\"share\":", r->self_share);
	jsonout_number(o, ",\"samples\":", r->samples);
	jsonout_number(o, ",\"weight\":", r->self);
	out_text(o, "}");
}

void json_groups(struct out *o, const struct headless_view *v)
{
	bool first = true;

	if (v->group == GROUP_FUNCTION)
		return;
	out_text(o, ",\"groups\":[");
	for (unsigned e = 0; e < model_info(v->model)->nevents; e++) {
		const struct rows *rows = query_group_rows(o, v, e, v->top, true);

		for (size_t i = 0; rows && i < rows->nr; i++, first = false)
			json_row(o, v, e, &rows->row[i], first);
	}
	out_text(o, "]");
}

/* Put the time throttled, in percent of one CPU's time. */
static void text_throttled(struct out *o, const struct row *r)
{
	if (r->periods && !isnan(r->throttled_share))
		out_printf(o, "%9.1f%%  ", r->throttled_share * 100);
	else
		out_printf(o, "%10s  ", "-");
}

/* Put a source line's function and object. */
static void text_line(struct out *o, const struct row *r)
{
	if (*r->function || r->line) {
		out_text(o, "  ");
		out_name(o, *r->function ? r->function : "(several)", 0);
	}
	if (*r->object) {
		out_text(o, "  ");
		out_name(o, text_base(r->object), 0);
	}
}

/*
 * Put the part of the run that the rows cover: source lines are counted in the history kept only.
 */
static void text_missing(struct out *o, const struct rows *rows)
{
	if (rows->missing)
		out_printf(
			o,
			"          of %.1f%% of the whole run: the rest is no longer kept (--history keeps more)\n",
			100 * (double)rows->attributed /
				((double)rows->attributed + (double)rows->missing));
}

void text_groups(struct out *o, const struct headless_view *v, unsigned event)
{
	const struct rows *rows;
	bool hosts = model_info(v->model)->nhosts > 1;

	if (v->group == GROUP_FUNCTION)
		return;
	rows = query_group_rows(o, v, event, v->top || v->end ? v->top : TEXT_TOP, hosts);
	if (!rows || !rows->nr)
		return;
	out_text(o, "       %   SAMPLES PROCESSES  ");
	if (v->group == GROUP_CGROUP)
		out_text(o, " THROTTLED  ");
	for (const char *c = group_names[v->group]; *c; c++)
		out_printf(o, "%c", toupper((unsigned char)*c));
	out_text(o, "\n");
	for (size_t i = 0; i < rows->nr; i++) {
		const struct row *r = &rows->row[i];
		char name[NAME_BYTES];

		out_printf(o, "  %6.2f  %8llu  %8u  ", r->self_share * 100,
			   (unsigned long long)r->samples, r->ntasks);
		if (v->group == GROUP_CGROUP)
			text_throttled(o, r);
		model_row_name(r, name, sizeof(name));
		out_name(o, name, 0);
		if (v->group == GROUP_LINE)
			text_line(o, r);
		if (*r->host) {
			out_text(o, " on ");
			out_name(o, r->host, 0);
		}
		out_text(o, "\n");
	}
	if (rows->all > rows->nr)
		out_printf(o, "          and %zu more\n", rows->all - rows->nr);
	text_missing(o, rows);
}
