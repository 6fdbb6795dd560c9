/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/rows.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "ui/app.h"

#define NAME_MAX_BYTES 600
#define PARTS          6 /* rows of another grouping in the details */

/* --- cells ------------------------------------------------------------------------------ */

static enum role role_of(const struct row *r)
{
	return r->flags & ROW_LOST                 ? ROLE_WARN
	       : r->flags & ROW_EXITED             ? ROLE_DIM
	       : r->flags & ROW_LOADING            ? ROLE_LOADING
	       : r->flags & (ROW_KERNEL)           ? ROLE_KERNEL
						   : ROLE_TEXT;
}

enum role rows_text_self(const void *ctx, const void *row, char *buf, size_t size, int width)
{
	(void)ctx;
	(void)width;
	widget_percent(buf, size, ((const struct row *)row)->self_share);
	return ROLE_TEXT;
}

enum role rows_text_total(const void *ctx, const void *row, char *buf, size_t size, int width)
{
	(void)ctx;
	(void)width;
	widget_percent(buf, size, ((const struct row *)row)->total_share);
	return ROLE_TEXT;
}

enum role rows_text_trend(const void *ctx, const void *row, char *buf, size_t size, int width)
{
	const struct app *a = ctx;

	(void)width;
	widget_trend(buf, size, ((const struct row *)row)->trend, TREND_NR, a->scene.ascii);
	return ROLE_TREND;
}

enum role rows_text_samples(const void *ctx, const void *row, char *buf, size_t size, int width)
{
	char n[UNITS_LEN];

	(void)ctx;
	(void)width;
	snprintf(buf, size, "%s", units_count(n, (double)((const struct row *)row)->samples));
	return ROLE_TEXT;
}

bool rows_found(const char *text, const char *search)
{
	for (const char *c = search; *c; c++)
		if (isupper((unsigned char)*c))
			return strstr(text, search) != NULL;
	return strcasestr(text, search) != NULL;
}

static bool found(const struct row *r, const char *search)
{
	return search[0] && (rows_found(r->name, search) || rows_found(r->object, search) ||
			     rows_found(r->task, search));
}

enum role rows_text_name(const void *ctx, const void *row, char *buf, size_t size, int width)
{
	const struct app *a = ctx;
	const struct row *r = row;
	size_t pos = 0;

	(void)width;
	if (r->flags & ROW_KERNEL && a->table[a->view].group == GROUP_FUNCTION)
		pos = text_append(buf, size, 0, "[k] ");
	pos += text_escape(buf + pos, size - pos, r->name);
	if (r->flags & ROW_EXITED)
		text_append(buf, size, pos, " (exited)");
	return found(r, a->search) ? ROLE_MATCH : role_of(r);
}

enum role rows_text_object(const void *ctx, const void *row, char *buf, size_t size, int width)
{
	const struct app *a = ctx;
	const struct row *r = row;
	const char *slash = strrchr(r->object, '/');
	char name[NAME_MAX_BYTES];

	/* "[module]" and paths that end in a slash stay whole. */
	text_escape(name, sizeof(name), slash && slash[1] ? slash + 1 : r->object);
	if (!(r->flags & ROW_LOADING)) {
		snprintf(buf, size, "%s%s", r->flags & ROW_DOUBT ? DETAILS_DOUBT : "", name);
		return ROLE_TEXT;
	}
	/* The mark must be seen: before the name where behind it there is no room. */
	snprintf(buf, size, scene_width(&a->scene, name) + 10 > width ? "⧗ %s" : "%s ⧗ loading",
		 name);
	return ROLE_LOADING;
}

enum role rows_text_task(const void *ctx, const void *row, char *buf, size_t size, int width)
{
	const struct row *r = row;

	(void)ctx;
	(void)width;
	if (r->task[0])
		text_escape(buf, size, r->task);
	else if (r->ntasks)
		snprintf(buf, size, "(%u)", r->ntasks);
	return ROLE_TEXT;
}

/* --- list ------------------------------------------------------------------------------- */

static uint64_t key_at(const void *rows, size_t i)
{
	return ((const struct rows *)rows)->row[i].key;
}

static bool match_at(const void *rows, size_t i, const char *search)
{
	return found(&((const struct rows *)rows)->row[i], search);
}

static void draw_head(struct app *a, struct rect area, const struct widget_table *t,
		      const char *const *titles)
{
	widget_table_head(&a->scene, area.y, area.cols, t, titles, (int)a->table[a->view].sort);
	for (unsigned i = 0; i < t->nr; i++)
		if (t->width[i] && t->columns[i].sort >= 0)
			app_zone(a, (struct rect){area.y, t->x[i], 1, t->width[i]}, ZONE_SORT,
				 (uint64_t)t->columns[i].sort, NULL);
}

const char *rows_empty(const struct app *a)
{
	if (!model_now(a->model))
		return "waiting for the first samples ...";
	if (app_forgotten(a))
		return "what was here is forgotten: a larger --history keeps more";
	if (a->filter)
		return "no sample in this window passes the filter (Esc drops it)";
	if (a->hide_kernel || a->hide_user)
		return "nothing left: K and U show what is hidden";
	if (a->paused)
		return "the counters are stopped: p starts them";
	return "no samples in this window";
}

/* Said below the rows, which give way to it. */
static const char *rows_hint(const struct app *a)
{
	struct window w = app_window(a);

	/* Of the whole run there are totals. */
	if (w.to == UINT64_MAX || a->table[a->view].group != GROUP_FUNCTION)
		return NULL;
	return model_thinned(a->model, w) & MODEL_THIN_NAMES
		       ? "names thinned here: small functions are one row (--history keeps more)"
		       : NULL;
}

void rows_draw(struct app *a, struct rect area, const struct widget_column *columns, unsigned nr,
	       uint32_t hidden, const char *const *titles)
{
	struct widget_table t = {.columns = columns, .nr = nr};
	struct table_state *state = &a->table[a->view];
	struct query q = app_query(a, state);
	int head = area.rows > 2 ? 1 : 0;
	const char *hint = area.rows > 4 ? rows_hint(a) : NULL;
	const struct rows *rows;

	if (hint)
		scene_fit(&a->scene, area.y + --area.rows, 2, -1, ROLE_WARN, hint);
	widget_table_layout(&t, area.cols > 20 ? 2 : 1, area.cols, hidden);
	if (head)
		draw_head(a, area, &t, titles);
	rows = model_rows(a->model, &q, app_window(a));
	if (!rows) {
		scene_fit(&a->scene, area.y + head, 1, -1, ROLE_BAD, "out of memory: no rows");
		return;
	}
	list_sync(&state->list,
		  &(struct list_rows){rows, rows->nr, key_at, match_at, a->search},
		  (size_t)(area.rows - head));
	if (!rows->nr)
		scene_fit(&a->scene, area.y + head, 2, -1, ROLE_DIM, rows_empty(a));
	for (size_t i = state->list.top;
	     i < rows->nr && (int)(i - state->list.top) < area.rows - head; i++) {
		int y = area.y + head + (int)(i - state->list.top);

		widget_table_row(&a->scene, y, area.cols, &t, a, &rows->row[i],
				 i == state->list.index);
		app_zone(a, (struct rect){y, 0, 1, area.cols}, ZONE_ROW, i, NULL);
	}
}

/* The selected row, where it is a function.  NULL: it is not. */
static const struct row *selected_function(struct app *a)
{
	const struct table_state *t = &a->table[a->view];
	struct query q = app_query(a, t);
	const struct rows *rows;
	const struct row *r;

	if (t->group != GROUP_FUNCTION)
		return NULL;
	q.limit = t->list.index + 1;
	q.trend = false;
	rows = model_rows(a->model, &q, app_window(a));
	if (!rows || t->list.index >= rows->nr)
		return NULL;
	r = &rows->row[t->list.index];
	return r->flags & (ROW_FOLDED | ROW_LOST) ? NULL : r;
}

bool rows_callers(struct app *a)
{
	const struct row *r = model_info(a->model)->call_graph[0] ? selected_function(a) : NULL;

	if (!r)
		return false;
	view_tree_callers(a, r->key, r->name);
	return true;
}

uint64_t rows_function(struct app *a, char *name, size_t size)
{
	const struct row *r = selected_function(a);

	if (!r)
		return 0;
	text_append(name, size, 0, "%s", r->name);
	return r->key;
}

/* --- details ---------------------------------------------------------------------------- */

/* A regular expression that matches this name and nothing else, as one word of a filter. */
static size_t quote(char *buf, size_t size, size_t pos, const char *field, const char *name)
{
	pos = text_append(buf, size, pos, "%s:^", field);
	for (; *name && pos + 4 < size; name++)
		if (isspace((unsigned char)*name))
			buf[pos++] = '.'; /* a blank would end the word */
		else if (strchr("^$.[]|()?*+{}\\", *name))
			pos = text_append(buf, size, pos, "\\%c", *name);
		else
			buf[pos++] = *name;
	buf[pos] = '\0';
	return text_append(buf, size, pos, "$ ");
}

/* What the row consists of, by another grouping: a function's tasks, a task's functions. */
static void parts(struct app *a, struct details *d, const char *filter, enum group_by group,
		  const char *label)
{
	struct table_state by = {.group = group, .sort = SORT_SELF};
	struct query q = app_query(a, &by);
	struct filter *only = NULL;
	const struct rows *rows;

	/* The screen's own filter gives way: the panel speaks of all of the row. */
	if (filter_compile(filter, &only, NULL))
		return;
	q.filter = only;
	q.trend = false;
	q.limit = PARTS;
	rows = model_rows(a->model, &q, app_window(a));
	for (size_t i = 0; rows && i < rows->nr; i++) {
		const struct row *r = &rows->row[i];
		char name[NAME_MAX_BYTES], share[16], pid[24] = "";

		text_escape(name, sizeof(name), r->name);
		widget_percent(share, sizeof(share), r->self_share);
		if (r->pid >= 0)
			snprintf(pid, sizeof(pid), " %d", r->pid);
		details_add(d, ROLE_TEXT, i ? "" : label, "%6s%%  %s%s", share, name, pid);
	}
	if (rows && rows->all > rows->nr)
		details_add(d, ROLE_DIM, "", "and %zu more", rows->all - rows->nr);
	filter_free(only);
}

static void add_names(struct details *d, const struct row *r, enum group_by group)
{
	static const char *const labels[GROUP_NR] = {"function", "object", "task", "thread", "cpu"};
	char text[NAME_MAX_BYTES];

	text_escape(text, sizeof(text), r->name);
	details_add(d, ROLE_STRONG, labels[group], "%s", text);
	if (r->flags & ROW_UNRESOLVED)
		details_add(d, ROLE_DIM, "", "%s",
			    r->flags & ROW_LOADING
				? "an address: its object's symbols are being loaded"
				: "an address: no symbol is known for it");
	if (r->object[0]) {
		text_escape(text, sizeof(text), r->object);
		details_add(d, ROLE_TEXT, "object", "%s", text);
	}
	details_why(d, r->why, r->flags & ROW_DOUBT);
	if (r->file && r->file[0]) {
		text_escape(text, sizeof(text), r->file);
		details_add(d, ROLE_TEXT, "source", "%s", text);
	}
	if (r->pid >= 0)
		details_add(d, ROLE_TEXT, "pid", "%d%s", r->pid,
			    r->flags & ROW_EXITED ? " (exited)" : "");
	if (r->tid >= 0)
		details_add(d, ROLE_TEXT, "tid", "%d", r->tid);
}

static void add_figures(const struct app *a, struct details *d, const struct row *r)
{
	const struct session_event *e = app_event(a);
	bool time = e && !strcmp(e->unit, "ns");
	char self[16], total[16], n[UNITS_LEN], w[UNITS_LEN], trend[64];

	widget_percent(self, sizeof(self), r->self_share);
	widget_percent(total, sizeof(total), r->total_share);
	widget_trend(trend, sizeof(trend), r->trend, TREND_NR, a->scene.ascii);
	details_add(d, ROLE_TEXT, "share", "self %s%%  total %s%%  %s", self, total, trend);
	details_add(d, ROLE_TEXT, "samples", "%s", units_count(n, (double)r->samples));
	details_add(d, ROLE_TEXT, "weight", "self %s%s%s",
		    time ? units_span(w, r->self) : units_count(w, (double)r->self),
		    e && !time && e->unit[0] ? " " : "", e && !time ? e->unit : "");
	if (r->ntasks > 1)
		details_add(d, ROLE_TEXT, "processes", "%u", r->ntasks);
}

void rows_details(struct app *a, struct details *d)
{
	const struct table_state *t = &a->table[a->view];
	struct query q = app_query(a, t);
	const struct rows *rows;
	char filter[2 * NAME_MAX_BYTES] = "";
	struct row r;
	size_t pos = 0;

	q.limit = t->list.index + 1;
	rows = model_rows(a->model, &q, app_window(a));
	if (!rows || t->list.index >= rows->nr) {
		details_add(d, ROLE_DIM, "", "no row is selected");
		return;
	}
	r = rows->row[t->list.index];
	add_names(d, &r, t->group);
	add_figures(a, d, &r);
	/* r's strings end with the next query: the filter is made of them first. */
	switch (t->group) {
	case GROUP_FUNCTION:
		pos = quote(filter, sizeof(filter), pos, "function", r.name);
		if (r.object[0])
			quote(filter, sizeof(filter), pos, "object", r.object);
		parts(a, d, filter, GROUP_TASK, "tasks");
		break;
	case GROUP_OBJECT:
		quote(filter, sizeof(filter), pos, "object", r.name);
		parts(a, d, filter, GROUP_FUNCTION, "functions");
		break;
	case GROUP_TASK:
		/* A process has threads of other names; what has no pid stands for many of this one. */
		if (r.pid >= 0)
			text_append(filter, sizeof(filter), 0, "pid:%d", r.pid);
		else
			quote(filter, sizeof(filter), 0, "task", r.name);
		parts(a, d, filter, GROUP_FUNCTION, "functions");
		break;
	case GROUP_THREAD:
	case GROUP_CPU:
		snprintf(filter, sizeof(filter), "%s:%d", t->group == GROUP_THREAD ? "tid" : "cpu",
			 t->group == GROUP_THREAD ? r.tid : r.cpu);
		parts(a, d, filter, GROUP_FUNCTION, "functions");
		break;
	case GROUP_NR:
		break;
	}
}
