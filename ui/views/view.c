/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/views/view.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/text.h"
#include "core/slice/several.h"
#include "ui/app/app.h"
#include "ui/views/view_aux.h"
#include "ui/views/view_buffers.h"
#include "ui/views/view_changes.h"
#include "ui/views/view_choose.h"
#include "ui/code/view_code.h"
#include "ui/views/view_counters.h"
#include "ui/views/view_events.h"
#include "ui/views/view_explain.h"
#include "ui/views/view_fields.h"
#include "ui/views/view_flame.h"
#include "ui/views/view_functions.h"
#include "ui/views/view_heat.h"
#include "ui/views/view_help.h"
#include "ui/views/view_tasks.h"
#include "ui/views/view_tree.h"

const struct view_ops *const views[VIEW_NR] = {
	[VIEW_FUNCTIONS] = &view_functions,
	[VIEW_TASKS] = &view_tasks,
	[VIEW_TREE] = &view_tree,
	[VIEW_FLAME] = &view_flame,
	[VIEW_CODE] = &view_code,
	[VIEW_BUFFERS] = &view_buffers,
	[VIEW_AUX] = &view_aux,
	[VIEW_COUNTERS] = &view_counters,
	[VIEW_EVENTS] = &view_events,
	[VIEW_FIELDS] = &view_fields,
	[VIEW_CHOOSE] = &view_choose,
	[VIEW_CHANGES] = &view_changes,
	[VIEW_EXPLAIN] = &view_explain,
	[VIEW_HEAT] = &view_heat,
	[VIEW_HELP] = &view_help,
};

bool view_has_tab(const struct app *a, int view)
{
	return views[view]->digit &&
	       (view != VIEW_FIELDS || a->view == VIEW_FIELDS || view_fields_wanted(a));
}

void details_add(struct details *d, enum role role, const char *label, const char *fmt, ...)
{
	va_list ap;

	if (d->nr == sizeof(d->line) / sizeof(d->line[0]))
		return;
	snprintf(d->line[d->nr].label, sizeof(d->line[0].label), "%s", label);
	va_start(ap, fmt);
	vsnprintf(d->line[d->nr].value, sizeof(d->line[0].value), fmt, ap);
	va_end(ap);
	d->line[d->nr++].role = role;
}

void details_why(struct details *d, const char *why, bool doubt)
{
	char text[sizeof(d->line[0].value)];

	if (!*why)
		return;
	text_escape(text, sizeof(text), why);
	details_add(d, ROLE_WARN, doubt ? "in doubt" : "names", "%s", text);
}

void details_several(struct details *d, const char *also)
{
	char text[sizeof(d->line[0].value)] = "", name[256];
	struct several s;
	size_t pos = 0;

	several_get(&s, also ? also : "");
	if (s.names < 2)
		return;
	for (unsigned i = 0; i < s.nr; i++) {
		text_escape(name, sizeof(name), s.other[i]);
		pos = text_append(text, sizeof(text), pos, "%s%s", i ? ", " : ", also ", name);
	}
	if (s.nr && s.nr + 1 < s.names)
		text_append(text, sizeof(text), pos, " and %u more", s.names - 1 - s.nr);
	details_add(d, ROLE_TEXT, "", "one of %u names at this address%s", s.names, text);
}

const char *details_amount(const struct session_event *e)
{
	return e && *e->weight ? "sum" : e && !strcmp(e->unit, "ns") ? "time" : "events";
}

void details_count(struct details *d, const char *label, uint64_t n)
{
	if (n == GAUGE_UNKNOWN)
		details_add(d, ROLE_TEXT, label, "- (not known)");
	else
		details_add(d, ROLE_TEXT, label, "%llu", (unsigned long long)n);
}
