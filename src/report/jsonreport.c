/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/jsonreport.h"

#include <string.h>
#include <sys/wait.h>

#include "report/jsonout.h"
#include "report/section_parts.h"

static void put_json_report(struct out *o, const struct headless_view *v, const char *type)
{
	out_printf(o, "{\"type\":\"%s\",\"time\":%.3f,\"seconds\":%.3f", type, v->time, v->seconds);
	section_json_report(o, v);
}

static void json_header(struct out *o, const struct headless_view *v)
{
	const struct session_info *info = model_info(v->model);

	out_printf(o, "{\"type\":\"header\",\"schema\":%d", JSON_SCHEMA);
	jsonout_string(o, "version", v->version ? v->version : "");
	jsonout_string(o, "host", info->host);
	section_json(o, v, &section_header_hosts);
	jsonout_number(o, "cpus", info->cpus);
	section_json(o, v, &section_header_events);
	jsonout_string(o, "target", info->target);
	jsonout_string(o, "call_graph", info->call_graph);
	jsonout_text(o, "note", info->note[0] ? info->note : NULL);
	out_printf(o, ",\"start\":%.3f,\"interval\":%.3f,\"live\":%s}\n",
		   (double)info->start_wall / 1e9, v->delay, info->live ? "true" : "false");
}

static void json_interval(struct out *o, const struct headless_view *v)
{
	put_json_report(o, v, "interval");
	out_text(o, "}\n");
}

static void json_report_total(struct out *o, const struct headless_view *v)
{
	const struct session_end *end = v->end;
	int status = end->command_status;

	put_json_report(o, v, "total");
	section_json(o, v, &section_control);
	if (!end->command)
		out_text(o, ",\"command\":null");
	else if (WIFSIGNALED(status))
		out_printf(o, ",\"command\":{\"signal\":%d}", WTERMSIG(status));
	else
		out_printf(o, ",\"command\":{\"exit\":%d}", WEXITSTATUS(status));
	jsonout_text(o, "error",
		     !end->error    ? NULL
		     : end->text[0] ? end->text
				    : strerror(-end->error));
	out_text(o, "}\n");
}

const struct headless_format json_format = {
	.name = "json",
	.header = json_header,
	.logged = section_logged_json,
	.interval = json_interval,
	.total = json_report_total,
};
