/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/textreport.h"

#include <sys/wait.h>

#include "report/section_parts.h"

/* Put a line with a raw text, if there is one. */
static void put_text_line(struct out *o, const char *title, const char *text)
{
	if (!*text)
		return;
	out_text(o, title);
	out_name(o, text, 0);
	out_text(o, "\n");
}

static void text_header(struct out *o, const struct headless_view *v)
{
	const struct session_info *info = model_info(v->model);

	out_printf(o, "ringtop %s  ", v->version ? v->version : "");
	out_name(o, info->host, 0);
	out_text(o, "  ");
	out_name(o, info->target, 0);
	section_text(o, v, &section_header_events, 0);
	if (info->call_graph[0])
		out_printf(o, "  call graph: %s", info->call_graph);
	out_text(o, "\n");
	put_text_line(o, "  note: ", info->note);
	out_text(o, "\n");
}

static void text_interval(struct out *o, const struct headless_view *v)
{
	out_printf(o, "at %.3f s, for %.3f s\n", v->time, v->seconds);
	section_text_report(o, v);
	out_text(o, "\n");
}

static void text_report_total(struct out *o, const struct headless_view *v)
{
	const struct session_end *end = v->end;
	int status = end->command_status;

	out_printf(o, "total of %.3f s\n", v->seconds);
	if (end->command && WIFSIGNALED(status))
		out_printf(o, "  the command was killed by signal %d\n", WTERMSIG(status));
	else if (end->command)
		out_printf(o, "  the command exited with %d\n", WEXITSTATUS(status));
	section_text(o, v, &section_control, 0);
	put_text_line(o, "  ended: ", end->text);
	section_text_report(o, v);
	out_text(o, "\n");
}

const struct headless_format text_format = {
	.name = "text",
	.header = text_header,
	.logged = section_logged_text,
	.interval = text_interval,
	.total = text_report_total,
};
