/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/section.h"

#include <errno.h>

#include "report/jsonout.h"
#include "report/section_parts.h"

#define SECTION(name) &section_##name,

static const struct section *const json_order[] = {SECTIONS_OF_JSON(SECTION) NULL};
static const struct section *const text_order[] = {SECTIONS_OF_TEXT(SECTION) NULL};
static const struct section *const text_by_event[] = {SECTIONS_OF_EVENT(SECTION) NULL};

void section_row(struct section_rows *to, const void *row)
{
	const struct section *s = to->section;

	if (!to->json) {
		if (!to->nr++ && column_text_head(to->o, s->columns, to->shown))
			out_printf(to->o, "%s\n", to->head_end ? to->head_end : "");
		column_text(to->o, s->columns, row, to->shown);
		out_text(to->o, "\n");
		return;
	}
	if (!to->nr++)
		jsonout_open(to->o, s->name, s->object ? "" : "[");
	column_json_object(to->o, s->columns, row, to->shown);
}

void section_no_memory(struct section_rows *to)
{
	to->o->error = to->o->error ? to->o->error : -ENOMEM;
}

void section_json(struct out *o, const struct headless_view *v, const struct section *s)
{
	unsigned events = s->by_event ? model_info(v->model)->nevents : 1;
	struct section_rows to = {.o = o, .v = v, .section = s, .json = true};
	bool wanted = true;

	if (s->json) {
		s->json(o, v);
		return;
	}
	for (; to.event < events; to.event++)
		wanted = s->fill(&to);
	if (!to.nr && wanted)
		jsonout_open(o, s->name, s->object ? "null" : "[");
	if ((to.nr || wanted) && !s->object)
		out_text(o, "]");
}

void section_text(struct out *o, const struct headless_view *v, const struct section *s,
		  unsigned event)
{
	struct section_rows to = {.o = o, .v = v, .section = s, .event = event};

	if (s->text)
		s->text(o, v);
	else
		s->fill(&to);
}

void section_json_report(struct out *o, const struct headless_view *v)
{
	for (size_t i = 0; json_order[i]; i++)
		section_json(o, v, json_order[i]);
}

void section_text_report(struct out *o, const struct headless_view *v)
{
	const struct session_info *info = model_info(v->model);

	for (size_t i = 0; text_order[i]; i++)
		section_text(o, v, text_order[i], 0);
	for (unsigned e = 0; e < info->nevents; e++) {
		if (info->nevents > 1) {
			out_text(o, "  -- ");
			out_name(o, info->events[e].name, 0);
			out_text(o, "\n");
		}
		for (size_t i = 0; text_by_event[i]; i++)
			section_text(o, v, text_by_event[i], e);
	}
}

/* People: " cpu3", " web02 cpu3" or " thread 42". */
const struct column section_place_columns[] = {
#define PLACE(member) COLUMN_OF(struct section_place, member)
	{"host", COLUMN_NAME, PLACE(host), " {}", COLUMN_OMIT},
	{"cpu", COLUMN_ID, PLACE(cpu), " cpu{}", COLUMN_OMIT_TEXT},
	{"tid", COLUMN_ID, PLACE(tid), " thread {}", COLUMN_OMIT},
	{0},
};

struct section_place section_place(const struct headless_view *v, int cpu, int32_t tid)
{
	const struct session_info *info = model_info(v->model);
	int number = session_place(info, cpu).cpu;

	return (struct section_place){session_place_name(info, cpu), number,
				      number < 0 ? tid : -1};
}
